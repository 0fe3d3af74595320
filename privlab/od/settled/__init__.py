"""Data read in a settled form -> the trips or visits that a secure release may count.

Uses trips.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.settled.counted_people import unique_trips_from_settled_trips
    from privlab.od.settled.settled_counts import SettledCounts, settled_counts_from_dataset
    from privlab.od.settled.settled_trips import (
        CountedCells,
        SettledCells,
        counted_trips_from_dataset,
        reason_against_promise,
        require_settled,
        settled_cells_from_counted,
        settled_trips_from_dataset,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "CountedCells",
    "SettledCells",
    "SettledCounts",
    "counted_trips_from_dataset",
    "reason_against_promise",
    "require_settled",
    "settled_cells_from_counted",
    "settled_counts_from_dataset",
    "settled_trips_from_dataset",
    "unique_trips_from_settled_trips",
]
