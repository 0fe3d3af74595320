"""Settled trips -> a secure release: its plan, its noise, its counts, and rehearsals of all that.

Uses settled, levels and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.releases.rehearsed_release import RehearsedCounts
    from privlab.od.releases.release_noise import (
        published_half_width,
        published_noise_tail,
        published_variance,
        release_noise_from_parameters,
    )
    from privlab.od.releases.release_plan import (
        LEVELS_ONLY_OF_FLOWS,
        NO_TOTAL_OF_VISITS,
        SECURE_NOISES,
        ReleasePlan,
        SecureReleaseParameters,
        release_plan_from_parameters,
        require_zones_apart,
    )
    from privlab.od.releases.secure_release import (
        NO_LEVELS_FROM_COUNTS,
        SecureRelease,
        WeekTotal,
        secure_release_from_settled_counts,
        secure_release_from_settled_trips,
    )
    from privlab.od.releases.trip_law import trip_law_from_parameters
else:
    __getattr__ = door(__name__)

__all__ = [
    "LEVELS_ONLY_OF_FLOWS",
    "NO_LEVELS_FROM_COUNTS",
    "NO_TOTAL_OF_VISITS",
    "SECURE_NOISES",
    "RehearsedCounts",
    "ReleasePlan",
    "SecureRelease",
    "SecureReleaseParameters",
    "WeekTotal",
    "published_half_width",
    "published_noise_tail",
    "published_variance",
    "release_noise_from_parameters",
    "release_plan_from_parameters",
    "require_zones_apart",
    "secure_release_from_settled_counts",
    "secure_release_from_settled_trips",
    "trip_law_from_parameters",
]
