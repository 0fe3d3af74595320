"""Published noisy counts → what may be read out of them: whole numbers, intervals, chances, a smoothed count.

A function of what was published and of the release's public parameters alone, so that it costs no privacy. It stands
beside the noisy counts and never replaces them. docs/science.md, section 5.4.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.dp.gaussian import TOTAL_CAP
from privlab.od.releases.release_noise import published_half_width, published_noise_tail, published_variance
from privlab.od.releases.release_plan import SecureReleaseParameters
from privlab.od.releases.secure_release import WeekTotal
from privlab.od.usefulness.counts_that_reached import chances_of_published, intervals_of_published

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LEVEL = 0.95  # of the intervals
_ROUNDS = 40  # of fitting; the factors settle within some twenty


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimates:
    """What may be read out of a release, per published cell, shape (P,), in the order of its counts.

    `whole`: the noisy count, but not below 0. `low` and `high`: an interval that holds the true bounded count in at
    least 95% of what is published. `chance`: that the true bounded count is at least 1.
    `smoothed`: trips, between the noisy count and what origin and destination suggest. `unbiased`, where a noisy total was
    published: the noisy count times what the clip took on average; `smoothed` then starts from it.
    """

    whole: Ints
    low: Ints
    high: Ints
    chance: Floats
    smoothed: Floats
    unbiased: Floats | None = None


def estimates_from_published_counts(
    parameters: SecureReleaseParameters,
    scale: float,
    *,
    week: npt.NDArray[Any],
    margins: Sequence[npt.NDArray[Any]],
    count: Ints,
    n_cells: int | None,
    ratio: Floats | None = None,
    smoothed: Floats | None = None,
) -> Estimates:
    """Return the estimates of a release's cells; the arrays are its rows, of shape (P,).

    `smoothed` are the smoothed counts before a total gives anything back. Without them `margins` number the two parts of each cell
    whose product a smooth count follows, fitted to published counts alone: of flows origin and destination.

    `n_cells` is how many cells of all weeks noise was drawn for; 0 where only cells with a trip got any, so that each that is published has
    one. None gives intervals and chances as releases once had them, without regard to the threshold and to how many cells are empty.

    `scale` is that of the certificate: of integer noise in trips, σ of Gaussian noise in units of 1/1024. `ratio`, with a
    noisy total, is `clip_ratio` of each row's week.
    """
    low, high, chance = _read_from_counts(parameters, scale, count, n_cells)
    if smoothed is None:
        smoothed = np.zeros(count.size)
        variance = published_variance(parameters.noise, scale)
        for one in np.unique(week):
            rows = np.flatnonzero(week == one)
            smoothed[rows] = smoothed_counts_of_week(
                count[rows].astype(np.float64), [margin[rows] for margin in margins], variance
            )
    return Estimates(
        whole=np.maximum(count, 0),
        low=low,
        high=high,
        chance=chance,
        smoothed=smoothed if ratio is None else smoothed * ratio,
        unbiased=None if ratio is None else count * ratio,
    )


def _read_from_counts(
    parameters: SecureReleaseParameters, scale: float, count: Ints, n_cells: int | None
) -> tuple[Ints, Ints, Floats]:
    noise, threshold = parameters.noise, parameters.threshold
    if n_cells is None:
        wide = interval_half_width(parameters, scale)
        chance = chance_of_a_flow(noise, scale, count)
        return np.maximum(count - wide, 0), np.maximum(count + wide, 0), chance
    # With an L2 clip weighted counts need not be whole, and rounding moves them by up to a half.
    wider = int(parameters.clip == "l2")
    low, high = intervals_of_published(noise, scale, count, threshold=threshold, level=LEVEL, wider=wider)
    if not n_cells:
        return low, high, np.ones(count.size)
    return low, high, chances_of_published(noise, scale, count, threshold=threshold, n_cells=n_cells)


def clip_ratio(parameters: SecureReleaseParameters, total: WeekTotal) -> float:
    """Return by how much all counts of a week are to be multiplied so that their sum is the published total.

    A clip makes counts smaller, never larger, and weighs each trip of whoever has as many as the total counts by √(L/cap)
    at least: the ratio is held between 1 and the inverse of that, however far the noise is off.

    >>> wishes = SecureReleaseParameters(
    ...     epsilon=1.0, max_trips_per_user=25, noise="gaussian", clip="l2", delta=1e-6, total_share=0.03
    ... )
    >>> clip_ratio(wishes, WeekTotal(trips=1500, counted=1000)), clip_ratio(wishes, WeekTotal(trips=1500, counted=-2))
    (1.5, 2.0)
    """
    return held_ratio(total, greatest_ratio(parameters.max_trips_per_user))


def greatest_ratio(bound: int) -> float:
    """Return the most that a total may multiply counts by under an L2 clip: √(TOTAL_CAP/L), not below 1."""
    return max(1.0, math.sqrt(TOTAL_CAP / bound))


def held_ratio(total: WeekTotal, most: float) -> float:
    """Return the total over the sum of all counts, held between 1 and `most`."""
    return min(max(total.trips / total.counted, 1.0), most) if total.counted > 0 else most


def total_half_width(scale: float, total_units: int) -> int:
    """Return what noise moves the published total of a week by at most in 95 of 100 weeks, in trips; `scale` is σ in units of a count.

    >>> total_half_width(9819.890625, 4)  # 1.96 · 9819.9 / 4
    4812
    """
    return math.ceil(float(scipy.special.ndtri((1 + LEVEL) / 2)) * scale / total_units)


def given_back_half_width(scale: float, total_units: int, n_cells: int) -> int:
    """Return what noise moves a week's total less the sum of all its noisy counts by at most in 95 of 100 weeks, in trips.

    That difference is what a total gives back; of many cells, `n_cells` in a week, the noise of the sum is the larger.

    >>> given_back_half_width(9819.890625, 4, 0), given_back_half_width(9819.890625, 4, 338_142)
    (4812, 11947)
    """
    deviation = math.hypot(*deviations_with_total(scale, total_units, n_cells))
    return math.ceil(float(scipy.special.ndtri((1 + LEVEL) / 2)) * deviation)


def deviations_with_total(scale: float, total_units: int, n_cells: int) -> tuple[float, float]:
    """Return the standard deviations of the noise on a week's total, and on the sum of all its noisy counts, in trips."""
    return scale / total_units, math.sqrt(n_cells * published_variance("gaussian", scale))


def interval_half_width(parameters: SecureReleaseParameters, scale: float) -> int:
    """Return the least w such that noisy ± w holds the true bounded count at least 95% of the time, published or not.

    One more with an L2 clip: its weighted counts need not be whole, and rounding moves them by up to a half.
    """
    wide = published_half_width(parameters.noise, scale, LEVEL)
    return wide + 1 if parameters.clip == "l2" else wide


def chance_of_a_flow(noise: str, scale: float, count: Ints) -> Floats:
    """Return P(true count ≥ 1 | noisy count), elementwise, as releases once stated it.

    The prior: an even chance of no flow; else each doubling of size (1, 2–3, 4–7, …), up to that of the largest
    published count, is as likely as any other, and so is each size within it. Counts far below 0, where the answer
    hardly moves, are read as three half widths below.
    """
    if not count.size:
        return np.zeros(0)
    wide = published_half_width(noise, scale, LEVEL)
    seen, place = np.unique(np.maximum(count, -3 * wide), return_inverse=True)
    doublings = max(int(count.max()), 1).bit_length()

    def tail(shift: int) -> Floats:
        """P(noise ≥ noisy count − shift); beyond 300 half widths it is 0 or 1."""
        reach = 300.0 * (wide + 1)
        return published_noise_tail(noise, scale, np.clip(seen.astype(np.float64) - shift, -reach, reach))

    none = tail(0) - tail(-1)
    some, before = np.zeros(seen.size), tail(0)
    for doubling in range(doublings):
        after = tail(2 ** (doubling + 1) - 1)
        some += (after - before) / 2**doubling
        before = after
    some = np.maximum(some, 0) / doublings
    return np.asarray((some / (some + none))[place])


def smoothed_counts_of_week(
    count: Ints | Floats, margins: Sequence[npt.NDArray[Any]], variance: float
) -> Floats:
    """Return the posterior mean of each published cell of one week, not below 0, shape (P,).

    The model is a product of a factor for each margin, such as origin × destination.
    """
    ends = [np.unique(margin, return_inverse=True)[1] for margin in margins]
    return np.maximum(smoothed_counts_from_margins(count.astype(np.float64), ends, variance), 0)


def smoothed_counts_from_margins(
    noisy: Floats, margins: Sequence[npt.NDArray[np.int64]], variance: float, *, rounds: int = _ROUNDS
) -> Floats:
    """Return the posterior mean of each cell: between the noisy count and a model fitted to all noisy counts.

    The model m is a product of one factor for each margin, such as origin × destination, whose sums are the noisy ones.
    A true count is taken as m with a spread of φ·m, φ² = Σ((y − m)² − σ²)/Σm². Then the mean is
    m + (y − m)·φ²m²/(φ²m² + σ²).

    Parameters
    ----------
    noisy : ndarray, shape (C,)
    margins : sequence of ndarray, shape (C,)
        The number of each cell's part, from 0, in each margin.
    variance : float
        σ² of the noise, in the square of the counts' unit.
    rounds : int
        Of fitting.
    """
    model = fitted_to_margins(noisy, margins, np.ones(noisy.size), rounds=rounds)
    square = float((model**2).sum())
    if not square:
        return noisy
    spread = max(float(((noisy - model) ** 2 - variance).sum()) / square, 1e-6)
    of_model = spread * model**2
    trust = np.divide(of_model, of_model + variance, out=np.ones_like(model), where=of_model + variance > 0)
    return np.asarray(model + trust * (noisy - model))


def fitted_to_margins(
    sums_of: Floats, margins: Sequence[npt.NDArray[np.int64]], start: Floats, *, rounds: int = _ROUNDS
) -> Floats:
    """Return `start` times a factor for each part of each margin, such that the sums over the parts are those of `sums_of`.

    Iterative proportional fitting; a sum below 0 is read as 0. All arrays but the margins' numbers of parts have shape (C,).
    """
    model = start.copy()
    targets = [np.maximum(np.bincount(margin, weights=sums_of), 0) for margin in margins]
    for _ in range(rounds):
        for margin, target in zip(margins, targets, strict=True):
            found = np.bincount(margin, weights=model)
            model *= np.divide(target, found, out=np.zeros_like(target), where=found > 0)[margin]
    return model
