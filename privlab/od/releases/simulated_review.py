"""One simulated release of one week, with everything that is said about it."""

from dataclasses import dataclass

from privlab.od.counting.trip_tables import PreparedTrips, od_matrix_from_prepared_trips
from privlab.od.planning.utility import (
    DistanceDecay,
    FlowComparison,
    Utility,
    distance_decay_from_flow_comparison,
    flow_comparison_from_release,
    utility_from_flow_comparison,
)
from privlab.od.releases.simulated_release import (
    ReleaseParameters,
    SimulatedRelease,
    simulated_release_from_od_matrix,
)
from privlab.seeds import generator


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleaseReview:
    """A simulated release, its flows against the true ones, its utility; `decay` is None without positions."""

    release: SimulatedRelease
    flows: FlowComparison
    utility: Utility
    decay: DistanceDecay | None
    n_users: int | None


def release_review_from_prepared_trips(
    prepared: PreparedTrips,
    parameters: ReleaseParameters,
    *,
    week: str,
    group_size: int | None,
    seed: int,
) -> ReleaseReview:
    """Return the simulated release of one week and its utility against the true counts of the group."""
    true = od_matrix_from_prepared_trips(prepared, week=week, group_size=group_size)
    bound = parameters.max_trips_per_user
    bounded = (
        true
        if bound is None
        else od_matrix_from_prepared_trips(
            prepared, week=week, group_size=group_size, max_trips_per_user=bound
        )
    )
    release = simulated_release_from_od_matrix(bounded, parameters, generator(seed, "release noise"))
    flows = flow_comparison_from_release(true, bounded, release)
    zones = prepared.zone_map
    return ReleaseReview(
        release=release,
        flows=flows,
        utility=utility_from_flow_comparison(flows),
        decay=distance_decay_from_flow_comparison(flows, zones.lat, zones.lon),
        n_users=true.n_users,
    )
