"""Files that a second file says more of: antennas of calls, stations of trips."""

from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pytest

from privlab.checks import DataError
from privlab.datasets import settled_read
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.files import sources
from privlab.datasets.files.sources import source_from_path
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.previews.previews import preview_from_path
from privlab.datasets.read import read_dataset
from privlab.datasets.rows.second_files import Lookup, guessed_lookup, pair_from_paths
from tests.datasets.files_by_hand import parquet, rows_of, stored, write


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=1) as opened:
        yield opened


CALL_COLUMNS = ColumnMapping(
    user_id="who", timestamp="when", lat="lat", lon="lon", time_format="%Y-%m-%d %H:%M:%S"
)
CALLS = "1\t2011-12-06 08:00:00\t7\n2\t2011-12-06 09:00:00\t8\r\n\n1\t2011-12-06 10:30:00\t7\n2\t2011-12-06 11:00:00\t99\n"
ANTENNAS = "7\t-4.143452\t5.342044\n8\t-4.5\t5.25\n"
CALL_ROWS = [
    (1, datetime(2011, 12, 6, 8), 5.342044, -4.143452),
    (1, datetime(2011, 12, 6, 10, 30), 5.342044, -4.143452),
    (2, datetime(2011, 12, 6, 9), 5.25, -4.5),
]


@pytest.mark.parametrize("form", [None, FileForm(mapping=CALL_COLUMNS, delimiter="\t")])
def test_the_second_file_is_looked_at_once(tmp_path, workspace, monkeypatch, form) -> None:
    calls = write(tmp_path, "who\twhen\tcell\n1\t2011-12-06 08:00:00\t7\n", "calls.tsv")
    cells = write(tmp_path, "cell\tlat\tlon\n7\t5.25\t-4.5\n", "cells.tsv")
    looked_at = []
    for module in (sources, settled_read):

        def head(path, *given, of=module.head_from_path):
            looked_at.append(path.name)
            return of(path, *given)

        monkeypatch.setattr(module, "head_from_path", head)
    lookup = Lookup(path=cells, on="cell", key="cell")
    dataset = read_dataset(calls, mapping=CALL_COLUMNS, lookup=lookup, form=form, workspace=workspace)
    assert [row[1:] for row in rows_of(dataset)] == [(datetime(2011, 12, 6, 8), 5.25, -4.5)]
    assert looked_at == ["calls.tsv", "cells.tsv"]


def test_a_second_file_on_a_path_that_leads_up_is_read_like_any_other(
    tmp_path, workspace, monkeypatch
) -> None:
    write(tmp_path, "who,when,cell\n1,2011-12-06 08:00:00,7\n", "calls.csv")
    write(tmp_path, "cell,lat,lon\n7,5.25,-4.5\n".encode("utf-16"), "cells.csv")
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    lookup = Lookup(path=Path("../cells.csv"), on="cell", key="cell")
    dataset = read_dataset("../calls.csv", mapping=CALL_COLUMNS, lookup=lookup, workspace=workspace)
    assert rows_of(dataset) == [(1, datetime(2011, 12, 6, 8), 5.25, -4.5)]


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
    assert preview.second_name == "ANT_POS.TSV"
    assert preview.second_rows == (("7", "-4.143452", "5.342044"), ("8", "-4.5", "5.25"))
    # The same without a second file: the antenna is a zone.
    alone = read_dataset(calls, workspace=workspace)
    assert [row[2] for row in rows_of(alone)] == [7, 7, 8, 99]
    assert alone.report.notes[0].startswith(
        "The file has no header line: column 1 as user_id, column 2 as timestamp"
    )


def test_users_who_are_numbered_as_antennas_are_not_matched_with_them_by_hand(tmp_path, workspace) -> None:
    """As in D4D's SET2: users 1 to 9 are all among the antennas' numbers, of the antennas called from few in the first rows of the list."""
    calls = "".join(f"{1 + n % 9}\t2011-12-06 08:{n % 60:02}:00\t{300 + 7 * n % 900}\n" for n in range(300))
    for name, head in (("plain.tsv", ""), ("named.csv", "site_id\tlon\tlat\n")):
        antennas = head + "".join(f"{n}\t-4.1{n:04}\t5.3{n:04}\n" for n in range(1, 1_300))
        main, second = write(tmp_path, calls, "calls.tsv"), write(tmp_path, antennas, name)
        lookup = guessed_lookup(source_from_path(main), second)
        assert (lookup.on, lookup.key) == ("column 3", "site_id" if head else "column 1")
        assert pair_from_paths(second, main) == (main, second)
        (said,) = (
            one
            for one in read_dataset(main, lookup=lookup, workspace=workspace).report.notes
            if one.startswith("Rows are matched")
        )
        taken = (
            "taken from there: lat as lat, lon as lon."
            if head
            else "nothing is taken from there. Say what its columns mean: 'plain.column 2', 'plain.column 3'."
        )
        assert (
            said == f"Rows are matched with {name} where 'column 3' of a row is {lookup.key!r} there; {taken}"
        )


def test_a_list_of_places_is_matched_by_a_column_of_its_name_all_the_same(tmp_path) -> None:
    """Where each phone is registered says of users and not of zones, if the columns are called alike."""
    main = write(tmp_path, "phone,time,cell\n7,2011-12-06 08:00,1\n8,2011-12-06 09:00,2\n", "calls.csv")
    homes = write(tmp_path, "phone,lat,lon\n7,5.25,-4.5\n8,5.34,-4.14\n", "homes.csv")
    lookup = guessed_lookup(source_from_path(main), homes)
    assert (lookup.on, lookup.key) == ("phone", "phone")


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


_ANTENNAS = "antenna_id,lat,lon\n7,5.25,-4.5\n8,5.34,-4.14\n"
_POINTS = "id,latitude,longitude,track_id,time\n1,-10.93,-37.06,1,2014-09-13 08:05\n2,-11.93,-37.06,2,2014-09-13 09:05\n"
_TRIPS = "user,time,origin,destination\na,2026-03-02 08:00,7,8\nb,2026-03-02 09:00,8,7\n"


@pytest.mark.parametrize(
    ("rows", "says_more"),
    [
        ("msisdn;call_time;antenna_id\n1;06.12.2011 08:00;7\n2;13.12.2011 08:00;8\n", _ANTENNAS),
        (_TRIPS, _ANTENNAS.replace("antenna_id", "station")),
        (_POINTS, "id,id_android,speed,time\n1,7,19.2,0.5\n2,7,3.1,0.25\n"),  # its time is how long it took
        (
            "origin,destination,count\n7,8,12\n8,7,9\n",
            "name,zone,lat,lon\n" + "n,7,5.25,-4.5\nm,8,5.34,-4.14\n",
        ),
    ],
)
def test_a_file_and_what_says_more_of_it_by_hand(tmp_path, rows, says_more) -> None:
    one, other = write(tmp_path, rows, "one.csv"), write(tmp_path, says_more, "other.csv")
    assert pair_from_paths(one, other) == pair_from_paths(other, one) == (one, other)


@pytest.mark.parametrize("as_written", [str.encode, parquet])
def test_a_long_list_of_stations_and_trips_between_the_last_of_them_by_hand(tmp_path, as_written) -> None:
    """5,000 stations: the first 200 of the list are in no trip, and no names of columns agree."""
    header, *lines = "zone,lat,lon", *(f"{90_000 - n:05},5.{n:04},4.{n:04}" for n in range(5_000))
    trips = "user,time,origin,destination\n" + "".join(
        f"u{n},2026-03-02 08:00,{86_000 - n:05},{85_999 - n:05}\n" for n in range(300)
    )
    stations = "\n".join([header, *lines])
    if as_written is parquet:
        columns = [line.split(",") for line in lines]
        content = parquet(dict(zip(header.split(","), map(list, zip(*columns, strict=True)), strict=True)))
    else:
        content = stations.encode()
    one = write(tmp_path, trips, "trips.csv")
    other = write(tmp_path, content, "places.parquet" if as_written is parquet else "places.csv")
    assert pair_from_paths(one, other) == pair_from_paths(other, one) == (one, other)
    assert guessed_lookup(source_from_path(one), other) == Lookup(path=other, on="origin", key="zone")


@pytest.mark.parametrize(
    ("rows", "others"),
    [
        (_TRIPS, _TRIPS.replace("a,", "c,")),  # the same columns: parts
        (
            _POINTS,
            _POINTS.replace("time", "speed,time").replace(",2014", ",3,2014"),
        ),  # each says all by itself
        (_TRIPS, "colour,size\nred,15\nblue,20\n"),  # nothing recurs
        (_TRIPS, "no table"),
    ],
)
def test_files_that_are_no_pair_by_hand(tmp_path, rows, others) -> None:
    one, other = write(tmp_path, rows, "one.csv"), write(tmp_path, others, "other.csv")
    assert pair_from_paths(one, other) is None
    assert pair_from_paths(other, one) is None


def test_a_table_without_a_header_is_matched_in_a_settled_read_by_hand(tmp_path, workspace) -> None:
    """Its columns have numbers, that which is matched too; those of the second file, which has a header line, have names."""
    calls = write(tmp_path, CALLS, "SET2_0.TSV")
    named = write(tmp_path, "antenna\tlon\tlat\n" + ANTENNAS, "named.tsv")
    plain = write(tmp_path, ANTENNAS, "plain.tsv")
    mapping = ColumnMapping(user_id="column 1", timestamp="column 2", lat="lat", lon="lon")
    form = FileForm(mapping=mapping, format="headerless", delimiter="\t")
    lookup = Lookup(path=named, on="column 3", key="antenna")
    dataset = read_dataset(calls, lookup=lookup, form=form, workspace=workspace)
    assert [(int(user), *row) for user, *row in rows_of(dataset)] == CALL_ROWS
    lookup = Lookup(path=plain, on="column 3", key="column 1")
    with pytest.raises(
        DataError,
        match=r"no column 'column 1' in plain\.tsv\. For a secure release a second file has a header line",
    ):
        read_dataset(calls, lookup=lookup, form=form, workspace=workspace)
