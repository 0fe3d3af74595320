"""What all noisy counts of a week add up to → a model of every cell, and smoothed counts between the model and the noisy ones.

A function of noisy counts, their noise and public zones alone, so that it costs no privacy. docs/science.md, section 5.4.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError
from privlab.od.smoothing.margins import Margins

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

SPREADS = 5  # sizes of flow whose spread about the model is looked at
_ROUNDS = 60  # of fitting at most
_SETTLED = 1e-9  # the most that a factor moves in a round
_LEAST = 1e-6  # spread, squared, where noise explains all


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSums:
    """What is told of all noisy counts of one week, those below the threshold included.

    `sums` are those over the parts of each margin, in trips. `sizes` and `spreads`, SPREADS each: how large a modelled count is, and
    the squared relative spread of counts of that size about the model, noise taken off.
    """

    sums: tuple[tuple[int, ...], ...]
    sizes: tuple[float, ...]
    spreads: tuple[float, ...]

    @classmethod
    def from_noisy_counts(cls, noisy: Ints | Floats, margins: Margins, variance: float) -> "ModelSums":
        """Return what is told of the noisy counts of all cells, shape (C,); `variance` is that of the noise on each, in trips²."""
        sums = tuple(tuple(np.rint(one).astype(np.int64).tolist()) for one in margins.sums_of(noisy))
        model = model_of_sums(sums, margins, variance)
        sizes, spreads = spreads_by_size(model, (noisy - model) ** 2 - variance)
        return cls(sums=sums, sizes=tuple(sizes.tolist()), spreads=tuple(spreads.tolist()))

    def model(self, margins: Margins, variance: float) -> Floats:
        """Return what the model expects in every cell, trips, shape (C,). Raises ParameterError for sums of other margins."""
        if [len(one) for one in self.sums] != list(margins.sizes):
            raise ParameterError(f"sums must be those of {margins.sizes} parts, got others.")
        return model_of_sums(self.sums, margins, variance)

    def smoothed(self, noisy: Ints | Floats, model: Floats, variance: float) -> Floats:
        """Return the posterior mean of cells, not below 0; shapes (N,), `model` of the same cells.

        >>> told = ModelSums(sums=(), sizes=(10.0,) * 5, spreads=(0.04,) * 5)
        >>> told.smoothed(np.array([16]), np.array([10.0]), 12.0)  # spread 2 trips, noise √12: a quarter of the way
        array([11.5])
        """
        trust = trust_in_noisy(model, np.array(self.sizes), np.array(self.spreads), variance)
        return np.maximum(model + trust * (noisy - model), 0)


def smoothed_counts(noisy: Ints | Floats, margins: Margins, variance: float) -> Floats:
    """Return the smoothed count of every cell from the noisy counts of all, shape (C,): what a release's own sums give."""
    told = ModelSums.from_noisy_counts(noisy, margins, variance)
    return told.smoothed(noisy, told.model(margins, variance), variance)


def spreads_by_size(model: Floats, off: Floats) -> tuple[Floats, Floats]:
    """Return sizes and squared relative spreads of cells, in SPREADS parts of equal modelled trips, small cells first.

    `off` (C,) is what each cell is expected to be off the model by itself, squared.
    """
    order = _stable_order(model)
    ahead = np.cumsum(model[order]) - model[order] / 2
    part = np.empty(model.size, dtype=np.int64)
    part[order] = np.minimum(
        (ahead / max(float(model.sum()), 1e-300) * SPREADS).astype(np.int64), SPREADS - 1
    )
    of, square, moved = (
        np.bincount(part, weights=weights, minlength=SPREADS) for weights in (model, model**2, off)
    )
    known = np.flatnonzero(square > 0)
    if not known.size:
        return np.zeros(SPREADS), np.full(SPREADS, _LEAST)
    # One very large flow may fill more than one part: those left empty lie between their neighbours.
    at = np.arange(SPREADS)
    # Of equal counts rounding may make a later size the smaller one, in the last place.
    sizes = np.maximum.accumulate(np.interp(at, known, square[known] / of[known]))
    return sizes, np.interp(at, known, np.maximum(moved[known] / square[known], _LEAST))


def _stable_order(values: Floats) -> npt.NDArray[np.intp]:
    """Return the order of `np.argsort(kind="stable")`, many times sooner where few values are equal: only those are put in their order."""
    order = np.argsort(values)
    ranked = values[order]
    equal = ranked[1:] == ranked[:-1]
    if not equal.any():
        return order
    run = np.cumsum(np.append(True, ~equal))
    among = np.append(False, equal) | np.append(equal, False)
    tied = order[among]
    order[among] = tied[np.lexsort((tied, run[among]))]
    return order


def trust_in_noisy(model: Floats, sizes: Floats, spreads: Floats, variance: float) -> Floats:
    """Return which part of the way from the model to the noisy count is gone, elementwise: the spread between two sizes is a line."""
    own = np.interp(model, sizes, spreads) * model**2
    return np.divide(own, own + variance, out=np.ones_like(own), where=own + variance > 0)


def model_of_sums(sums: Sequence[Sequence[float] | Floats], margins: Margins, variance: float) -> Floats:
    """Return a product of one factor for each part of each margin, in every cell, such that its sums are those given, shape (C,).

    Classes of distance are put together until noise leaves them known. A sum below 0 is read as 0; those of each margin are then
    made to add up to the same total.
    """
    given = tuple(np.array(one, dtype=np.float64) for one in sums)
    total = float(given[0].sum())
    margins = margins.known(total, variance)
    given = margins.coarser_sums(given)
    if total <= 0:
        return np.zeros(margins.n_cells)
    return fitted_to_sums([_adding_up(one, total) for one in given], margins, np.ones(margins.n_cells))


def _adding_up(sums: Floats, total: float) -> Floats:
    least = np.maximum(sums, 0)
    return np.asarray(least * (total / least.sum()))


def fitted_to_sums(targets: Sequence[Floats], margins: Margins, start: Floats) -> Floats:
    """Return `start`, shape (C,), times a factor for each part of each margin, by iterative proportional fitting."""
    model = start.copy()
    numbers = [number.astype(np.intp) for number in margins.numbers]  # once, not in every round
    for _ in range(_ROUNDS):
        moved = 0.0
        for number, target in zip(numbers, targets, strict=True):
            found = np.bincount(number, weights=model, minlength=target.size)
            factor = np.divide(target, found, out=np.zeros_like(target), where=found > 0)
            model *= factor.take(number)
            moved = max(moved, float(np.abs(factor[target > 0] - 1).max(initial=0.0)))
        if moved < _SETTLED:
            break
    return model
