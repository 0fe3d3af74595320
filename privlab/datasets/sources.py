"""Files -> one table of the mapped columns, as the files hold them.

Knows how the database reads a text table or a Parquet file and how to find a value's row again;
knows nothing of what the values mean.
"""

import csv
import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import ibis
import ibis.expr.types as ir
import pyarrow as pa
import pyarrow.parquet as pq

from privlab.checks import DataError
from privlab.datasets.engine import Workspace
from privlab.datasets.files import (
    GZIP_MARK,
    FileFormat,
    complaints,
    format_from_head,
    head_from_path,
    rewrite_as_utf8,
    scan_from_path,
)
from privlab.datasets.layouts import TextLayout, layout_from_head

_MAX_LINES_SEARCHED = 1_000_000  # an offending value is named without its row beyond this


_SUFFIXES = (".csv", ".tsv", ".psv", ".csv.gz", ".tsv.gz", ".psv.gz", ".parquet", ".pq")


@dataclass(frozen=True, slots=True)
class Source:
    """One file and its columns; its layout if it is text. `readable` is the file or its UTF-8 copy."""

    path: Path
    format: FileFormat
    columns: tuple[str, ...]
    layout: TextLayout | None
    readable: Path


def files_from_path(path: Path) -> list[Path]:
    """Return the file itself, or the data files of a folder in the order of their names."""
    with complaints(path):
        if not path.is_dir():
            return [path]
        inside = sorted(path.iterdir(), key=lambda file: file.name)
        files = [file for file in inside if file.is_file() and not file.name.startswith((".", "_"))]
    data = [file for file in files if file.name.lower().endswith(_SUFFIXES)]
    if not data:
        raise DataError(f"The folder {path.name} holds no data files ({', '.join(_SUFFIXES)}).")
    return data


def require_alike(sources: Sequence[Source]) -> None:
    """Raise a DataError unless the files are of one kind and have the same columns, in any order."""
    first = sources[0]
    for source in sources[1:]:
        if source.format != first.format:
            raise DataError(
                f"{first.path.name} is {first.format} and {source.path.name} is {source.format}. "
                "Keep one kind of file in the folder."
            )
        if differing := sorted(set(first.columns) ^ set(source.columns)):
            column = differing[0]
            owner, other = (first, source) if column in first.columns else (source, first)
            raise DataError(
                f"The files differ in their columns: {owner.path.name} has {column!r}, "
                f"{other.path.name} has not.",
                column=column,
            )


def source_from_path(path: Path) -> Source:
    """Return what one file holds; raise a DataError if it holds no table."""
    head = head_from_path(path)
    if format_from_head(head, path) == "csv":
        layout = layout_from_head(head, path)
        return Source(path, "csv", layout.columns, layout, path)
    try:
        described = pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path.name} is a damaged Parquet file. Was it copied only in part?") from error
    with described:
        if described.metadata.num_rows == 0:
            raise DataError(f"{path.name} has columns but no rows.")
        return Source(path, "parquet", tuple(described.schema_arrow.names), None, path)


def first_rows(source: Source, n_rows: int) -> tuple[tuple[str, ...], ...]:
    """Return the first rows of a Parquet file as texts; missing values are empty."""
    try:
        with pq.ParquetFile(source.path) as file:
            batch = next(file.iter_batches(batch_size=n_rows))
        return tuple(tuple("" if v is None else str(v) for v in row.values()) for row in batch.to_pylist())
    except (pa.ArrowException, OSError) as error:
        raise DataError(
            f"{source.path.name} is a damaged Parquet file. Was it copied only in part?"
        ) from error


def scanned(source: Source, workspace: Workspace) -> tuple[Source, str]:
    """Return the source, rewritten as UTF-8 where that is needed, and the digest of its bytes."""
    layout = source.layout
    is_wide = layout is not None and layout.encoding.startswith("utf-16")
    go_on = workspace.require_running
    scan = scan_from_path(source.path, is_text=layout is not None, is_wide=is_wide, go_on=go_on)
    if layout is None or (scan.is_plain and not is_wide):
        return source, scan.digest
    encoding = "cp1252" if layout.encoding == "utf-8" and not scan.is_utf8 else layout.encoding
    target = workspace.folder / f"{ibis.util.gen_name('utf8')}.csv"
    rewrite_as_utf8(source.path, encoding, target, go_on=go_on)
    return replace(source, readable=target), scan.digest


def raw_from_sources(
    sources: Sequence[Source], wanted: dict[str, str], workspace: Workspace
) -> tuple[ir.Table, str | None]:
    """Return a view of the wanted columns and the name of the table of refused rows (text only).

    `wanted` maps the view's column names to the files'. The view of text tables is to be read once.
    """
    view = ibis.util.gen_name("raw")
    if sources[0].layout is None:
        chosen = ", ".join(f"{_name(column)} AS {_name(role)}" for role, column in wanted.items())
        files = ", ".join(_text(str(source.path)) for source in sources)
        query, rejects = f"SELECT {chosen} FROM read_parquet([{files}])", None
    else:
        rejects = f"{view}_rejects"
        groups: dict[tuple[object, ...], list[Source]] = {}
        for source in sources:
            layout = source.layout
            assert layout is not None
            key = (layout.delimiter, layout.columns, layout.skip, _is_gzip(source.readable))
            groups.setdefault(key, []).append(source)
        query = " UNION ALL ".join(_csv_query(group, wanted, rejects) for group in groups.values())
    workspace.connection.raw_sql(f"CREATE TEMPORARY VIEW {_name(view)} AS {query}")
    return workspace.connection.table(view), rejects


def _csv_query(sources: Sequence[Source], wanted: dict[str, str], rejects: str) -> str:
    layout = sources[0].layout
    assert layout is not None
    # Columns go by position, so that no name in the file can upset the query.
    chosen = ", ".join(f"c{layout.columns.index(column)} AS {_name(role)}" for role, column in wanted.items())
    columns = ", ".join(f"c{index}: 'VARCHAR'" for index in range(len(layout.columns)))
    files = ", ".join(_text(str(source.readable)) for source in sources)
    compression = "gzip" if _is_gzip(sources[0].readable) else "none"
    return (
        f"SELECT {chosen} FROM read_csv([{files}], auto_detect=false, header=false, skip={layout.skip}, "
        f"columns={{{columns}}}, delim={_text(layout.delimiter)}, quote='\"', escape='\"', "
        f"compression='{compression}', ignore_errors=true, store_rejects=true, "
        f"rejects_table={_text(rejects)}, rejects_scan={_text(rejects + '_scans')})"
    )


def malformed_count(rejects: str, n_read: int, sources: Sequence[Source], workspace: Workspace) -> int:
    """Return how many rows of text tables the database refused.

    After an unclosed quote the database may swallow rows without naming them; then every line that
    was not read counts.
    """
    query = (
        "SELECT count(DISTINCT (scan_id, file_id, line)), bool_or(error_type = 'UNQUOTED VALUE') "
        f"FROM {_name(rejects)}"
    )
    refused, unclosed = workspace.connection.con.execute(query).fetchone() or (0, False)
    for table in (rejects, f"{rejects}_scans"):
        workspace.connection.raw_sql(f"DROP TABLE {_name(table)}")
    if not unclosed:
        return int(refused)
    n_lines = sum(sum(1 for line in _lines(source) if line.strip()) - 1 for source in sources)
    return max(int(refused), n_lines - n_read)


def row_with_value(sources: Sequence[Source], column: str, value: str, missing: Sequence[str]) -> str | None:
    """Return where a text table first holds a value in a column ("row 7"), None if that is far into it."""
    for source in sources:
        layout = source.layout
        assert layout is not None
        index = layout.columns.index(column)
        lines = islice((line.replace("\0", "") for line in _lines(source)), _MAX_LINES_SEARCHED)
        reader = csv.reader(lines, delimiter=layout.delimiter)
        try:
            for number, row in enumerate(reader):
                cell = row[index].strip() if index < len(row) == len(layout.columns) else None
                if number and (cell == value or (value == "" and cell in missing)):
                    place = f"row {reader.line_num:,}"
                    return place if len(sources) == 1 else f"{place} of {source.path.name}"
        except csv.Error:
            continue
    return None


def _lines(source: Source) -> Iterator[str]:
    form: dict[str, Any] = {"mode": "rt", "encoding": "utf-8-sig", "errors": "replace", "newline": ""}
    with (
        gzip.open(source.readable, **form)
        if _is_gzip(source.readable)
        else source.readable.open(**form) as text
    ):
        yield from text


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == GZIP_MARK


def _name(identifier: str) -> str:
    return '"' + identifier.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
