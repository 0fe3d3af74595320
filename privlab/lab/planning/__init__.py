"""Trips and what a steward accepts -> plans that can be published, and why.

Uses loading, od and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.lab.planning.plan import (
        NO_GAUSSIAN_ON_CLUSTER,
        advice_from_plan_points,
        bounds_of_year,
        busiest_week,
        most_useful_point,
        noises_of_year,
        plan_points_from_trips,
        reason_against_plan,
        use_of_year,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "NO_GAUSSIAN_ON_CLUSTER",
    "advice_from_plan_points",
    "bounds_of_year",
    "busiest_week",
    "most_useful_point",
    "noises_of_year",
    "plan_points_from_trips",
    "reason_against_plan",
    "use_of_year",
]
