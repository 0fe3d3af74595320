"""What an audit reads is what a release writes: the same table, of the same types."""

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from privlab.od.releases.rehearsed_release import RehearsedCounts
from privlab.od.releases.release_plan import SecureReleaseParameters, release_plan_from_parameters
from privlab.od.releases.secure_release import secure_release_from_settled_trips
from privlab.releases.folders.release_folders import PARQUET
from privlab.releases.writing import secure_files
from privlab.releases.writing.estimate_files import write_csv
from tests.od.by_hand import WEEK, settled, trips_of


@pytest.mark.parametrize("rows", [0, 1, 2, 99_999, 100_000, 100_001])
def test_a_long_table_is_written_as_arrow_writes_it_in_one_go(rows: int, tmp_path: Path) -> None:
    table = pa.table(
        {"zone": pa.array([f"z{i % 7}" for i in range(rows)], pa.string()), "count": range(rows)}
    )
    write_csv(table, tmp_path / "halves.csv")
    pa_csv.write_csv(table, tmp_path / "whole.csv")
    assert (tmp_path / "halves.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


@pytest.mark.parametrize("zones", [[1, 2, 3, 4], ["a", "b", "c", "=d"]])
def test_counts_as_published_are_those_of_the_file(zones: list[object], tmp_path: Path) -> None:
    plan = release_plan_from_parameters(
        SecureReleaseParameters(epsilon=1.0, max_trips_per_user=2, threshold=0),
        weeks=[WEEK],
        zones_spec="column",
        public_zones=zones,
    )
    made = secure_release_from_settled_trips(settled(trips_of([[1, 2], [7]], zones)), plan)
    secure_files._write_counts(tmp_path, made)
    written = pq.read_table(tmp_path / PARQUET)
    found = secure_files.counts_as_published(
        RehearsedCounts(week=made.week, cell=made.cell, count=made.count)
    )
    assert [str(day) for day in written["week"].to_pylist()] == found.week.tolist() == [WEEK] * 12
    for name in ("origin", "destination"):
        assert written[name].to_pylist() == found.cell[name].tolist()
    assert written["count"].to_pylist() == found.count.tolist()
    assert found.count.tolist() == made.count.tolist()
