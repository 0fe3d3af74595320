"""The bytes of one file: what kind of file it is, whether it is whole, and its digest.

Knows compression, encodings and line ends; knows nothing of columns. Nothing here holds more than
a megabyte or two, whatever the size of the file.
"""

import codecs
import gzip
import hashlib
import io
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from privlab.checks import DataError
from privlab.limits import MAX_UNPACKED_RATIO, UNPACKED_FREE_MB

HEAD_BYTES = 1 << 20
GZIP_MARK = b"\x1f\x8b"
FileFormat = Literal["csv", "parquet", "arrow", "xlsx"]
GoOn = Callable[[], None]
"""Called now and then by long work outside the database; raises to stop it."""
PASSWORD = "is protected by a password. Open it in Excel and save it without one, or as CSV."
_MANY_SHORT_LINES = 50_000  # the database takes its time over each
_BLANKS = b" \t\r\n\f\v\0"
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1a"))
_MARKED_UP = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*<(\?xml|!doctype html|html|table|gpx)\b", re.IGNORECASE)
_FEED, _RETURN = ord("\n"), ord("\r")
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True, slots=True)
class ByteScan:
    """What one pass over a whole file showed; `is_plain` = UTF-8 with one kind of line end."""

    digest: str
    is_utf8: bool
    is_plain: bool


class EmptyFile(DataError):
    """A file with nothing in it."""


def digest_from_path(path: Path) -> str:
    """Return the BLAKE2b-128 of a file's bytes, in hexadecimal."""
    with complaints(path), path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def joint_digest(digests: Sequence[str]) -> str:
    """Return the digest of several files, from theirs in the order of the files' names."""
    return hashlib.blake2b("\n".join(digests).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


class _Digested:
    """A file whose bytes are digested as they are read."""

    def __init__(self, file: io.BufferedReader, digest: Any) -> None:
        self._file = file
        self._digest = digest

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        data = self._file.read(size)
        self._digest.update(data)
        return data


@contextmanager
def complaints(path: Path) -> Iterator[None]:
    """Turn what goes wrong on opening and decompressing a file into a DataError that names it."""
    try:
        yield
    except FileNotFoundError as error:
        raise DataError(f"There is no file {path.name!r}.") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path.name} is a damaged gzip file. Was it copied only in part?") from error
    except UnicodeError as error:
        raise DataError(f"{path.name} does not decode as text. Save it as UTF-8.") from error
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{path.name or path} cannot be opened: {getattr(error, 'strerror', None) or 'bad name'}."
        ) from error


def head_from_path(path: Path) -> bytes:
    """Return the first megabyte, decompressed; raise a DataError if there is nothing in it, or its name is no text."""
    require_names_readable(path)
    with complaints(path):
        with path.open("rb") as file:
            head: bytes = file.read(HEAD_BYTES)
        if head.startswith(GZIP_MARK):
            with gzip.open(path) as stream:
                head = stream.read(HEAD_BYTES)
    if not head:
        raise EmptyFile(f"{path.name} is empty.")
    if not head.strip(_BLANKS):
        size = "" if len(head) < HEAD_BYTES else " in its first megabyte"
        raise EmptyFile(f"{path.name} holds nothing but blanks{size}.")
    return head


def require_names_readable(path: Path) -> None:
    """Raise a DataError unless all names of a path, as it was given, are UTF-8: the database reads no others."""
    for name in path.parts:
        if (readable := os.fsencode(name).decode("utf-8", "backslashreplace")) != name:
            raise DataError(f"The name {readable} is not UTF-8. Rename it.")


def format_from_head(head: bytes, path: Path) -> FileFormat:
    """Return whether a file is a table of text, Parquet, Arrow or a workbook; raise a DataError if it is none."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if path.suffix.lower() in (".parquet", ".pq"):
        raise DataError(f"{path.name} is not a Parquet file, or a damaged one.")
    if head.startswith(b"ARROW1"):
        return "arrow"
    if path.suffix.lower() in (".arrow", ".feather", ".ipc"):
        raise DataError(f"{path.name} is not an Arrow file of the present format. Save it as Parquet.")
    if head.startswith(b"PK\x03\x04"):
        if _is_workbook(path):
            return "xlsx"
        raise DataError(f"{path.name} is an archive in an archive, or no whole one. Unpack it first.")
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        if "EncryptedPackage".encode("utf-16-le") in head:
            raise DataError(f"{path.name} {PASSWORD}")
        raise DataError(f"{path.name} is an Excel file of the old kind (.xls). Save it as .xlsx or CSV.")
    if found := _MARKED_UP.match(head[:200]):
        kind = (
            "XML (a GPX track, for instance)"
            if found[1].lower() in (b"?xml", b"gpx")
            else "a web page, whatever its name says"
        )
        raise DataError(f"{path.name} is {kind}, and no table of rows. Save it as CSV.")
    if path.suffix.lower() == ".xlsx":
        raise DataError(f"{path.name} is not an Excel file, or a damaged one. Was it copied only in part?")
    return "csv"


def _is_workbook(path: Path) -> bool:
    """Return whether a file is an Excel workbook of the present kind."""
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except (zipfile.BadZipFile, OSError, NotImplementedError):
        return False


def encoding_from_head(head: bytes, path: Path) -> str:
    """Return the encoding of a text: utf-8, utf-16-le, utf-16-be, cp1252 or latin-1.

    Raises a DataError if it is no text.
    """
    if (marked := _UTF16.get(head[:2])) is not None:
        return marked
    even, odd = (head[0::2].count(0), head[1::2].count(0)) if b"\0" in head else (0, 0)
    # UTF-16 without its mark: Western text has a NUL in one byte of nearly every pair.
    if max(even, odd) > 0.4 * len(head) / 2 and min(even, odd) < 0.05 * len(head) / 2:
        return "utf-16-le" if odd > even else "utf-16-be"
    if even + odd or len(head) - len(head.translate(None, _CONTROLS)) > len(head) / 1_000:
        raise DataError(f"{path.name} is not a text file: it holds binary data. Save its table as CSV.")
    if head.isascii():
        return "utf-8"
    for encoding in ("utf-8", "cp1252"):
        try:
            codecs.getincrementaldecoder(encoding)().decode(head)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"


def text_from_head(head: bytes, encoding: str) -> str:
    """Return the decoded head, without a byte order mark; what does not decode is replaced."""
    return head.decode(encoding, errors="replace").removeprefix("\ufeff")


def _never_stopped() -> None:
    """Let the work go on."""


def scan_from_path(
    path: Path,
    *,
    is_text: bool,
    is_wide: bool = False,
    delimiter: str = ",",
    n_columns: int = 1,
    go_on: GoOn = _never_stopped,
) -> ByteScan:
    """Return what one pass over the file shows; raise a DataError if it is damaged or no table.

    `is_wide` is said of UTF-16, whose bytes are checked when it is rewritten. `go_on` is called
    for every megabyte.
    """
    n_short = n_feeds = n_returns = n_pairs = 0
    decoder = codecs.getincrementaldecoder("utf-8")()
    is_utf8, last, digest = True, b"", hashlib.blake2b(digest_size=16)
    with complaints(path), path.open("rb") as file:
        for chunk in _chunks(file, digest, path, is_text=is_text):
            go_on()
            if not is_text or is_wide:
                continue
            _require_lines(chunk, path)
            letters = np.frombuffer(chunk, dtype=np.uint8)
            feeds = letters == _FEED
            n_here = int(np.count_nonzero(feeds))
            n_feeds += n_here
            n_short += _short_lines(chunk, letters, n_here, delimiter.encode(), n_columns)
            if b"\r" in chunk:
                returns = letters == _RETURN
                n_returns += int(np.count_nonzero(returns))
                n_pairs += int(np.count_nonzero(returns[:-1] & feeds[1:]))
            n_pairs += last == b"\r" and chunk.startswith(b"\n")
            last = chunk[-1:]
            try:
                decoder.decode(chunk) if is_utf8 else None
            except UnicodeDecodeError:
                is_utf8 = False
    if n_short > max(_MANY_SHORT_LINES, n_feeds / 2):
        raise DataError(
            f"Most lines of {path.name}, {n_short:,} at least, have fewer fields than the header. "
            "Is it a table with one row per line?"
        )
    one_kind = n_returns == 0 or n_returns == n_feeds == n_pairs or n_feeds == 0
    return ByteScan(digest.hexdigest(), is_utf8, is_utf8 and one_kind)


def _short_lines(
    chunk: bytes, letters: npt.NDArray[np.uint8], n_feeds: int, delimiter: bytes, n_columns: int
) -> int:
    """Return how many lines must have too few fields, at the least; 0 unless most of them have."""
    # Not bytes.count(), which stops at each one that it finds: there are more delimiters than anything else.
    n_delimiters = int(np.count_nonzero(letters == delimiter[0]))
    if 2 * n_delimiters >= (n_columns - 1) * n_feeds or b'"' in chunk:
        return 0
    n_filled = sum(1 for line in chunk.split(b"\n") if line.strip())
    return max(0, n_filled - n_delimiters // (n_columns - 1) - 2)  # the first and the last are cut


def rewrite_as_utf8(path: Path, encoding: str, target: Path, *, go_on: GoOn = _never_stopped) -> None:
    """Write a text file to `target` as UTF-8 with line feeds, decompressed."""
    decoder = io.IncrementalNewlineDecoder(
        codecs.getincrementaldecoder(encoding)(errors="replace"), translate=True
    )
    with complaints(path), path.open("rb") as source, target.open("wb") as sink:
        for chunk in _chunks(source, hashlib.blake2b(), path, is_text=True):
            go_on()
            data = decoder.decode(chunk).encode("utf-8")
            _require_lines(data, path)
            sink.write(data)
        sink.write(decoder.decode(b"", final=True).encode("utf-8"))


def decompressed_chunks(file: io.BufferedReader, digest: Any, path: Path) -> Iterator[bytes]:
    """Yield the bytes of a text table, decompressed, a megabyte at a time; `digest` is of those in the file."""
    yield from _chunks(file, digest, path, is_text=True)


def _chunks(file: io.BufferedReader, digest: Any, path: Path, *, is_text: bool) -> Iterator[bytes]:
    stream: Any = _Digested(file, digest)
    packed = is_text and file.peek(2).startswith(GZIP_MARK)
    if packed:
        stream = gzip.GzipFile(fileobj=stream)
    size, n_bytes = path.stat().st_size, 0
    while chunk := stream.read(HEAD_BYTES):
        n_bytes += len(chunk)
        if packed:
            require_ratio(path, size, n_bytes)
        yield chunk


def require_ratio(path: Path, packed: int, unpacked: int) -> None:
    """Raise a DataError if a compressed file grows as no table does."""
    if unpacked > max(UNPACKED_FREE_MB * 1_000_000, MAX_UNPACKED_RATIO * packed):
        raise DataError(
            f"{path.name} unpacks to more than {MAX_UNPACKED_RATIO} times its size. "
            "Is it a table? Unpack it first if it is."
        )


def _require_lines(chunk: bytes, path: Path) -> None:
    if b"\0" in chunk:
        raise DataError(f"{path.name} is not a text file: it holds NUL bytes. Save its table as CSV.")
    # The database drops lines beyond its buffer, and the row after as many blank ones, without a word;
    # so neither reaches it.
    if len(chunk) >= HEAD_BYTES and not chunk.strip(_BLANKS):
        raise DataError(f"{path.name} has more than a megabyte of nothing but blanks in it. Is it damaged?")
    if len(chunk) >= HEAD_BYTES and b"\n" not in chunk and b"\r" not in chunk:
        raise DataError(
            f"{path.name} has a line of more than a megabyte. Is it a table with one row per line?"
        )
