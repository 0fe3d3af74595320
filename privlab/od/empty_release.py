"""True counts and the parameters of a release → whether anything of them can be expected to be published."""

import math

import numpy as np

from privlab.dp.mechanisms import log_noise_tail
from privlab.od.release import ReleaseParameters
from privlab.od.tables import PreparedTrips, od_matrix_from_prepared_trips

_RARELY = 0.01  # fewer flows of the data are expected to be published: in 99 of 100 releases there is none


def largest_flow_if_nothing_is_published(
    prepared: PreparedTrips, parameters: ReleaseParameters, *, week: str, group_size: int | None
) -> int | None:
    """Return the people in the largest true flow if nothing of the data would be published, else None."""
    bound = parameters.max_trips_per_user
    counted = od_matrix_from_prepared_trips(
        prepared, week=week, group_size=group_size, max_trips_per_user=bound
    )
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
    true = od_matrix_from_prepared_trips(prepared, week=week, group_size=group_size)
    return int(true.count.max(initial=0))
