"""Fingerprints and nearest others → why users are hard to hide: parts of space and time, and their spread.

For every user the distances of all samples to the k − 1 nearest others are pooled.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError
from privlab.defaults import DEFAULT_KS
from privlab.fingerprints.fingerprints import Fingerprints
from privlab.fingerprints.measures.kgap import ks_from_numbers
from privlab.fingerprints.search.compiled import kernel
from privlab.fingerprints.search.index import search_data, search_units
from privlab.fingerprints.search.neighbours import Neighbours
from privlab.fingerprints.search.workers import Stop, results_of_parts, workers_or_all
from privlab.progress import UNHEARD, Progress

# Φ⁻¹(0.75) / Φ⁻¹(0.99): the tail weight of a normal distribution is 1.
NORMAL = 0.28993503410326177


@kernel
def least_cells(data: Any, cell: int, first: int, end: int, most: int) -> Any:
    """Return the least L1 distance in cells, at most `most`, from a cell to the cells `first` to `end`."""
    x, y = data.cell_x[cell], data.cell_y[cell]
    their_x, their_y = data.cell_x[first:end], data.cell_y[first:end]
    least = np.int32(most)
    for j in range(their_x.size):
        gap_x, gap_y = abs(np.int32(their_x[j] - x)), abs(np.int32(their_y[j] - y))
        least = min(least, np.int32(gap_x + gap_y))
    return np.int64(least)


@kernel
def nearest_parts(
    data: Any, units: Any, longer: int, shorter: int, cells: Any, minutes: Any, least: Any
) -> Any:
    """Set how many cells and minutes each sample of the longer is from its nearest one, caps applied.

    Of samples equally near the one nearer in time counts. Returns how many samples there are.
    """
    first, end = data.offsets[longer], data.offsets[longer + 1]
    low, high = data.offsets[shorter], data.offsets[shorter + 1]
    cell = data.cell_offsets[longer]
    for c in range(cell, data.cell_offsets[longer + 1]):
        least[c - cell] = -1
    after = low
    for i in range(first, end):
        t, x, y, c = data.t[i], data.x[i], data.y[i], data.cell[i] - cell
        if least[c] < 0:
            least[c] = least_cells(
                data,
                data.cell[i],
                data.cell_offsets[shorter],
                data.cell_offsets[shorter + 1],
                units.most_cells,
            )
        bound = min(units.per_cell * least[c], units.most_space)
        while after < high and data.t[after] < t:
            after += 1
        # What is nearest in space is at hand at any time: the time part then is the largest there is.
        best, best_cells, best_min = units.most_time + bound + 1, least[c], units.most_min
        right, left = after, after - 1
        while True:
            gap, j = np.int64(units.most_min), -1
            if right < high:
                gap, j = np.int64(data.t[right] - t), right
            if left >= low and t - data.t[left] < gap:
                gap, j = np.int64(t - data.t[left]), left
            if j < 0 or gap >= units.most_min or units.per_min * gap + bound >= best:
                break
            far = min(abs(data.x[j] - x) + abs(data.y[j] - y), units.most_cells)
            total = units.per_min * gap + min(units.per_cell * far, units.most_space)
            if total < best:
                best, best_cells, best_min = total, far, gap
            if j == right:
                right += 1
            else:
                left -= 1
        cells[i - first], minutes[i - first] = best_cells, best_min
    return end - first


@kernel
def spread(values: Any, counts: Any, n: int) -> Any:
    """Return Gini coefficient and tail weight index of `n` values, given ascending, each so many times.

    The coefficient is 0 where all values are 0; the index is NaN where the upper quartile is the median.
    """
    # 2·Σ i·s_i / (N·Σ s) − (N + 1)/N over s ascending, i from 1: Gramaglia and Fiore 2015, Eq. (6), sign mended.
    total, weighted, below = 0.0, 0.0, np.int64(0)
    middle, upper, top = -1.0, -1.0, -1.0
    for i in range(values.size):
        c = np.int64(counts[i])
        if c == 0:
            continue
        value = np.float64(values[i])
        total += c * value
        weighted += value * (c * (2 * below + c + 1)) / 2
        below += c
        if middle < 0 and 2 * below >= n:
            middle = value
        if upper < 0 and 4 * below >= 3 * n:
            upper = value
        if top < 0 and 100 * below >= 99 * n:
            top = value
    gini = 0.0 if total == 0 else 2 * weighted / (n * total) - (n + 1) / n
    tail = np.nan if upper == middle else (top - middle) / (upper - middle) * NORMAL
    return gini, tail


@kernel
def disperse_block(
    data: Any, units: Any, queries: Any, others: Any, ks: Any, most_bins: int, out: Any, stop: Any
) -> Any:
    """Fill `out` (queries, ks, 11) for users and their nearest others; return how many users were done.

    The columns are temporal share, three Gini coefficients and three tail weights (all, space, time),
    mean parts of space and time as shares of their caps, and the shares of samples that are as far as these.
    """
    room = np.empty((3, data.most_samples), dtype=np.int64)
    space_values = np.minimum(np.arange(units.most_cells + 1) * units.per_cell, units.most_space)
    time_values = np.minimum(np.arange(units.most_min + 1) * units.per_min, units.most_time)
    counted = units.largest < most_bins
    values = np.arange(units.largest + 1 if counted else 1)
    counts = np.zeros(values.size, dtype=np.int64)
    space_counts = np.zeros(space_values.size, dtype=np.int64)
    time_counts = np.zeros(time_values.size, dtype=np.int64)
    for q in range(queries.size):
        if stop[0]:
            return q
        counts[:], space_counts[:], time_counts[:] = 0, 0, 0
        n, column, mean_space, mean_time, sum_space, sum_time = 0, 0, 0.0, 0.0, np.int64(0), np.int64(0)
        capped_space, capped_time = np.int64(0), np.int64(0)
        all_values = np.empty(0 if counted else longest_pool(data, queries[q], others[q]), dtype=np.int64)
        for rank in range(others.shape[1]):
            longer, shorter = queries[q], others[q, rank]
            if data.n_samples[shorter] > data.n_samples[longer]:
                longer, shorter = shorter, longer
            length = nearest_parts(data, units, longer, shorter, room[0], room[1], room[2])
            pair_space, pair_time = np.int64(0), np.int64(0)
            for i in range(length):
                cells, minutes = room[0, i], room[1, i]
                space, time = space_values[cells], time_values[minutes]
                space_counts[cells] += 1
                time_counts[minutes] += 1
                if counted:
                    counts[space + time] += 1
                else:
                    all_values[n + i] = space + time
                pair_space += space
                pair_time += time
                capped_space += space == units.most_space
                capped_time += time == units.most_time
            n += length
            sum_space += pair_space
            sum_time += pair_time
            mean_space += pair_space / length
            mean_time += pair_time / length
            if column < ks.size and rank == ks[column] - 2:
                result = out[q, column]
                result[0] = np.nan if sum_space + sum_time == 0 else sum_time / (sum_space + sum_time)
                if counted:
                    result[1], result[4] = spread(values, counts, n)
                else:
                    result[1], result[4] = spread(np.sort(all_values[:n]), np.ones(n, dtype=np.int64), n)
                result[2], result[5] = spread(space_values, space_counts, n)
                result[3], result[6] = spread(time_values, time_counts, n)
                result[7] = mean_space / (rank + 1) / units.most_space
                result[8] = mean_time / (rank + 1) / units.most_time
                result[9], result[10] = capped_space / n, capped_time / n
                column += 1
    return queries.size


@kernel
def longest_pool(data: Any, query: int, others: Any) -> Any:
    """Return how many sample distances there are between a user and its nearest others."""
    total = np.int64(0)
    for rank in range(others.size):
        total += max(data.n_samples[query], data.n_samples[others[rank]])
    return total


Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]

_MOST_BINS = 100_000  # distinct distances up to which they are counted rather than sorted
_BLOCKS = 64  # parts that the work is done in
MEASURES = (
    "temporal_share",
    "gini",
    "gini_spatial",
    "gini_temporal",
    "tail_weight",
    "tail_weight_spatial",
    "tail_weight_temporal",
    "mean_km",
    "mean_min",
)


_COLUMNS = (*MEASURES, "capped_km", "capped_min")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dispersion:
    """What the sample distances of some users are made of, for several k; all arrays (Q, len(ks)) float64.

    `temporal_share` is the part of time in the sum of distances, NaN where that is 0. `gini` is 0 for equal
    distances and near 1 for a few large ones. `tail_weight` is 1 for a normal distribution, NaN where
    the upper quartile is the median. `mean_km` and `mean_min` are what the nearest sample is away, at most
    the caps, averaged as the k-gap is: k-gap = space_weight·mean_km/max_km + time_weight·mean_min/max_min.
    `capped_km` and `capped_min` are the shares of samples that are as far as the caps or farther: where one is
    above 0, the samples are farther away than their mean says.
    """

    ks: tuple[int, ...]
    query: Int64s
    temporal_share: Floats
    gini: Floats
    gini_spatial: Floats
    gini_temporal: Floats
    tail_weight: Floats
    tail_weight_spatial: Floats
    tail_weight_temporal: Floats
    mean_km: Floats
    mean_min: Floats
    capped_km: Floats
    capped_min: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class DispersionSummary:
    """Medians over the users for whom a measure is defined, NaN if for nobody, and for how many it is not.

    `share_mostly_temporal` is the share of users, of those with a temporal share, with one of at least 0.8.
    """

    median: dict[str, float]
    n_undefined: dict[str, int]
    share_mostly_temporal: float


def dispersion_from_neighbours(
    fingerprints: Fingerprints,
    neighbours: Neighbours,
    ks: Sequence[int] = DEFAULT_KS,
    *,
    n_workers: int | None = None,
    progress: Progress = UNHEARD,
) -> Dispersion:
    """Return the parts and the spread of every user's sample distances, for every k.

    NaN for a k above the number of users. Raises
    ParameterError for a k that the neighbours do not reach.
    """
    ks = ks_from_numbers(ks)
    if ks[-1] > neighbours.k:
        raise ParameterError(
            f"k must be at most {neighbours.k}, for which neighbours were found, got {ks[-1]}."
        )
    data = search_data(fingerprints)[0]
    units = search_units(fingerprints, neighbours.parameters)
    number = np.argsort(data.user)
    out = np.full((neighbours.query.size, len(ks), len(_COLUMNS)), np.nan)

    def disperse(rows: slice, stop: Stop) -> None:
        queries, others = number[neighbours.query[rows]], number[neighbours.other[rows]]
        disperse_block(data, units, queries, others, np.array(ks), _MOST_BINS, out[rows], stop)

    size = max(1, neighbours.query.size // _BLOCKS)
    results_of_parts(
        disperse,
        [slice(first, first + size) for first in range(0, neighbours.query.size, size)],
        workers_or_all(n_workers),
        progress,
        "Taking the distances apart",
    )
    out[:, :, 7] *= neighbours.parameters.max_km
    out[:, :, 8] *= neighbours.parameters.max_min
    measures = {name: out[:, :, column].copy() for column, name in enumerate(_COLUMNS)}
    return Dispersion(ks=ks, query=neighbours.query, **measures)


def summary_from_dispersion(dispersion: Dispersion, k: int) -> DispersionSummary:
    """Return medians over users for one k, and how often each measure is undefined."""
    column = dispersion.ks.index(k)
    columns = {name: getattr(dispersion, name)[:, column] for name in MEASURES}
    known = {name: values[~np.isnan(values)] for name, values in columns.items()}
    shares = known["temporal_share"]
    return DispersionSummary(
        median={
            name: float(np.median(values)) if values.size else float("nan") for name, values in known.items()
        },
        n_undefined={name: int(np.isnan(values).sum()) for name, values in columns.items()},
        share_mostly_temporal=float((shares >= 0.8).mean()) if shares.size else float("nan"),
    )
