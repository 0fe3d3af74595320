"""OD matrix -> release: simulated with a seed, or secure with the system's noise; what it will hold.

Uses counting and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.releases.estimates import (
        clip_ratio,
        estimates_from_published_counts,
    )
    from privlab.od.releases.levels import (
        AgreedWeek,
        Level,
        LevelSums,
        PublishedLevels,
        agreed_weeks,
        pairs_of_cells,
    )
    from privlab.od.releases.outlook import (
        MAX_MADE_UP_SHARE,
        ReleaseOutlook,
        largest_flow_if_nothing_is_published,
        largest_if_nothing_is_published,
        release_outlook_from_settled_counts,
        release_outlook_from_trips,
    )
    from privlab.od.releases.rehearsed_release import (
        RehearsedCounts,
    )
    from privlab.od.releases.release_noise import (
        published_half_width,
        published_noise_tail,
        release_noise_from_parameters,
    )
    from privlab.od.releases.release_plan import (
        ONLY_OF_FLOWS,
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
    from privlab.od.releases.simulated_release import (
        ReleaseParameters,
        SimulatedRelease,
    )
    from privlab.od.releases.simulated_review import (
        ReleaseReview,
        release_review_from_prepared_trips,
    )
    from privlab.od.releases.trip_law import trip_law_from_parameters
    from privlab.od.releases.weekly_simulation import (
        ODSimulation,
        od_simulation_from_flow_counts,
        od_simulation_from_trip_tables,
        trip_counts_from_trip_tables,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "MAX_MADE_UP_SHARE",
    "NO_LEVELS_FROM_COUNTS",
    "ONLY_OF_FLOWS",
    "SECURE_NOISES",
    "AgreedWeek",
    "Level",
    "LevelSums",
    "ODSimulation",
    "PublishedLevels",
    "RehearsedCounts",
    "ReleaseOutlook",
    "ReleaseParameters",
    "ReleasePlan",
    "ReleaseReview",
    "SecureRelease",
    "SecureReleaseParameters",
    "SimulatedRelease",
    "WeekTotal",
    "agreed_weeks",
    "clip_ratio",
    "estimates_from_published_counts",
    "largest_flow_if_nothing_is_published",
    "largest_if_nothing_is_published",
    "od_simulation_from_flow_counts",
    "od_simulation_from_trip_tables",
    "pairs_of_cells",
    "published_half_width",
    "published_noise_tail",
    "release_noise_from_parameters",
    "release_outlook_from_settled_counts",
    "release_outlook_from_trips",
    "release_plan_from_parameters",
    "release_review_from_prepared_trips",
    "require_zones_apart",
    "secure_release_from_settled_counts",
    "secure_release_from_settled_trips",
    "trip_counts_from_trip_tables",
    "trip_law_from_parameters",
]
