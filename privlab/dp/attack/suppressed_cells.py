"""The exact attack on suppressed counts, for thousands of targets at once.

The answers are those of exact_accuracy.accuracy_from_suppressed_cells, for real and for integer noise.
A count far below the threshold is never seen and says nothing; a count at or above it is exposed; only
the few in between have two outcomes worth telling apart: all patterns of up to twelve of them are enumerated,
more are laid on a lattice.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_between, require_choice, require_whole
from privlab.dp.attack.exact_accuracy import overlap_with_atoms, require_counts, whole_counts
from privlab.dp.attack.exposed_overlap import exposed_overlap
from privlab.dp.attack.suppressed_lattice import overlaps_on_lattice
from privlab.dp.noise.mechanisms import NOISES, noise_tail
from privlab.limits import MAX_EPSILON, MAX_THRESHOLD, MAX_TRIPS, MIN_EPSILON_PER_CELL

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_NEVER_SHOWN = 1e-14  # a cell that shows more rarely is taken as always hidden
_MOST_PATTERNS = 12  # up to so many cells between hidden and exposed, all 2^m patterns are enumerated
_BLOCK = 2**21  # patterns held at once


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Targets:
    """Per target: exposed cells, loss and log mass of cells never shown; `gap` (m,) of the rest, cut by `starts`."""

    n_exposed: Ints
    base: Floats
    log_mass: Floats
    gap: Ints
    starts: Ints


def accuracies_from_suppressed_cells(
    noise: str, epsilon: float, threshold: int, counts: npt.ArrayLike, starts: npt.ArrayLike
) -> Floats:
    """Return the optimal accuracy against each of many targets when low counts are not published.

    Parameters
    ----------
    noise : str
        "laplace" or "integer".
    epsilon : float
        Privacy loss per cell: noise of scale 1/epsilon.
    threshold : int
        Noisy counts below it are suppressed; that a count is suppressed is itself observed.
    counts : array_like of int, shape (n,)
        The others in each cell of each target, one target after the other.
    starts : array_like of int, shape (T + 1,)
        Target i has the cells starts[i] … starts[i + 1] − 1; none is allowed.

    Returns
    -------
    ndarray of float64, shape (T,)
        Accuracies in [½, 1]: exact up to 1e-9 for a target with up to twelve cells between hidden and
        exposed, else up to 1e-6.

    >>> accuracies_from_suppressed_cells("laplace", 0.66, 100, [95] * 10, [0, 10, 10]).round(6).tolist()
    [0.5674, 0.5]
    """
    require_choice("noise", noise, NOISES)
    epsilon = require_between("epsilon", epsilon, MIN_EPSILON_PER_CELL, MAX_EPSILON)
    threshold = require_whole("threshold", threshold, 0, MAX_THRESHOLD)
    targets = _targets(noise, epsilon, threshold, *_checked(counts, starts))
    overlap = np.empty(targets.n_exposed.size)
    n_between = np.diff(targets.starts)
    huge = (targets.n_exposed > MAX_TRIPS) & (noise == "laplace")
    many = n_between > _MOST_PATTERNS
    few = ~many & ~huge
    for n_exposed in np.unique(targets.n_exposed[few]):
        exposed = exposed_overlap(noise, epsilon, int(n_exposed))
        alike = few & (targets.n_exposed == n_exposed)
        for m in np.unique(n_between[alike]):
            rows = np.flatnonzero(alike & (n_between == m))
            overlap[rows] = _overlap_by_patterns(noise, epsilon, targets, rows, int(m), exposed)
    if (many & ~huge).any():
        rows = np.flatnonzero(many & ~huge)
        overlap[rows] = _overlap_by_lattice(noise, epsilon, targets, rows)
    for row in np.flatnonzero(huge):
        overlap[row] = _overlap_of_huge(epsilon, targets, int(row))
    return np.clip(1 - overlap / 2, 0.5, 1.0)


def accuracy_from_cells(noise: str, epsilon: float, threshold: int, counts: npt.ArrayLike) -> float:
    """Return the optimal accuracy against one target whose cells hold `counts` others, one cell or more.

    >>> round(accuracy_from_cells("laplace", 0.66, 100, [95] * 10), 6)
    0.5674
    """
    others = require_counts(counts)
    return float(accuracies_from_suppressed_cells(noise, epsilon, threshold, others, [0, others.size])[0])


def accuracy_from_one_cell(noise: str, epsilon: float, threshold: int, counts: npt.ArrayLike) -> Floats:
    """Return the optimal accuracy that each cell gives on its own, shape as `counts` (others in the cell)."""
    size = np.asarray(counts).size
    return accuracies_from_suppressed_cells(noise, epsilon, threshold, counts, np.arange(size + 1))


def _checked(counts: npt.ArrayLike, starts: npt.ArrayLike) -> tuple[Ints, Ints]:
    others, cuts = np.asarray(counts), np.asarray(starts, dtype=np.int64)
    others = (others if others.dtype.kind in "iu" else whole_counts(others)).astype(np.int64, copy=False)
    if others.ndim != 1 or (others.size and others.min() < 0):
        raise ParameterError(
            f"counts must be whole numbers from 0, got {others.min() if others.size else others}."
        )
    if cuts.ndim != 1 or not cuts.size or cuts[0] or cuts[-1] != others.size or (np.diff(cuts) < 0).any():
        raise ParameterError(
            f"starts must cut all {others.size:,} counts in order, got {cuts.tolist()[:4]}…."
        )
    return others, cuts


def _law(noise: str, epsilon: float, gap: npt.NDArray[Any]) -> tuple[Floats, Floats, Floats]:
    """Return hidden loss, and the masses of hidden and shown, of cells `gap` ≥ 1 below the threshold."""
    shown_in, shown_out = (noise_tail(noise, 1 / epsilon, gap - target) for target in (1, 0))
    loss = np.log1p(-shown_in) - np.log1p(-shown_out)
    return loss, np.sqrt((1 - shown_out) * (1 - shown_in)), np.sqrt(shown_out * shown_in)


def _targets(noise: str, epsilon: float, threshold: int, others: Ints, starts: Ints) -> _Targets:
    n_targets = starts.size - 1
    owner = np.repeat(np.arange(n_targets), np.diff(starts))
    gap = threshold - others
    below = gap >= 1
    loss, hidden, shown = _law(noise, epsilon, gap[below].astype(np.float64))
    between = shown > _NEVER_SHOWN
    never = owner[below][~between]
    order = np.argsort(owner[below][between], kind="stable")
    n_between = np.bincount(owner[below][between], minlength=n_targets)
    return _Targets(
        n_exposed=np.bincount(owner[~below], minlength=n_targets),
        base=np.bincount(never, weights=loss[~between], minlength=n_targets).astype(np.float64),
        log_mass=np.bincount(never, weights=np.log(hidden[~between]), minlength=n_targets).astype(np.float64),
        gap=gap[below][between][order],
        starts=np.concatenate([[0], np.cumsum(n_between)]),
    )


def _overlap_by_patterns(
    noise: str, epsilon: float, targets: _Targets, rows: Ints, m: int, exposed: Callable[[Floats], Floats]
) -> Floats:
    """Σ over which of the m cells are shown: mass of the pattern × what the exposed cells leave."""
    overlap = np.empty(rows.size)
    n_rows = max(1, _BLOCK >> m)
    for start in range(0, rows.size, n_rows):
        part = rows[start : start + n_rows]
        gap = targets.gap[targets.starts[part][:, None] + np.arange(m)].astype(np.float64)
        loss, mass = targets.base[part][:, None], np.exp(targets.log_mass[part])[:, None]
        for cell in range(m):
            hidden_loss, hidden, shown = (one[:, None] for one in _law(noise, epsilon, gap[:, cell]))
            loss = np.concatenate([loss + hidden_loss, loss + epsilon], axis=1)
            mass = np.concatenate([mass * hidden, mass * shown], axis=1)
        overlap[start : start + n_rows] = np.einsum("ij,ij->i", mass, exposed(loss))
    return overlap


def _overlap_by_lattice(noise: str, epsilon: float, targets: _Targets, rows: Ints) -> Floats:
    """The same for targets with many cells between hidden and exposed, on a lattice of losses."""
    cells = [targets.gap[targets.starts[row] : targets.starts[row + 1]] for row in rows]
    gap = np.unique(np.concatenate(cells))
    times = np.stack([np.bincount(np.searchsorted(gap, one), minlength=gap.size) for one in cells])
    laws = _law(noise, epsilon, gap.astype(np.float64))
    overlap = overlaps_on_lattice(noise, epsilon, laws, times, targets.base[rows], targets.n_exposed[rows])
    return np.asarray(np.exp(targets.log_mass[rows]) * overlap)


def _overlap_of_huge(epsilon: float, targets: _Targets, row: int) -> float:
    """The same for more exposed cells with real noise than a table is made for."""
    gap, times = np.unique(targets.gap[targets.starts[row] : targets.starts[row + 1]], return_counts=True)
    loss, hidden, shown = _law("laplace", epsilon, gap.astype(np.float64))
    rest = (float(targets.base[row]), float(targets.log_mass[row]))
    return overlap_with_atoms(epsilon, int(targets.n_exposed[row]), times, loss, hidden, shown, rest)
