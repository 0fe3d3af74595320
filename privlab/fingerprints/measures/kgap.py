"""Nearest others → the k-gap of every user, for all k at once, to the last bit.

Knows distances as exact fractions; knows nothing of how they were found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_whole
from privlab.defaults import DEFAULT_KS
from privlab.fingerprints.fingerprints import Fingerprints
from privlab.fingerprints.search.neighbours import Neighbours
from privlab.limits import MAX_K

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_AT_ONCE = 4_000_000  # neighbours whose distances are added up side by side


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KGaps:
    """The k-gap of some users for several k.

    `query` (Q,) are positions in the fingerprints' users; `values` (Q, len(ks)) the float64 nearest to
    the exact k-gap, NaN for a k above the number of users.
    """

    ks: tuple[int, ...]
    query: Int64s
    values: Floats

    def of(self, k: int) -> Floats:
        """Return the k-gaps for one k, (Q,). Raises ParameterError for one of which none were asked for."""
        if k not in self.ks:
            raise ParameterError(f"k must be one of {', '.join(map(str, self.ks))}, got {k}.")
        return self.values[:, self.ks.index(k)]

    def ranked(self, k: int) -> Int64s:
        """Return the positions of the users, the easiest to hide among k first, (Q,)."""
        return self.query[np.argsort(self.of(k), kind="stable")]


@dataclass(frozen=True, slots=True, kw_only=True)
class KGapSummary:
    """The k-gaps of all users for one k; NaN where there are none.

    `share_at_zero` is the share of users who are k-anonymous as they are. `quantiles` maps "0.05" … to
    quantiles over users.
    """

    mean: float
    share_at_zero: float
    quantiles: dict[str, float]


def kgap_from_neighbours(neighbours: Neighbours, ks: Sequence[int] = DEFAULT_KS) -> KGaps:
    """Return the k-gap for every k: the mean distance to the k − 1 nearest others.

    Raises ParameterError for a k that the neighbours do not reach.
    """
    ks = ks_from_numbers(ks)
    if ks[-1] > neighbours.k:
        raise ParameterError(
            f"k must be at most {neighbours.k}, for which neighbours were found, got {ks[-1]}."
        )
    values = np.full((neighbours.query.size, len(ks)), np.nan)
    possible = [(column, k) for column, k in enumerate(ks) if k <= neighbours.n_users]
    size = max(1, _AT_ONCE // max(1, neighbours.other.shape[1]))
    for first in range(0, neighbours.query.size if possible else 0, size):
        sums = _running_sums(neighbours, slice(first, first + size))
        for column, k in possible:
            last, denominator = k - 2, (k - 1) * neighbours.one << 64
            rows = zip(*(part[:, last].tolist() for part in sums), strict=True)
            for row, (units, high, low, n) in enumerate(rows, start=first):
                least = (units << 64) + (high << 32) + low
                # Division of whole numbers in Python gives the float nearest the exact quotient.
                value = least / denominator
                if n and (least + n) / denominator != value:
                    value = _exactly(neighbours, row, k)
                values[row, column] = value
    return KGaps(ks=ks, query=neighbours.query, values=values)


def _running_sums(neighbours: Neighbours, rows: slice) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """Return, for some rows, Σ total / n_longer over the nearest 1, 2, … others in units, 2⁻³² and 2⁻⁶⁴ of one, rounded down.

    The last array says how many terms were rounded: each lost less than 2⁻⁶⁴.
    """
    length = neighbours.n_longer[rows].astype(np.int64)
    whole, rest = np.divmod(neighbours.total[rows], length)
    high, rest = np.divmod(rest << 32, length)
    low, rest = np.divmod(rest << 32, length)
    sums = [np.cumsum(part, axis=1) for part in (whole, high, low, (rest != 0).astype(np.int64))]
    return sums[0], sums[1], sums[2], sums[3]


def _exactly(neighbours: Neighbours, row: int, k: int) -> float:
    terms = zip(
        neighbours.total[row, : k - 1].tolist(), neighbours.n_longer[row, : k - 1].tolist(), strict=True
    )
    total = sum((Fraction(total, length) for total, length in terms), Fraction(0))
    return float(total / ((k - 1) * neighbours.one))


def ks_from_numbers(ks: Sequence[int]) -> tuple[int, ...]:
    """Return the k's ascending, each once. Raises ParameterError for one outside the limits."""
    chosen = sorted({require_whole("k", k, 2, MAX_K) for k in ks})
    if not chosen:
        raise ParameterError("k must be given at least once.")
    return tuple(chosen)


def summary_from_kgaps(kgaps: KGaps, k: int) -> KGapSummary:
    """Return mean, share of k-anonymous users and quantiles for one k."""
    values = kgaps.of(k)
    values = values[~np.isnan(values)]
    nothing = not values.size
    return KGapSummary(
        mean=float("nan") if nothing else float(values.mean()),
        share_at_zero=float("nan") if nothing else float((values == 0).mean()),
        quantiles={
            f"{level:g}": float("nan") if nothing else float(np.quantile(values, level))
            for level in QUANTILES
        },
    )


def share_equal_length_pairs(fingerprints: Fingerprints) -> float:
    """Return the share of unordered pairs of users with equally many samples, NaN with fewer than two users.

    The distance of such a pair is not symmetric: each averages over its own samples.
    """
    counts = np.unique(fingerprints.n_samples, return_counts=True)[1]
    n_users = fingerprints.n_users
    if n_users < 2:
        return float("nan")
    return float((counts * (counts - 1)).sum() / (n_users * (n_users - 1)))
