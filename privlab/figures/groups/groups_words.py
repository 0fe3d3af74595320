"""Outcomes of the game → sentences. Knows numbers; computes none but counts."""

from collections.abc import Callable, Sequence
from dataclasses import asdict

import numpy as np
import numpy.typing as npt

from privlab.aggregates.findings import LEVELS, GameResult, Summary, paired_difference
from privlab.aggregates.game import Example, arms_beyond_prior
from privlab.aggregates.game_rules import HALF, GameParameters, balance_from_spec
from privlab.controls import control_sentence
from privlab.figures.groups.defence_words import defence_name
from privlab.figures.groups.unseen_words import (
    mean_of_whom,
    none_seen,
    not_seen,
    seen_of,
    targets_of_row,
    who_are_seen,
)
from privlab.figures.wording import PRIOR_NAMES

Floats = npt.NDArray[np.float64]

_SIGNIFICANT = 0.05
_TESTED_ON = {
    "subset": "AUC over test groups the attacker has not seen",
    "same-groups": "AUC over the same groups in a later week, whose members' earlier counts the attacker has seen",
    "different-groups": "AUC over other groups in a later week, which the attacker has not seen",
    "zero-knowledge": "AUC over groups the attacker has not seen, after one release of another group, and people invented "
    "from it",
    "perfect": "AUC over the very groups the attacker has learned from",
}
_SOURCES = {
    "subset": "Pyrgelis, Troncoso and De Cristofaro (NDSS 2018)",
    "zero-knowledge": "Guan, Guépin, Cretu and de Montjoye (PoPETs 2024)",
}
_FACTORS = {
    "volume": "how many reports they make",
    "regularity": "how regular their weeks are",
    "particularity": "how alone they are where they go",
}
MOBILITY = {
    "low": "one of the third with the fewest reports",
    "middle": "one of the middle third by reports",
    "high": "one of the third with the most reports",
}
BEYOND = (
    "This attacker knows where the target was in the released hours: more than this prior grants, and stronger than "
    "the paper's."
)


def finding(results: Sequence[GameResult], summaries: Sequence[Summary]) -> str:
    """Return what the adversary achieves in the smallest and the largest groups, all else alike, in plain words."""
    first, last = results[0].parameters, results[-1].parameters
    sentences = [
        _recognised(result, one)
        for result, one in zip(results, summaries, strict=True)
        if first.group_size == last.group_size
        or (result.parameters.known, result.parameters.balance) == (last.known, last.balance)
    ]
    changed = f"On data changed as a control ({', '.join(first.controls)}): " if first.controls else ""
    if changed:
        sentences[0] = f"{sentences[0][0].lower()}{sentences[0][1:]}"
    return f"{changed}{'. '.join([sentences[0], *sentences[1:][-1:]])}."


def prior_and_hours(parameters: GameParameters) -> str:
    """Return what shuffled hours cannot tell of a game whose attacker learns from the released week; empty for others."""
    if "shuffle-hours" not in parameters.controls or parameters.prior not in ("subset", "zero-knowledge"):
        return ""
    return (
        f"For an attacker who knows “{PRIOR_NAMES[parameters.prior]}” what is learned and what is released are of one week, so that "
        f"regular weeks could not help; “{PRIOR_NAMES['same-groups']}” and “{PRIOR_NAMES['different-groups']}” can tell."
    )


def _recognised(result: GameResult, summary: Summary) -> str:
    if none := none_seen(result):
        return f"In {game_name(result.parameters)}, {none}"
    return (
        f"In {game_name(result.parameters)}, this attacker finds **{100 * summary.overall.tpr_1:.0f} in 100** who are "
        f"in a group while accusing at most 1 in 100 who are not (a coin: 1); {mean_of_whom(result, summary.overall.auc_mean)}"
    )


def game_name(parameters: GameParameters) -> str:
    """Return what tells a game from the others of a page: the size of its groups, and what is known where that is open."""
    name = f"groups of {parameters.group_size:,}"
    if parameters.prior == "zero-knowledge":
        name = f"{name}, {known_words(parameters.known)} known"
    return name if parameters.balance == HALF else f"{name}, {balance_words(parameters.balance)}"


def balance_words(balance: str) -> str:
    """Return which share of the groups holds the target.

    >>> balance_words("0.1"), balance_words("0.1/0.5")
    ('10% with the target', '10% with the target in training, 50% in the test')
    """
    shares = balance_from_spec(balance)
    if shares.train == shares.test:
        return f"{100 * shares.train:g}% with the target"
    return f"{100 * shares.train:g}% with the target in training, {100 * shares.test:g}% in the test"


def known_words(known: str) -> str:
    """Return how much of a target's trace is known.

    >>> known_words("0.1"), known_words("1"), known_words("top:3")
    ('10% of the trace', 'the whole trace', 'the top 3 places')
    """
    kind, _, number = known.partition(":")
    if kind == "top":
        return "the top place" if number == "1" else f"the top {number} places"
    return "the whole trace" if float(known) == 1 else f"{100 * float(known):g}% of the trace"


def row(result: GameResult, summary: Summary) -> dict[str, str]:
    """Return one line of the table of results."""
    overall = summary.overall
    return {
        "people in a group": f"{result.parameters.group_size:,}",
        **({} if summary.estimate is None else {"known": known_words(result.parameters.known)}),
        "targets": targets_of_row(result),
        "mean AUC": f"{overall.auc_mean:.3f}",
        "95% interval": f"{overall.auc_low:.3f} – {overall.auc_high:.3f}",
        f"mean {GAME_LOSS}": f"{overall.pl_mean:.3f}",
        "found at 1% false alarms": f"{overall.tpr_1:.1%}",
        "at 10%": f"{overall.tpr_10:.1%}",
    }


def game_rows(
    results: Sequence[GameResult],
    summaries: Sequence[Summary],
    row: Callable[[GameResult, Summary], dict[str, str]] = row,
) -> list[dict[str, str]]:
    """Return one line per game, with the share of groups that hold the target where it is another than a half in any."""
    told = any(result.parameters.balance != HALF for result in results)
    return [
        row(result, one)
        | ({"groups with the target": balance_words(result.parameters.balance)} if told else {})
        for result, one in zip(results, summaries, strict=True)
    ]


def size_row(result: GameResult, summary: Summary) -> dict[str, str]:
    """Return how the AUC spreads over targets in groups of one size."""
    overall = summary.overall
    return {
        "people in a group": f"{result.parameters.group_size:,}",
        **({} if summary.estimate is None else {"known": known_words(result.parameters.known)}),
        "targets": f"{overall.n_targets}{seen_of(result.n_unseen)}",
        "mean AUC": f"{overall.auc_mean:.3f}",
        "95% interval": f"{overall.auc_low:.3f} – {overall.auc_high:.3f}",
        **{
            "half below" if level == 0.5 else f"{level:.0%} below": f"{value:.3f}"
            for level, value in zip(LEVELS, overall.auc_quantiles, strict=True)
        },
    }


def estimate_row(result: GameResult, summary: Summary) -> dict[str, str]:
    """Return what was taken from one release, on average over the targets, beside the truth; for zero knowledge alone."""
    found = summary.estimate
    if found is None:
        return {}
    return {
        "people in a group": f"{result.parameters.group_size:,}",
        "visits a person, estimated": f"{found.visits:,.1f} ({found.visits_low:,.1f} – {found.visits_high:,.1f})",
        "true": f"{found.true_visits:,.1f}",
        "zones: share misplaced": f"{found.space_apart:.0%}",
        "hours: share misplaced": f"{found.time_apart:.0%}",
    }


def share_finding(results: Sequence[GameResult], summaries: Sequence[Summary]) -> str:
    """Return what one release is enough for, by how much of the target's trace is known, in the largest groups."""
    size = results[-1].parameters.group_size
    own = [
        f"{known_words(result.parameters.known)}: AUC {one.overall.auc_mean:.2f}"
        for result, one in zip(results, summaries, strict=True)
        if result.parameters.group_size == size
    ]
    return (
        f"With nothing but one release of {size:,} people, and of the target {'; '.join(own)} (means of "
        f"{len(results[-1].outcomes):,} targets{who_are_seen(results)}; a coin: 0.5). Nobody's data was needed."
    )


def balance_finding(results: Sequence[GameResult], summaries: Sequence[Summary]) -> str:
    """Return what another share of groups with the target does to the attack, in the largest groups, beside half and half.

    The difference in AUC is over the targets that both games have played, with Student's interval.
    """
    size = results[-1].parameters.group_size
    own = [
        (result.parameters.balance, one)
        for result, one in zip(results, summaries, strict=True)
        if result.parameters.group_size == size
    ]
    own.sort(key=lambda one: one[0] != HALF)
    base, told = own[0][1], []
    for balance, one in own:
        apart = ""
        if one is not base and min(one.auc.size, base.auc.size) > 1:
            difference, reach = paired_difference(one.auc, base.auc)
            apart = f" ({_signed(difference, 3)} ± {reach:.3f})"
        told.append(
            f"{balance_words(balance)}: mean AUC {one.overall.auc_mean:.3f}{apart}, {GAME_LOSS} {one.overall.pl_mean:.2f}"
        )
    blind = sorted({f"{one.pl_baseline:.2f}" for _, one in own})
    return (
        f"In groups of {size:,}, over {min(one.auc.size for _, one in own)} targets{who_are_seen(results)}, {'; '.join(told)} "
        f"(a blind guess: 0.5 and {' to '.join(blind[:: len(blind) - 1 or 1])})."
    )


def regularity_finding(as_they_are: Floats, shuffled: Floats, *, group_size: int) -> str:
    """Return what is lost to an attacker if hours tell nothing: AUC of the same targets (n,), with hours and without.

    The difference is told from none by twice its standard error over the targets.
    """
    apart = as_they_are - shuffled
    error = float(np.std(apart, ddof=1) / np.sqrt(apart.size)) if apart.size > 1 else float("inf")
    means = f"mean AUC {as_they_are.mean():.3f} as they are, {shuffled.mean():.3f} with every hour shuffled"
    start = f"In groups of {group_size:,}, against an attacker who has seen other groups in earlier weeks: {means}"
    if not abs(float(apart.mean())) > max(2 * error, 0.005):
        return f"{start}. **In counts of groups it is not the hours**: which places someone comes back to gives them away, not when."
    if apart.mean() < 0:
        return f"{start}. Regular hours do not help this attacker."
    return f"{start}. **Regular hours give people away**: without them the attack is weaker."


def account(results: Sequence[GameResult]) -> str:
    """Return what the figures rest on, and what is left to play."""
    parameters = results[0].parameters
    left = sum(result.n_left for result in results)
    so_far = f" So far: {left} games are still to be played, intervals shrink with them." if left else ""
    beyond = f" {BEYOND}" if arms_beyond_prior(parameters) else ""
    changed, seen = control_sentence(parameters.controls, measure="AUC"), not_seen(results)
    return (
        f"{changed and f'{changed} '}Groups of equal size with and without the target, {_shares(results)}; {_TESTED_ON[parameters.prior]}. "
        f"{seen and f'{seen} '}Known to the attacker: {PRIOR_NAMES[parameters.prior]} (prior {parameters.prior}); period "
        f"{parameters.period}, seed {parameters.seed}.{beyond}{so_far} After {_SOURCES.get(parameters.prior, _SOURCES['subset'])}."
    )


def settings_words(parameters: GameParameters) -> str:
    """Return how the classifiers are set, for experts."""
    settings = ", ".join(
        f"{name.replace('_', ' ')} {value:g}" for name, value in asdict(parameters.settings).items()
    )
    return f"The paper's settings of its classifiers were not at hand; these are recalled: {settings}."


def _shares(results: Sequence[GameResult]) -> str:
    """Return which shares of the groups hold the target, of all games."""
    balances = list(dict.fromkeys(one.parameters.balance for one in results))
    if balances == [HALF]:
        return "half and half"
    said = " or ".join("half and half" if one == HALF else balance_words(one) for one in balances)
    return (
        f"{said} (± of a difference: 95%, over the same targets; how rare the target is among the groups under attack changes neither "
        "AUC nor PL but by chance, and does change how many of the groups said to hold the target do: see ROC)"
    )


def at_risk(result: GameResult, summary: Summary) -> str:
    """Return which kind of person is recognised best."""
    known = {name: value for name, value in summary.correlations.items() if np.isfinite(value)}
    if not known:
        return "Too few targets so far to say who is at risk."
    name, value = max(known.items(), key=lambda pair: abs(pair[1]))
    chance, n_targets = summary.chances[name], summary.auc.size
    if not chance <= _SIGNIFICANT:
        return (
            f"So few targets ({n_targets}) do not tell who is at risk: the largest rank correlation in groups of "
            f"{result.parameters.group_size:,} ({_signed(value, 2)}, with {_FACTORS[name]}) may well be chance (p = {chance:.2g}, all factors "
            "counted)."
        )
    more = "more" if value > 0 else "less"
    strength = "clearly" if abs(value) >= 0.5 else "somewhat" if abs(value) >= 0.25 else "hardly"
    return (
        f"In groups of {result.parameters.group_size:,}, who is recognised depends {strength} on {_FACTORS[name]}: the "
        f"more, the {more} (rank correlation {_signed(value, 2)} over {n_targets} targets; by chance in at most {chance:.1%} of random orders, all "
        "factors counted)."
    )


GAME_LOSS = "privacy loss of the game (PL)"
PL_MEANS = {
    f"mean {GAME_LOSS}": "(AUC − ½)/½, and 0 where the AUC is below ½: 0 is a blind guess, 1 always right. It is measured in the game, and is no ε."
}
FACTORS = {
    "volume": "reports",
    "regularity": "overlap of weeks",
    "particularity": "aloneness (1: nobody else)",
}


def factor_rows(summary: Summary) -> list[dict[str, str]]:
    """Return how each factor of the targets goes with how well they are recognised."""
    return [
        {"what": title, "rank correlation with AUC": _signed(summary.correlations[factor], 3)}
        for factor, title in FACTORS.items()
    ]


def _signed(correlation: float, digits: int) -> str:
    return "–" if np.isnan(correlation) else f"{correlation:+z.{digits}f}".replace("-", "−")


def marginals_words(game: GameParameters) -> str:
    """Return of which release what is estimated is shown."""
    return (
        f"How visits are spread, taken from one release of {game.group_size:,} people, beside the truth of all users. Of the release that "
        "the attacker of the first target has seen."
    )


def defended_words(example: Example, game: GameParameters, epsilon: float | None, *, after: bool) -> str:
    """Return which aggregate is shown, before or after the game's defence."""
    at = "" if epsilon is None else f", ε = {epsilon:g}"
    return (
        f"The group of target {example.turn + 1}, {MOBILITY[example.mobility]}, {game.group_size:,} people: "
        f"{f'after {defence_name(game.defence)}{at}' if after else 'as counted'}."
    )


def aggregate_finding(example: Example, group_size: int) -> str:
    """Return what one aggregate holds, and how much of it is the target's."""
    return (
        f"A group of {group_size:,} with the target in it: {int(example.counts.sum()):,} reports, "
        f"{int(example.visited.sum())} of them the target's, {MOBILITY[example.mobility]}."
    )
