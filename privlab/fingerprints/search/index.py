"""Fingerprints → what a search for nearest others works on: users in an order, regions, lookup tables.

Nothing here changes what is found; it decides how soon.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError
from privlab.datasets.engines import array_on_disk
from privlab.fingerprints.fingerprints import Fingerprints
from privlab.fingerprints.search.bounds import TILE, TOP, fill_space, fill_time
from privlab.fingerprints.search.narrow import NarrowSamples, narrow_samples
from privlab.fingerprints.search.order import users_in_order
from privlab.fingerprints.search.regions import (
    blocks_of_users,
    boxes_from_regions,
    counted_pairs,
    distinct_places,
    regions_from_points,
)
from privlab.fingerprints.search.stretch import StretchParameters
from privlab.limits import MAX_SEARCH_GB
from privlab.progress import UNHEARD, Progress

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Tables = npt.NDArray[np.uint8]

_REGIONS, _SLOTS = 2_048, 1_024
_TABLE_BYTES = 1_500_000_000
ROUND_USERS = 16_384  # others, at most, whose bounds one worker holds at once
_BLOCK = 256  # queries, at most, that are looked at side by side
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
    """Users numbered in the order of order.py; `user` is the position. Samples by user, then time.

    `cell` is the number of a sample's cell among all users' distinct cells, which `cell_offsets` cuts by user.
    """

    offsets: Int64s
    t: Int32s
    x: Int32s
    y: Int32s
    cell: Int32s
    cell_offsets: Int64s
    cell_x: Int32s
    cell_y: Int32s
    cell_count: Int32s
    n_samples: Int64s
    user: Int32s
    most_samples: int


class SearchRows(NamedTuple):
    """Per user the rows of the tables where the samples are, and how many: regions, from `middle` on slots.

    `offsets` cuts rows and counts by user. A sum of counts · entries over regions (slots), by the number of
    samples and times `space_scale` (`time_scale`), is a bound whose largest value would be TOP.
    """

    offsets: Int64s
    middle: Int64s
    rows: npt.NDArray[np.uint16]
    counts: Int32s
    n_samples: Int64s
    space_scale: float
    time_scale: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SearchIndex:
    """All that the search needs.

    `regions` (R, 2, 2) and `slots` (T, 1, 2) are boxes: least and largest coordinate per axis. `tables`
    (tiles, R + T, TILE) has the least distance of each region and slot to each user, in `table_steps`;
    `tile_tables` (⌈tiles / TILE⌉, R + T, TILE) the least of these over all users of each tile.
    """

    data: SearchData
    narrow: NarrowSamples
    units: SearchUnits
    regions: Int32s
    slots: Int32s
    people: SearchRows
    tables: Tables
    tile_tables: Tables
    table_steps: tuple[int, int]


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


def block_size(n_queries: int) -> int:
    """Return how many queries one worker looks at side by side: few enough for progress to be told."""
    return int(np.clip(n_queries // _BLOCKS, 1, _BLOCK))


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRoom:
    """What a search takes besides the fingerprints, in GB, estimated from above.

    `held_gb` must be in memory: samples, and what each thread is at. The tables and the neighbours found may lie on
    disk, and do where all together would be too much.
    """

    held_gb: float
    tables_gb: float
    found_gb: float

    @property
    def is_on_disk(self) -> bool:
        """Whether tables and neighbours lie on disk."""
        return self.held_gb + self.tables_gb + self.found_gb > MAX_SEARCH_GB

    @property
    def memory_gb(self) -> float:
        """The memory that is taken."""
        return self.held_gb + (0.0 if self.is_on_disk else self.tables_gb + self.found_gb)

    @property
    def disk_gb(self) -> float:
        """The disk that is taken."""
        return self.tables_gb + self.found_gb if self.is_on_disk else 0.0

    def require_enough(self) -> None:
        """Raise ParameterError if a search would take more memory than it may."""
        if self.memory_gb > MAX_SEARCH_GB:
            raise ParameterError(
                f"the search must fit {MAX_SEARCH_GB:g} GB of memory, got an estimate of {self.memory_gb:.1f} GB; "
                "take fewer users (sample_users) or fewer query users."
            )

    def array(self, shape: tuple[int, ...], kind: npt.DTypeLike) -> npt.NDArray[Any]:
        """Return an array to be filled, for tables or neighbours. Raises DataError if the disk is too small for it."""
        return array_on_disk(shape, kind) if self.is_on_disk else np.empty(shape, dtype=kind)


def search_room(
    fingerprints: Fingerprints, *, n_queries: int, k: int, n_workers: int, pruned: bool = True
) -> SearchRoom:
    """Return the room that a search takes; with no queries, that of an index which somebody else asks."""
    n_users, n_samples = fingerprints.n_users, int(fingerprints.offsets[-1])
    rows = sum(n_rows_allowed(n_users)) if pruned else 0
    a_round = 2 * block_size(n_queries) * (min(n_users, ROUND_USERS) + 3 * n_users // TILE) + 4 * n_users
    working = rows * (n_users // TILE + 2 * TILE + n_workers * _BLOCK) + pruned * n_workers * a_round
    return SearchRoom(
        held_gb=(working + 60 * n_samples + 400 * n_users) / 1e9,
        tables_gb=rows * (n_users + TILE) / 1e9,
        found_gb=n_queries * min(k - 1, n_users) * 16 / 1e9,
    )


def search_data(fingerprints: Fingerprints) -> tuple[SearchData, Int32s, Int32s]:
    """Return the arrays of the search, with the distinct places (G, 2) and the place of every distinct cell."""
    order = users_in_order(fingerprints)
    n_samples = fingerprints.n_samples[order]
    offsets = np.concatenate([[0], np.cumsum(n_samples)]).astype(np.int64)
    x, y, t = (np.empty(offsets[-1], dtype=np.int32) for _ in range(3))
    for users in blocks_of_users(order.size):
        mine = order[users]
        to = slice(offsets[users.start], offsets[users.start + mine.size])
        at = np.arange(to.start, to.stop) + np.repeat(
            fingerprints.offsets[mine] - offsets[users], n_samples[users]
        )
        x[to], y[to], t[to] = fingerprints.x[at], fingerprints.y[at], fingerprints.t[at]
    places, place = distinct_places(x, y)
    cell_offsets, cells, cell_count, cell = counted_pairs(offsets, place)
    data = SearchData(
        offsets=offsets,
        t=t,
        x=x,
        y=y,
        cell=cell,
        cell_offsets=cell_offsets,
        cell_x=places[cells, 0].copy(),
        cell_y=places[cells, 1].copy(),
        cell_count=cell_count,
        n_samples=n_samples.astype(np.int64),
        user=order.astype(np.int32),
        most_samples=int(n_samples.max(initial=1)),
    )
    return data, places, cells


def index_from_fingerprints(
    fingerprints: Fingerprints, parameters: StretchParameters, room: SearchRoom, progress: Progress = UNHEARD
) -> SearchIndex:
    """Return the index of a search; the tables are still to be filled, tile by tile, by `fill_tile`."""
    data, places, cells = search_data(fingerprints)
    progress.tell(0.35)
    units, n_users = search_units(fingerprints, parameters), data.user.size
    most_regions, most_slots = n_rows_allowed(n_users)
    weights = np.bincount(cells, weights=data.cell_count, minlength=len(places)).astype(np.int64)
    region = regions_from_points(places, weights, most_regions)
    times, time_weights = np.unique(data.t, return_counts=True)
    slot = regions_from_points(times[:, None], time_weights, most_slots)
    regions = boxes_from_regions(places, region)
    slots = boxes_from_regions(times[:, None], slot)
    progress.tell(0.6)
    in_time = np.argsort(slots[:, 0, 0])
    slots = slots[in_time]
    table_steps = (
        _table_step(units.per_cell, units.most_space),
        _table_step(units.per_min * fingerprints.bin_min, units.most_time),
    )
    n_tiles, n_rows = -(-n_users // TILE), len(regions) + len(slots)
    return SearchIndex(
        data=data,
        narrow=narrow_samples(data.offsets, data.x, data.y, data.t, units),
        units=units,
        regions=regions,
        slots=slots,
        people=_search_rows(data, units, region[cells], slots, len(regions), table_steps),
        tables=room.array((n_tiles, n_rows, TILE), np.uint8),
        tile_tables=np.zeros((-(-n_tiles // TILE), n_rows, TILE), dtype=np.uint8),
        table_steps=table_steps,
    )


def _search_rows(
    data: SearchData,
    units: SearchUnits,
    region: Int32s,
    slots: Int32s,
    n_regions: int,
    table_steps: tuple[int, int],
) -> SearchRows:
    """Return the rows of every user; `region` is that of each distinct cell of a user."""
    near = counted_pairs(data.cell_offsets, region, data.cell_count)
    slot = (np.searchsorted(slots[:, 0, 0], data.t, side="right") - 1).astype(np.int32)
    when = counted_pairs(data.offsets, slot)
    n_near, n_when = np.diff(near[0]), np.diff(when[0])
    offsets = np.concatenate([[0], np.cumsum(n_near + n_when)]).astype(np.int64)
    middle = offsets[:-1] + n_near
    rows, counts = np.empty(offsets[-1], dtype=np.uint16), np.empty(offsets[-1], dtype=np.int32)
    for begins, n, (pair_offsets, groups, group_counts, _), first in (
        (offsets[:-1], n_near, near, 0),
        (middle, n_when, when, n_regions),
    ):
        at = np.arange(groups.size) + np.repeat(begins - pair_offsets[:-1], n)
        rows[at], counts[at] = groups + first, group_counts
    scale = TOP / units.largest * (1 - 1e-9)
    return SearchRows(
        offsets=offsets,
        middle=middle,
        rows=rows,
        counts=counts,
        n_samples=data.n_samples,
        space_scale=table_steps[0] * scale,
        time_scale=table_steps[1] * scale,
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


def fill_tile(index: SearchIndex, tile: int) -> None:
    """Fill the table of a tile, and its column in the tables of tiles."""
    table, users = index.tables[tile], users_of_tile(index, tile)
    fill_table(index, users, table)
    index.tile_tables[tile // TILE, :, tile % TILE] = table[:, : users.size].min(axis=1)


def users_of_tile(index: SearchIndex, tile: int) -> Int64s:
    """Return the numbers of a tile's users."""
    return np.arange(tile * TILE, min((tile + 1) * TILE, index.data.user.size))
