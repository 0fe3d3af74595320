"""Trips of a week → the weight of each under an L2 clip, with levels or without. Raw: nothing here is noisy."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.dp.gaussian import weight_of_trips, weight_with_levels
from privlab.od.levels.levels import Level
from privlab.od.matrix import Ints


def districts_of_zones(
    levels: Sequence[Level], public: Sequence[Any] | None, zones: npt.NDArray[Any]
) -> tuple[Ints, ...]:
    """Return the number of the district of each of `zones` at each level, −1 for those that are not `public`."""
    if not levels or public is None:
        return ()
    import pandas as pd

    place = pd.Index(list(public)).get_indexer(pd.Index(zones))
    return tuple(np.where(place >= 0, level.numbers[place], -1) for level in levels)


def weights_of_week(
    user: npt.NDArray[np.int32], flow: Ints, n_zones: int, bound: int, groups: Sequence[Ints] = ()
) -> Ints:
    """Return the weight of each trip in units of 1/1024, shape as `flow`: by its user's number of trips, and with `groups`, by how
    many of them go from one district to one other too. It hangs on nobody else's trips.
    """
    if not user.size:
        return np.zeros(0, dtype=np.int64)
    n_of_user = np.bincount(user)
    if not groups:
        return weight_of_trips(n_of_user, bound)[user]
    return weight_with_levels(n_of_user, squares_of_levels(user, flow, n_zones, groups), bound)[user]


def squares_of_levels(
    user: npt.NDArray[np.int32], flow: Ints, n_zones: int, groups: Sequence[Ints]
) -> list[Ints]:
    """Return for each level Σn² of every user, n the trips from one district to one other, shape (greatest user + 1,)."""
    n_users = int(user.max(initial=-1)) + 1
    origin, destination = np.divmod(flow, n_zones)
    squares = []
    for group in groups:
        start, end = group[origin], group[destination]
        inside = (start >= 0) & (end >= 0)
        n = int(group.max(initial=-1)) + 1
        pair = (user[inside].astype(np.int64) * n + start[inside]) * n + end[inside]
        pairs, times = np.unique(pair, return_counts=True)
        of_user = np.zeros(n_users, dtype=np.int64)
        np.add.at(of_user, pairs // max(n * n, 1), times.astype(np.int64) ** 2)
        squares.append(of_user)
    return squares
