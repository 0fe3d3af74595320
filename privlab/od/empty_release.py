"""True counts and the parameters of a release → whether anything of them can be expected to be published."""

import math

import numpy as np

from privlab.dp.mechanisms import log_noise_tail
from privlab.od.flow_counts import FlowCounts, od_matrix_from_flow_counts
from privlab.od.matrix import ODMatrix, UniqueTrips, od_matrix_from_unique_trips
from privlab.od.release import ReleaseParameters

_RARELY = 0.01  # fewer flows of the data are expected to be published: in 99 of 100 releases there is none


def largest_flow_if_nothing_is_published(
    trips: UniqueTrips | FlowCounts, parameters: ReleaseParameters, *, week: str, group_size: int | None
) -> int | None:
    """Return the people in the largest true flow if nothing of the data would be published, else None."""
    counted = _counts(trips, week, group_size, parameters.max_trips_per_user)
    largest, times = np.unique(counted.count, return_counts=True)
    if largest.size and largest[-1] >= parameters.threshold:
        return None
    scale = parameters.mechanism.scale
    expected = sum(
        n * math.exp(log_noise_tail(parameters.noise, scale, parameters.threshold - int(count)))
        for count, n in zip(largest, times.tolist(), strict=True)
    )
    if expected > _RARELY:
        return None
    return int(_counts(trips, week, group_size, None).count.max(initial=0))


def _counts(
    trips: UniqueTrips | FlowCounts, week: str, group_size: int | None, bound: int | None
) -> ODMatrix:
    if isinstance(trips, FlowCounts):  # names nobody: there is no group and no bound
        return od_matrix_from_flow_counts(trips, week=week)
    return od_matrix_from_unique_trips(trips, week=week, group_size=group_size, max_trips_per_user=bound)
