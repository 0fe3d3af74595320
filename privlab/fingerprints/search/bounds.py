"""Lower bounds of fingerprint distances, compiled: least distances from every region to every user, and sums.

For any a and b: mean over a's samples of min(space + time) ≥ mean of min space + mean of min time. The least
parts are looked up per region and per slot of time, for 256 users side by side.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.fingerprints.search.compiled import kernel

TILE = 256
TOP = 65_535  # bounds are kept as uint16
Tables = npt.NDArray[np.uint8]


@kernel
def fill_space(
    table: Tables, users: Any, cell_offsets: Any, cell_x: Any, cell_y: Any, box: Any, units: Any, step: int
) -> None:
    """Fill `table` (regions, TILE) with the least spatial part, in steps, from a region's box to each user."""
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
    """Fill `table` (slots, TILE) with the least temporal part, in steps, from a slot to each user."""
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
def sum_bounds(
    rows: Any, weights: Any, first: int, end: int, table: Tables, scale: float, bounds: Any
) -> None:
    """Set bounds[j] = floor(scale · Σ weight · table[row, j]) over one user's rows, for TILE users j."""
    total = np.zeros(TILE, dtype=np.int32)
    e = first
    while e + 4 <= end:
        row0, row1, row2, row3 = table[rows[e]], table[rows[e + 1]], table[rows[e + 2]], table[rows[e + 3]]
        w0, w1, w2, w3 = weights[e], weights[e + 1], weights[e + 2], weights[e + 3]
        for j in range(TILE):
            part = np.int32(np.int32(row0[j]) * w0) + np.int32(np.int32(row1[j]) * w1)
            rest = np.int32(np.int32(row2[j]) * w2) + np.int32(np.int32(row3[j]) * w3)
            total[j] = np.int32(total[j] + np.int32(np.int32(part) + np.int32(rest)))
        e += 4
    while e < end:
        row, w = table[rows[e]], weights[e]
        for j in range(TILE):
            total[j] = np.int32(total[j] + np.int32(np.int32(row[j]) * w))
        e += 1
    for j in range(TILE):
        bounds[j] = np.uint16(total[j] * scale)


@kernel
def bound_block(
    bounds: Any,
    queries: Any,
    query_table: Tables,
    tables: Any,
    n_samples: Any,
    row_offsets: Any,
    rows: Any,
    weights: Any,
    steps: float,
    stop: Any,
) -> None:
    """Fill `bounds` (queries, users) with a lower bound of every distance; the largest there is would be TOP.

    `steps` makes such a bound of a mean of weighted rows. Users are numbered by length. `query_table` has
    the tables of these queries, `tables` (tiles, rows, TILE) those of everyone.
    """
    n_queries, n_users = queries.size, n_samples.size
    shortest, longest = n_samples[queries[0]], n_samples[queries[-1]]
    line = np.empty(TILE, dtype=np.uint16)
    for tile in range(tables.shape[0]):
        begin, finish = tile * TILE, min((tile + 1) * TILE, n_users)
        if stop[0]:
            return
        if n_samples[begin] <= longest:
            for q in range(n_queries):
                user = queries[q]
                scale = steps / n_samples[user]
                sum_bounds(rows, weights, row_offsets[user], row_offsets[user + 1], tables[tile], scale, line)
                bounds[q, begin:finish] = line[: finish - begin]
        if n_samples[finish - 1] > shortest:
            for other in range(begin, finish):
                if n_samples[other] <= shortest:
                    continue
                scale = steps / n_samples[other]
                sum_bounds(
                    rows, weights, row_offsets[other], row_offsets[other + 1], query_table, scale, line
                )
                for q in range(n_queries):
                    if n_samples[other] > n_samples[queries[q]]:
                        bounds[q, other] = line[q]
