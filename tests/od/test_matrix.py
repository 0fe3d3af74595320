"""Arrays of unique trips against a slow definition; sensitivity of bounded counts as a property."""

import datetime as dt
from collections import Counter, defaultdict

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.checks import DataError, ParameterError
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.records import DataReport, Dataset
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning, Geography
from privlab.datasets.zones.zoned_rows import all_zones
from privlab.od.matrix import (
    od_matrices_from_counts,
    od_matrix_from_unique_trips,
    person_flows_from_unique_trips,
    unique_trips_from_tables,
    unique_trips_per_user,
)
from privlab.od.trips.trip_tables import trip_tables_from_dataset, unique_trips_from_trip_tables
from privlab.od.trips.unique_trips import (
    bounded_trips_from_unique_trips,
    od_counts_from_unique_trips,
    ordered_trips_from_unique_trips,
    user_order_from_users,
)
from tests.od.trips.test_hourly_vote import (
    NUMBERS,
    TEXTS,
    awkward_records,
    counts_by_definition,
    record_lists,
    rows_of,
    table_of,
    timed,
    trips_by_definition,
    unique_by_definition,
)


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=2) as opened:
        yield opened


def dataset_of(workspace, table, kind="records", place="zone"):
    """A dataset as the reader would return it, around a table made by hand."""
    n = int(table.count().to_pyarrow().as_py())
    users = int(table.user_id.nunique().to_pyarrow().as_py())
    report = DataReport(
        rows=n, kept=n, dropped={}, users=users, first=None, last=None, timezone="wall clock", notes=()
    )
    return Dataset(
        name="by hand",
        kind=kind,
        place=place,
        table=table,
        report=report,
        digest="0",
        workspace=workspace,
        mapping=ColumnMapping(),
    )


def arrays_of(workspace, records, seed=1, geography=None):
    tables = trip_tables_from_dataset(
        dataset_of(workspace, table_of(workspace, records)), ColumnZoning(geography=geography)
    )
    return tables, unique_trips_from_trip_tables(tables, seed=seed)


def by_zone(matrix):
    """(origin, destination) → count, of an ODMatrix, by the ids of its zones."""
    zones = matrix.zones.tolist()
    ends = zip(matrix.origin.tolist(), matrix.destination.tolist(), strict=True)
    return {(zones[o], zones[d]): n for (o, d), n in zip(ends, matrix.count.tolist(), strict=True)}


def test_world_by_hand(workspace, world):
    records = [(int(u), t.to_pydatetime(), int(z)) for u, t, z in world.itertuples(index=False)]
    _, trips = arrays_of(workspace, records)
    assert trips.zones.tolist() == [1, 2, 3, 4]
    assert trips.weeks == ("2026-03-02", "2026-03-09")
    assert (trips.n_users, trips.n_trips, trips.flow.size) == (3, 7, 6)
    first = od_matrix_from_unique_trips(trips, week="2026-03-02")
    assert by_zone(first) == {(1, 2): 2, (2, 1): 1, (3, 4): 1}
    assert (first.total, first.n_cells, first.n_users) == (4, 12, 3)
    assert first.flow.tolist() == [1, 4, 11]
    assert [first.share_below(n) for n in (1, 2, 3)] == [0, 0.5, 1]
    assert first.count.dtype == np.int64
    assert first.departures.tolist() == [2, 1, 1, 0]
    assert (first.flows_at(0).tolist(), first.flows_at(3).tolist()) == ([0, 1], [2])
    second = od_matrix_from_unique_trips(trips, week="2026-03-09")
    assert by_zone(second) == {(4, 1): 1, (1, 2): 1}
    assert second.busiest_zones.tolist() == [0, 1, 3]  # nobody begins or ends at the third
    assert sorted(unique_trips_per_user(trips, week="2026-03-02").tolist()) == [1, 1, 2]
    assert sorted(unique_trips_per_user(trips, week="2026-03-09").tolist()) == [0, 0, 2]
    bounded = od_matrix_from_unique_trips(trips, week="2026-03-02", max_trips_per_user=1)
    assert bounded.total == 3


def test_one_persons_flows_by_hand(workspace, world):
    # Anna: 1→2 and 2→1, cells 0·4 + 1 and 1·4 + 0; Ben: 3→4, cell 2·4 + 3; Cleo: 1→2.
    records = [(int(u), t.to_pydatetime(), int(z)) for u, t, z in world.itertuples(index=False)]
    _, trips = arrays_of(workspace, records)

    def of(n_trips, week="2026-03-02"):
        return person_flows_from_unique_trips(trips, week=week, n_trips=n_trips).tolist()

    assert of(2) == [1, 4]
    assert of(1) == [11]  # Ben and Cleo made one each: the first of them
    assert of(7) == [1, 4]  # nobody made so many: the person with most
    assert of(1, "2026-03-09") == [1, 12]  # nobody made just one: Ben, with two


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("zones", [NUMBERS, TEXTS], ids=["numbers", "texts"])
@pytest.mark.parametrize("users", [range(1, 9), ("u1", "u10", "u2", "Ü", "a|b")], ids=["number", "text"])
def test_arrays_against_brute_force(workspace, seed, zones, users):
    records = awkward_records(seed, zones, users, n=300)
    _, trips = arrays_of(workspace, records)
    unique = unique_by_definition(trips_by_definition(records))
    counts = counts_by_definition(unique)
    assert trips.zones.tolist() == sorted({zone for _, _, *ends in unique for zone in ends})
    assert trips.weeks == tuple(sorted({str(key[1]) for key in unique}))
    assert trips.n_trips == sum(unique.values())
    assert trips.n_users == len({user for user, _, zone in records if zone is not None})
    for week in trips.weeks:
        expected = {key[1:]: n for key, n in counts.items() if str(key[0]) == week}
        matrix = od_matrix_from_unique_trips(trips, week=week)
        assert by_zone(matrix) == expected
        assert np.all(np.diff(matrix.flow) > 0)
        per_user = Counter(user for user, monday, *_ in unique if str(monday) == week)
        people = {user for user, _, zone in records if zone is not None}
        assert sorted(unique_trips_per_user(trips, week=week)) == sorted(per_user[user] for user in people)


@pytest.mark.parametrize("group_size", [None, 1, 2, 5, 8, 10_000])
@pytest.mark.parametrize("bound", [None, 1, 2, 1000])
@pytest.mark.parametrize("zones", [NUMBERS, TEXTS], ids=["numbers", "texts"])
def test_arrays_and_database_agree(workspace, zones, group_size, bound):
    seed = 11
    tables, trips = arrays_of(workspace, awkward_records(2, zones, range(1, 10), n=400), seed)
    part = tables.unique_trips
    if group_size is not None:
        order = user_order_from_users(tables.users, seed=seed)
        part = part.semi_join(order.filter(order.user_rank < group_size), "user_id")
    if bound is not None:
        part = bounded_trips_from_unique_trips(part, max_trips_per_user=bound, seed=seed)
    rows = rows_of(od_counts_from_unique_trips(part), "week", "origin", "destination", "count")
    expected = defaultdict(dict)
    for week, origin, destination, count in rows:
        expected[str(week)][origin, destination] = count
    counts = pd.DataFrame(rows, columns=["week", "origin", "destination", "count"])
    counts["week"] = pd.to_datetime(counts["week"])
    matrices = od_matrices_from_counts(counts, trips.zones, n_users=1, max_trips_per_user=bound)
    assert len(trips.weeks) == 2
    for week in trips.weeks:
        matrix = od_matrix_from_unique_trips(
            trips, week=week, group_size=group_size, max_trips_per_user=bound
        )
        assert by_zone(matrix) == expected[week]
        if week in matrices:
            assert by_zone(matrices[week]) == expected[week]
            assert np.array_equal(matrices[week].flow, matrix.flow)
        assert matrix.n_users == min(group_size or trips.n_users, trips.n_users)
        assert matrix.max_trips_per_user == bound
        people = unique_trips_per_user(trips, week=week, group_size=group_size)
        assert people.size == matrix.n_users
        assert matrix.total == np.minimum(people, bound or people.size + 10**6).sum()


@settings(max_examples=25)
@given(rows=record_lists, bound=st.integers(1, 3), seed=st.integers(0, 1000), data=st.data())
def test_sensitivity_of_bounded_counts(workspace, rows, bound, seed, data):
    """Removing any one user moves each week's counts by at most L in all and by at most 1 in one cell."""
    records = timed(rows)
    gone = data.draw(st.sampled_from(sorted({record[0] for record in records})))

    def counts(some):
        try:
            _, trips = arrays_of(workspace, some, seed)
        except DataError:
            return Counter()
        return Counter(
            {
                (week, *flow): n
                for week in trips.weeks
                for flow, n in by_zone(
                    od_matrix_from_unique_trips(trips, week=week, max_trips_per_user=bound)
                ).items()
            }
        )

    rest = [record for record in records if record[0] != gone]
    everyone, without = counts(records), counts(rest) if rest else Counter()
    moved = {key: everyone[key] - without[key] for key in everyone | without}
    assert set(moved.values()) <= {0, 1}
    per_week = Counter()
    for (week, *_), by in moved.items():
        per_week[week] += by
    assert all(total <= bound for total in per_week.values())


def test_records_unordered(workspace):
    records = awkward_records(6, TEXTS, n=300)
    (_, one), (_, other) = arrays_of(workspace, records), arrays_of(workspace, records[::-1])
    for week in one.weeks:
        for bound in (None, 1):
            a, b = (od_matrix_from_unique_trips(t, week=week, max_trips_per_user=bound) for t in (one, other))
            assert by_zone(a) == by_zone(b)


def test_large_sparse_matrix_against_small(workspace):
    """A thousand times more public zones: another way of counting, the same counts."""
    records = awkward_records(1, n=400)
    _, few = arrays_of(workspace, records)
    many_zones = Geography(zones=list(range(-1500, 1500)))
    _, many = arrays_of(workspace, records, geography=many_zones)
    assert many.zones.size == 3000
    for week in few.weeks:
        a, b = (od_matrix_from_unique_trips(trips, week=week) for trips in (few, many))
        assert by_zone(a) == by_zone(b)
        assert b.n_cells == 3000 * 2999


def test_public_zones_without_trips_are_cells_too(workspace):
    records = awkward_records(1)
    _, trips = arrays_of(workspace, records, geography=Geography(zones=[0, 1, 2, 3, 4, 99]))
    assert trips.zones.tolist() == [0, 1, 2, 3, 4, 99]
    assert od_matrix_from_unique_trips(trips, week=trips.weeks[0]).n_cells == 30


@pytest.mark.parametrize(
    ("seen", "public", "expected"),
    [
        ([3, 1, 3], None, [1, 3]),
        ([3, 1], [5, 2], [1, 2, 3, 5]),
        (["b", "B", "é"], None, ["B", "b", "é"]),
        (["10", "9"], ["1"], ["1", "10", "9"]),
        ([], [2, 1], [1, 2]),
    ],
)
def test_all_zones_by_hand(seen, public, expected):
    assert all_zones(pd.Series(seen, dtype=None if seen else "int64"), public).tolist() == expected


def test_zone_ids_of_another_kind_than_the_geography_are_refused_in_words(workspace):
    """The file counts its zones 1, 2, 3; the positions given beside it are of zones "A", "B"."""
    with pytest.raises((DataError, ParameterError)):
        arrays_of(workspace, awkward_records(1), geography=Geography(zones=["A", "B"]))


def test_no_trips_degenerate(workspace):
    day = dt.datetime(2026, 3, 4)
    for records in (
        [(1, day, 1)],  # one record
        [(1, day, 1), (1, day.replace(hour=1), 1)],  # one zone
        [(1, day, 1), (2, day.replace(hour=1), 2)],  # two users, one place each
        [(1, day, 1), (1, day.replace(hour=2), 2)],  # a gap
        [(1, day, 1), (1, day, 2), (2, day, 2), (2, day, 1)],  # dates without a time: one hour
    ):
        with pytest.raises(
            DataError, match=r"^No trips found: no user moves to another zone .* or in one hour only"
        ):
            arrays_of(workspace, records)


def test_no_trips_from_empty_tables(workspace):
    schema = pa.schema(
        [("user_id", pa.int64()), ("week", pa.date32()), ("origin", pa.int64()), ("destination", pa.int64()),
         ("n_trips", pa.int64())]
    )  # fmt: skip
    empty = workspace.connection.create_table(ibis.util.gen_name("t"), schema.empty_table())
    with pytest.raises(DataError, match=r"^No trips found"):
        unique_trips_from_tables(
            ordered_trips_from_unique_trips(empty, seed=1),
            user_order_from_users(empty, seed=1),
            None,
            n_trips=0,
        )


def test_one_user_degenerate(workspace):
    day = dt.datetime(2026, 3, 4)
    _, trips = arrays_of(workspace, [("me", day, "a"), ("me", day.replace(hour=1), "b")])
    matrix = od_matrix_from_unique_trips(trips, week="2026-03-02", group_size=1, max_trips_per_user=1)
    assert by_zone(matrix) == {("a", "b"): 1}
    assert (matrix.n_users, matrix.n_cells) == (1, 2)


def test_parameters_iv(workspace):
    _, trips = arrays_of(workspace, awkward_records(1))
    week = trips.weeks[0]
    with pytest.raises(
        DataError, match=r"^There is no trip in the week of 2020-01-06; the weeks are 2026-03-02"
    ):
        od_matrix_from_unique_trips(trips, week="2020-01-06")
    with pytest.raises(ParameterError, match=r"^week must be its Monday as text, such as '2026-03-02', got "):
        od_matrix_from_unique_trips(trips, week=dt.date(2026, 3, 2))
    for value in (0, -1, 1.5, float("nan"), "1"):
        with pytest.raises(ParameterError, match=r"^group_size must be .*, got .*\.$"):
            od_matrix_from_unique_trips(trips, week=week, group_size=value)
    for value in (0, -1, 1.5, float("nan"), 1001, "1"):
        with pytest.raises(ParameterError, match=r"^max_trips_per_user must be .*, got .*\.$"):
            od_matrix_from_unique_trips(trips, week=week, max_trips_per_user=value)
