"""A file, a folder, a pattern or an archive -> the data files in it.

Knows names, folders and zip archives, and refuses what leads out of the folder it was given or would
fill the disk; knows nothing of what is in a data file.
"""

import errno
import glob
import lzma
import os
import shutil
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from privlab.checks import DataError
from privlab.datasets.files.file_kinds import complaints, require_ratio
from privlab.limits import MAX_ARCHIVE_MEMBERS, MAX_FILES
from privlab.progress import UNHEARD, Progress

TEXT_SUFFIXES = (".csv", ".tsv", ".psv")
TABLE_SUFFIXES = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".xlsx")
OPENED_SUFFIXES = (*TEXT_SUFFIXES, ".txt", ".plt", ".gz", ".zip", *TABLE_SUFFIXES)
DATA_SUFFIXES = tuple(one for one in OPENED_SUFFIXES if one != ".zip")
# Of a folder, the first of these that there are any files of; a .txt is often no more than a note.
_CLASSES: tuple[tuple[str, ...], ...] = (
    (".plt",),
    (*(suffix + end for suffix in TEXT_SUFFIXES for end in ("", ".gz")), *TABLE_SUFFIXES),
    (".txt", ".txt.gz"),
)
_OWN_ENDINGS = {"geolife": (".plt",)}  # of published layouts, whatever else lies in their folders
_TIMETABLE = {"stops.txt", "trips.txt", "stop_times.txt"}
_TIMELINES = {"records.json", "timeline.json", "location-history.json"}
ONE_PERSONS_TIMELINE = (
    "If {name} is one person's Google Timeline, open it under Your own week on the page Attack, or by: "
    "python -m privlab triangle {name}"
)
_BLOCK = 1 << 20
_LONGEST_END = (
    22 + 65_535 + 20
)  # of a zip archive: a record, a comment, and the locator of a large one's record
_MEMBER_BYTES = 1_000  # of an archive's list of its files, for each: a name and what else is said of it
_ARCHIVES = (
    ".zip",
    ".7z",
    ".rar",
    ".tar",
    ".tgz",
    ".tbz2",
    ".txz",
    ".tar.gz",
    ".tar.bz2",
    ".tar.xz",
    ".tar.zst",
)
_PACK_ANEW = "Unpack all under names of their own into one folder, and open that, or pack it anew."
_SAID = 60  # characters of a name in an archive that are said
ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06")  # the second of an archive of nothing


def files_from_path(
    path: Path | str, *, within: Path | None = None, settled_format: str | None = None
) -> list[Path]:
    """Return the file itself, or the data files of a folder or a pattern in the order of their names.

    Folders are searched to the bottom; names that begin with a dot or an underscore are left out. Of kinds of data files
    the likeliest is taken, unless the read is settled.

    Parameters
    ----------
    path
        A file, a folder, or a pattern such as `taps/2026-*.csv`.
    within
        Nothing outside this folder may be reached, by whatever links; None allows everything.
    settled_format
        The format of the form that a settled read has: then what one file is called leaves no other out. None guesses.

    Raises
    ------
    DataError
        If there is no data file, one lies outside `within`, or in a settled read a folder holds several kinds of them.
    """
    path = Path(path)
    with complaints(path):
        if path.is_dir():
            files = _chosen(_below(path), path, settled_format)
        elif glob.has_magic(str(path)) and not path.exists():
            files = _fitting(path)
        elif path.exists() and not path.is_file():
            raise DataError(
                f"{path.name} is no ordinary file. Open a file, a folder or an archive."
            )  # a pipe or a device, which may never end
        else:
            files = [path]
        if within is not None:
            for file in (path, *files):
                require_within(file, within)
    if not files:
        own = _OWN_ENDINGS.get(settled_format or "") if path.is_dir() else None
        kinds = ", ".join(own or (*TEXT_SUFFIXES, ".txt", ".plt", *TABLE_SUFFIXES))
        what = "The folder" if path.is_dir() else "The pattern"
        raise DataError(f"{what} {path.name} holds no data files ({kinds}). Open the one that holds them.")
    if len(files) > MAX_FILES:
        raise DataError(
            f"{path.name} holds {len(files):,} files, more than {MAX_FILES:,}. Join some of them."
        )
    return [straight(file) for file in files]


def folder_of(path: Path | str) -> Path | None:
    """Return the folder that a path searches: itself, or what stands before a pattern; None for one file."""
    folder = _folder_searched(Path(path))
    return None if folder is None else straight(folder)


def _folder_searched(path: Path) -> Path | None:
    if path.is_dir():
        return path
    if not glob.has_magic(str(path)) or path.exists():
        return None
    return next(parent for parent in path.parents if not glob.has_magic(str(parent)))


def straight(path: Path) -> Path:
    """Return a path without `..`, by the folders that those lead to; names after the last of them stay as they are.

    >>> straight(Path("/usr/../taps/a.csv")).parts, straight(Path("taps/a.csv")).parts
    (('/', 'taps', 'a.csv'), ('taps', 'a.csv'))
    """
    if ".." not in path.parts:
        return path
    n_after = path.parts[::-1].index("..")
    at = len(path.parts) - n_after
    return Path(os.path.realpath(Path(*path.parts[:at])), *path.parts[at:])


def place_in(folder: Path, path: Path) -> Path:
    """Return where a file lies in a folder of one's own; its names stay, for they may say who it is about, and nothing leads out."""
    parts = straight(path).absolute().parts[1:]
    return folder.joinpath(*(os.fsencode(part).decode("utf-8", "backslashreplace") for part in parts))


def _fitting(pattern: Path) -> list[Path]:
    """Return the files that a pattern finds; `**` follows no links, which may go round in a circle."""
    folder = _folder_searched(pattern) or Path()
    wanted = pattern.relative_to(folder)
    wanted = wanted / "*" if wanted.name == "**" else wanted  # the folders' files, not the folders
    found = [file for file in folder.glob(str(wanted)) if file.is_file()]
    hidden = {part for part in wanted.parts if part.startswith((".", "_"))}  # asked for by name
    return sorted(
        file
        for file in found
        if not any(
            part.startswith((".", "_")) and part not in hidden for part in file.relative_to(folder).parts
        )
    )


def require_within(file: Path, folder: Path) -> None:
    """Raise a DataError unless a file really lies in a folder, links followed."""
    if os.path.islink(os.path.realpath(file)):  # links that go round in a circle
        raise DataError(f"{file.name} is a link that leads nowhere.")
    if not Path(os.path.realpath(file)).is_relative_to(folder.resolve()):
        raise DataError(f"{file.name} leads out of the folders that may be read here.")


def _below(folder: Path) -> list[Path]:
    found = []
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        found += [Path(here, name) for name in names if not name.startswith((".", "_"))]
    return sorted(file for file in found if file.is_file())


def _chosen(files: Sequence[Path], path: Path, settled_format: str | None) -> list[Path]:
    """Return which of the files in a folder or an archive are read: the likeliest kind, or in a settled read the only one.

    Else a file of one person's, by its name alone, would leave out those of all others.
    """
    if settled_format in _OWN_ENDINGS:
        return [file for file in files if file.name.lower().endswith(_OWN_ENDINGS[settled_format])]
    chosen = _likeliest(files)
    if {file.name.lower() for file in chosen} >= _TIMETABLE:
        raise DataError(
            f"{path.name} is a timetable (GTFS): it says when vehicles run, and of nobody when they ride. Open a file of people's records or "
            "trips; beside it, the stops.txt of a timetable can say where zones lie."
        )
    if settled_format is not None:
        taken, endings = set(chosen), sum(_CLASSES, ())
        if others := [file for file in files if file.name.lower().endswith(endings) and file not in taken]:
            _refuse_kinds(path, chosen, others)
    return chosen


def _likeliest(files: Sequence[Path]) -> list[Path]:
    for suffixes in _CLASSES:
        if fitting := [file for file in files if file.name.lower().endswith(suffixes)]:
            # Beside the tracks of cabs lies a list of the cabs.
            tracks = [file for file in fitting if file.name.startswith("new_")]
            return tracks if tracks and suffixes[0] == ".txt" else fitting
    return []


def _refuse_kinds(path: Path, chosen: Sequence[Path], others: Sequence[Path]) -> None:
    what, before = ("folder", "") if path.is_dir() else ("archive", "unpack it and ")
    folder = path.name if path.is_dir() else path.stem
    raise DataError(
        f"The {what} {path.name} holds data files of more than one kind, {chosen[0].name} and {others[0].name}: for a secure "
        f"release keep one kind there, or {before}say which by a pattern such as {folder}/**/*{max(chosen, others, key=len)[0].suffix}."
    )


def is_zip(path: Path) -> bool:
    """Return whether a file is a zip archive of files, not an Excel workbook."""
    with complaints(path), path.open("rb") as file:
        if file.read(4) not in ZIP_MARKS:
            return False
        require_few_members(path)
        with suppress(zipfile.BadZipFile, NotImplementedError), zipfile.ZipFile(path) as archive:
            return "[Content_Types].xml" not in archive.namelist()
    return True


def require_few_members(path: Path) -> None:
    """Raise a DataError for an archive of very many files, by what its end says, before it is listed."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _LONGEST_END))
        end = file.read()
        at = end.rfind(b"PK\5\6")
        if at < 0 or len(end) < at + 22:
            return  # no end: whoever opens it says that it is damaged
        count, list_bytes = struct.unpack("<10xHL6x", end[at : at + 22])
        if (locator := end.rfind(b"PK\6\7", 0, at)) >= 0 and len(end) >= locator + 20:  # of large archives
            file.seek(min(size, struct.unpack("<8xQ4x", end[locator : locator + 20])[0]))
            large = file.read(56)
            if large.startswith(b"PK\6\6") and len(large) == 56:
                count, list_bytes = struct.unpack("<32xQQ8x", large)
    if count > MAX_ARCHIVE_MEMBERS or list_bytes > MAX_ARCHIVE_MEMBERS * _MEMBER_BYTES:
        raise DataError(
            f"{path.name} is an archive of more than {MAX_ARCHIVE_MEMBERS:,} files and folders ({count:,} by its own list). "
            "Join some of them, or unpack it and open the folder."
        )


def unpack(
    path: Path,
    folder: Path,
    *,
    first_only: bool = False,
    settled_format: str | None = None,
    progress: Progress = UNHEARD,
) -> None:
    """Write the data files of a zip archive below `folder`, which need not exist.

    `first_only` writes the first of them alone, and of a text its beginning; `settled_format` as in files_from_path. Raises a DataError
    if the archive is damaged, encrypted, or grows beyond reason.
    """
    try:
        with complaints(path), _zip_complaints(path), zipfile.ZipFile(path) as archive:
            members = _members(path, archive, settled_format)
            total = max(1, sum(member.file_size for member in members.values()))
            _require_room(path, total, folder)
            done = 0
            filled = [name for name, member in members.items() if member.file_size] or list(members)
            for name in filled[:1] if first_only else members:
                member, target = members[name], folder / name
                with _unpackable(path, name):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.touch()
                is_text = not target.name.lower().endswith(TABLE_SUFFIXES)
                most = 4 * _BLOCK if first_only and is_text else member.file_size
                with archive.open(member) as source, target.open("wb") as sink:
                    while most > 0 and (block := source.read(min(_BLOCK, most))):
                        sink.write(block)
                        most -= len(block)
                        done += len(block)
                        progress.tell(done / total, "Unpacking the archive")
    except (RuntimeError, NotImplementedError) as error:
        raise DataError(f"{path.name} is encrypted or packed in an unusual way. Unpack it first.") from error


@contextmanager
def _unpackable(path: Path, name: Path) -> Iterator[None]:
    """Turn a name in an archive that no file can have here into a DataError that says what to do."""
    try:
        yield
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise DataError(
            f"The archive {path.name} holds a file and a folder of one name, beside {_shortened(name)}. {_PACK_ANEW}"
        ) from error
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise DataError(
            f"The archive {path.name} holds a file whose name is too long to be unpacked: {_shortened(name)}. Pack it anew under a "
            "shorter name."
        ) from error


def _shortened(name: Path) -> str:
    text = name.as_posix()
    return repr(text if len(text) <= _SAID else f"{text[:_SAID]}…")


def n_members(path: Path) -> int:
    """Return how many data files a sound zip archive holds."""
    with _zip_complaints(path), zipfile.ZipFile(path) as archive:
        return len(_members(path, archive))


@contextmanager
def _zip_complaints(path: Path) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise DataError(f"{path.name} is a damaged zip archive. Was it copied only in part?") from error


def _members(
    path: Path, archive: zipfile.ZipFile, settled_format: str | None = None
) -> dict[Path, zipfile.ZipInfo]:
    """Return the data files by the path they are unpacked to, below whatever folder."""
    plain: dict[Path, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        # Whatever leads out of the folder is left off the name.
        name = Path(*(part for part in Path(member.filename).parts if part not in ("/", "//", "..")))
        if member.is_dir() or any(part.startswith((".", "_")) for part in name.parts):
            continue
        if name in plain:
            raise DataError(
                f"The archive {path.name} holds two files that are both {name.as_posix()!r} once unpacked. {_PACK_ANEW}"
            )
        if name.name.lower().endswith(_ARCHIVES):
            raise DataError(
                f"{path.name} holds an archive, {name.name}, and archives in archives are not read. Unpack both into one folder and open "
                "that, or take the inner one out."
            )
        plain[name] = member
    chosen = _chosen(sorted(plain), path, settled_format)
    if not chosen:
        kinds = ", ".join((*TEXT_SUFFIXES, ".txt", ".plt", *TABLE_SUFFIXES))
        own = next((name.name for name in plain if name.name.lower() in _TIMELINES), None)
        what_to_do = (
            f"Save its table as one of them, and open that. {ONE_PERSONS_TIMELINE.format(name=own)}"
            if own
            else "Save its table as one of them, and open that."
        )
        raise DataError(f"The archive {path.name} holds no data files ({kinds}). {what_to_do}")
    if len(chosen) > MAX_FILES:
        raise DataError(
            f"{path.name} holds {len(chosen):,} files, more than {MAX_FILES:,}. Join some of them."
        )
    return {name: plain[name] for name in chosen}


def _require_room(path: Path, total: int, folder: Path) -> None:
    require_ratio(path, path.stat().st_size, total)
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if total > 0.8 * shutil.disk_usage(there).free:
        raise DataError(f"{path.name} unpacks to {total / 1e9:,.1f} GB, more than there is room for.")
