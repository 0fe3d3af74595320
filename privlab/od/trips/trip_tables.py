"""Dataset + zoning → stored tables of unique trips, with the account of what was left out on the way."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ibis.expr.types as ir
import numpy as np
import numpy.typing as npt

from privlab.checks import DataError
from privlab.datasets import DataReport, Dataset
from privlab.datasets.cleaning import Rhythm, rhythm_from_rows
from privlab.datasets.engines import row_count
from privlab.datasets.layouts import FileForm
from privlab.datasets.zones import ZoneMap, Zoning, zoned_rows_from_dataset
from privlab.od.matrix import (
    NO_TRIPS,
    ODMatrix,
    UniqueTrips,
    od_matrix_from_unique_trips,
    unique_trips_from_tables,
)
from privlab.od.trips.flow_counts import (
    FlowCounts,
    flow_counts_from_dataset,
    od_matrix_from_flow_counts,
    require_no_choice_of_users,
)
from privlab.od.trips.hourly_vote import (
    hours_from_votes,
    moves_from_hours,
    trips_from_hours,
    votes_from_zoned_records,
)
from privlab.od.trips.unique_trips import (
    moves_from_trips,
    ranked_trips_from_unique_trips,
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
    the trips were, None if it was not asked for.
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
    progress.tell(0.05, "Placing every row in its zone")
    zoned = zoned_rows_from_dataset(dataset, zoning, progress=progress.part(0.05, 0.4))
    if dataset.kind == "records":
        by_user = dataset.workspace.clustered(zoned, "user_id")
        votes = store("votes", votes_from_zoned_records(by_user))
        hours = store("hours", hours_from_votes(votes))
        trips = trips_from_hours(hours, within_weeks=dataset.is_settled)
        inside = votes.filter(votes.zone.notnull())
        rows_of_users = inside.group_by("user_id").agg(n_rows=inside.n.sum())
    else:
        trips, inside = zoned, zoned.filter(zoned.origin.notnull() & zoned.destination.notnull())
        rows_of_users = inside.group_by("user_id").agg(n_rows=inside.count())
    progress.tell(0.5, "Counting each trip once per user and week")
    people = store("users", rows_of_users)
    n_inside = _total(people.n_rows)
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
        dropped["origin equals destination"] = n_inside - n_trips
        n_inside = n_trips
    rhythm = rhythm_from_rows(moves_from_trips(trips)) if with_rhythm else None
    steps: list[tuple[str, int, str]] = []
    if dataset.kind == "records":
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
    ('5 of 28 users have no row inside: no figure counts them', '1 of 28 users has no row inside: no figure counts them', '')
    """
    if not n_outside:
        return ""
    has = "has" if n_outside == 1 else "have"
    return f"{n_outside:,} of {n_users:,} users {has} no row inside: no figure counts them"


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


def n_unlisted_trips(trips: UniqueTrips | FlowCounts, listed: Sequence[Any] | None) -> int:
    """Return how many unique trips, or counted ones, begin or end in a zone that is not in a list of zones; 0 without a list."""
    elsewhere = unlisted_trips(trips, listed)
    return int(elsewhere.sum() if isinstance(trips, UniqueTrips) else trips.count[elsewhere].sum())


def unlisted_trips(trips: UniqueTrips | FlowCounts, listed: Sequence[Any] | None) -> npt.NDArray[np.bool_]:
    """Return (F,) of the unique trips, or counted flows, whether they begin or end in a zone that is not in a list; none without a list."""
    none = np.zeros(trips.flow.size, dtype=bool)
    if listed is None:
        return none
    n_zones = trips.zones.size
    known = np.isin(trips.zones, np.array(list(listed), dtype=trips.zones.dtype))
    if known.all():  # as mostly: the trips, which are many, need no look
        return none
    return ~(known[trips.flow // n_zones] & known[trips.flow % n_zones])


def unlisted_words(n_trips: int, n_all: int) -> str:
    """Say how many trips no release of all possible flows holds; nothing where there is none.

    >>> unlisted_words(648, 1446)
    '648 of 1,446 trips counted (45%) begin or end in zones that the zone file does not list: a release of all possible flows leaves them out'
    >>> unlisted_words(0, 1446)
    ''
    """
    if not n_trips:
        return ""
    begin = "begins or ends" if n_trips == 1 else "begin or end"
    return (
        f"{n_trips:,} of {n_all:,} trips counted ({n_trips / n_all:.0%}) {begin} in zones that the zone file does not list: "
        "a release of all possible flows leaves them out"
    )


def unique_trips_from_trip_tables(
    tables: TripTables, *, seed: int, progress: Progress = UNHEARD
) -> UniqueTrips:
    """Return the unique trips as arrays, users and trips put in the random order of `seed`.

    Raises DataError if nobody made a trip.
    """
    require_trips(tables)
    progress.tell(0.8, "Putting users and trips in random order")
    ranked = ranked_trips_from_unique_trips(tables.unique_trips, seed=seed)
    order = user_order_from_users(tables.users, seed=seed)
    return unique_trips_from_tables(ranked, order, tables.zoning.public_zones())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedTrips:
    """A dataset made ready for every slider of the origin-destination flow.

    `key` tells apart what the results depend on: data, zoning and seed. `dropped` adds what the zones
    left out to what the reader dropped. `trips` are unique trips, or counts where the data names no users.
    For a secure release: `source_digest` names the account in the ledger (`earlier_digest`: the one that
    older ledgers have for it), `public_zones` are the ids known without the data (None: known from the data
    only), `users_apart` and `form` are as in Dataset. `records_rhythm` and `trips_rhythm` say when the kept rows and the
    trips were, None of data that names no users.
    """

    key: str
    name: str
    kind: str
    rows: int
    n_records: int
    dropped: dict[str, int]
    data_report: DataReport
    trips: UniqueTrips | FlowCounts
    zone_map: ZoneMap
    zones_spec: str
    source_digest: str
    earlier_digest: str
    public_zones: tuple[Any, ...] | None
    users_apart: bool
    form: FileForm | None = None
    funnel: Funnel = ()
    records_rhythm: Rhythm | None = None
    trips_rhythm: Rhythm | None = None

    @property
    def has_users(self) -> bool:
        """Whether the data says whose trips they are; without, nothing can be said per person."""
        return isinstance(self.trips, UniqueTrips)

    @property
    def n_users(self) -> int | None:
        """Number of users, or None where the data names none."""
        return self.trips.n_users if isinstance(self.trips, UniqueTrips) else None

    @property
    def unlisted(self) -> str:
        """What is to be said of trips to or from zones that are not listed; nothing where there is none."""
        n_all = self.trips.flow.size if isinstance(self.trips, UniqueTrips) else self.trips.total
        return unlisted_words(n_unlisted_trips(self.trips, self.public_zones), n_all)

    @property
    def n_users_outside(self) -> int:
        """Number of users who have a usable row, but none in any zone."""
        return self.data_report.users - self.trips.n_users if isinstance(self.trips, UniqueTrips) else 0


def prepared_trips_from_dataset(
    dataset: Dataset, zoning: Zoning, *, seed: int, progress: Progress = UNHEARD
) -> PreparedTrips:
    """Return everything the pages need of one dataset under one zoning; the tables may then be dropped.

    Raises DataError if no row lies in the zones or nobody made a trip.
    """
    trips: UniqueTrips | FlowCounts
    funnel: Funnel
    records_rhythm = trips_rhythm = None
    if dataset.kind == "counts":
        trips = flow_counts_from_dataset(dataset, zoning, progress=progress)
        n_records, dropped, funnel = trips.n_records, trips.dropped, ()
    else:
        tables = trip_tables_from_dataset(dataset, zoning, with_rhythm=True, progress=progress)
        records_rhythm, trips_rhythm = rhythm_from_rows(dataset.table), tables.rhythm
        trips = unique_trips_from_trip_tables(tables, seed=seed, progress=progress)
        n_records, dropped, funnel = tables.n_records, tables.dropped, tables.funnel
    zone_map = zoning.zone_map(trips.zones.tolist())
    # The spec alone does not tell two zone files apart; what they say of the zones does.
    places = repr((trips.zones.tolist(), zone_map.lat.tolist(), zone_map.lon.tolist(), zone_map.outlines))
    geography = hashlib.blake2b(places.encode(), digest_size=16).hexdigest()
    return PreparedTrips(
        key=f"{dataset.digest}|{zoning.spec}|{geography}|{seed}|{dataset.mapping}|{dataset.report.timezone}",
        name=dataset.name,
        kind=dataset.kind,
        rows=dataset.report.rows,
        n_records=n_records,
        dropped=dropped,
        data_report=dataset.report,
        trips=trips,
        zone_map=zone_map,
        zones_spec=zoning.spec,
        source_digest=dataset.source_digest,
        earlier_digest=dataset.earlier_digest,
        public_zones=None if (public := zoning.public_zones()) is None else tuple(public),
        users_apart=dataset.users_apart,
        form=dataset.form,
        funnel=funnel,
        records_rhythm=records_rhythm,
        trips_rhythm=trips_rhythm,
    )


def od_matrix_from_prepared_trips(
    prepared: PreparedTrips,
    *,
    week: str,
    group_size: int | None = None,
    max_trips_per_user: int | None = None,
) -> ODMatrix:
    """Return the true counts of one week, of a group and under a bound where the data names its users.

    Raises ParameterError if a group or a bound is given for data that names no users.
    """
    if isinstance(prepared.trips, FlowCounts):
        require_no_choice_of_users(group_size, max_trips_per_user)
        return od_matrix_from_flow_counts(prepared.trips, week=week)
    return od_matrix_from_unique_trips(
        prepared.trips, week=week, group_size=group_size, max_trips_per_user=max_trips_per_user
    )


def require_trips(tables: TripTables) -> None:
    """Raise DataError, saying why, if nobody made a trip."""
    if not tables.n_unique_trips:
        raise DataError(why_no_trips(tables))


def why_no_trips(tables: TripTables) -> str:
    """Return the likeliest reason that tables hold no trip, as a sentence."""
    zones: Any = tables.zoning.public_zones()
    if tables.dropped.get("origin equals destination"):
        return "No trips found: every row begins and ends in the same zone. Are the zones too large?"
    if zones is not None and len(zones) == 1:
        return "No trips found: there is only one zone, and a trip needs two."
    return NO_TRIPS
