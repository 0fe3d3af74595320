"""Fingerprints → what a search for nearest others works on: arrays by length, regions, lookup tables.

Nothing here changes what is found; it decides how soon.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError
from privlab.fingerprints.fingerprints import Fingerprints
from privlab.fingerprints.search.bounds import TILE, TOP, fill_space, fill_time
from privlab.fingerprints.search.regions import boxes_from_regions, counted_pairs, regions_from_points
from privlab.fingerprints.search.stretch import StretchParameters
from privlab.limits import MAX_SEARCH_GB

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

_REGIONS, _SLOTS = 2_048, 1_024
_TABLE_BYTES = 1_500_000_000
_BLOCK_BYTES = 256_000_000  # bounds that one worker holds
_BLOCKS = 32  # parts, or more, that a search is done in


class SearchUnits(NamedTuple):
    """The sample distance in whole numbers, as in StretchUnits, with its caps in cells and minutes.

    `largest` is the largest distance there is.
    """

    per_cell: int
    per_min: int
    most_space: int
    most_time: int
    most_cells: int
    most_min: int
    largest: int


class SearchData(NamedTuple):
    """Users numbered by length, then position; `user` is the position. Samples by user, then time.

    `cell` is the number of a sample's cell among all users' distinct cells, which `cell_offsets` cuts by user.
    """

    offsets: Int64s
    t: Int32s
    x: Int32s
    y: Int32s
    cell: Int64s
    cell_offsets: Int64s
    cell_x: Int32s
    cell_y: Int32s
    cell_count: Int32s
    n_samples: Int64s
    user: Int32s
    most_samples: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SearchIndex:
    """All that the search needs.

    `regions` (R, 2, 2) and `slots` (T, 1, 2) are boxes: least and largest coordinate per axis. Per user, rows
    (regions, then R + slots) and weights, cut by `row_offsets`: how often the samples are there, times the
    steps that table entries are in. `tables` (tiles, R + T, TILE) has the least distance of each row to
    each user. `steps` makes a bound of the mean of weighted rows.
    """

    data: SearchData
    units: SearchUnits
    regions: Int32s
    slots: Int32s
    row_offsets: Int64s
    rows: Int32s
    weights: Int32s
    tables: npt.NDArray[np.uint8]
    table_steps: tuple[int, int]
    steps: float


def search_units(fingerprints: Fingerprints, parameters: StretchParameters) -> SearchUnits:
    """Return the units. Raises ParameterError if sums over the longest fingerprint would be too large."""
    units = parameters.units(fingerprints.cell_m)
    largest, longest = units.most_space + units.most_time, int(fingerprints.n_samples.max(initial=1))
    if largest * longest**2 >= 2**62 // TOP:
        raise ParameterError(
            f"max_km, max_min and weights must have simpler proportions for fingerprints of {longest:,} samples."
        )
    return SearchUnits(
        per_cell=units.per_cell,
        per_min=units.per_min,
        most_space=units.most_space,
        most_time=units.most_time,
        most_cells=-(-units.most_space // units.per_cell),
        most_min=-(-units.most_time // units.per_min),
        largest=largest,
    )


def n_rows_allowed(n_users: int) -> tuple[int, int]:
    """Return how many regions and slots the tables may have."""
    share = min(1.0, _TABLE_BYTES / ((_REGIONS + _SLOTS) * max(1, n_users)))
    return max(1, int(_REGIONS * share)), max(1, int(_SLOTS * share))


def block_size(n_users: int, n_queries: int) -> int:
    """Return how many queries one worker bounds at once: few enough for memory, and for progress to be told."""
    return int(np.clip(min(_BLOCK_BYTES // (2 * max(1, n_users)), n_queries // _BLOCKS), 1, TILE))


def search_gb(
    fingerprints: Fingerprints, *, n_queries: int, k: int, n_workers: int, pruned: bool = True
) -> float:
    """Return the memory that a search takes besides the fingerprints, in GB, estimated from above."""
    n_users, n_samples = fingerprints.n_users, int(fingerprints.offsets[-1])
    found = n_queries * min(k - 1, n_users) * 16
    tables = sum(n_rows_allowed(n_users)) * (n_users + TILE * (1 + n_workers)) if pruned else 0
    bounds = n_workers * block_size(n_users, n_queries) * n_users * 2 if pruned else 0
    # Sorting distinct pairs of user and place, and of user and time, holds several copies.
    return (found + tables + bounds + 120 * n_samples) / 1e9


def require_memory(gb: float) -> None:
    """Raise ParameterError if a search would take more memory than it may."""
    if gb > MAX_SEARCH_GB:
        raise ParameterError(
            f"the search must fit {MAX_SEARCH_GB:g} GB of memory, got an estimate of {gb:.1f} GB; "
            "take fewer users (sample_users), a smaller k or fewer query users."
        )


def search_data(fingerprints: Fingerprints) -> tuple[SearchData, Int32s, Int32s]:
    """Return the arrays of the search, with the distinct places (G, 2) and the place of every distinct cell."""
    order = np.argsort(fingerprints.n_samples, kind="stable")
    n_samples = fingerprints.n_samples[order]
    offsets = np.concatenate([[0], np.cumsum(n_samples)]).astype(np.int64)
    at = np.arange(offsets[-1]) + np.repeat(fingerprints.offsets[order] - offsets[:-1], n_samples)
    x, y, t = fingerprints.x[at], fingerprints.y[at], fingerprints.t[at]
    packed = (x.astype(np.int64) << 32) + y
    known, place = np.unique(packed, return_inverse=True)
    places = np.stack([known + 2**31 >> 32, (known + 2**31 & 0xFFFFFFFF) - 2**31], axis=1).astype(np.int32)
    user = np.repeat(np.arange(order.size, dtype=np.int32), n_samples)
    cell_offsets, cells, cell_count, cell = counted_pairs(user, place.astype(np.int32), order.size)
    data = SearchData(
        offsets=offsets,
        t=t,
        x=x,
        y=y,
        cell=cell.astype(np.int64),
        cell_offsets=cell_offsets,
        cell_x=places[cells, 0].copy(),
        cell_y=places[cells, 1].copy(),
        cell_count=cell_count,
        n_samples=n_samples.astype(np.int64),
        user=order.astype(np.int32),
        most_samples=int(n_samples.max(initial=1)),
    )
    return data, places, cells


def index_from_fingerprints(fingerprints: Fingerprints, parameters: StretchParameters) -> SearchIndex:
    """Return the index of a search; `tables` are still to be filled, tile by tile, by `fill_tile`."""
    data, places, cells = search_data(fingerprints)
    units, n_users = search_units(fingerprints, parameters), data.user.size
    most_regions, most_slots = n_rows_allowed(n_users)
    weights = np.bincount(cells, weights=data.cell_count, minlength=len(places)).astype(np.int64)
    region = regions_from_points(places, weights, most_regions)
    times, time, time_weights = np.unique(data.t, return_inverse=True, return_counts=True)
    slot = regions_from_points(times[:, None], time_weights, most_slots)
    regions = boxes_from_regions(places, region)
    slots = boxes_from_regions(times[:, None], slot)
    in_time = np.argsort(slots[:, 0, 0])
    slot, slots = np.argsort(in_time).astype(np.int32)[slot], slots[in_time]
    table_steps = (
        _table_step(units.per_cell, units.most_space),
        _table_step(units.per_min * fingerprints.bin_min, units.most_time),
    )
    user = np.repeat(np.arange(n_users, dtype=np.int32), data.n_samples)
    row_user = np.concatenate([user, user])
    row = np.concatenate([region[cells][data.cell], slot[time] + np.int32(len(regions))])
    row_offsets, rows, counts, _ = counted_pairs(row_user, row, n_users)
    unit = -(-units.largest * data.most_samples // (2**31 - 1))
    step = np.where(rows < len(regions), *table_steps)
    n_tiles = -(-n_users // TILE)
    return SearchIndex(
        data=data,
        units=units,
        regions=regions,
        slots=slots,
        row_offsets=row_offsets,
        rows=rows,
        weights=(counts.astype(np.int64) * step // unit).astype(np.int32),
        tables=np.empty((n_tiles, len(regions) + len(slots), TILE), dtype=np.uint8),
        table_steps=table_steps,
        steps=unit * TOP / units.largest * (1 - 1e-9),
    )


def _table_step(smallest: int, most: int) -> int:
    """Return the step that distances are kept in as bytes: the smallest difference there is, if it fits."""
    return smallest if most // smallest <= 255 else -(-most // 255)


def fill_table(index: SearchIndex, users: Any, table: npt.NDArray[np.uint8]) -> None:
    """Fill `table` (R + T, TILE) with the least distances of up to TILE users, by their numbers here."""
    data, units, n_regions = index.data, index.units, len(index.regions)
    space, time = index.table_steps
    fill_space(
        table[:n_regions], users, data.cell_offsets, data.cell_x, data.cell_y, index.regions, units, space
    )
    fill_time(
        table[n_regions:], users, data.offsets, data.t, index.slots, units.per_min, units.most_time, time
    )


def tiles(index: SearchIndex) -> Iterator[tuple[Int64s, npt.NDArray[np.uint8]]]:
    """Return the users of each tile with the table that is to be filled for them."""
    for tile, table in enumerate(index.tables):
        yield np.arange(tile * TILE, min((tile + 1) * TILE, index.data.user.size)), table
