"""Lower bounds of fingerprint distances, compiled: least distances from every region to every user, and sums.

For any a and b: mean over a's samples of min(space + time) ≥ mean of min space + mean of min time. The least
parts are looked up per region and per slot of time, for the users of a tile side by side. The least of a whole
tile stand in a table of tiles: one sum over it is below the bound of everybody in that tile.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.fingerprints.search.compiled import kernel

TILE = 128  # users whose least distances stand side by side
TOP = 65_535  # bounds are kept as uint16; no bound is as large
SHORT = 257  # samples up to which 16 bits hold a sum of bytes
Tables = npt.NDArray[np.uint8]


@kernel
def fill_space(
    table: Tables, users: Any, cell_offsets: Any, cell_x: Any, cell_y: Any, box: Any, units: Any, step: int
) -> None:
    """Fill `table` (regions, users) with the least spatial part, in steps, from a region's box to each user."""
    n_regions = box.shape[0]
    per_cell, most_space, most_cells = units.per_cell, units.most_space, units.most_cells
    low_x, high_x = box[:, 0, 0].copy(), box[:, 0, 1].copy()
    low_y, high_y = box[:, 1, 0].copy(), box[:, 1, 1].copy()
    least = np.empty(n_regions, dtype=np.int32)
    for column in range(users.size):
        user = users[column]
        least[:] = most_cells
        for c in range(cell_offsets[user], cell_offsets[user + 1]):
            x, y = cell_x[c], cell_y[c]
            for r in range(n_regions):
                gap_x = max(np.int32(low_x[r] - x), np.int32(x - high_x[r]), np.int32(0))
                gap_y = max(np.int32(low_y[r] - y), np.int32(y - high_y[r]), np.int32(0))
                least[r] = min(least[r], np.int32(gap_x + gap_y))
        for r in range(n_regions):
            table[r, column] = min(per_cell * np.int64(least[r]), most_space) // step


@kernel
def fill_time(
    table: Tables, users: Any, offsets: Any, t: Any, slot: Any, per_min: int, most_time: int, step: int
) -> None:
    """Fill `table` (slots, users) with the least temporal part, in steps, from a slot to each user."""
    for column in range(users.size):
        first, end = offsets[users[column]], offsets[users[column] + 1]
        after = first
        for s in range(slot.shape[0]):
            low, high = np.int64(slot[s, 0, 0]), np.int64(slot[s, 0, 1])
            while after < end and t[after] < low:
                after += 1
            least = most_time
            if after < end:
                least = min(least, per_min * max(t[after] - high, 0))
            if after > first:
                least = min(least, per_min * (low - t[after - 1]))
            table[s, column] = least // step


@kernel
def add_short(rows: Any, counts: Any, first: int, end: int, table: Tables, total: Any) -> None:
    """Add count · table[row] to `total` (uint16), for fingerprints so short that 16 bits hold the sum."""
    e = first
    while e + 4 <= end:
        row0, row1, row2, row3 = table[rows[e]], table[rows[e + 1]], table[rows[e + 2]], table[rows[e + 3]]
        n0, n1 = np.uint16(counts[e]), np.uint16(counts[e + 1])
        n2, n3 = np.uint16(counts[e + 2]), np.uint16(counts[e + 3])
        for j in range(total.size):
            part = np.uint16(np.uint16(np.uint16(row0[j]) * n0) + np.uint16(np.uint16(row1[j]) * n1))
            rest = np.uint16(np.uint16(np.uint16(row2[j]) * n2) + np.uint16(np.uint16(row3[j]) * n3))
            total[j] = np.uint16(total[j] + np.uint16(part + rest))
        e += 4
    while e < end:
        row, n = table[rows[e]], np.uint16(counts[e])
        for j in range(total.size):
            total[j] = np.uint16(total[j] + np.uint16(np.uint16(row[j]) * n))
        e += 1


@kernel
def add_long(rows: Any, counts: Any, first: int, end: int, table: Tables, total: Any) -> None:
    """Add count · table[row] to `total` (int64), for fingerprints of any length."""
    for e in range(first, end):
        row, n = table[rows[e]], np.int64(counts[e])
        for j in range(total.size):
            total[j] += np.int64(row[j]) * n


@kernel
def sum_bounds(people: Any, user: int, table: Tables, room: Any, bounds: Any) -> None:
    """Set bounds[j] to a lower bound of the distance from a user to column j of `table`, the user being longer.

    The largest distance there is would be TOP. `room` is what `room_to_sum` gives.
    """
    first, middle, end = people.offsets[user], people.middle[user], people.offsets[user + 1]
    n = people.n_samples[user]
    space_scale, time_scale = people.space_scale / n, people.time_scale / n
    if n <= SHORT:
        space, time = room[0], room[1]
        space[:], time[:] = 0, 0
        add_short(people.rows, people.counts, first, middle, table, space)
        add_short(people.rows, people.counts, middle, end, table, time)
        for j in range(bounds.size):
            bounds[j] = np.uint16(space[j] * space_scale + time[j] * time_scale)
    else:
        far, late = room[2], room[3]
        far[:], late[:] = 0, 0
        add_long(people.rows, people.counts, first, middle, table, far)
        add_long(people.rows, people.counts, middle, end, table, late)
        for j in range(bounds.size):
            bounds[j] = np.uint16(far[j] * space_scale + late[j] * time_scale)


@kernel
def room_to_sum(width: int) -> Any:
    """Return room for sums over a table of so many columns."""
    return (
        np.empty(width, dtype=np.uint16),
        np.empty(width, dtype=np.uint16),
        np.empty(width, dtype=np.int64),
        np.empty(width, dtype=np.int64),
    )


@kernel
def bound_tiles(people: Any, queries: Any, tables: Any, bounds: Any, stop: Any) -> None:
    """Fill `bounds` (queries, columns) for `tables` (n, rows, TILE), the queries being longer."""
    room, line = room_to_sum(TILE), np.empty(TILE, dtype=np.uint16)
    for tile in range(tables.shape[0]):
        if stop[0]:
            return
        begin, finish = tile * TILE, min((tile + 1) * TILE, bounds.shape[1])
        for q in range(queries.size):
            sum_bounds(people, queries[q], tables[tile], room, line)
            bounds[q, begin:finish] = line[: finish - begin]


@kernel
def bound_block(people: Any, least: Any, shortest: int, bounds: Any) -> None:
    """Fill `bounds` (users) with bounds from everybody longer than `shortest` to all of a block at once.

    `least` (rows) is the least of the block's table. TOP stands for those who are not longer.
    """
    for user in range(bounds.size):
        n = people.n_samples[user]
        bounds[user] = TOP
        if n > shortest:
            space, time = np.int64(0), np.int64(0)
            for e in range(people.offsets[user], people.middle[user]):
                space += np.int64(least[people.rows[e]]) * people.counts[e]
            for e in range(people.middle[user], people.offsets[user + 1]):
                time += np.int64(least[people.rows[e]]) * people.counts[e]
            bounds[user] = np.uint16(space * (people.space_scale / n) + time * (people.time_scale / n))


@kernel
def bound_pairs(
    people: Any,
    queries: Any,
    tiles: Any,
    tables: Any,
    query_table: Tables,
    to_tile: Any,
    from_user: Any,
    limits: Any,
    bounds: Any,
    stop: Any,
) -> None:
    """Fill `bounds` (queries, tiles · TILE) with a lower bound of every distance, TOP where it is not needed.

    Not needed is whatever is above a query's limit by `to_tile` (queries, all tiles), the bound of a query
    to a tile where the query is longer, and `from_user` (users), that of a user to all queries where the
    user is longer. `query_table` has the tables of these queries.
    """
    n_queries, n_users = queries.size, people.n_samples.size
    room, line = room_to_sum(TILE), np.empty(TILE, dtype=np.uint16)
    query_room, query_line = (
        room_to_sum(query_table.shape[1]),
        np.empty(query_table.shape[1], dtype=np.uint16),
    )
    widest = limits.max()
    bounds[:] = TOP
    for at in range(tiles.size):
        if stop[0]:
            return
        tile = tiles[at]
        begin, n_columns = tile * TILE, min(TILE, n_users - tile * TILE)
        shortest = people.n_samples[begin : begin + n_columns].min()
        for q in range(n_queries):
            n = people.n_samples[queries[q]]
            if shortest <= n and to_tile[q, tile] <= limits[q]:
                sum_bounds(people, queries[q], tables[tile], room, line)
                for j in range(n_columns):
                    if people.n_samples[begin + j] <= n:
                        bounds[q, at * TILE + j] = line[j]
        for j in range(n_columns):
            if from_user[begin + j] < TOP and from_user[begin + j] <= widest:
                sum_bounds(people, begin + j, query_table, query_room, query_line)
                for q in range(n_queries):
                    if people.n_samples[begin + j] > people.n_samples[queries[q]]:
                        bounds[q, at * TILE + j] = query_line[q]
