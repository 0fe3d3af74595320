"""Flow B: records -> traces -> groups -> aggregates, and who is at risk in them.

Rooms: game_rules (what a game is), defences (what is published instead of true counts), game (membership inference against it),
findings (what came out of it), recovery (trails put together from counts). Uses datasets, dp and controls.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.aggregates.periods import period_from_spec
    from privlab.aggregates.presences import weekly_visits_from_dataset
    from privlab.aggregates.traces import Traces, traces_from_dataset, visits_by_hour_from_traces
    from privlab.aggregates.visit_series import VisitSeries, visit_series_from_rows
else:
    __getattr__ = door(__name__)

__all__ = [
    "Traces",
    "VisitSeries",
    "period_from_spec",
    "traces_from_dataset",
    "visit_series_from_rows",
    "visits_by_hour_from_traces",
    "weekly_visits_from_dataset",
]
