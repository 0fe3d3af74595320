"""Dataset + zoning → stored tables of unique trips, with the account of what was left out on the way."""

from dataclasses import dataclass
from typing import Any

import ibis.expr.types as ir
import numpy as np

from privlab.checks import DataError
from privlab.datasets import Dataset
from privlab.datasets.cleaning import Rhythm, rhythm_from_rows
from privlab.datasets.engines import row_count
from privlab.datasets.zones import Zoning, all_zones, zoned_rows_from_dataset
from privlab.od.matrix import (
    NO_TRIPS,
    UniqueTrips,
    unique_trips_from_tables,
)
from privlab.od.trips.hourly_vote import (
    hours_from_votes,
    moves_from_hours,
    trips_from_hours,
    votes_from_zoned_records,
)
from privlab.od.trips.unique_trips import (
    moves_from_trips,
    ordered_trips_from_unique_trips,
    unique_trips_from_trips,
    user_order_from_users,
)
from privlab.progress import UNHEARD, Progress

Funnel = tuple[tuple[str, int, str], ...]
"""What is left after each step from rows to unique trips, in order: the step, how many, and why fewer."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TripTables:
    """Unique trips of a dataset under one zoning, stored in the dataset's workspace.

    `unique_trips` has user_id, week, origin, destination, n_trips; `users` has user_id and n_rows of everyone
    seen in the zones. `n_records` rows took part; `dropped` says why the others did not. `rhythm` says when
    the trips were, None if it was not asked for. `share` is the share of the way from rows to trips in random order that
    they took, about.
    """

    unique_trips: ir.Table
    users: ir.Table
    zoning: Zoning
    n_records: int
    n_users: int
    n_trips: int
    n_unique_trips: int
    dropped: dict[str, int]
    funnel: Funnel = ()
    rhythm: Rhythm | None = None
    share: float = 0.8


def trip_tables_from_dataset(
    dataset: Dataset,
    zoning: Zoning,
    *,
    with_rhythm: bool = False,
    by_slot: bool = False,
    progress: Progress = UNHEARD,
) -> TripTables:
    """Return the unique trips of every user and week, worked out in the database, out of core.

    `with_rhythm` also asks when the trips were; `by_slot` tells trips at different times of the week apart. Of data read in a
    settled form, moves across the border of two weeks are left out. Raises DataError if no row lies in the zones.
    """
    store, forget = dataset.workspace.materialise, dataset.workspace.forget
    is_records = dataset.kind == "records"
    progress.tell(0.05, "Placing every row in its zone", until=0.4 if is_records else 0.07)
    zoned = zoned_rows_from_dataset(
        dataset, zoning, progress=progress.part(0.05, 0.4 if is_records else 0.07)
    )
    if is_records:
        by_user = dataset.workspace.clustered(zoned, "user_id")
        votes = store("votes", votes_from_zoned_records(by_user))
        hours = store("hours", hours_from_votes(votes))
        trips = trips_from_hours(hours, within_weeks=dataset.is_settled)
        inside = votes.filter(votes.zone.notnull())
        rows_of_users = inside.group_by("user_id").agg(n_rows=inside.n.sum())
    else:
        trips, inside = zoned, zoned.filter(zoned.origin.notnull() & zoned.destination.notnull())
        rows_of_users = inside.group_by("user_id").agg(n_rows=inside.count())
    words = "Counting each trip once per user and week"
    begin, end = (0.5, 0.8) if is_records else (0.07, 0.4)  # trips are in their zones at once
    progress.tell(begin, words)
    people = store("users", rows_of_users)
    n_inside = _total(people.n_rows)
    progress.tell(begin + 0.03, words, until=end)
    unique_trips = store("unique_trips", unique_trips_from_trips(trips, by_slot=by_slot))
    if not n_inside:
        raise DataError(
            f"No row of {dataset.name} lies in the zones ({zoning.spec}). "
            "Does the area fit, and are latitude and longitude the right way round?"
        )
    dropped = dict(dataset.report.dropped)
    if dataset.report.kept > n_inside:
        dropped["outside the zones"] = dataset.report.kept - n_inside
    n_trips, n_rows_inside = _total(unique_trips.n_trips), n_inside
    if dataset.kind == "trips" and n_trips < n_inside:
        dropped["begins and ends in one zone"] = n_inside - n_trips
        n_inside = n_trips
    rhythm = rhythm_from_rows(moves_from_trips(trips)) if with_rhythm else None
    steps: list[tuple[str, int, str]] = []
    if is_records:
        steps += _hour_steps(hours)
        forget(votes)
        forget(hours)
    if zoning.outside is not None:
        forget(zoned)
    return TripTables(
        unique_trips=unique_trips,
        users=people,
        zoning=zoning,
        n_records=n_inside,
        n_users=row_count(people),
        n_trips=n_trips,
        n_unique_trips=row_count(unique_trips),
        dropped=dropped,
        funnel=_funnel(dataset, n_rows_inside, row_count(people), steps, n_trips, row_count(unique_trips)),
        rhythm=rhythm,
        share=end,
    )


def funnel_rows(funnel: Funnel) -> list[dict[str, str | int]]:
    """Return a funnel as rows of `step`, `count` and `reason`."""
    return [{"step": step, "count": count, "reason": reason} for step, count, reason in funnel]


def _hour_steps(hours: ir.Table) -> list[tuple[str, int, str]]:
    return [
        ("hours", row_count(hours), "one zone per user and wall-clock hour: that with most records"),
        (
            "moves and stays",
            row_count(moves_from_hours(hours)),
            "pairs of hours that follow on one another; an hour without a record breaks the chain",
        ),
    ]


def users_outside_words(n_outside: int, n_users: int) -> str:
    """Say how many users have no row in any zone; nothing where there is none.

    >>> users_outside_words(5, 28), users_outside_words(1, 28), users_outside_words(0, 28)
    ('5 of 28 users have no row inside: no count has them', '1 of 28 users has no row inside: no count has them', '')
    """
    if not n_outside:
        return ""
    has = "has" if n_outside == 1 else "have"
    return f"{n_outside:,} of {n_users:,} users {has} no row inside: no count has them"


def _funnel(
    dataset: Dataset,
    n_inside: int,
    n_users_inside: int,
    steps: list[tuple[str, int, str]],
    n_trips: int,
    n_unique_trips: int,
) -> Funnel:
    """Return what is left after each step, from the rows of the file to unique trips."""
    is_records = dataset.kind == "records"
    rows = "records" if is_records else "trip rows"
    weeks = ", and both hours lie in one week" if dataset.is_settled else ""
    moved = (
        f"the zone changes between the two hours{weeks}" if is_records else "the trip ends in another zone"
    )
    dropped = ", ".join(dataset.report.dropped) or "no row is unusable"
    n_users = dataset.report.users
    nobody = users_outside_words(n_users - n_users_inside, n_users)
    outside = f"the rest lies outside the zones{nobody and f'; {nobody}'}"
    return (
        ("rows", dataset.report.rows, "as they stand in the file"),
        (f"{rows} kept", dataset.report.kept, f"left out: {dropped}" if dataset.report.dropped else dropped),
        (f"{rows} in zones", n_inside, outside if n_inside < dataset.report.kept else "all of them"),
        *steps,
        ("trips", n_trips, moved),
        ("unique trips", n_unique_trips, "each pair of zones counts once per user and week"),
    )


def _total(column: ir.Value) -> int:
    return int(column.sum().to_pyarrow().as_py() or 0)


def unique_trips_from_trip_tables(
    tables: TripTables, *, seed: int, dataset: Dataset | None = None, progress: Progress = UNHEARD
) -> UniqueTrips:
    """Return the unique trips as arrays, users and trips put in the random order of `seed`.

    Where nobody made a trip, there are the zones and weeks of the rows of `dataset`; without it, DataError is raised.
    """
    if dataset is not None and not tables.n_unique_trips:
        return _none_of_trip_tables(tables, dataset, seed=seed)
    require_trips(tables)
    progress.tell(tables.share, "Putting users and trips in random order", until=0.9)
    ordered = ordered_trips_from_unique_trips(tables.unique_trips, seed=seed)
    order = user_order_from_users(tables.users, seed=seed)
    return unique_trips_from_tables(ordered, order, tables.zoning.public_zones(), n_trips=tables.n_trips)


def _none_of_trip_tables(tables: TripTables, dataset: Dataset, *, seed: int) -> UniqueTrips:
    """Return the unique trips of tables that hold none, with the zones and weeks of the rows in the zones."""
    rows = zoned_rows_from_dataset(dataset, tables.zoning)
    place = rows.zone if "zone" in rows.columns else rows.origin
    inside = rows.filter(place.notnull()).select(zone=place, week=rows.time.truncate("W").cast("date"))
    zones = inside.select("zone").distinct().to_pyarrow().to_pandas()["zone"]
    weeks = sorted(str(one) for one in inside.select("week").distinct().to_pyarrow()["week"].to_pylist())
    users = user_order_from_users(tables.users, seed=seed).order_by("user_id").to_pyarrow().to_pandas()
    nothing = np.empty(0, dtype=np.int64)
    return UniqueTrips(
        zones=all_zones(zones, tables.zoning.public_zones()),
        weeks=tuple(weeks),
        week_starts=np.zeros(len(weeks) + 1, dtype=np.int64),
        user=nothing.astype(np.int32),
        flow=nothing,
        trip_rank=nothing.astype(np.int32),
        user_rank=users["user_rank"].to_numpy(dtype=np.int32),
        n_trips=0,
    )


def require_trips(tables: TripTables) -> None:
    """Raise DataError, saying why, if nobody made a trip."""
    if not tables.n_unique_trips:
        raise DataError(why_no_trips(tables))


def why_no_trips(tables: TripTables) -> str:
    """Return the likeliest reason that tables hold no trip, as a sentence."""
    zones: Any = tables.zoning.public_zones()
    if tables.dropped.get("begins and ends in one zone"):
        return "No trips found: every row begins and ends in the same zone. Are the zones too large?"
    if zones is not None and len(zones) == 1:
        return "No trips found: there is only one zone, and a trip needs two."
    return NO_TRIPS
