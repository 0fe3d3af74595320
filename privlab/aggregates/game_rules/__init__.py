"""What a game is: its parameters, what an attacker knows, which people and groups it is played with.

Uses traces and controls.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.aggregates.game_rules.balance import (
        HALF,
        balance_from_spec,
    )
    from privlab.aggregates.game_rules.changed_traces import (
        traces_of_game,
    )
    from privlab.aggregates.game_rules.game_plan import (
        Plan,
        plan_from_parameters,
    )
    from privlab.aggregates.game_rules.groups import (
        TooFewGroups,
        first_split_from_traces,
    )
    from privlab.aggregates.game_rules.known_traces import (
        known_from_spec,
    )
    from privlab.aggregates.game_rules.parameters import (
        ADVERSARIES,
        ARMS,
        CLASSIFIERS,
        PRIORS,
        ClassifierSettings,
        GameParameters,
        game_parameters_from_dict,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "ADVERSARIES",
    "ARMS",
    "CLASSIFIERS",
    "HALF",
    "PRIORS",
    "ClassifierSettings",
    "GameParameters",
    "Plan",
    "TooFewGroups",
    "balance_from_spec",
    "first_split_from_traces",
    "game_parameters_from_dict",
    "known_from_spec",
    "plan_from_parameters",
    "traces_of_game",
]
