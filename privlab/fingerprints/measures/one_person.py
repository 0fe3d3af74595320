"""One person's fingerprint → who is nearest, which samples give the person away, what would hide them.

Figures of true data about one person. Knows distances from stretch.py and the search; draws nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_whole
from privlab.fingerprints.fingerprints import Fingerprints, fingerprints_at_level
from privlab.fingerprints.levels import DEFAULT_LEVELS, Level
from privlab.fingerprints.measures.kgap import kgap_from_neighbours
from privlab.fingerprints.search.neighbours import Neighbours, neighbours_from_fingerprints
from privlab.fingerprints.search.stretch import StretchParameters
from privlab.limits import MAX_K
from privlab.progress import UNHEARD, Progress

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_BLOCK = 4_000_000  # pairs of samples looked at at once


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelGap:
    """The person's k-gap at one level, NaN with fewer than k users, the samples left there, and how many people, the person too, have the same."""

    level: Level
    k_gap: float
    n_samples: int
    n_alike: int

    @property
    def hides(self) -> bool:
        """Whether k − 1 others have the very same fingerprint there."""
        return self.k_gap == 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WhatIf:
    """One person among the nearest others.

    `user` is a position in the fingerprints' users. `other` (N,) are positions of the N = min(k, users) − 1
    nearest, best first, and `distance` (N,) their distances; `own_is_longer` (N,) says where the person's
    samples make that distance, as they do unless the other has more. Per own sample, `at` (n,) rows of the
    fingerprints, and other: `nearest` (n, N), the row of the other's nearest sample, `spatial` and
    `temporal` (n, N), the two parts of the distance to it. `mean` (n,) is the mean distance over the
    others. `order` (n,) are own samples by descending mean, the earlier first of equals, and
    `cumulative_share` (n,) the share of Σ mean in those up to each, NaN where that sum is 0. `levels` are
    the k-gaps of the person at coarser levels, in the order asked for.
    """

    user: int
    k: int
    parameters: StretchParameters
    other: Int32s
    distance: Floats
    own_is_longer: npt.NDArray[np.bool_]
    at: Int64s
    nearest: Int64s
    spatial: Floats
    temporal: Floats
    mean: Floats
    order: Int64s
    cumulative_share: Floats
    levels: tuple[LevelGap, ...]

    @property
    def n_half(self) -> int:
        """How many samples, those that give most away first, make up half of the distance; 0 where there is none."""
        share = self.cumulative_share
        return 0 if np.isnan(share).any() else int(np.searchsorted(share, 0.5)) + 1

    @property
    def hiding_level(self) -> Level | None:
        """The least of the levels that hides the person among k, None if none does."""
        return None if self.hiding is None else self.hiding.level

    @property
    def hiding(self) -> LevelGap | None:
        """What is found at that level."""
        return min((one for one in self.levels if one.hides), key=lambda one: one.level, default=None)


def what_if_from_fingerprints(
    fingerprints: Fingerprints,
    user: int,
    *,
    k: int = 2,
    parameters: StretchParameters | None = None,
    levels: Sequence[Level] = DEFAULT_LEVELS,
    n_workers: int | None = None,
    progress: Progress = UNHEARD,
) -> WhatIf:
    """Return what tells a person, given by position, from the k − 1 nearest others, and what would not.

    Levels finer than the fingerprints, or not made of whole cells and bins of theirs, are left out.
    """
    parameters, k = parameters or StretchParameters(), require_whole("k", k, 2, MAX_K)
    if not 0 <= user < fingerprints.n_users:
        raise ParameterError(f"user must be a position below {fingerprints.n_users:,}, got {user:,}.")
    progress.tell(0.0, "Looking for the nearest others")
    found = _nearest(fingerprints, user, k, parameters, n_workers, progress)
    at = np.arange(fingerprints.offsets[user], fingerprints.offsets[user + 1])
    parts = [_parts(fingerprints, at, int(one), parameters) for one in found.other[0]]
    empty = np.empty((at.size, 0), dtype=np.int64)
    nearest, space, time = (
        np.column_stack([part[i] for part in parts]) if parts else empty for i in range(3)
    )
    spatial: Floats = space / np.int64(found.one)
    temporal: Floats = time / np.int64(found.one)
    mean = (spatial + temporal).mean(axis=1) if parts else np.full(at.size, np.nan)
    order = np.argsort(-mean, kind="stable")
    total = np.cumsum(mean[order])
    return WhatIf(
        user=user,
        k=k,
        parameters=parameters,
        other=found.other[0],
        distance=found.total[0] / (found.n_longer[0] * np.int64(found.one)),
        own_is_longer=found.n_longer[0] == at.size,
        at=at,
        nearest=nearest,
        spatial=spatial,
        temporal=temporal,
        mean=mean,
        order=order,
        cumulative_share=total / total[-1] if total[-1] > 0 else np.full(at.size, np.nan),
        levels=_level_gaps(fingerprints, found, levels, n_workers, progress),
    )


def _nearest(
    fingerprints: Fingerprints,
    user: int,
    k: int,
    parameters: StretchParameters,
    n_workers: int | None,
    progress: Progress,
) -> Neighbours:
    """Return the nearest others of one user; for one, bounds cost more than they spare."""
    return neighbours_from_fingerprints(
        fingerprints,
        k=k,
        parameters=parameters,
        query=np.array([user]),
        n_workers=n_workers,
        pruned=False,
        progress=progress.part(0.0, 0.0),  # the whole is told by levels
    )


def _parts(
    fingerprints: Fingerprints, at: Int64s, other: int, parameters: StretchParameters
) -> tuple[Int64s, Int64s, Int64s]:
    """Return the nearest sample of another user for each sample, and the two parts of its distance, in units.

    Of samples equally near, the one of the smaller temporal part counts, then the one that is nearest where neither part is cut off,
    then the earlier.
    """
    units = parameters.units(fingerprints.cell_m)
    first, end = int(fingerprints.offsets[other]), int(fingerprints.offsets[other + 1])
    x, y, t = (axis.astype(np.int64) for axis in (fingerprints.x, fingerprints.y, fingerprints.t))
    nearest, spatial, temporal = (np.empty(at.size, dtype=np.int64) for _ in range(3))
    step = max(1, _BLOCK // (end - first))
    for begin in range(0, at.size, step):
        part = slice(begin, begin + step)
        mine = at[part, None]
        cells = np.abs(x[mine] - x[first:end]) + np.abs(y[mine] - y[first:end])
        way, minutes = units.per_cell * cells, units.per_min * np.abs(t[mine] - t[first:end])
        space, time = np.minimum(way, units.most_space), np.minimum(minutes, units.most_time)
        rank = (space + time) * (units.most_time + 1) + time
        alike = rank == rank.min(axis=1, keepdims=True)
        best = np.argmin(np.where(alike, way + minutes, np.iinfo(np.int64).max), axis=1)
        rows = np.arange(best.size)
        nearest[part] = first + best
        spatial[part], temporal[part] = space[rows, best], time[rows, best]
    return nearest, spatial, temporal


def _level_gaps(
    fingerprints: Fingerprints,
    found: Neighbours,
    levels: Sequence[Level],
    n_workers: int | None,
    progress: Progress,
) -> tuple[LevelGap, ...]:
    """Return the person's k-gap at every level that the fingerprints can be coarsened to."""
    finest, user, gaps = fingerprints.level, int(found.query[0]), []
    possible = [
        level for level in levels if level.cell_m % finest.cell_m == 0 and level.bin_min % finest.bin_min == 0
    ]
    for i, level in enumerate(possible):
        part = progress.part((1 + i) / (1 + len(possible)), (2 + i) / (1 + len(possible)))
        part.tell(0.0, f"Looking for the nearest others at {level}")
        coarse, there = fingerprints, found
        if level != finest:
            coarse = fingerprints_at_level(fingerprints, level)
            there = _nearest(coarse, user, found.k, found.parameters, n_workers, part)
        gap = float(kgap_from_neighbours(there, (found.k,)).values[0, 0])
        n_samples, n_alike = int(coarse.n_samples[user]), _n_alike(coarse, user)
        gaps.append(LevelGap(level=level, k_gap=gap, n_samples=n_samples, n_alike=n_alike))
    return tuple(gaps)


def _n_alike(fingerprints: Fingerprints, user: int) -> int:
    """Return how many users have the very samples of one, the user too: sample by sample, with those who are still the same."""
    first, n = int(fingerprints.offsets[user]), int(fingerprints.n_samples[user])
    starts = fingerprints.offsets[:-1][fingerprints.n_samples == n]
    for sample in range(n):
        for axis in (fingerprints.x, fingerprints.y, fingerprints.t):
            starts = starts[axis[starts + sample] == axis[first + sample]]
    return int(starts.size)
