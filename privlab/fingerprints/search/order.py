"""The order that users are searched in: by length in a few bands, then by where they live, along a curve.

Users who stand near one another are then alike in length and place, so that one bound does for many of
them. Any order gives the same results.
"""

import numpy as np
import numpy.typing as npt

from privlab.fingerprints.fingerprints import Fingerprints
from privlab.fingerprints.search.compiled import kernel

Int64s = npt.NDArray[np.int64]

_BANDS = 8
_BAND_USERS = 1_024  # users, at least, of a band of lengths


@kernel
def middle_places(
    offsets: Int64s, x: npt.NDArray[np.int32], y: npt.NDArray[np.int32], middle: Int64s
) -> None:
    """Fill `middle` (users, 2) with the median x and y of each user's samples."""
    for user in range(offsets.size - 1):
        first, end = offsets[user], offsets[user + 1]
        half = (end - first) // 2
        middle[user, 0] = np.sort(x[first:end])[half]
        middle[user, 1] = np.sort(y[first:end])[half]


def users_in_order(fingerprints: Fingerprints) -> Int64s:
    """Return the positions of all users, by band of length, then along a Z-order curve by median place."""
    n_users = fingerprints.n_users
    middle = np.zeros((n_users, 2), dtype=np.int64)
    middle_places(fingerprints.offsets, fingerprints.x, fingerprints.y, middle)
    n_bands = int(np.clip(n_users // _BAND_USERS, 1, _BANDS))
    rank = np.empty(n_users, dtype=np.int64)
    rank[np.argsort(fingerprints.n_samples, kind="stable")] = np.arange(n_users)
    return np.lexsort((along_a_curve(middle), rank * n_bands // max(1, n_users)))


def along_a_curve(places: Int64s) -> Int64s:
    """Return how far along a Z-order curve whole-numbered places (n, 2) are.

    >>> along_a_curve(np.array([[0, 0], [1, 0], [0, 1], [1, 1], [2, 0]])).tolist()
    [0, 1, 2, 3, 4]
    """
    if not len(places):
        return np.empty(0, dtype=np.int64)
    least = places.min(axis=0)
    coarser = max(0, int((places.max(axis=0) - least).max()).bit_length() - 31)
    along = np.zeros(len(places), dtype=np.int64)
    for axis in range(2):
        part = (places[:, axis] - least[axis]) >> coarser
        for bit in range(31):
            along |= ((part >> bit) & 1) << (2 * bit + axis)
    return along
