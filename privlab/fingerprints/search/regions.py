"""Places and times → a bounded number of groups with tight boxes, for lower bounds of distances.

Any grouping gives the same results; a good one makes them come sooner.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

_AT_ONCE = 20_000  # users
_SAMPLES_AT_ONCE = 2_000_000


def regions_from_points(points: Int32s, weights: Int64s, most: int) -> Int32s:
    """Return the region of each point: at most `most` of them, balanced in weight, close together.

    Points (n, dimensions) are distinct. Where they are few enough each is its own region; else they are
    cut in two at the weighted median of their wider side, again and again.
    """
    n = len(points)
    if n <= most:
        return np.arange(n, dtype=np.int32)
    region = np.empty(n, dtype=np.int32)
    n_regions, left = 0, [(np.arange(n), most)]
    while left:
        members, allowed = left.pop()
        if allowed == 1 or members.size == 1:
            region[members] = n_regions
            n_regions += 1
            continue
        inside = points[members].astype(np.int64)
        side = int(np.argmax(np.ptp(inside, axis=0)))
        members = members[np.argsort(inside[:, side], kind="stable")]
        below = np.cumsum(weights[members])
        cut = int(np.clip(np.searchsorted(below, below[-1] / 2), 1, members.size - 1))
        left += [(members[:cut], allowed // 2), (members[cut:], allowed - allowed // 2)]
    return region


def boxes_from_regions(points: Int32s, region: Int32s) -> Int32s:
    """Return the least and largest coordinates in each region, (regions, dimensions, 2)."""
    order = np.argsort(region, kind="stable")
    starts = np.flatnonzero(np.diff(region[order], prepend=-1))
    ordered = points[order]
    least, most = np.minimum.reduceat(ordered, starts), np.maximum.reduceat(ordered, starts)
    return np.stack([least, most], axis=2)


def blocks_of_users(n_users: int) -> Iterator[slice]:
    """Return all users, in blocks small enough for several copies of their samples."""
    for first in range(0, n_users, _AT_ONCE):
        yield slice(first, min(first + _AT_ONCE, n_users))


def distinct_places(x: Int32s, y: Int32s) -> tuple[Int32s, Int32s]:
    """Return the distinct places (n_places, 2), by x and then y, and the place of each sample."""
    parts = [slice(first, first + _SAMPLES_AT_ONCE) for first in range(0, x.size, _SAMPLES_AT_ONCE)]
    known = [np.unique((x[part].astype(np.int64) << 32) + y[part]) for part in parts]
    packed = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *known]))
    place = np.empty(x.size, dtype=np.int32)
    for part in parts:
        place[part] = np.searchsorted(packed, (x[part].astype(np.int64) << 32) + y[part])
    return np.stack([packed + 2**31 >> 32, (packed + 2**31 & 0xFFFFFFFF) - 2**31], axis=1).astype(
        np.int32
    ), place


def counted_pairs(
    offsets: Int64s, group: Int32s, counts: Int32s | None = None
) -> tuple[Int64s, Int32s, Int32s, Int32s]:
    """Return per user the distinct groups with their counts, and which of them each element is.

    User u has the elements `offsets[u]` to `offsets[u + 1]`, each counted once or as `counts` say. The result
    is offsets (n_users + 1), groups and counts of all pairs by user, then group, and the position of each
    element's pair.
    """
    n_users, n_groups = offsets.size - 1, int(group.max(initial=0)) + 1
    n_pairs, position = np.zeros(n_users + 1, dtype=np.int64), np.empty(group.size, dtype=np.int32)
    groups, sums = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.int32)]
    n_known = 0
    for users in blocks_of_users(n_users):
        mine = slice(offsets[users.start], offsets[users.stop])
        user = np.repeat(np.arange(users.stop - users.start), np.diff(offsets[users.start : users.stop + 1]))
        pairs, where = np.unique(user * np.int64(n_groups) + group[mine], return_inverse=True)
        weights = None if counts is None else counts[mine]
        position[mine] = n_known + where
        n_pairs[users.start + 1 : users.stop + 1] = np.bincount(
            pairs // n_groups, minlength=users.stop - users.start
        )
        groups.append((pairs % n_groups).astype(np.int32))
        sums.append(np.bincount(where, weights=weights, minlength=pairs.size).astype(np.int32))
        n_known += pairs.size
    return np.cumsum(n_pairs), np.concatenate(groups), np.concatenate(sums), position
