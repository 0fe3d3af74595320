"""The tracks of cabs, as records and as trips, against rows worked out by hand."""

from datetime import datetime
from pathlib import Path

import pytest

from privlab.checks import DataError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from tests.datasets.files_by_hand import rows_of, stored, write

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


def test_of_records_at_one_time_a_vacant_one_ends_the_run_by_hand(tmp_path, workspace) -> None:
    """Someone leaves at 10:01, and somebody else gets in, further south: two trips, whatever the order of the places."""
    rows = [
        "37.70 -122.40 1 1211018400",
        "37.75 -122.40 0 1211018460",
        "37.72 -122.40 1 1211018460",
        "37.73 -122.40 1 1211018520",
    ]
    write(tmp_path, "\n".join(rows) + "\n", "new_abc.txt")
    dataset = read_dataset(tmp_path, format="cabspotting-trips", workspace=workspace)
    assert rows_of(dataset) == [
        ("abc", at("10:00:00"), 37.70, -122.40, 37.70, -122.40),
        ("abc", at("10:02:00"), 37.72, -122.40, 37.73, -122.40),
    ]
