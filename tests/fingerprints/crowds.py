"""Random crowds that are hidden in one another: ties, one length, coarse levels, a user a world apart."""

import numpy as np

from privlab.fingerprints.fingerprints import Fingerprints, fingerprints_at_level, fingerprints_from_samples
from privlab.fingerprints.levels import Level


def random_crowd(rng: np.random.Generator, *, n_users: int | None = None) -> Fingerprints:
    """Users with 1 to 9 samples, now close with many ties, now spread out, now a world apart."""
    n = int(rng.integers(4, 15)) if n_users is None else n_users
    lengths = rng.integers(1, 10, n)
    if rng.random() < 0.3:
        lengths[:] = lengths[0]
    user = np.repeat(rng.permutation(n), lengths)
    wide, long = rng.choice([3, 40, 400]), rng.choice([5, 300, 4000])
    x, y = (rng.integers(-wide, wide + 1, user.size) for _ in range(2))
    t = rng.integers(-long, long + 1, user.size)
    if rng.random() < 0.2:
        x[user == 0] += 100_000
    people = fingerprints_from_samples(user, x, y, t)
    return fingerprints_at_level(people, rng.choice([Level(0.1, 1), Level(0.1, 1), Level(2.5, 60)]))
