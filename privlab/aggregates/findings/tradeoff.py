"""What defences cost and what they are good for: privacy gain against relative error, over ε. True data."""

from dataclasses import dataclass

from privlab.aggregates.findings.outcomes import Setting
from privlab.aggregates.findings.summaries import GameResult, summaries_from_result


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeoffPoint:
    """One mechanism at one ε against one adversary, means over `n_targets` people; `n_unseen` more were left out of the result.

    `is_anyone_seen` says whether the released period sees any of them: else there is nobody to be found, with a defence or without.

    `auc_raw` is of the same attack on true counts; `auc_low` to `auc_high` is the 95% interval of `auc`. `pg_mean` is
    the privacy gain with AUC' below ½ taken for ½, from `pg_low` to `pg_high`, `pg_literal` as printed (0 there);
    `mre` the mean relative error of the counts.
    """

    defence: str
    setting: Setting
    n_targets: int
    auc_raw: float
    auc: float
    auc_low: float
    auc_high: float
    pg_mean: float
    pg_low: float
    pg_high: float
    pg_literal: float
    mre: float
    n_unseen: int = 0
    is_anyone_seen: bool = True


def tradeoff_from_result(result: GameResult) -> list[TradeoffPoint]:
    """Return the points of one defence from a game that was played with it, complete or not."""
    summaries = summaries_from_result(result)
    raw = {
        (one.setting.arm, one.setting.classifier): one.overall.auc_mean
        for one in summaries
        if one.setting.adversary is None
    }
    points = []
    for one in summaries:
        if one.pg_mean is None or one.pg_interval is None or one.pg_literal is None or one.mre is None:
            continue
        points.append(
            TradeoffPoint(
                defence=result.parameters.defence,
                setting=one.setting,
                n_targets=one.overall.n_targets,
                auc_raw=raw[one.setting.arm, one.setting.classifier],
                auc=one.overall.auc_mean,
                auc_low=one.overall.auc_low,
                auc_high=one.overall.auc_high,
                pg_mean=one.pg_mean,
                pg_low=one.pg_interval[0],
                pg_high=one.pg_interval[1],
                pg_literal=one.pg_literal,
                mre=one.mre,
                n_unseen=result.n_unseen,
                is_anyone_seen=any(one.is_seen for one in result.outcomes),
            )
        )
    return points
