"""Unique trips as arrays → OD matrices of any group, any bound, any week, within milliseconds.

Raw counts only: nothing here is noisy and nothing here may be published.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from privlab.checks import DataError, ParameterError, require_whole
from privlab.limits import MAX_TRIPS_PER_USER

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pandas as pd

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UniqueTrips:
    """All unique trips of a dataset, ready to be counted.

    `zones` (Z,) are the zone ids in ascending order, `weeks` (W,) the Mondays. Per unique trip, sorted
    by week, shape (n,): `user` and `flow` = origin·Z + destination as positions, `trip_rank` its
    random place among the user's trips of the week. `week_starts` (W + 1,) cuts the weeks.
    `user_rank` (U,) is each user's place in the random order that groups are sampled by; U counts
    every user seen in the zones, trips or none. `n_trips` counts trips before they were made unique.
    """

    zones: npt.NDArray[Any]
    weeks: tuple[str, ...]
    week_starts: Ints
    user: npt.NDArray[np.int32]
    flow: Ints
    trip_rank: npt.NDArray[np.int32]
    user_rank: npt.NDArray[np.int32]
    n_trips: int

    @property
    def busiest_week(self) -> int:
        """Position of the week with most unique trips."""
        return int(np.argmax(np.diff(self.week_starts)))

    @property
    def n_users(self) -> int:
        """Number of users U."""
        return int(self.user_rank.size)

    def as_in(self, listed: Sequence[Any] | None) -> "UniqueTrips":
        """Return the trips with the ids of a list for zones that are written alike: whether 7 was read as a number or as text then matters not.

        Zones that are on no list keep theirs; all of them do without a list.
        """
        by_text = {str(one): one for one in listed or ()}
        ids = [by_text.get(str(one), one) for one in self.zones.tolist()]
        if ids == self.zones.tolist():
            return self
        return replace(self, zones=np.array(ids, dtype=object))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ODMatrix:
    """True counts of users per ordered zone pair in one week, or the counts of a file that names nobody.

    Only non-zero flows are held: `origin` and `destination` are positions in `zones`, `count` int64,
    all of shape (F,), ordered by origin, then destination. The cells are all ordered pairs of
    different zones. `max_trips_per_user` is the bound applied before counting, None for none.
    `n_users` is None where whose trips they are is not known.
    """

    zones: npt.NDArray[Any]
    week: str
    origin: Ints
    destination: Ints
    count: Ints
    n_users: int | None
    max_trips_per_user: int | None

    @property
    def n_cells(self) -> int:
        """Number of cells, empty ones included: Z·(Z − 1)."""
        return int(self.zones.size * (self.zones.size - 1))

    @property
    def total(self) -> int:
        """Sum of all counts."""
        return int(self.count.sum())

    def share_below(self, threshold: int) -> float:
        """Return the share of all trips that lie in flows of fewer than so many; 0 without a trip."""
        return float(self.count[self.count < threshold].sum()) / max(self.total, 1)

    @property
    def flow(self) -> Ints:
        """Cell numbers origin·Z + destination of the non-zero flows, ascending."""
        return self.origin * self.zones.size + self.destination

    @property
    def departures(self) -> npt.NDArray[np.float64]:
        """Sum of the counts that leave each zone, shape (Z,)."""
        left = np.bincount(self.origin, weights=self.count, minlength=self.zones.size)
        return np.asarray(left, dtype=np.float64)

    @property
    def busiest_zones(self) -> Ints:
        """Positions of the zones with any count, those with the most arriving and leaving first."""
        ends = np.concatenate([self.origin, self.destination])
        busy = np.bincount(ends, np.tile(self.count, 2), minlength=self.zones.size)
        zones = np.flatnonzero(busy)
        return np.asarray(zones[np.argsort(-busy[zones], kind="stable")])

    def flows_at(self, zone: int) -> Ints:
        """Return positions of the flows that begin or end in a zone, given by position, the largest first."""
        there = np.flatnonzero((self.origin == zone) | (self.destination == zone))
        return np.asarray(there[np.argsort(-self.count[there], kind="stable")])


def unique_trips_from_tables(
    ordered_trips: "ir.Table", user_order: "ir.Table", public_zones: Sequence[Any] | None, *, n_trips: int
) -> UniqueTrips:
    """Return the arrays behind every slider from the trips in their random order, and the user order.

    Raises DataError if there is no trip at all.
    """
    import pandas as pd

    from privlab.datasets.zones import all_zones

    # Each column of it goes as soon as its array is there: half of what all of this takes.
    trips = ordered_trips.to_pyarrow().to_pandas(date_as_object=False, split_blocks=True, self_destruct=True)
    if trips.empty:
        raise DataError(NO_TRIPS)
    users = user_order.order_by("user_id").to_pyarrow().to_pandas()
    ends = [trips[name].drop_duplicates() for name in ("origin", "destination")]
    zones = all_zones(pd.concat(ends, ignore_index=True), public_zones)
    known = pd.Index(zones)
    flow = known.get_indexer(trips.pop("origin")).astype(np.int64) * len(zones)
    flow += known.get_indexer(trips.pop("destination"))
    week, weeks = pd.factorize(trips.pop("week"))
    user = pd.Index(users["user_id"]).get_indexer(trips.pop("user_id")).astype(np.int32)
    return UniqueTrips(
        zones=zones,
        weeks=tuple(str(monday) for monday in weeks.to_numpy(dtype="datetime64[D]")),
        week_starts=np.searchsorted(week, np.arange(len(weeks) + 1)),
        user=user,
        flow=flow,
        trip_rank=_places_in_runs(week, user),
        user_rank=users["user_rank"].to_numpy(dtype=np.int32),
        n_trips=n_trips,
    )


def _places_in_runs(*columns: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Return the place of each row in its run of rows in which no column changes, from 0 on."""
    begins = np.ones(columns[0].size, dtype=bool)
    begins[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    row = np.arange(begins.size, dtype=np.int32)
    return row - np.maximum.accumulate(np.where(begins, row, 0), dtype=np.int32)


NO_TRIPS = (
    "No trips found: no user moves to another zone from one hour to the next. "
    "Are the zones too large, is each user seen in one place only, or in one hour only (dates without a time of day)?"
)


def od_matrix_from_unique_trips(
    trips: UniqueTrips, *, week: str, group_size: int | None = None, max_trips_per_user: int | None = None
) -> ODMatrix:
    """Return the true counts of one week.

    Parameters
    ----------
    trips : UniqueTrips
    week : str
        Monday of the week, one of `trips.weeks`.
    group_size : int, optional
        Users sampled into the aggregate: the first so many of the random order. Default all.
    max_trips_per_user : int, optional
        Contribution bound: each user's first so many trips of the random order. Default none.
    """
    part = week_slice(trips, week)
    flow = trips.flow[part]
    keep = np.ones(flow.size, dtype=bool)
    n_users = n_users_of_group(trips, group_size)
    if n_users < trips.n_users:
        keep &= trips.user_rank[trips.user[part]] < n_users
    if max_trips_per_user is not None:
        keep &= kept_under_bound(trips.trip_rank[part], max_trips_per_user)
    cells, count = cells_and_counts(flow[keep], trips.zones.size**2)
    origin, destination = np.divmod(cells, trips.zones.size)
    return ODMatrix(
        zones=trips.zones,
        week=week,
        origin=origin,
        destination=destination,
        count=count,
        n_users=n_users,
        max_trips_per_user=max_trips_per_user,
    )


def od_matrices_from_counts(
    counts: "pd.DataFrame", zones: npt.NDArray[Any], *, n_users: int, max_trips_per_user: int | None
) -> dict[str, ODMatrix]:
    """Return one matrix per week, by its Monday, from a table of week, origin, destination, count."""
    import pandas as pd

    known = pd.Index(zones)
    origin = known.get_indexer(counts["origin"]).astype(np.int64)
    destination = known.get_indexer(counts["destination"]).astype(np.int64)
    count = counts["count"].to_numpy(dtype=np.int64)
    week = counts["week"].to_numpy(dtype="datetime64[D]")
    order = np.lexsort((destination, origin, week))
    matrices = {}
    for monday in np.unique(week):
        part = order[week[order] == monday]
        matrices[str(monday)] = ODMatrix(
            zones=zones,
            week=str(monday),
            origin=origin[part],
            destination=destination[part],
            count=count[part],
            n_users=n_users,
            max_trips_per_user=max_trips_per_user,
        )
    return matrices


def unique_trips_per_user(trips: UniqueTrips, *, week: str, group_size: int | None = None) -> Ints:
    """Return each user's number of unique trips in one week, shape (users of the group,), zeros included."""
    counts = np.bincount(trips.user[week_slice(trips, week)], minlength=trips.n_users)
    n_users = n_users_of_group(trips, group_size)
    if n_users < trips.n_users:
        counts = counts[trips.user_rank < n_users]
    return counts


def person_flows_from_unique_trips(trips: UniqueTrips, *, week: str, n_trips: int) -> Ints:
    """Return the cells of someone who made so many unique trips in the week, shape (k,), ascending.

    Of those who made so many the first; where nobody did, of those who made the next higher number, else the highest.
    """
    part = week_slice(trips, week)
    made = unique_trips_per_user(trips, week=week)
    enough = made[made >= n_trips]
    person = np.argmax(made == (enough.min() if enough.size else made.max()))
    return np.sort(trips.flow[part][trips.user[part] == person])


def n_users_of_group(trips: UniqueTrips, group_size: int | None) -> int:
    """Return how many users a group of that size has: everyone where none is named, or where there are no more."""
    if group_size is None:
        return trips.n_users
    return min(require_whole("group_size", group_size, 1, 10**12), trips.n_users)


def nobody_moved(n_users: int, week: str) -> DataError:
    """Return what to raise where none of so many users made a trip in a week."""
    return DataError(
        f"Nobody in this group of {n_users:,} made a trip in the week of {week}. Take a larger group, or another week."
    )


def week_slice(trips: UniqueTrips, week: str) -> slice:
    """Return where the trips of a week stand. Raises DataError if there are none, ParameterError for what is no text."""
    if not isinstance(week, str):
        raise ParameterError(f"week must be its Monday as text, such as '2026-03-02', got {week!r}.")
    if week not in trips.weeks:
        raise DataError(
            f"There is no trip in the week of {week}; the weeks are {', '.join(trips.weeks[:8])}."
        )
    index = trips.weeks.index(week)
    return slice(int(trips.week_starts[index]), int(trips.week_starts[index + 1]))


def kept_under_bound(trip_rank: Any, bound: int) -> Any:
    """Return which unique trips a bound of L counts: of each user and week the first L of a random order.

    `trip_rank` is a trip's place in that order, from 0, as an array or a column of the database. The order is
    drawn anew for a secure release, else from a seed. Raises ParameterError for a bound out of range.
    """
    return trip_rank < require_whole("max_trips_per_user", bound, 1, MAX_TRIPS_PER_USER)


def chance_under_bound(n_unique_trips: npt.ArrayLike, bound: int) -> npt.NDArray[np.float64]:
    """Return how likely each of a user's T unique trips of a week is counted: min(L/T, 1), the order being random."""
    bound = require_whole("max_trips_per_user", bound, 1, MAX_TRIPS_PER_USER)
    return np.asarray(np.minimum(1.0, bound / np.maximum(n_unique_trips, 1)))


def places_of(values: npt.NDArray[Any], among: npt.NDArray[Any]) -> Ints:
    """Return where each value stands among others, of which no two are equal; −1 where it does not. Shape as `values`.

    By a plain table, which is sooner made and asked than an index.

    >>> places_of(np.array(["b", "d"]), np.array(["a", "b", "c"])).tolist()
    [1, -1]
    """
    place = {one: number for number, one in enumerate(among.tolist())}
    return np.array([place.get(one, -1) for one in values.tolist()], dtype=np.int64)


def cells_and_counts(cell: Ints, n_numbers: int) -> tuple[Ints, Ints]:
    """Return the cells that occur, ascending, and how often each does; all are numbered from 0, below `n_numbers`."""
    if _few_numbers(cell, n_numbers):
        dense = np.bincount(cell, minlength=n_numbers)
        cells = np.flatnonzero(dense)
        return cells, dense[cells]
    cells, count = np.unique(cell, return_counts=True)
    return cells, count


def cells_and_places(cell: Ints, n_numbers: int) -> tuple[Ints, Ints]:
    """Return the cells that occur, ascending, and the place among them of each of `cell`, shape (n,); numbered likewise.

    >>> [found.tolist() for found in cells_and_places(np.array([5, 1, 5]), 9)]
    [[1, 5], [1, 0, 1]]
    """
    if _few_numbers(cell, n_numbers):
        cells, _ = cells_and_counts(cell, n_numbers)
        place = np.zeros(n_numbers, dtype=np.int64)
        place[cells] = np.arange(cells.size)
        return cells, place[cell]
    cells, places = np.unique(cell, return_inverse=True)
    return cells, places


def _few_numbers(cell: Ints, n_numbers: int) -> bool:
    """Return whether an entry for every number takes no more room than the cells given do, or little."""
    return n_numbers <= 4 * cell.size + 1_000_000
