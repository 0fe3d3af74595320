"""What a guarantee says: bounds on an attacker's certainty, and how guarantees add up.

Closed forms only; the exact attack against a mechanism is in privlab/dp/attack.
"""

import math

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.checks import require_between, require_choice, require_whole
from privlab.dp.noise.mechanisms import NOISES, log_noise_tail
from privlab.limits import (
    MAX_EPSILON,
    MAX_THRESHOLD,
    MAX_TRIPS,
    MAX_WEEKS,
    MIN_EPSILON,
    MIN_EPSILON_PER_CELL,
)

Floats = npt.NDArray[np.float64]

LEAST_DELTA = 5e-324  # smallest positive float: a δ below all floats is rounded up, never to 0


def claimed_bound(epsilon: float) -> float:
    """Return e^ε/(1+e^ε): the certainty a per-trip guarantee is said to allow, prior ½.

    >>> round(claimed_bound(0.66), 6)
    0.65926
    """
    epsilon = require_between("epsilon", epsilon, MIN_EPSILON, MAX_EPSILON)
    return float(scipy.special.expit(epsilon))


def user_level_bounds(epsilon: float, max_trips: int) -> Floats:
    """Return e^{kε}/(1+e^{kε}) for k = 0..max_trips: what composition proves, shape (max_trips + 1,)."""
    epsilon = require_between("epsilon", epsilon, MIN_EPSILON, MAX_EPSILON)
    max_trips = require_whole("max_trips", max_trips, 0, MAX_TRIPS)
    return np.asarray(scipy.special.expit(epsilon * np.arange(max_trips + 1)))


def threshold_delta(epsilon: float, threshold: int, noise: str = "laplace") -> float:
    """Return δ: how often a true count of 1 passes the threshold τ ≥ 1, with noise of scale 1/ε.

    ½·exp(−ε(τ−1)) for Laplace noise, stated by Bassolas et al. (2019) for ε = 0.66 and τ = 100;
    a^{τ−1}/(1+a) with a = e^{−ε} for integer noise.

    >>> f"{threshold_delta(0.66, 100):.1e}"
    '2.1e-29'
    """
    epsilon = require_between("epsilon", epsilon, MIN_EPSILON_PER_CELL, MAX_EPSILON)
    threshold = require_whole("threshold", threshold, 1, MAX_THRESHOLD)
    passes = log_noise_tail(require_choice("noise", noise, NOISES), 1 / epsilon, threshold - 1)
    return max(math.exp(passes), LEAST_DELTA)


def composed_epsilon(epsilon: float, n_trips: int, n_weeks: int = 1) -> float:
    """Return the ε that basic composition gives a user with `n_trips` unique trips in every week.

    >>> round(composed_epsilon(0.66, 70), 1), round(composed_epsilon(0.66, 70, 52), 1)
    (46.2, 2402.4)
    """
    epsilon = require_between("epsilon", epsilon, MIN_EPSILON, MAX_EPSILON)
    n_trips = require_whole("n_trips", n_trips, 0, MAX_TRIPS)
    return epsilon * n_trips * require_whole("n_weeks", n_weeks, 1, MAX_WEEKS)


def least_mean_trips(published_total: float, population: float) -> float:
    """Return the fewest trips per inhabitant that the published counts alone imply.

    Houssiau et al. (2022): 46,333 flows of at least 100 need 4.6 million one-trip users of 5 million.
    """
    published_total = require_between("published_total", published_total, 0, 1e15)
    return published_total / require_between("population", population, 1, 1e12)
