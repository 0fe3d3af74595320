"""Array helpers the four generators share: drawing many categories at once, counting within runs.

Knows arrays and random numbers; knows nothing of cities, cards or cabs.
"""

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def ladder_of(weights: FloatArray) -> FloatArray:
    """Return row number + cumulative share of each row of `weights`: ascending when read row by row.

    >>> ladder_of(np.array([[1.0, 1.0, 2.0], [3.0, 1.0, 0.0]])).tolist()
    [[0.25, 0.5, 1.0], [1.75, 2.0, 2.0]]
    """
    sums = np.cumsum(weights, axis=1)
    ladder: FloatArray = np.arange(len(weights))[:, None] + sums / sums[:, -1:]
    return ladder


def draw_from_rows(rng: np.random.Generator, ladder: FloatArray, rows: IntArray) -> IntArray:
    """Return one column per entry of `rows`, drawn with the shares of that row (see `ladder_of`)."""
    n_columns = ladder.shape[1]
    found = np.searchsorted(ladder.ravel(), rows + rng.random(rows.shape), side="right")
    # A sum rounded up at the last digit may step into the next row: keep it in its own.
    columns: IntArray = np.clip(found - rows * n_columns, 0, n_columns - 1)
    return columns


def draw(rng: np.random.Generator, weights: FloatArray, size: int) -> IntArray:
    """Return `size` indices drawn with probability proportional to `weights`."""
    return draw_from_rows(rng, ladder_of(weights[None, :]), np.zeros(size, dtype=np.int64))


def spread_uniforms(rng: np.random.Generator, size: int) -> FloatArray:
    """Return `size` uniform numbers, one in each of `size` equal slices of [0, 1), in random order."""
    spread: FloatArray = (rng.permutation(size) + rng.random(size)) / size
    return spread


def position_in_run(sizes: IntArray) -> IntArray:
    """Return 0, 1, 2, … restarting for each run, for runs of the given sizes.

    >>> position_in_run(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    starts = np.cumsum(sizes) - sizes
    position: IntArray = np.arange(int(sizes.sum())) - np.repeat(starts, sizes)
    return position
