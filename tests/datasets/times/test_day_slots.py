"""Days, half hours and cells that are numbers, as in YJMob100K: read as times and metres worked out by hand."""

from datetime import datetime
from pathlib import Path

import pandas as pd
import pytest

from privlab.checks import DataError
from privlab.datasets.columns.guessed_mapping import mapping_from_columns
from privlab.datasets.columns.mapping import ColumnMapping, mapping_with_choices
from privlab.datasets.files.added_rows import AddedRow, write_with_added_rows
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.read import read_dataset
from privlab.datasets.records import Dataset

ROWS = [(7, 0, 0, 1, 2), (7, 0, 47, 1, 2), (7, 8, 17, 200, 1), (9, 74, 1, 3, 3)]
# Day 0 is Monday 3 January 2000; day 8 is Tuesday of the week after, day 74 the 17th of March (28 left in January, 29 in February).
TIMES = ["2000-01-03 00:00", "2000-01-03 23:30", "2000-01-11 08:30", "2000-03-17 00:30"]
METRES = [
    (750.0, 1250.0),
    (750.0, 1250.0),
    (100_250.0, 750.0),
    (1750.0, 1750.0),
]  # cells of 500 m, their middles
SAID = "Times are days and slots of 30 minutes, both counted from 0"


def csv(path: Path, rows: list[tuple[object, ...]]) -> Path:
    path.write_text("\n".join(["uid,d,t,x,y", *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def read(path: Path) -> Dataset:
    names = (
        path.read_text().split("\n")[0].split(",") if path.suffix == ".csv" else ["uid", "d", "t", "x", "y"]
    )
    return read_dataset(path, mapping=mapping_from_columns(names))


@pytest.mark.parametrize("kind", ["csv", "parquet", "parquet of decimals"])
def test_times_and_places_are_those_worked_out_by_hand(tmp_path: Path, kind: str) -> None:
    if kind == "csv":
        path = csv(tmp_path / "a.csv", ROWS)
    else:
        path = tmp_path / "a.parquet"
        frame = pd.DataFrame(ROWS, columns=["uid", "d", "t", "x", "y"])
        (frame.astype({"d": float, "t": float}) if "decimals" in kind else frame).to_parquet(path)
    dataset = read(path)
    found = dataset.table.order_by("time").to_pyarrow().to_pandas()
    assert (dataset.kind, dataset.place, dataset.report.dropped) == ("records", "xy", {})
    assert dataset.report.timezone.startswith(SAID)
    assert found.time.tolist() == [pd.Timestamp(one) for one in TIMES]
    assert list(zip(found.x, found.y, strict=True)) == METRES
    assert found.user_id.astype(str).tolist() == ["7", "7", "7", "9"]


def test_rows_without_such_a_time_are_dropped_by_reason(tmp_path: Path) -> None:
    bad = [
        (7, 0, 48, 1, 1),
        (7, -1, 3, 1, 1),
        (7, 0, "noon", 1, 1),
        (7, 0, 2.5, 1, 1),
        (7, 99_999, 0, 1, 1),
        (7, "", 3, 1, 1),
    ]
    report = read(csv(tmp_path / "a.csv", [*ROWS, *bad])).report
    assert report.kept == 4
    assert report.dropped == {"unparsable time": 5, "missing time": 1}
    (first, *_) = report.examples["unparsable time"]
    assert str(first.position) == "row 6"


def test_slots_alone_are_counted_from_day_0(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("who,slot,zone\nann,0,1\nann,49,2\nann,-1,2\n")
    mapping = ColumnMapping(user_id="who", timestamp="slot", zone="zone", time_format="slots:60")
    dataset = read_dataset(tmp_path / "a.csv", mapping=mapping)
    found = dataset.table.order_by("time").to_pyarrow().to_pandas()
    assert found.time.tolist() == [pd.Timestamp("2000-01-03"), pd.Timestamp("2000-01-05 01:00")]
    assert dataset.report.dropped == {"unparsable time": 1}


def test_a_release_reads_the_same_rows(tmp_path: Path) -> None:
    path = csv(tmp_path / "a.csv", ROWS)
    mapping = mapping_from_columns(["uid", "d", "t", "x", "y"])
    tables = [
        dataset.table.order_by("time").to_pyarrow().to_pandas().drop(columns="user_id")
        for dataset in (read(path), read_dataset(path, mapping=mapping, form=FileForm(mapping=mapping)))
    ]
    pd.testing.assert_frame_equal(*tables)


@pytest.mark.parametrize("minutes", ["50", "0", "1441", "", "x"])
def test_slots_that_do_not_fill_a_day_are_refused(tmp_path: Path, minutes: str) -> None:
    mapping = ColumnMapping(user_id="uid", timestamp="t", x="x", y="y", time_format=f"slots:{minutes}")
    with pytest.raises(DataError, match=r"slots must say how many minutes a slot has, .* such as 'slots:30'"):
        read_dataset(csv(tmp_path / "a.csv", ROWS), mapping=mapping)


def test_what_was_guessed_of_columns_goes_with_them() -> None:
    guess = mapping_from_columns(["uid", "d", "t", "x", "y"])
    assert (guess.date, guess.timestamp, guess.time_format, guess.step_m) == ("d", "t", "slots:30", 500.0)
    elsewhere = mapping_with_choices(guess, {"zone": "x"})
    assert (elsewhere.step_m, elsewhere.time_format) == (None, "slots:30")
    assert mapping_with_choices(guess, {"timestamp": "d"}).time_format is None
    # One column more, or another name, and nothing says that these are numbers of days and cells.
    for names in (["uid", "d", "t", "x", "y", "speed"], ["uid", "t", "x", "y"], ["user", "d", "t", "x", "y"]):
        assert mapping_from_columns(names).step_m is None


def test_a_step_is_refused_where_there_is_none() -> None:
    ends = {"user_id": "u", "timestamp": "t", "step_m": 500.0}
    with pytest.raises(DataError, match="do not say where by x and y, and step_m says"):
        ColumnMapping(**ends, lat="a", lon="b").require_complete()
    with pytest.raises(DataError, match=r"system EPSG:25832 .* has metres of its own, and step_m"):
        ColumnMapping(**ends, x="a", y="b", crs="EPSG:25832").require_complete()


def test_the_audit_of_the_whole_way_writes_no_such_rows(tmp_path: Path) -> None:
    path = csv(tmp_path / "a.csv", ROWS)
    mapping = ColumnMapping(user_id="uid", timestamp="t", x="x", y="y", time_format="slots:30")
    row = AddedRow(user=1, time=datetime(2000, 1, 3), place=(1.0, 1.0))
    with pytest.raises(DataError, match="says times by slots or places by numbered cells"):
        write_with_added_rows(path, FileForm(mapping=mapping), [row], tmp_path / "b" / "a.csv", timezone=None)
