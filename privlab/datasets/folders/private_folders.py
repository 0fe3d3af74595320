"""Private temporary folders that are gone with their owner, or at the next start if the owner was killed.

Each holds a file that its process keeps locked; the system lets go of the lock when the process dies,
however it dies. What is not locked any more is nobody's.
"""

import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from privlab.checks import DataError

try:
    import fcntl
except ImportError:  # no such locks on this system: what a killed process leaves stays
    fcntl = None  # type: ignore[assignment]

_PREFIX = "privlab-"
_LOCK = ".owner"
_OWN: "weakref.WeakSet[PrivateFolder]" = weakref.WeakSet()


class PrivateFolder:
    """A folder for this process's user only; removed by `remove`, when it is collected, or at exit."""

    def __init__(self, kind: str = "", folder_in: Path | None = None) -> None:
        try:
            self.path = Path(tempfile.mkdtemp(prefix=_PREFIX + kind, dir=folder_in))
            lock = _locked(self.path)
        except OSError as error:
            raise DataError(f"No temporary folder could be made: {error.strerror or error}.") from None
        self._finalizer = weakref.finalize(self, _removed, self.path, lock)
        _OWN.add(self)

    def remove(self) -> None:
        """Remove the folder with all that is in it, now."""
        self._finalizer()

    def __enter__(self) -> Path:
        """Return the folder's path."""
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the folder."""
        self.remove()


def remove_own_folders() -> None:
    """Remove all private folders of this process, which is about to be ended by a signal, without Python's own end."""
    for folder in list(_OWN):
        folder.remove()


def remove_left_behind(folder_in: Path | None = None) -> list[Path]:
    """Remove the private folders whose processes were killed; return where they were.

    Those of living processes, of other users, and without an owner's file are left alone.
    """
    found = []
    for path in Path(folder_in or tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        lock = _lock_of_the_dead(path)
        if lock is not None:
            _removed(path, lock)
            found.append(path)
    return found


def private_folders_there(folder_in: Path | None = None) -> tuple[int, int, int]:
    """Return how many private folders are those of living processes, how many nobody holds any more, and the bytes in all of them.

    Those of other users are not counted.
    """
    living = dead = held = 0
    for path in Path(folder_in or tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            (path / _LOCK).lstat()
        except OSError:  # none, or another user's
            continue
        if path.is_symlink():
            continue
        lock = _lock_of_the_dead(path)
        if lock is None:
            living += 1
        else:
            os.close(lock)
            dead += 1
        for file in path.rglob("*"):
            with suppress(OSError):  # gone meanwhile
                held += file.lstat().st_size
    return living, dead, held


def system_figures_mb(file: str, names: tuple[str, ...]) -> dict[str, int]:
    """Return figures in MB that Linux gives in kB in one of its own files; a figure that it does not give is missing.

    >>> system_figures_mb("/no/such/file", ("MemTotal",))
    {}
    """
    try:
        lines = Path(file).read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return {}
    said = dict(line.split(":", 1) for line in lines if ":" in line)
    return {name: round(int(said[name].split()[0]) * 1024 / 1e6) for name in names if name in said}


def no_room(error: BaseException, folder: Path) -> DataError:
    """Return the complaint about work that ran out of room; the folder's name is left out."""
    words = str(error).splitlines()[0].replace(str(folder), "the temporary folder").rstrip(".")
    return DataError(f"There was not enough room to work, on disk or in memory: {words}.")


def _locked(folder: Path) -> int | None:
    """Return the descriptor of the folder's owner's file, locked before it has its name."""
    if fcntl is None:
        return None
    unnamed = folder / f"{_LOCK}-new"
    lock = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    unnamed.rename(folder / _LOCK)
    return lock


def _lock_of_the_dead(folder: Path) -> int | None:
    """Return the descriptor of an owner's file that nobody holds any more, taken over, or None."""
    if fcntl is None or folder.is_symlink():
        return None
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:  # none, or another user's
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # its process lives
        os.close(lock)
        return None
    return lock


def _removed(folder: Path, lock: int | None) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        os.close(lock)
