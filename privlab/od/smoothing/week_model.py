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
_ERRORS = 2.0  # standard errors that flows and those back are taken to be less alike than they seem
_MOST_ALIKE = 0.999


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSums:
    """What is told of all noisy counts of one week, those below the threshold included.

    `sums` are those over the parts of each margin, in trips. `sizes` and `spreads`, SPREADS each: how large a modelled count is, and
    the squared relative spread of counts of that size about the model, noise taken off. `alike` is the correlation of what a flow and
    the flow back are off the model, noise taken off; 0 where it cannot be told from none.
    """

    sums: tuple[tuple[int, ...], ...]
    sizes: tuple[float, ...]
    spreads: tuple[float, ...]
    alike: float = 0.0

    @classmethod
    def from_noisy_counts(cls, noisy: Ints | Floats, margins: Margins, variance: float) -> "ModelSums":
        """Return what is told of the noisy counts of all cells, shape (C,); `variance` is that of the noise on each, in trips²."""
        sums = tuple(tuple(np.rint(one).astype(np.int64).tolist()) for one in margins.sums_of(noisy))
        model = model_of_sums(sums, margins, variance)
        off = noisy - model
        sizes, spreads = spreads_by_size(model, off**2 - variance)
        alike = 0.0
        if margins.back is not None:
            alike = likeness_of_flows_back(off, _own_variance(model, sizes, spreads), margins.back, variance)
        return cls(sums=sums, sizes=tuple(sizes.tolist()), spreads=tuple(spreads.tolist()), alike=alike)

    def model(self, margins: Margins, variance: float) -> Floats:
        """Return what the model expects in every cell, trips, shape (C,). Raises ParameterError for sums of other margins."""
        if [len(one) for one in self.sums] != list(margins.sizes):
            raise ParameterError(f"sums must be those of {margins.sizes} parts, got others.")
        return model_of_sums(self.sums, margins, variance)

    def smoothed(self, noisy: Ints | Floats, margins: Margins, variance: float) -> Floats:
        """Return the posterior mean of every cell, not below 0, shape (C,), from the noisy counts; both NaN where none is known."""
        model = self.model(margins, variance)
        off = noisy - model
        own, of_back = self.trust(model, margins.back, ~np.isnan(off), variance)
        moved = own * off
        if margins.back is not None:
            moved += of_back * np.nan_to_num(off[margins.back])
        return np.maximum(model + moved, 0)

    def trust(
        self, model: Floats, back: npt.NDArray[np.int32] | None, known: npt.NDArray[np.bool_], variance: float
    ) -> tuple[Floats, Floats]:
        """Return which part of the way from the model to its noisy count each cell goes, and which part of that of the flow back.

        All of shape (C,); `known` are the cells whose noisy counts are known. The best linear estimate for counts that are off the model
        by their spreads, and with those back as alike as they are.

        >>> told = ModelSums(sums=(), sizes=(10.0,) * 5, spreads=(0.04,) * 5, alike=1.0)
        >>> two, back = np.full(2, 10.0), np.array([1, 0], dtype=np.int32)
        >>> told.trust(two, back, np.array([True, True]), 12.0)[0].tolist()  # spread 2 trips, noise √12, of both in one √6
        [0.2, 0.2]
        >>> told.trust(two, back, np.array([True, False]), 12.0)[0].tolist()[0]
        0.25
        """
        own = _own_variance(model, np.array(self.sizes), np.array(self.spreads))
        alone = np.divide(own, own + variance, out=np.ones_like(own), where=own + variance > 0)
        if back is None or not self.alike:
            return alone, np.zeros_like(own)
        other = own.take(back)
        shared = self.alike**2 * own * other
        of_both = (own + variance) * (other + variance) - shared
        pair = known.take(back) & (of_both > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            together = (own * (other + variance) - shared) / of_both
            of_back = np.sqrt(shared) * variance / of_both
        return np.where(pair, together, alone), np.where(pair, of_back, 0.0)


def smoothed_counts(
    noisy: Ints | Floats, margins: Margins, variance: float, published: npt.NDArray[np.bool_]
) -> Floats:
    """Return the smoothed count of every published cell, NaN for others, shape (C,), from the noisy counts of all.

    The sums are those of all, as a release tells them; what a cell is smoothed from is what is published.
    """
    told = ModelSums.from_noisy_counts(noisy, margins, variance)
    return told.smoothed(np.where(published, noisy, np.nan), margins, variance)


def likeness_of_flows_back(off: Floats, own: Floats, back: npt.NDArray[np.int32], variance: float) -> float:
    """Return how alike flows and those back are off the model: a correlation from 0 to 0.999, noise taken off, less two standard errors.

    `off` (C,) is how far noisy counts are off the model, `own` the variance that counts have about it by themselves. Pairs weigh by
    what noise leaves of them. Where counts are further off than their spreads say, that counts for less.
    """
    other, theirs = own.take(back), off.take(back)
    square = own * other
    left = np.divide(square, (own + variance) * (other + variance), out=np.zeros_like(own), where=square > 0)
    pairs = float(left.sum()) / 2  # each stands twice
    if pairs <= 0:
        return 0.0
    each = np.divide(left, own, out=np.zeros_like(own), where=left > 0)
    both = np.divide(left, np.sqrt(square), out=np.zeros_like(own), where=left > 0)
    apart = float(each @ (off**2 - variance)) / 2
    alike = float(both @ (off * theirs)) / 2 / max(apart, pairs)
    return float(min(max(alike - _ERRORS / np.sqrt(pairs), 0.0), _MOST_ALIKE))


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


def _own_variance(model: Floats, sizes: Floats, spreads: Floats) -> Floats:
    """Return the variance of each count about its modelled one by itself: the spread between two sizes is a line."""
    return np.asarray(np.interp(model, sizes, spreads) * model**2)


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
