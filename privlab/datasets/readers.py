"""A file or a folder -> a Dataset, or the one sentence that says why not.

Knows the order of the steps and how to word a failure; the steps themselves are in files, layouts,
sources, timestamps and cleaning.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import ibis.expr.types as ir

from privlab.checks import DataError
from privlab.datasets.cleaning import faults_from_columns, reason_from_faults, swapped, typed_columns
from privlab.datasets.columns import ColumnMapping, mapping_from_columns
from privlab.datasets.engine import Engine, Workspace
from privlab.datasets.files import FileFormat, complaints
from privlab.datasets.records import DataReport, Dataset, report_from_counts
from privlab.datasets.rows import (
    RawRows,
    first_place,
    forget,
    refuse_empty,
    refuse_swapped,
    rows_from_sources,
)
from privlab.datasets.sources import (
    Source,
    files_from_path,
    first_rows,
    require_alike,
    scanned,
    source_from_path,
)
from privlab.datasets.timestamps import reading_from_column

_PREVIEW_ROWS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePreview:
    """The first rows of a file as texts, and the likeliest meaning of its columns.

    `n_bytes` is the size on disk, of a folder that of its data files; the rows are then those of the
    first file. `delimiter` and `encoding` are None for Parquet.
    """

    name: str
    format: FileFormat
    n_files: int
    n_bytes: int
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    mapping: ColumnMapping
    delimiter: str | None
    encoding: str | None


def preview_from_path(path: Path | str) -> FilePreview:
    """Return the first rows of a file or folder, reading no more than a megabyte of it.

    Raises
    ------
    DataError
        If there is no table in it.
    """
    path = Path(path)
    files = files_from_path(path)
    source = source_from_path(files[0])
    layout = source.layout
    with complaints(path):
        n_bytes = sum(file.stat().st_size for file in files)
    rows = first_rows(source, _PREVIEW_ROWS) if layout is None else layout.rows[:_PREVIEW_ROWS]
    return FilePreview(
        name=path.name,
        format=source.format,
        n_files=len(files),
        n_bytes=n_bytes,
        columns=source.columns,
        rows=rows,
        mapping=mapping_from_columns(source.columns),
        delimiter=None if layout is None else layout.delimiter,
        encoding=None if layout is None else layout.encoding,
    )


def read_dataset(
    path: Path | str,
    *,
    mapping: ColumnMapping | None = None,
    timezone: str | None = None,
    workspace: Workspace | None = None,
    name: str | None = None,
) -> Dataset:
    """Return the normalised table of a file or folder, with a report of what was dropped and why.

    Parameters
    ----------
    path
        A text table (comma, semicolon, tab or bar; also gzipped), a Parquet file, or a folder of
        either with the same columns.
    mapping
        Which column means what; None guesses from the names.
    timezone
        The zone whose wall clock times with an offset and unix times are converted to; None is UTC.
    workspace
        Where tables are stored; None opens a new one, which lives as long as the dataset.
    name
        What to call the dataset; None is the file's name.

    Raises
    ------
    DataError
        If the file cannot be used; the message says where and what to do. Rows of text are lines of the
        file from 1, header included; rows of Parquet count from 1.
    duckdb.InterruptException
        If the workspace was interrupted.
    """
    path = Path(path)
    sources = [source_from_path(file) for file in files_from_path(path)]
    require_alike(sources)
    mapping = mapping_from_columns(sources[0].columns) if mapping is None else mapping
    mapping.require_complete(sources[0].columns)
    with ExitStack() as undo:
        if workspace is None:
            workspace = Workspace()
            undo.callback(workspace.close)
        with _unreadable(path):
            _require_known(timezone, mapping.time_format, workspace)
            dataset = _read(path, sources, mapping, timezone, workspace, name)
        undo.pop_all()
    return dataset


def _read(
    path: Path,
    sources: list[Source],
    mapping: ColumnMapping,
    timezone: str | None,
    workspace: Workspace,
    name: str | None,
) -> Dataset:
    scans = [scanned(source, workspace) for source in sources]
    digest = _joint_digest([one for _, one in scans]) if path.is_dir() else scans[0][1]
    rows = rows_from_sources([source for source, _ in scans], mapping, workspace)
    try:
        table, report = checked_from_rows(rows, path.name, timezone, workspace)
    finally:
        forget(rows, workspace)
    return Dataset(
        name=name or path.name,
        kind=mapping.kind,
        place=mapping.place,
        table=table,
        report=report,
        digest=digest,
        workspace=workspace,
        mapping=mapping,
    )


def checked_from_rows(
    rows: RawRows, name: str, timezone: str | None, workspace: Engine
) -> tuple[ir.Table, DataReport]:
    """Return the usable rows in their final types and the report on all; DataError if none is usable."""
    mapping = rows.mapping
    assert mapping.timestamp is not None
    reading = reading_from_column(
        rows.table.timestamp,
        label=mapping.timestamp,
        time_format=mapping.time_format,
        timezone=timezone,
        locate=lambda holds: first_place(rows, "timestamp", holds) or ("", ""),
    )
    typed = typed_columns(rows.table, mapping, decimal_comma=rows.decimal_comma)
    faults = faults_from_columns(rows.table, mapping, reading.value, typed)
    in_order = {"user_id": typed["user_id"], "time": reading.value, **typed}
    checked = rows.table.select(**in_order, reason=reason_from_faults(faults))
    with ExitStack() as undo:
        # Texts are parsed once; a Parquet file's own types are cheap to read again, and are not copied.
        if rows.stored or rows.table.timestamp.type().is_string():
            checked = workspace.materialise("checked", checked)
            undo.callback(workspace.forget, checked)
        counts = _counts(checked, mapping)
        report = report_from_counts(counts, rows.n_malformed, reading.assumption)
        if mapping.place == "latlon":
            refuse_swapped(
                name, sum(count["swapped"] for count in counts), report.rows, rows, swapped(mapping, typed)
            )
        if not report.kept:
            refuse_empty(name, report, rows, faults)
        undo.pop_all()
    return checked.filter(checked.reason.isnull()).drop("reason"), report


def _counts(checked: ir.Table, mapping: ColumnMapping) -> list[dict[str, Any]]:
    """Return one row per reason (None for the kept rows): n, users, first and last time, swapped."""
    columns: dict[str, ir.Value] = {
        "n": checked.count(),
        "users": checked.user_id.nunique(),
        "first": checked.time.min(),
        "last": checked.time.max(),
    }
    if mapping.place == "latlon":
        places = {field: checked[field] for field in mapping.place_fields}
        columns["swapped"] = swapped(mapping, places).sum().fill_null(0)
    if mapping.place == "xy":
        columns["degrees"] = (checked.x.abs().max() <= 180) & (checked.y.abs().max() <= 90)
    counts: list[dict[str, Any]] = checked.group_by("reason").agg(**columns).to_pyarrow().to_pylist()
    return counts


def _require_known(timezone: str | None, time_format: str | None, workspace: Workspace) -> None:
    ask = workspace.connection.con.execute
    try:
        ask("SELECT timezone(?, TIMESTAMPTZ '2020-01-01 00:00:00+00')", [timezone or "UTC"])
    except duckdb.NotImplementedException as error:
        raise DataError(f"timezone must be a name such as 'Europe/Paris', got {timezone!r}.") from error
    if time_format in (None, "seconds", "milliseconds"):
        return
    try:
        ask("SELECT strftime(TIMESTAMP '2020-01-01', ?)", [time_format])
    except duckdb.InvalidInputException as error:
        raise DataError(
            f'time_format must be a format such as \'%d/%m/%Y %H:%M\', "seconds" or "milliseconds", '
            f"got {time_format!r}."
        ) from error


@contextmanager
def _unreadable(path: Path) -> Iterator[None]:
    try:
        yield
    except (duckdb.InterruptException, duckdb.OutOfMemoryException):
        raise
    except duckdb.Error as error:
        raise DataError(f"{path.name} cannot be read as a table. Is it damaged?") from error


def _joint_digest(digests: Sequence[str]) -> str:
    return hashlib.blake2b("".join(digests).encode(), digest_size=16).hexdigest()
