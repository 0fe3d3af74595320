"""What games came to → rows of the command `game`: per adversary, of the targets seen, per target."""

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from privlab.aggregates.game_rules import HALF, GameParameters

if TYPE_CHECKING:
    from privlab.aggregates.findings import GameResult, Setting, Summary, TargetOutcome, TradeoffPoint
    from privlab.lab.attacking import PlayedGame

_OF_ALL = (  # parts of a row that do not hang on whom it is of
    "prior",
    "known",
    "balance",
    "group_size",
    "arm",
    "classifier",
    "defence",
    "epsilon",
    "adversary",
    "beyond_prior",
    "period",
)


def result_rows(played: "list[PlayedGame]", shares: list[float]) -> list[dict[str, Any]]:
    """Return one row of results per game and adversary."""
    from privlab.aggregates.findings import summaries_from_result

    rows = [
        _row(one, summary) | _judged(one.result, at, shares)
        for one in played
        for at, summary in enumerate(summaries_from_result(one.result))
    ]
    _tell_beside_balanced(rows, played)
    return rows


def tell_of_those_seen(rows: list[dict[str, Any]], played: "list[PlayedGame]", shares: list[float]) -> None:
    """Add to each row how many of its targets the released period does not see, and where it is some, what is reached of the others.

    A row as the page shows it: its figures are of the targets seen. None where nobody is seen.
    """
    from privlab.figures.groups import unseen_words
    from privlab.lab.attacking import seen_of_played

    seen = [seen_of_played(one) for one in played]
    of_rows = [one for one in seen for _ in one.result.outcomes[0].scores]
    for row, own, one in zip(rows, result_rows(seen, shares), of_rows, strict=True):
        unseen = unseen_words.n_unseen(one.result)
        row["targets_unseen"] = unseen
        if unseen:
            is_any = unseen < unseen_words.n_played(one.result)
            row["seen"] = {name: own[name] for name in own if name not in _OF_ALL} if is_any else None


def target_rows(played: "PlayedGame") -> list[dict[str, Any]]:
    """Return one row per target and adversary."""
    result = played.result
    bounds = {(one.user, one.setting): one.bound.auc for one in played.checks}
    return [
        {
            **_key(result.parameters, score.setting),
            "balance": result.parameters.balance,
            "target": str(outcome.user),
            "mobility": outcome.mobility,
            **asdict(outcome.factors),
            "auc": score.auc,
            "auc_low": score.interval[0],
            "auc_high": score.interval[1],
            "pl": score.privacy_loss,
            "tpr_at_fpr_0.01": score.true_positives(0.01),
            "tpr_at_fpr_0.1": score.true_positives(0.1),
            "mre": dict(outcome.errors).get(score.setting.epsilon),
            "auc_bound": bounds.get((outcome.user, score.setting)),
            **_estimated(outcome, score.setting),
        }
        for outcome in result.outcomes
        for score in outcome.scores
    ]


def published_beside(played: "list[PlayedGame]", name: str) -> dict[str, Any]:
    """Return the paper's statements on its defences beside what was measured, by prior, size, arm and classifier, under a name."""
    from privlab.aggregates.findings import published_shapes_from_points, tradeoff_from_result

    points: dict[tuple[str, int, str, str], list[TradeoffPoint]] = {}
    for one in played:
        parameters = one.result.parameters
        for point in tradeoff_from_result(one.result) if parameters.epsilons else []:
            key = (parameters.prior, parameters.group_size, point.setting.arm, point.setting.classifier)
            points.setdefault(key, []).append(point)
    found = [
        dict(zip(("prior", "group_size", "arm", "classifier"), key, strict=True))
        | {
            one.name: {"measured": one.measured, "holds": one.holds}
            for one in published_shapes_from_points(own)
        }
        for key, own in points.items()
    ]
    return {name: found} if found else {}


def known_share(parameters: GameParameters) -> dict[str, Any]:
    """Return the share of the target's trace that is known, where the prior leaves it open."""
    return {"known": parameters.known} if parameters.prior == "zero-knowledge" else {}


def balance_share(parameters: GameParameters) -> dict[str, Any]:
    """Return the share of groups with the target, where it is not one half."""
    return {} if parameters.balance == HALF else {"balance": parameters.balance}


def _key(parameters: GameParameters, setting: Any) -> dict[str, Any]:
    return {
        "prior": parameters.prior,
        **known_share(parameters),
        **balance_share(parameters),
        "group_size": parameters.group_size,
        "arm": setting.arm,
        "classifier": setting.classifier,
        "defence": "none" if setting.adversary is None else parameters.defence,
        "epsilon": setting.epsilon,
        "adversary": setting.adversary,
    }


def _told(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    """Return an interval; none of no width: where all targets gain alike, they say nothing of how much others may.

    >>> _told((0.64, 1.0)), _told((1.0, 1.0))
    ((0.64, 1.0), None)
    """
    return None if interval is not None and interval[0] == interval[1] else interval


def _row(played: "PlayedGame", summary: "Summary") -> dict[str, Any]:
    """Return one row of results: an adversary, what it reached over all targets, and what it could at best."""
    from privlab.aggregates.findings import LEVELS
    from privlab.aggregates.game import arms_beyond_prior

    parameters, overall = played.result.parameters, summary.overall
    bound, proven = played.mean_bound(summary.setting) or (None, None)
    return {
        **_key(parameters, summary.setting),
        "targets": overall.n_targets,
        "auc_mean": overall.auc_mean,
        "auc_low": overall.auc_low,
        "auc_high": overall.auc_high,
        "auc_quantiles": {
            f"{level:g}": value for level, value in zip(LEVELS, overall.auc_quantiles, strict=True)
        },
        "pl_mean": overall.pl_mean,
        "pl_baseline": summary.pl_baseline,
        "pg_mean": summary.pg_mean,
        "pg_interval": _told(summary.pg_interval),
        "pg_literal": summary.pg_literal,
        "mre": summary.mre,
        "auc_bound": bound,
        "bound_proven": proven,
        "tpr_at_fpr_0.01": overall.tpr_1,
        "tpr_at_fpr_0.1": overall.tpr_10,
        "auc_by_mobility": {name: part.auc_mean for name, part in summary.mobility.items()},
        "correlations": summary.correlations,
        "beyond_prior": summary.setting.arm in arms_beyond_prior(parameters),
        "period": parameters.period,
        **({} if summary.estimate is None else {"estimate": asdict(summary.estimate)}),
    }


def _judged(result: "GameResult", at: int, shares: list[float]) -> dict[str, Any]:
    """Return how many groups are judged right and wrong at each share of false alarms, where any is asked for."""
    from privlab.aggregates.findings import verdicts_from_outcomes

    if not shares:
        return {}
    found = [verdicts_from_outcomes(result.outcomes, at, most_false=one) for one in shares]
    return {"verdicts": [asdict(one) | {"right_share": one.right_share} for one in found]}


def _tell_beside_balanced(rows: list[dict[str, Any]], played: "list[PlayedGame]") -> None:
    """Add to each row of other shares of groups with the target how its AUC differs from that of half and half, where that was played."""
    from privlab.aggregates.findings import paired_difference, summaries_from_result

    games = [
        (one.result.parameters, summary) for one in played for summary in summaries_from_result(one.result)
    ]
    even = {(replace(game, balance=HALF), one.setting): one for game, one in games if game.balance == HALF}
    for row, (game, one) in zip(rows, games, strict=True):
        if game.balance == HALF:
            continue
        base = even.get((replace(game, balance=HALF), one.setting))
        if base is not None:
            apart, reach = paired_difference(one.auc, base.auc)
            row["auc_less_even"], row["auc_less_even_half_width"] = apart, reach


def _estimated(outcome: "TargetOutcome", setting: "Setting") -> dict[str, Any]:
    """Return what the attacker of zero knowledge took from its one release, beside the truth."""
    found = outcome.estimate(setting)
    return (
        {}
        if found is None
        else {name: value for name, value in asdict(found).items() if name not in ("epsilon", "adversary")}
    )
