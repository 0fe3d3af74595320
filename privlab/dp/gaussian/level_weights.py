"""Trips that are counted by zones and again by districts, regions → the weight of each, so that all levels together keep one norm.

A user's trip of weight w adds w units to its cell, and w/4 to the number of trips between its districts, w/8 between its
regions, w/16 one level higher: all with the same noise. Knows numbers of trips, no zones. docs/science.md, section 5.7.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_whole
from privlab.dp.gaussian.discrete_gaussian import UNITS
from privlab.limits import MAX_CELLS_ATTACKED, MAX_LEVELS

Ints = npt.NDArray[np.int64]

LEVEL_SHIFTS = (2, 3, 4)  # powers of two by which a trip counts less at each level, from the lowest up
_WIDE = 3 * UNITS // 4
_LATTICES = 2 ** np.arange(11)  # steps, in units, on which what a user adds may lie


def require_levels(levels: int) -> int:
    """Return a number of levels above zones. Raises ParameterError if it is none, or more than are known."""
    return require_whole("levels", levels, 0, MAX_LEVELS)


def weight_with_levels(trips: npt.ArrayLike, squares: Sequence[npt.ArrayLike], bound: int) -> Ints:
    """Return the weight, in units, of each trip of users: a multiple of 4, 8 or 16, so that every level adds whole units.

    Their squares then add up to at most 1024²·L over cells and all levels: w²·(T + Σn²/16 + …) ≤ 1024²·L.

    Parameters
    ----------
    trips : array_like of int
        The number T of trips of each user.
    squares : sequence of array_like of int
        For each level, from the lowest up, Σn² over its pairs of districts, n the user's trips from the one to the other.
    bound : int
        L.

    >>> weight_with_levels([1, 10], [[1, 100]], 10).tolist(), weight_with_levels([40], [], 10).tolist()
    ([1024, 800], [512])
    """
    bound = require_whole("max_trips_per_user", bound, 1, MAX_CELLS_ATTACKED)
    require_levels(len(squares))
    shift = LEVEL_SHIFTS[len(squares) - 1] if squares else 0
    whole = np.maximum(np.asarray(trips, dtype=np.int64), 1) << (2 * shift)  # in 4^−shift
    for level, square in zip(LEVEL_SHIFTS, squares, strict=False):
        whole = whole + (np.asarray(square, dtype=np.int64) << (2 * (shift - level)))
    allowed = UNITS**2 * bound << (2 * shift)
    weight = np.floor(np.sqrt(allowed / whole)).astype(np.int64)
    weight -= whole * weight**2 > allowed  # where the root was rounded up to a whole number
    return (np.minimum(weight, UNITS) >> shift) << shift


def contributions_with_levels(bound: int, levels: int, total_square: int = 0) -> tuple[Ints, Ints]:
    """Return Σa² and the divisor of the a of the worst placed, whatever their trips: for the least σ that covers all.

    The loss grows with the norm, but for the step of the lattice on which a person's numbers lie. The greatest norm is taken on
    lattices of every power of two; and for every weight w from three quarters on, where steps are widest, the greatest sum of
    squares that such a weight can have, on the lattices of w and of its half. `total_square` comes on top.
    """
    if not require_levels(levels):
        raise ParameterError("levels must be at least 1 to be counted in, got 0.")
    shift = LEVEL_SHIFTS[levels - 1]
    greatest = UNITS**2 * bound
    weight = np.arange(_WIDE >> shift, (UNITS >> shift) + 1, dtype=np.int64) << shift
    most = (greatest << (2 * shift)) // weight**2  # the largest whole sum that a weight can have, in 4^−shift
    squares = weight**2 * most >> (2 * shift)
    square = np.concatenate([np.full(_LATTICES.size, greatest), squares, squares]) + total_square
    divisor = np.concatenate([_LATTICES, weight, weight >> 1])
    sound = square >= divisor**2
    return square[sound], divisor[sound]


def contribution_in_one_place(trips: npt.ArrayLike, levels: int, bound: int) -> tuple[Ints, Ints]:
    """Return Σa² and the greatest common divisor of the a of people whose T trips all go from one district to one other.

    Nobody with as many trips adds more: the squares are largest where all are in one place. Σa² is that of weights that were
    not rounded down, since others' may be rounded down by less.
    """
    many = np.asarray(trips, dtype=np.int64)
    weight = weight_with_levels(many, [many**2] * levels, bound)
    square, divisor = many * UNITS**2, weight.copy()
    for shift in LEVEL_SHIFTS[:levels]:
        square = square + (UNITS >> shift) ** 2 * many**2
        divisor = np.gcd(divisor, (weight >> shift) * many)
    return np.minimum(square, UNITS**2 * bound), np.maximum(divisor, 1)
