"""The first rows of a file, and the likeliest meaning of its columns, before anything is loaded.

Reads no more than a megabyte of the first data file.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from privlab.checks import DataError, UnnamedColumnsError
from privlab.datasets.columns.guessed_mapping import mapping_from_columns
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.columns.ways_in_cells import ways_in_cells
from privlab.datasets.files.containers import files_from_path, folder_of, is_zip, n_members, unpack
from privlab.datasets.files.file_kinds import EmptyFile, complaints
from privlab.datasets.files.sources import Source, first_rows, require_alike, source_from_path
from privlab.datasets.folders.opened_files import files_opened, mirrored
from privlab.datasets.folders.private_folders import PrivateFolder
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.layouts.known_layouts import AUTO, HEADERLESS, KNOWN, TABLE
from privlab.datasets.layouts.layouts import NoRows
from privlab.datasets.rows.second_files import Lookup, lookup_columns, opened_lookup
from privlab.datasets.settled_read import first_settled_source

_PREVIEW_ROWS = 10
_LOOKED_AT = 8  # files of a folder whose columns are compared before it is read
_GUESSED_ROWS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePreview:
    """The first rows of a file as texts, and the likeliest meaning of its columns.

    `format` is one of `FORMATS`, "parquet", "arrow" or "xlsx"; `notes` say which sheet of a workbook is read. `n_bytes` is the
    size on disk, of a folder that of its data files; the rows are then those of the first file. `delimiter` and `encoding` are
    None unless it is text. `columns` are followed by `second_columns`, those that a second file adds; `second_rows` are its first rows,
    which say nothing of the rows beside them.
    """

    name: str
    format: str
    n_files: int
    n_bytes: int
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    mapping: ColumnMapping
    delimiter: str | None
    encoding: str | None
    second_name: str | None = None
    second_columns: tuple[str, ...] = ()
    second_rows: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def all_columns(self) -> tuple[str, ...]:
        """The columns of both files."""
        return self.columns + self.second_columns


def preview_from_path(
    path: Path | str, *, format: str = AUTO, lookup: Lookup | None = None, within: Path | None = None
) -> FilePreview:
    """Return the first rows of a file, folder, pattern or archive, reading no more than a megabyte of it.

    Raises
    ------
    DataError
        If there is no table in it, or one in another format.
    """
    path = Path(path)
    with _files_of_path(path, within) as (files, folder):
        with complaints(path):
            n_bytes = sum(file.stat().st_size for file in files)
        with _unpacked(files, folder) as first:
            source = _first_source(*first, format)
            rows = first_rows(source, _PREVIEW_ROWS)
            beside = None if lookup is None else source_from_path(lookup.path)
            second = () if beside is None else tuple(lookup_columns(source.columns, beside))
            layout = source.layout
            return FilePreview(
                name=path.name,
                format=source.format if layout is None else layout.format,
                n_files=n_members(files[0]) if len(files) == 1 and is_zip(files[0]) else len(files),
                n_bytes=n_bytes,
                columns=source.columns,
                rows=rows,
                mapping=mapping_from_source(source, second),
                delimiter=None if layout is None else layout.delimiter,
                encoding=None if layout is None else layout.encoding,
                second_name=None if lookup is None else lookup.path.name,
                second_columns=second,
                second_rows=() if beside is None else _rows_of_second(beside),
                notes=(*source.notes, *_ways(source, rows)),
            )


def _ways(source: Source, rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return what is said of cells that hold whole ways, where the file does not say by itself where somebody was."""
    try:
        source.mapping.require_complete()
    except UnnamedColumnsError:
        return tuple(filter(None, (ways_in_cells(source.columns, rows),)))
    return ()


def _rows_of_second(second: Source) -> tuple[tuple[str, ...], ...]:
    """Return the first rows of a second file, of the columns that it adds: those with a name."""
    named = [place for place, name in enumerate(second.columns) if name]
    return tuple(
        tuple(row[place] if place < len(row) else "" for place in named)
        for row in first_rows(second, _PREVIEW_ROWS)
    )


@contextmanager
def source_of_path(path: Path | str, format: str = AUTO, *, within: Path | None = None) -> Iterator[Source]:
    """Yield the first data file of a path that has rows; one in an archive is gone afterwards.

    Raises a DataError if there is none.
    """
    with _first_files(Path(path), within, None) as (files, folder):
        yield _first_source(files, folder, format)


@contextmanager
def _first_files(
    path: Path, within: Path | None, settled_format: str | None, *, first_only: bool = True
) -> Iterator[tuple[Sequence[Path], Path | None]]:
    """Yield the files of a path and where they were looked for; of an archive the first alone unless told otherwise, unpacked."""
    with (
        _files_of_path(path, within, settled_format) as (files, folder),
        _unpacked(files, folder, settled_format, first_only=first_only) as found,
    ):
        yield found


@contextmanager
def _files_of_path(
    path: Path, within: Path | None, settled_format: str | None = None
) -> Iterator[tuple[Sequence[Path], Path | None]]:
    """Yield the files of a path and the folder they were looked for in; those of a closed folder are open."""
    files, folder = files_from_path(path, within=within, settled_format=settled_format), folder_of(path)
    if within is None:
        yield files, folder
        return
    with PrivateFolder("preview-") as own, ExitStack() as held:
        opened = files_opened(files, within.resolve(), own, held)
        yield opened, None if folder is None else mirrored(folder, own)


@contextmanager
def _unpacked(
    files: Sequence[Path],
    folder: Path | None,
    settled_format: str | None = None,
    *,
    first_only: bool = True,
) -> Iterator[tuple[Sequence[Path], Path | None]]:
    if len(files) > 1 or not is_zip(files[0]):
        yield files, folder
        return
    with PrivateFolder("preview-") as temporary:
        unpack(files[0], temporary, first_only=first_only, settled_format=settled_format)
        yield files_from_path(temporary), temporary


def _first_source(files: Sequence[Path], folder: Path | None, format: str) -> Source:
    """Return what the first file with rows holds. Raises a DataError if one of the next has other columns."""
    first = None
    for place, file in enumerate(files):
        try:
            source = source_from_path(file, folder, format, first)
        except (NoRows, EmptyFile):
            if first is None and place == len(files) - 1:
                raise
            continue
        if first is not None:
            require_alike((first, source))
        first = first or source
        if place >= _LOOKED_AT:
            break
    assert first is not None
    return first


def mapping_from_header(
    path: Path | str, form: FileForm, *, lookup: Lookup | None = None, within: Path | None = None
) -> ColumnMapping:
    """Return the likeliest mapping by the names in a header alone; no row is looked at.

    Published layouts bring theirs along; a table without a header has none. Raises DataError if there is
    nothing in the files.
    """
    if form.format in KNOWN:
        return KNOWN[form.format].mapping
    if form.format == HEADERLESS:
        return ColumnMapping()
    source = _first_settled_source(Path(path), within, form)
    if source is None:
        raise DataError(f"{Path(path).name} is empty.")
    second = (
        () if lookup is None else tuple(lookup_columns(source.columns, opened_lookup(lookup, form).source))
    )
    # Files may have their columns in any order: of names that mean the same, none is taken for standing first in one of them.
    return mapping_from_columns((*sorted(source.columns), *second))


def _first_settled_source(path: Path, within: Path | None, form: FileForm) -> Source | None:
    """Return what the first file of a path that is not left out holds, None if there is nothing in any."""
    with suppress(NoRows), _first_files(path, within, form.format) as (files, folder):
        if (source := first_settled_source(files, folder, form)) is not None:
            return source
    with _first_files(path, within, form.format, first_only=False) as (files, folder):
        return first_settled_source(files, folder, form)


def mapping_from_source(source: Source, second: Sequence[str] = ()) -> ColumnMapping:
    """Return the likeliest mapping of a file, and of the columns that a second file adds to it."""
    names = (*source.columns, *second)
    if source.layout is None:
        return mapping_from_columns(names, first_rows(source, _GUESSED_ROWS))
    if not second and (source.layout.format != TABLE or not source.said_by_folders):
        return source.mapping
    if source.layout.format in KNOWN:
        return mapping_from_columns(names)
    if source.layout.format == HEADERLESS:
        ends = mapping_from_columns(second)
        return replace(source.mapping, lat=source.mapping.lat or ends.lat, lon=source.mapping.lon or ends.lon)
    said = tuple(
        source.said_by_folders.get(name, "") for name in source.columns[len(source.layout.columns) :]
    )
    return mapping_from_columns(names, [(*row, *said) for row in source.layout.rows])
