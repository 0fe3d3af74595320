"""A file, a folder or an archive → a copy with rows of made-up users added, written as the files themselves are written.

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
from typing import Any, BinaryIO
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from privlab.checks import DataError
from privlab.datasets.columns.mapping import FILE_NAME, FOLDER_NAME, ColumnMapping
from privlab.datasets.columns.projected_systems import projected_from_degrees
from privlab.datasets.files.containers import files_from_path, is_zip, unpack
from privlab.datasets.files.file_kinds import GZIP_MARK, complaints
from privlab.datasets.files.sources import Source
from privlab.datasets.layouts.file_form import ISO, FileForm
from privlab.datasets.layouts.layouts import TextLayout
from privlab.datasets.settled_read import first_settled_source
from privlab.datasets.times.day_slots import slot_min_from_format

_UNITS = {"seconds": 1, "milliseconds": 1_000, "microseconds": 1_000_000, "nanoseconds": 1_000_000_000}
_USER = "privlab audit {}"  # no file has such users


@dataclass(frozen=True, slots=True)
class AddedRow:
    """One row: the number of a made-up user from 0, a wall-clock time, and the place in the order of `place_fields`.

    Where the file has x and y of a known system, it is latitude and longitude, as the rows are once read.
    """

    user: int
    time: datetime
    place: tuple[Any, ...]


def write_with_added_rows(
    path: Path, form: FileForm, rows: Sequence[AddedRow], target: Path, *, timezone: str | None
) -> None:
    """Write to `target` what is in a file, byte for byte or value for value, and the rows after it.

    Of a folder, or of an archive, `target` is a folder with the same files. The rows are at the end of the first of them; where the names
    of files say who moves, each user has a file of their own beside it.

    `timezone` is that whose wall clock the rows' times are of, None for UTC: as for reading. Raises DataError, with a way
    on, if made-up people cannot be written as this file writes its own.
    """
    mapping, unpacked = form.mapping, target.with_name(f"{target.name} unpacked")
    if not path.exists():
        raise _no_room(path, "is a pattern")
    with complaints(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        folder: Path | None = path if path.is_dir() else None
        if folder is None and is_zip(path):
            folder = unpacked
            unpack(path, folder, settled_format=form.format)
        files = [path] if folder is None else files_from_path(folder, settled_format=form.format)
        source = first_settled_source(files, folder, form)
        if source is None or (source.layout is None and source.format != "parquet"):
            raise _no_room(path, "holds neither")
        by_file = folder is not None and mapping.user_id == FILE_NAME
        _require_named_in_rows(path, source, mapping, by_file=by_file)
        if folder is None:
            _write_one(source, mapping, rows, target, timezone)
            return
        copies = {file: target / file.relative_to(folder) for file in files}
        for file, copy in copies.items():
            if by_file or file != source.path:
                _link(file, copy)
        if by_file:
            _write_a_file_each(source, mapping, rows, copies[source.path].parent, timezone)
        else:
            copies[source.path].parent.mkdir(parents=True, exist_ok=True)
            _write_one(source, mapping, rows, copies[source.path], timezone, files)
    if unpacked.exists():
        shutil.rmtree(unpacked)


def _require_named_in_rows(path: Path, source: Source, mapping: ColumnMapping, *, by_file: bool) -> None:
    """Raise DataError unless rows, or files of people's own, say all that a made-up person must say."""
    used = {str(getattr(mapping, field)) for field in mapping.fields_used}
    if used & source.said_by_folders.keys() or used & {FOLDER_NAME, *(() if by_file else (FILE_NAME,))}:
        raise _no_room(path, "says who moves, when or where by the names of files or folders")
    if mapping.date or mapping.utc_offset_min or mapping.occupied or mapping.area:
        raise _no_room(path, "says a time or a place in two columns, or taxi rides by a flag")
    if mapping.step_m is not None or slot_min_from_format(mapping.time_format):
        raise _no_room(path, "says times by slots or places by numbered cells")


def _link(file: Path, copy: Path) -> None:
    """Put a file at another place without a copy of what is in it, where the disk allows it: it is only read."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    try:
        copy.hardlink_to(file.resolve())
    except OSError:
        shutil.copyfile(file, copy)


def _write_a_file_each(
    source: Source, mapping: ColumnMapping, rows: Sequence[AddedRow], folder: Path, timezone: str | None
) -> None:
    """Write a file for each made-up person, that begins as those of the others do."""
    name = source.path.name
    before, end = ("new_" if name.startswith("new_") else ""), name[name.index(".") :] if "." in name else ""
    for user in sorted({row.user for row in rows}):
        own = [row for row in rows if row.user == user]
        _write_one(source, mapping, own, folder / f"{before}{_USER.format(user)}{end}", timezone, keep=False)


def _write_one(
    source: Source,
    mapping: ColumnMapping,
    rows: Sequence[AddedRow],
    target: Path,
    timezone: str | None,
    files: Sequence[Path] = (),
    *,
    keep: bool = True,
) -> None:
    """Write one file with the rows at its end. Unless `keep`, its own rows are left out, and what stands above them stays."""
    if source.layout is None:
        _write_parquet(source.path, mapping, rows, target, timezone, files or [source.path], keep=keep)
    else:
        _append_text(source.path, source.layout, mapping, rows, target, timezone, keep=keep)


def _no_room(path: Path, reason: str) -> DataError:
    return DataError(
        "The audit adds people to text tables or Parquet files, one, a folder or an archive of them, whose rows name user, time and "
        f"place in columns of their own; {path.name} {reason}. Write it as such a table, or audit a sample."
    )


def _append_text(
    path: Path,
    layout: TextLayout,
    mapping: ColumnMapping,
    rows: Sequence[AddedRow],
    target: Path,
    timezone: str | None,
    *,
    keep: bool,
) -> None:
    written = io.StringIO()
    writer = csv.writer(written, delimiter=layout.delimiter, lineterminator="\n")
    written.write("\n")  # the last line of the file may have no end; a blank line is no row
    for row in rows:
        cells = dict.fromkeys(layout.columns, "")
        if mapping.user_id in cells:
            cells[str(mapping.user_id)] = _USER.format(row.user)
        cells[str(mapping.timestamp)] = _time_in_text(row.time, mapping, timezone)
        for field, value in zip(mapping.place_fields, _place_as_written(row.place, mapping), strict=True):
            cells[getattr(mapping, field)] = repr(value) if isinstance(value, float) else str(value)
        writer.writerow([cells[column] for column in layout.columns])
    encoding = "utf-16-le" if layout.encoding == "utf-16" else layout.encoding
    with _opened(path) as file:
        head = file.read(2)
    if layout.encoding == "utf-16" and head == b"\xfe\xff":
        encoding = "utf-16-be"
    above = "" if keep else "".join(_first_lines(path, layout))
    content = (above + written.getvalue()).encode(encoding)
    if keep:
        shutil.copyfile(path, target)
    elif encoding.startswith("utf-16"):
        content = head + content
    with target.open("ab") as sink:
        sink.write(gzip.compress(content) if _is_gzipped(path) else content)


def _first_lines(path: Path, layout: TextLayout) -> list[str]:
    """Return the lines above the rows of a text table, such as its header, each with its end."""
    with _opened(path) as file:
        text = io.TextIOWrapper(file, layout.encoding, errors="replace")
        return [text.readline() for _ in range(layout.skip)]


def _opened(path: Path) -> gzip.GzipFile | BinaryIO:
    """Open a text table as bytes, unpacked."""
    return gzip.open(path) if _is_gzipped(path) else path.open("rb")


def _is_gzipped(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == GZIP_MARK


def _write_parquet(
    path: Path,
    mapping: ColumnMapping,
    rows: Sequence[AddedRow],
    target: Path,
    timezone: str | None,
    files: Sequence[Path],
    *,
    keep: bool,
) -> None:
    with pq.ParquetFile(path) as file:
        schema = file.schema_arrow
        made: dict[str, list[Any]] = {}
        if mapping.user_id in schema.names:
            user = schema.field(str(mapping.user_id)).type
            first = _first_free_number(files, str(mapping.user_id)) if pa.types.is_integer(user) else None
            made[str(mapping.user_id)] = [
                _USER.format(row.user) if first is None else first + row.user for row in rows
            ]
        kind = schema.field(str(mapping.timestamp)).type
        made[str(mapping.timestamp)] = [_time_of_type(row.time, kind, mapping, timezone) for row in rows]
        places = [_place_as_written(row.place, mapping) for row in rows]
        for number, field in enumerate(mapping.place_fields):
            made[getattr(mapping, field)] = [place[number] for place in places]
        try:
            added = pa.table(
                [_column(made.get(field.name), field.type, len(rows)) for field in schema], schema=schema
            )
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise DataError(
                f"People cannot be added to {path.name}: its columns take no such values. Write it as a text table."
            ) from error
        with pq.ParquetWriter(target, schema) as writer:
            for batch in file.iter_batches() if keep else ():
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


def _first_free_number(files: Sequence[Path], column: str) -> int:
    """Return a number above all in a column of whole numbers."""
    most = 0
    for path in files:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=[column]):
                most = max(most, pc.max(batch.column(0)).as_py() or 0)
    return most + 1


def _place_as_written(place: tuple[Any, ...], mapping: ColumnMapping) -> tuple[Any, ...]:
    """Return a place as the file says its own: degrees become x and y where those are what it holds."""
    if mapping.crs is None:
        return place
    east, north = projected_from_degrees(mapping.crs, np.array(place[::2]), np.array(place[1::2]))
    return tuple(value for pair in zip(east.tolist(), north.tolist(), strict=True) for value in pair)


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
