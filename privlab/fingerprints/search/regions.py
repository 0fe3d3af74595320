"""Places and times → a bounded number of groups with tight boxes, for lower bounds of distances.

Any grouping gives the same results; a good one makes them come sooner.
"""

import numpy as np
import numpy.typing as npt

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]


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


def counted_pairs(user: Int32s, group: Int32s, n_users: int) -> tuple[Int64s, Int32s, Int32s, Int64s]:
    """Return per user the distinct groups with their counts, and which of them each element is.

    The result is offsets (n_users + 1), groups and counts of all pairs by user, then group, and the
    position of each element's pair.
    """
    n_groups = int(group.max(initial=0)) + 1
    pairs, position, counts = np.unique(
        user.astype(np.int64) * n_groups + group, return_inverse=True, return_counts=True
    )
    offsets = np.searchsorted(pairs, np.arange(n_users + 1) * np.int64(n_groups))
    return offsets.astype(np.int64), (pairs % n_groups).astype(np.int32), counts.astype(np.int32), position
