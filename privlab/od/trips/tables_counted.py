"""Stored trips → the counts that plans and risks need of them, worked out where the trips are. Raw.

For data on a cluster: what comes back are counts, and for people who are judged how many others share each of their flows,
without a name or a place. The same numbers as from UniqueTrips in the same random order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import ibis
import ibis.expr.types as ir
import numpy as np
import numpy.typing as npt
import pandas as pd

from privlab.checks import DataError, ParameterError, require_whole
from privlab.datasets.zones import all_zones
from privlab.od.matrix import Ints, kept_under_bound, nobody_moved
from privlab.od.trips.trip_tables import TripTables, require_trips
from privlab.od.trips.unique_trips import ranked_trips_from_unique_trips, user_order_from_users

_CELL = ("week", "origin", "destination")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Whose trips are counted: those of a group of users, the first `group_size` of the random order, in some weeks.

    `seed` is that of the order, of users and of each user's trips; None takes everyone.
    """

    tables: TripTables
    weeks: tuple[str, ...]
    group_size: int | None
    seed: int

    def __post_init__(self) -> None:
        """Raise DataError for a week without trips, ParameterError for weeks that are named twice or not at all."""
        if not self.weeks or len(set(self.weeks)) != len(self.weeks):
            raise ParameterError(f"weeks must be named, each once, got {list(self.weeks)}.")
        there = trips_by_week(self.tables)
        for week in self.weeks:
            if week not in there:
                raise DataError(
                    f"There is no trip in the week of {week}; the weeks are {', '.join(list(there)[:8])}."
                )

    @property
    def n_users(self) -> int:
        """Number of users in the group."""
        if self.group_size is None:
            return self.tables.n_users
        return min(require_whole("group_size", self.group_size, 1, 10**12), self.tables.n_users)

    def ranked(self) -> ir.Table:
        """Return the group's trips of the weeks, with trip_rank."""
        trips = self.tables.unique_trips
        days = [date.fromisoformat(week) for week in self.weeks]
        trips = trips.filter(trips.week.isin(days))
        if self.n_users < self.tables.n_users:
            trips = trips.semi_join(self._first(self.n_users), "user_id")
        return ranked_trips_from_unique_trips(trips, seed=self.seed)

    def judged(self, n_people: int) -> ir.Table:
        """Return user_id, user_rank of the first people of the group."""
        return self._first(min(require_whole("users", n_people, 1, 10**12), self.n_users))

    def _first(self, n: int) -> ir.Table:
        order = user_order_from_users(self.tables.users, seed=self.seed)
        return order.filter(order.user_rank < n)


def trips_by_week(tables: TripTables) -> dict[str, int]:
    """Return the number of unique trips of each week with any, in the weeks' order. Raises DataError if there are none."""
    require_trips(tables)
    weeks = tables.unique_trips.group_by("week").agg(n=ibis._.count()).order_by("week")
    return {str(row["week"]): row["n"] for row in weeks.to_pyarrow().to_pylist()}


def busiest_week_of_tables(tables: TripTables) -> str:
    """Return the Monday of the week with most unique trips, the first of those with as many."""
    found = trips_by_week(tables)
    return max(found, key=lambda week: found[week])


def zones_of_tables(tables: TripTables) -> npt.NDArray[Any]:
    """Return the ids of all zones, shape (Z,): those known without the data and those at an end of a trip."""
    ends = [tables.unique_trips.select(zone=tables.unique_trips[end]) for end in ("origin", "destination")]
    seen = ends[0].union(ends[1]).distinct().to_pyarrow().to_pandas()
    return all_zones(seen["zone"], tables.zoning.public_zones())


def people_under_bounds(asked: Asked, bounds: Sequence[int]) -> tuple[Ints, Ints, int]:
    """Return the people in each flow with any, shape (C,), those whom each bound leaves (B, C), and the most trips of a user's week."""
    ranked = asked.ranked()
    left = {f"bound_{bound}": _kept(ranked, bound).cast("int64").sum() for bound in bounds}
    found = _frame(
        ranked.group_by(*_CELL).agg(people=ranked.count(), most=ranked.trip_rank.max() + 1, **left)
    )
    if found.empty:
        raise nobody_moved(asked.n_users, asked.weeks[0])
    bounded = np.stack([found[name].to_numpy(dtype=np.int64) for name in left])
    return found["people"].to_numpy(dtype=np.int64), bounded, int(found["most"].max())


def people_by_week(asked: Asked, bound: int | None) -> dict[str, tuple[Ints, Ints]]:
    """Return by week the people in each flow with any, and those of them whom a bound counts; by None all."""
    ranked = asked.ranked()
    counted = ranked.count() if bound is None else _kept(ranked, bound).cast("int64").sum()
    found = _frame(ranked.group_by(*_CELL).agg(people=ranked.count(), counted=counted))
    week = found["week"].to_numpy(dtype="datetime64[D]").astype(str)
    people, left = (found[name].to_numpy(dtype=np.int64) for name in ("people", "counted"))
    return {one: (people[week == one], left[week == one]) for one in asked.weeks}


def others_of_people(asked: Asked, n_people: int, bound: int | None) -> tuple[Ints, Ints, Ints]:
    """Return for each trip counted of the first people: the person, the week as a position, and how many others make it.

    Sorted by person, week, origin and destination, which are not told.
    """
    ranked = asked.ranked()
    kept = ranked if bound is None else ranked.filter(_kept(ranked, bound))
    counts = kept.group_by(*_CELL).agg(count=ibis._.count())
    mine = kept.inner_join(asked.judged(n_people), "user_id").select("user_rank", *_CELL)
    told = mine.inner_join(counts, _CELL).order_by("user_rank", *_CELL)
    found = _frame(told.select("user_rank", "week", others=told["count"] - 1))
    person, others = (found[name].to_numpy(dtype=np.int64) for name in ("user_rank", "others"))
    return person, _position_of_week(found, asked), others


def places_of_people(asked: Asked, n_people: int) -> Ints:
    """Return, for each of the first people in the random order, the place in the order of their ids, shape (people,)."""
    return np.asarray(_numbered(asked, n_people).order_by("user_rank").place.to_pyarrow(), dtype=np.int64)


def _numbered(asked: Asked, n_people: int) -> ir.Table:
    """Return user_id, user_rank, place: the first people, and where each stands in the order of ids."""
    order = ibis.window(order_by="user_id")
    return asked.judged(n_people).mutate(place=ibis.row_number().over(order))


def weekly_trips_of_people(asked: Asked, n_people: int) -> Ints:
    """Return the number of unique trips of the first people in each week, shape (people, W), in the order of their ids."""
    trips = asked.ranked().group_by("user_id", "week").agg(n=ibis._.count())
    numbered = _numbered(asked, n_people).select("user_id", "place")
    found = _frame(numbered.inner_join(trips, "user_id").select("place", "week", "n"))
    n = np.zeros((min(n_people, asked.n_users), len(asked.weeks)), dtype=np.int64)
    n[found["place"].to_numpy(dtype=np.int64), _position_of_week(found, asked)] = found["n"].to_numpy()
    return n


def _kept(ranked: ir.Table, bound: int) -> ir.BooleanValue:
    kept: ir.BooleanValue = kept_under_bound(ranked.trip_rank, bound)
    return kept


def _position_of_week(found: pd.DataFrame, asked: Asked) -> Ints:
    named = pd.Index(np.asarray(asked.weeks, dtype="datetime64[D]"))
    week = found["week"].to_numpy(dtype="datetime64[D]")
    return np.asarray(named.get_indexer(pd.Index(week)), dtype=np.int64)


def _frame(table: ir.Table) -> pd.DataFrame:
    frame: pd.DataFrame = table.to_pyarrow().to_pandas(date_as_object=False)
    return frame
