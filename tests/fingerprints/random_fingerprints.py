"""Random ragged fingerprints, small and nasty: ties, duplicates, single samples, users far apart."""

import numpy as np

from privlab.fingerprints.fingerprints import Fingerprints, fingerprints_from_samples
from privlab.fingerprints.search.stretch import StretchParameters

PARAMETERS = (
    StretchParameters(),
    StretchParameters(space_weight=1, time_weight=1),
    StretchParameters(max_km=1.3, max_min=77, space_weight=0.3, time_weight=0.7),
    StretchParameters(max_km=5, max_min=10_000, space_weight=0.01, time_weight=1),
    StretchParameters(max_km=37, max_min=511, space_weight=0.35, time_weight=0.65),
)


def random_fingerprints(rng: np.random.Generator, *, most_users: int = 10) -> Fingerprints:
    """Return the fingerprints of a few users; a quarter of the cases is at a coarse granularity."""
    n_users = int(rng.integers(1, most_users + 1))
    n_samples = n_users + int(rng.integers(0, 6 * n_users))
    user = np.concatenate([np.arange(n_users), rng.integers(0, n_users, n_samples - n_users)])
    width = int(rng.choice([1, 3, 30, 300, 5_000]))
    length = int(rng.choice([2, 10, 500, 3_000, 20_000]))
    x, y = (rng.integers(-width, width + 1, n_samples) for _ in "xy")
    t = rng.integers(-length, length + 1, n_samples)
    if rng.random() < 0.3:  # some users live 10,000 km, some 200 years away
        far = rng.random(n_users) < 0.5
        x, t = x + 100_000 * far[user], t + 100_000_000 * (rng.random(n_users) < 0.2)[user]
    if rng.random() < 0.4:  # two users do the same
        x, y, t = (np.concatenate([axis, axis[user == 0]]) for axis in (x, y, t))
        user = np.concatenate([user, np.full((user == 0).sum(), n_users - 1)])
    ids = rng.permutation(10 * n_users)[:n_users] - 5
    names = np.array([f"u{number}é" for number in ids]) if rng.random() < 0.3 else ids
    cell_m, bin_min = ((100, 1), (100, 1), (100, 1), (2_500, 60))[int(rng.integers(4))]
    return fingerprints_from_samples(
        names[user], x, y, t * bin_min if length < 9_000 else t // 60 * 60, cell_m=cell_m, bin_min=bin_min
    )
