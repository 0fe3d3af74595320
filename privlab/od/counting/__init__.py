"""Records -> trips -> unique trips -> OD matrices, by queries and as arrays.

Uses datasets.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.counting.counted_people import unique_trips_from_settled_trips
    from privlab.od.counting.flow_counts import (
        UNDATED,
        FlowCounts,
        flow_counts_from_dataset,
        require_no_choice_of_users,
    )
    from privlab.od.counting.matrix import (
        ODMatrix,
        UniqueTrips,
        person_flows_from_unique_trips,
        unique_trips_per_user,
    )
    from privlab.od.counting.products import (
        FLOWS,
        HOURS_OF_WEEK,
        PRODUCTS,
        SLOTS,
        VISITS,
        Product,
        product_of,
    )
    from privlab.od.counting.settled_counts import SettledCounts, settled_counts_from_dataset
    from privlab.od.counting.settled_trips import (
        SettledCells,
        reason_against_promise,
        require_settled,
        settled_trips_from_dataset,
    )
    from privlab.od.counting.tables_counted import (
        Asked,
        busiest_week_of_tables,
        people_by_week,
    )
    from privlab.od.counting.trip_tables import (
        PreparedTrips,
        TripTables,
        funnel_rows,
        od_matrix_from_prepared_trips,
        prepared_trips_from_dataset,
        trip_tables_from_dataset,
        unique_trips_from_trip_tables,
        why_no_trips,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "FLOWS",
    "HOURS_OF_WEEK",
    "PRODUCTS",
    "SLOTS",
    "UNDATED",
    "VISITS",
    "Asked",
    "FlowCounts",
    "ODMatrix",
    "PreparedTrips",
    "Product",
    "SettledCells",
    "SettledCounts",
    "TripTables",
    "UniqueTrips",
    "busiest_week_of_tables",
    "flow_counts_from_dataset",
    "funnel_rows",
    "od_matrix_from_prepared_trips",
    "people_by_week",
    "person_flows_from_unique_trips",
    "prepared_trips_from_dataset",
    "product_of",
    "reason_against_promise",
    "require_no_choice_of_users",
    "require_settled",
    "settled_counts_from_dataset",
    "settled_trips_from_dataset",
    "trip_tables_from_dataset",
    "unique_trips_from_settled_trips",
    "unique_trips_from_trip_tables",
    "unique_trips_per_user",
    "why_no_trips",
]
