"""Noisy counts that reached the threshold → between which counts the true one lies, and how likely there is one at all.

Of a published count it is known that the noise let it reach the threshold. Whoever forgets that takes lucky noise for people: where
most cells are empty, most of the small published counts are empty ones. docs/science.md, section 5.4.
"""

import itertools
import math

import numpy as np
import numpy.typing as npt

from privlab.dp.gaussian import UNITS, log_tail
from privlab.od.releases.release_noise import published_half_width

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_FAR = 8  # half widths above all that the threshold still touches, from which on counts are put together
_ROUNDS = 3_000  # of fitting, at most
_SETTLED = 1e-10  # change of a share in a round
_POINTS = 100_000  # counts, or steps of counts, whose chances are worked out
_CLASSES = 2_000  # of neighbouring counts that are put together for the fit
_REACH = 300.0  # half widths beyond which noise is never or always
_SURE = 20  # half widths within which it is for certain, to all digits that are published
_LEAST = 1e-300


def log_published_tail(noise: str, scale: float, least: npt.ArrayLike) -> Floats:
    """Return ln P(what is published of an empty cell ≥ least), elementwise, for whole numbers `least`, however rare.

    `scale` as in a certificate: of integer noise in trips, σ of Gaussian noise in units.
    """
    value = np.asarray(least, dtype=np.float64)
    if noise != "integer":
        return np.asarray(log_tail(scale, value * UNITS - UNITS // 2))
    at_least_0 = -np.log1p(np.exp(-1 / scale))
    with np.errstate(over="ignore"):
        below = np.log1p(-np.exp(np.minimum(at_least_0 - (1 - value) / scale, at_least_0)))
    return np.asarray(np.where(value >= 0, at_least_0 - value / scale, below), dtype=np.float64)


def intervals_of_published(
    noise: str, scale: float, count: Ints, *, threshold: int, level: float, wider: int = 0
) -> tuple[Ints, Ints]:
    """Return the least and the largest whole true count that a published one speaks for, each of the shape of `count`, not below 0.

    Whatever the true count is, at least `level` of the counts that are published of it have it in their interval. A true count t is in
    the interval of y if y is among the likeliest counts from the threshold on which have so much of the law: those nearest to t.
    With a threshold of 0 everything is published, and the interval is y ± the half width of the noise. `wider` moves both ends.

    >>> low, high = intervals_of_published("integer", 2.0, np.array([10, 30]), threshold=10, level=0.95)
    >>> low.tolist(), high.tolist()
    ([0, 24], [15, 36])
    """
    wide = published_half_width(noise, scale, level)
    low, high = count - wide, count + wide
    if threshold > 0:
        near = np.flatnonzero(count < threshold + _FAR * (wide + 1))
        seen, place = np.unique(count[near], return_inverse=True)
        low[near], high[near] = (one[place] for one in _ends(noise, scale, seen, threshold, level, wide))
    return np.maximum(low - wider, 0), np.maximum(high + wider, 0)


def _ends(noise: str, scale: float, seen: Ints, threshold: int, level: float, wide: int) -> tuple[Ints, Ints]:
    def log_at_least(value: Ints) -> Floats:
        reach = int(_REACH * (wide + 1))
        return log_published_tail(noise, scale, np.clip(value, -reach, None))

    def likely(true: Ints) -> npt.NDArray[np.bool_]:
        """Whether less than `level` of what is published of `true` is nearer to it than what was seen."""
        apart, published = np.abs(seen - true), log_at_least(threshold - true)
        nearer = np.exp(log_at_least(np.maximum(threshold - true, 1 - apart)) - published)
        return nearer - np.exp(log_at_least(apart) - published) < level

    def last_likely(step: int, furthest: Ints) -> Ints:
        """Return the true count furthest from what was seen that is likely, looking one way."""
        inside, outside = np.zeros(seen.size, dtype=np.int64), furthest + 1
        while (outside - inside > 1).any():
            middle = (inside + outside) // 2
            good = likely(seen + step * middle)
            inside, outside = np.where(good, middle, inside), np.where(good, outside, middle)
        return seen + step * inside

    return last_likely(-1, seen), last_likely(1, np.full(seen.size, wide))


def chances_of_published(noise: str, scale: float, count: Ints, *, threshold: int, n_cells: int) -> Floats:
    """Return how likely the true count is 1 or more, of each published count, shape (P,).

    Which share of the `n_cells` that noise was drawn for is empty, and which lies in each doubling of size (1, 2–3, 4–7, …, up to the
    largest published count), is fitted to the published counts and to how many cells stayed below the threshold: the likeliest shares,
    from one half for empty cells, and equal ones for the doublings, by expectation and maximisation. Sizes within a doubling are equally likely.
    """
    if not count.size:
        return np.zeros(0)
    wide = published_half_width(noise, scale)
    first = threshold if threshold > 0 else -3 * wide
    span = max(threshold, 0) + _FAR * (wide + 1) - first
    step = math.ceil(span / _POINTS) | 1  # 1 but for noise of thousands; odd, so that it has a middle
    last = first + step * math.ceil(span / step)
    seen = (np.clip(count, first, last) - first) // step
    sizes = 2 ** np.arange(max(int(count.max()), 1).bit_length() + 1)

    def tail(value: Ints) -> Floats:
        """P(noise ≥ value); 0 or 1 beyond the reach."""
        reach = _REACH * (wide + 1)
        return np.exp(log_published_tail(noise, scale, np.clip(value, -reach, reach)))

    def reached(value: int) -> Floats:
        """P(published ≥ value) of an empty cell, and of each doubling as the mean over its sizes, shape (1 + B,)."""
        found = [float(tail(np.array([value]))[0])]
        for low, high in itertools.pairwise(sizes):
            sure = int(np.clip(value + _SURE * (wide + 1), low, high))  # sizes from here on reach it
            found.append((tail(value - np.arange(low, sure)).sum() + (high - sure)) / (high - low))
        return np.array(found)

    value = np.arange(first, last + 1, step)
    # Σ over the sizes low … high − 1 of P(noise = y − size) is what lies between two tails; of a step of counts y it is taken in the middle.
    middle = value + step // 2
    between = [tail(middle + 1 - high) - tail(middle + 1 - low) for low, high in itertools.pairwise(sizes)]
    some = (step * one / low for one, low in zip(between, sizes, strict=False))
    law = np.stack([tail(value) - tail(value + step), *some])
    law[:, -1] = reached(last)
    if threshold <= 0:
        law[:, 0] = 1 - reached(first + step)
    unseen = 1 - reached(first) if threshold > 0 else np.zeros(len(law))
    n_unseen = max(n_cells - count.size, 0)
    starts = np.arange(0, value.size, math.ceil(value.size / _CLASSES))
    times = np.add.reduceat(np.bincount(seen, minlength=value.size), starts)
    share = _likeliest_shares(np.add.reduceat(law, starts, axis=1), times, unseen, n_unseen)
    none, some_of_it = share[0] * law[0], share[1:] @ law[1:]
    return np.asarray((some_of_it / np.maximum(some_of_it + none, _LEAST))[seen])


def _likeliest_shares(law: Floats, times: Ints, unseen: Floats, n_unseen: int) -> Floats:
    """Return the shares of the kinds of cells, shape (K,): of their laws (K, V) each value was seen so often, and nothing of the others."""
    share = np.array([0.5, *[0.5 / (len(law) - 1)] * (len(law) - 1)])
    for _ in range(_ROUNDS):
        expected = share * (law @ (times / np.maximum(share @ law, _LEAST)))
        expected += n_unseen * share * unseen / max(float(share @ unseen), _LEAST)
        before, share = share, expected / expected.sum()
        if np.abs(share - before).max() < _SETTLED:
            break
    return share
