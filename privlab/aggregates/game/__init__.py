"""The game: can an attacker tell from published aggregates whether someone is in them?

Uses game_rules, defences, findings and traces.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.aggregates.game.bound_checks import BoundCheck
    from privlab.aggregates.game.estimates import Estimate
    from privlab.aggregates.game.example import (
        Example,
        defences_from_traces,
        example_from_traces,
        marginals_from_traces,
    )
    from privlab.aggregates.game.features import arms_beyond_prior
    from privlab.aggregates.game.one_target import GAME_VERSION, Game
    from privlab.aggregates.game.play import PreparedGame, load_game
else:
    __getattr__ = door(__name__)

__all__ = [
    "GAME_VERSION",
    "BoundCheck",
    "Estimate",
    "Example",
    "Game",
    "PreparedGame",
    "arms_beyond_prior",
    "defences_from_traces",
    "example_from_traces",
    "load_game",
    "marginals_from_traces",
]
