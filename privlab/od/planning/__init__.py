"""What a steward accepts -> which release to make, with its cost and its use.

Uses counting, releases, risks and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.planning.analyses_of_counts import (
        Analysis,
        analyses_from_flow_comparison,
    )
    from privlab.od.planning.clipping import (
        Clipping,
        FlowBias,
        clipping_from_unique_trips_per_user,
        flow_bias_from_unique_trips,
    )
    from privlab.od.planning.expected_utility import bounded_cells_from_trip_tables
    from privlab.od.planning.mechanism_names import MECHANISM_NAMES
    from privlab.od.planning.plan_points import (
        ANY_NOISE,
        PLANNED_NOISES,
        PlanPoint,
        PlanRequest,
    )
    from privlab.od.planning.planner import (
        NO_BOUND_WITHOUT_USERS,
        Advice,
        advice_from_points,
        certainty_sentence,
        frontier_from_points,
        points_from_bounded_cells,
        too_certain,
    )
    from privlab.od.planning.published_use import (
        PublishedUse,
        flow_comparison_from_published_counts,
        published_use_from_flow_comparison,
        require_known_zones,
    )
    from privlab.od.planning.utility import (
        DistanceDecay,
        FlowComparison,
        Utility,
        great_circle_km,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "ANY_NOISE",
    "MECHANISM_NAMES",
    "NO_BOUND_WITHOUT_USERS",
    "PLANNED_NOISES",
    "Advice",
    "Analysis",
    "Clipping",
    "DistanceDecay",
    "FlowBias",
    "FlowComparison",
    "PlanPoint",
    "PlanRequest",
    "PublishedUse",
    "Utility",
    "advice_from_points",
    "analyses_from_flow_comparison",
    "bounded_cells_from_trip_tables",
    "certainty_sentence",
    "clipping_from_unique_trips_per_user",
    "flow_bias_from_unique_trips",
    "flow_comparison_from_published_counts",
    "frontier_from_points",
    "great_circle_km",
    "points_from_bounded_cells",
    "published_use_from_flow_comparison",
    "require_known_zones",
    "too_certain",
]
