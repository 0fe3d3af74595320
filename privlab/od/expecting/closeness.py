"""True counts and the law of a release → how near the truth what is published will be, before any noise is drawn."""

import math

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.defaults import CLOSE
from privlab.dp.gaussian import UNITS
from privlab.dp.noise import noise_tail

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_NODES, _WEIGHTS = (np.append(found, 0.0) for found in np.polynomial.hermite_e.hermegauss(15))
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_NARROW = 4.0  # variance up to which 16 whole numbers hold all that a bound may leave of a count
_BLOCK = 8192  # counts at once, which stay in the processor's cache
_ALL_BUT_FEW = 0.7  # of the counts
_TABLE = 4_000_000  # whole numbers at most whose tail is worked out beforehand


def expected_close_trips(
    people: Ints,
    mean: Floats,
    spread: Floats,
    *,
    noise: str,
    scale: float,
    threshold: int,
    factor: float = 1.0,
) -> float:
    """Return the expected number of trips in counts that are published, and `factor` times them lie within CLOSE of the true ones.

    Parameters as of `chance_close`.
    """
    found = chance_close(people, mean, spread, noise=noise, scale=scale, threshold=threshold, factor=factor)
    return float(people @ found)


def chance_close(
    people: Ints | Floats,
    mean: Floats,
    spread: Floats | None,
    *,
    noise: str,
    scale: float,
    threshold: int,
    tolerance: float = CLOSE,
    factor: float = 1.0,
) -> Floats:
    """Return how likely each count is published, and `factor` times it lies within the tolerance of the true one, shape (C,).

    Exact without a spread; else what the bound leaves is taken to have the law of `_left`, or with Gaussian noise to be normal.

    Parameters
    ----------
    people : ndarray, shape (C,)
        True counts.
    mean, spread : ndarray, shape (C,)
        Mean and variance of what the bound leaves of each, in trips, before the noise; None where that is known.
    noise : str
        "integer", or "gaussian", whose published counts are rounded to whole trips.
    scale : float
        Of integer noise in trips; σ of Gaussian noise in units of 1/1024 of a trip.
    threshold : int
        Counts below it are not published; 0 publishes all.
    tolerance, factor : float
        How far off a count may be, as a share of the true one, and by what published counts are multiplied.
    """
    low = np.ceil((1 - tolerance) * people / factor - 1e-9)
    high = np.floor((1 + tolerance) * people / factor + 1e-9)
    low = np.maximum(low, threshold) if threshold else low
    # Small counts are near the truth only below the threshold; where there are few of them it is quicker to leave none out.
    can_be = high >= low
    looked_at = (
        slice(None) if np.count_nonzero(can_be) > _ALL_BUT_FEW * can_be.size else np.flatnonzero(can_be)
    )
    chance = np.zeros(low.size)
    chance[looked_at] = _chances(
        low[looked_at],
        high[looked_at],
        people[looked_at],
        mean[looked_at],
        None if spread is None else spread[looked_at],
        noise=noise,
        scale=scale,
    )
    return np.where(can_be, chance, 0.0)


def _chances(
    low: Floats,
    high: Floats,
    people: Ints | Floats,
    mean: Floats,
    spread: Floats | None,
    *,
    noise: str,
    scale: float,
) -> Floats:
    """Return how likely counts from low to high are published, shape (C,)."""
    if noise == "gaussian":
        deviation = np.sqrt((0.0 if spread is None else spread) + (scale / UNITS) ** 2)
        chance = scipy.special.ndtr((high + 0.5 - mean) / deviation) - scipy.special.ndtr(
            (low - 0.5 - mean) / deviation
        )
    elif spread is None:
        known = np.rint(mean)
        chance = noise_tail(noise, scale, low - known) - noise_tail(noise, scale, high + 1 - known)
    else:
        chance = _integer_chances(low, high, people, mean, spread, scale)
    return np.asarray(np.maximum(chance, 0.0))


def _integer_chances(
    low: Floats, high: Floats, people: Ints | Floats, mean: Floats, spread: Floats, scale: float
) -> Floats:
    """Return P(low ≤ what the bound leaves, with integer noise ≤ high) for whole low and high, shape (C,).

    All of them are differences of whole numbers, few different ones: the tail of the noise is worked out once for each, not
    twice for each of the 16 points of every count. Where they lie too far apart for a table, it is worked out as it comes.
    """
    if not low.size:
        return np.zeros(0)
    first = min(low.min(), high.min() + 1) - np.rint(people.max())
    last = max(low.max(), high.max() + 1)
    table = noise_tail("integer", scale, np.arange(first, last + 1)) if last - first < _TABLE else None
    chance = np.empty(low.size)
    for start in range(0, low.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        left, weights = _left(people[part], mean[part], spread[part])
        at_least, beyond = low[part, None] - left, high[part, None] + 1 - left
        if table is None:
            tails = noise_tail("integer", scale, at_least) - noise_tail("integer", scale, beyond)
        else:
            at_least, beyond = ((at - first).astype(np.int32) for at in (at_least, beyond))
            tails = table.take(at_least) - table.take(beyond)
        chance[part] = _mean(tails, weights)
    return chance


def expected_square_errors(
    people: Ints,
    mean: Floats,
    spread: Floats,
    *,
    noise: str,
    scale: float,
    threshold: int,
    factor: float = 1.0,
) -> Floats:
    """Return E[(factor·published − true)²] of each count, one that is not published read as 0, shape (C,).

    Parameters as of `chance_close`; true counts may be 0.
    """
    if noise == "gaussian":
        once, twice = normal_moments_above(mean, np.sqrt(spread + (scale / UNITS) ** 2), threshold)
    else:
        left, weights = _left(people, mean, spread)
        none, one, two = _integer_moments_above(scale, threshold - left if threshold else None, left.shape)
        once = _mean(one + left * none, weights)
        twice = _mean(two + 2 * left * one + left**2 * none, weights)
    return np.asarray(factor**2 * twice - 2 * factor * people * once + people**2)


def integer_counts_above(
    people: Ints, mean: Floats, spread: Floats, *, scale: float, threshold: int
) -> tuple[Floats, Floats]:
    """Return P(count ≥ τ) and E[count; count ≥ τ] of each count with integer noise, shape (C,) each; parameters as of `chance_close`."""
    left, weights = _left(people, mean, spread)
    chance, noise, _ = _integer_moments_above(scale, threshold - left, left.shape)
    return _mean(chance, weights), _mean(noise + left * chance, weights)


def normal_moments_above(mean: Floats, deviation: Floats, threshold: int) -> tuple[Floats, Floats]:
    """Return E[y; y ≥ threshold] and E[y²; y ≥ threshold] of normal numbers rounded to whole y, elementwise; 0: of all y."""
    if not threshold:
        return mean, mean**2 + deviation**2 + 1 / 12
    edge = threshold - 0.5
    z = (edge - mean) / deviation
    passes = scipy.special.ndtr(-z)
    density = deviation * np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    twice = (mean**2 + deviation**2 + 1 / 12) * passes + (mean + edge) * density
    return mean * passes + density, twice


def _left(people: Ints | Floats, mean: Floats, spread: Floats) -> tuple[Floats, Floats]:
    """Return numbers that the bound may leave of each count and their chances, shape (C, 16) each.

    It leaves the sum of people who are each counted or not: of a small variance a mixture of two binomial laws that has both
    mean and variance, else a normal law.
    """
    left = mean[:, None] + np.sqrt(spread)[:, None] * _NODES
    left = np.rint(np.clip(left, 0, people[:, None]))
    weights = np.broadcast_to(_WEIGHTS, left.shape).copy()
    few = np.flatnonzero(spread <= _NARROW)
    left[few], weights[few] = _binomial_mixture(people[few], mean[few], spread[few])
    return left, weights


def _binomial_mixture(people: Ints | Floats, mean: Floats, spread: Floats) -> tuple[Floats, Floats]:
    """Return 16 whole numbers around each mean and their chances, of a sum of people who are each counted or not.

    Who has no more trips than the bound is counted for certain; the others are taken to be as likely as each other. Among n people
    with a mean m and a variance v, (m(n − m) − vn) / (n − m − v) are certain: of the two whole numbers around it a mixture
    has both. Where the larger is above m, the narrowest law of that mean takes its place: the two whole numbers around m.
    """
    many = people - mean - spread  # the sum of (1 − p)²
    certain = (mean * (people - mean) - spread * people) / np.where(many > 1e-9, many, 1.0)
    fewer = np.clip(np.floor(np.where(many > 1e-9, certain, mean) + 1e-9), 0, np.floor(mean))
    values = np.maximum(np.floor(mean) - 7, 0)[:, None] + np.arange(_NODES.size)
    wide = _counted_chances(values, people, fewer, mean)
    around = np.maximum(1 - np.abs(values - mean[:, None]), 0)
    narrow = np.where(
        (fewer + 1 <= mean)[:, None],
        _counted_chances(values, people, np.minimum(fewer + 1, np.floor(mean)), mean),
        around,
    )
    widths = [_mean((values - mean[:, None]) ** 2, law) for law in (wide, narrow)]
    apart = widths[0] - widths[1]
    share = np.divide(widths[0] - spread, apart, out=np.zeros(apart.size), where=apart > 1e-9)
    share = np.clip(share, 0, 1)[:, None]
    return np.minimum(values, people[:, None]), share * narrow + (1 - share) * wide


def _counted_chances(values: Floats, people: Ints | Floats, certain: Floats, mean: Floats) -> Floats:
    """Return the chances of consecutive values, shape (C, 16), where the people who are not certain are as likely as each other.

    By the ratio of each to the one before it.
    """
    others = np.maximum(people - certain, 1)
    chance = np.minimum((mean - certain) / others, 1 - 1e-12)
    odds = (chance / (1 - chance))[:, None]
    of = values - certain[:, None]
    ratio = np.maximum(others[:, None] - of[:, :-1], 0) / np.maximum(of[:, :-1] + 1, 1) * odds
    found = np.cumprod(np.hstack([np.ones((len(values), 1)), np.where(of[:, :-1] < 0, 1.0, ratio)]), axis=1)
    found = np.where(of < 0, 0.0, found)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _mean(of: Floats, weights: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", of, weights))


def _integer_moments_above(
    scale: float, least: Floats | None, shape: tuple[int, ...]
) -> tuple[Floats, Floats, Floats]:
    """Return E[x⁰; x ≥ v], E[x; x ≥ v] and E[x²; x ≥ v] of integer noise x for whole v; of all x where `least` is None.

    From v = 1 on x is v and a geometric number: with a = e^{−1/scale} its mean is a/(1 − a), its mean square a(1 + a)/(1 − a)².
    Below, by symmetry, what is missing is the same at 1 − v.
    """
    a = math.exp(-1 / scale)
    first, second = a / (1 - a), a * (1 + a) / (1 - a) ** 2
    whole = 2 * a / (1 - a) ** 2
    if least is None:
        return np.ones(shape), np.zeros(shape), np.full(shape, whole)
    beyond = np.where(least >= 1, least, 1 - least)
    chance = noise_tail("integer", scale, beyond)
    one = chance * (beyond + first)
    two = chance * (beyond**2 + 2 * beyond * first + second)
    above = least >= 1
    return np.where(above, chance, 1 - chance), one, np.where(above, two, whole - two)
