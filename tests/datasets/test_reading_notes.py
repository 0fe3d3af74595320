"""What is said of how a file was understood: files in the shapes that are published, by hand."""

import gzip
from datetime import datetime
from pathlib import Path

import pytest

from privlab.checks import DataError
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.files.sources import source_from_path
from privlab.datasets.previews.previews import preview_from_path
from privlab.datasets.read import read_dataset
from tests.datasets.files_by_hand import rows_of, write, zipped


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=1) as opened:
        yield opened


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("HOUSEID,PERSONID", ["'PERSONID' is taken for the user, and 'HOUSEID' is a household by its name"]),
        ("H_ID,P_ID", ["'P_ID' is taken for the user, and 'H_ID' is a household by its name"]),
        ("household_id,card_id", []),
        ("trip_no,person_id", []),
    ],
)
def test_persons_who_are_numbered_within_households(tmp_path, workspace, names, said) -> None:
    """As in NHTS and in MiD: two households of two persons each have two ids of persons, 1 and 2."""
    rows = "".join(f"{home},{one},2026-03-02 08:00,7,8\n" for home in (30, 31) for one in (1, 2))
    path = write(tmp_path, f"{names},time,origin,destination\n{rows}")
    notes = read_dataset(path, workspace=workspace).report.notes
    assert [one.split(":")[0] for one in notes if "household" in one] == said


def test_most_rows_dropped_for_one_thing_say_what_to_do(tmp_path, workspace) -> None:
    """Clocks of three digits, which stand for half of the day and more, beside one of four."""
    rows = "".join(f"{n},2026-03-02,{730 + n},7\n" for n in range(3)) + "3,2026-03-02,07:33,7\n"
    path = write(tmp_path, f"user,date,time,zone\n{rows}")
    mapping = ColumnMapping(
        user_id="user", date="date", timestamp="time", zone="zone", time_format="%Y-%m-%d %H:%M"
    )
    report = read_dataset(path, mapping=mapping, workspace=workspace).report
    assert report.first_notes == (
        "More than half of the rows were dropped (3 of 4). 3 of 4 have an unparsable time (column 'time', row 2: '2026-03-02 730'). If 730 is half "
        "past seven, say so by how times are written (time_format), such as '%Y-%m-%d %H%M'.",
    )


def test_flows_that_are_estimates_are_refused_though_some_are_whole(tmp_path, workspace) -> None:
    """As in MITMA's studies of Spain: the few that happen to be whole would be taken for all."""
    text = "origen|destino|viajes\n" + "1|2|8.93\n" * 3 + "2|1|4\n"
    path = tmp_path / "viajes.csv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    with pytest.raises(DataError) as caught:
        read_dataset(path, workspace=workspace)
    assert str(caught.value) == (
        "Most rows of viajes.csv.gz cannot be used: 3 of 4 have an unreadable count (column 'viajes', row 2: '8.93'). Counts are whole numbers, "
        "and these are estimates and no people that were counted: round them, to look at them alone."
    )
    path.write_bytes(gzip.compress(text.replace("8.93", "8", 2).encode()))
    assert read_dataset(path, workspace=workspace).report.dropped == {"unreadable count": 1}


@pytest.mark.parametrize("n_far", [0, 1, 2])
def test_a_few_rows_of_other_years_are_asked_about(tmp_path, workspace, n_far) -> None:
    """As in New York's cabs, of which a few in each month are of 2002 and 2009; those of New Year's Eve are no such rows."""
    times = (
        ["2024-01-15 08:00"] * 2_000 + ["2023-12-31 23:59"] + ["2002-12-31 23:00", "2009-01-01 00:10"][:n_far]
    )
    path = write(tmp_path, "origin,destination,time\n" + "".join(f"1,2,{one}\n" for one in times))
    notes = read_dataset(path, workspace=workspace).report.notes
    said = {
        1: "1 of the rows lies years from the others, in 2002, where",
        2: "2 of the rows lie years from the others, in 2002, 2009, where",
    }
    assert [one.split(" nearly")[0] for one in notes if "years from" in one] == (
        [said[n_far]] if n_far else []
    )


@pytest.mark.parametrize(("n_without", "is_said"), [(0, False), (4, True)])
def test_positions_of_trips_without_stations_are_named(tmp_path, workspace, n_without, is_said) -> None:
    """As in Divvy's trips, of which a fifth ends at no station, and nearly all have a position."""
    header = "ride_id,ended_at,start_station_id,end_station_id,start_lat,start_lng,end_lat,end_lng\n"
    rows = "".join(
        f"r,2024-06-03 08:00,A,{'' if n < n_without else 'B'},41.9,-87.6,41.8,-87.7\n" for n in range(20)
    )
    notes = read_dataset(write(tmp_path, header + rows), workspace=workspace).report.notes
    said = "start_lat as origin_lat, start_lng as origin_lon, end_lat as destination_lat, end_lng as destination_lon."
    assert any(one.endswith(f"take them instead: {said}") for one in notes) == is_said


@pytest.mark.parametrize(
    ("cell", "is_said"),
    [
        ('"[[-8.618643,41.141412],[-8.618499,41.141376]]"', True),
        ('"LINESTRING (2.3 48.8, 4.8 45.7)"', True),
        ('"[(48.8, 2.3), (45.7, 4.8)]"', True),
        ('"[house]"', False),
    ],
)
def test_ways_in_one_cell_are_told_to_be_taken_apart(tmp_path, workspace, cell, is_said) -> None:
    """As in the cabs of Porto, whose column is called POLYLINE; a way that has no position yet is an empty list there."""
    path = write(tmp_path, f"TRIP_ID,TAXI_ID,TIMESTAMP,POLYLINE\n1,7,1372636858,[]\n2,7,1372637858,{cell}\n")
    with pytest.raises(DataError, match="Could not tell which column holds a place") as caught:
        read_dataset(path, workspace=workspace)
    assert ("Cells of 'POLYLINE' hold a whole way each" in str(caught.value)) == is_said
    assert any("a whole way each" in note for note in preview_from_path(path).notes) == is_said
    placed = write(tmp_path, f"user,time,zone,POLYLINE\n1,2013-07-01,7,{cell}\n", "placed.csv")
    assert not any("a whole way each" in note for note in preview_from_path(placed).notes)


@pytest.mark.parametrize("is_packed", [False, True])
def test_empty_files_among_others_are_left_out_and_said(tmp_path: Path, workspace, is_packed) -> None:
    """As in T-Drive, where some cabs have a file of no bytes, the first one perhaps."""
    files = {
        "1.txt": "",
        "2.txt": "2,2008-02-02 15:36:08,116.51172,39.92123\n",
        "3.txt": "",
        "4.txt": "4,2008-02-02 15:46:08,116.5,39.9\n",
    }
    folder = tmp_path / "release"
    folder.mkdir()
    for name, text in files.items():
        write(folder, text, name)
    if is_packed:
        folder = tmp_path / "release.zip"
        folder.write_bytes(zipped(files))
    assert len(preview_from_path(folder).rows) == 1
    dataset = read_dataset(folder, workspace=workspace)
    assert [row[0] for row in rows_of(dataset)] == [2, 4]
    assert (
        "2 files hold nothing and are left out, 1.txt first: was it copied in full?" in dataset.report.notes
    )
    alone = write(tmp_path, "", "alone.txt")
    with pytest.raises(DataError, match=r"alone\.txt is empty\."):
        source_from_path(alone)


def test_an_archive_of_a_timeline_says_where_timelines_are_read(tmp_path, workspace) -> None:
    path = tmp_path / "takeout.zip"
    path.write_bytes(zipped({"Takeout/Location History/Records.json": "{}"}))
    with pytest.raises(DataError, match=r"triangle Records\.json"):
        read_dataset(path, workspace=workspace)


@pytest.mark.parametrize(
    ("header", "taken"),
    [
        ("STARTSTATIONNAME,ENDSTATIONNAME,STARTTIMEMS,ENDTIMEMS", ("STARTSTATIONNAME", "ENDSTATIONNAME", "ENDTIMEMS", None)),
        ("start_date,emplacement_pk_start,end_date,emplacement_pk_end", ("emplacement_pk_start", "emplacement_pk_end", "end_date", None)),
        ("TIME_PER_HOUR,ORIGIN_PT_CODE,DESTINATION_PT_CODE,TOTAL_TRIPS", ("ORIGIN_PT_CODE", "DESTINATION_PT_CODE", None, "TOTAL_TRIPS")),
        ("date,pcod_from,pcod_to,value", ("pcod_from", "pcod_to", "date", "value")),
        ("PERSONID,STRTTIME,ORIG_ZONE,DEST_ZONE", ("ORIG_ZONE", "DEST_ZONE", "STRTTIME", None)),
    ],
)  # fmt: skip
def test_columns_of_published_trips(tmp_path, header, taken) -> None:
    """BIXI of 2022 and 2021, Singapore's buses and trains, FlowKit, and NHTS."""
    rows = ",".join("1" for _ in header.split(","))
    mapping = preview_from_path(write(tmp_path, f"{header}\n{rows}\n")).mapping
    assert (mapping.origin, mapping.destination, mapping.timestamp, mapping.count) == taken


_UTC = "Tue Apr 03 18:00:09 +0000 2012"


@pytest.mark.parametrize(
    ("rows", "taken"),
    [
        # Foursquare's check-ins of the whole world: user, venue, time in UTC, minutes that the place is ahead of it
        ([f"50756\t4f5e3a72e4b0\t{_UTC}\t240", f"190571\t4b4b87b5f964\t{_UTC}\t-180"],
         {"user_id": "column 1", "zone": "column 2", "timestamp": "column 3", "utc_offset_min": "column 4"}),
        # BART's riders by hour: day, hour, from, to, how many
        (["2019-01-01,0,12TH,16TH,4", "2019-01-01,1,16TH,12TH,1", "2019-01-01,1,12TH,12TH,1"],
         {"timestamp": "column 1", "origin": "column 3", "destination": "column 4", "count": "column 5"}),
        # D4D's calls between antennas: hour, from, to, how many, how long
        (["2011-12-05 00:00:00\t1\t1\t2\t80", "2011-12-05 00:00:00\t1\t-1\t1\t9", "2011-12-05 00:00:00\t-1\t1\t1\t9"],
         {"timestamp": "column 1", "origin": "column 2", "destination": "column 3", "count": "column 4"}),
        # and what stays as it was: time, user, zone; user, time, origin, destination
        (["2011-12-05 00:00:00,1,1", "2011-12-05 00:10:00,1,2"], {"timestamp": "column 1", "user_id": "column 2", "zone": "column 3"}),
        (["1,2011-12-05 00:00:00,1,1", "1,2011-12-05 00:10:00,1,2"],
         {"user_id": "column 1", "timestamp": "column 2", "origin": "column 3", "destination": "column 4"}),
    ],
)  # fmt: skip
def test_published_tables_without_a_header(tmp_path, rows, taken) -> None:
    mapping = preview_from_path(write(tmp_path, "\n".join(rows) + "\n", "table.txt")).mapping
    assert {field: getattr(mapping, field) for field in mapping.fields_used} == taken


def test_places_without_a_header_are_no_header(tmp_path) -> None:
    """Foursquare's venues: two of five values are numbers, and no name of a column is a number of degrees."""
    text = "4f5e3a72e4b0\t45.03\t-93.22\tCafé\tUS\n4b4b87b5f964\t41.29\t69.24\tBridge\tUZ\n"
    preview = preview_from_path(write(tmp_path, text, "POIs.txt"))
    assert (preview.format, len(preview.rows)) == ("headerless", 2)


def test_the_day_of_departure_is_the_day_of_the_clocks_beside_it(tmp_path, workspace) -> None:
    """As a Spanish Excel writes trips: one day, and clocks of departure and arrival."""
    text = "id_usuario;fecha_salida;hora_salida;hora_llegada;zona_origen;zona_destino\n7;13/06/2024;12:35;12:58;Móstoles;Alcalá\n"
    dataset = read_dataset(write(tmp_path, text.encode("latin-1")), workspace=workspace)
    assert rows_of(dataset) == [(7, datetime(2024, 6, 13, 12, 58), "Móstoles", "Alcalá")]
