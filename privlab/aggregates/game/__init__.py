"""Groups with and without a target -> how well an adversary tells them apart, and at which price.

Uses traces, groups, defences.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.aggregates.game.balance import (
        HALF,
        balance_from_spec,
    )
    from privlab.aggregates.game.bound_checks import (
        BoundCheck,
    )
    from privlab.aggregates.game.classifiers import (
        CLASSIFIERS,
        ClassifierSettings,
        load_classifiers,
    )
    from privlab.aggregates.game.estimates import (
        Estimate,
    )
    from privlab.aggregates.game.example import (
        Example,
        defences_from_traces,
        example_from_traces,
        marginals_from_traces,
    )
    from privlab.aggregates.game.features import (
        arms_beyond_prior,
    )
    from privlab.aggregates.game.known import (
        known_from_spec,
    )
    from privlab.aggregates.game.one_target import (
        GAME_VERSION,
        Game,
    )
    from privlab.aggregates.game.outcomes import (
        Setting,
        TargetOutcome,
        target_outcome_from_dict,
    )
    from privlab.aggregates.game.parameters import (
        ADVERSARIES,
        ARMS,
        PRIORS,
        GameParameters,
        game_parameters_from_dict,
    )
    from privlab.aggregates.game.periods import (
        period_from_spec,
    )
    from privlab.aggregates.game.play import (
        PreparedGame,
    )
    from privlab.aggregates.game.published_shapes import (
        PublishedShape,
        published_shapes_from_points,
    )
    from privlab.aggregates.game.schedule import (
        Plan,
        plan_from_parameters,
    )
    from privlab.aggregates.game.summaries import (
        FALSE_RATES,
        LEVELS,
        GameResult,
        Summary,
        paired_difference,
        summaries_from_result,
    )
    from privlab.aggregates.game.tradeoff import (
        TradeoffPoint,
        tradeoff_from_result,
    )
    from privlab.aggregates.game.verdicts import (
        Verdicts,
        verdicts_from_outcomes,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "ADVERSARIES",
    "ARMS",
    "CLASSIFIERS",
    "FALSE_RATES",
    "GAME_VERSION",
    "HALF",
    "LEVELS",
    "PRIORS",
    "BoundCheck",
    "ClassifierSettings",
    "Estimate",
    "Example",
    "Game",
    "GameParameters",
    "GameResult",
    "Plan",
    "PreparedGame",
    "PublishedShape",
    "Setting",
    "Summary",
    "TargetOutcome",
    "TradeoffPoint",
    "Verdicts",
    "arms_beyond_prior",
    "balance_from_spec",
    "defences_from_traces",
    "example_from_traces",
    "game_parameters_from_dict",
    "known_from_spec",
    "load_classifiers",
    "marginals_from_traces",
    "paired_difference",
    "period_from_spec",
    "plan_from_parameters",
    "published_shapes_from_points",
    "summaries_from_result",
    "target_outcome_from_dict",
    "tradeoff_from_result",
    "verdicts_from_outcomes",
]
