"""Defences and thresholds of flow B → sentences and rows: gain over ε beside the paper's, verdicts in plain words."""

from collections.abc import Sequence

from privlab.aggregates.findings import GameResult, PublishedShape, TradeoffPoint, Verdicts
from privlab.figures.groups.defence_words import ENOUGH_TARGETS, defence_name
from privlab.figures.groups.groups_words import game_name
from privlab.figures.groups.unseen_words import nobody_seen, seen_of
from privlab.figures.wording.words import capital

_STATEMENTS = {
    "passive protects": (
        "An attacker who does not know the noise is stopped by every mechanism at ε ≤ 1",
        "least gain {:z.2f} (0.5 or more counts as stopped)",
    ),
    "strategic falls": (
        "Against one who learns from noisy counts the gain falls fast with ε, whatever the mechanism",
        "the mechanism that falls least falls by {:z.2f} (more than 0.1 counts as falling)",
    ),
    "event least": (
        "Laplace for one report, LPA(1/ε), protects least",
        "it gains {:z.2f} less than the next, on average over ε",
    ),
    "fourier error": (
        "FPA and EFPAG err less than Laplace and Gaussian noise",
        "at worst {:z.2f} times their error",
    ),
    "fourier privacy": (
        "FPA and EFPAG protect less for it",
        "at most {:+z.2f} of gain beside them, on average over ε (less than −0.05 counts as less)",
    ),
}
_ANSWERS = {True: "yes", False: "no", None: "not played"}
_TOO_FEW = "too few targets"


def published_rows(shapes: Sequence[PublishedShape]) -> list[dict[str, str]]:
    """Return each statement of the paper beside what was measured here, and whether both agree, where enough targets tell."""
    rows = []
    for one in shapes:
        statement, seen = _STATEMENTS[one.name]
        is_told = one.holds is None or one.n_targets >= ENOUGH_TARGETS
        rows.append(
            {
                "what the paper says": statement,
                "as in the paper": _ANSWERS[one.holds] if is_told else _TOO_FEW,
                "here": "–" if one.holds is None else seen.format(one.measured).replace("-", "−"),
            }
        )
    return rows


def trade_off_finding(points: Sequence[TradeoffPoint]) -> str:
    """Return what the attack reaches without a defence, and which defence protects least against one who knows it."""
    if not any(one.is_anyone_seen for one in points):
        none = nobody_seen(max(one.n_targets for one in points))
        return f"{capital(none)}, with a defence or without. These games say nothing of what a defence is good for."
    strategic = [one for one in points if one.setting.adversary == "strategic"] or points
    worst = min(strategic, key=lambda one: one.pg_mean)
    at = "" if worst.setting.epsilon is None else f" at ε = {worst.setting.epsilon:g}"
    return (
        f"Without a defence the attack reaches AUC {worst.auc_raw:.2f}, the mean of {worst.n_targets} targets"
        f"{seen_of(worst.n_unseen)} (a coin: 0.5). Least protection against an attacker who learns "
        f"the noise: {defence_name(worst.defence)}{at}, AUC {worst.auc:.2f}."
    )


def verdict_row(result: GameResult, verdicts: Verdicts) -> dict[str, str]:
    """Return how many groups of a game are judged rightly and wrongly at one threshold."""
    one = verdicts
    return {
        "game": game_name(result.parameters),
        "judged rightly": f"{one.right_share:.1%}",
        "95% interval": f"{one.right_low:.1%} – {one.right_high:.1%}",
        "with the target: found": f"{one.found:,}",
        "with the target: missed": f"{one.missed:,}",
        "without: accused": f"{one.accused:,}",
        "without: cleared": f"{one.cleared:,}",
    }


def verdict_finding(results: Sequence[GameResult], verdicts: Sequence[Verdicts]) -> str:
    """Return in one sentence what a threshold means in groups judged, of the first game."""
    one = verdicts[0]
    accused = ""
    if one.found + one.missed != one.accused + one.cleared:
        accused = f" Of {one.found + one.accused:,} groups said to hold the target, {one.found:,} do."
    return (
        f"Whoever says “in” as long as at most {one.most_false:.0%} of a target's groups without the target are accused, judges "
        f"{one.right_share:.0%} of the {one.n_groups:,} test {game_name(results[0].parameters)} rightly ({_blind(one)}): "
        f"{one.found:,} of {one.found + one.missed:,} groups with the target are found, {one.accused:,} of "
        f"{one.accused + one.cleared:,} without are accused.{accused}"
    )


def _blind(one: Verdicts) -> str:
    """Return how often a blind guess is right: by a coin, or by always saying what most groups are."""
    inside, outside = one.found + one.missed, one.accused + one.cleared
    if inside == outside:
        return "a coin: 50%"
    always = "in" if inside > outside else "not in"
    return f"whoever always says “{always}”: {max(inside, outside) / one.n_groups:.0%}"
