"""Outcomes of a game -> its figures: AUC with intervals, verdicts, what defences cost, published shapes.

Uses game_rules and who is at risk.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.aggregates.findings.outcomes import Setting, TargetOutcome, target_outcome_from_dict
    from privlab.aggregates.findings.published_shapes import PublishedShape, published_shapes_from_points
    from privlab.aggregates.findings.summaries import (
        FALSE_RATES,
        LEVELS,
        GameResult,
        Summary,
        paired_difference,
        seen_from_result,
        summaries_from_result,
    )
    from privlab.aggregates.findings.tradeoff import TradeoffPoint, tradeoff_from_result
    from privlab.aggregates.findings.verdicts import Verdicts, verdicts_from_outcomes
else:
    __getattr__ = door(__name__)

__all__ = [
    "FALSE_RATES",
    "LEVELS",
    "GameResult",
    "PublishedShape",
    "Setting",
    "Summary",
    "TargetOutcome",
    "TradeoffPoint",
    "Verdicts",
    "paired_difference",
    "published_shapes_from_points",
    "seen_from_result",
    "summaries_from_result",
    "target_outcome_from_dict",
    "tradeoff_from_result",
    "verdicts_from_outcomes",
]
