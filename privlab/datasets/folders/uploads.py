"""A private place for the files one browser session brings along, gone with the session."""

import os
import shutil
import threading
import weakref
from contextlib import suppress
from pathlib import Path

from privlab.checks import DataError
from privlab.datasets.folders.private_folders import PrivateFolder
from privlab.limits import MAX_SERVER_UPLOAD_MB, MAX_SESSION_UPLOAD_MB

_MB = 1_000_000
_LONGEST = 200  # bytes of a file's name, of the 255 that file systems hold
_OTHER_WAYS = "or have the operator put the data into a folder of the server (PRIVLAB_DATA_DIRS)."
_folders: "weakref.WeakSet[SessionFolder]" = weakref.WeakSet()  # of all sessions of this process
_saving = threading.Lock()


class SessionFolder:
    """A private folder that is removed when the session's state lets go of it."""

    def __init__(self) -> None:
        self._folder = PrivateFolder("session-")
        self.path = self._folder.path
        with _saving:
            _folders.add(self)

    @property
    def kept(self) -> Path:
        """Where rows that were read are kept: no upload, and not counted as one."""
        return self.path / "kept"

    @property
    def n_bytes(self) -> int:
        """Bytes that the uploads of this session take, and its runs."""
        n_bytes = 0
        for here, folders, names in os.walk(self.path):
            if Path(here) == self.path and self.kept.name in folders:
                folders.remove(self.kept.name)
            for name in names:
                with suppress(OSError):  # gone with its session meanwhile
                    n_bytes += os.stat(os.path.join(here, name)).st_size
        return n_bytes

    def saved(self, name: str, content: bytes) -> Path:
        """Write a file under its plain name, whatever folders the name pretends to, and return its path.

        Raises DataError if the session, or the server, would hold more than it may.
        """
        return self._saved(self.path, name, content)

    def _saved(self, folder: Path, name: str, content: bytes) -> Path:
        with _saving:
            require_room_for_upload(
                len(content), self.n_bytes, sum(other.n_bytes for other in _folders if other is not self)
            )
            return _saved(folder, name, content)

    def subfolder(self, name: str) -> "Subfolder":
        """Return an empty folder inside, made anew."""
        path = self.path / name
        shutil.rmtree(path, ignore_errors=True)
        try:
            path.mkdir(parents=True)
        except OSError as error:
            raise DataError(f"The upload could not be kept on the server: {error.strerror}.") from None
        return Subfolder(path, self)


class Subfolder:
    """A folder for the files of one upload; two of one name get different names."""

    def __init__(self, path: Path, session: SessionFolder) -> None:
        self.path = path
        self._session = session

    def saved(self, name: str, content: bytes) -> Path:
        """Write a file under a name that no other one has, and return its path."""
        plain, taken = _plain(name), {file.name.casefold() for file in self.path.iterdir()}
        numbered = (plain, *(_plain(plain, f"{number}-") for number in range(2, len(taken) + 3)))
        return self._session._saved(
            self.path, next(one for one in numbered if one.casefold() not in taken), content
        )


def require_room_for_upload(n_bytes: int, of_session: int, of_others: int) -> None:
    """Raise DataError if so many bytes more are too many for a session, or for all that are there."""
    if of_session + n_bytes > MAX_SESSION_UPLOAD_MB * _MB:
        raise DataError(
            f"The uploads of this session would come to {(of_session + n_bytes) / _MB:,.0f} MB, more than "
            f"{MAX_SESSION_UPLOAD_MB:,} MB. Forget your data first, {_OTHER_WAYS}"
        )
    if of_session + of_others + n_bytes > MAX_SERVER_UPLOAD_MB * _MB:
        raise DataError(
            f"The uploads of all sessions would come to more than {MAX_SERVER_UPLOAD_MB:,} MB, which is all this server "
            f"holds. Try again when others have ended, {_OTHER_WAYS}"
        )


def _plain(name: str, before: str = "") -> str:
    """Return a name for a file without its folders, `before` in front of it, whose end alone is kept if it is very long."""
    plain = (
        Path(name.replace("\0", ""))
        .name.encode(errors="replace")[len(before) - _LONGEST :]
        .decode(errors="ignore")
    )
    return before + ("upload" if plain in ("", "..") else plain)


def _saved(folder: Path, name: str, content: bytes) -> Path:
    path = folder / _plain(name)
    try:
        path.write_bytes(content)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise DataError(f"{path.name!r} could not be kept on the server: {error.strerror}.") from None
    return path
