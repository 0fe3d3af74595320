"""Parameters of a release → what one trip adds to its counts, by how many trips its user made in the week. No data."""

import numpy as np

from privlab.dp.gaussian import UNITS, GaussianParameters, weight_of_trips
from privlab.od.matrix import chance_under_bound
from privlab.od.releases.release_plan import SecureReleaseParameters
from privlab.od.settled.settled_counts import FIXED, TripLaw


def trip_law_from_parameters(parameters: SecureReleaseParameters, most: int) -> TripLaw:
    """Return what a trip adds to a secure release, and to what is expected of it, for users with 0, 1, … `most` trips in a week.

    As bounded_counts_from_week and release_outlook_from_trips have it, without levels.
    """
    n, bound = np.arange(most + 1), parameters.max_trips_per_user
    promise = parameters.guarantee_parameters(1)
    weighted = parameters.clip == "l2"
    share = weight_of_trips(n, bound) / UNITS if weighted else chance_under_bound(n, bound)
    sums = {
        "mean": share,
        "spread": np.zeros(n.size) if weighted else share * (1 - share),
        "growth": np.zeros(n.size),
    }
    if isinstance(promise, GaussianParameters):
        n_kept, added = promise.most_trips, weight_of_trips(np.minimum(n, promise.most_trips), bound)
    else:
        n_kept, added = bound, np.ones(n.size, dtype=np.int64)
        sums["growth"] = np.log1p(share * np.expm1(1 / promise.mechanism.scale))
    return TripLaw(
        n_kept=n_kept,
        added=added,
        sums={name: np.rint(value * FIXED).astype(np.int64) for name, value in sums.items()},
    )
