"""Flow A: records -> trips -> unique trips -> OD matrix -> release -> attack -> risk.

Rooms: counting, releases, risks, planning, comparing, in the order of the flow. Uses datasets and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.defaults import (
        MOST_PEOPLE,
        MOST_TRIPS,
        QUOTED_TRIPS,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "MOST_PEOPLE",
    "MOST_TRIPS",
    "QUOTED_TRIPS",
]
