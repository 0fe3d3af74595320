"""Three mechanisms of integer noise and two of Gaussian noise that do not keep their promise.

That is what an audit must catch, and a lesson in how noise goes wrong. Nothing but the audit may use them.
"""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from privlab.dp.audit.gaussian_runs import GaussianRuns, gaussian_runs_from_promise
from privlab.dp.gaussian.discrete_gaussian import UNITS, weight_of_trips
from privlab.dp.gaussian.gaussian_parameters import GaussianParameters
from privlab.dp.noise.mechanisms import Mechanism
from privlab.dp.noise.secure_noise import measurement_from_scale

Ints = npt.NDArray[np.int64]
Counts = Callable[[Ints], Ints]


def half_the_scale(mechanism: Mechanism) -> Counts:
    """Return noise of half the scale that the promise needs: a forgotten factor of two."""
    noisy = measurement_from_scale(mechanism.scale / 2)
    return lambda counts: np.array(noisy(counts.tolist()), dtype=np.int64)


def noise_on_non_zero_only(mechanism: Mechanism) -> Counts:
    """Return noise on the cells that hold somebody, and a true 0 elsewhere: a lone traveller makes a cell noisy."""
    noisy = measurement_from_scale(mechanism.scale)
    return lambda counts: np.where(counts > 0, np.array(noisy(counts.tolist()), dtype=np.int64), 0)


def shared_noise(mechanism: Mechanism) -> Counts:
    """Return one draw added to all cells alike: their differences are the true ones."""
    noisy = measurement_from_scale(mechanism.scale)
    return lambda counts: counts + np.int64(noisy([0])[0])


BROKEN: dict[str, Callable[[Mechanism], Counts]] = {
    "half-scale": half_the_scale,
    "noise-on-non-zero-only": noise_on_non_zero_only,
    "shared-noise": shared_noise,
}


def half_the_sigma(promise: GaussianParameters) -> GaussianRuns:
    """Return Gaussian noise of half the σ that the promise needs."""
    return gaussian_runs_from_promise(promise, sigma=promise.drawn_sigma / 2, weight=right_weight)


def norm_not_rooted(promise: GaussianParameters) -> GaussianRuns:
    """Return the right σ on trips clipped to a norm of L instead of √L: L/√T each, 1 for T ≤ L². With L = 1 that is no fault."""
    return gaussian_runs_from_promise(
        promise,
        sigma=promise.drawn_sigma,
        weight=lambda trips, bound: min(UNITS, math.floor(UNITS * bound / math.sqrt(trips))),
    )


def right_weight(trips: int, bound: int) -> int:
    """Return the weight of each trip that the promise allows, in units."""
    return int(weight_of_trips(trips, bound))


NOT_ROOTED = "gaussian-norm-not-rooted"
BROKEN_GAUSSIAN: dict[str, Callable[[GaussianParameters], GaussianRuns]] = {
    "gaussian-half-sigma": half_the_sigma,
    NOT_ROOTED: norm_not_rooted,
}
