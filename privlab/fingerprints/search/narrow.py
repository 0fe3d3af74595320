"""Samples in 16 bits, side by side, for distances that are worked out in full rather than cleverly.

Sixteen and more sample distances are worked out by one instruction each: for fingerprints of some hundred
samples that is several times as fast as leaving most of them out.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Int16s = npt.NDArray[np.int16]
Int64s = npt.NDArray[np.int64]

WIDTH = 32  # samples of a user come in a multiple of these
_FARTHEST = 2**14 - 1  # from the middle; the difference of two fits 16 bits, the sum of two differences too
_LARGEST = 2**14 - 1
_AT_ONCE = 20_000  # users


class NarrowSamples(NamedTuple):
    """Samples as int16, from the middle of all; a user's last sample is repeated up to a multiple of WIDTH.

    User u begins at `offsets[u]`. `fits` is False, and the arrays are empty, where 16 bits are too few.
    """

    offsets: Int64s
    x: Int16s
    y: Int16s
    t: Int16s
    fits: bool


def narrow_samples(offsets: Int64s, x: Any, y: Any, t: Any, units: Any) -> NarrowSamples:
    """Return the samples that `offsets` cuts by user in 16 bits, if they and the units fit."""
    middles = [(int(axis.min()) + int(axis.max())) // 2 if axis.size else 0 for axis in (x, y, t)]
    farthest = max(
        (int(axis.max()) - middle for axis, middle in zip((x, y, t), middles, strict=True) if axis.size),
        default=0,
    )
    fits = max(farthest, units.most_cells, units.most_min) <= _FARTHEST and units.largest <= _LARGEST
    if not fits:
        nothing = np.empty(0, dtype=np.int16)
        return NarrowSamples(np.zeros(1, dtype=np.int64), nothing, nothing, nothing, False)
    lengths = -(-np.diff(offsets) // WIDTH) * WIDTH
    begins = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    columns = [np.empty(begins[-1], dtype=np.int16) for _ in range(3)]
    for first in range(0, lengths.size, _AT_ONCE):
        end = min(first + _AT_ONCE, lengths.size)
        to = slice(begins[first], begins[end])
        last = np.repeat(offsets[first + 1 : end + 1] - 1, lengths[first:end])
        shift = np.repeat(offsets[first:end] - begins[first:end], lengths[first:end])
        at = np.minimum(np.arange(to.start, to.stop) + shift, last)
        for column, axis, middle in zip(columns, (x, y, t), middles, strict=True):
            column[to] = axis[at] - middle
    return NarrowSamples(begins, columns[0], columns[1], columns[2], True)
