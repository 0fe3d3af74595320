"""Flow B: records -> traces -> groups -> aggregates, and who is at risk in them.

Rooms: defences (what is published instead of true counts), game (membership inference against it).
Uses datasets, dp and controls.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.aggregates.changed_traces import (
        traces_of_game,
    )
    from privlab.aggregates.presences import weekly_visits_from_dataset
    from privlab.aggregates.traces import (
        Traces,
        traces_from_dataset,
        visits_by_hour_from_traces,
    )
    from privlab.aggregates.visit_series import VisitSeries, visit_series_from_rows
else:
    __getattr__ = door(__name__)

__all__ = [
    "Traces",
    "VisitSeries",
    "traces_from_dataset",
    "traces_of_game",
    "visit_series_from_rows",
    "visits_by_hour_from_traces",
    "weekly_visits_from_dataset",
]
