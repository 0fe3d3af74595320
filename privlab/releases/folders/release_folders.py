"""The folder that a release is made in: claimed before anything is paid, cleared whatever happens.

What is being made lies in a hidden folder beside its place, which its process keeps locked; the system
lets go of the lock when the process dies, however it dies. The ledger knows the places, so that a later
start finds what a killed process left. The certificate is written last, in its place: what is left over
never holds a finished one.
"""

import errno
import hashlib
import json
import os
import shutil
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from privlab.checks import DataError
from privlab.kept import synchronise
from privlab.releases.ledger.ledger import Ledger, LedgerEntry
from privlab.safe_text import visible

try:
    import fcntl
except ImportError:  # no such locks on this system: what a killed process leaves stays
    fcntl = None  # type: ignore[assignment]

CSV, PARQUET, CERTIFICATE = "release.csv", "release.parquet", "certificate.json"
ESTIMATES = "estimates.csv"  # what follows from the counts: a copy of the release is whole without it
LEVELS = "levels.csv"  # sums of districts: what follows from the certificate, likewise
README, ZONES = "README.txt", "zones.csv"  # for whoever receives it, likewise
NEEDED = (CSV, PARQUET, CERTIFICATE)
ALL_FILES = (
    README,
    CSV,
    PARQUET,
    ESTIMATES,
    LEVELS,
    ZONES,
    CERTIFICATE,
)  # the certificate last: without one it is no release
ENDED = "The process ended before the hand-over; what was left of it was removed."


class ReleaseFolder:
    """A place for one release, held by this process; made by `with`, which raises for all that can be foreseen.

    `entry` is to be set once the cost is written down. If the block fails before the certificate is
    finished, all files go and the entry says why; after that, the release stays.
    """

    def __init__(self, folder: Path, ledger: Ledger) -> None:
        self.target = resolved_folder(folder)
        self.hidden = _hidden(self.target)
        self.entry: LedgerEntry | None = None
        self._ledger = ledger
        self._given = folder
        self._was_there = self._claimed = self._shown = self._finished = False
        self._lock: int | None = None
        self._made: list[Path] = []

    def __enter__(self) -> "ReleaseFolder":
        """Claim the place, and try whether the folder can be put there."""
        ready = False
        try:
            _require_free(self.target, self._given)
            self._was_there = self.target.exists()
            self._make_parents()
            self._ledger.begin_work(self.target)
            self._lock = _claimed(self.hidden, self._given)
            self._claimed = True
            self._ledger.begin_work(self.target)  # a start of another process may have found nothing to keep
            _require_free(self.target, self._given)
            self._try_rename()
            ready = True
        except OSError as error:
            raise DataError(f"Could not write to {self._given}: {error.strerror or error}.") from None
        finally:
            if not ready:
                self._clear()
        return self

    def show_counts(self) -> None:
        """Give the folder its place."""
        if self._was_there and os.name == "nt":
            self.target.rmdir()
        os.replace(self.hidden, self.target)
        self._shown = True
        synchronise(self.target.parent)

    def write_certificate(self, content: bytes) -> None:
        """Write the certificate, which makes the folder a release."""
        descriptor = os.open(self.target / CERTIFICATE, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        with open(descriptor, "wb", buffering=0) as file:
            if file.write(content) != len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(file.fileno())
        synchronise(self.target)
        self._finished = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the place; after a failure clear it, and note in the ledger what happened."""
        if error is None or self._finished:
            self._let_go()
            return
        self._clear(note=f"{kind.__name__ if kind else ''}: {error}".rstrip(": "))
        import pyarrow as pa

        if isinstance(error, OSError | pa.ArrowException):
            said = (error.strerror if isinstance(error, OSError) else None) or error
            cost = f" Its cost stays in the ledger, entry {self.entry.number}." if self.entry else ""
            raise DataError(f"Could not write to {self._given}: {said}.{cost}") from None

    def _make_parents(self) -> None:
        missing = [one for one in self.target.parents if not one.exists()]
        for one in reversed(missing):
            with suppress(FileExistsError):
                one.mkdir()
                self._made.append(one)

    def _try_rename(self) -> None:
        """Put an empty folder in the place, and see whether the names of the files fit there."""
        probe = _probe(self.target)
        probe.mkdir()
        try:
            if self._was_there:
                self.target.rmdir()
            os.replace(probe, self.target)
        finally:
            with suppress(OSError):
                probe.rmdir()
            if self._was_there and not self.target.exists():
                self.target.mkdir()
        try:
            for name in ALL_FILES:
                with suppress(FileNotFoundError):
                    (self.target / name).lstat()
        finally:
            if not self._was_there:
                self.target.rmdir()

    def _clear(self, note: str = "") -> None:
        """Remove all that was made; a second failure meanwhile does not hide the first."""
        if self._claimed:
            shutil.rmtree(self.hidden, ignore_errors=True)
        if self._shown:
            shutil.rmtree(self.target, ignore_errors=True)
            if self._was_there:
                with suppress(OSError):
                    self.target.mkdir()
        for one in reversed(self._made):
            with suppress(OSError):
                one.rmdir()
        if self.entry is not None:
            with suppress(DataError):
                self._ledger.record_failure(self.entry.number, note)
        self._let_go()

    def _let_go(self) -> None:
        with suppress(DataError):
            if self._claimed:
                self._ledger.end_work(self.target)
        if self._lock is not None:
            _unlock(self._lock)
            self._lock = None


def files_of_release(folder: Path) -> tuple[str, ...]:
    """Return the names of a release's files, the certificate last: those it needs, and which of the others there are.

    Earlier versions wrote fewer, and few releases have sums of districts.
    """
    return tuple(name for name in ALL_FILES if name in NEEDED or (folder / name).is_file())


def others_in_folder(folder: Path) -> tuple[str, ...]:
    """Return the names of what lies in a release's folder and is no file of any release, in order; folders with a / behind.

    Raises OSError where the folder cannot be read.
    """
    names = (
        visible(f"{one.name}/" if one.is_dir() else one.name)
        for one in folder.iterdir()
        if one.name not in ALL_FILES or not one.is_file()
    )
    return tuple(sorted(names))


def resolved_folder(folder: Path) -> Path:
    """Return where a folder lies, links followed. Raises DataError if its name can be no folder's."""
    try:
        str(folder).encode("utf-8")
    except UnicodeEncodeError:
        raise DataError(f"{folder} is no name for a folder: it must be UTF-8 text.") from None
    try:
        return folder.resolve()
    except (OSError, RuntimeError) as error:  # a loop of links
        raise DataError(f"Could not write to {folder}: {error}.") from None


def clear_left_overs(ledger: Ledger) -> list[Path]:
    """Remove what killed processes left of releases they were making; return the places.

    Those of living processes are left alone, and so are finished releases. The entries say what happened.
    """
    if fcntl is None:
        return []
    cleared = []
    for target, entry in ledger.work():
        locks = [_taken(folder) for folder in (_hidden(target), target)]
        try:
            if any(lock == _HELD for lock in locks):
                continue
            if _clear_one(target, paid=entry is not None):
                cleared.append(target)
            if entry is not None and entry.state == "unconfirmed" and not _is_finished(target):
                ledger.record_failure(entry.number, ENDED)
            ledger.end_work(target)
        finally:
            for lock in locks:
                if lock is not None and lock != _HELD:
                    _unlock(lock)
    return cleared


_HELD = -1


def _hidden(target: Path) -> Path:
    return target.parent / f".{hashlib.blake2b(target.name.encode(), digest_size=8).hexdigest()}.partial"


def _probe(target: Path) -> Path:
    return _hidden(target).with_suffix(".probe")


def _require_free(target: Path, given: Path) -> None:
    if target == Path.cwd() or not target.name:
        raise DataError(f"{given} is where the command was started. Choose another folder.")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise DataError(f"{given} is not an empty folder. Choose another: a release is never overwritten.")


def _claimed(hidden: Path, given: Path) -> int | None:
    """Make the hidden folder and return its lock; what a dead process left there goes first."""
    for _ in range(100):
        try:
            hidden.mkdir()
        except FileExistsError:
            lock = _taken(hidden)
            if lock is not None and lock != _HELD:
                shutil.rmtree(hidden)
                _unlock(lock)
                continue
        else:
            lock = _taken(hidden)
            if fcntl is None or (lock is not None and lock != _HELD):
                return lock
        if lock == _HELD or fcntl is None:
            break
    raise DataError(f"Another release is being made into {given}. Choose another folder.")


def _taken(folder: Path) -> int | None:
    """Return a lock on a folder, _HELD if another process has it, None if there is no such folder."""
    if fcntl is None:
        return None
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(lock), folder.lstat()):
            return lock
    except BlockingIOError:
        os.close(lock)
        return _HELD
    except FileNotFoundError:
        pass
    os.close(lock)  # another has removed or replaced it meanwhile
    return None


def _unlock(lock: int) -> None:
    os.close(lock)


def _is_finished(target: Path) -> bool:
    """Whether a whole certificate stands in a folder."""
    try:
        return isinstance(json.loads((target / CERTIFICATE).read_bytes()), dict)
    except (OSError, ValueError, RecursionError):
        return False


def _clear_one(target: Path, *, paid: bool) -> bool:
    """Remove the hidden folder, and the place itself if counts without a certificate stand there."""
    hidden, found = _hidden(target), False
    with suppress(OSError):
        _probe(target).rmdir()
    if hidden.is_dir():
        shutil.rmtree(hidden, ignore_errors=True)
        found = True
    if paid and target.is_dir() and not target.is_symlink() and not _is_finished(target):
        names = {path.name for path in target.iterdir()}
        if names <= set(ALL_FILES):
            shutil.rmtree(target, ignore_errors=True)
            found = True
    return found
