"""Districts, regions above zones → noisy sums of their own beside the cells, and counts that agree between all levels.

What is published of a level is a sum with noise that the promise pays for; what agrees is a function of published numbers
alone, by weighted least squares on the tree of levels. docs/science.md, section 5.7.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_whole
from privlab.dp.gaussian import LEVEL_SHIFTS, UNITS
from privlab.limits import MAX_LEVEL_CELLS, MAX_LEVELS

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_MOST_LETTERS = 100  # of a level's name, or of a district's


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedIds:
    """How many ids of a zone file (stations, antennas) lie in zones of a release, and in how many zones: in others nobody can be counted."""

    n_ids: int
    n_zones: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A division of the public zones, known without the data: `of` names the district of each, in the order of the zones."""

    name: str
    of: tuple[str, ...]

    @property
    def districts(self) -> list[str]:
        """Return the districts in order."""
        return sorted(set(self.of))

    @property
    def numbers(self) -> Ints:
        """Return the place of each zone's district among them, shape (Z,)."""
        return np.searchsorted(np.array(self.districts), np.array(self.of)).astype(np.int64)

    @property
    def n_pairs(self) -> int:
        """Ordered pairs of districts, each with itself included."""
        return len(set(self.of)) ** 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LevelSums:
    """What is published of one level and week, whole trips, by ordered pair of districts row by row, shape (D²,).

    `noisy` has noise of its own; `counted` is the sum of the noisy cells between the two districts, before the threshold.
    """

    noisy: Ints
    counted: Ints


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedLevels:
    """The levels of a release from the lowest up, over its public `zones`, and the sums of each week by level."""

    zones: tuple[Any, ...]
    levels: tuple[Level, ...]
    sums: Mapping[str, tuple[LevelSums, ...]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AgreedWeek:
    """Counts of one week that agree: `sums` by level, shape (D²,) each, and what is `added` to every cell of a pair of districts of
    the lowest level, shape (D²,).
    """

    sums: tuple[Floats, ...]
    added: Floats


def require_sound_levels(levels: Sequence[Level], n_zones: int, n_weeks: int) -> None:
    """Raise ParameterError unless each level divides the zones, and no district of one lies in two of the next.

    >>> require_sound_levels([Level(name="district", of=("a", "b", "b"))], 3, 1)
    """
    require_whole("levels", len(levels), 0, MAX_LEVELS)
    if len({level.name for level in levels}) < len(levels):
        raise ParameterError(
            f"levels must be named once each, got {', '.join(level.name for level in levels)}."
        )
    for level in levels:
        texts = (level.name, *level.of)
        if not all(
            isinstance(one, str) and 0 < len(one) <= _MOST_LETTERS and one.isprintable() for one in texts
        ):
            raise ParameterError(
                f"levels must name a district of at most {_MOST_LETTERS} letters that can be printed for each zone, got another for "
                f"{level.name[:40]!r}."
            )
        if len(level.of) != n_zones:
            raise ParameterError(
                f"levels must name a district for each of the {n_zones:,} zones, got {len(level.of):,} for {level.name!r}."
            )
        require_whole(f"districts of level {level.name!r}", len(set(level.of)), 2, n_zones)
    for lower, upper in itertools.pairwise(levels):
        above: dict[str, str] = {}
        for small, large in zip(lower.of, upper.of, strict=True):
            if above.setdefault(small, large) != large:
                raise ParameterError(
                    f"levels must go from small to large, each district within one of the next, but {small!r} of {lower.name!r} "
                    f"lies in {above[small]!r} and {large!r} of {upper.name!r}. Turn them round, or leave one out."
                )
    n_sums = sum(level.n_pairs for level in levels) * n_weeks
    if n_sums > MAX_LEVEL_CELLS:
        raise ParameterError(
            f"levels must make at most {MAX_LEVEL_CELLS:,} pairs of districts over all weeks, got {n_sums:,}. Take larger districts."
        )


def pairs_of_cells(level: Level, origin: Ints, destination: Ints) -> Ints:
    """Return the pair of districts of each cell, from places among the public zones."""
    numbers = level.numbers
    return np.asarray(numbers[origin] * len(level.districts) + numbers[destination])


def sums_of_week(
    levels: Sequence[Level],
    origin: Ints,
    destination: Ints,
    units: Ints,
    noisy: Ints,
    noisy_sums: Callable[[Ints, int], Ints],
) -> tuple[LevelSums, ...]:
    """Return the sums of one week over all public cells: `units` before noise, which are raw counts, `noisy` after it, in trips.

    `noisy_sums` takes sums of a level of which a trip's units are 2^shift times as many, and that shift; it returns whole trips
    with noise.
    """
    found = []
    for level, shift in zip(levels, LEVEL_SHIFTS, strict=False):
        pair = pairs_of_cells(level, origin, destination)
        raw, counted = (np.zeros(level.n_pairs, dtype=np.int64) for _ in range(2))
        np.add.at(raw, pair, units)
        np.add.at(counted, pair, noisy)
        # Weights are multiples of 2^shift: nothing is lost here.
        found.append(LevelSums(noisy=noisy_sums(raw >> shift, shift), counted=counted))
    return tuple(found)


def level_deviation(scale: float, level: int) -> float:
    """Return the standard deviation of the noise on a sum of a level, in trips; 0 is the lowest level, `scale` σ in units.

    >>> level_deviation(1024.0, 0)
    4.0
    """
    return scale * float(1 << LEVEL_SHIFTS[level]) / UNITS


def agreed_weeks(
    published: PublishedLevels, scale: float, ratio: Mapping[str, float] | None = None
) -> dict[str, AgreedWeek]:
    """Return the counts of each week that agree, from what is published alone; times `ratio`, what a total gives back.

    `scale` is σ in units, as a certificate says it.
    """
    n_cells, parents = _tree(published.levels)
    cell, variances = _variances(scale, len(published.levels))
    found = {}
    for week, sums in published.sums.items():
        by = 1.0 if ratio is None else ratio[week]
        agreed = agreed_counts(
            sums[0].counted.astype(np.float64),
            n_cells,
            [one.noisy.astype(np.float64) for one in sums],
            parents,
            cell,
            variances,
        )
        found[week] = AgreedWeek(sums=tuple(one * by for one in agreed.sums), added=agreed.added * by)
    return found


def _tree(levels: Sequence[Level]) -> tuple[Ints, list[Ints]]:
    """Return how many cells each pair of the lowest level has, and for each level but the highest the pair above each, −1 without cells."""
    zones = np.arange(len(levels[0].of))
    origin, destination = (ends.ravel() for ends in np.meshgrid(zones, zones, indexing="ij"))
    apart = origin != destination
    pairs = [pairs_of_cells(level, origin[apart], destination[apart]) for level in levels]
    parents = []
    for lower, upper, level in zip(pairs, pairs[1:], levels, strict=False):
        parent = np.full(level.n_pairs, -1, dtype=np.int64)
        parent[lower] = upper
        parents.append(parent)
    return np.bincount(pairs[0], minlength=levels[0].n_pairs).astype(np.int64), parents


def _variances(scale: float, n_levels: int) -> tuple[float, list[float]]:
    """Return the variance of a published cell, and of a sum of each level; rounding to whole trips adds 1/12."""
    return (scale / UNITS) ** 2 + 1 / 12, [level_deviation(scale, i) ** 2 + 1 / 12 for i in range(n_levels)]


def variances_of_levels(levels: Sequence[Level], scale: float) -> list[tuple[Ints, Floats, Floats]]:
    """Return for each level the number of cells of every pair, and the variance of its sum: agreed, and of its cells added up.

    In counted trips. The agreed one knows the levels below and its own noisy sum; what levels above add is left out.
    """
    n_cells, parents = _tree(levels)
    cell, variances = _variances(scale, len(levels))
    found = []
    sizes: Floats = n_cells.astype(np.float64)
    spread: Floats = sizes * cell
    for i, own in enumerate(variances):
        agreed = spread * own / (spread + own)
        found.append((sizes.astype(np.int64), agreed, sizes * cell))
        if i < len(parents):
            known, size = parents[i] >= 0, levels[i + 1].n_pairs
            sizes, spread = (
                np.bincount(parents[i][known], weights=of[known], minlength=size).astype(np.float64)
                for of in (sizes, agreed)
            )
    return found


def agreed_counts(
    counted: Floats,
    n_cells: Ints,
    noisy: Sequence[Floats],
    parents: Sequence[Ints],
    cell_variance: float,
    variances: Sequence[float],
) -> AgreedWeek:
    """Return the weighted least squares of all noisy numbers of a tree, in two passes: up, and down again.

    Up: the best estimate of a sum from all below it, its own noisy number and the sum of the estimates of its parts, each by the
    inverse of its variance. Down: what the final number of a sum differs from its parts is shared out among them
    by their variances (after Hay, Rastogi, Miklau, Suciu, PVLDB 3, 2010, where all variances are alike).

    Parameters
    ----------
    counted : ndarray, shape (D²,)
        Sum of the noisy cells of each pair of the lowest level.
    n_cells : ndarray, shape (D²,)
        How many cells those are; a pair without any is 0, whatever its noise.
    noisy : sequence of ndarray
        The noisy sums of each level, from the lowest up.
    parents : sequence of ndarray
        For each level but the highest, the pair one level up that each pair is part of, −1 without cells.
    cell_variance, variances : float
        Of the noise on a cell, and on a sum of each level.
    """
    parts: Floats = counted
    spread: Floats = n_cells.astype(np.float64) * cell_variance
    of_parts, of_spread, best, rest = [], [], [], []
    for level, own in enumerate(noisy):
        there = spread > 0
        trust = np.where(there, spread / (spread + variances[level]), 0.0)
        estimate = np.where(there, parts + trust * (own - parts), 0.0)
        of_parts.append(parts)
        of_spread.append(spread)
        best.append(estimate)
        rest.append(spread * (1 - trust))
        if level < len(parents):
            known = parents[level] >= 0
            size = noisy[level + 1].size
            parts, spread = (
                np.bincount(parents[level][known], weights=of[known], minlength=size).astype(np.float64)
                for of in (estimate, rest[-1])
            )
    final = [best[-1]]
    for level in range(len(noisy) - 2, -1, -1):
        above = parents[level]
        known = above >= 0
        missing = final[0] - of_parts[level + 1]
        share = np.zeros(above.size)
        share[known] = rest[level][known] / of_spread[level + 1][above[known]]
        final.insert(0, np.where(known, best[level] + share * missing[above], 0.0))
    added = np.divide(final[0] - counted, n_cells, out=np.zeros(counted.size), where=n_cells > 0)
    return AgreedWeek(sums=tuple(final), added=added)
