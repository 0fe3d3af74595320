"""Stored trip tables: the account of every row, against the slow definition and by hand."""

import datetime as dt
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from privlab.checks import DataError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.datasets.zone_files.geography import Geography
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning
from privlab.datasets.zone_kinds.regular_zones import BoxZoning, GridZoning, H3Zoning
from privlab.datasets.zone_kinds.zoning import zoning_from_spec
from privlab.od.matrix import od_matrix_from_unique_trips
from privlab.od.trips.prepared_trips import prepared_trips_from_dataset
from privlab.od.trips.trip_tables import trip_tables_from_dataset, unique_trips_from_trip_tables
from privlab.progress import Progress
from tests.od.test_matrix import by_zone, dataset_of
from tests.od.trips.test_hourly_vote import (
    NUMBERS,
    TEXTS,
    UNIQUE,
    awkward_records,
    rows_of,
    table_of,
    trips_by_definition,
    unique_by_definition,
)

BOX = BoxZoning(south=10.0, west=20.0, north=12.0, east=24.0, n_rows=2, n_columns=2)
CENTRES = {0: (10.5, 21.0), 1: (10.5, 23.0), 2: (11.5, 21.0), 3: (11.5, 23.0), None: (12.5, 21.0)}
ENDS = ("origin", "destination")


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=2) as opened:
        yield opened


def records_in_degrees(seed, n=300):
    records = awkward_records(seed, zones=(0, 1, 2, 3, None), n=n)
    return records, [(user, time, *CENTRES[zone]) for user, time, zone in records]


def test_world_by_hand(workspace, world):
    records = [(int(u), t.to_pydatetime(), int(z)) for u, t, z in world.itertuples(index=False)]
    tables = trip_tables_from_dataset(dataset_of(workspace, table_of(workspace, records)), ColumnZoning())
    assert (tables.n_records, tables.n_users, tables.n_trips, tables.n_unique_trips) == (15, 3, 7, 6)
    assert tables.dropped == {}


@pytest.mark.parametrize("seed", range(5))
def test_records_against_brute_force(workspace, seed):
    records, placed = records_in_degrees(seed)
    table = table_of(workspace, placed, ("user_id", "time", "lat", "lon"))
    told = []
    tables = trip_tables_from_dataset(
        dataset_of(workspace, table, place="latlon"),
        BOX,
        progress=Progress(lambda share, words: told.append(share)),
    )
    unique = unique_by_definition(trips_by_definition(records))
    inside = [record for record in records if record[2] is not None]
    assert {row[:4]: row[4] for row in rows_of(tables.unique_trips, *UNIQUE, "n_trips")} == unique
    assert tables.n_records == len(inside)
    assert tables.n_users == len({user for user, *_ in inside}) == len(rows_of(tables.users, "user_id"))
    assert tables.n_trips == sum(unique.values())
    assert tables.n_unique_trips == len(unique)
    assert tables.dropped == {"outside the zones": len(records) - len(inside)}
    assert told == sorted(told)
    assert 0 <= told[0] <= told[-1] <= 1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("zones", [NUMBERS, TEXTS], ids=["numbers", "texts"])
def test_finished_trips_against_brute_force(workspace, seed, zones):
    draw = random.Random(seed)
    rows = [(user, time, draw.choice(zones), zone) for user, time, zone in awkward_records(seed, zones)]
    table = table_of(workspace, rows, ("user_id", "time", *ENDS))
    tables = trip_tables_from_dataset(dataset_of(workspace, table, kind="trips"), ColumnZoning())
    unique = unique_by_definition(rows)
    assert {row[:4]: row[4] for row in rows_of(tables.unique_trips, *UNIQUE, "n_trips")} == unique
    whole = [row for row in rows if None not in row[2:]]
    still = sum(row[2] == row[3] for row in whole)
    assert tables.dropped == {
        "outside the zones": len(rows) - len(whole),
        "begins and ends in one zone": still,
    }
    assert tables.n_records == len(whole) - still == tables.n_trips == sum(unique.values())
    assert tables.n_records + sum(tables.dropped.values()) == len(rows)
    assert tables.n_users == len({row[0] for row in whole})


@pytest.mark.parametrize("seed", range(2))
def test_trips_in_degrees_against_trips_in_zones(workspace, seed):
    draw = random.Random(seed)
    rows = [
        (user, time, draw.choice((0, 1, 2, 3, None)), zone)
        for user, time, zone in awkward_records(seed, (0, 1, 2, 3, None))
    ]
    names = ("user_id", "time", "origin_lat", "origin_lon", "destination_lat", "destination_lon")
    # The kinds of these columns are float64, as the reader makes them.
    frame = pd.DataFrame([(u, t, *CENTRES[o], *CENTRES[d]) for u, t, o, d in rows], columns=list(names))
    degrees = workspace.connection.create_table(
        f"degrees{seed}", pa.Table.from_pandas(frame, preserve_index=False)
    )
    tables = trip_tables_from_dataset(dataset_of(workspace, degrees, kind="trips", place="latlon"), BOX)
    got = {row[:4]: row[4] for row in rows_of(tables.unique_trips, *UNIQUE, "n_trips")}
    assert got == unique_by_definition(rows)


def test_trips_in_metres_against_trips_in_zones(workspace):
    draw = random.Random(4)
    zones = (0, 1, 2, 3, None)
    rows = [(user, time, draw.choice(zones), zone) for user, time, zone in awkward_records(4, zones)]
    middles = {
        0: (500.0, 500.0),
        1: (1500.0, 500.0),
        2: (500.0, 1500.0),
        3: (1500.0, 1500.0),
        None: (9e5, 1.0),
    }
    names = ("user_id", "time", "origin_x", "origin_y", "destination_x", "destination_y")
    frame = pd.DataFrame([(u, t, *middles[o], *middles[d]) for u, t, o, d in rows], columns=list(names))
    metres = workspace.connection.create_table("metres", pa.Table.from_pandas(frame, preserve_index=False))
    grid = zoning_from_spec("grid:1000:0,0,2000,2000", place="xy", table=None)
    tables = trip_tables_from_dataset(dataset_of(workspace, metres, kind="trips", place="xy"), grid)
    got = {row[:4]: row[4] for row in rows_of(tables.unique_trips, *UNIQUE, "n_trips")}
    assert got == unique_by_definition(rows)


def test_prepared_trips_against_their_parts(workspace):
    records, placed = records_in_degrees(3)
    dataset = dataset_of(
        workspace, table_of(workspace, placed, ("user_id", "time", "lat", "lon")), place="latlon"
    )
    prepared = prepared_trips_from_dataset(dataset, BOX, seed=5)
    tables = trip_tables_from_dataset(dataset, BOX)
    trips = unique_trips_from_trip_tables(tables, seed=5)
    for name in ("zones", "week_starts", "user_rank"):
        assert np.array_equal(getattr(prepared.trips, name), getattr(trips, name)), name
    # Within a user and week the order of the rows is the database's own and carries nothing.
    one, other = (sorted(zip(t.user, t.flow, t.trip_rank, strict=True)) for t in (prepared.trips, trips))
    assert one == other
    assert prepared.trips.weeks == trips.weeks
    assert prepared.n_records + sum(prepared.dropped.values()) == prepared.rows == len(records)
    assert prepared.zone_map.zones.tolist() == trips.zones.tolist() == [0, 1, 2, 3]
    assert prepared.zone_map.lat.tolist() == [CENTRES[zone][0] for zone in range(4)]
    assert prepared.zone_map.lon.tolist() == [CENTRES[zone][1] for zone in range(4)]


def test_prepared_keys_differ_with_what_the_result_depends_on(workspace):
    _, placed = records_in_degrees(3)
    dataset = dataset_of(
        workspace, table_of(workspace, placed, ("user_id", "time", "lat", "lon")), place="latlon"
    )
    grids = [GridZoning(cell_m=metres, centre=(11.0, 22.0)) for metres in (100_000, 123_456.7, 123_456.8)]
    keys = [
        prepared_trips_from_dataset(dataset, zoning, seed=seed).key
        for zoning in (BOX, H3Zoning(resolution=2), *grids)
        for seed in (1, 2)
    ]
    assert len(set(keys)) == len(keys)


def test_two_zonings_of_one_dataset_keep_apart(workspace):
    """Tables made first must not change when a second zoning of the same data is worked out."""
    _, placed = records_in_degrees(3)
    dataset = dataset_of(
        workspace, table_of(workspace, placed, ("user_id", "time", "lat", "lon")), place="latlon"
    )
    first = trip_tables_from_dataset(dataset, BOX)
    before = sorted(rows_of(first.unique_trips, *UNIQUE))
    halves = BoxZoning(south=10.0, west=20.0, north=12.0, east=24.0, n_rows=2, n_columns=1)
    trip_tables_from_dataset(dataset, halves)
    assert sorted(rows_of(first.unique_trips, *UNIQUE)) == before


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_from_a_file_against_brute_force(tmp_path, suffix):
    records = [record for record in awkward_records(9, n=300) if record[2] is not None]
    frame = pd.DataFrame(records, columns=["user_id", "timestamp", "zone_id"])
    path = tmp_path / f"records.{suffix}"
    frame.to_parquet(path, index=False) if suffix == "parquet" else frame.to_csv(path, index=False)
    dataset = read_dataset(path)
    tables = trip_tables_from_dataset(dataset, ColumnZoning())
    got = {row[:4]: row[4] for row in rows_of(tables.unique_trips, *UNIQUE, "n_trips")}
    assert got == unique_by_definition(trips_by_definition(records))
    trips = unique_trips_from_trip_tables(tables, seed=1)
    assert sum(sum(by_zone(od_matrix_from_unique_trips(trips, week=w)).values()) for w in trips.weeks) == len(
        got
    )
    dataset.workspace.close()


def test_nothing_inside_degenerate(workspace):
    table = table_of(workspace, [(1, dt.datetime(2026, 3, 4), 50.0, 50.0)], ("user_id", "time", "lat", "lon"))
    with pytest.raises(
        DataError, match=r"^No row of by hand lies in the zones \(box:10\.0,20\.0,12\.0,24\.0:2x2\)\. "
    ):
        trip_tables_from_dataset(dataset_of(workspace, table, place="latlon"), BOX)


def test_reasons_for_no_trips_degenerate(workspace):
    day = dt.datetime(2026, 3, 4)
    still = table_of(workspace, [(1, day, 1, 1), (2, day, 2, 2)], ("user_id", "time", *ENDS))
    one_zone = BoxZoning(south=10.0, west=20.0, north=12.0, east=24.0, n_rows=1, n_columns=1)
    inside = table_of(
        workspace,
        [(1, day, 11.0, 22.0), (1, day.replace(hour=1), 11.5, 23.0)],
        ("user_id", "time", "lat", "lon"),
    )
    for dataset, zoning, words in (
        (
            dataset_of(workspace, still, kind="trips"),
            ColumnZoning(),
            "every row begins and ends in the same zone",
        ),
        (dataset_of(workspace, inside, place="latlon"), one_zone, "there is only one zone"),
        (
            dataset_of(workspace, table_of(workspace, [(1, day, 1)])),
            ColumnZoning(),
            "no user moves to another zone",
        ),
    ):
        tables = trip_tables_from_dataset(dataset, zoning)
        assert tables.n_unique_trips == tables.n_trips == 0
        with pytest.raises(DataError, match=f"^No trips found: {words}"):
            unique_trips_from_trip_tables(tables, seed=1)
        with pytest.raises(DataError, match=f"^No trips found: {words}"):
            prepared_trips_from_dataset(dataset, zoning, seed=1)


def test_trips_to_zones_that_no_list_holds_are_counted_against_hand(world_csv: Path) -> None:
    """The hand-drawn world has 1→2 three times, 2→1, 3→4 and 4→1: without zone 4 in the list, two of six are in no cell."""
    with Workspace(threads=2) as workspace:
        dataset = read_dataset(world_csv, workspace=workspace)
        listed = Geography(zones=[1, 2, 3])
        prepared = prepared_trips_from_dataset(dataset, ColumnZoning(geography=listed), seed=1)
        assert list(prepared.public_zones or ()) == [1, 2, 3]
        assert (
            "2 of 6 trips counted (33%) begin or end in zones that the zone file does not list"
            in prepared.unlisted
        )
        whole = prepared_trips_from_dataset(dataset, ColumnZoning(), seed=1)
        assert (whole.public_zones, whole.unlisted) == (None, "")
