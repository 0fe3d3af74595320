"""Clocks beyond midnight, beside the day on which an operating day began, by hand: 24:02 on Sunday is 0:02 on Monday."""

from datetime import datetime
from pathlib import Path

import pytest

from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.read import read_dataset

_ROWS = """card,service date,tap time,station
a,20260301,23:59:30,7
a,20260301,24:02:00,8
b,20260301,26:30:15,7
b,20260302,6:05:00,7
b,20260302,48:00:00,9
"""
_TIMES = [
    ("a", datetime(2026, 3, 1, 23, 59, 30), 7),
    ("a", datetime(2026, 3, 2, 0, 2), 8),
    ("b", datetime(2026, 3, 2, 2, 30, 15), 7),
    ("b", datetime(2026, 3, 2, 6, 5), 7),
]


@pytest.mark.parametrize("is_settled", [False, True])
def test_a_clock_from_24_on_is_of_the_day_after(tmp_path: Path, is_settled: bool) -> None:
    path = tmp_path / "taps.csv"
    path.write_text(_ROWS, encoding="utf-8")
    mapping = ColumnMapping(
        user_id="card",
        date="service date",
        timestamp="tap time",
        zone="station",
        time_format="%Y%m%d %H:%M:%S",
    )
    form = FileForm(mapping=mapping, ids="number") if is_settled else None
    with Workspace(threads=1) as workspace:
        dataset = read_dataset(path, mapping=None if is_settled else mapping, form=form, workspace=workspace)
        read = dataset.table.select("user_id", "time", "zone").to_pyarrow().to_pylist()
    assert sorted(tuple(one.values()) for one in read) == _TIMES
    assert dataset.report.dropped == {"unparsable time": 1}  # two days after is a fault of the file


def test_the_day_and_the_clock_are_found_by_their_names(tmp_path: Path) -> None:
    path = tmp_path / "taps.csv"
    path.write_text(
        _ROWS.replace("service date", "date")
        .replace("20260301", "2026-03-01")
        .replace("20260302", "2026-03-02"),
        "utf-8",
    )
    with Workspace(threads=1) as workspace:
        dataset = read_dataset(path, workspace=workspace)
        assert sorted(dataset.table.time.to_pyarrow().to_pylist()) == sorted(time for _, time, _ in _TIMES)
    assert "A clock from 24:00 on is one of the day after." in dataset.report.timezone


@pytest.mark.parametrize("is_settled", [False, True])
@pytest.mark.parametrize("end", ["", ".0"])
def test_a_clock_that_is_a_number_of_hours_and_minutes(tmp_path: Path, end: str, is_settled: bool) -> None:
    """As surveys of travel write it: 730 is half past seven, 5 is 0:05, and 2510 is 1:10 of the day after."""
    path = tmp_path / "survey.csv"
    clocks = ("730", "5", "1745", "2510", "0815", "760")
    path.write_text(
        "person,day,depart,from_zone,to_zone\n" + "".join(f"p,2026-03-02,{one}{end},1,2\n" for one in clocks),
        "utf-8",
    )
    mapping = ColumnMapping(
        user_id="person",
        date="day",
        timestamp="depart",
        origin="from_zone",
        destination="to_zone",
        time_format="%Y-%m-%d %H%M",
    )
    form = FileForm(mapping=mapping, ids="number") if is_settled else None
    with Workspace(threads=1) as workspace:
        dataset = read_dataset(path, mapping=None if is_settled else mapping, form=form, workspace=workspace)
        times = sorted(dataset.table.time.to_pyarrow().to_pylist())
    day = [datetime(2026, 3, 2, *clock) for clock in ((0, 5), (7, 30), (8, 15), (17, 45))]
    assert times == [*day, datetime(2026, 3, 3, 1, 10)]
    assert dataset.report.dropped == {"unparsable time": 1}  # no hour has 60 minutes and no more
