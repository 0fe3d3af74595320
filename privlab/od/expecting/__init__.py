"""The plan of a release -> what it is expected to hold, before any noise is drawn.

Uses releases, simulating, usefulness and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.expecting.outlook import (
        ReleaseOutlook,
        largest_flow_if_nothing_is_published,
        largest_if_nothing_is_published,
        release_outlook_from_settled_counts,
        release_outlook_from_trips,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "ReleaseOutlook",
    "largest_flow_if_nothing_is_published",
    "largest_if_nothing_is_published",
    "release_outlook_from_settled_counts",
    "release_outlook_from_trips",
]
