"""Parquet and Arrow files: their columns, their first rows, and Arrow as Parquet.

Knows files of typed columns; knows nothing of what the columns mean.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from privlab.checks import DataError, UnlikeFilesError
from privlab.datasets.files.file_kinds import FileFormat, GoOn
from privlab.datasets.files.unpacked_sizes import (
    require_arrow_unpacks,
    require_parquet_unpacks,
    require_sound,
)
from privlab.datasets.layouts.layouts import NoRows, require_few_columns, require_names_apart

_MOST_US = 2**63 - 1


def columns_from_path(path: Path, format: FileFormat) -> tuple[str, ...]:
    """Return the names of the columns; raise a DataError if there are no rows, or two names are alike."""
    columns = tuple(_schema(path, format).names)
    require_few_columns(columns, path)
    require_names_apart(columns, path)
    return columns


def _schema(path: Path, format: FileFormat) -> pa.Schema:
    with _whole(path):
        if format == "arrow":
            n_rows = require_arrow_unpacks(path)
            with pa.memory_map(str(path)) as file:
                schema = pa.ipc.open_file(file).schema
        else:
            with pq.ParquetFile(path) as described:
                n_rows, schema = described.metadata.num_rows, described.schema_arrow
                require_parquet_unpacks(path, described)
    if not n_rows:
        raise NoRows(f"{path.name} has columns but no rows.")
    return schema


def types_from_path(path: Path) -> dict[str, str]:
    """Return the types of the columns of a Parquet or Arrow file, as words."""
    with _whole(path):
        with path.open("rb") as file:
            is_arrow = file.read(6) == b"ARROW1"
        if is_arrow:
            with pa.memory_map(str(path)) as mapped:
                schema = pa.ipc.open_file(mapped).schema
        else:
            schema = pq.read_schema(path)
    return {field.name: str(field.type) for field in schema}


def require_columns_alike(one: tuple[str, Collection[str]], other: tuple[str, Collection[str]]) -> None:
    """Raise a DataError unless two files, each its name and its columns, have the same columns, in any order."""
    if differing := sorted(set(one[1]) ^ set(other[1])):
        column = differing[0]
        owner, lacking = (one, other) if column in one[1] else (other, one)
        raise UnlikeFilesError(
            f"The files differ in their columns: {owner[0]} has {column!r}, "
            f"{lacking[0]} has not. Open one of them alone, or keep files of one kind in the folder.",
            column=column,
        )


def require_types_alike(
    one: tuple[str, Mapping[str, str]], other: tuple[str, Mapping[str, str]], columns: Sequence[str]
) -> None:
    """Raise DataError unless two typed files, each its name and its types, agree in the types of the columns used.

    An engine would read both as one type, and one file could change the others' ids or times.
    """
    for column in columns:
        if column in one[1] and other[1].get(column) != one[1][column]:
            raise DataError(
                f"Column {column!r} is {one[1][column]} in {one[0]} and {other[1].get(column)} in "
                f"{other[0]}. For a secure release, write all files with the same types.",
                column=column,
            )


def first_rows_from_path(path: Path, format: FileFormat, n_rows: int) -> tuple[tuple[str, ...], ...]:
    """Return the first rows as texts; missing values are empty."""
    with _whole(path):
        if format == "arrow":
            with pa.memory_map(str(path)) as file:
                described = pa.ipc.open_file(file)
                rows = next(batch for batch in _batches(described, path) if batch.num_rows)
                return _texts(rows.slice(0, n_rows))
        with pq.ParquetFile(path) as file:
            return _texts(next(file.iter_batches(batch_size=n_rows)))


def _batches(described: pa.ipc.RecordBatchFileReader, path: Path) -> Iterator[pa.RecordBatch]:
    for number in range(described.num_record_batches):
        batch = described.get_batch(number)
        require_sound(batch, path)
        yield batch


def _texts(rows: pa.RecordBatch) -> tuple[tuple[str, ...], ...]:
    return tuple(zip(*([_text(cell) for cell in column] for column in rows.columns), strict=True))


def _text(cell: pa.Scalar) -> str:
    try:
        value = cell.as_py()
    except (OverflowError, ValueError):  # a time beyond Python's, a text that does not decode
        return "(unreadable)"
    return "" if value is None else str(value)[:200]


def rewrite_as_parquet(path: Path, target: Path) -> None:
    """Write an Arrow file to `target` as Parquet, batch by batch."""
    with _whole(path), pa.memory_map(str(path)) as file:
        described = pa.ipc.open_file(file)
        with pq.ParquetWriter(target, described.schema, compression="zstd") as writer:
            for batch in _batches(described, path):
                writer.write_batch(batch)


def mend_cells(path: Path, target: Path, go_on: GoOn) -> bool:
    """Write a Parquet file to `target` with those cells missing that end the database's reading of all; return whether there are any.

    They are times beyond what it can hold, and texts that are no UTF-8.
    """
    n_mended = 0
    with _whole(path), pq.ParquetFile(path, coerce_int96_timestamp_unit="us") as file:
        kinds = {field.name: field.type for field in file.schema_arrow}
        plain = [
            (name, kind.value_type if pa.types.is_dictionary(kind) else kind) for name, kind in kinds.items()
        ]
        with pq.ParquetWriter(target, schema := pa.schema(plain), compression="zstd") as writer:
            for batch in file.iter_batches():
                go_on()
                columns = [_mended(column) for column in batch.columns]
                n_mended += sum(n for _, n in columns)
                writer.write_batch(pa.record_batch([column for column, _ in columns], schema=schema))
    return n_mended > 0


def _mended(column: pa.Array) -> tuple[pa.Array, int]:
    """Return a column with the cells missing that the database cannot read, and how many they are."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if pa.types.is_timestamp(kind):
        most = (
            _MOST_US // 1000 if kind.unit == "ms" else _MOST_US
        )  # the database holds microseconds, and no least number
        numbers = column.view(pa.int64())
        beyond = pc.or_(pc.less(numbers, -most), pc.greater(numbers, most))
        return pc.if_else(beyond, pa.scalar(None, kind), column), pc.sum(beyond).as_py() or 0
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid:
            cells = column.view(pa.binary() if pa.types.is_string(kind) else pa.large_binary()).to_pylist()
            texts = [None if cell is None else _decoded(cell) for cell in cells]
            return pa.array(texts, kind), texts.count(None) - cells.count(None)
    return column, 0


def _decoded(cell: bytes) -> str | None:
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return None


@contextmanager
def _whole(path: Path) -> Iterator[None]:
    """Turn what goes wrong on opening a Parquet or Arrow file into a DataError that names it."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeError) as error:
        kind = "Arrow" if path.suffix.lower() in (".arrow", ".feather", ".ipc") else "Parquet"
        raise DataError(
            f"{path.name} is a damaged {kind} file. Was it copied only in part? If not, write it anew, or save its table as CSV."
        ) from error
