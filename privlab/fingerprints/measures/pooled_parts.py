"""One person and the nearest others → the distances of all samples, taken apart into space and time: their laws and tails.

What dispersion.py sums up for everybody, sample by sample for one (Gramaglia and Fiore 2015, figures 5a to 5e).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.fingerprints.fingerprints import Fingerprints
from privlab.fingerprints.measures.dispersion import nearest_parts, spread
from privlab.fingerprints.search.index import search_data, search_units
from privlab.fingerprints.search.neighbours import neighbours_from_fingerprints
from privlab.fingerprints.search.stretch import StretchParameters
from privlab.progress import UNHEARD, Progress

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]

PARTS = ("total", "spatial", "temporal")
_BESIDE = (0.1, 0.5, 0.9)  # places in the order of k-gaps of those who are shown beside one person


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PooledParts:
    """The distance of every sample to the nearest of another, over the k − 1 nearest others: shape (n,) each.

    As the distance of fingerprints has it, the samples are those of the longer of the two. `spatial` and `temporal` are
    the weighted parts, which together are at most the sum of the weights. `gini` and `tail_weight` are as in
    Dispersion, by the names of PARTS; the weight is NaN where the upper quartile is the median.
    """

    user: int
    spatial: Floats
    temporal: Floats
    gini: dict[str, float]
    tail_weight: dict[str, float]

    @property
    def total(self) -> Floats:
        """The whole distance of each sample."""
        return self.spatial + self.temporal

    def of(self, part: str) -> Floats:
        """Return one of PARTS."""
        found: Floats = getattr(self, part)
        return found


def places_beside(place: int, n_people: int) -> tuple[int, ...]:
    """Return a place in the order of k-gaps, and those of an easy, a middle and a hard one to hide, each once.

    >>> places_beside(125, 250)
    (125, 25, 225)
    """
    return tuple(dict.fromkeys([place, *(max(1, round(share * n_people)) for share in _BESIDE)]))


def pooled_parts_from_fingerprints(
    fingerprints: Fingerprints,
    users: Sequence[int],
    *,
    k: int = 2,
    parameters: StretchParameters | None = None,
    n_workers: int | None = None,
    progress: Progress = UNHEARD,
) -> list[PooledParts]:
    """Return the parts of the sample distances of some people to their k − 1 nearest others, in the order of `users`.

    `users` are positions among those of the fingerprints, which stand at the level to be judged.
    """
    parameters = parameters or StretchParameters()
    query = np.unique(np.asarray(users, dtype=np.int64))
    neighbours = neighbours_from_fingerprints(
        fingerprints,
        k=k,
        parameters=parameters,
        query=query,
        n_workers=n_workers,
        pruned=query.size > 1,  # for one, bounds cost more than they spare
        progress=progress,
    )
    data, units = search_data(fingerprints)[0], search_units(fingerprints, parameters)
    number = np.argsort(data.user)
    found = {}
    for user, others in zip(query.tolist(), neighbours.other, strict=True):
        space, time = _pooled(data, units, int(number[user]), number[others].tolist())
        figures = {
            name: _spread(values) for name, values in zip(PARTS, (space + time, space, time), strict=True)
        }
        found[user] = PooledParts(
            user=user,
            spatial=space / units.most_space * parameters.space_weight,
            temporal=time / units.most_time * parameters.time_weight,
            gini={name: gini for name, (gini, _) in figures.items()},
            tail_weight={name: tail for name, (_, tail) in figures.items()},
        )
    return [found[int(user)] for user in users]


def _pooled(data: Any, units: Any, user: int, others: Sequence[int]) -> tuple[Int64s, Int64s]:
    """Return the parts of space and of time of all samples, in the units of the search."""
    room = np.empty((3, data.most_samples), dtype=np.int64)
    space, time = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for other in others:
        longer, shorter = user, other
        if data.n_samples[shorter] > data.n_samples[longer]:
            longer, shorter = shorter, longer
        n = nearest_parts(data, units, longer, shorter, room[0], room[1], room[2])
        space.append(np.minimum(room[0, :n] * units.per_cell, units.most_space))
        time.append(np.minimum(room[1, :n] * units.per_min, units.most_time))
    return np.concatenate(space), np.concatenate(time)


def _spread(values: Int64s) -> tuple[float, float]:
    if not values.size:
        return float("nan"), float("nan")
    gini, tail = spread(np.sort(values), np.ones(values.size, dtype=np.int64), values.size)
    return float(gini), float(tail)
