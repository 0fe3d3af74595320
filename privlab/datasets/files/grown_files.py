"""Whether a file holds more than so many bytes once it is unpacked, told soon: by what it says of its parts, or by unpacking no more than that.

Knows how files are packed; reads no table and complains of nothing: whoever reads the file says what is wrong with it.
"""

import gzip
import zipfile
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from privlab.checks import DataError
from privlab.datasets.files.containers import TABLE_SUFFIXES, ZIP_MARKS, require_few_members
from privlab.datasets.files.file_kinds import GZIP_MARK
from privlab.datasets.files.unpacked_sizes import parquet_bytes

_BLOCK = 1 << 20
_BOOK = "xl/workbook.xml"  # what makes an archive a workbook
_ARROW_MARK = b"ARROW1"  # of a file whose parts would have to be unpacked to be measured


def grows_beyond(path: Path, n_bytes: int) -> bool:
    """Return whether a file, or what is packed in it, is more than `n_bytes`; False where it cannot be told, for it is damaged."""
    try:
        if path.stat().st_size > n_bytes:
            return True
        with path.open("rb") as file:
            head = file.read(6)
        if head.startswith(GZIP_MARK):
            return _gzip_grows(path, n_bytes)
        if head.startswith(ZIP_MARKS):
            return _zip_grows(path, n_bytes)
        return head == _ARROW_MARK or (head.startswith(b"PAR1") and _parquet_grows(path, n_bytes))
    except (
        OSError,
        EOFError,
        ValueError,
        zlib.error,
        zipfile.BadZipFile,
        NotImplementedError,
        pa.ArrowException,
    ):
        return False


def workbook_grows_beyond(path: Path, n_bytes: int) -> bool:
    """Return whether a file is a workbook, or an archive with one, of more than `n_bytes` unpacked; False where it cannot be told.

    Even for its first rows a workbook is held whole in memory.
    """
    try:
        with path.open("rb") as file:
            if not file.read(6).startswith(ZIP_MARKS):
                return False
        require_few_members(path)
        with zipfile.ZipFile(path) as archive:
            names = [one.lower() for one in archive.namelist()]
        return any(one == _BOOK or one.endswith(".xlsx") for one in names) and _zip_grows(path, n_bytes)
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return False


def _gzip_grows(path: Path, n_bytes: int) -> bool:
    with gzip.open(path) as stream:
        while n_bytes >= 0 and (block := stream.read(_BLOCK)):
            n_bytes -= len(block)
    return n_bytes < 0


def _zip_grows(path: Path, n_bytes: int) -> bool:
    """Return the same of an archive or a workbook; files packed once more in it are taken to be large."""
    try:
        require_few_members(path)
    except DataError:
        return False
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
    packed = (*TABLE_SUFFIXES, ".gz")
    return sum(one.file_size for one in members) > n_bytes or any(
        one.filename.lower().endswith(packed) for one in members
    )


def _parquet_grows(path: Path, n_bytes: int) -> bool:
    """Return the same of a Parquet file: its values count as often as they stand there, and a missing one is a byte."""
    with path.open("rb") as file, pq.ParquetFile(file) as parquet:
        about = parquet.metadata
        return about.num_rows * about.num_columns > n_bytes or parquet_bytes(path, parquet, n_bytes) > n_bytes
