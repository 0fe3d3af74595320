"""Every format the readers know, as small files written by hand, against rows and trips worked out by hand."""

import gzip
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from privlab.checks import DataError
from privlab.datasets.columns import ColumnMapping
from privlab.datasets.engine import Workspace
from privlab.datasets.lookups import Lookup, guessed_lookup
from privlab.datasets.previews import preview_from_path
from privlab.datasets.readers import read_dataset
from privlab.datasets.regular_zones import BoxZoning
from privlab.datasets.sources import source_from_path
from privlab.od.simulation import od_simulation_from_trip_tables
from privlab.od.tables import trip_tables_from_dataset
from tests.datasets.files_by_hand import arrow, parquet, rows_of, stored, write, zipped

UTC_DAY = datetime(2008, 5, 17)


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=1) as opened:
        yield opened


def at(clock: str, day: datetime = UTC_DAY) -> datetime:
    return datetime.combine(day, datetime.strptime(clock, "%H:%M:%S").time())


# 2008-05-17 is 1210982400 in unix time. Cab "abc", newest first as published; one row is bad, one at (0, 0).
#   10:00 vacant | 10:01 10:02 taken | 10:03 vacant | 10:04 taken | 10:05 vacant | 10:06 10:07 taken, to the end
CAB = """37.75 -122.39 1 1211018820
37.76 -122.38 1 1211018760
37.77 -122.40 0 1211018700

37.78 -122.41 1 1211018640
37.79 -122.42 0 1211018580\r
37.74 -122.43 1 1211018520
bad row
37.73 -122.44 1 1211018460
0 0 1 1211018459
37.72 -122.45 0 1211018400
"""
# Cab "ümit", oldest first: taken from the first record on, in one run whose two records are of one time.
OTHER_CAB = "37.71 -122.36 1 1211018400\n37.70 -122.35 1 1211018400\n37.69 -122.34 0 1211018460\n"


def cabs(folder: Path) -> Path:
    write(folder, CAB, "new_abc.txt")
    write(folder, OTHER_CAB, "new_ümit.txt")
    write(folder, '<cab id="abc" updates="9"/>\n', "_cabs.txt")
    write(folder, "37.7 -122.4 0 1211018400\n", "readme.txt")  # not the track of a cab, by its name
    return folder


def test_cabspotting_records_against_hand(tmp_path, workspace) -> None:
    dataset = read_dataset(cabs(tmp_path), workspace=workspace)
    abc = [
        (f"10:{minute:02}:00", lat, lon)
        for minute, lat, lon in (
            (0, 37.72, -122.45),
            (1, 37.73, -122.44),
            (2, 37.74, -122.43),
            (3, 37.79, -122.42),
            (4, 37.78, -122.41),
            (5, 37.77, -122.40),
            (6, 37.76, -122.38),
            (7, 37.75, -122.39),
        )
    ]
    other = [("10:00:00", 37.70, -122.35), ("10:00:00", 37.71, -122.36), ("10:01:00", 37.69, -122.34)]
    expected = [("abc", at(clock), lat, lon) for clock, lat, lon in abc]
    expected += [("ümit", at(clock), lat, lon) for clock, lat, lon in other]
    assert rows_of(dataset) == expected
    report = dataset.report
    assert report.dropped == {"malformed row": 1, "zero coordinate (0, 0)": 1}
    assert [one.place for some in report.examples.values() for one in some] == [
        "row 8 of new_abc.txt",
        "row 10 of new_abc.txt",
    ]
    assert (dataset.kind, dataset.place) == ("records", "latlon")
    assert report.timezone == "Unix times in seconds were converted to wall-clock time in UTC (the default)."


def test_cabspotting_trips_against_hand(tmp_path, workspace) -> None:
    dataset = read_dataset(cabs(tmp_path), format="cabspotting-trips", workspace=workspace)
    # A run of one record begins where it ends; records of one time are in order of latitude.
    assert rows_of(dataset) == [
        ("abc", at("10:02:00"), 37.73, -122.44, 37.74, -122.43),
        ("abc", at("10:04:00"), 37.78, -122.41, 37.78, -122.41),
        ("abc", at("10:07:00"), 37.76, -122.38, 37.75, -122.39),
        ("ümit", at("10:00:00"), 37.70, -122.35, 37.71, -122.36),
    ]
    report = dataset.report
    assert (dataset.kind, report.rows, report.kept) == ("trips", 13, 4)
    assert report.dropped == {
        "malformed row": 1,
        "zero coordinate (0, 0)": 1,
        "vacant": 4,
        "within a run (its ends are the trip)": 3,
    }


def test_no_cab_is_taken_iv(tmp_path, workspace) -> None:
    write(tmp_path, "37.71 -122.36 0 1211018400\n" * 3, "new_x.txt")
    before = stored(workspace)
    with pytest.raises(DataError, match=r"is occupied, so there is no trip in it\.$"):
        read_dataset(tmp_path, format="cabspotting-trips", workspace=workspace)
    assert stored(workspace) == before


TRACK = """Geolife trajectory
WGS 84
Altitude is in Feet
Reserved 3
0,2,255,My Track,0,0,2,8421376
0
39.906631,116.385564,0,492,39745.0902662037,2008-10-24,02:09:59
39.906554,116.385625,0,-777,39745.0903240741,2008-10-24,02:10:04
0,0,0,-777,39745.0903240741,2008-10-24,02:10:05
400.166666666667,116.385625,0,1.5E2,39745.0903240741,2008-10-24,02:10:06
39.906554,116.385625,0,-777,39745.0903240741,2008-10-24
39.9,116.4,0,0,39745,2008-10-24,23:59:59
"""
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


def archive_of(folder: Path, path: Path) -> Path:
    members = {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}
    path.write_bytes(zipped(members))
    return path


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


CALLS = "1\t2011-12-06 08:00:00\t7\n2\t2011-12-06 09:00:00\t8\r\n\n1\t2011-12-06 10:30:00\t7\n2\t2011-12-06 11:00:00\t99\n"
ANTENNAS = "7\t-4.143452\t5.342044\n8\t-4.5\t5.25\n"
CALL_ROWS = [
    (1, datetime(2011, 12, 6, 8), 5.342044, -4.143452),
    (1, datetime(2011, 12, 6, 10, 30), 5.342044, -4.143452),
    (2, datetime(2011, 12, 6, 9), 5.25, -4.5),
]


def test_calls_in_one_file_against_hand(tmp_path, workspace) -> None:
    path = write(
        tmp_path,
        "msisdn;call_time;cell_id;lat;lon\n1;06.12.2011 08:00;7;5,25;-4,5\n2;13.12.2011 08:00;;5,25;-4,5\n",
    )
    assert rows_of(read_dataset(path, workspace=workspace)) == [
        (1, datetime(2011, 12, 6, 8), 5.25, -4.5),
        (2, datetime(2011, 12, 13, 8), 5.25, -4.5),
    ]


def test_calls_and_antennas_without_headers_against_hand(tmp_path, workspace) -> None:
    calls, antennas = write(tmp_path, CALLS, "SET2_0.TSV"), write(tmp_path, ANTENNAS, "ANT_POS.TSV")
    lookup = guessed_lookup(source_from_path(calls), antennas)
    assert (lookup.on, lookup.key) == ("column 3", "column 1")
    mapping = ColumnMapping(
        user_id="column 1", timestamp="column 2", lat="ANT_POS.column 3", lon="ANT_POS.column 2"
    )
    dataset = read_dataset(calls, mapping=mapping, lookup=lookup, workspace=workspace)
    assert rows_of(dataset) == CALL_ROWS
    assert dataset.report.dropped == {"no match in the second file": 1}
    offender = dataset.report.examples["no match in the second file"][0]
    assert (offender.place, offender.column, offender.value) == ("row 5", "column 3", "99")
    preview = preview_from_path(calls, lookup=lookup)
    assert preview.second_columns == ("ANT_POS.column 1", "ANT_POS.column 2", "ANT_POS.column 3")
    # The same without a second file: the antenna is a zone.
    alone = read_dataset(calls, workspace=workspace)
    assert [row[2] for row in rows_of(alone)] == [7, 7, 8, 99]
    assert alone.report.notes[0].startswith(
        "The file has no header line: column 1 as user_id, column 2 as timestamp"
    )


@pytest.mark.parametrize("main", ["csv", "parquet", "float parquet"])
@pytest.mark.parametrize("second", ["text", "padded", "points", "int", "float", "dictionary"])
def test_keys_agree_however_written_against_hand(tmp_path, workspace, main, second) -> None:
    rows = [(1, "2011-12-06 08:00:00", 7), (2, "2011-12-06 09:00:00", 8), (3, "2011-12-06 09:00:00", None)]
    if main == "csv":
        text = "".join(f"{user},{time},{'' if cell is None else cell}\n" for user, time, cell in rows)
        path = write(tmp_path, "user,time,cell\n" + text)
    else:
        kind = pa.float64() if main.startswith("float") else pa.int32()
        columns = [list(column) for column in zip(*rows, strict=True)]
        path = write(
            tmp_path,
            parquet({"user": columns[0], "time": columns[1], "cell": pa.array(columns[2], kind)}),
            "main.parquet",
        )
    lat, lon = [5.25, 5.5, 5.5, 6.0], [-4.5, -4.25, -4.25, -4.0]
    keys = ["7", "8", "8", None]  # one key twice, with the same place: no contradiction
    if second in ("text", "padded", "points"):
        form = {"text": "{}", "padded": " {} ", "points": "{}.0"}[second]
        lines = [f"{form.format(k or '')},{a},{o}\n" for k, a, o in zip(keys, lat, lon, strict=True)]
        other = write(tmp_path, "id,lat,lon\n" + "".join(lines), "cells.csv")
    else:
        typed = pa.array(keys)
        typed = typed.dictionary_encode() if second == "dictionary" else typed.cast(pa.int64())
        typed = typed.cast(pa.float64()) if second == "float" else typed
        other = write(tmp_path, parquet({"id": typed, "lat": lat, "lon": lon}), "cells.parquet")
    dataset = read_dataset(path, lookup=Lookup(path=other, on="cell", key="id"), workspace=workspace)
    assert rows_of(dataset) == [
        (1, datetime(2011, 12, 6, 8), 5.25, -4.5),
        (2, datetime(2011, 12, 6, 9), 5.5, -4.25),
    ]
    assert dataset.report.dropped == {"no match in the second file": 1}


def test_second_files_iv(tmp_path, workspace) -> None:
    main = write(tmp_path, "user,time,cell\n1,2011-12-06,7\n")
    cells = write(tmp_path, "cell,lat,lon\n7,1,2\n7,1,3\n", "cells.csv")
    far = write(tmp_path / "elsewhere", "cell,lat,lon\n7,1,2\n", "far.csv")
    inner = write(tmp_path / "in", "user,time,cell\n1,2011-12-06,7\n")
    before = stored(workspace)
    cases = [
        (
            main,
            Lookup(path=cells, on="cell", key="cell"),
            None,
            "cells.csv says different things of cell '7': it stands there 2 times. Give each cell one row.",
        ),
        (main, Lookup(path=cells, on="cell", key="id"), None, "There is no column 'id' in cells.csv."),
        (
            main,
            Lookup(path=cells, on="id", key="cell"),
            None,
            "There is no column 'id' to match the second file by.",
        ),
        (
            main,
            Lookup(path=tmp_path / "none.csv", on="cell", key="cell"),
            None,
            "There is no file 'none.csv'.",
        ),
    ]
    for path, lookup, within, sentence in cases:
        with pytest.raises(DataError) as caught:
            read_dataset(path, lookup=lookup, within=within, workspace=workspace)
        assert str(caught.value) == sentence
    assert stored(workspace) == before
    # The second file is named apart from the first, by someone who may name it: an upload, for one.
    lookup = Lookup(path=far, on="cell", key="cell")
    assert rows_of(read_dataset(inner, lookup=lookup, within=tmp_path / "in", workspace=workspace)) == [
        (1, datetime(2011, 12, 6), 1.0, 2.0)
    ]
    assert preview_from_path(inner, lookup=lookup, within=tmp_path / "in").second_columns[-1] == "lon"


def test_columns_of_both_files_against_hand(tmp_path, workspace) -> None:
    points = write(
        tmp_path, "id,track_id,speed,time,latitude,longitude\n1,5,30,2014-09-13,1,2\n", "points.csv"
    )
    tracks_file = write(tmp_path, "id,speed,id_android\n5,99,ann\n6,1,bob\n", "go_track_tracks.csv")
    lookup = guessed_lookup(source_from_path(points), tracks_file)
    assert (lookup.on, lookup.key) == ("track_id", "id")
    preview = preview_from_path(points, lookup=lookup)
    assert preview.second_columns == ("go_track_tracks.id", "go_track_tracks.speed", "id_android")
    dataset = read_dataset(points, lookup=lookup, workspace=workspace)
    assert rows_of(dataset) == [("ann", datetime(2014, 9, 13), 1.0, 2.0)]
    speed = ColumnMapping(user_id="go_track_tracks.speed", timestamp="time", zone="speed")
    both = read_dataset(points, lookup=lookup, mapping=speed, workspace=workspace)
    assert rows_of(both) == [(99, datetime(2014, 9, 13), 30)]


def test_cells_in_areas_against_hand(tmp_path, workspace) -> None:
    path = write(
        tmp_path,
        "IMSI|Start_Time|LAC|CI\n1|2014-09-13 07:24|10|7\n1|2014-09-13 08:24|11|7\n1|2014-09-13 09:24||7\n",
    )
    dataset = read_dataset(path, workspace=workspace)
    assert [row[2] for row in rows_of(dataset)] == ["10-7", "11-7"]  # one cell number, two cells
    assert dataset.report.dropped == {"missing place": 1}


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
    assert rows_of(dataset) == [
        ("P1", datetime(2026, 3, 2, 8, 20), 48.85, 2.35, 48.87, 2.29),
        ("P1", datetime(2026, 3, 20, 17, 40), 48.87, 2.29, 48.85, 2.35),
    ]
    assert dataset.report.dropped == {"zero coordinate (0, 0)": 1}


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
    assert (dataset.report.first, dataset.report.timezone) == (None, "The file holds no times.")


def rows_of_counts(dataset) -> list[tuple]:
    return [tuple(row.values()) for row in dataset.table.to_pyarrow().to_pylist()]


# A world of records: user, UTC time, latitude, longitude. Four zones: the quarters of a box from (0, 0) to
# (2, 2), 0 south-west, 1 south-east, 2 north-west, 3 north-east. 2026-03-08 is a Sunday.
SOUTH_WEST, SOUTH_EAST, NORTH_WEST, NORTH_EAST = (0.5, 0.5), (0.5, 1.5), (1.5, 0.5), (1.5, 1.5)
RECORDS = [
    (user, datetime.strptime(f"2026-{time}", "%Y-%m-%d %H:%M:%S"), *place)
    for user, time, place in (
        (11, "03-02 08:10:00", SOUTH_WEST),
        (11, "03-02 08:50:00", SOUTH_WEST),
        (11, "03-02 08:55:00", SOUTH_EAST),  # hour 08: two votes to one for the south-west
        (11, "03-02 09:05:00", SOUTH_EAST),  # 0 → 1
        (11, "03-02 10:00:00", NORTH_EAST),  # 1 → 3
        (11, "03-02 12:00:00", SOUTH_WEST),  # no trip: no record at 11
        (11, "03-03 08:00:00", SOUTH_WEST),
        (11, "03-03 09:00:00", SOUTH_EAST),  # 0 → 1 again, in the same week
        (23, "03-08 22:30:00", NORTH_WEST),
        (23, "03-08 23:59:59", NORTH_EAST),  # 2 → 3, the last second of the week
        (23, "03-09 00:00:00", SOUTH_WEST),  # 3 → 0, the first of the next
        (23, "03-09 01:10:00", NORTH_EAST),
        (23, "03-09 01:20:00", SOUTH_EAST),  # hour 01: one vote each, zone 1 before zone 3: 0 → 1
        (35, "03-02 08:00:00", SOUTH_WEST),
        (35, "03-02 09:30:00", SOUTH_EAST),  # 0 → 1
        (35, "03-02 10:30:00", (3.5, 0.5)),  # outside
        (35, "03-02 11:30:00", NORTH_WEST),
    )
]
FLOWS = {
    "2026-03-02": {(0, 1): 2, (1, 3): 1, (2, 3): 1},
    "2026-03-09": {(3, 0): 1, (0, 1): 1},
}
QUARTERS = BoxZoning(south=0.0, west=0.0, north=2.0, east=2.0, n_rows=2, n_columns=2)
EPOCH = datetime(1970, 1, 1)


def flows_of(dataset) -> dict[str, dict[tuple[int, int], int]]:
    tables = trip_tables_from_dataset(dataset, QUARTERS)
    matrices = od_simulation_from_trip_tables(tables, None, group_size=None, seed=1).matrices
    return {
        week: {
            (int(matrix.zones[o]), int(matrix.zones[d])): int(n)
            for o, d, n in zip(matrix.origin, matrix.destination, matrix.count, strict=True)
        }
        for week, matrix in matrices.items()
    }


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


def lines(form, records=RECORDS) -> str:
    return "".join(form(*record) + "\n" for record in records)


def unix(time: datetime) -> int:
    return int((time - EPOCH).total_seconds())


def comma(user: int, time: datetime, lat: float, lon: float) -> str:
    return f"{user},{time},{lat},{lon}"


TABLE = "user_id,timestamp,lat,lon\n" + lines(comma)
COLUMNS = {
    name: [record[n] for record in RECORDS] for n, name in enumerate(("user_id", "timestamp", "lat", "lon"))
}


def per_user(records=RECORDS) -> dict[int, list[tuple]]:
    return {user: [record for record in records if record[0] == user] for user in (11, 23, 35)}


def as_table(folder: Path) -> Path:
    return write(folder, TABLE)


def as_tabs(folder: Path) -> Path:
    form = "lon\tuser\tlat\ttime\r\n" + lines(lambda u, t, a, o: f"{o}\t{u}\t{a}\t{t:%d %B %Y %H:%M:%S}\r")
    return write(folder, form, "data.tsv")


def as_semicolons(folder: Path) -> Path:
    rows = lines(lambda u, t, a, o: f'"{u}";{t:%Y/%m/%d};{t:%I:%M:%S %p};{a};{o}'.replace(".", ","))
    return write(folder, ("\ufeffuser;date;time;lat;lon\n" + rows).encode("utf-16"), "data.csv")


def as_bars_with_another_zone(folder: Path) -> Path:
    east = timedelta(hours=2)
    return write(
        folder,
        "user|time|lat|lon\n" + lines(lambda u, t, a, o: f"{u}|{t + east:%Y-%m-%dT%H:%M:%S}+02:00|{a}|{o}"),
    )


def as_gzip(folder: Path) -> Path:
    return write(folder, gzip.compress(TABLE.encode()), "data.csv.gz")


def as_zip(folder: Path) -> Path:
    halves = [lines(comma, RECORDS[:9]), lines(comma, RECORDS[9:])]
    head = "user_id,timestamp,lat,lon\n"
    return write(
        folder, zipped({f"deep/{n}/part.csv": head + half for n, half in enumerate(halves)}), "data.zip"
    )


def as_shuffled(folder: Path) -> Path:
    turned = [RECORDS[n * 7 % len(RECORDS)] for n in range(len(RECORDS))]
    return write(folder, "user_id,timestamp,lat,lon\n" + lines(comma, turned))


def as_nested_folders(folder: Path) -> Path:
    for n, record in enumerate(RECORDS):
        text = "user_id,timestamp,lat,lon\n" + comma(*record)
        write(
            folder / "parts",
            gzip.compress(text.encode()) if n % 2 else text,
            f"{n % 3}/{n % 5}/{n}.csv{'.gz' if n % 2 else ''}",
        )
    return folder / "parts"


def as_pattern(folder: Path) -> Path:
    as_nested_folders(folder)
    write(folder / "parts", "user_id,timestamp,lat,lon\n1,2026-03-02 08:00:00,0.5,0.5\n", "other.csv")
    return folder / "parts" / "*" / "**" / "*.csv*"


def as_parquet(folder: Path) -> Path:
    return write(folder, parquet(COLUMNS), "data.parquet")


def as_partitioned_parquet(folder: Path) -> Path:
    for user, records in per_user().items():
        columns = {name: [record[n] for record in records] for n, name in enumerate(COLUMNS) if n}
        write(folder / "set", parquet(columns), f"user_id={user}/part-0.parquet")
    write(folder / "set", "", "_SUCCESS")
    return folder / "set"


def as_partitioned_text(folder: Path) -> Path:
    for record in RECORDS:
        path = folder / "set" / f"date={record[1]:%Y-%m-%d}" / "part.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write("" if file.tell() else "user,time,lat,lon\n")
            file.write(f"{record[0]},{record[1]:%H:%M:%S},{record[2]},{record[3]}\n")
    return folder / "set"


def as_arrow(folder: Path) -> Path:
    columns = {**COLUMNS, "timestamp": pa.array(COLUMNS["timestamp"], pa.timestamp("ns", "UTC"))}
    return write(folder, arrow(columns, "lz4"), "data.feather")


def as_arrow_files(folder: Path) -> Path:
    for n, part in enumerate((slice(0, 5), slice(5, 17))):
        write(
            folder / "parts", arrow({name: values[part] for name, values in COLUMNS.items()}), f"{n}/a.arrow"
        )
    return folder / "parts"


def as_cabs(folder: Path) -> Path:
    for user, records in per_user().items():
        newest_first = lines(lambda u, t, a, o: f"{a} {o} 0 {unix(t)}", records[::-1])
        write(folder / "cabs", newest_first, f"new_{user}.txt")
    return folder / "cabs"


def as_tracks(folder: Path) -> Path:
    for user, records in per_user().items():
        head = "\r\n".join(TRACK.splitlines()[:6]) + "\r\n"
        rows = lines(lambda u, t, a, o: f"{a},{o},0,-777,39745,{t:%Y-%m-%d,%H:%M:%S}\r", records)
        write(folder / "Data", head + rows, f"{user:03}/Trajectory/a.plt")
    return folder / "Data"


def as_check_ins(folder: Path) -> Path:
    return write(folder, lines(lambda u, t, a, o: f"{u}\t{t:%Y-%m-%dT%H:%M:%SZ}\t{a}\t{o}\tspot"), "a.txt")


def as_venues(folder: Path) -> Path:
    row = "{}\tv\tc\tCafé\t{}\t{}\t{}\t{:%a %b %d %H:%M:%S} +0000 {:%Y}"
    east = timedelta(minutes=540)  # local time is what the world has
    return write(
        folder, lines(lambda u, t, a, o: row.format(u, a, o, 540, t - east, t)).encode("cp1252"), "a.txt"
    )


def as_headerless(folder: Path) -> Path:
    return write(folder, lines(comma))


FORMS = [
    as_table,
    as_tabs,
    as_semicolons,
    as_bars_with_another_zone,
    as_gzip,
    as_zip,
    as_shuffled,
    as_nested_folders,
    as_pattern,
    as_parquet,
    as_partitioned_parquet,
    as_partitioned_text,
    as_arrow,
    as_arrow_files,
    as_cabs,
    as_tracks,
    as_check_ins,
    as_venues,
    as_headerless,
]


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
