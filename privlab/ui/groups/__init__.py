"""The groups page: the game, its views, its defences.

Uses shell, work.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.ui.groups import (
        defence_view,
        groups_page,
        groups_views,
    )
    from privlab.ui.groups.game_play import (
        watched_games,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "defence_view",
    "groups_page",
    "groups_views",
    "watched_games",
]
