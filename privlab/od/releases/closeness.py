"""True counts and the law of a release → how many trips lie in published counts near the truth, before any noise is drawn."""

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.dp import UNITS, noise_tail

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

CLOSE = 0.1  # of the true count: what a published one may be off and still be near
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def expected_close_trips(
    people: Ints, mean: Floats, spread: Floats, *, noise: str, scale: float, threshold: int
) -> float:
    """Return the expected number of trips in counts that are published within CLOSE of the true ones.

    `people` (C,) are true counts, `mean` and `spread` the mean and variance of what the bound leaves of each, before the noise of
    `scale`: of integer noise in trips, σ of Gaussian noise in units of 1/1024. Exact without a spread; else what the bound
    leaves is taken to be normal.
    """
    low, high = np.ceil((1 - CLOSE) * people), np.floor((1 + CLOSE) * people)
    low = np.maximum(low, threshold) if threshold else low
    if noise == "gaussian":
        deviation = np.sqrt(spread + (scale / UNITS) ** 2)
        chance = scipy.special.ndtr((high + 0.5 - mean) / deviation) - scipy.special.ndtr(
            (low - 0.5 - mean) / deviation
        )
    else:
        left = mean[:, None] + np.sqrt(spread)[:, None] * _NODES
        left = np.rint(np.clip(left, 0, people[:, None]))
        tails = noise_tail(noise, scale, low[:, None] - left) - noise_tail(
            noise, scale, high[:, None] + 1 - left
        )
        chance = tails @ _WEIGHTS
    return float(people @ np.where(high >= low, np.maximum(chance, 0.0), 0.0))
