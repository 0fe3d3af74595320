"""The nearest boxes and fingerprints of boxes, compiled: exact, in whole numbers.

A box is a row x, x end, y, y end (100 m), t, t end (minutes), ends excluded. What is stretched costs 12 per
100 m up to 20 km and 5 per minute up to 480, times the subscribers hidden in it: at most 4800 · (n + n').
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from privlab.fingerprints.search.compiled import kernel
from privlab.fingerprints.search.stretch import StretchParameters

_UNITS = StretchParameters().units(100)
_PER_CELL, _PER_MIN = _UNITS.per_cell, _UNITS.per_min
_MOST_CELLS, _MOST_MIN = _UNITS.most_space // _PER_CELL, _UNITS.most_time // _PER_MIN
ONE = _UNITS.one
N_PLACES = 8  # rectangles that hold all boxes of a fingerprint
_PLACE_CELLS = 10  # a box joins a rectangle that stays no wider than this while there is room for more


class Slots(NamedTuple):
    """Fingerprints by slot; slot s has the boxes `starts[s]` to `ends[s]` and hides `hidden[s]` users.

    `boxes` (n, 6) int32 are in order within a slot. Per box: `reach`, the latest end of its slot's boxes up
    to it, and `place`, which of its slot's rectangles `rects[s, :n_places[s]]` (x, x end, y, y end) holds it.
    `rank` decides between equals.
    """

    boxes: npt.NDArray[np.int32]
    reach: npt.NDArray[np.int32]
    place: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    hidden: npt.NDArray[np.int64]
    rank: npt.NDArray[np.int64]
    rects: npt.NDArray[np.int32]
    n_places: npt.NDArray[np.int64]


@kernel
def axis_stretch(low: int, high: int, their_low: int, their_high: int, n: int, their_n: int) -> Any:
    """Return how far two intervals are stretched to cover each other, weighted by the people that each stands for."""
    # Gramaglia and Fiore 2015 (GLOVE), Eq. (5) to (8): left and right stretch, of the one and of the other.
    total = np.int64(0)
    if low > their_low:
        total += n * (low - their_low)
    else:
        total += their_n * (their_low - low)
    if high < their_high:
        total += n * (their_high - high)
    else:
        total += their_n * (high - their_high)
    return total


@kernel
def nearest_box(
    mine: Any,
    i: int,
    n: int,
    others: Any,
    reach: Any,
    first: int,
    end: int,
    after: int,
    their_n: int,
    floor: int,
    slack: int,
) -> Any:
    """Return the least stretch of the box `i` of mine with one of `others`, its temporal part, and which one it is.

    `after` is the first of the others that does not begin before the box; the spatial part of no pair is below `floor`.
    With `slack` 0 only the least stretch is certain. With 1 the rest is too: of equal stretches that with the smaller
    temporal part is taken, and of those the first.
    """
    low, high = np.int64(mine[i, 4]), np.int64(mine[i, 5])
    most_space = _PER_CELL * _MOST_CELLS * (n + their_n)
    most_time = _PER_MIN * _MOST_MIN * (n + their_n)
    least, least_time, at = most_space + most_time + 1, most_time + 1, -1
    left, right = after - 1, after
    while left >= first or right < end:
        bound_right, bound_left = most_time + 1, most_time + 1
        if right < end:
            bound = their_n * (others[right, 4] - low) + n * max(np.int64(0), others[right, 4] + 1 - high)
            bound_right = min(_PER_MIN * bound, most_time)
        if left >= first:
            bound = n * (low - others[left, 4]) + their_n * max(np.int64(0), high - reach[left])
            bound_left = min(_PER_MIN * bound, most_time)
        if floor + min(bound_left, bound_right) >= least + slack:
            break
        if bound_right <= bound_left:
            j = right
            right += 1
        else:
            j = left
            left -= 1
        time = axis_stretch(low, high, others[j, 4], others[j, 5], n, their_n)
        time = min(_PER_MIN * time, most_time)
        space = axis_stretch(mine[i, 0], mine[i, 1], others[j, 0], others[j, 1], n, their_n)
        space += axis_stretch(mine[i, 2], mine[i, 3], others[j, 2], others[j, 3], n, their_n)
        value = min(_PER_CELL * space, most_space) + time
        if value < least or (value == least and (time < least_time or (time == least_time and j < at))):
            least, least_time, at = value, time, j
    return least, least_time, at


@kernel
def nearest_boxes(mine: Any, n: int, theirs: Any, reach: Any, their_n: int, at: Any) -> Any:
    """Write which of their boxes is nearest to each of mine into `at`; return the sum of the stretches."""
    total, after = np.int64(0), 0
    for i in range(mine.shape[0]):
        while after < theirs.shape[0] and theirs[after, 4] < mine[i, 4]:
            after += 1
        least, _, at[i] = nearest_box(mine, i, n, theirs, reach, 0, theirs.shape[0], after, their_n, 0, 1)
        total += least
    return total


@kernel
def place_boxes(slots: Slots, slot: int) -> None:
    """Put each box of a slot in a rectangle: the first it does not widen much, else the one it widens least."""
    n_places = 0
    for i in range(slots.starts[slot], slots.ends[slot]):
        best, least = -1, np.int64(2**62)
        for p in range(n_places):
            rect = slots.rects[slot, p]
            width = max(rect[1], slots.boxes[i, 1]) - min(rect[0], slots.boxes[i, 0])
            height = max(rect[3], slots.boxes[i, 3]) - min(rect[2], slots.boxes[i, 2])
            wider = np.int64(width) + height
            if wider - (rect[1] - rect[0]) - (rect[3] - rect[2]) < least:
                best, least = p, wider - (rect[1] - rect[0]) - (rect[3] - rect[2])
        if best < 0 or (least > _PLACE_CELLS and n_places < slots.rects.shape[1]):
            best = n_places
            n_places += 1
            for axis in range(4):
                slots.rects[slot, best, axis] = slots.boxes[i, axis]
        for axis in range(0, 4, 2):
            slots.rects[slot, best, axis] = min(slots.rects[slot, best, axis], slots.boxes[i, axis])
            slots.rects[slot, best, axis + 1] = max(
                slots.rects[slot, best, axis + 1], slots.boxes[i, axis + 1]
            )
        slots.place[i] = best
    slots.n_places[slot] = n_places


@kernel
def stretch_sum(slots: Slots, longer: int, shorter: int, most: int, gaps: Any, least_time: Any) -> Any:
    """Return the sum of the least stretches of the longer one's boxes, or a number above `most`.

    `gaps` and `least_time` are room to work in. First each box counts with a lower bound, one of space plus one of time;
    then, box by box, its true stretch takes the bound's place, until the sum is above `most`.
    """
    n, their_n = slots.hidden[longer], slots.hidden[shorter]
    most_time = _PER_MIN * _MOST_MIN * (n + their_n)
    for p in range(slots.n_places[longer]):
        mine, gap = slots.rects[longer, p], np.int64(_MOST_CELLS)
        for q in range(slots.n_places[shorter]):
            their = slots.rects[shorter, q]
            gap_x = max(0, their[0] - mine[1] + 1, mine[0] - their[1] + 1)
            gap_y = max(0, their[2] - mine[3] + 1, mine[2] - their[3] + 1)
            gap = min(gap, np.int64(gap_x) + gap_y)
        gaps[p] = _PER_CELL * (n + their_n) * gap
    start, end, first, last = (
        slots.starts[longer],
        slots.ends[longer],
        slots.starts[shorter],
        slots.ends[shorter],
    )
    boxes, reach, total, after = slots.boxes, slots.reach, np.int64(0), first
    for i in range(start, end):
        low, high, bound = boxes[i, 4], boxes[i, 5], most_time
        while after < last and boxes[after, 4] < low:
            after += 1
        if after < last:
            right = their_n * np.int64(boxes[after, 4] - low) + n * max(
                np.int64(0), boxes[after, 4] + 1 - high
            )
            bound = min(bound, _PER_MIN * right)
        if after > first:
            left = n * np.int64(low - boxes[after - 1, 4]) + their_n * max(
                np.int64(0), high - reach[after - 1]
            )
            bound = min(bound, _PER_MIN * left)
        least_time[i - start] = bound
        total += bound + gaps[slots.place[i]]
    after = first
    for i in range(start, end):
        if total > most:
            break
        while after < last and boxes[after, 4] < boxes[i, 4]:
            after += 1
        gap = gaps[slots.place[i]]
        least, _, _ = nearest_box(boxes, i, n, boxes, reach, first, last, after, their_n, gap, 0)
        total += least - least_time[i - start] - gap
    return total


@kernel
def nearest_fingerprints(slots: Slots, pool: Any, slot: int, costs: Any, others: Any) -> int:
    """Write the nearest of the slots in `pool`, best first; return how many there are.

    The cost is the mean stretch of the longer one's boxes, times 4800, the lesser of both ways for two of
    one length; of equals the one of lower `rank` comes first.
    """
    length, n_found, rank = slots.ends[slot] - slots.starts[slot], 0, slots.rank
    longest = length
    for other in range(pool.size):
        if pool[other]:
            longest = max(longest, slots.ends[other] - slots.starts[other])
    gaps, least_time = np.empty(slots.rects.shape[1], dtype=np.int64), np.empty(longest, dtype=np.int64)
    for other in range(pool.size):
        if not pool[other]:
            continue
        their_length = slots.ends[other] - slots.starts[other]
        scale = max(length, their_length) * (slots.hidden[slot] + slots.hidden[other])
        most = np.int64(2**62)
        if n_found == costs.size:
            most = np.int64(costs[n_found - 1] * scale * (1 + 1e-12)) + 1
        total = most + 1
        if length >= their_length:
            total = stretch_sum(slots, slot, other, most, gaps, least_time)
        if their_length >= length:
            total = min(total, stretch_sum(slots, other, slot, most, gaps, least_time))
        cost, place = total / scale, n_found
        if total > most:
            continue
        if n_found == costs.size:
            place -= 1
            if cost > costs[place] or (cost == costs[place] and rank[other] > rank[others[place]]):
                continue
        while place > 0 and (
            cost < costs[place - 1] or (cost == costs[place - 1] and rank[other] < rank[others[place - 1]])
        ):
            costs[place], others[place] = costs[place - 1], others[place - 1]
            place -= 1
        costs[place], others[place] = cost, other
        n_found = min(n_found + 1, costs.size)
    return n_found
