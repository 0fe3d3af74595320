"""OD matrix -> simulated release, drawn with a seed: for one week with all that is said of it, or week by week.

Uses trips, usefulness and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.simulating.product_simulation import ProductSimulation, product_simulation_from_cells
    from privlab.od.simulating.simulated_release import ReleaseParameters, SimulatedRelease
    from privlab.od.simulating.simulated_review import ReleaseReview, release_review_from_prepared_trips
    from privlab.od.simulating.weekly_simulation import (
        ODSimulation,
        od_simulation_from_flow_counts,
        od_simulation_from_trip_tables,
        trip_counts_from_trip_tables,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "ODSimulation",
    "ProductSimulation",
    "ReleaseParameters",
    "ReleaseReview",
    "SimulatedRelease",
    "od_simulation_from_flow_counts",
    "od_simulation_from_trip_tables",
    "product_simulation_from_cells",
    "release_review_from_prepared_trips",
    "trip_counts_from_trip_tables",
]
