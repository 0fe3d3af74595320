"""A SQLite file where nothing can be written: a disk that may only be read, a folder or file without the right to write.

SQLite needs further files beside a database that is written ahead, and cannot make them there. A file that holds all of its rows is
read as one that nobody changes. Where rows are still in a file beside it, or it is of another version, a copy in a private
folder is read.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from privlab.checks import DataError

_SIDES_WITH_ROWS = ("-wal", "-journal")
_VERSION_AT = 60  # in a file's first bytes, four of them, the highest first
_REFUSALS = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


def database_can_be_written(path: Path) -> bool:
    """Return whether a file that is there can be changed, and files made beside it."""
    real = Path(os.path.realpath(path))
    effective = os.access in os.supports_effective_ids
    return all(os.access(one, os.W_OK, effective_ids=effective) for one in (real, real.parent))


def is_refused(error: sqlite3.Error) -> bool:
    """Return whether SQLite could not open, make or write a file."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _REFUSALS


@contextmanager
def connected_to_read(path: Path, version: int | None = None) -> Iterator[sqlite3.Connection]:
    """Yield a connection to a file, or to a copy, where nothing can be written; one of another `version` is always a copy.

    Raises DataError if it cannot be copied.
    """
    real = Path(os.path.realpath(path))
    try:
        sides = [end for end in _SIDES_WITH_ROWS if _has_content(real.with_name(real.name + end))]
        is_whole = not sides and version in (None, _version(real))
    except OSError as error:
        raise DataError(f"{path} could not be read: {error.strerror or error}.") from None
    if is_whole:
        uri = f"{real.as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
            yield connection
        return
    from privlab.datasets.folders import PrivateFolder

    with PrivateFolder("database-") as folder:
        try:
            for end in ("", *sides):
                shutil.copyfile(f"{real}{end}", folder / f"copy.sqlite{end}")
        except OSError as error:
            raise DataError(f"{path} could not be copied to be read: {error.strerror or error}.") from None
        with closing(sqlite3.connect(folder / "copy.sqlite", isolation_level=None)) as connection:
            yield connection


def copy_database(source: Path, target: Path) -> None:
    """Copy a SQLite file as it is at one moment, whoever writes into it meanwhile. Raises DataError where that fails."""
    target.touch(mode=0o600)
    try:
        try:
            uri = f"{source.resolve().as_uri()}?mode=ro"
            with closing(sqlite3.connect(uri, uri=True)) as connection:
                _copy(connection, target)
        except sqlite3.Error as error:
            if not is_refused(error) or database_can_be_written(source):
                raise
            with connected_to_read(source) as connection:
                _copy(connection, target)
    except sqlite3.Error as error:
        raise DataError(f"{source} could not be copied: {error}.") from None


def _copy(connection: sqlite3.Connection, target: Path) -> None:
    with closing(sqlite3.connect(target)) as other:
        connection.backup(other)


def _has_content(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _version(path: Path) -> int:
    with path.open("rb") as file:
        file.seek(_VERSION_AT)
        return int.from_bytes(file.read(4), "big")
