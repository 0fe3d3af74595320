"""The exact search of one block of users for their nearest others, compiled.

All sums are whole numbers; a distance is a sum over a number of samples, and two are compared crosswise.
"""

from typing import Any

import numpy as np

from privlab.fingerprints.search.compiled import kernel

_FEW_PAIRS = 16_384  # pairs of cells up to which all their distances are worked out beforehand
_TOP = 65_535  # the bound of a distance as large as there is
_COARSE = 4  # bits by which bounds are coarsened to be counted
_PROMISING = 0.75  # share of the limit up to which bounds are promising
_FEW_SAMPLES = 65_536  # pairs of samples up to which all their distances are worked out


@kernel
def least_space(data: Any, cell: int, first: int, end: int, units: Any) -> Any:
    """Return the least spatial part from a cell to the cells `first` to `end`."""
    x, y = data.cell_x[cell], data.cell_y[cell]
    their_x, their_y = data.cell_x[first:end], data.cell_y[first:end]
    least = np.int32(units.most_cells)
    for j in range(their_x.size):
        gap_x, gap_y = abs(np.int32(their_x[j] - x)), abs(np.int32(their_y[j] - y))
        least = min(least, np.int32(gap_x + gap_y))
    return min(units.per_cell * np.int64(least), units.most_space)


@kernel
def pair_sum(
    data: Any, units: Any, longer: int, shorter: int, most: int, space: Any, time: Any, at: Any
) -> Any:
    """Return the sum over the longer one's samples of the least distance, or a number above `most`.

    `space`, `time` and `at` are room to work in, for as many samples as anybody has.
    """
    first, end = data.offsets[longer], data.offsets[longer + 1]
    low, high = data.offsets[shorter], data.offsets[shorter + 1]
    cell, cell_end = data.cell_offsets[longer], data.cell_offsets[longer + 1]
    their_cell, their_end = data.cell_offsets[shorter], data.cell_offsets[shorter + 1]
    total = np.int64(0)
    # Least parts of space and of time, apart: their sum is the bound that the rest is raised from.
    known = (cell_end - cell) * (their_end - their_cell) <= _FEW_PAIRS
    for c in range(cell, cell_end):
        space[c - cell] = -1
        if known:
            least = least_space(data, c, their_cell, their_end, units)
            space[c - cell] = least
            total += data.cell_count[c] * least
    if total > most:
        return total
    after = low
    for i in range(first, end):
        t = data.t[i]
        while after < high and data.t[after] < t:
            after += 1
        gap = units.most_min
        if after < high:
            gap = min(gap, data.t[after] - t)
        if after > low:
            gap = min(gap, t - data.t[after - 1])
        at[i - first] = after
        time[i - first] = min(units.per_min * gap, units.most_time)
        total += time[i - first]
    for i in range(first, end):
        if total > most:
            return total
        c = data.cell[i] - cell
        if space[c] < 0:
            space[c] = least_space(data, data.cell[i], their_cell, their_end, units)
        bound = space[c] if known else 0
        # What is nearest in space is at hand at any time: the time part then is the largest there is.
        best = scan_outwards(data, units, i, at[i - first], low, high, space[c], units.most_time + space[c])
        total += best - bound - time[i - first]
    return total


@kernel
def scan_outwards(
    data: Any, units: Any, i: int, after: int, low: int, high: int, bound: int, best: int
) -> Any:
    """Return the least distance from sample i to the samples `low` to `high` that are not too late or early.

    Goes outwards in time from `after`, until time and `bound`, the least part of space, reach the best.
    """
    t, x, y = data.t[i], data.x[i], data.y[i]
    none = np.int64(units.most_min)
    right, left = after, after - 1
    later = np.int64(data.t[right] - t) if right < high else none
    earlier = np.int64(t - data.t[left]) if left >= low else none
    while True:
        gap = min(later, earlier)
        part = units.per_min * gap
        if part + bound >= best:
            return best
        if earlier < later:
            cells = abs(data.x[left] - x) + abs(data.y[left] - y)
            left -= 1
            earlier = np.int64(t - data.t[left]) if left >= low else none
        else:
            cells = abs(data.x[right] - x) + abs(data.y[right] - y)
            right += 1
            later = np.int64(data.t[right] - t) if right < high else none
        best = min(best, part + min(units.per_cell * cells, units.most_space))


@kernel
def narrow_distance(
    x: Any, y: Any, t: Any, their_x: int, their_y: int, their_t: int, units: Any, best: int
) -> Any:
    """Return the lesser of `best` and the distance of two samples, all in 16 bits."""
    gap_x, gap_y = np.uint16(abs(np.int16(x - their_x))), np.uint16(abs(np.int16(y - their_y)))
    cells = np.int16(min(np.uint16(gap_x + gap_y), np.uint16(units.most_cells)))
    minutes = min(np.int16(abs(np.int16(t - their_t))), np.int16(units.most_min))
    space = min(np.int16(cells * np.int16(units.per_cell)), np.int16(units.most_space))
    time = min(np.int16(minutes * np.int16(units.per_min)), np.int16(units.most_time))
    return min(best, np.int16(space + time))


@kernel
def narrow_sum(narrow: Any, units: Any, longer: int, n: int, shorter: int, their_n: int, room: Any) -> Any:
    """Return the sum over the longer one's n samples of the least distance, side by side in 16 bits."""
    first, end = narrow.offsets[longer], narrow.offsets[longer + 1]
    x, y, t = narrow.x[first:end], narrow.y[first:end], narrow.t[first:end]
    low = narrow.offsets[shorter]
    high = low + (their_n + 1) // 2 * 2  # the last is there again, so that two can be taken at a time
    their_x, their_y, their_t = narrow.x[low:high], narrow.y[low:high], narrow.t[low:high]
    room[: x.size] = np.int16(units.largest)
    for i in range(0, their_x.size, 2):
        x0, y0, t0 = their_x[i], their_y[i], their_t[i]
        x1, y1, t1 = their_x[i + 1], their_y[i + 1], their_t[i + 1]
        for j in range(x.size):
            best = narrow_distance(x[j], y[j], t[j], x0, y0, t0, units, room[j])
            room[j] = narrow_distance(x[j], y[j], t[j], x1, y1, t1, units, best)
    total = np.int64(0)
    for j in range(n):
        total += room[j]
    return total


@kernel
def pair_sum_plainly(data: Any, units: Any, longer: int, shorter: int) -> Any:
    """Return the sum over the longer one's samples of the least distance, all pairs of samples compared."""
    total = np.int64(0)
    most_cells, most_min = np.int32(units.most_cells), np.int32(units.most_min)
    per_cell, per_min = np.int32(units.per_cell), np.int32(units.per_min)
    most_space, most_time = np.int32(units.most_space), np.int32(units.most_time)
    low, high = data.offsets[shorter], data.offsets[shorter + 1]
    their_t, their_x, their_y = data.t[low:high], data.x[low:high], data.y[low:high]
    for i in range(data.offsets[longer], data.offsets[longer + 1]):
        t, x, y = data.t[i], data.x[i], data.y[i]
        best = np.int32(most_space + most_time)
        for j in range(their_t.size):
            gap_x, gap_y = abs(np.int32(their_x[j] - x)), abs(np.int32(their_y[j] - y))
            cells = min(np.int32(gap_x + gap_y), most_cells)
            minutes = min(abs(np.int32(their_t[j] - t)), most_min)
            part = min(np.int32(cells * per_cell), most_space)
            best = min(best, np.int32(part + min(np.int32(minutes * per_min), most_time)))
        total += best
    return total


@kernel
def insert(sums: Any, lengths: Any, users: Any, n_found: int, total: int, length: int, user: int) -> Any:
    """Put a neighbour in its place among those found, best first; return how many there are now."""
    place = n_found if n_found < sums.size else n_found - 1
    while place > 0:
        left, right = total * lengths[place - 1], sums[place - 1] * length
        if left > right or (left == right and user > users[place - 1]):
            break
        sums[place], lengths[place], users[place] = sums[place - 1], lengths[place - 1], users[place - 1]
        place -= 1
    sums[place], lengths[place], users[place] = total, length, user
    return min(n_found + 1, sums.size)


@kernel
def first_cut(bounds: Any, n_wanted: int, counts: Any) -> Any:
    """Return the least coarse bound up to which there are at least `n_wanted` users."""
    counts[:] = 0
    for j in range(bounds.size):
        counts[bounds[j] >> _COARSE] += 1
    below = 0
    for cut in range(counts.size):
        below += counts[cut]
        if below >= n_wanted:
            return cut
    return counts.size - 1


@kernel
def search_user(
    data: Any,
    narrow: Any,
    units: Any,
    query: int,
    tiles: Any,
    width: int,
    bounds: Any,
    n_found: int,
    sums: Any,
    lengths: Any,
    users: Any,
    room: Any,
) -> Any:
    """Put the nearest of some others among those found; return how many there are, and were worked out.

    The others are the users of `tiles`, with their `bounds`. As long as too few are found, the most
    promising are looked at first, so that most of the rest need not be.
    """
    n_neighbours, n_tried, n_users = sums.size, 0, data.n_samples.size
    space, time, at, counts, best = room
    cut = np.int64(0)
    if n_found < n_neighbours:
        cut = np.int64(first_cut(bounds, n_neighbours + 2, counts))
    limit = np.int64(_TOP - 1)
    if n_found == n_neighbours:
        limit = sums[-1] * _TOP // (lengths[-1] * units.largest)
        cut = np.int64(limit * _PROMISING) >> _COARSE
    for promising in (True, False):
        for column in range(bounds.size):
            if bounds[column] > limit or (bounds[column] >> _COARSE <= cut) != promising:
                continue
            other = tiles[column // width] * width + column % width
            if other >= n_users or other == query or bounds[column] == _TOP:
                continue
            longer, shorter = query, other
            if data.n_samples[other] > data.n_samples[query]:
                longer, shorter = other, query
            length, most = data.n_samples[longer], np.int64(2**62)
            if n_found == n_neighbours:
                worst, worst_length = sums[n_neighbours - 1], lengths[n_neighbours - 1]
                most = worst * length // worst_length
                if data.user[other] > users[n_neighbours - 1] and most * worst_length == worst * length:
                    most -= 1
            n_tried += 1
            their_n = data.n_samples[shorter]
            if narrow.fits and length * their_n <= _FEW_SAMPLES:
                total = narrow_sum(narrow, units, longer, length, shorter, their_n, best)
            else:
                total = pair_sum(data, units, longer, shorter, most, space, time, at)
            if total <= most:
                n_found = insert(sums, lengths, users, n_found, total, length, data.user[other])
                if n_found == n_neighbours:
                    limit = sums[-1] * _TOP // (lengths[-1] * units.largest)
    return n_found, n_tried


@kernel
def search_block(
    data: Any,
    narrow: Any,
    units: Any,
    queries: Any,
    tiles: Any,
    width: int,
    bounds: Any,
    stop: Any,
    n_found: Any,
    sums: Any,
    lengths: Any,
    users: Any,
) -> Any:
    """Look for the nearest others of a block of users in some tiles; return how many distances were worked out.

    `n_found` (queries) are found so far, in the other arrays.
    """
    most = data.most_samples
    room = (
        np.empty(most, dtype=np.int64),
        np.empty(most, dtype=np.int64),
        np.empty(most, dtype=np.int64),
        np.empty((_TOP >> _COARSE) + 1, dtype=np.int64),
        np.empty(_FEW_SAMPLES, dtype=np.int16),
    )
    n_tried = 0
    for q in range(queries.size):
        if stop[0]:
            break
        n_found[q], tried = search_user(
            data,
            narrow,
            units,
            queries[q],
            tiles,
            width,
            bounds[q],
            n_found[q],
            sums[q],
            lengths[q],
            users[q],
            room,
        )
        n_tried += tried
    return n_tried


@kernel
def search_block_plainly(
    data: Any, units: Any, queries: Any, stop: Any, sums: Any, lengths: Any, users: Any
) -> Any:
    """Find the nearest others of a block of users by working out every distance in full."""
    for q in range(queries.size):
        n_found = 0
        for other in range(data.n_samples.size):
            if stop[0] or other == queries[q]:
                continue
            longer, shorter = queries[q], other
            if data.n_samples[other] > data.n_samples[queries[q]]:
                longer, shorter = other, queries[q]
            total = pair_sum_plainly(data, units, longer, shorter)
            length, user = data.n_samples[longer], data.user[other]
            if n_found == sums.shape[1]:
                left, right = total * lengths[q, n_found - 1], sums[q, n_found - 1] * length
                if left > right or (left == right and user > users[q, n_found - 1]):
                    continue
            n_found = insert(sums[q], lengths[q], users[q], n_found, total, length, user)
    return queries.size * (data.n_samples.size - 1)
