"""One world in every format gives one matrix and one digest, whatever the format."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.datasets.rows.second_files import Lookup
from tests.datasets.files_by_hand import stored, write
from tests.datasets.world_in_formats import (
    FLOWS,
    FORMS,
    NORTH_EAST,
    NORTH_WEST,
    RECORDS,
    SOUTH_EAST,
    SOUTH_WEST,
    TABLE,
    flows_of,
    lines,
    unix,
)


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=1) as opened:
        yield opened


def test_flows_of_the_world_against_brute_force() -> None:
    votes: dict[tuple[int, datetime], list[int]] = {}
    for user, time, lat, lon in RECORDS:
        if lat <= 2:
            votes.setdefault((user, time.replace(minute=0, second=0)), []).append(2 * int(lat) + int(lon))
    stay = {key: min(set(zones), key=lambda zone: (-zones.count(zone), zone)) for key, zones in votes.items()}
    trips = {
        ((hour - timedelta(days=hour.weekday())).date(), user, stay[user, hour - timedelta(hours=1)], zone)
        for (user, hour), zone in stay.items()
        if stay.get((user, hour - timedelta(hours=1)), zone) != zone
    }
    counted: dict[str, dict[tuple[int, int], int]] = {}
    for week, _, origin, destination in trips:
        flows = counted.setdefault(str(week), {})
        flows[origin, destination] = flows.get((origin, destination), 0) + 1
    assert counted == FLOWS


@pytest.mark.parametrize("form", FORMS)
def test_one_matrix_whatever_the_format_against_hand(tmp_path, workspace, form) -> None:
    dataset = read_dataset(form(tmp_path), workspace=workspace)
    assert (dataset.kind, dataset.report.kept, dataset.report.dropped) == ("records", len(RECORDS), {})
    assert flows_of(dataset) == FLOWS


def test_one_matrix_of_calls_and_antennas_against_hand(tmp_path, workspace) -> None:
    places = sorted({record[2:] for record in RECORDS})
    calls = write(tmp_path, lines(lambda u, t, a, o: f"{u}\t{t}\t{70 + places.index((a, o))}"), "SET2.TSV")
    rows = [f"{70 + n},{lat},{lon}\n" for n, (lat, lon) in enumerate(places)]
    antennas = write(tmp_path, "antenna_id,lat,lon\n" + "".join(rows), "antennas.csv")
    lookup = Lookup(path=antennas, on="column 3", key="antenna_id")
    assert flows_of(read_dataset(calls, lookup=lookup, workspace=workspace)) == FLOWS


def test_one_matrix_of_trips_against_hand(tmp_path, workspace) -> None:
    # The trips of the world as a table of trips, time = arrival; and as runs of a cab, vacant between.
    quarters = [SOUTH_WEST, SOUTH_EAST, NORTH_WEST, NORTH_EAST]
    trips = [
        (11, datetime(2026, 3, 2, 9), 0, 1),
        (11, datetime(2026, 3, 2, 10), 1, 3),
        (11, datetime(2026, 3, 3, 9), 0, 1),
        (23, datetime(2026, 3, 8, 23), 2, 3),
        (23, datetime(2026, 3, 9), 3, 0),
        (23, datetime(2026, 3, 9, 1), 0, 1),
        (35, datetime(2026, 3, 2, 9), 0, 1),
    ]
    table = "user,arrival_time,origin_lat,origin_lon,destination_lat,destination_lon\n"
    for user, time, origin, destination in trips:
        (a, b), (c, d) = quarters[origin], quarters[destination]
        table += f"{user},{time},{a},{b},{c},{d}\n"
        track = [
            (unix(time) - 1200, 1, a, b),
            (unix(time) - 600, 1, 1.0, 1.0),
            (unix(time), 1, c, d),
            (unix(time) + 1, 0, c, d),
        ]
        path = tmp_path / "cabs" / f"new_{user}.txt"
        path.parent.mkdir(exist_ok=True)
        with path.open("a") as file:
            file.writelines(f"{lat} {lon} {flag} {at_}\n" for at_, flag, lat, lon in track)
    assert flows_of(read_dataset(write(tmp_path, table), workspace=workspace)) == FLOWS
    runs = read_dataset(tmp_path / "cabs", format="cabspotting-trips", workspace=workspace)
    assert (runs.kind, runs.report.kept, runs.report.rows) == ("trips", 7, 28)
    assert flows_of(runs) == FLOWS


@pytest.mark.parametrize("form", FORMS)
def test_digest_and_remains_against_hand(tmp_path, form) -> None:
    path = form(tmp_path)
    with Workspace(threads=1) as own:
        dataset = read_dataset(path, workspace=own)
        # What the rows are read from stays, and nothing else.
        left = stored(own)
        assert len(left) <= 1 or path.name in ("data.feather", "parts")
        assert read_dataset(path, workspace=own).digest == dataset.digest
        own.connection.con.execute("SELECT 1")
        assert dataset.table.count().to_pyarrow().as_py() == len(RECORDS)


def test_digests_tell_names_that_are_data_apart_against_hand(tmp_path, workspace) -> None:
    def digest(path: Path, **options) -> str:
        return read_dataset(path, workspace=workspace, **options).digest

    track = "37.71 -122.36 1 1211018400\n37.71 -122.36 1 1211018401\n"
    one, same, other = (
        write(tmp_path / f"f{n}", track, f"c/new_{cab}.txt").parent for n, cab in enumerate("aab")
    )
    assert digest(one) == digest(same) != digest(other)
    plain, moved = write(tmp_path, TABLE, "x.csv"), write(tmp_path, TABLE, "y.csv")
    assert digest(plain) == digest(moved)
    calls = write(tmp_path, "user,time,here,there\n1,2026-03-02,7,8\n", "calls.csv")
    cells = write(tmp_path, "id,lat,lon\n7,1,2\n8,3,4\n", "cells.csv")
    digests = {digest(calls, lookup=Lookup(path=cells, on=on, key="id")) for on in ("here", "there")}
    assert len(digests) == 2
