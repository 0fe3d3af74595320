"""Written times -> timestamps on the clock of the place.

Uses engines.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.times.day_slots import slot_min_from_format
    from privlab.datasets.times.timestamps import (
        FIRST_TIME,
        LAST_TIME,
        UNIX_UNITS,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "FIRST_TIME",
    "LAST_TIME",
    "UNIX_UNITS",
    "slot_min_from_format",
]
