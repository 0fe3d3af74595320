"""What is made of the samples, kept on disk between runs of the program. Nothing but the shipped samples is ever kept.

A file holds plain arrays and words, no code: one that is damaged, or not this program's, is made anew.
"""

import hashlib
import io
import json
import logging
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import privlab
from privlab.aggregates import Traces
from privlab.datasets import DataProfile, DataReport, Offender, RowPosition, sample_digest
from privlab.datasets.cleaning import Rhythm
from privlab.datasets.columns import ColumnMapping
from privlab.datasets.layouts import FileForm
from privlab.datasets.zones import ZoneMap
from privlab.fingerprints import Fingerprints, Level
from privlab.fingerprints.measures import Dispersion, KGaps, LevelGap, LevelStudy, StudyParameters, WhatIf
from privlab.fingerprints.search import SearchRoom, StretchParameters
from privlab.kept.kept_places import cache_folder
from privlab.limits import MAX_CACHE_MB
from privlab.od import UniqueTrips
from privlab.od.planning import PlanPoint
from privlab.od.trips import PreparedTrips

try:
    import fcntl
except ImportError:  # no such locks on this system: what a killed process leaves stays
    fcntl = None  # type: ignore[assignment]

SIZE_VARIABLE = "PRIVLAB_CACHE_MB"

Made = TypeVar("Made")

_UNFINISHED = "unfinished-"
_MAGIC = b"privlab sample 1\n"
_DIGEST = 32
_KINDS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        *(PreparedTrips, UniqueTrips, ZoneMap, FileForm, ColumnMapping),
        *(DataReport, DataProfile, Offender, Rhythm, RowPosition, Traces, Fingerprints),
        *(
            LevelStudy,
            StudyParameters,
            Level,
            StretchParameters,
            SearchRoom,
            KGaps,
            Dispersion,
            WhatIf,
            LevelGap,
        ),
        PlanPoint,
    )
}
_MADE_BY = ("datasets", "dp", "od", "aggregates", "fingerprints", "lab")
_LIBRARIES = (
    "numpy",
    "pandas",
    "pyarrow",
    "ibis-framework",
    "duckdb",
    "pyproj",
    "h3",
    "shapely",
    "scipy",
    "dp-accounting",
)
_log = logging.getLogger(__name__)


class _Unfit(Exception):
    """A file that is damaged or not this program's, or a value that no file of it can hold."""


def kept_sample(name: str, what: str, make: Callable[[], Made]) -> Made:
    """Return what `make` makes of a sample: from disk if it was made before, else made now and kept.

    `what` names it. Where nothing can be kept (no room, no right to write), it is made each time.
    """
    folder, key = cache_folder(), _key(name, what)
    if folder is None or key is None:
        return make()
    path = folder / f"{what}-{name}-{key[:24]}.sample"
    try:
        found: Made = _read(path, key)
        with suppress(OSError):
            os.utime(path)  # used now: what was not for longest goes first
        return found
    except FileNotFoundError:
        pass
    except (OSError, _Unfit) as error:
        _log.warning("%s is made anew: %s", path.name, error)
    made = make()
    try:
        _write(path, key, made)
        shrink_cache(folder, most_bytes=most_cache_bytes())
    except (OSError, _Unfit) as error:
        _log.warning("%s is not kept: %s", path.name, error)
    return made


def most_cache_bytes() -> int:
    """Return how much the cache folder may hold: MAX_CACHE_MB, or what PRIVLAB_CACHE_MB says in whole megabytes."""
    named = os.environ.get(SIZE_VARIABLE, "").strip()
    if named and not (named.isdecimal() and len(named) <= 9):
        _log.warning("%s must be a whole number of megabytes, got %r.", SIZE_VARIABLE, named[:40])
        named = ""
    return (int(named) if named else MAX_CACHE_MB) * 1_000_000


def bytes_of_cache() -> tuple[int, int]:
    """Return how many bytes are kept of the samples, and how many may be."""
    folder = cache_folder()
    kept = [] if folder is None else cache_files(folder)
    return sum(size for _, _, size in kept), most_cache_bytes()


def cache_files(folder: Path) -> list[tuple[Path, float, int]]:
    """Return this program's files in a cache folder, with when each was last used and its bytes, the oldest first."""
    found = []
    for path in (*folder.glob("*.sample"), *folder.glob(f"{_UNFINISHED}*")):
        with suppress(OSError):  # another process may have removed it meanwhile
            about = path.lstat()
            if stat.S_ISREG(about.st_mode):
                found.append((path, about.st_mtime, about.st_size))
    return sorted(found, key=lambda one: (one[1], one[0].name))


def shrink_cache(folder: Path, *, most_bytes: int) -> int:
    """Remove unfinished files of killed processes, then those unused for longest, until the rest fits; return the bytes left."""
    for path, _, _ in cache_files(folder):
        if path.name.startswith(_UNFINISHED) and not _is_being_written(path):
            with suppress(OSError):
                path.unlink()
    files = cache_files(folder)
    left = sum(size for _, _, size in files)
    for path, _, size in files:
        if left > most_bytes and not path.name.startswith(_UNFINISHED):
            with suppress(OSError):
                path.unlink()
                left -= size
    return left


def _is_being_written(path: Path) -> bool:
    """Return whether a living process holds the lock of an unfinished file; the system lets go of a dead one's."""
    if fcntl is None:
        return True
    try:
        with open(os.open(path, os.O_RDWR | os.O_NOFOLLOW), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # held, another's, or gone meanwhile
        return True
    return False


def _key(name: str, what: str) -> str | None:
    """Return the digest of all that the result depends on; None if the sample cannot be read."""
    sample = sample_digest(name)
    if sample is None:
        return None
    return hashlib.blake2b("|".join((what, name, sample, _versions())).encode(), digest_size=32).hexdigest()


@cache
def _versions() -> str:
    """Return the versions of the libraries, and the digest of the code that makes what is kept."""
    code = hashlib.blake2b(digest_size=32)
    code.update(Path(__file__).read_bytes())
    root = Path(privlab.__file__).parent
    for paths in (root.glob("*.py"), *((root / package).rglob("*.py") for package in _MADE_BY)):
        for path in sorted(paths):
            code.update(path.read_bytes())
    return "|".join([sys.version, *(version(one) for one in _LIBRARIES), code.hexdigest()])


def _read(path: Path, key: str) -> Any:
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
        about = os.fstat(file.fileno())
        if os.name == "posix" and (about.st_uid != os.getuid() or stat.S_IMODE(about.st_mode) & 0o077):
            raise _Unfit("the file is another's, or open to others.")
        content = file.read()
    head = len(_MAGIC) + _DIGEST
    if not content.startswith(_MAGIC) or _digest(content[head:]) != content[len(_MAGIC) : head]:
        raise _Unfit("the file is damaged, or not this program's.")
    size = int.from_bytes(content[head : head + 8], "big")
    words = json.loads(content[head + 8 : head + 8 + size])
    if words["key"] != key:
        raise _Unfit("the file is of something else.")
    with np.load(io.BytesIO(content[head + 8 + size :]), allow_pickle=False) as arrays:
        return _value(words["value"], dict(arrays))


def _write(path: Path, key: str, made: Any) -> None:
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    words = json.dumps({"key": key, "value": _plain(made, arrays)}).encode()
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, **arrays)
    content = len(words).to_bytes(8, "big") + words + packed.getvalue()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, written = tempfile.mkstemp(dir=path.parent, prefix=_UNFINISHED)  # for its owner alone: 0600
    try:
        with open(descriptor, "wb") as file:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
            file.write(_MAGIC + _digest(content) + content)
            file.flush()
            if fcntl is not None:  # held until it has its name
                os.replace(written, path)
        if fcntl is None:
            os.replace(written, path)
    except BaseException:
        Path(written).unlink(missing_ok=True)
        raise
    for other in path.parent.glob(f"{path.name.rpartition('-')[0]}-*.sample"):
        if other != path:  # made by other code, or of another sample file
            other.unlink(missing_ok=True)


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()


def _plain(value: Any, arrays: dict[str, np.ndarray[Any, Any]]) -> Any:
    """Return a value as JSON holds it; arrays are put aside, and named."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return {"objects": [_plain(one, arrays) for one in value.tolist()]}
        arrays[f"a{len(arrays)}"] = value
        return {"array": f"a{len(arrays) - 1}"}
    if type(value).__name__ in _KINDS and is_dataclass(value):
        held = {one.name: _plain(getattr(value, one.name), arrays) for one in fields(value)}
        return {"kind": type(value).__name__, "fields": held}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [_plain(one, arrays) for one in value]}
    if isinstance(value, dict):
        return {"pairs": [[_plain(key, arrays), _plain(one, arrays)] for key, one in value.items()]}
    if isinstance(value, date):
        return {"time" if isinstance(value, datetime) else "day": value.isoformat()}
    raise _Unfit(f"{type(value).__name__} cannot be kept.")


def _value(plain: Any, arrays: dict[str, np.ndarray[Any, Any]]) -> Any:
    """Return the value that `_plain` made this of."""
    if not isinstance(plain, dict):
        return plain
    if "kind" in plain:
        held = {name: _value(one, arrays) for name, one in plain["fields"].items()}
        try:
            return _KINDS[plain["kind"]](**held)
        except (KeyError, TypeError) as error:  # kept by a program in which it has other parts
            raise _Unfit("the file is of another version.") from error
    ((what, inner),) = plain.items()
    match what:
        case "array":
            return arrays[inner]
        case "objects":
            found = np.empty(len(inner), dtype=object)
            found[:] = [_value(one, arrays) for one in inner]
            return found
        case "list":
            return [_value(one, arrays) for one in inner]
        case "tuple":
            return tuple(_value(one, arrays) for one in inner)
        case "pairs":
            return {_value(key, arrays): _value(one, arrays) for key, one in inner}
        case "time":
            return datetime.fromisoformat(inner)
        case _:
            return date.fromisoformat(inner)
