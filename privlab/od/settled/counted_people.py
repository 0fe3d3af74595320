"""What a release counts of each person → the same in the order that risks are worked out in. Raw: nothing here is noisy."""

import numpy as np

from privlab.od.matrix import UniqueTrips
from privlab.od.settled.settled_trips import SettledCells


def unique_trips_from_settled_trips(trips: SettledCells, rng: np.random.Generator) -> UniqueTrips:
    """Return the trips, or visits, of a release with people and each person's trips of a week in a random order.

    `flow` stays the cell of the product, so that what is made of it may count people and cells, and not read zones out of them.
    Whoever has no trip in these weeks is there too, where their number is known.
    """
    n_seen = int(trips.user.max(initial=-1)) + 1
    rank = np.empty(trips.user.size, dtype=np.int32)
    for week in range(len(trips.weeks)):
        part = slice(int(trips.week_starts[week]), int(trips.week_starts[week + 1]))
        user = trips.user[part]
        order = np.lexsort((rng.random(user.size), user))
        place = np.arange(user.size)
        first = np.ones(user.size, dtype=bool)
        first[1:] = np.diff(user[order]) != 0
        of_week = np.empty(user.size, dtype=np.int32)
        of_week[order] = place - np.maximum.accumulate(np.where(first, place, 0))
        rank[part] = of_week
    return UniqueTrips(
        zones=trips.zones,
        weeks=trips.weeks,
        week_starts=trips.week_starts,
        user=trips.user,
        flow=trips.flow,
        trip_rank=rank,
        user_rank=rng.permutation(max(trips.n_users or 0, n_seen)).astype(np.int32),
        n_trips=trips.user.size,
    )
