"""Flow B: records -> traces -> groups -> aggregates, and who is at risk in them.

Rooms: defences (what is published instead of true counts), game (membership inference against it).
Uses datasets and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.aggregates.presences import weekly_visits_from_dataset
    from privlab.aggregates.traces import (
        Traces,
        traces_from_dataset,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "Traces",
    "traces_from_dataset",
    "weekly_visits_from_dataset",
]
