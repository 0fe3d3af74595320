"""What is seen in many runs with a person and without → tests that are held against a trade-off curve.

Knows numbers of two worlds by name; nothing of releases. Every test that is made is counted: their chances to fail add up
to what the level leaves.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.dp.audit.trade_off import TradeOff
from privlab.stats import clopper_pearson

Floats = npt.NDArray[np.float64]
Seen = Mapping[str, Floats]
"""What a run showed, by name, shape (runs,) each."""

FIXED, PAIRED, ACCURATE, RARE = "fixed", "pairs", "accuracy", "rates"
_CHOSEN = (ACCURATE, RARE)
_STRICTER = 30  # many events are tried: rare ones that stand out by chance must not be taken for the best
_CUTS = 61
_ALWAYS_BETTER = 1e6
_ROUNDED = 1e-9  # what a bound may be off by in floating point


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A test: the person is said to be in where what was seen by a `name` is above (or not above) a number."""

    name: str
    sign: str
    edge: float

    def says_in(self, seen: Seen) -> npt.NDArray[np.bool_]:
        """Return in which runs the person is said to be in."""
        values = seen[self.name]
        if self.sign == "=":
            return np.asarray(values == self.edge)
        return np.asarray(values > self.edge if self.sign == ">" else values <= self.edge)

    def __str__(self) -> str:
        """Return the test in words."""
        return f"{self.name} {self.sign} {self.edge:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Larger:
    """A test of two runs, one of each world: the person is said to be in the one where more was seen by a `name`.

    It needs no number to cut at, so that it holds where all that others add is off, too.
    """

    name: str

    def __str__(self) -> str:
        """Return the test in words."""
        return f"the larger {self.name} of two releases"


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedTest:
    """One test, counted in `n_counted` runs of each world, and what it proves but for a chance of `may_fail`.

    `kind` is "fixed" or "pairs" (settled before any run, counted on all), "accuracy" or "rates" (chosen on the first half, counted
    on the second). `found` is the lower end of how often it is right, or of the true positive rate; `most` what the promise allows
    of that, for rates at the upper end `false_rate_high` of the false positive rate. Of pairs, `n_true` of `n_counted` are right.
    """

    kind: str
    cut: str
    n_true: int
    n_false: int
    n_counted: int
    may_fail: float
    found: float
    most: float
    false_rate_high: float

    @property
    def convicted(self) -> bool:
        """Whether the test is right more often than the promise allows."""
        return self.found > self.most + _ROUNDED

    @property
    def accuracy(self) -> float:
        """How often it was right in the runs counted."""
        return (self.n_true + self.n_counted - self.n_false) / (2 * self.n_counted)


def found_in_worlds(
    inside: Seen,
    without: Seen,
    fixed: Cut | Larger,
    curve: TradeOff,
    *,
    may_fail: float,
    may_fail_fixed: float,
) -> tuple[CountedTest, ...]:
    """Return three tests: one that was settled before, and two chosen on the first half of the runs.

    Each chosen one may fail with half of `may_fail`.
    """
    half = next(iter(inside.values())).size // 2
    first = [{name: values[:half] for name, values in world.items()} for world in (inside, without)]
    second = [{name: values[half:] for name, values in world.items()} for world in (inside, without)]
    found = [
        _of_pairs(fixed, inside, without, curve, may_fail_fixed)
        if isinstance(fixed, Larger)
        else _counted(FIXED, fixed, inside, without, curve, may_fail_fixed)
    ]
    for kind in _CHOSEN:
        cut = _best_cut(kind, first[0], first[1], curve, may_fail / 2 / _STRICTER)
        found.append(_counted(kind, cut, second[0], second[1], curve, may_fail / 2))
    return tuple(found)


def epsilon_lower(found: CountedTest, shown: float) -> float:
    """Return the ε that a test of rates proves at least, a chance of `shown` to give oneself away apart."""
    if found.kind != RARE or found.found <= shown:
        return 0.0
    return max(0.0, math.log((found.found - shown) / found.false_rate_high))


def _of_pairs(test: Larger, inside: Seen, without: Seen, curve: TradeOff, may_fail: float) -> CountedTest:
    """Return the test of each run with the person beside one without; where both show the same it is counted as wrong.

    Pairs share no run, so that the right ones are a binomial, and its lower end is Clopper and Pearson's.
    """
    n = inside[test.name].size
    n_right = int((inside[test.name] > without[test.name]).sum())
    low, _ = clopper_pearson(n_right, n, level=1 - 2 * may_fail)
    return CountedTest(
        kind=PAIRED,
        cut=str(test),
        n_true=n_right,
        n_false=n - n_right,
        n_counted=n,
        may_fail=may_fail,
        found=float(low),
        most=curve.most_pairs,
        false_rate_high=math.nan,
    )


def _counted(
    kind: str, cut: Cut, inside: Seen, without: Seen, curve: TradeOff, may_fail: float
) -> CountedTest:
    says_in, false_alarms = cut.says_in(inside), cut.says_in(without)
    n_true, n_false, n = int(says_in.sum()), int(false_alarms.sum()), says_in.size
    lower, most, high = _proven(kind, np.array(n_true), np.array(n_false), n, curve, may_fail)
    return CountedTest(
        kind=kind,
        cut=str(cut),
        n_true=n_true,
        n_false=n_false,
        n_counted=n,
        may_fail=may_fail,
        found=float(lower),
        most=float(most),
        false_rate_high=float(high),
    )


def _proven(
    kind: str,
    n_true: npt.NDArray[np.int64],
    n_false: npt.NDArray[np.int64],
    n: int,
    curve: TradeOff,
    may_fail: float,
) -> tuple[Floats, Floats, Floats]:
    """Return what is proven but for a chance, what the promise allows, and the upper end of the false positive rate.

    Rates: two one-sided Clopper–Pearson ends share the chance. Accuracy: the right answers of the two worlds are two
    binomials, which together spread no wider than one of their mean (Hoeffding 1956, theorem 4).
    """
    _, high = clopper_pearson(n_false, n, level=1 - may_fail)
    if kind == RARE:
        low, _ = clopper_pearson(n_true, n, level=1 - may_fail)
        return low, curve.most_true_positives(high), high
    low, _ = clopper_pearson(n_true + n - n_false, 2 * n, level=1 - 2 * may_fail)
    return low, np.full(low.shape, curve.most_accuracy), high


def _best_cut(kind: str, inside: Seen, without: Seen, curve: TradeOff, may_fail: float) -> Cut:
    """Return the cut by which these runs prove most beyond what is allowed."""
    best, found = -math.inf, Cut(name=next(iter(inside)), sign=">", edge=0.0)
    for name, values in inside.items():
        n = values.size
        both = np.concatenate([values, without[name]])
        edges = np.unique(np.quantile(both, np.linspace(0, 1, _CUTS), method="lower"))
        edges = np.append(edges, edges[0] - 1)
        true, false = (np.sort(world[name]) for world in (inside, without))
        up_to = [np.searchsorted(side, edges, side="right") for side in (true, false)]
        below = [np.searchsorted(side, edges, side="left") for side in (true, false)]
        for sign, hits in (
            (">", [n - side for side in up_to]),
            ("<=", up_to),
            ("=", [high - low for high, low in zip(up_to, below, strict=True)]),
        ):
            lower, most, high = _proven(kind, hits[0], hits[1], n, curve, may_fail)
            excess = lower - most
            if kind == RARE:  # where nothing is beyond what is allowed: the cut that proves the largest ε
                proven = np.log(np.maximum(lower - curve.shown, 1e-300) / high)
                excess = np.where(excess > 0, _ALWAYS_BETTER + excess, proven)
            at = int(np.argmax(excess))
            if float(excess[at]) > best:
                best, found = float(excess[at]), Cut(name=name, sign=sign, edge=float(edges[at]))
    return found
