"""One promise, or wishes -> the combination of noise, bound and threshold that leaves most of the flows.

Uses weighing, planning, releases and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.combining.combinations import (
        USELESS,
        Combination,
        CombinationRequest,
        best_combination,
        combinations_from_weighed_week,
        combinations_of_least_epsilon,
    )
    from privlab.od.combining.planned_points import (
        NO_PUBLIC_ZONES,
        planned_points_from_unique_trips,
        reason_against_gaussian_plan,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "NO_PUBLIC_ZONES",
    "USELESS",
    "Combination",
    "CombinationRequest",
    "best_combination",
    "combinations_from_weighed_week",
    "combinations_of_least_epsilon",
    "planned_points_from_unique_trips",
    "reason_against_gaussian_plan",
]
