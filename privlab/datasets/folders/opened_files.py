"""Files of a folder that must not be left: checked and opened in one act, and read from what was opened.

On the way from the folder to the file no link is followed, and every step begins at the folder that the step
before has opened; so nothing that is exchanged meanwhile leads elsewhere. What was opened is read by its
descriptor, under the file's own name. On systems without /proc the check is made in the same way, but reading
goes by the name once more.
"""

import errno
import os
import stat
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from privlab.checks import DataError
from privlab.datasets.files.containers import place_in

_DESCRIPTORS = Path("/proc/self/fd")
_BY_STEPS = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_SPARE = 200  # descriptors that all else of the process may need
_SPELLINGS = {
    errno.ENAMETOOLONG: "has a name too long for a file",
    errno.EACCES: "may not be read by this server",
}


def real_path(folder: Path, below: str) -> Path:
    """Return the path of an entry of a folder with its links followed, as they are now.

    Raises DataError if it leads out of the folder, is hidden there, or leads nowhere. This is no more than
    a first look: `require_openable` and `files_opened` hold whatever changes afterwards.
    """
    if "\0" in below:
        raise DataError("This name holds a NUL and is no path.")
    root = Path(os.path.realpath(folder))
    try:
        path = Path(os.path.realpath(root / below))
    except OSError:  # a link that was exchanged while it was read
        raise DataError(f"{below!r} changed while it was looked at. Try again.") from None
    ways = (Path(os.path.normpath(root / below)), path)  # as it is written, and as links lead
    if not all(one.is_relative_to(root) for one in ways):
        raise DataError(f"{below!r} leads out of the folders that may be read here.")
    for one in ways:
        if any(part.startswith(".") for part in one.relative_to(root).parts):
            raise DataError(f"{below!r} is hidden: what begins with a dot is not read here.")
    if os.path.islink(path):  # links that go round in a circle
        raise DataError(f"{below!r} is a link that leads nowhere.")
    return path


def require_openable(path: Path, root: Path) -> None:
    """Raise DataError unless a path without links, to a file or folder below a root, can be opened."""
    os.close(_opened(path, root))


def files_opened(files: Sequence[Path], root: Path, folder: Path, held: ExitStack) -> list[Path]:
    """Open files of a folder and return paths by which exactly these are read.

    Parameters
    ----------
    files
        Files below `root`.
    root
        The folder that must not be left, without links.
    folder
        An empty folder of one's own, for links of the files' names.
    held
        Closes the files in the end.

    Raises
    ------
    DataError
        If one of them lies outside, is hidden or no ordinary file, or if there are too many to open at once.
    """
    require_room_for_files(len(files))
    found = []
    for file in files:
        path = real_path(root, os.path.relpath(file, root))
        descriptor = _opened(path, root)
        held.callback(os.close, descriptor)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise DataError(f"{file.name} is no ordinary file.")
        if not _DESCRIPTORS.is_dir():
            found.append(path)
            continue
        link = mirrored(file, folder)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(_DESCRIPTORS / str(descriptor))
        found.append(link)
    return found


def mirrored(path: Path, folder: Path) -> Path:
    """Return where a path lies in a folder of one's own; its names stay, for they may say who it is about."""
    return place_in(folder, path) if _DESCRIPTORS.is_dir() else path


def require_room_for_files(n_files: int) -> None:
    """Raise DataError if so many files cannot be open at once, even with the limit raised as far as it goes."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = len(os.listdir(_DESCRIPTORS)) if _DESCRIPTORS.is_dir() else 0
    wanted += n_files + _SPARE
    if soft != resource.RLIM_INFINITY and soft < wanted:
        if hard != resource.RLIM_INFINITY and hard < wanted:
            raise DataError(
                f"{n_files:,} files are more than this server can keep open at once ({hard:,}). Join some of them."
            )
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _opened(path: Path, root: Path) -> int:
    """Return the descriptor of a file or folder, reached from the root step by step without a link."""
    if not _BY_STEPS or sys.platform == "win32":
        try:
            return os.open(path, os.O_RDONLY)
        except OSError as error:
            raise _refusal(path, root, error) from None
    parts = path.relative_to(root).parts
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for number, part in enumerate(parts, start=1):
            kind = os.O_DIRECTORY if number < len(parts) else os.O_NONBLOCK  # a pipe must not be waited for
            there = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | kind, dir_fd=here)
            os.close(here)
            here = there
    except OSError as error:
        os.close(here)
        raise _refusal(path, root, error) from None
    return here


def _refusal(path: Path, root: Path, error: OSError) -> DataError:
    below = path.relative_to(root).as_posix()
    if error.errno == errno.ENOENT:
        return DataError(f"There is no {below!r} in {root.name}.")
    if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):  # a link stands there now
        return DataError(f"{below!r} leads out of the folders that may be read here.")
    words = _SPELLINGS.get(error.errno or 0)
    return DataError(f"{below[:100]!r} " + (words or f"cannot be opened: {error.strerror}") + ".")
