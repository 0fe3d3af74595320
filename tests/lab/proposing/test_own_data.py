"""A file of one's own, read in a process of its own: the same data as in this one, and its rows are kept for both."""

import gzip
import io
import zipfile
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest

from privlab.datasets.engines import Workspace
from privlab.datasets.previews import preview_from_path
from privlab.datasets.rows import KeptRows, Lookup
from privlab.lab.loading import DataSource
from privlab.lab.proposing import OwnData, own_data, own_data_from_source
from privlab.od import UniqueTrips
from privlab.progress import Cancelled, Progress


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


def test_the_look_for_what_is_odd_says_how_far_it_is_and_can_be_cancelled(
    source: DataSource, tmp_path: Path
) -> None:
    """It ends at its third step, before the trips are looked for: whoever cancels does not wait for the whole look."""
    heard: list[str] = []

    def cancel_at_third(share: float, said: str) -> None:
        heard.append(said)
        if heard.count("Looking for what is odd") == 3:
            progress.cancel()

    progress = Progress(cancel_at_third)
    with pytest.raises(Cancelled):
        own_data_from_source(source, "column", None, KeptRows(tmp_path / "kept"))(progress)
    assert heard[-1] == "Looking for what is odd"
    assert heard.count("Looking for what is odd") == 3


def test_of_zones_that_only_the_data_knows_a_plan_of_found_flows_is_proposed(
    source: DataSource, tmp_path: Path
) -> None:
    """Six hundred go from zone 1 to zone 2 and back. Nobody but the file knows that there are no others."""
    rows = [f"p{person},2026-03-02 0{hour}:00,{1 + hour % 2}" for person in range(600) for hour in (6, 7, 8)]
    source.path.write_text("\n".join(["user,time,zone", *rows]) + "\n")
    _, own, _ = loaded(source, tmp_path / "kept")
    assert own.prepared.public_zones is None
    assert own.proposal.point is not None
    assert own.proposal.point.cells == "discovered"
    assert (
        "Only flows found in the data" in own.proposal.says
        or "only flows found in the data" in own.proposal.says
    )


def test_what_is_large_by_hand(source: DataSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_data, "_READ_APART_BYTES", 1000)
    assert not own_data.is_large(source.path)  # some 400 bytes
    assert not own_data.is_large(tmp_path)
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"x" * 400)
    assert own_data.is_large(tmp_path)  # 1,200 bytes in three files
    assert own_data.is_large(tmp_path / "*.csv")  # a pattern: who knows


def packed(rows: bytes, name: str = "a.csv") -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, rows)
    return held.getvalue()


def table(texts: pa.Array, write: Callable[[pa.Table, io.BytesIO], None]) -> bytes:
    held = io.BytesIO()
    write(pa.table({"zone": texts}), held)
    return held.getvalue()


ROW = b"p1,2026-03-02 06:00,1\n"  # 22 bytes
REPEATED = pa.array(["z" * 100_000]).take(pa.array([0] * 100))  # 10,000,000 bytes
# What a file of less than a megabyte unpacks to, beside 8,000,000 bytes.
PACKED = {
    "rows.csv.gz of 11 MB": (gzip.compress(ROW * 500_000), True),
    "rows.csv.gz of 2.2 MB": (gzip.compress(ROW * 100_000), False),
    "rows.zip of 11 MB": (packed(ROW * 500_000), True),
    "rows.zip of 2.2 MB": (packed(ROW * 100_000), False),
    "gz in a.zip": (packed(gzip.compress(ROW * 500_000), "a.csv.gz"), True),
    "100 texts of 100,000 letters.parquet": (table(REPEATED, pq.write_table), True),
    "9,000,000 that are missing.parquet": (table(pa.nulls(9_000_000, pa.string()), pq.write_table), True),
    "a hundred.parquet": (table(pa.array(["z"] * 100), pq.write_table), False),
    "any.arrow": (table(REPEATED, pf.write_feather), True),
    "half of a.zip": (packed(ROW * 500_000)[:99], False),
    "half of a.parquet": (table(REPEATED, pq.write_table)[:99], False),
    "half of a.csv.gz": (gzip.compress(ROW)[:-9], False),
    "empty.csv": (b"", False),
}


@pytest.mark.parametrize("name", PACKED)
def test_a_small_file_that_unpacks_to_more_is_large_by_hand(
    name: str, source: DataSource, tmp_path: Path
) -> None:
    """The server reads what is small itself, and must not run out of memory for a file of some kilobytes."""
    content, is_large = PACKED[name]
    assert len(content) < 1_000_000
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / name
    path.write_bytes(content)
    assert own_data.is_large(path) is is_large
    assert own_data.is_large(folder) is is_large
    with_second = replace(source, lookup=Lookup(path=path, on="zone", key="id"))
    assert own_data.is_large_source(with_second) is is_large
