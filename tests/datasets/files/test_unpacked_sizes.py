"""Sizes of Parquet and Arrow files: against the lengths of the values that were put in, and bombs of both kinds."""

from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from privlab.checks import DataError
from privlab.datasets.files import unpacked_sizes
from privlab.datasets.files.columnar import columns_from_path
from privlab.datasets.files.unpacked_sizes import parquet_bytes, require_arrow_unpacks

USERS = [f"{n:036d}" for n in range(40)]
# what a column of texts holds
TEXTS = {
    "ids that come again": USERS * 500,
    "one text": ["Paris"] * 20_000,
    "all different, more than a dictionary takes": [f"{n:060d}" for n in range(40_000)],
    "a long one among short ones": ["x"] * 19_999 + ["y" * 5_000],
    "gaps": [None] * 19_990 + ["z" * 1_000] * 10,
}


def repeating(text: str, n_rows: int) -> pa.Table:
    """A table of one user, whose column is held as a dictionary of one text."""
    user = pa.DictionaryArray.from_arrays(pa.array(np.zeros(n_rows, dtype=np.int32)), [text])
    return pa.table({"user": user, "zone": np.arange(n_rows) % 50})


@pytest.mark.parametrize("encoding", ["dictionary", "PLAIN", "DELTA_BYTE_ARRAY"])
@pytest.mark.parametrize("case", TEXTS)
def test_what_a_parquet_file_holds_is_the_sum_of_its_values(tmp_path: Path, case: str, encoding: str) -> None:
    path, texts = tmp_path / "a.parquet", TEXTS[case]
    table = pa.table({"user": texts, "zone": np.arange(len(texts))})
    how = (
        {}
        if encoding == "dictionary"
        else {"use_dictionary": False, "column_encoding": {"user": encoding, "zone": "PLAIN"}}
    )
    pq.write_table(table, path, row_group_size=len(texts) // 3, **how)
    inside = sum(len(one or "") for one in texts) + 8 * len(texts)
    with pq.ParquetFile(path) as parquet:
        about = parquet.metadata
        stored = sum(about.row_group(n).total_byte_size for n in range(about.num_row_groups))
        offsets = 5 * len(texts)  # that Arrow itself puts beside texts
        assert inside <= parquet_bytes(path, parquet, inside + stored + offsets) <= inside + stored + offsets
        assert parquet_bytes(path, parquet, inside - 1) >= inside


def test_a_parquet_file_that_repeats_a_long_text_is_refused_before_it_is_unpacked_iv(tmp_path: Path) -> None:
    """5,000,000 rows of 1,000 letters: 5 GB out of half a megabyte."""
    path = tmp_path / "a.parquet"
    pq.write_table(repeating("u" * 1_000, 5_000_000), path, row_group_size=1_000_000, store_schema=False)
    assert path.stat().st_size < 5e9 / 100
    most = pa.default_memory_pool().max_memory()
    with pytest.raises(
        DataError,
        match=r"^a\.parquet repeats values so often that they are more than 4 GB, and 100 times",
    ):
        columns_from_path(path, "parquet")
    assert pa.default_memory_pool().max_memory() < most + 50e6


def test_ordinary_files_that_repeat_much_are_read(tmp_path: Path) -> None:
    """A long id for each of a thousand rows, one city throughout, and one note of 5,000 letters, which could be 5 GB in every row."""
    path, n = tmp_path / "a.parquet", 1_000_000
    ids = pa.DictionaryArray.from_arrays(
        pa.array(np.arange(n, dtype=np.int32) // 1_000), [f"{one:036d}" for one in range(n // 1_000)]
    )
    city = pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, dtype=np.int32)), ["Paris"])
    note = pa.DictionaryArray.from_arrays(
        pa.array(np.r_[np.zeros(n - 1), 1].astype(np.int32)), ["-", "x" * 5_000]
    )
    pq.write_table(pa.table({"user": ids, "city": city, "note": note}), path, store_schema=False)
    assert columns_from_path(path, "parquet") == ("user", "city", "note")


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_what_an_arrow_file_says_of_its_parts_is_what_it_holds(tmp_path: Path, compression: str) -> None:
    path = tmp_path / "a.arrow"
    table = pa.table(
        {
            "user": pa.array(USERS * 500).dictionary_encode(),
            "zone": np.arange(20_000),
            "name": USERS * 500,
            "none": [None] * 20_000,
        }
    )
    feather.write_feather(table, path, compression=compression, chunksize=7_000)
    with path.open("rb") as file:
        found = sum(unpacked_sizes._arrow_parts(file, path.stat().st_size))
    # 4 bytes of an index, 8 of a number, 36 of a name and 4 of its place, and one that each row is counted for; and the dictionary.
    inside = 20_000 * (4 + 8 + 36 + 4 + 1) + 40 * (36 + 4 + 1)
    assert inside <= found <= inside + 1_000  # and what fills up each part to 8 bytes
    assert require_arrow_unpacks(path) == 20_000


def test_an_arrow_file_that_grows_as_no_table_does_is_refused_before_it_is_unpacked_iv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.arrow"
    feather.write_feather(
        pa.table({"user": ["u" * 1_000] * 150_000, "zone": [1] * 150_000}), path, compression="zstd"
    )

    def not_opened(*_: object) -> None:
        raise AssertionError("unpacked")

    monkeypatch.setattr(unpacked_sizes.pa.ipc, "open_file", not_opened)
    with pytest.raises(DataError, match=r"^a\.arrow unpacks to more than 100 times its size\."):
        columns_from_path(path, "arrow")


def test_an_arrow_file_whose_dictionary_repeats_a_long_text_is_refused_iv(tmp_path: Path) -> None:
    """5,000,000 numbers of one text of 1,000 letters; a million of them are less than 4 GB."""
    path = tmp_path / "a.arrow"
    feather.write_feather(repeating("u" * 1_000, 5_000_000), path, compression="zstd")
    with pytest.raises(DataError, match=r"^a\.arrow repeats values so often"):
        columns_from_path(path, "arrow")
    feather.write_feather(repeating("u" * 1_000, 1_000_000), path, compression="zstd")
    assert columns_from_path(path, "arrow") == ("user", "zone")


def test_texts_that_lie_elsewhere_count_as_often_as_they_stand_there() -> None:
    views = pa.array(["x" * 100, "y", None, "z" * 20], pa.string_view())
    assert unpacked_sizes.value_bytes(views) == 121
    assert unpacked_sizes.value_bytes(views[1:]) == 21
    lists = pa.ListViewArray.from_arrays(
        pa.array([0, 0, 0], pa.int32()), pa.array([3, 3, 3], pa.int32()), pa.array([1, 2, 3])
    )
    assert unpacked_sizes.value_bytes(lists) == 3 * 3 * 8


@pytest.mark.parametrize("at", [-14, -10, -40, -100, 200, 300])
def test_an_arrow_file_with_odd_numbers_is_damaged_or_read(tmp_path: Path, at: int) -> None:
    path = tmp_path / "a.arrow"
    feather.write_feather(pa.table({"user": USERS * 10, "zone": [1] * 400}), path, compression="zstd")
    content = path.read_bytes()
    at %= len(content)
    for odd in (b"\xff" * 8, b"\xff" * 7 + b"\x7f", b"\0" * 8):
        path.write_bytes(content[:at] + odd[: len(content) - at] + content[at + 8 :])
        with suppress(DataError):
            assert len(columns_from_path(path, "arrow")) == 2
