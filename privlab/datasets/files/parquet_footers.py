"""What the end of a Parquet file says of its parts, read without Arrow, which ends the process where some of it is damaged.

Knows the compact protocol of Thrift and the numbers of fields, as https://github.com/apache/parquet-format says; knows no values.
"""

import struct
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

_GROUPS, _COLUMNS, _ABOUT = 4, 1, 3  # fields: of a file, of a group of rows, of a part
_ENCODINGS, _N_VALUES, _STORED = 2, 5, 6  # fields of what is said about a part
_DELTA_BYTE_ARRAY = 7
_TRUE, _FALSE, _DOUBLE, _BYTES, _LIST, _SET, _MAP, _STRUCT, _UUID = 1, 2, 7, 8, 9, 10, 11, 12, 13
_WIDTHS = {3: 1, _DOUBLE: 8, _UUID: 16}  # of values that are passed over, in bytes
_INTEGERS = (4, 5, 6)
_MOST_DEEP = 32


class Part(NamedTuple):
    """The rows of one column in one group of rows: how many values, their bytes unpacked, and whether they share beginnings."""

    n_values: int
    stored: int
    shares_beginnings: bool


def parts_from_footer(path: Path, n_columns: int) -> tuple[tuple[Part, ...], ...]:
    """Return the parts of each group of rows of a Parquet file, as many of each as there are columns; raise ArrowInvalid if it is damaged."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 8))
        (length,) = struct.unpack("<I", file.read(4).ljust(4, b"\0"))
        file.seek(max(0, size - 8 - length))
        data = file.read(length)
    try:
        about, _ = _structure(data, 0, 0)
        groups = tuple(tuple(map(_part, group[_COLUMNS])) for group in about[_GROUPS])
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise pa.ArrowInvalid("an end that cannot be read") from error
    if any(len(group) != n_columns for group in groups):
        raise pa.ArrowInvalid("a group of rows without one of its columns")
    return groups


def _part(part: dict[int, Any]) -> Part:
    about = part[_ABOUT]
    n_values, stored = int(about[_N_VALUES]), int(about[_STORED])
    if n_values < 0 or stored < 0:
        raise ValueError(n_values, stored)
    return Part(n_values, stored, _DELTA_BYTE_ARRAY in about[_ENCODINGS])


def _structure(data: bytes, at: int, depth: int) -> tuple[dict[int, Any], int]:
    """Return the fields of a structure by number, and where it ends."""
    fields, number = dict[int, Any](), 0
    if depth > _MOST_DEEP:
        raise ValueError(depth)
    while head := data[at]:
        at += 1
        if head >> 4:
            number += head >> 4
        else:
            number, at = _integer(data, at)
        kind = head & 15
        if kind in (_TRUE, _FALSE):
            fields[number] = kind == _TRUE
        else:
            fields[number], at = _value(data, at, kind, depth + 1)
    return fields, at + 1


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    """Return a value that begins at a place, None if it is passed over, and where it ends."""
    if kind in _INTEGERS:
        return _integer(data, at)
    if kind == _STRUCT:
        return _structure(data, at, depth)
    if kind == _BYTES:
        length, at = _varint(data, at)
        return None, _inside(data, at + length)
    if kind in (_LIST, _SET):
        n_items, kind, at = data[at] >> 4, data[at] & 15, at + 1
        if n_items == 15:
            n_items, at = _varint(data, at)
        return _items(data, at, n_items, [kind], depth)
    if kind == _MAP:
        n_items, at = _varint(data, at)
        kinds = [data[at] >> 4, data[at] & 15] if n_items else []
        return _items(data, at + bool(n_items), n_items, kinds, depth)
    return None, _inside(data, at + _WIDTHS[kind])


def _items(data: bytes, at: int, n_items: int, kinds: list[int], depth: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    if depth > _MOST_DEEP or n_items > len(data):  # an item is a byte at least
        raise ValueError(n_items)
    for _ in range(n_items):
        for kind in kinds:
            item, at = (
                (None, _inside(data, at + 1))
                if kind in (_TRUE, _FALSE)
                else _value(data, at, kind, depth + 1)
            )
            items.append(item)
    return items, at


def _inside(data: bytes, at: int) -> int:
    if at > len(data):
        raise IndexError(at)
    return at


def _integer(data: bytes, at: int) -> tuple[int, int]:
    """Return a number with its sign, which is written in the last bit, and where it ends."""
    number, at = _varint(data, at)
    return (number >> 1) ^ -(number & 1), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number that is written seven bits a byte, the lowest first, and where it ends."""
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7
        if shift > 63:
            raise ValueError(shift)
