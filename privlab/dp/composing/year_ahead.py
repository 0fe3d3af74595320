"""What a person may lose in all, and how many weeks → the noise of each week, by law and by the way losses add up.

No data. Formulas: docs/science.md, section 5.3.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from privlab.checks import require_between, require_whole
from privlab.dp.attack.composition import epsilon_from_composed_cells
from privlab.dp.composing.concentrated import Concentrated, epsilon_from_concentrated
from privlab.dp.gaussian.discrete_gaussian import UNITS, delta_of_contribution, epsilon_of_contribution
from privlab.dp.gaussian.gaussian_parameters import (
    GaussianParameters,
    contributions_of_all_weeks,
    contributions_of_week,
)
from privlab.dp.noise.calibration import gaussian_sigma
from privlab.limits import (
    MAX_BUDGET,
    MAX_EPSILON,
    MAX_TARGET_DELTA,
    MAX_TRIPS_PER_USER,
    MAX_WEEKS,
    MIN_EPSILON,
    MIN_TARGET_DELTA,
)

# How the losses of several releases add up: ε to ε; ρ to ρ; or all of them worked out together, beforehand.


@dataclass(frozen=True, slots=True, kw_only=True)
class WeeklyNoise:
    """The least noise of one week for which all weeks together keep (`total_epsilon`, `delta`) to a person.

    `deviation` is the standard deviation of the noise on each cell, in trips. `epsilon` is what a single week's
    release is made with (at `delta` for Gaussian noise), rounded down to four digits, and never more than a release
    may have. `adding` says how the weeks add up; "together" holds only if all weeks' settings are fixed before the first release.
    """

    noise: str
    adding: str
    epsilon: float
    deviation: float
    total_epsilon: float
    delta: float
    weeks: int
    max_trips_per_user: int


def weekly_noises(
    total_epsilon: float, delta: float, *, max_trips_per_user: int, weeks: int
) -> tuple[WeeklyNoise, ...]:
    """Return the noise of each week by every law and way of adding up, most noise first.

    A way that a week's smallest ε already breaks is left out.

    >>> for one in weekly_noises(2, 1e-6, max_trips_per_user=20, weeks=52):
    ...     print(one.noise, one.adding, round(one.deviation))
    integer sum 735
    integer concentrated 109
    integer together 102
    gaussian concentrated 77
    gaussian together 72
    """
    total_epsilon = require_between("total_epsilon", total_epsilon, MIN_EPSILON, MAX_BUDGET)
    delta = require_between("delta", delta, MIN_TARGET_DELTA, MAX_TARGET_DELTA)
    bound = require_whole("max_trips_per_user", max_trips_per_user, 1, MAX_TRIPS_PER_USER)
    weeks = require_whole("weeks", weeks, 1, MAX_WEEKS)
    rho = rho_from_budget(total_epsilon, delta)
    # Where all weeks may cost more than so many releases can, each has the most that a release may have.
    least = GaussianParameters(epsilon=MAX_EPSILON, delta=delta, max_trips_per_user=bound).sigma
    integer = {
        "sum": total_epsilon / weeks,
        "concentrated": math.sqrt(2 * bound * rho / weeks),
        "together": bound * _epsilon_of_cells(total_epsilon, delta, bound * weeks),
    }
    gaussian = {
        "concentrated": UNITS * math.sqrt(bound * weeks / (2 * rho)),
        "together": _sigma_of_weeks(total_epsilon, delta, bound, weeks, least),
    }
    capped = {adding: min(one, MAX_EPSILON) for adding, one in integer.items()}
    found = [
        (noise, adding, _rounded_down(epsilon), deviation)
        for noise, adding, epsilon, deviation in (
            *(("integer", adding, one, integer_deviation(bound / one)) for adding, one in capped.items()),
            *(
                ("gaussian", adding, _epsilon_of_week(sigma, delta, bound), sigma / UNITS)
                if sigma > least
                else ("gaussian", adding, MAX_EPSILON, least / UNITS)
                for adding, sigma in gaussian.items()
            ),
        )
    ]
    return tuple(
        WeeklyNoise(
            noise=noise,
            adding=adding,
            epsilon=epsilon,
            deviation=deviation,
            total_epsilon=total_epsilon,
            delta=delta,
            weeks=weeks,
            max_trips_per_user=bound,
        )
        for noise, adding, epsilon, deviation in found
        if MIN_EPSILON <= epsilon <= MAX_EPSILON
    )


def rho_from_budget(epsilon: float, delta: float) -> float:
    """Return the largest ρ that an (ε, δ) budget holds."""

    def kept(rho: float) -> bool:
        return epsilon_from_concentrated(Concentrated(rho=rho), delta) <= epsilon

    return _largest(kept, 0.0, epsilon, MAX_BUDGET)  # ε at a small δ is above ρ


def integer_deviation(scale: float) -> float:
    """Return the standard deviation of whole-number noise of a scale b: √(2a)/(1 − a), a = e^(−1/b).

    >>> round(integer_deviation(10.0), 3)
    14.136
    """
    return math.sqrt(2 * math.exp(-1 / scale)) / -math.expm1(-1 / scale)


def _epsilon_of_cells(total: float, delta: float, n_cells: int) -> float:
    """Return the largest ε of each of so many cells that keep the whole together; at least what adding up gives."""

    def kept(epsilon: float) -> bool:
        return epsilon_from_composed_cells("integer", epsilon, n_cells, delta) <= total

    low = max(total / n_cells, 1e-5)
    if low > MAX_EPSILON:  # more than any release may have, as it is
        return low
    return _largest(kept, low, min(MAX_EPSILON, total), MAX_EPSILON) if kept(low) else total / n_cells


def _sigma_of_weeks(total: float, delta: float, bound: int, weeks: int, least: float) -> float:
    """Return the least σ from `least` on, in units, that keeps all weeks together; as sigma_from_promise does for one."""
    square, divisor = contributions_of_all_weeks(_gaussian(bound, weeks))
    norm = math.sqrt(float(square.max()))
    if _epsilon_kept_for_sure(norm, least, delta) <= total:
        return least
    sigma = max(gaussian_sigma(total, delta, norm), least)
    growth = 1e-6
    while (delta_of_contribution(total, sigma, square, divisor) > delta).any():
        sigma *= 1 + growth
        growth *= 2
    return sigma


def _epsilon_of_week(sigma: float, delta: float, bound: int) -> float:
    square, divisor = contributions_of_week(_gaussian(bound, 1))
    most = _epsilon_kept_for_sure(math.sqrt(float(np.max(square))), sigma, delta) + 1e-9
    return epsilon_of_contribution(delta, sigma, square, divisor, most=most)


def _epsilon_kept_for_sure(norm: float, sigma: float, delta: float) -> float:
    """Return an ε that noise of this σ keeps beside δ: that of ρ = norm²/(2σ²)."""
    return epsilon_from_concentrated(Concentrated(rho=norm**2 / (2 * sigma**2)), delta)


def _gaussian(bound: int, weeks: int) -> GaussianParameters:
    return GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=bound, weeks=weeks)


def _largest(kept: Callable[[float], bool], low: float, high: float, most: float) -> float:
    """Return the largest number up to `most` that is found to be kept; `low` must be, and `high` is where it may end."""
    while kept(high):
        if high >= most:
            return high
        low, high = high, min(2 * high, most)
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if kept(middle) else (low, middle)
    return low


def _rounded_down(number: float) -> float:
    """Return a number with four digits, never above it; 0 as it is."""
    if not number:  # a week of so much noise keeps δ with no ε at all
        return 0.0
    step = 10.0 ** (math.floor(math.log10(number)) - 3)
    return float(f"{math.floor(number / step * (1 + 1e-12)) * step:.4g}")
