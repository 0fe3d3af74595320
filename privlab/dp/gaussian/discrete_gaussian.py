"""Discrete Gaussian noise on whole counts: its exact promise to someone who is counted in several cells.

Knows cells, shifts and σ, in whole units; nothing of users. P(x) ∝ exp(−x²/2σ²) over the whole numbers
(Canonne, Kamath, Steinke 2020). What is worked out here is the law itself, not that of the continuous normal.
Formulas: docs/science.md, section 5.1. No simulation and no release here.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.checks import ParameterError, require_between, require_whole
from privlab.dp.noise.calibration import gaussian_sigma
from privlab.limits import (
    MAX_CELLS_ATTACKED,
    MAX_EPSILON,
    MAX_TARGET_DELTA,
    MAX_WEEKS,
    MIN_EPSILON,
    MIN_TARGET_DELTA,
)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

UNITS = 1024  # whole units of one count: what a weight is a multiple of
# Trips of one user and week that a noisy total counts at most: public, chosen without looking at data.
TOTAL_CAP = 100
LEAST_SIGMA = 4.0  # units; from here on a sum of n such draws is one draw with σ√n, to 1e-60
_SUMMED = 400.0  # up to so wide a law, its tail is summed up point by point
_FAR = 40.0  # standard deviations beyond which nothing is left
_MOST_COUNTED = 2**53  # up to which a float tells one whole number from the next
_BLOCK = 2**16  # numbers worked out at once
_GROWTH = 1e-7  # share by which σ grows until every shape of a contribution keeps the promise


def log_tail(sigma: npt.ArrayLike, least: npt.ArrayLike) -> Floats:
    """Return ln P(x ≥ least) for whole numbers `least`, elementwise, of draws x with σ ≥ 4.

    >>> log_tail(4.0, [1]).round(6).tolist()  # ln(½ − P(0)/2)
    [-0.798214]
    """
    spread, first = np.broadcast_arrays(
        np.asarray(sigma, dtype=np.float64), np.asarray(least, dtype=np.float64)
    )
    wide = spread > _SUMMED
    if wide.all():  # as in nearly all releases: parts would only be copied
        return _wide_log_tail(spread, first)
    found = np.empty(spread.shape)
    found[wide] = _wide_log_tail(spread[wide], first[wide])
    for narrow in np.unique(spread[~wide]).tolist():
        same = spread == narrow
        found[same] = _summed_log_tail(require_between("sigma", narrow, LEAST_SIGMA, _SUMMED), first[same])
    return found


def _wide_log_tail(sigma: Floats, first: Floats) -> Floats:
    # Euler and Maclaurin at the middle between two whole numbers: Σf = ∫f + f′/24 − 7·f‴/5760 + …; the next term
    # is below (z/σ)⁶ of the whole for z standard deviations.
    z = (first - 0.5) / sigma
    below = scipy.special.log_ndtr(-z)
    density = np.exp(-z * z / 2 - below) / math.sqrt(2 * math.pi)
    # f = φ(z)/σ, f′ = −z·φ/σ², f‴ = (3z − z³)·φ/σ⁴, each against the tail Φ(−z).
    square = sigma * sigma  # products: the third power of an array takes sixty times as long
    correction = -density * z / square * (1 / 24 + 7 * (3 - z * z) / square / 5760)
    return np.asarray(below + np.log1p(correction))


def _summed_log_tail(sigma: float, first: Floats) -> Floats:
    reach, tails = math.ceil(_FAR * sigma), _summed_log_tails(sigma)
    place = np.clip(np.ceil(first) + reach, 0, tails.size - 1).astype(np.int64)
    return np.asarray(np.where(first <= -reach, 0.0, tails[place]))


@lru_cache(maxsize=64)  # of 32,000 numbers at most: asked for at thousands of ε of one law
def _summed_log_tails(sigma: float) -> Floats:
    """Return ln P(x ≥ least) from the least number that is looked at on; −∞ beyond the last."""
    reach = math.ceil(_FAR * sigma)
    x = np.arange(-reach, reach + 1, dtype=np.float64)
    log_mass = -x * x / (2 * sigma * sigma)
    whole = float(scipy.special.logsumexp(log_mass))
    return np.append(np.logaddexp.accumulate(log_mass[::-1])[::-1] - whole, -np.inf)


def delta_of_contribution(
    epsilon: float, sigma: float, square: npt.ArrayLike, divisor: npt.ArrayLike
) -> Floats:
    """Return the least δ of (ε, δ) for someone who adds whole numbers a to the cells, elementwise.

    Of the noisy cells only Σa·y tells the two worlds apart: its noise is discrete Gaussian again, of variance σ²·Σa²
    on the multiples of the greatest common divisor of a. With p and q the chances that the loss exceeds ε with and
    without the person, δ = p − e^ε·q.

    Parameters
    ----------
    epsilon : float
    sigma : float
        Of the noise on each cell, in units.
    square, divisor : array_like of int
        Σa² and the greatest common divisor of a. Someone who adds w to each of n cells: n·w² and w.

    Returns
    -------
    ndarray of float64, in [0, 1].

    >>> float(delta_of_contribution(1.0, 50.0, 20**2, 20).round(8))
    0.00129952
    """
    epsilon = require_between("epsilon", epsilon, 0, MAX_EPSILON * MAX_WEEKS)
    sigma = require_between("sigma", sigma, LEAST_SIGMA, 1e12)
    whole, step = np.broadcast_arrays(
        np.asarray(square, dtype=np.float64), np.asarray(divisor, dtype=np.float64)
    )
    if (step < 1).any() or (whole < step**2).any():
        raise ParameterError("divisor must be at least 1, and square at least its square, got less.")
    return delta_at(epsilon, sigma, whole, step)


def delta_at(epsilon: npt.ArrayLike, sigma: float, square: npt.ArrayLike, divisor: npt.ArrayLike) -> Floats:
    """Return the same at ε of either sign, elementwise, of numbers that were checked."""
    loss, whole, step = np.broadcast_arrays(
        *(np.asarray(one, dtype=np.float64) for one in (epsilon, square, divisor))
    )
    # Loss ≥ ε where Σa·x without the person's part is at least Σa²/2 + εσ²; with it, Σa² less.
    first = np.ceil((whole / 2 + loss * sigma**2) / step)
    spread = sigma * np.sqrt(whole) / step
    with_person, without = log_tail(spread, first - whole / step), log_tail(spread, first)
    return np.asarray(np.exp(with_person) * -np.expm1(np.minimum(loss + without - with_person, 0.0)))


def deltas_of_contributions(
    epsilon: npt.ArrayLike, sigma: float, square: npt.ArrayLike, divisor: npt.ArrayLike
) -> Floats:
    """Return, at each of some ε ≥ 0 in rising order, the least δ that covers all of these people; shape as `epsilon`.

    >>> deltas_of_contributions([0.0, 1.0], 50.0, [20**2, 10**2], [20, 10]).round(8).tolist()
    [0.1585142, 0.00129952]
    """
    each = np.ravel(np.asarray(epsilon, dtype=np.float64))
    whole, step = np.broadcast_arrays(np.ravel(square), np.ravel(divisor))
    found = np.empty(each.size)
    rows = max(1, _BLOCK // whole.size)
    for start in range(0, each.size, rows):
        block = each[start : start + rows]
        for end in (block.min(), block.max()):  # refuses what it cannot be asked
            delta_of_contribution(float(end), sigma, whole, step)
        found[start : start + rows] = delta_at(block[:, None], sigma, whole, step).max(axis=1)
    return found


def accuracy_of_contribution(sigma: float, square: int, divisor: int) -> float:
    """Return how often the best test is right about such a person, prior ½: ½(1 + δ at ε = 0).

    >>> round(accuracy_of_contribution(1024.0, 1024**2, 1024), 6)  # as the continuous law: Φ(½)
    0.691462
    """
    return 0.5 + float(delta_of_contribution(0.0, sigma, square, divisor)) / 2


def chance_of_loss(
    least: npt.ArrayLike, sigma: float, square: npt.ArrayLike, divisor: npt.ArrayLike
) -> Floats:
    """Return how often, with such a person in, the loss is at least `least`, elementwise; as delta_of_contribution.

    >>> float(chance_of_loss(0.0, 1024.0, 1024**2, 1).round(4))  # as the continuous law: Φ(½)
    0.6915
    """
    loss, whole, step = np.broadcast_arrays(
        *(np.asarray(one, dtype=np.float64) for one in (least, square, divisor))
    )
    first = np.ceil((whole / 2 + loss * sigma**2) / step)
    return np.asarray(np.exp(log_tail(sigma * np.sqrt(whole) / step, first - whole / step)))


def epsilon_of_contribution(
    delta: float, sigma: float, square: npt.ArrayLike, divisor: npt.ArrayLike, *, most: float
) -> float:
    """Return the least ε ≤ `most` with (ε, δ) for every one of these people; `most` must keep the promise to them."""
    return least_epsilon(
        lambda epsilon: delta_of_contribution(epsilon, sigma, square, divisor), delta, most=most
    )


def least_epsilon(deltas: Callable[[float], Floats], delta: float, *, most: float) -> float:
    """Return the least ε ≤ `most` at which none of the `deltas` is above δ; at `most` none may be."""
    low, high = 0.0, most
    if (deltas(low) <= delta).all():
        return low
    while high - low > 1e-12 * most:  # `high` always keeps the promise
        middle = (low + high) / 2
        low, high = (low, middle) if (deltas(middle) <= delta).all() else (middle, high)
    return high


def weight_of_trips(n_trips: npt.ArrayLike, bound: int) -> Ints:
    """Return the weight, in units, of each of a user's T trips: ⌊1024·√(L/T)⌋, and 1024 for T ≤ L.

    T·weight² ≤ 1024²·L then holds in whole numbers: the user's weights have an L2 norm of at most √L. Raises ParameterError for what is
    no whole number from 0 on.

    >>> weight_of_trips([1, 10, 40], 10).tolist()
    [1024, 1024, 512]
    """
    bound = require_whole("max_trips_per_user", bound, 1, MAX_CELLS_ATTACKED)
    given = np.asarray(n_trips)
    if given.size and given.dtype.kind not in "iu":
        given = np.asarray(given, dtype=np.float64)
        if not (np.isfinite(given) & (given == np.floor(given)) & (given <= _MOST_COUNTED)).all():
            raise ParameterError("n_trips must be whole numbers, got others.")
    if given.size and given.min() < 0:
        raise ParameterError(f"n_trips must be at least 0, got {given.min():,.0f}.")
    trips = np.maximum(given.astype(np.int64), 1)
    weight = np.floor(np.sqrt(UNITS**2 * bound / trips)).astype(np.int64)
    weight -= trips * weight**2 > UNITS**2 * bound  # where the root was rounded up to a whole number
    return np.minimum(weight, UNITS)


def units_of_total(share: float, bound: int) -> int:
    """Return the units that each trip adds to a noisy total on which `share` of the squared norm L is spent, at least 1.

    0 where nothing is spent. A user's first TOTAL_CAP trips then add a square of about share·L·1024².

    >>> units_of_total(0.03, 10), units_of_total(0.0, 10)
    (6, 0)
    """
    share = require_between("total_share", share, 0, 1)
    bound = require_whole("max_trips_per_user", bound, 1, MAX_CELLS_ATTACKED)
    return max(1, round(UNITS * math.sqrt(share * bound) / TOTAL_CAP)) if share else 0


@lru_cache(maxsize=2**14, typed=True)  # whoever plans asks for the same again, of whatever data
def sigma_from_promise(
    epsilon: float, delta: float, bound: int, *, most_trips: int, total: tuple[int, int] | None = None
) -> float:
    """Return the σ, in units, that promises (ε, δ) to anyone with at most `most_trips` trips, clipped to √L.

    Whoever has T trips adds `weight_of_trips(T, L)` to each of T cells; with `most_trips` = L nobody is weighted
    down. With `total` = (units, cap) a further number with the same noise counts so many units for each of a user's
    first `cap` trips. The least σ of the continuous law, enlarged until the discrete one keeps the promise for all T.
    """
    epsilon = require_between("epsilon", epsilon, MIN_EPSILON, MAX_EPSILON)
    delta = require_between("delta", delta, MIN_TARGET_DELTA, MAX_TARGET_DELTA)
    most_trips = require_whole("most_trips", most_trips, 1, MAX_CELLS_ATTACKED)
    trips = np.arange(1, most_trips + 1)
    weights = weight_of_trips(trips, bound)
    square, divisor = trips * weights**2, weights
    if total is not None:
        in_total = total[0] * np.minimum(trips, total[1])
        square, divisor = square + in_total**2, np.gcd(weights, in_total)
    moved = divisor > 0
    square, divisor = square[moved], divisor[moved]
    # Only those near the largest norm can be the worst placed: δ grows with the norm, but for the lattice's step.
    near = square >= square.max() * 0.98
    return sigma_from_contributions(epsilon, delta, square[near], divisor[near])


def sigma_from_contributions(epsilon: float, delta: float, square: Ints, divisor: Ints) -> float:
    """Return the σ, in units, that promises (ε, δ) to everyone who adds numbers of these Σa² and divisors."""
    sigma = max(gaussian_sigma(epsilon, delta, math.sqrt(float(square.max()))), LEAST_SIGMA)
    growth = _GROWTH
    while (delta_of_contribution(epsilon, sigma, square, divisor) > delta).any():
        sigma *= 1 + growth
        growth *= 2
    return sigma


def zcdp_of_contribution(sigma: float, square: int) -> float:
    """Return ρ of zero-concentrated differential privacy: Σa²/(2σ²) (Canonne, Kamath, Steinke 2020)."""
    return square / (2 * sigma**2)


def rounded_normal(sigma: float, size: int | tuple[int, ...], rng: np.random.Generator) -> Ints:
    """Return seeded draws of nearly this law, in whole units: a simulation, never a release.

    Raises ParameterError for a σ that is no number above 0.
    """
    sigma = require_between("sigma", sigma, 1e-9, 1e12)
    return np.rint(rng.normal(0.0, sigma, size)).astype(np.int64)


def whole_trips_from_units(units: Ints) -> Ints:
    """Return the nearest whole number of trips, halves upwards.

    >>> whole_trips_from_units(np.array([-513, -512, 511, 512])).tolist()
    [-1, 0, 0, 1]
    """
    return np.asarray((units + UNITS // 2) // UNITS, dtype=np.int64)
