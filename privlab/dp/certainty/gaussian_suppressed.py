"""The loss of a person whose flows are published rounded, and from a threshold on, under discrete Gaussian noise.

Knows σ, the person's weight and how far the others in each cell lie below the threshold; nothing of users. What is seen of a cell is a whole
number of trips, or that it is missing. Formulas: docs/science.md, section 5.1. No simulation here.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.fft

from privlab.dp.certainty.certainty import LossLaw
from privlab.dp.gaussian.discrete_gaussian import UNITS, log_tail

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_FAR = 9.0  # standard deviations beyond which noise falls with a chance below 1e-18
_NEGLIGIBLE = 1e-15  # chance of a loss beyond the lattice, in either world
_FINEST, _COARSEST = 2**20, 2**16  # points of the lattice
_TRANSFORMED = 2**23  # points of the lattices of all different cells together
_LEAST_PARTS = 2000  # of σ: finer steps of a total are taken together


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcomes:
    """What may be seen of one cell: losses, and the logarithms of their chances under IN and OUT, (n,) each; of `times` such cells.

    The first `n_hidden` (0 or 1) is that the cell is missing.
    """

    loss: Floats
    log_in: Floats
    log_out: Floats
    n_hidden: int
    times: int

    @property
    def chances(self) -> tuple[Floats, Floats]:
        """The chances under IN and under OUT."""
        return np.exp(self.log_in), np.exp(self.log_out)


def outcomes_of_cells(sigma: float, weight: int, gaps: Ints, times: Ints) -> list[Outcomes]:
    """Return what may be seen of cells whose others lie `gaps` whole trips below the threshold (0 or less: at it or above).

    With the others taken off, a published count is j ≥ gap whole trips, the nearest to the noise and the `weight` of whoever is in; σ and the
    weight are in units of 1/1024 of a trip. Cells that are hardly ever published, whoever is in, are left out.

    >>> cell, = outcomes_of_cells(1024.0, 1024, np.array([1]), np.array([1]))  # as the continuous law: missing with Φ(½) and Φ(−½), nearly
    >>> float(np.exp(cell.log_out[0]).round(4)), float(np.exp(cell.log_in[0]).round(4))
    (0.6913, 0.3084)
    """
    first, *published = _published(sigma, UNITS, weight)
    found = []
    for gap, n in zip(gaps.tolist(), times.tolist(), strict=True):
        log_in, log_out = (one[max(gap - first, 0) :] for one in published)
        if not log_in.size or max(log_in.max(), log_out.max()) < math.log(_NEGLIGIBLE):
            continue
        hidden = gap > first
        if hidden:
            # Missing: noise below gap trips less what is rounded up to them, and less the person's weight.
            least = UNITS * gap - UNITS // 2
            below = log_tail(sigma, 1 - np.array([least - weight, least], dtype=np.float64))
            log_in, log_out = np.append(below[0], log_in), np.append(below[1], log_out)
        found.append(
            Outcomes(loss=log_in - log_out, log_in=log_in, log_out=log_out, n_hidden=int(hidden), times=n)
        )
    return found


def outcomes_of_total(sigma: float, each: int, added: int, times: int) -> Outcomes:
    """Return what may be seen of a noisy total to which someone adds so many units, published in steps of `each` units."""
    _, log_in, log_out = _published(sigma, max(each, int(sigma / _LEAST_PARTS)), added)
    return Outcomes(loss=log_in - log_out, log_in=log_in, log_out=log_out, n_hidden=0, times=times)


def _published(sigma: float, step: int, weight: int) -> tuple[int, Floats, Floats]:
    """Return the first of rounded counts j, the others taken off, and the logarithms of their chances with and without the person, (n,) each."""
    reach = _FAR * sigma
    j = np.arange(math.floor(-reach / step), math.ceil((reach + weight) / step) + 1)
    least = (step * j - step // 2).astype(np.float64)
    return int(j[0]), _log_between(sigma, least - weight, step), _log_between(sigma, least, step)


def _log_between(sigma: float, least: Floats, step: int) -> Floats:
    """Return ln P(least ≤ x < least + step), from the tail on the side where it is small."""
    low = np.where(least > -step / 2, least, 1 - least - step)
    from_low, from_high = log_tail(sigma, low), log_tail(sigma, low + step)
    return np.asarray(from_low + np.log(-np.expm1(from_high - from_low)))


class SuppressedGaussianLoss(LossLaw):
    """The loss of all that is seen of a person, cells and totals of all weeks.

    Losses of published counts rise by nearly the same from each whole trip to the next. They lie on a lattice that divides this
    step; a cell that is missing, and what is off the lattice, is split between the two points beside it, which keeps its mean.
    """

    def __init__(self, seen: list[Outcomes]) -> None:
        self._offset, self._width, self._low = 0.0, 1.0, 0
        at_zero = np.ones(1)
        self._masses = (at_zero, at_zero)
        if seen:
            self._lay(seen)
        self._tails = tuple(np.append(np.cumsum(mass[::-1])[::-1], 0.0) for mass in self._masses)
        super().__init__(abs(self._offset) + self._width * (abs(self._low) + self._masses[0].size))

    def _lay(self, seen: list[Outcomes]) -> None:
        low, high = _reach(seen)
        # The losses of 0 and 1 whole trips, where most of the noise falls.
        most = [int(np.argmax(one.log_out[one.n_hidden :])) + one.n_hidden for one in seen]
        starts = np.array([one.loss[at] for one, at in zip(seen, most, strict=True)])
        first = seen[0]
        after = min(most[0] + 1, first.loss.size - 1)
        step = float(first.loss[after] - first.loss[max(after - 1, 0)]) or 1.0
        points = 1 << max((_TRANSFORMED // len(seen)).bit_length() - 1, 1)
        size = min(max(points, _COARSEST), _FINEST)
        times = np.array([one.times for one in seen])
        n_seen = int(times.sum())
        room = (
            min(n_seen, math.ceil(_FAR * math.sqrt(n_seen))) + 2
        )  # points that so many splits may reach beyond a loss
        inner = size - 2 * room
        parts = math.floor(inner * step / (high - low)) if high > low else 1
        self._width = step / parts if parts >= 1 else (high - low) / inner
        self._offset = float(starts @ times)
        self._low = math.floor((low - self._offset) / self._width) - room
        spectra = [np.ones(size // 2 + 1, dtype=np.complex128) for _ in self._masses]
        for one, start in zip(seen, starts.tolist(), strict=True):
            place = (one.loss - start) / self._width
            nearest = np.rint(place)
            place = np.where(np.abs(place - nearest) < 1e-6, nearest, place)
            index = np.floor(place)
            rest, index = place - index, index.astype(np.int64)
            for spectrum, chance in zip(spectra, one.chances, strict=True):
                mass = np.bincount(index % size, chance * (1 - rest), size)
                mass += np.bincount((index + 1) % size, chance * rest, size)
                spectrum *= scipy.fft.rfft(mass) ** one.times
        self._masses = tuple(np.roll(scipy.fft.irfft(one, size), -self._low) for one in spectra)

    def _above_in(self, loss: float) -> float:
        return self._above(loss, 0)

    def _above_out(self, loss: float) -> float:
        return self._above(loss, 1)

    def _above(self, loss: float, world: int) -> float:
        """Return P(ℓ > loss): the points above; where points beside one another hold alike, as of a law without atoms."""
        mass, tail = self._masses[world], self._tails[world]
        at = (loss - self._offset) / self._width - self._low
        point = math.floor(at)
        if not 0 <= point < mass.size - 1:
            return float(point < 0)
        rest, found = at - point, float(tail[point + 1])
        here, beyond = float(mass[point]), float(mass[point + 1])
        if min(here, beyond) > 0.5 * max(here, beyond):
            found += (0.5 - rest) * (here if rest < 0.5 else beyond)
        return min(max(found, 0.0), 1.0)


def _reach(seen: list[Outcomes]) -> tuple[float, float]:
    """Return losses beyond which nothing lies in either world, but for a negligible chance (Bernstein's inequality)."""
    far = -math.log(_NEGLIGIBLE)
    least = sum(one.times * float(one.loss.min()) for one in seen)
    greatest = sum(one.times * float(one.loss.max()) for one in seen)
    ends = []
    for world in (0, 1):
        means = [float(one.chances[world] @ one.loss) for one in seen]
        centred = [one.loss - mean for one, mean in zip(seen, means, strict=True)]
        variance = sum(
            one.times * float(one.chances[world] @ rest**2) for one, rest in zip(seen, centred, strict=True)
        )
        third = max(float(np.abs(rest).max()) for rest in centred) * far / 3
        beyond = third + math.sqrt(third**2 + 2 * variance * far)
        mean = sum(one.times * mean for one, mean in zip(seen, means, strict=True))
        ends += [mean - beyond, mean + beyond]
    return max(min(ends), least), min(max(ends), greatest)
