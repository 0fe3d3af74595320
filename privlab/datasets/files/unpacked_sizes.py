"""How large a Parquet or Arrow file is once each value stands by itself, found without holding them all.

Knows row groups, dictionaries and record batches; knows nothing of what the columns mean. What a file's own end says of the size of its
parts is believed, as its readers believe it.
"""

import struct
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from privlab.checks import DataError
from privlab.datasets.files.file_kinds import require_ratio
from privlab.datasets.files.parquet_footers import Part, parts_from_footer
from privlab.limits import MAX_UNPACKED_RATIO, REPEATED_FREE_MB

_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 12}
_ROWS = 65_536  # decoded at once
_TEXTS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
_VIEWS = (
    pa.types.is_string_view,
    pa.types.is_binary_view,
)  # of texts that lie elsewhere; 16 bytes each, the length first
_LISTS = (pa.types.is_list_view, pa.types.is_large_list_view)
_BATCH_BYTES = 64_000_000  # likewise, where each value may be long
_END_BYTES = 10  # of an Arrow file: how long the list of its parts is, and its mark
_PART = (
    "<qi4xq"  # of that list: where a part begins, how long its description is, and how long what it describes
)


def require_parquet_unpacks(path: Path, parquet: pq.ParquetFile) -> None:
    """Raise a DataError if a Parquet file grows as no table does, by what it says of itself or by values that it repeats."""
    about, packed = parquet.metadata, path.stat().st_size
    require_ratio(path, packed, sum(about.row_group(n).total_byte_size for n in range(about.num_row_groups)))
    require_values_fit(path, packed, parquet_bytes(path, parquet, most_of_values(packed)))


def most_of_values(packed: int) -> int:
    """Return how many bytes the values of a file of `packed` bytes may be, each counted as often as it stands there."""
    return max(REPEATED_FREE_MB * 1_000_000, MAX_UNPACKED_RATIO * packed)


def require_values_fit(path: Path, packed: int, unpacked: int) -> None:
    """Raise a DataError if the values of a file are more than most_of_values."""
    if unpacked > most_of_values(packed):
        raise DataError(
            f"{path.name} repeats values so often that they are more than {REPEATED_FREE_MB / 1_000:g} GB, and {MAX_UNPACKED_RATIO} times "
            "its size. Is it a table? Divide it, or give long values shorter names, if it is."
        )


def parquet_bytes(path: Path, parquet: pq.ParquetFile, most: int) -> int:
    """Return how many bytes the values of a Parquet file are, each counted as often as it stands there.

    No more than `most` is estimated, from above; beyond it what comes back is the first sum found that is more. Texts within lists and
    structures, which are no column of a table, count as they are stored.
    """
    columns = [parquet.schema.column(at) for at in range(parquet.metadata.num_columns)]
    groups, fixed, widest, texts = parts_from_footer(path, len(columns)), 0, 0, list[tuple[int, str, Part]]()
    for group, parts in enumerate(groups):
        for column, part in zip(columns, parts, strict=True):
            if column.physical_type != "BYTE_ARRAY":
                fixed += part.n_values * (_WIDTHS.get(column.physical_type) or max(1, column.length))
                continue
            fixed += part.stored
            if column.path == column.name:
                # No value is longer than its part, in which it stands once at least.
                widest += part.n_values * part.stored
                texts.append((group, column.name, part))
    if not 0 < most - fixed < widest:
        return fixed + widest
    names = sorted({name for _, name, _ in texts})
    with path.open("rb") as file, pq.ParquetFile(file, read_dictionary=names) as repeated:
        widest = sum(part.n_values * _longest(repeated, group, name, part) for group, name, part in texts)
        if fixed + widest <= most:
            return fixed + widest
        for group, name, part in texts:
            for n_bytes in _bytes_by_batch(repeated, parquet, group, name, part):
                fixed += n_bytes
                if fixed > most:
                    return fixed
    return fixed


def _longest(repeated: pq.ParquetFile, group: int, name: str, part: Part) -> int:
    """Return how long the longest value of a part's dictionary is, which comes with its first row; the whole part where it cannot be told."""
    if part.shares_beginnings:  # Arrow reads no dictionary of these
        return part.stored
    first = next(repeated.iter_batches(1, row_groups=[group], columns=[name]), None)
    if first is None:
        return 0
    if not pa.types.is_dictionary(first.column(0).type):
        return part.stored
    return int(pc.max(pc.binary_length(first.column(0).dictionary)).as_py() or 0)


def _bytes_by_batch(
    repeated: pq.ParquetFile, parquet: pq.ParquetFile, group: int, name: str, part: Part
) -> Iterator[int]:
    """Yield how many bytes the values of a part are, some rows at a time."""
    if part.shares_beginnings:
        rows = max(1, min(_ROWS, _BATCH_BYTES // max(1, part.stored)))
        for batch in parquet.iter_batches(rows, row_groups=[group], columns=[name]):
            yield batch.nbytes
        return
    for batch in repeated.iter_batches(_ROWS, row_groups=[group], columns=[name]):
        yield value_bytes(batch.column(0))


def require_sound(batch: pa.RecordBatch, path: Path) -> None:
    """Raise an ArrowInvalid if a part of a file is damaged: offsets that lead out of it would end the process; a DataError if texts are."""
    try:
        batch.validate(full=True)
    except pa.ArrowInvalid:
        _require_texts(batch, path)
        raise


def _require_texts(batch: pa.RecordBatch, path: Path) -> None:
    """Raise a DataError that names the column if all that is wrong with one is that its texts are no UTF-8."""
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        bytes_of = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}.get(column.type)
        if bytes_of is None:
            continue
        try:
            column.view(bytes_of).validate(full=True)
        except pa.ArrowInvalid:
            continue
        try:
            column.validate(full=True)
        except pa.ArrowInvalid as error:
            raise DataError(
                f"Column {name!r} of {path.name} holds text that is not UTF-8. Write the file anew with it as UTF-8, or save the table as CSV.",
                column=name,
            ) from error


def require_arrow_unpacks(path: Path) -> int:
    """Return how many rows an Arrow file has; raise a DataError if it grows as no table does, before it is unpacked.

    Raises ArrowInvalid if it is damaged.
    """
    packed = path.stat().st_size
    try:
        with path.open("rb") as file:
            require_ratio(path, packed, sum(_arrow_parts(file, packed)))
    except (struct.error, IndexError, OverflowError) as error:
        raise pa.ArrowInvalid("parts that lie outside the file") from error
    n_rows, values = 0, 0
    with pa.memory_map(str(path)) as mapped:
        described = pa.ipc.open_file(mapped)
        for number in range(described.num_record_batches):
            batch = described.get_batch(number)
            require_sound(batch, path)
            n_rows += batch.num_rows
            values += sum(value_bytes(column) for column in batch.columns)
            require_values_fit(path, packed, values)
    return n_rows


def value_bytes(column: pa.Array) -> int:
    """Return how many bytes the values of a column are, those that a dictionary or a view repeats counted as often as they stand there.

    >>> value_bytes(pa.array(["abc", "abc", None, "x"]).dictionary_encode()), value_bytes(pa.array([1, 2]))
    (7, 16)
    """
    kind = column.type
    if pa.types.is_dictionary(kind) and _is(_TEXTS, kind.value_type):
        return int(pc.sum(pc.binary_length(column.dictionary).take(column.indices)).as_py() or 0)
    if _is(_TEXTS, kind):
        return int(pc.sum(pc.binary_length(column)).as_py() or 0)
    if _is(_VIEWS, kind) and len(column):
        lengths = np.frombuffer(column.buffers()[1], dtype=np.int32)[::4][
            column.offset : column.offset + len(column)
        ]
        return int(lengths.sum(dtype=np.int64))
    if _is(_LISTS, kind):
        return 8 * int(pc.sum(column.sizes).as_py() or 0)
    return int(column.nbytes)


def _is(kinds: Iterable[Callable[[pa.DataType], bool]], kind: pa.DataType) -> bool:
    return any(is_such(kind) for is_such in kinds)


def _arrow_parts(file: BinaryIO, size: int) -> Iterator[int]:
    """Yield how many bytes each part of an Arrow file unpacks to, dictionaries included, by what it says before its buffers.

    A part's description is a table of Flatbuffers, as https://arrow.apache.org/docs/format/Columnar.html says. Of each row one byte
    at least is counted: a column without a value has no buffer.
    """
    end = _read(file, size - _END_BYTES, 4)
    (length,) = struct.unpack("<i", end)
    footer = _Table.of(_read(file, size - _END_BYTES - length, length))
    for which in (2, 3):  # dictionaries, then batches of rows
        for at in footer.items(which, struct.calcsize(_PART)):
            begins, n_described, _ = struct.unpack_from(_PART, footer.data, at)
            message = _read(file, begins, n_described)
            message = message[8:] if message[:4] == b"\xff\xff\xff\xff" else message[4:]
            rows = _Table.of(message).table(2)
            rows = rows.table(1) if which == 2 else rows
            yield _counted(rows.number(0, "<q"))
            for buffer in rows.items(2, 16):
                offset, n_bytes = struct.unpack_from("<qq", rows.data, buffer)
                if n_bytes and rows.place(3):  # compressed: its size stands before it, -1 for one that is not
                    (unpacked,) = struct.unpack("<q", _read(file, begins + n_described + offset, 8))
                    n_bytes = n_bytes if unpacked == -1 else unpacked
                yield _counted(n_bytes)


def _counted(number: int) -> int:
    if number < 0:
        raise IndexError(number)
    return number


def _read(file: BinaryIO, at: int, n_bytes: int) -> bytes:
    file.seek(_counted(at))
    return file.read(_counted(n_bytes))


class _Table:
    """A table of Flatbuffers: `at` is where it begins in `data`."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self._at = data, at

    @classmethod
    def of(cls, data: bytes) -> "_Table":
        return cls(data, *struct.unpack_from("<I", data))

    def place(self, field: int) -> int:
        """Return where a field stands, 0 if it has none."""
        about = self._at - struct.unpack_from("<i", self.data, self._at)[0]
        if about < 0 or 4 + 2 * field >= struct.unpack_from("<H", self.data, about)[0]:
            return 0
        (away,) = struct.unpack_from("<H", self.data, about + 4 + 2 * field)
        return self._at + away if away else 0

    def number(self, field: int, form: str) -> int:
        """Return the number in a field, 0 if it has none."""
        at = self.place(field)
        return int(struct.unpack_from(form, self.data, at)[0]) if at else 0

    def table(self, field: int) -> "_Table":
        """Return the table that a field leads to."""
        at = self.place(field)
        if not at:
            raise IndexError(field)
        return _Table(self.data, at + struct.unpack_from("<I", self.data, at)[0])

    def items(self, field: int, size: int) -> Iterator[int]:
        """Yield where each item of a field's list begins."""
        at = self.place(field)
        if at:
            at += struct.unpack_from("<I", self.data, at)[0]
            for number in range(struct.unpack_from("<I", self.data, at)[0]):
                yield at + 4 + number * size
