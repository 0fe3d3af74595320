"""Outcomes of the game and trails put together from counts -> figures and sentences.

Uses drawing, aggregates and controls.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.figures.groups import (
        defence_words,
        groups,
        groups_compared,
        groups_words,
        recovery_words,
        unseen_words,
        verdict_words,
    )
    from privlab.figures.groups.recovery import (
        compared_recoveries_figure,
        recovered_trail_figure,
        recovery_figure,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "compared_recoveries_figure",
    "defence_words",
    "groups",
    "groups_compared",
    "groups_words",
    "recovered_trail_figure",
    "recovery_figure",
    "recovery_words",
    "unseen_words",
    "verdict_words",
]
