"""What the end of a Parquet file says: against what Arrow reads there, and with changed bytes, where Arrow would end the process."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privlab.datasets.files.parquet_footers import parts_from_footer


def as_arrow_reads(path: Path) -> tuple[tuple[tuple[int, int, bool], ...], ...]:
    """Values, bytes and shared beginnings of each part, by Arrow."""
    with pq.ParquetFile(path) as parquet:
        about = parquet.metadata
        groups = [about.row_group(n) for n in range(about.num_row_groups)]
        return tuple(
            tuple(
                (one.num_values, one.total_uncompressed_size, "DELTA_BYTE_ARRAY" in one.encodings)
                for one in (group.column(at) for at in range(about.num_columns))
            )
            for group in groups
        )


def files(folder: Path) -> Iterator[Path]:
    """Files of all kinds of columns, by two writers."""
    many = pa.table(
        {
            "texts": ["a", "bb", None] * 100,
            "numbers": list(range(300)),
            "clocks": pa.array([1, 2, None] * 100, pa.timestamp("us")),
            "yes": [True, False, None] * 100,
            "lists": [[1], [2, 3], None] * 100,
            "maps": pa.array([[("a", 1)], [], None] * 100, pa.map_(pa.string(), pa.int32())),
            "structures": [{"x": 1.5, "y": "q"}, None, None] * 100,
            "repeated": pa.array(["u", "v", "w"] * 100).dictionary_encode(),
            "fixed": pa.array([b"12", b"34", None] * 100, pa.binary(2)),
        }
    )
    for n_rows, version in ((300, "1.0"), (7, "2.6")):
        path = folder / f"{n_rows}.parquet"
        pq.write_table(many, path, row_group_size=n_rows, version=version, write_page_index=n_rows == 7)
        yield path
    wide = pa.table({f"{n}": ["x"] for n in range(40)})
    encodings = dict.fromkeys(wide.column_names, "DELTA_BYTE_ARRAY")
    pq.write_table(wide, folder / "wide.parquet", use_dictionary=False, column_encoding=encodings)
    yield folder / "wide.parquet"
    duckdb.sql("SELECT range AS n, range::VARCHAR AS t, [1, 2] AS l FROM range(5_000)").write_parquet(
        str(folder / "duck.parquet"), row_group_size=2_048
    )
    yield folder / "duck.parquet"


def test_parts_are_those_that_arrow_reads(tmp_path: Path) -> None:
    for path in files(tmp_path):
        theirs = as_arrow_reads(path)
        assert theirs
        assert parts_from_footer(path, len(theirs[0])) == theirs


_OPENED = """
import sys
from pathlib import Path
from privlab.checks import DataError
from privlab.datasets.files.columnar import columns_from_path
for path in map(Path, sys.argv[1:]):
    try:
        columns_from_path(path, "parquet")
    except DataError as error:
        print(error)
"""


def test_one_changed_byte_of_a_footer_does_not_end_the_process(tmp_path: Path) -> None:
    """Whether a column may have gaps is a byte before its name: 0 for no, 2 for yes, as in Thrift; then Arrow's histograms do not fit."""
    path, name = tmp_path / "a.parquet", b"\x18\x06origin"
    pq.write_table(pa.table({"origin": [11, 12], "count": [60, 70]}), path)
    genuine = path.read_bytes()
    at = genuine.index(b"%\x02" + name) + 1
    paths = []
    for byte in (2, 0, 17):
        paths.append(tmp_path / f"{byte}.parquet")
        paths[-1].write_bytes(genuine[:at] + bytes([byte]) + genuine[at + 1 :])
    run = subprocess.run(  # Arrow's own fault would end the tests
        [sys.executable, "-c", _OPENED, *paths], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "2.parquet" not in run.stdout.split()


ENDS = {
    "cut short": b"\x49\x1c",
    "a list longer than the file": b"\x49\xfc\xff\xff\xff\xff\x0f",
    "structures within structures": b"\x1c" * 1_000,
    "a number without end": b"\x15" + b"\xff" * 40 + b"\x00",
    "no groups": b"\x15\x02\x00",
    "a kind that is none": b"\x1f\x00\x00",
    # one group (a list of one structure) with one part, whose values are minus one, then whose bytes are
    "fewer than no values": b"\x49\x1c\x19\x1c\x3c\x29\x05\x36\x01\x16\x02\x00\x00\x00\x00",
    "fewer than no bytes": b"\x49\x1c\x19\x1c\x3c\x29\x05\x36\x02\x16\x01\x00\x00\x00\x00",
    "two parts for one column": b"\x49\x1c\x19\x2c"
    + b"\x3c\x29\x05\x36\x02\x16\x02\x00\x00" * 2
    + b"\x00\x00",
}


def with_end(folder: Path, end: bytes) -> Path:
    path = folder / "a.parquet"
    path.write_bytes(b"PAR1" + end + len(end).to_bytes(4, "little") + b"PAR1")
    return path


@pytest.mark.parametrize("end", ENDS.values(), ids=list(ENDS))
def test_an_end_that_is_none_is_said_to_be_damaged(tmp_path: Path, end: bytes) -> None:
    with pytest.raises(pa.ArrowInvalid):
        parts_from_footer(with_end(tmp_path, end), 1)


def test_a_footer_written_by_hand_is_read(tmp_path: Path) -> None:
    """One part of one value in one byte, without encodings: the numbers before are what the last three cases change."""
    end = b"\x49\x1c\x19\x1c\x3c\x29\x05\x36\x02\x16\x02\x00\x00\x00\x00"
    assert parts_from_footer(with_end(tmp_path, end), 1) == (((1, 1, False),),)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"\xff" * 8, b"PAR1\xff\xff\xff\xffPAR1"])
def test_a_file_too_short_for_what_it_says_is_said_to_be_damaged(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(content)
    with pytest.raises(pa.ArrowInvalid):
        parts_from_footer(path, 1)
