"""Dataset + zoning → all that pages and reports need of its trips, or of its counts where it names nobody."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.datasets import DataReport, Dataset
from privlab.datasets.cleaning import Rhythm, rhythm_from_rows
from privlab.datasets.layouts import FileForm
from privlab.datasets.zones import ZoneMap, Zoning
from privlab.od.matrix import (
    ODMatrix,
    UniqueTrips,
    od_matrix_from_unique_trips,
)
from privlab.od.trips.flow_counts import (
    FlowCounts,
    flow_counts_from_dataset,
    od_matrix_from_flow_counts,
    require_no_choice_of_users,
)
from privlab.od.trips.trip_tables import (
    Funnel,
    trip_tables_from_dataset,
    unique_trips_from_trip_tables,
    why_no_trips,
)
from privlab.progress import UNHEARD, Progress


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedTrips:
    """A dataset made ready for every slider of the origin-destination flow.

    `key` tells apart what the results depend on: data, zoning and seed. `dropped` adds what the zones
    left out to what the reader dropped. `trips` are unique trips, or counts where the data names no users.
    `no_trips` says why nobody made a trip, nothing where somebody did: then nothing can be released.
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
    no_trips: str = ""

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
    dataset: Dataset,
    zoning: Zoning,
    *,
    seed: int,
    even_without_trips: bool = False,
    progress: Progress = UNHEARD,
) -> PreparedTrips:
    """Return everything the pages need of one dataset under one zoning; the tables may then be dropped.

    Raises DataError if no row lies in the zones or, unless that is no matter, nobody made a trip.
    """
    trips: UniqueTrips | FlowCounts
    funnel: Funnel
    records_rhythm = trips_rhythm = None
    no_trips = ""
    if dataset.kind == "counts":
        trips = flow_counts_from_dataset(dataset, zoning, progress=progress)
        n_records, dropped, funnel = trips.n_records, trips.dropped, ()
    else:
        tables = trip_tables_from_dataset(dataset, zoning, with_rhythm=True, progress=progress)
        records_rhythm, trips_rhythm = rhythm_from_rows(dataset.table), tables.rhythm
        trips = unique_trips_from_trip_tables(
            tables, seed=seed, dataset=dataset if even_without_trips else None, progress=progress
        )
        no_trips = "" if tables.n_unique_trips else why_no_trips(tables)
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
        no_trips=no_trips,
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
