"""A SQLite file that lasts, the ledger or the runs: opened, checked to be ours, brought up to date.

Written ahead (WAL), synchronised at every commit, readable by its owner only. Knows nothing of what is in it.
"""

import errno
import glob
import os
import secrets
import sqlite3
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from privlab.checks import DataError
from privlab.kept.databases_to_read import connected_to_read, database_can_be_written, is_refused

_WAIT_S = 60.0  # how long one process waits for another's entry
_LEFT_S = 3_600.0  # from which age on a file that was being made is what a killed process left
_LONGEST = 504  # bytes of a path that SQLite opens: 512 with the files beside it
_SIDES = ("", "-wal", "-shm", "-journal")

Step = Callable[[sqlite3.Connection], None]


def data_folder() -> Path:
    """Return the folder that this program keeps what lasts in, under the user's data folder."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "privlab"


def path_from_setting(text: str) -> Path:
    """Return the file or folder that a setting names: ~ is the home folder, which a shell leaves as it is in quotes and behind =."""
    return Path(os.path.expanduser(text))


def nearest_folder(path: Path) -> Path:
    """Return the first folder above a path that is there; OSError where nobody may look."""
    return next(one for one in path.absolute().parents if one.exists())


def folder_can_be_written(folder: Path) -> bool:
    """Return whether something can be put into a folder that is there."""
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseKind:
    """A kind of database file: its name in sentences, the mark in the file, and the steps to today's version.

    `steps[n]` leads from version n to n + 1; a new file takes all of them. Files from before there was a mark have
    version 0 and no tables but those in `unmarked`.
    """

    name: str
    application_id: int
    unmarked: frozenset[str]
    steps: tuple[Step, ...]


def database_is_there(path: Path, kind: DatabaseKind) -> bool:
    """Return whether the file is there. Raises DataError where it is not and could not be made."""
    try:
        if path.exists():
            return True
        folder = nearest_folder(path)
    except OSError as error:
        raise DataError(f"Could not open the {kind.name} {path}: {error.strerror or error}.") from None
    if not folder_can_be_written(folder):
        raise DataError(f"Could not open the {kind.name} {path}: {folder} is no folder that can be written.")
    return False


@contextmanager
def opened_database(
    path: Path,
    kind: DatabaseKind,
    told: Callable[[str], None] = lambda words: None,
    *,
    to_read: bool = False,
) -> Iterator[sqlite3.Connection]:
    """Yield a connection to the file, made where it is missing, which `told` is told.

    With `to_read` nothing is written into it, and it may lie where nothing can be. Raises DataError if it is empty, of something else
    or of a later version, or cannot be read or written.
    """
    try:
        if not database_is_there(path, kind):
            _require_short(path, _new(path))  # else a file would be made that cannot be opened
            if _created(path, kind):
                told(f"A new {kind.name} was begun: {path}.")
        _require_content(path, kind)
        if _is_marked(path, kind):
            _tighten(path)
    except (OSError, sqlite3.Error) as error:
        raise DataError(f"Could not open the {kind.name} {path}: {error}.") from None
    try:
        with _prepared(path, kind, to_read) as connection:
            yield connection
    except sqlite3.Error as error:
        if is_refused(error):
            _require_short(path)
            _require_right_to_write(path)
        raise DataError(f"The {kind.name} {path} could not be read or written: {error}.") from None


@contextmanager
def _prepared(path: Path, kind: DatabaseKind, to_read: bool) -> Iterator[sqlite3.Connection]:
    with ExitStack() as stack:
        connection = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
        stack.enter_context(closing(connection))
        try:
            _require_ours(connection, path, kind)
            _tighten(path)
            _prepare(connection)
            _bring_up_to_date(connection, kind)
        except sqlite3.Error as error:
            if not to_read or not is_refused(error) or database_can_be_written(path):
                raise
            connection.close()
            connection = stack.enter_context(connected_to_read(path, len(kind.steps)))
            _require_ours(connection, path, kind)
            _bring_up_to_date(connection, kind)
        yield connection


def _require_short(*paths: Path) -> None:
    length = max(len(os.fsencode(os.path.realpath(path))) for path in paths)
    if os.name == "posix" and length > _LONGEST:
        raise DataError(
            f"{paths[0]} is too long a name, with its folders: {length} bytes, and a database may have {_LONGEST}. Name another place."
        )


def _require_right_to_write(path: Path) -> None:
    if os.access(path, os.R_OK) and not database_can_be_written(path):
        raise DataError(
            f"{path} cannot be written: its disk, its folder or the file itself may only be read."
        )


def private_folder_made(folder: Path) -> None:
    """Make a folder and those above it that are missing, for this user only."""
    for one in reversed([folder, *folder.parents]):
        with suppress(FileExistsError):
            if not one.exists():
                one.mkdir(mode=0o700)


def put_in_place(path: Path, content: bytes, mode: int = 0o600, *, over: bool = False) -> bool:
    """Write a file under another name and give it its own when it is whole.

    Where a file of that name is there it stays, and False is returned; with `over` it is replaced.
    """
    new = _new(path)
    try:
        _write_new(new, content, mode)
        _clear_left_overs(path, new)
        if not over:
            return _named(new, path)
        os.replace(new, path)
        synchronise(path.parent)
        return True
    finally:
        new.unlink(missing_ok=True)


def synchronise(path: Path) -> None:
    """Have the system write a file, or a folder's names, to the disk."""
    if path.is_dir() and os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def tighten_file(path: Path) -> None:
    """Take from all but the owner what they may do with a file; another's file is left as it is."""
    with suppress(FileNotFoundError, PermissionError):
        if os.name != "nt" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            _make_private(path)


def _make_private(path: Path) -> None:
    try:
        path.chmod(0o600)
    except OSError as error:
        if error.errno != errno.EROFS:  # what may only be read stays as it is
            raise


def _created(path: Path, kind: DatabaseKind) -> bool:
    """Make the file under another name, and give it its own when it is whole; False if another process did."""
    private_folder_made(path.parent)
    new = _new(path)
    try:
        _write_new(new, b"", 0o600)
        _clear_left_overs(path, new)
        with closing(sqlite3.connect(new, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = FULL")
            _bring_up_to_date(connection, kind)
        return _named(new, path)
    finally:
        new.unlink(missing_ok=True)


def _new(path: Path) -> Path:
    return path.with_name(f".{path.name[:80]}.{secrets.token_hex(6)}.new")


def _clear_left_overs(path: Path, new: Path) -> None:
    """Remove unfinished files of killed processes: those more than an hour older than `new`, which has just been begun."""
    begun = new.stat().st_mtime
    for left in path.parent.glob(f".{glob.escape(path.name[:80])}.*.new*"):
        with suppress(OSError):
            if begun - left.stat().st_mtime > _LEFT_S:
                left.unlink()


def _write_new(path: Path, content: bytes, mode: int) -> None:
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
    with open(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _named(new: Path, path: Path) -> bool:
    try:
        os.link(new, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        if path.exists():
            return False
        os.replace(new, path)
    synchronise(path.parent)
    return True


def _require_content(path: Path, kind: DatabaseKind) -> None:
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise DataError(f"The {kind.name} {path} is no file. Name another place for it.")
    if found.st_size == 0:
        raise DataError(
            f"The {kind.name} {path} is empty: something has removed what it held. Put a copy back, or remove the "
            "file to begin a new one that knows nothing of the past."
        )


def _is_marked(path: Path, kind: DatabaseKind) -> bool:
    """Return whether the file bears the mark of its kind where SQLite keeps it: of any other nothing is changed, its rights neither."""
    with path.open("rb") as file:
        return file.read(72)[68:] == kind.application_id.to_bytes(4, "big")


def _tighten(path: Path) -> None:
    for end in _SIDES:
        tighten_file(path.with_name(path.name + end))


def _require_ours(connection: sqlite3.Connection, path: Path, kind: DatabaseKind) -> None:
    mark, version = _pragma(connection, "application_id"), _pragma(connection, "user_version")
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    own = tables - {"sqlite_sequence"}
    if mark == kind.application_id and version > len(kind.steps):
        raise DataError(
            f"The {kind.name} {path} was written by a later version of privlab. Use that version, or name another file."
        )
    before = (mark, version) == (0, 0) and bool(own) and own <= kind.unmarked
    if mark != kind.application_id and not before:
        raise DataError(f"{path} is not a {kind.name} of privlab. Name another file.")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _prepare(connection: sqlite3.Connection) -> None:
    """Write ahead, synchronise at every commit, and overwrite what is deleted."""
    end = time.monotonic() + _WAIT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:  # the one step at which SQLite does not wait itself
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.02)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")


def _bring_up_to_date(connection: sqlite3.Connection, kind: DatabaseKind) -> None:
    """Take the steps that are missing, all or none; of several processes one does."""
    if _pragma(connection, "user_version") == len(kind.steps):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in kind.steps[_pragma(connection, "user_version") :]:
            step(connection)
        connection.execute(f"PRAGMA user_version = {len(kind.steps)}")
        connection.execute(f"PRAGMA application_id = {kind.application_id}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
