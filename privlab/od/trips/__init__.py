"""Records -> hours -> trips -> unique trips in stored tables, and what a file without users counts.

Uses datasets.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.trips.flow_counts import (
        UNDATED,
        FlowCounts,
        flow_counts_from_dataset,
        require_no_choice_of_users,
    )
    from privlab.od.trips.prepared_trips import (
        PreparedTrips,
        od_matrix_from_prepared_trips,
        prepared_trips_from_dataset,
        unlisted_trips,
        unlisted_words,
    )
    from privlab.od.trips.tables_counted import Asked, busiest_week_of_tables, people_by_week
    from privlab.od.trips.trip_tables import (
        TripTables,
        funnel_rows,
        trip_tables_from_dataset,
        unique_trips_from_trip_tables,
        users_outside_words,
        why_no_trips,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "UNDATED",
    "Asked",
    "FlowCounts",
    "PreparedTrips",
    "TripTables",
    "busiest_week_of_tables",
    "flow_counts_from_dataset",
    "funnel_rows",
    "od_matrix_from_prepared_trips",
    "people_by_week",
    "prepared_trips_from_dataset",
    "require_no_choice_of_users",
    "trip_tables_from_dataset",
    "unique_trips_from_trip_tables",
    "unlisted_trips",
    "unlisted_words",
    "users_outside_words",
    "why_no_trips",
]
