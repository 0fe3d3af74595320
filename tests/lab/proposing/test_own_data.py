"""A file of one's own, read in a process of its own: the same data as in this one, and its rows are kept for both."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from privlab.datasets.engines import Workspace
from privlab.datasets.previews import preview_from_path
from privlab.datasets.rows import KeptRows
from privlab.lab.loading import DataSource
from privlab.lab.proposing import OwnData, own_data, own_data_from_source
from privlab.od import UniqueTrips
from privlab.progress import Progress


@pytest.fixture
def source(tmp_path: Path) -> DataSource:
    """Six people who go from zone 1 to zone 2 and back on one day, and one row without a time."""
    rows = [f"p{person},2026-03-02 0{hour}:00,{1 + hour % 2}" for person in range(6) for hour in (6, 7, 8)]
    path = tmp_path / "walks.csv"
    path.write_text("\n".join(["user,time,zone", *rows, "p9,no time,1"]) + "\n")
    return DataSource(path=path, mapping=preview_from_path(path).mapping)


def loaded(source: DataSource, folder: Path) -> tuple[KeptRows, OwnData, list[str]]:
    kept, words = KeptRows(folder), list[str]()
    own = own_data_from_source(source, "column", None, kept)(Progress(lambda share, said: words.append(said)))
    kept.take_over(own.kept)
    return kept, own, words


def test_a_large_file_is_read_apart_with_the_same_result(
    source: DataSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, here, words_here = loaded(source, tmp_path / "here")
    monkeypatch.setattr(own_data, "_READ_APART_BYTES", 10)
    kept, there, words_there = loaded(source, tmp_path / "there")
    assert list(dict.fromkeys(words_there)) == list(dict.fromkeys(words_here))
    assert there.prepared.key == here.prepared.key
    assert there.prepared.data_report.dropped == {"unparsable time": 1}
    assert isinstance(there.prepared.trips, UniqueTrips)
    assert there.prepared.trips.n_users == 6
    for field in fields(UniqueTrips):
        np.testing.assert_equal(
            getattr(there.prepared.trips, field.name), getattr(here.prepared.trips, field.name)
        )
    assert there.proposal.point == here.proposal.point
    # What was kept there is of use here, and goes with the object that is here.
    source.path.unlink()
    with Workspace() as workspace:
        rows = kept.rows(workspace)
        assert rows is not None
        assert rows.report.kept == rows.table.count().to_pyarrow().as_py() == 18
        del rows
    del there
    assert len(list((tmp_path / "there").iterdir())) == 1
    del kept
    assert list((tmp_path / "there").iterdir()) == []


def test_what_is_large_by_hand(source: DataSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_data, "_READ_APART_BYTES", 1000)
    assert not own_data.is_large(source.path)  # some 400 bytes
    assert not own_data.is_large(tmp_path)
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"x" * 400)
    assert own_data.is_large(tmp_path)  # 1,200 bytes in three files
    assert own_data.is_large(tmp_path / "*.csv")  # a pattern: who knows
