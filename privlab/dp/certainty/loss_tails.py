"""How likely the loss of a target's cells exceeds a value, in both worlds: the exact law of the best test's score.

Knows cells that are always published, for real and for integer noise, and cells below a threshold; knows nothing
of users. All formulas: docs/science.md, sections 2.3 to 2.5. No simulation here.
"""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import scipy.fft
import scipy.special

from privlab.dp.noise.mechanisms import noise_tail

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Tail = Callable[[Floats], Floats]

_POINTS = 2**18  # points of the lattice on which the continuous part is laid
_FEW_CELLS, _FEW_POINTS = 128, 2**16  # for so few cells these points are as good, to 1e-9
_WHOLE_REACH = 500  # up to so many cells the lattice holds all that the loss can be
_REACH = 16.0  # beyond, so many standard deviations around the mean
_MOST_OUTCOMES = (
    2**13
)  # of all cells below the threshold together; more are put together where they lie close
_NOTHING = 1e-18  # a rarer outcome of such cells is left out


def exposed_tail(noise: str, epsilon: float, n_cells: int) -> Tail:
    """Return T with T(x) = P(S > x) under IN, S the loss of `n_cells` cells that are always published.

    Under OUT it is T'(x) = P(−S > x). T takes and returns arrays of one shape; within 1e-15 of a value that
    S takes with a chance of its own, either side of it may be meant: ask a little above or below.
    """
    if not n_cells:
        return lambda x: np.where(x < 0, 1.0, 0.0)
    if noise == "integer":
        truth = float(scipy.special.expit(epsilon))
        return lambda x: _signs_above(x / epsilon, n_cells, truth)
    return _laplace_tail(epsilon, n_cells)


def _signs_above(x: Floats, n: int, up: float) -> Floats:
    """Return P(U − D > x), U and D how many of n signs are plus and minus, a plus having chance `up`."""
    most_not_above = np.clip(np.floor((np.asarray(x) + n) / 2), -1, n)
    if n == 0:
        return np.where(most_not_above < 0, 1.0, 0.0)
    inside = (most_not_above >= 0) & (most_not_above < n)
    first = np.where(inside, most_not_above + 1, 1.0)
    tail = scipy.special.betainc(first, n - first + 1, up)
    return np.where(inside, tail, np.where(most_not_above < 0, 1.0, 0.0))


def _laplace_tail(epsilon: float, n: int) -> Tail:
    """The same for real noise: a loss of ±ε, or a density of ¼·e^{(ℓ−ε)/2} between.

    Cells at ±ε alone, and one cell between them with all others at ±ε, are summed up as they are; two cells or
    more between have a density without jumps, which a lattice holds.
    """
    share = (1 + math.exp(-epsilon)) / 2  # of a cell at ±ε
    up = float(scipy.special.expit(epsilon))
    between = -math.expm1(-epsilon) / 2
    none, one = share**n, n * share ** (n - 1)  # shares with no cell and with one cell between
    start, width, table = _rest_on_lattice(epsilon, n)
    points = start + width * np.arange(table.size)

    def tail(x: Floats) -> Floats:
        if one < _NOTHING:
            return np.asarray(np.clip(np.interp(x, points, table), 0, 1))
        at = np.clip(np.asarray(x, dtype=np.float64) / epsilon, -n - 2.0, n + 2.0)
        # One cell between: intervals of width 2ε around the sums of the other n − 1 signs tile the line.
        first = np.ceil((at + n) / 2)  # the first interval that lies above x
        above = _signs_above(2 * first - n, n - 1, up)
        own = _signs_above(2 * first - n - 2, n - 1, up) - above
        reached = (at - (2 * first - n - 2)) / 2  # how far x lies in its interval, 0 to 1
        part = -np.expm1(epsilon * np.clip(reached, 0, 1) - epsilon) / 2
        rest = np.interp(at * epsilon, points, table)
        found = none * _signs_above(at, n, up) + one * (above * between + own * part) + rest
        return np.asarray(np.clip(found, 0, 1))

    return tail


def _rest_on_lattice(epsilon: float, n: int) -> tuple[float, float, Floats]:
    """Return start, width and values of P(S > x, two cells or more between ±ε) under IN, by Fourier inversion."""
    if n < 2:
        return 0.0, 1.0, np.zeros(2)
    low, high = _reach(epsilon, n)
    size = _FEW_POINTS if n <= _FEW_CELLS else _POINTS
    period = (high - low) * (1 + 4 / size)
    width = period / size
    angle = 2 * np.pi * np.arange(1, size // 2 + 1) / period
    signs = (np.exp(1j * angle * epsilon) + np.exp(-epsilon - 1j * angle * epsilon)) / 2
    slope = 0.5 + 1j * angle
    between = (np.exp(1j * angle * epsilon) - np.exp(-epsilon - 1j * angle * epsilon)) / (4 * slope)
    few = signs**n + n * signs ** (n - 1) * between
    spectrum = ((signs + between) ** n - few) * np.exp(-1j * angle * low) / (1j * angle * period)
    share = (1 + math.exp(-epsilon)) / 2
    mass = max(0.0, 1 - share**n - n * share ** (n - 1) * (1 - share))
    waves = scipy.fft.irfft(np.concatenate([[0], np.conj(spectrum) * size]), size)
    falling = mass * (1 - np.arange(size) / size)
    return low, width, np.concatenate([falling + waves - waves[0], [0.0]])


def _reach(epsilon: float, n: int) -> tuple[float, float]:
    """Return the least and greatest loss that the lattice holds."""
    if n <= _WHOLE_REACH:
        return -n * epsilon, n * epsilon
    # Moments of y = ε − ℓ of one cell: 0 or 2ε, or between them with density ¼·e^{−y/2}.
    mean = -math.expm1(-epsilon)
    square = 4 * (mean - epsilon * math.exp(-epsilon))
    spread = math.sqrt(n * (square - mean**2))
    middle = n * (epsilon - mean)
    return max(-n * epsilon, middle - _REACH * spread), min(n * epsilon, middle + _REACH * spread)


def outcomes_below_threshold(
    noise: str, epsilon: float, gaps: Ints, times: Ints
) -> tuple[Floats, Floats, Floats]:
    """Return losses and their chances under IN and OUT, of cells that lie `gaps` ≥ 1 below the threshold.

    Of each such cell there are `times`. Exact up to 2^13 outcomes; beyond, outcomes that lie close together are
    replaced by one at their mean, which keeps each world's chances in all.
    """
    loss, chance_in, chance_out = np.zeros(1), np.ones(1), np.ones(1)
    for gap, n in zip(gaps.tolist(), times.tolist(), strict=True):
        shown_in, shown_out = noise_tail(noise, 1 / epsilon, [gap - 1, gap]).tolist()
        hidden = math.log1p(-shown_in) - math.log1p(-shown_out)
        n_shown = np.arange(n + 1)
        laws = [_binomial(n, shown) for shown in (shown_in, shown_out)]
        likely = np.maximum(*laws) > _NOTHING
        each = (n - n_shown[likely]) * hidden + n_shown[likely] * epsilon
        loss = np.add.outer(loss, each).ravel()
        chance_in = np.outer(chance_in, laws[0][likely]).ravel()
        chance_out = np.outer(chance_out, laws[1][likely]).ravel()
        kept = np.maximum(chance_in, chance_out) > _NOTHING
        loss, chance_in, chance_out = loss[kept], chance_in[kept], chance_out[kept]
        if loss.size > _MOST_OUTCOMES:
            loss, chance_in, chance_out = _put_together(loss, chance_in, chance_out)
    return loss, chance_in, chance_out


def _binomial(n: int, chance: float) -> Floats:
    """Return the chances of 0, 1, … n successes."""
    hits = np.arange(n + 1)
    log = scipy.special.gammaln(n + 1) - scipy.special.gammaln(hits + 1) - scipy.special.gammaln(n - hits + 1)
    log = log + scipy.special.xlogy(hits, chance) + scipy.special.xlog1py(n - hits, -chance)
    return np.asarray(np.exp(log))


def _put_together(loss: Floats, chance_in: Floats, chance_out: Floats) -> tuple[Floats, Floats, Floats]:
    low, high = float(loss.min()), float(loss.max())
    bins = np.minimum(((loss - low) / (high - low) * _MOST_OUTCOMES).astype(np.int64), _MOST_OUTCOMES - 1)
    both = chance_in + chance_out
    weight = np.bincount(bins, both, _MOST_OUTCOMES)
    used = weight > 0
    mean = np.bincount(bins, both * loss, _MOST_OUTCOMES)[used] / weight[used]
    sum_in, sum_out = (np.bincount(bins, one, _MOST_OUTCOMES)[used] for one in (chance_in, chance_out))
    return mean, np.asarray(sum_in), np.asarray(sum_out)
