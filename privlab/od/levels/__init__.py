"""Districts and regions above zones: their noisy sums, counts that agree, and the weight of a trip in them.

Uses dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.levels.levels import (
        AgreedWeek,
        JoinedIds,
        Level,
        LevelSums,
        PublishedLevels,
        agreed_weeks,
        pairs_of_cells,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "AgreedWeek",
    "JoinedIds",
    "Level",
    "LevelSums",
    "PublishedLevels",
    "agreed_weeks",
    "pairs_of_cells",
]
