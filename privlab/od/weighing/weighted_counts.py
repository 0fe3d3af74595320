"""Unique trips → counts in which nobody weighs more than √L: the L2 clip, in whole units of 1/1024 of a trip.

Each user keeps all T trips of the week, each with weight ⌊1024·√(L/T)⌋, 1024 for T ≤ L. A weight hangs on nobody
else's trips, so that removing a user takes away that user's weights and nothing more. Raw counts: nothing here
is noisy and nothing here may be published. docs/science.md, section 5.1.
"""

import numpy as np

from privlab.dp.gaussian import weight_of_trips
from privlab.od.matrix import Ints, UniqueTrips, kept_under_bound, n_users_of_group, nobody_moved, week_slice


def trips_of_group(trips: UniqueTrips, *, week: str, group_size: int | None) -> tuple[Ints, Ints, Ints]:
    """Return user, flow and rank of every unique trip of a week that someone in the group made, each shape (n,).

    Raises DataError where nobody did.
    """
    part = week_slice(trips, week)
    user, flow, rank = trips.user[part], trips.flow[part], trips.trip_rank[part]
    n_users = n_users_of_group(trips, group_size)
    if n_users < trips.n_users:
        inside = trips.user_rank[user] < n_users
        user, flow, rank = user[inside], flow[inside], rank[inside]
    if not flow.size:
        raise nobody_moved(n_users, week)
    return user.astype(np.int64), flow, rank.astype(np.int64)


def weights_of_users(user: Ints, bound: int) -> Ints:
    """Return the weight of every trip in units, from the user of each; shape as `user`.

    >>> weights_of_users(np.array([7, 7, 7, 7, 9]), 1).tolist()
    [512, 512, 512, 512, 1024]
    """
    return weight_of_trips(np.bincount(user)[user], bound) if user.size else user


def weighted_counts(user: Ints, cell: Ints, n_cells: int, bound: int) -> Ints:
    """Return the sum of weights in each of cells 0, 1, … n_cells − 1, in units, int64."""
    # Sums stay below 2^53: float64 holds them exactly.
    return np.rint(np.bincount(cell, weights=weights_of_users(user, bound), minlength=n_cells)).astype(
        np.int64
    )


def kept_counts(rank: Ints, cell: Ints, n_cells: int, bound: int) -> Ints:
    """Return how many trips each cell counts where of each user the first `bound` of a random order are, int64."""
    return np.bincount(cell[kept_under_bound(rank, bound)], minlength=n_cells)
