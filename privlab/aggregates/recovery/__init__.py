"""Counts of people by zone and step -> whole trails put together from them, and how many of those are true.

Uses traces, defences, datasets.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.aggregates.recovery.compared import (
        OVER,
        RecoveryPoint,
        over_of_points,
        point_from_recovery,
        recoveries_over,
    )
    from privlab.aggregates.recovery.followed import (
        LEAST_PEOPLE,
        NOWHERE,
        busiest_first_day_from_traces,
        followed_from_traces,
        people_seen_from_traces,
        steps_from_followed,
        usual_first_day,
    )
    from privlab.aggregates.recovery.recovery_parameters import (
        IMPROVEMENTS,
        STEPS_MIN,
        RecoveryParameters,
    )
    from privlab.aggregates.recovery.trails_from_counts import (
        Recovery,
        recovery_from_followed,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "IMPROVEMENTS",
    "LEAST_PEOPLE",
    "NOWHERE",
    "OVER",
    "STEPS_MIN",
    "Recovery",
    "RecoveryParameters",
    "RecoveryPoint",
    "busiest_first_day_from_traces",
    "followed_from_traces",
    "over_of_points",
    "people_seen_from_traces",
    "point_from_recovery",
    "recoveries_over",
    "recovery_from_followed",
    "steps_from_followed",
    "usual_first_day",
]
