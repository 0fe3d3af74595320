"""Unique trips → what a contribution bound takes: how many trips, whose, and of which flows; or how much of their weight.

Exact, before any noise. Figures of true data.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.checks import require_choice, require_whole
from privlab.dp.gaussian import UNITS, weight_of_trips
from privlab.limits import MAX_TRIPS_PER_USER
from privlab.od.matrix import (
    Ints,
    UniqueTrips,
    cells_and_counts,
    chance_under_bound,
    n_users_of_group,
    week_slice,
)

Floats = npt.NDArray[np.float64]
CLIPS = ("keep", "l2")  # trips beyond the bound are left out at random; or all stay, and each has less weight


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clipping:
    """For every bound from 1 to the first that leaves nothing out, shape (B,).

    `trips_lost` Σ max(T − L, 0) over the numbers T of unique trips of each user, or, where all trips are weighted,
    the weight that they lose together, in trips; `people_clipped` how many have more than L. `n_trips` is Σ T,
    `n_people` everyone, also those without a trip.
    """

    bounds: Ints
    trips_lost: Ints | Floats
    people_clipped: Ints
    n_trips: int
    n_people: int

    @property
    def share_lost(self) -> Floats:
        """Share of all unique trips that each bound leaves uncounted, NaN where there is no trip."""
        return np.asarray(self.trips_lost / self.n_trips if self.n_trips else self.trips_lost * np.nan)

    def at(self, bound: int) -> tuple[int, int]:
        """Return the trips lost and the people clipped with a bound; none beyond the last."""
        row = require_whole("max_trips_per_user", bound, 1, MAX_TRIPS_PER_USER) - 1
        return (
            (round(float(self.trips_lost[row])), int(self.people_clipped[row]))
            if row < self.bounds.size
            else (0, 0)
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FlowBias:
    """What a bound takes from each flow, those that lose most trips first, shape (F,).

    `flow` are cell numbers, `true` the counts, `lost` the trips to be expected uncounted over the random
    choice of each user's trips, or the weight that they lose.
    """

    flow: Ints
    true: Ints
    lost: Floats

    @property
    def share_lost(self) -> Floats:
        """Share of each flow that is expected uncounted."""
        return np.asarray(self.lost / self.true)

    @property
    def middle(self) -> int:
        """Position of the flow that holds the middle trip, of all trips in the order of the size of their flows.

        At least half of the trips are in flows as large or larger, at least half in flows as small or smaller.
        """
        falling = np.argsort(-self.true, kind="stable")
        return int(falling[np.searchsorted(2 * np.cumsum(self.true[falling]), self.true.sum())])

    def deviation_of_choice(self, at: int) -> float:
        """Standard deviation, at most, of the trips of a flow that count, over the random choice of each user's trips.

        Choices that leave so many on average vary most where each trip has the same chance to count.
        """
        return float(np.sqrt((self.true[at] - self.lost[at]) * self.share_lost[at]))


def clipping_from_unique_trips_per_user(n_unique_trips: npt.ArrayLike, *, clip: str = "keep") -> Clipping:
    """Return what every bound leaves out, from the number of unique trips of each user; with `clip` "l2" what it takes of weights.

    >>> found = clipping_from_unique_trips_per_user([1, 3, 4])
    >>> found.trips_lost.tolist(), found.people_clipped.tolist()
    ([5, 3, 1, 0], [2, 2, 1, 0])
    >>> clipping_from_unique_trips_per_user([1, 4], clip="l2").trips_lost[0]  # four trips of weight ½
    np.float64(2.0)
    """
    weighted = require_choice("clip", clip, CLIPS) == "l2"
    trips = np.asarray(n_unique_trips, dtype=np.int64)
    most = max(int(trips.max(initial=1)), 1)
    people = np.bincount(trips, minlength=most + 1)
    more = people[::-1].cumsum()[::-1]  # how many users have at least T trips
    clipped = np.append(more[2:], 0)  # those with more than L = 1, 2, …
    lost: Ints | Floats = clipped[::-1].cumsum()[::-1]
    shown = min(most, MAX_TRIPS_PER_USER)
    if weighted:
        made = np.flatnonzero(people)
        lost = np.array(
            [
                _weight_lost(made, bound) @ (people * np.arange(most + 1))[made]
                for bound in range(1, shown + 1)
            ]
        )
    return Clipping(
        bounds=np.arange(1, shown + 1),
        trips_lost=lost[:shown],
        people_clipped=clipped[:shown],
        n_trips=int(trips.sum()),
        n_people=trips.size,
    )


def _weight_lost(n_trips: Ints, bound: int) -> Floats:
    """Return the share of its weight that each of T trips loses to an L2 clip, 1 − ⌊1024·√(L/T)⌋/1024."""
    return np.asarray(1 - weight_of_trips(n_trips, bound) / UNITS)


def flow_bias_from_unique_trips(
    trips: UniqueTrips,
    *,
    week: str,
    max_trips_per_user: int,
    group_size: int | None = None,
    clip: str = "keep",
) -> FlowBias:
    """Return how much a bound is expected to take from each flow of one week.

    A user with T unique trips, of which L are counted, loses each of them with probability 1 − L/T. With `clip` "l2" all
    count, each with the weight √(L/T) in whole units of 1/1024.
    """
    weighted = require_choice("clip", clip, CLIPS) == "l2"
    part = week_slice(trips, week)
    user, flow = trips.user[part], trips.flow[part]
    n_users = n_users_of_group(trips, group_size)
    if n_users < trips.n_users:
        inside = trips.user_rank[user] < n_users
        user, flow = user[inside], flow[inside]
    n_unique_trips = np.bincount(user, minlength=trips.n_users)
    chance = (
        _weight_lost(n_unique_trips, max_trips_per_user)
        if weighted
        else 1 - chance_under_bound(n_unique_trips, max_trips_per_user)
    )
    cells, true = cells_and_counts(flow, trips.zones.size**2)
    n_cells = trips.zones.size**2
    lost = (
        np.bincount(flow, chance[user], n_cells)[cells]
        if n_cells <= 4 * flow.size + 1_000_000
        else np.bincount(np.searchsorted(cells, flow), chance[user], cells.size)
    ).astype(np.float64)
    order = np.lexsort((cells, -lost))
    return FlowBias(flow=cells[order], true=true[order], lost=lost[order])
