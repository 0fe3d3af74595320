"""Formats of other people, as small files written by hand, against rows and trips worked out by hand."""

import gzip
from datetime import datetime
from pathlib import Path

import pytest

from privlab.checks import DataError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.previews.previews import preview_from_path
from privlab.datasets.read import read_dataset
from tests.datasets.files_by_hand import TRACK, archive_of, rows_of, write


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=1) as opened:
        yield opened


BEIJING = [
    ("000", datetime(2008, 10, 24, 10, 9, 59), 39.906631, 116.385564),
    ("000", datetime(2008, 10, 24, 10, 10, 4), 39.906554, 116.385625),
    ("000", datetime(2008, 10, 25, 7, 59, 59), 39.9, 116.4),
    ("017", datetime(2008, 10, 24, 12), 40.0, 116.25),
]


def tracks(folder: Path) -> Path:
    """Write two users' tracks: one with two kinds of line end and no end to its last line, as some have."""
    write(folder, TRACK.replace("\n", "\r\n"), "Data/000/Trajectory/20081024020959.plt")
    other = "\r\n".join(TRACK.splitlines()[:6]) + "\n40.0,116.25,0,-777,39745,2008-10-24,04:00:00"
    write(folder, other, "Data/017/Trajectory/20081024040000.plt")
    write(folder, "Start Time\tEnd Time\tTransportation Mode\n", "Data/017/labels.txt")
    write(folder, "%PDF", "User Guide-1.3.pdf")
    return folder


def test_geolife_against_hand(tmp_path, workspace) -> None:
    folder = tracks(tmp_path / "Geolife")
    paths = [
        folder,
        archive_of(folder, tmp_path / "g.zip"),
        folder / "Data/*/Trajectory/*.plt",
        folder / "**/*.plt",
    ]
    for path in paths:
        dataset = read_dataset(path, timezone="Asia/Shanghai", workspace=workspace)  # GMT + 8 h
        assert rows_of(dataset) == BEIJING, path
        assert dataset.report.dropped == {
            "malformed row": 1,
            "impossible coordinate": 1,
            "zero coordinate (0, 0)": 1,
        }
        preview = preview_from_path(path)
        assert (preview.format, preview.mapping) == ("geolife", dataset.mapping)
    for path in (
        folder / "Data" / "017",
        folder / "Data/017/Trajectory",
        folder / "Data/017/Trajectory/20081024040000.plt",
    ):
        assert rows_of(read_dataset(path, timezone="Asia/Shanghai", workspace=workspace)) == BEIJING[3:], path


def test_snap_against_hand(tmp_path, workspace) -> None:
    content = (
        "0\t2010-10-19T23:55:27Z\t30.2359091167\t-97.7951395833\t22847\r\n"
        "0\t2010-10-18T22:17:43Z\t30.2691029532\t-97.7493953705\t420315\r\n"
        "1\t\t0.0\t0.0\t00000000000000000000000000000000\r\n"  # as in Brightkite
        "7\t2010-01-01T04:59:59Z\t0.0\t0.0\t5\r\n"
        "7\t2010-01-01T05:00:00Z\t-33.5\t151.25\tcafé\r\n"
        "7\t2010-01-01T05:00:00Z\t-33.5\r\n"
    )
    dataset = read_dataset(
        write(tmp_path, content, "loc-gowalla_totalCheckins.txt"),
        timezone="America/New_York",
        workspace=workspace,
    )
    assert rows_of(dataset) == [  # New York: 4 h behind in October, 5 h in January
        (0, datetime(2010, 10, 18, 18, 17, 43), 30.2691029532, -97.7493953705),
        (0, datetime(2010, 10, 19, 19, 55, 27), 30.2359091167, -97.7951395833),
        (7, datetime(2010, 1, 1), -33.5, 151.25),
    ]
    assert dataset.report.dropped == {"malformed row": 1, "missing time": 1, "zero coordinate (0, 0)": 1}
    packed = write(tmp_path, gzip.compress(content.encode("latin-1")), "loc-gowalla_totalCheckins.txt.gz")
    assert rows_of(read_dataset(packed, timezone="America/New_York", workspace=workspace)) == rows_of(dataset)


def test_foursquare_against_hand(tmp_path, workspace) -> None:
    line = "{}\t49bbd6c0f964a520f4531fe3\t4bf58dd8d48988d127951735\tArts & Crafts Store\t{}\t{}\t{}\tTue Apr 03 {} +0000 2012\n"
    content = (
        line.format(470, "40.719810", "-74.002581", -240, "18:00:09")
        + line.format(979, "40.606800", "-74.044170", -240, "03:59:59")
        + line.format(979, "35.7", "139.7", 540, "18:22:04").replace("Arts & Crafts Store", "Café")
        + line.format(69, "91", "-74", -240, "18:00:09")
        + line.format(69, "40", "-74", 24 * 60 + 1, "18:00:09")
    )
    path = write(tmp_path, content.encode("latin-1"), "dataset_TSMC2014_NYC.txt")
    dataset = read_dataset(path, timezone="Europe/Paris", workspace=workspace)  # each row says its own offset
    assert rows_of(dataset) == [
        (470, datetime(2012, 4, 3, 14, 0, 9), 40.71981, -74.002581),
        (979, datetime(2012, 4, 2, 23, 59, 59), 40.6068, -74.04417),
        (979, datetime(2012, 4, 4, 3, 22, 4), 35.7, 139.7),
    ]
    assert dataset.report.dropped == {"unreadable offset": 1, "impossible coordinate": 1}


def test_bike_share_against_hand(tmp_path, workspace) -> None:
    content = (
        '"tripduration","starttime","stoptime","start station id","end station id","bikeid","usertype"\n'
        '"634","7/1/2013 00:00:00","7/1/2013 00:10:34","164","504","16950","Customer"\n'
        '"1547","7/31/2013 23:50:02","7/31/2013 23:59:49","388","459","19816","Customer"\n'
        '"178","7/1/2013 00:01:04","7/1/2013 00:04:02","293",NULL,"14611","Subscriber"\n'
    )
    dataset = read_dataset(write(tmp_path, content), workspace=workspace)
    assert rows_of(dataset) == [
        (16950, datetime(2013, 7, 1, 0, 10, 34), 164, 504),
        (19816, datetime(2013, 7, 31, 23, 59, 49), 388, 459),
    ]
    assert (dataset.kind, dataset.place, dataset.report.dropped) == ("trips", "zone", {"missing place": 1})


def test_fares_without_users_are_counts_against_hand(tmp_path, workspace) -> None:
    content = (
        "VendorID,tpep_pickup_datetime,tpep_dropoff_datetime,passenger_count,PULocationID,DOLocationID\n\n"
        "1,2019-01-01 00:46:40,2019-01-01 00:53:20,1,151,239\n2,2019-01-01 00:59:47,2019-01-01 01:18:59,1,239,246\n"
    )
    dataset = read_dataset(write(tmp_path, content), workspace=workspace)
    assert (dataset.kind, dataset.table.columns) == ("counts", ("time", "origin", "destination", "count"))
    assert rows_of(dataset) == [
        (datetime(2019, 1, 1, 0, 53, 20), 151, 239, 1),
        (datetime(2019, 1, 1, 1, 18, 59), 239, 246, 1),
    ]
    assert dataset.report.users == 0


def test_travel_survey_against_hand(tmp_path, workspace) -> None:
    content = (
        "person_id;trip_id;date;start_time;end_time;start_lat;start_lon;end_lat;end_lon;mode\n"
        "P1;1;02.03.2026;07:55;8:20;48,85;2,35;48,87;2,29;vélo\nP1;2;20.03.2026;17:05;17:40;48,87;2,29;48,85;2,35;à pied\n"
        "P2;1;20.03.2026;17:05;17:40;48,87;2,29;0;0;?\n"
    )
    dataset = read_dataset(write(tmp_path, content.encode("cp1252")), workspace=workspace)
    assert any(
        "read as Windows-1252, of Western Europe. If names look wrong" in note
        for note in dataset.report.notes
    )
    assert any("of Western Europe" in note for note in preview_from_path(tmp_path / "data.csv").notes)
    assert rows_of(dataset) == [
        ("P1", datetime(2026, 3, 2, 8, 20), 48.85, 2.35, 48.87, 2.29),
        ("P1", datetime(2026, 3, 20, 17, 40), 48.87, 2.29, 48.85, 2.35),
    ]
    assert dataset.report.dropped == {"zero coordinate (0, 0)": 1}


def test_rows_that_name_no_user_and_no_number_say_that_each_is_one_trip(tmp_path, workspace) -> None:
    path = write(
        tmp_path, "date,from_zone,to_zone,travellers_counted\n2026-03-14,1,2,5400\n2026-03-14,2,1,3300\n"
    )
    note = " ".join(read_dataset(path, workspace=workspace).report.notes)
    assert (
        "each row counts as one trip. If their number stands in a column, name it (count); not used: 'travellers_counted'."
        in note
    )
    path = write(tmp_path, "date,from_zone,to_zone,passengers\n2026-03-14,1,2,5400\n2026-03-14,2,1,3300\n")
    dataset = read_dataset(path, workspace=workspace)
    assert sorted(row[-1] for row in rows_of_counts(dataset)) == [3300, 5400]


def test_another_column_that_could_be_the_user_or_the_place_is_named(tmp_path, workspace) -> None:
    path = write(
        tmp_path,
        "device_id,card_id,time,station_id,zone\nV1,c1,2026-03-14 08:00,11,1\nV1,c2,2026-03-14 09:00,12,1\n",
    )
    dataset = read_dataset(path, workspace=workspace)
    assert (dataset.report.users, dataset.mapping.zone) == (2, "station_id")
    assert [note for note in dataset.report.notes if "could be it too" in note] == [
        "'card_id' is taken for the user; by its name 'device_id' could be it too.",
        "'station_id' is taken for the place; by its name 'zone' could be it too.",
    ]
    path = write(tmp_path, "card_id,time,zone\nc1,2026-03-14 08:00,1\n")
    assert not any("could be" in note for note in read_dataset(path, workspace=workspace).report.notes)


def test_zones_that_are_called_as_sums_are_are_named(tmp_path, workspace) -> None:
    rows = "1,2,100\n1,Total,100\n2,1,10\nTotal,Total,110\n"
    path = write(tmp_path, f"origin,destination,trips\n{rows}")
    notes = read_dataset(path, workspace=workspace).report.notes
    assert any(
        note.startswith("A zone is called 'Total': if its rows are sums over others, every trip")
        for note in notes
    )
    path = write(tmp_path, "origin,destination,trips\n1,2,100\nTotals Bay,1,100\n")
    assert not any("sums" in note for note in read_dataset(path, workspace=workspace).report.notes)


def test_flows_against_hand(tmp_path, workspace) -> None:
    dataset = read_dataset(
        write(tmp_path, "origin\tdestination\tflow\nA\tB\t12\nB\tA\t0\nA\tB\t3\n"), workspace=workspace
    )
    assert dataset.kind == "counts"
    assert sorted(row[1:] for row in rows_of_counts(dataset)) == [
        ("A", "B", 3),
        ("A", "B", 12),
        ("B", "A", 0),
    ]
    assert dataset.report.first is None
    assert dataset.report.notes == (
        "No column names a user: 'flow' is taken for the number of trips of each row. Nothing can be said of a single person.",
    )
    assert dataset.report.timezone.startswith(
        "No column is taken for a time: all rows count as of one period."
    )


def rows_of_counts(dataset) -> list[tuple]:
    return [tuple(row.values()) for row in dataset.table.to_pyarrow().to_pylist()]


@pytest.mark.parametrize("encoding", ["shift_jis", "cp1251", "gb18030"])
def test_names_that_no_one_can_read_are_refused_with_what_they_were_read_as(
    tmp_path, workspace, encoding
) -> None:
    header = {
        "shift_jis": "利用者,時刻,出発,到着",
        "cp1251": "кто,когда,откуда,куда",
        "gb18030": "用户,时间,出发,到达",
    }
    rows = f"{header[encoding]}\n1,2026-03-02 08:00,A,B\n"
    path = write(tmp_path, rows.encode(encoding))
    with pytest.raises(
        DataError, match=r"Could not tell which column holds .* of Western Europe. .* save it as UTF-8"
    ):
        read_dataset(path, workspace=workspace)
