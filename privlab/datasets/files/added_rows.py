"""A file → a copy with rows of made-up users at its end, written as the file itself is written.

For the audit of the whole way from file to file. Knows text tables and Parquet; knows nothing of zones, trips or releases.
"""

import csv
import gzip
import io
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from privlab.checks import DataError
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.files.containers import is_zip
from privlab.datasets.files.file_kinds import GZIP_MARK, complaints
from privlab.datasets.layouts.file_form import ISO, FileForm
from privlab.datasets.layouts.layouts import TextLayout
from privlab.datasets.settled_read import settled_source

_UNITS = {"seconds": 1, "milliseconds": 1_000, "microseconds": 1_000_000, "nanoseconds": 1_000_000_000}
_USER = "privlab audit {}"  # no file has such users


@dataclass(frozen=True, slots=True)
class AddedRow:
    """One row: the number of a made-up user from 0, a wall-clock time, and the place in the order of `place_fields`."""

    user: int
    time: datetime
    place: tuple[Any, ...]


def write_with_added_rows(
    path: Path, form: FileForm, rows: Sequence[AddedRow], target: Path, *, timezone: str | None
) -> None:
    """Write to `target` what is in a file, byte for byte or value for value, and the rows after it.

    `timezone` is that whose wall clock the rows' times are of, None for UTC: as for reading. Raises DataError, with a way
    on, if made-up people cannot be written as this file writes its own.
    """
    mapping = form.mapping
    if not path.is_file() or is_zip(path):
        raise _no_room(path, "is a folder, a pattern or an archive")
    source = settled_source(path, None, form)
    if source is None or (source.layout is None and source.format != "parquet"):
        raise _no_room(path, "is neither")
    if source.said_by_folders or str(mapping.user_id).startswith("("):
        raise _no_room(path, "says who moves by the names of files or folders")
    if mapping.date or mapping.utc_offset_min or mapping.occupied or mapping.area:
        raise _no_room(path, "says a time or a place in two columns, or taxi rides by a flag")
    with complaints(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.layout is None:
            _write_parquet(path, mapping, rows, target, timezone)
        else:
            _append_text(path, source.layout, mapping, rows, target, timezone)


def _no_room(path: Path, reason: str) -> DataError:
    return DataError(
        "The audit adds people to one text table or one Parquet file whose rows name user, time and place in columns "
        f"of their own; {path.name} {reason}. Write it as such a table, or audit a sample."
    )


def _append_text(
    path: Path,
    layout: TextLayout,
    mapping: ColumnMapping,
    rows: Sequence[AddedRow],
    target: Path,
    timezone: str | None,
) -> None:
    written = io.StringIO()
    writer = csv.writer(written, delimiter=layout.delimiter, lineterminator="\n")
    written.write("\n")  # the last line of the file may have no end; a blank line is no row
    for row in rows:
        cells = dict.fromkeys(layout.columns, "")
        cells[str(mapping.user_id)] = _USER.format(row.user)
        cells[str(mapping.timestamp)] = _time_in_text(row.time, mapping, timezone)
        for field, value in zip(mapping.place_fields, row.place, strict=True):
            cells[getattr(mapping, field)] = repr(value) if isinstance(value, float) else str(value)
        writer.writerow([cells[column] for column in layout.columns])
    encoding = "utf-16-le" if layout.encoding == "utf-16" else layout.encoding
    with path.open("rb") as file:
        head = file.read(2)
    if layout.encoding == "utf-16" and head == b"\xfe\xff":
        encoding = "utf-16-be"
    content = written.getvalue().encode(encoding)
    shutil.copyfile(path, target)
    with target.open("ab") as sink:
        sink.write(gzip.compress(content) if head == GZIP_MARK else content)


def _write_parquet(
    path: Path, mapping: ColumnMapping, rows: Sequence[AddedRow], target: Path, timezone: str | None
) -> None:
    with pq.ParquetFile(path) as file:
        schema = file.schema_arrow
        made: dict[str, list[Any]] = {}
        user = schema.field(str(mapping.user_id)).type
        first = _first_free_number(file, str(mapping.user_id)) if pa.types.is_integer(user) else None
        made[str(mapping.user_id)] = [
            _USER.format(row.user) if first is None else first + row.user for row in rows
        ]
        kind = schema.field(str(mapping.timestamp)).type
        made[str(mapping.timestamp)] = [_time_of_type(row.time, kind, mapping, timezone) for row in rows]
        for place, field in enumerate(mapping.place_fields):
            made[getattr(mapping, field)] = [row.place[place] for row in rows]
        try:
            added = pa.table(
                [_column(made.get(field.name), field.type, len(rows)) for field in schema], schema=schema
            )
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise DataError(
                f"People cannot be added to {path.name}: its columns take no such values. Write it as a text table."
            ) from error
        with pq.ParquetWriter(target, schema) as writer:
            for batch in file.iter_batches():
                writer.write_batch(batch)
            writer.write_table(added)


def _column(values: list[Any] | None, kind: pa.DataType, n: int) -> pa.Array:
    if values is None:
        return pa.nulls(n, kind)
    if pa.types.is_dictionary(kind):
        return pa.array(values, kind.value_type).dictionary_encode().cast(kind)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        values = [str(value) for value in values]
    return pa.array(values, kind)


def _first_free_number(file: pq.ParquetFile, column: str) -> int:
    """Return a number above all in a column of whole numbers."""
    most = 0
    for batch in file.iter_batches(columns=[column]):
        most = max(most, pc.max(batch.column(0)).as_py() or 0)
    return most + 1


def _time_of_type(
    time: datetime, kind: pa.DataType, mapping: ColumnMapping, timezone: str | None
) -> datetime | int | float | str:
    if pa.types.is_timestamp(kind):
        return _instant(time, timezone) if kind.tz is not None else _as_recorded(time, mapping, timezone)
    text = _time_in_text(time, mapping, timezone)
    if pa.types.is_integer(kind):
        return int(text)
    return float(text) if pa.types.is_floating(kind) else text


def _time_in_text(time: datetime, mapping: ColumnMapping, timezone: str | None) -> str:
    """Return a wall-clock time as the file writes its own."""
    form = (mapping.time_format or ISO).split("|")[0]
    if form in _UNITS:
        return str(round(_instant(time, timezone).timestamp()) * _UNITS[form])
    if form == ISO:
        return _as_recorded(time, mapping, timezone).isoformat()
    zoned = "%z" in form or "%Z" in form
    return (_instant(time, timezone) if zoned else _as_recorded(time, mapping, timezone)).strftime(form)


def _as_recorded(time: datetime, mapping: ColumnMapping, timezone: str | None) -> datetime:
    """Return the clock that hung where the file was written."""
    if mapping.recorded_in is None:
        return time
    return _instant(time, timezone).astimezone(ZoneInfo(mapping.recorded_in)).replace(tzinfo=None)


def _instant(time: datetime, timezone: str | None) -> datetime:
    return time.replace(tzinfo=ZoneInfo(timezone or "UTC")).astimezone(UTC)
