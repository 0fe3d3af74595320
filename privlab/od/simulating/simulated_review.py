"""One simulated release of one week, with everything that is said about it."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from privlab.checks import ParameterError
from privlab.od.matrix import Ints, ODMatrix
from privlab.od.simulating.simulated_release import (
    NOISE_OF_ONE_WEEK,
    ReleaseParameters,
    SimulatedRelease,
    simulated_release_from_od_matrix,
)
from privlab.od.trips.prepared_trips import PreparedTrips, od_matrix_from_prepared_trips
from privlab.od.usefulness.utility import (
    DistanceDecay,
    FlowComparison,
    Utility,
    distance_decay_from_flow_comparison,
    utility_from_flow_comparison,
)
from privlab.seeds import generator


class Counted(Protocol):
    """What counts the trips of a week, as od_matrix_from_prepared_trips does."""

    def __call__(
        self, prepared: PreparedTrips, *, week: str, group_size: int | None, max_trips_per_user: int | None
    ) -> ODMatrix:
        """Return the counts of a group under a bound, None for everyone and for no bound."""
        ...


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
    counted: Counted = od_matrix_from_prepared_trips,
) -> ReleaseReview:
    """Return the simulated release of one week and its utility against the true counts of the group.

    `counted` may be od_matrix_from_prepared_trips that remembers what it counted before.
    """
    bound = parameters.max_trips_per_user
    true = counted(prepared, week=week, group_size=group_size, max_trips_per_user=None)
    bounded = (
        true
        if bound is None
        else counted(prepared, week=week, group_size=group_size, max_trips_per_user=bound)
    )
    release = simulated_release_from_od_matrix(bounded, parameters, generator(seed, NOISE_OF_ONE_WEEK))
    flows = flow_comparison_from_release(true, bounded, release)
    zones = prepared.zone_map
    return ReleaseReview(
        release=release,
        flows=flows,
        utility=utility_from_flow_comparison(flows),
        decay=distance_decay_from_flow_comparison(flows, zones.lat, zones.lon),
        n_users=true.n_users,
    )


def flow_comparison_from_release(
    true: ODMatrix, bounded: ODMatrix, release: SimulatedRelease
) -> FlowComparison:
    """Return the three counts of every cell that matters, aligned."""
    if true.week != release.week or not np.array_equal(true.zones, release.zones):
        raise ParameterError("release must be of the same zones and week as the true counts.")
    flow = _either(true.flow, release.flow)
    columns = [np.zeros(flow.size), np.zeros(flow.size), np.full(flow.size, np.nan)]
    sources = ((true.flow, true.count), (bounded.flow, bounded.count), (release.flow, release.count))
    for column, (cells, count) in zip(columns, sources, strict=True):
        column[np.searchsorted(flow, cells)] = count
    return FlowComparison(flow=flow, true=columns[0], bounded=columns[1], published=columns[2])


def _either(one: Ints, other: Ints) -> Ints:
    """Return the cells of one or the other, ascending, as both are: two runs are put together in one pass."""
    both = np.concatenate([one, other])
    both.sort(kind="stable")
    first = np.ones(both.size, dtype=bool)
    first[1:] = both[1:] != both[:-1]
    return np.asarray(both[first])
