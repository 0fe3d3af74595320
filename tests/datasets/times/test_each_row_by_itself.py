"""What a time says alone, whatever stands in other rows: settled forms, rare texts, several formats with offsets; by hand."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privlab.checks import DataError
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.read import read_dataset
from privlab.datasets.records import Dataset

MAPPING = {"user_id": "user_id", "timestamp": "time", "zone": "zone"}


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    with Workspace(threads=1) as opened:
        yield opened


def file_of(folder: Path, texts: list[str]) -> Path:
    path = folder / "times.csv"
    path.write_text("user_id|time|zone\n" + "".join(f"1|{text}|5\n" for text in texts), encoding="utf-8")
    return path


def times(dataset: Dataset) -> list[datetime]:
    return list(dataset.table.order_by("time").time.to_pyarrow().to_pylist())


def test_in_a_settled_form_times_without_an_offset_go_by_the_clock_they_were_recorded_by(
    tmp_path: Path, workspace: Workspace
) -> None:
    """In March New York is five hours behind UTC and Berlin one ahead: 12:00 in Berlin is 06:00 there, 12:00Z is 07:00."""
    path = file_of(tmp_path, ["2026-03-02 12:00", "2026-03-02T12:00:00Z", "2026-03-02T12:00:00z"])
    form = FileForm(mapping=ColumnMapping(**MAPPING, recorded_in="Europe/Berlin"), ids="number")
    found = read_dataset(path, form=form, timezone="America/New_York", workspace=workspace)
    assert times(found) == [datetime(2026, 3, 2, hour) for hour in (6, 7, 7)]
    kept = read_dataset(
        path, form=FileForm(mapping=ColumnMapping(**MAPPING), ids="number"), timezone="America/New_York",
        workspace=workspace,
    )  # fmt: skip
    assert times(kept) == [datetime(2026, 3, 2, hour) for hour in (7, 7, 12)]


def test_in_a_settled_form_nobody_guesses_the_unit_of_numbers_iv(
    tmp_path: Path, workspace: Workspace
) -> None:
    """1,772,452,800 seconds after 1970 is noon of 2 March 2026 in UTC; as milliseconds it is in January 1970."""
    path = tmp_path / "times.parquet"
    pq.write_table(pa.table({"user_id": [1], "time": [1_772_452_800], "zone": [5]}), path)
    with pytest.raises(DataError, match="holds numbers: say how times are written") as refused:
        read_dataset(path, form=FileForm(mapping=ColumnMapping(**MAPPING), ids="number"), workspace=workspace)
    assert "seconds, milliseconds" in str(refused.value)
    for unit, expected in (
        ("seconds", datetime(2026, 3, 2, 12)),
        ("milliseconds", datetime(1970, 1, 21, 12, 20, 52, 800_000)),
    ):
        form = FileForm(mapping=ColumnMapping(**MAPPING, time_format=unit), ids="number")
        assert times(read_dataset(path, form=form, workspace=workspace)) == [expected]


@pytest.mark.parametrize(
    ("written", "unit"),
    [
        ("1772452800", "seconds"),
        ("1772452800000", "milliseconds"),
        ("1772452800000000", "microseconds"),
        ("1772452800000000000", "nanoseconds"),
    ],
)
def test_in_a_settled_form_a_refusal_of_unix_times_says_the_unit_that_reads_them(
    tmp_path: Path, workspace: Workspace, written: str, unit: str
) -> None:
    """Noon of 2 March 2026 in UTC, in a text file; with the unit that the refusal names it is read."""
    path = file_of(tmp_path, [written])
    with pytest.raises(DataError) as refused:
        read_dataset(path, form=FileForm(mapping=ColumnMapping(**MAPPING), ids="number"), workspace=workspace)
    assert str(refused.value).endswith(f"say their unit as the way times are written (time_format): {unit}.")
    said = FileForm(mapping=ColumnMapping(**MAPPING, time_format=unit), ids="number")
    assert times(read_dataset(path, form=said, workspace=workspace)) == [datetime(2026, 3, 2, 12)]


@pytest.mark.parametrize("zone", [None, "Asia/Tokyo"])
def test_instants_outside_three_centuries_are_faults_of_the_file(
    tmp_path: Path, workspace: Workspace, zone: str | None
) -> None:
    """As times without an offset are: before 1900 and after 2200 nobody's movements were, or will be, written down."""
    texts = ["2026-03-02T12:00:00Z", "1899-12-30T12:00:00Z", "2300-01-01T12:00:00+02:00"]
    found = read_dataset(
        file_of(tmp_path, texts), mapping=ColumnMapping(**MAPPING), timezone=zone, workspace=workspace
    )
    assert found.report.dropped == {"unparsable time": 2}


def test_a_rare_text_of_another_kind_is_no_time_of_the_others_kind(
    tmp_path: Path, workspace: Workspace
) -> None:
    """A day among 300 Unix times is no number of seconds: it would be one in August 1970."""
    texts = ["1772452800"] * 300 + ["20260302"]
    found = read_dataset(file_of(tmp_path, texts), mapping=ColumnMapping(**MAPPING), workspace=workspace)
    assert found.report.dropped == {"unparsable time": 1}
    assert set(times(found)) == {datetime(2026, 3, 2, 12)}


def test_of_several_formats_with_offsets_the_first_that_fits_counts(
    tmp_path: Path, workspace: Workspace
) -> None:
    """07:24 two hours ahead of UTC is 05:24. Times of a format without an offset are kept as they are."""
    texts = ["13.09.2014 07:24 +0200", "2014/09/14 07:24 +0200", "15.09.2014 07:24"]
    formats = "%d.%m.%Y %H:%M %z|%Y/%m/%d %H:%M %z"
    mapping = ColumnMapping(**MAPPING, time_format=formats)
    found = read_dataset(file_of(tmp_path, texts[:2]), mapping=mapping, workspace=workspace)
    assert found.report.dropped == {}
    assert times(found) == [datetime(2014, 9, day, 5, 24) for day in (13, 14)]
    for order in (f"{formats}|%d.%m.%Y %H:%M", f"%d.%m.%Y %H:%M|{formats}"):
        mapping = ColumnMapping(**MAPPING, time_format=order)
        found = read_dataset(
            file_of(tmp_path, texts), mapping=mapping, timezone="Asia/Tokyo", workspace=workspace
        )
        assert times(found) == [
            datetime(2014, 9, 13, 14, 24),
            datetime(2014, 9, 14, 14, 24),
            datetime(2014, 9, 15, 7, 24),
        ]
        assert found.report.timezone == (
            "Times with an offset were converted to wall-clock time in Asia/Tokyo, those without are wall-clock time."
        )
