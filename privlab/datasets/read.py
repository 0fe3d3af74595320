"""A file, a folder or an archive -> a Dataset, or the one sentence that says why not.

Knows the order of the steps and how to word a failure of the database; the steps are in containers,
sources, rows and checked_rows.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import duckdb
import ibis.expr.types as ir

from privlab.checks import DataError, require_choice
from privlab.datasets.cleaning.cab_trips import trips_from_occupied_records
from privlab.datasets.columns.ids import NUMBER, TEXT
from privlab.datasets.columns.mapping import FILE_NAME, FOLDER_NAME, ColumnMapping
from privlab.datasets.columns.ways_in_cells import ways_in_cells
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.files.containers import files_from_path, folder_of, is_zip, unpack
from privlab.datasets.files.file_kinds import digest_from_path, joint_digest
from privlab.datasets.files.sources import Source, first_rows, mended, scanned, sources_from_files
from privlab.datasets.folders.opened_files import files_opened, mirrored
from privlab.datasets.layouts.file_form import ISO, FileForm
from privlab.datasets.layouts.known_layouts import AUTO, FORMATS, KNOWN
from privlab.datasets.previews.previews import mapping_from_source
from privlab.datasets.reading_notes import reading_notes, sums_in_words
from privlab.datasets.records import DataReport, Dataset
from privlab.datasets.rows.checked_rows import checked_rows
from privlab.datasets.rows.raw_rows import RawRows, forget, rows_from_sources
from privlab.datasets.rows.second_files import Lookup, SecondFile, lookup_columns, opened_lookup
from privlab.datasets.settled_read import Copied, settled_scan, settled_sources
from privlab.datasets.times.day_slots import slot_min_from_format
from privlab.datasets.times.timestamps import UNIX_UNITS
from privlab.progress import UNHEARD, Progress

_LOOKED_AT = 20  # rows
_YEARS, _DAYS = set("YyGcxs"), set("djcxs")  # what names a year, and a day of it, in a format of times
_HOURS = set("HIXTR")  # and an hour


def read_dataset(
    path: Path | str,
    *,
    format: str = AUTO,
    mapping: ColumnMapping | None = None,
    lookup: Lookup | None = None,
    timezone: str | None = None,
    workspace: Workspace | None = None,
    name: str | None = None,
    within: Path | None = None,
    form: FileForm | None = None,
    progress: Progress = UNHEARD,
) -> Dataset:
    """Return the normalised table of some data, with a report of what was dropped and why.

    Parameters
    ----------
    path
        A text table (comma, semicolon, tab or bar; also gzipped), a Parquet or Arrow file, a folder or
        a pattern of such files with the same columns, or a zip archive of them.
    format
        One of `FORMATS`; "auto" recognises it.
    mapping
        Which column means what; None guesses from the format, the names, or the values.
    lookup
        A second file that says more of each row.
    timezone
        The zone whose wall clock times with an offset and unix times are converted to; None is UTC.
    workspace
        Where tables are stored; None opens a new one, which lives as long as the dataset.
    name
        What to call the dataset; None is the file's name.
    within
        A folder that `path` and all that it leads to must lie in, links followed; None allows everything.
        What is read is what was found to lie there, whatever takes its place meanwhile.
    form
        How the files are written, settled beforehand: then nothing is guessed, every row is read by itself,
        and `format` and `mapping` are those of the form.
    report
        Told of each step, with the share that is done.

    Raises
    ------
    DataError
        If the file cannot be used; the message says where and what to do. Rows of text are lines of the
        file from 1, header included; rows of other files count from 1.
    Interrupted
        If the workspace was interrupted.
    """
    path = Path(path)
    require_choice("format", format, tuple(FORMATS))
    settled_format = None if form is None else form.format
    files = files_from_path(path, within=within, settled_format=settled_format)
    with ExitStack() as undo:
        if workspace is None:
            workspace = Workspace()
            undo.callback(workspace.close)

        def heard(share: float, words: str) -> None:
            workspace.require_running()
            progress.tell(share, words)

        watched = Progress(heard)

        with workspace.tidied() as kept, _unreadable(path):
            folder = folder_of(path)
            if within is not None:
                own = workspace.new_folder("opened")
                folder = None if folder is None else mirrored(folder, own)
                files = files_opened(files, within.resolve(), own, workspace.held)
            if len(files) == 1 and is_zip(files[0]):
                files, folder = _unpacked(files[0], workspace, watched, settled_format)
            if form is None:
                sources = sources_from_files(files, folder, format)
            else:
                matched_by = None if lookup is None else lookup.on
                sources, mapping = settled_sources(files, folder, form, matched_by), form.mapping
            second = None if lookup is None else opened_lookup(lookup, form)
            others = () if second is None else tuple(lookup_columns(sources[0].columns, second.source))
            mapping = mapping_from_source(sources[0], others) if mapping is None else mapping
            more = " ".join(filter(None, (_ways(sources[0]), sources[0].letters)))
            mapping.require_complete((*sources[0].columns, *others), more=more)
            _require_known(timezone, mapping, workspace)
            dataset = _read(path, files, sources, mapping, second, timezone, workspace, name, watched, form)
            kept.append(dataset.table)
            workspace.require_running()
        undo.pop_all()
    return dataset


def content_digest_from_path(path: Path | str, workspace: Workspace) -> str:
    """Return the digest under which a ledger knows some data, however it is read: Dataset.source_digest.

    Raises DataError if a file cannot be read.
    """
    path = Path(path)
    files = files_from_path(path)
    with workspace.tidied():
        if len(files) == 1 and is_zip(files[0]):
            files, _ = _unpacked(files[0], workspace, UNHEARD)
        return _content_digest(files, path, {})


def _ways(source: Source) -> str:
    return ways_in_cells(source.columns, first_rows(source, _LOOKED_AT))


def _content_digest(files: Sequence[Path], path: Path, known: Mapping[Path, str]) -> str:
    """Return the digest of the bytes of all files, with rows or without; some have been read already."""
    digests = [known.get(file) or digest_from_path(file) for file in files]
    return digests[0] if len(digests) == 1 and not path.is_dir() else joint_digest(digests)


def _unpacked(
    path: Path, workspace: Workspace, progress: Progress, settled_format: str | None = None
) -> tuple[list[Path], Path]:
    # Under the archive's name, which says who it is about where the files lie in no folder.
    folder = workspace.new_folder("unpacked") / path.stem
    unpack(path, folder, settled_format=settled_format, progress=progress.part(0.0, 0.1))
    return files_from_path(folder, settled_format=settled_format), folder


def _read(
    path: Path,
    files: Sequence[Path],
    sources: list[Source],
    mapping: ColumnMapping,
    second: SecondFile | None,
    timezone: str | None,
    workspace: Workspace,
    name: str | None,
    progress: Progress,
    form: FileForm | None,
) -> Dataset:
    progress.tell(0.1, "Looking the file over")
    if form is None:
        scans = [Copied(*scanned(source, workspace)) for source in sources]
    else:
        scans = [settled_scan(source, workspace) for source in sources]
    progress.tell(0.2, "Reading the rows")

    def checked(scans: Sequence[Copied]) -> tuple[RawRows, tuple[ir.Table, DataReport, str | None]]:
        rows = rows_from_sources([scan.source for scan in scans], mapping, workspace, second, form)
        rows = replace(
            rows,
            n_malformed=rows.n_malformed + sum(scan.n_malformed for scan in scans),
            malformed=(*rows.malformed, *(one for scan in scans for one in scan.malformed)),
        )
        try:
            progress.tell(0.6, "Checking every row")
            return rows, checked_rows(rows, path.name, timezone, workspace, progress.part(0.65, 0.95))
        finally:
            forget(rows, workspace)

    try:
        rows, (table, data_report, time_format) = checked(scans)
    except (duckdb.InterruptException, duckdb.OutOfMemoryException):
        raise
    except duckdb.Error:  # of a Parquet file one cell, of one row, ends the reading of all
        repaired = _mended(scans, workspace)
        if repaired == scans:
            raise
        rows, (table, data_report, time_format) = checked(repaired)
    digests = [scan.digest for scan in scans]
    of_paths = dict(zip([source.path for source in sources], digests, strict=True))
    content_digest = _content_digest(files, path, of_paths)
    if second is not None:
        lookup = second.lookup
        digests += [rows.lookup_digest, lookup.on, lookup.key]
    digests += _telling_names(sources, mapping)
    notes = [*reading_notes(sources[0], mapping, second, data_report), *data_report.notes]
    if form is None and mapping.kind == "counts" and (said := sums_in_words(table)):
        notes.append(said)
    data_report = replace(data_report, notes=tuple(notes))
    dataset = Dataset(
        name=name or path.name,
        kind=mapping.kind,
        place=mapping.place,
        table=table,
        report=data_report,
        digest=digests[0] if len(digests) == 1 and not path.is_dir() else joint_digest(digests),
        content_digest=content_digest,
        workspace=workspace,
        mapping=mapping,
        form=form or _recognised_form(scans[0].source, replace(mapping, time_format=time_format), table),
        is_settled=form is not None,
    )
    return trips_from_occupied_records(dataset) if mapping.occupied else dataset


def _mended(scans: list[Copied], workspace: Workspace) -> list[Copied]:
    """Return Parquet files with those cells missing that the database cannot read; as they are where there are none."""
    if scans[0].source.layout is not None:
        return scans
    with suppress(DataError):  # damaged in another way
        return [replace(scan, source=mended(scan.source, workspace)) for scan in scans]
    return scans


def _recognised_form(source: Source, mapping: ColumnMapping, table: ir.Table) -> FileForm:
    """Return how a file was found to be written, so that it can be read again without looking at its rows."""
    zone = {"records": "zone", "trips": "origin", "counts": "origin"}[mapping.kind]
    ids = None
    if mapping.place == "zone":
        ids = NUMBER if table[zone].type().is_integer() else TEXT
    if source.layout is None:
        return FileForm(mapping=mapping, ids=ids)
    encoding = "utf-16" if source.layout.encoding.startswith("utf-16") else source.layout.encoding
    if encoding == "utf-8" and source.encoding is not None:
        encoding = source.encoding
    return FileForm(
        mapping=mapping,
        format=source.layout.format,
        delimiter=None if source.layout.format in KNOWN else source.layout.delimiter,
        encoding=encoding,
        ids=ids,
    )


def _require_known(timezone: str | None, mapping: ColumnMapping, workspace: Workspace) -> None:
    ask, time_format = workspace.connection.con.execute, mapping.time_format
    for field, zone in (("timezone", timezone), ("recorded_in", mapping.recorded_in)):
        try:
            ask("SELECT timezone(?, TIMESTAMPTZ '2020-01-01 00:00:00+00')", [zone or "UTC"])
        except duckdb.NotImplementedException as error:
            raise DataError(f"{field} must be a name such as 'Europe/Paris', got {zone!r}.") from error
    if time_format is None or time_format in (*UNIX_UNITS, ISO) or slot_min_from_format(time_format):
        return
    if time_format.startswith("slots"):
        raise DataError(
            f"time_format of slots must say how many minutes a slot has, of which whole ones make a day, such as 'slots:30', got {time_format!r}."
        )
    try:
        for one in time_format.split("|"):
            ask("SELECT strftime(TIMESTAMP '2020-01-01', ?)", [one])
    except duckdb.InvalidInputException as error:
        raise DataError(
            "time_format must be a format such as '%d/%m/%Y %H:%M', or a unit of unix times "
            f"({', '.join(UNIX_UNITS)}), or slots:30 for days and half hours that are numbers, got {time_format!r}."
        ) from error
    for one in time_format.split("|"):
        directives = set(re.findall(r"%-?([A-Za-z])", one))
        if not (directives & _YEARS and directives & _DAYS):
            beside = ""
            if directives & _HOURS and not directives & (_YEARS | _DAYS):
                beside = (
                    " If they stand in another column, name it as the date, and write both with a blank between, such as "
                    f"'%d/%m/%Y {one}'."
                )
            raise DataError(
                f"time_format must name the year and the day, such as '%d/%m/%Y %H:%M', got {one!r}.{beside}"
            )


@contextmanager
def _unreadable(path: Path) -> Iterator[None]:
    try:
        yield
    except (duckdb.InterruptException, duckdb.OutOfMemoryException):
        raise
    except duckdb.Error as error:
        raise DataError(f"{path.name} cannot be read as a table. Is it damaged?") from error


def _telling_names(sources: Sequence[Source], mapping: ColumnMapping) -> list[str]:
    """Return what the names of files and folders say, as far as it is part of the data."""
    used = {getattr(mapping, field) for field in mapping.fields_used}
    names = []
    for source in sources:
        folder = source.path.absolute().parent
        folder = folder.parent if folder.name == "Trajectory" else folder
        said = {FILE_NAME: source.path.name, FOLDER_NAME: folder.name} | {
            key: source.said_by_folders[key] for key in source.of_folders
        }
        names += [said[column] for column in sorted(used & said.keys())]
    return names
