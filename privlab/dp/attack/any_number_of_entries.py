"""What the best test can reach against n noisy entries that a person moves by one each, for any n.

Knows entries, noise and promises; nothing of users. Two readings of one test: accuracy, with prior ½,
and area under its ROC. No simulation here.
"""

import math

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.checks import ParameterError, require_between
from privlab.dp.attack.exact_accuracy import laplace_accuracy_from_epsilon
from privlab.limits import MAX_ENTRIES_ATTACKED, MAX_EPSILON, MIN_EPSILON_PER_CELL

Floats = npt.NDArray[np.float64]

_EACH = 200  # up to so many entries each number of them is worked out by itself
_POINTS = 96  # odd and even numbers of entries beyond, at which the overlap is worked out
_NOTHING = 1e-12  # an overlap below is rounding: the test never fails
_PEAKS = 300  # multiples of π around which the characteristic function is looked at
_NODES = np.polynomial.legendre.leggauss(32)
_REACH = 12.0  # standard deviations that a peak is followed


def gaussian_accuracies(sigma: float, n_entries: npt.ArrayLike) -> Floats:
    """Return the optimal accuracy against n entries under N(0, σ²) noise, elementwise: Φ(√n/2σ).

    Raises ParameterError for a σ out of range, and for fewer than no entries.
    """
    sigma, n = require_between("sigma", sigma, 1e-6, 1e12), np.asarray(n_entries, dtype=np.float64)
    if not (n >= 0).all():
        raise ParameterError(f"n_entries must be numbers from 0, got {n[~(n >= 0)].flat[0]:g}.")
    return np.asarray(scipy.special.ndtr(np.sqrt(n) / (2 * sigma)))


def laplace_accuracies(scale: float, n_entries: npt.ArrayLike) -> Floats:
    """Return the optimal accuracy against n entries under Laplace noise of that scale, elementwise.

    Exact up to 1e-7; between the points worked out, interpolated to the same. Beyond MAX_ENTRIES_ATTACKED
    it is 1, which holds of every test.

    >>> [round(float(one), 6) for one in laplace_accuracies(1 / 0.66, [0, 3, 70])]
    [0.5, 0.707072, 0.993925]
    """
    return LaplaceTests().accuracies(scale, n_entries)


class LaplaceTests:
    """The best tests against Laplace noise, with what has been worked out of them so far.

    Scales and numbers of entries may come from someone's data: who asks many times keeps one of these, as
    long as the data, and nothing is kept for others.
    """

    def __init__(self) -> None:
        self._of_few: dict[float, Floats] = {}
        self._tables: dict[tuple[float, int, int], tuple[Floats, Floats]] = {}

    def accuracies(self, scale: float, n_entries: npt.ArrayLike) -> Floats:
        """Return what `laplace_accuracies` returns. Raises ParameterError for a scale out of range."""
        scale = require_between("scale", scale, 1 / MAX_EPSILON, 1e12)
        n = np.asarray(n_entries, dtype=np.float64)
        most = int(min(n.max(initial=0.0), MAX_ENTRIES_ATTACKED))
        # One table serves all smaller numbers: sizes are rounded up to a power of two.
        overlap = self._overlaps_between(1 / scale, max(2 * _EACH, 1 << max(0, most - 1).bit_length()), n)
        large = np.where((overlap > 2 * _NOTHING) & (n <= MAX_ENTRIES_ATTACKED), 1 - overlap / 2, 1.0)
        few = self._few(1 / scale)[np.minimum(n, _EACH).astype(np.int64)]
        return np.where(n <= _EACH, few, large)

    def _few(self, epsilon: float) -> Floats:
        if epsilon not in self._of_few:
            self._of_few[epsilon] = _few(epsilon)
        return self._of_few[epsilon]

    def _overlaps_between(self, epsilon: float, most: int, n: Floats) -> Floats:
        """Return 1 − TV at numbers from `_EACH` to `most`, odd and even apart: even ones do not help as much."""
        import scipy.interpolate

        found = np.empty(n.shape)
        for odd in (0, 1):
            if (epsilon, most, odd) not in self._tables:
                self._tables[epsilon, most, odd] = _table(epsilon, most, odd)
            mine, (grid, log_overlap) = n % 2 == odd, self._tables[epsilon, most, odd]
            root = np.sqrt(np.clip(n[mine], grid[0] ** 2, grid[-1] ** 2))
            found[mine] = np.exp(scipy.interpolate.CubicSpline(grid, log_overlap)(root))
        return found


def _few(epsilon: float) -> Floats:
    if epsilon >= MIN_EPSILON_PER_CELL:
        return laplace_accuracy_from_epsilon(min(epsilon, MAX_EPSILON), _EACH)
    return np.concatenate([[0.5], 1 - _overlaps(epsilon, np.arange(1, _EACH + 1)) / 2])


def _table(epsilon: float, most: int, odd: int) -> tuple[Floats, Floats]:
    """Return √n at some odd or even numbers n of entries, and log(1 − TV) there."""
    halves = np.unique(np.rint(np.linspace(math.sqrt(_EACH / 2), math.sqrt(most / 2 + 1), _POINTS // 2) ** 2))
    n_entries = 2 * halves.astype(np.int64) + odd - 2
    return np.sqrt(n_entries), np.log(np.maximum(_overlaps(epsilon, n_entries), _NOTHING))


def _overlaps(epsilon: float, n_entries: npt.NDArray[np.int64]) -> Floats:
    """Return 1 − TV = e^{−nε/2}·∫ e^{−|s|/2} dμₙ(s), μₙ the measure of n steps together, at some numbers n.

    The formula: docs/science.md, section 2.3. By Parseval it is (1/π)·∫₀^∞ φ(t)ⁿ·ε/(ε²/4 + t²) dt with
    φ(t) = e^{−ε/2}·(cos t + ε·sin t/2t): a peak at every multiple of π, each of width 1/√n.
    """
    x, weight = _NODES
    whole = np.empty(n_entries.size)
    for at, n in enumerate(n_entries.tolist()):
        wide = min(math.pi / 2, _REACH / math.sqrt(n))
        # The first peak is narrow twice over: logarithms of t, in eight parts; below them φ is φ(0).
        low = 1e-7 * min(epsilon, wide)
        edges = np.linspace(math.log(low), math.log(wide), 9)
        half = (edges[1] - edges[0]) / 2
        t = np.exp(((edges[:-1] + edges[1:]) / 2)[:, None] + half * x)
        total = (2 * math.atan(2 * low / epsilon)) * _power(epsilon, 0 * t[:1, :1] + low, n).item()
        total += half * float(np.sum(weight * t * _power(epsilon, t, n) * epsilon / (epsilon**2 / 4 + t**2)))
        if n * epsilon < 80:  # else e^{−nε/2} has left nothing of the others
            t = math.pi * np.arange(1, _PEAKS + 1)[:, None] + wide * x
            total += wide * float(np.sum(weight * _power(epsilon, t, n) * epsilon / (epsilon**2 / 4 + t**2)))
        whole[at] = total / math.pi
    return whole


def _power(epsilon: float, t: Floats, n: int) -> Floats:
    base = np.cos(t) + epsilon * np.sin(t) / (2 * t)
    sign = np.where((base < 0) & (n % 2 == 1), -1.0, 1.0)
    return np.asarray(sign * np.exp(n * (np.log(np.maximum(np.abs(base), 1e-300)) - epsilon / 2)))


def accuracy_from_promise(epsilon: float, delta: float) -> float:
    """Return the accuracy that (ε, δ)-differential privacy leaves any test: (e^ε + δ)/(1 + e^ε), and 1 from δ = 1 on.

    Raises ParameterError for an ε or a δ below 0, or that is no number.

    >>> round(accuracy_from_promise(0.66, 0.0), 6), accuracy_from_promise(0.66, 1.5)
    (0.65926, 1.0)
    """
    epsilon, delta = _promised(epsilon, delta)
    return float(min(scipy.special.expit(epsilon) + delta * scipy.special.expit(-epsilon), 1.0))


def auc_from_promise(epsilon: float, delta: float) -> float:
    """Return the area under the ROC that (ε, δ)-differential privacy leaves any test.

    The ROC lies below (0, δ), (a, 1 − a), (1 − δ, 1) with a = (1 − δ)/(1 + e^ε) (Kairouz et al. 2015); 1 from δ = 1 on.
    Raises ParameterError as `accuracy_from_promise`.
    """
    epsilon, delta = _promised(epsilon, delta)
    return float(1 - (1 - delta) ** 2 * scipy.special.expit(-epsilon))


def promise_of_replacement(epsilon: float, delta: float) -> tuple[float, float]:
    """Return what (ε, δ) for one more or one less person promises where another takes a person's place.

    Raises ParameterError as `accuracy_from_promise`.
    """
    epsilon, delta = _promised(epsilon, delta)
    return 2 * epsilon, min(1.0, delta * (1 + math.exp(min(epsilon, 700.0))))


def _promised(epsilon: float, delta: float) -> tuple[float, float]:
    """Return a promise with a δ of at most 1, beyond which there is nothing left to promise; δ of many releases adds up."""
    return require_between("epsilon", epsilon, 0, math.inf), min(
        require_between("delta", delta, 0, math.inf), 1.0
    )
