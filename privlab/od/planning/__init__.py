"""What a steward accepts -> every release that could be made, and the best; what a bound leaves out.

Uses trips, expecting and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.planning.clipping import (
        Clipping,
        FlowBias,
        clipping_from_unique_trips_per_user,
        flow_bias_from_unique_trips,
    )
    from privlab.od.planning.expected_utility import bounded_cells_from_trip_tables
    from privlab.od.planning.mechanism_names import MECHANISM_NAMES
    from privlab.od.planning.planner import (
        NO_BOUND_WITHOUT_USERS,
        Advice,
        advice_from_points,
        certainty_sentence,
        frontier_from_points,
        points_from_bounded_cells,
        too_certain,
    )
    from privlab.od.planning.wishes_and_points import (
        ANY_NOISE,
        PLANNED_NOISES,
        USUAL_WISHES,
        PlanPoint,
        PlanRequest,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "ANY_NOISE",
    "MECHANISM_NAMES",
    "NO_BOUND_WITHOUT_USERS",
    "PLANNED_NOISES",
    "USUAL_WISHES",
    "Advice",
    "Clipping",
    "FlowBias",
    "PlanPoint",
    "PlanRequest",
    "advice_from_points",
    "bounded_cells_from_trip_tables",
    "certainty_sentence",
    "clipping_from_unique_trips_per_user",
    "flow_bias_from_unique_trips",
    "frontier_from_points",
    "points_from_bounded_cells",
    "too_certain",
]
