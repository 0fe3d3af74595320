"""What is said of how a file was understood: files in the shapes that are published, by hand."""

import gzip
from pathlib import Path

import pytest

from privlab.checks import DataError
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
    """As in MITMA's studies of Spain: of flows that are estimates those that happen to be whole would be all that is left."""
    text = "origen|destino|viajes\n" + "1|2|8.93\n" * 3 + "2|1|4\n"
    path = tmp_path / "viajes.csv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    notes = read_dataset(path, workspace=workspace).report.notes
    assert (
        "More than half of the rows were dropped (3 of 4). 3 of 4 have an unreadable count (column 'viajes', row 2: '8.93'). Counts are whole "
        "numbers, and these are estimates and no people that were counted: round them, to look at them alone."
    ) in notes


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
