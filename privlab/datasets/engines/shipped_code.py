"""The program as it travels to the workers of a cluster: its source, and the machine code that was compiled of it here.

A worker imports the source from the archive. Machine code can be kept only beside a file, so what is compiled is unpacked
beside the archive, which lies in the application's own folder: nothing is compiled again that was compiled here for such a
processor, and nothing stays on a worker when the application has ended.
"""

import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parents[2]
_ENDING = ".zip"
_COMPILED = ".compiled"


def write_program(path: Path) -> None:
    """Write the archive of this package's source."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(_PACKAGE.rglob("*.py")):
            archive.write(file, file.relative_to(_PACKAGE.parent))


def write_compiled(program: Path) -> Path:
    """Write the machine code that is kept beside the source into an archive beside that of the program; return where."""
    path = program.with_suffix(_COMPILED)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for ending in ("nbi", "nbc"):  # an index and the code of each function, as numba keeps them
            for file in sorted(_PACKAGE.rglob(f"__pycache__/*.{ending}")):
                with suppress(FileNotFoundError):  # replaced this moment: another process compiles
                    archive.write(file, file.relative_to(_PACKAGE.parent))
    return path


def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Return a function compiled, without the interpreter's lock; `options` are numba's.

    Its machine code is kept beside the source or, where that cannot be written, in the user's cache folder (or
    NUMBA_CACHE_DIR); where nothing can be written, as by a service without a home, it is compiled anew by every process.
    Workers of a cluster are sent what is kept beside the source.
    """
    import numba

    function = unpacked(function)
    try:
        kept: Callable[..., Any] = numba.njit(nogil=True, cache=True, **options)(function)
    except RuntimeError:  # no place for it
        return numba.njit(nogil=True, **options)(function)  # type: ignore[no-any-return]
    return kept


def unpacked(function: Function) -> Function:
    """Return a function that is about to be compiled; one from an archive names the unpacked copy as its file.

    Compiled code is kept beside that file. Where nothing can be written beside the archive, the function stays as it is.
    """
    before, mark, inside = function.__code__.co_filename.partition(f"{_ENDING}{os.sep}")
    if mark:
        archive, file = Path(before + _ENDING), PurePosixPath(*Path(inside).parts)
        with suppress(OSError):
            folder = _unpacked_folder(archive, file.parent)
            function.__code__ = function.__code__.replace(co_filename=str(folder / file.name))
    return function


def _unpacked_folder(archive: Path, inside: PurePosixPath) -> Path:
    """Return where a folder of an archive lies unpacked with its machine code; by whichever process comes first."""
    folder = archive.with_suffix(".unpacked") / inside
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        own = Path(tempfile.mkdtemp(prefix="unpacking-", dir=folder.parent))
        try:
            (own / "__pycache__").mkdir()
            for one in (archive, archive.with_suffix(_COMPILED)):
                if one.exists():
                    _unpack(one, inside, own)
            own.rename(folder)
        except OSError:
            shutil.rmtree(own, ignore_errors=True)
            if not folder.exists():  # else another process was first
                raise
    return folder


def _unpack(archive: Path, inside: PurePosixPath, folder: Path) -> None:
    """Unpack the files of one folder of an archive, and those of its __pycache__."""
    with zipfile.ZipFile(archive) as file:
        for name in file.namelist():
            if PurePosixPath(name).parent in (inside, inside / "__pycache__"):
                (folder / PurePosixPath(name).relative_to(inside)).write_bytes(file.read(name))
