"""The layout of a text table: delimiter, header, and where the rows begin.

Knows the first megabyte of a file; reads no further.
"""

import csv
import io
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from privlab.checks import DataError
from privlab.datasets.columns import mapping_from_columns
from privlab.datasets.files import HEAD_BYTES, encoding_from_head, text_from_head
from privlab.datasets.time_shapes import reading_from_shape

MAX_COLUMNS = 4_000
DELIMITERS = ",;\t|"
_SAMPLED_ROWS = 200


@dataclass(frozen=True, slots=True)
class TextLayout:
    """How a text table is written. `skip` counts the lines before the first row, header included."""

    encoding: str
    delimiter: str
    columns: tuple[str, ...]
    skip: int
    rows: tuple[tuple[str, ...], ...]


def layout_from_head(head: bytes, path: Path) -> TextLayout:
    """Return the layout of the text table that begins with `head`.

    Raises a DataError if it has no header, no rows, a single column or two columns of one name.
    """
    encoding = encoding_from_head(head, path)
    text = text_from_head(head, encoding)
    lines = re.split(r"\r\n|\r|\n", text)
    blank = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    if len(head) >= HEAD_BYTES:
        if len(lines) - blank < 2:
            raise DataError(
                f"The first line of {path.name} is longer than a megabyte. Is it a table with a header?"
            )
        lines.pop()  # cut off in its middle
    body = "\n".join(lines[blank:])
    delimiter = max(DELIMITERS, key=lambda one: _fit(body, one))
    header, *rows = _rows(body, delimiter) or [[""]]
    columns = tuple(name.strip() for name in header)
    if rows and columns[-1] != "" and all(len(row) == len(columns) + 1 and not row[-1] for row in rows):
        columns = (*columns, "")  # every row ends in a delimiter, the header does not
    _require_header(columns, path)
    if not rows:
        raise DataError(f"{path.name} has a header but no rows.")
    if len(rows) == _SAMPLED_ROWS - 1 or len(head) < HEAD_BYTES:
        _require_one_fit(columns, rows, path)
    return TextLayout(encoding, delimiter, columns, blank + 1, tuple(tuple(row) for row in rows))


def _rows(body: str, delimiter: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter)
    rows: list[list[str]] = []
    # A field longer than the reader allows: a quote left open. What stands before it tells the layout.
    with suppress(csv.Error):
        rows.extend(islice((row for row in reader if any(cell.strip() for cell in row)), _SAMPLED_ROWS))
    return rows


def _fit(body: str, delimiter: str) -> tuple[bool, float, int]:
    """Return how well a delimiter explains the first rows: columns at all, agreement, columns."""
    header, *rows = _rows(body, delimiter) or [[]]
    n = len(header)
    agreeing = sum(len(row) in (n, n + 1) for row in rows) / len(rows) if rows else 1.0
    return n > 1, round(agreeing, 1), n


def _require_header(columns: Sequence[str], path: Path) -> None:
    if len(columns) > MAX_COLUMNS:
        raise DataError(
            f"{path.name} has {len(columns):,} columns, more than {MAX_COLUMNS:,}. Is the delimiter right?"
        )
    if any(ord(letter) < 32 for name in columns for letter in name if letter not in "\t\n\r"):
        raise DataError(f"{path.name} is not a text file: its first line holds binary data.")
    named = [name for name in columns if name]
    if not named:
        raise DataError(f"{path.name} names no columns in its first line.")
    # A file whose first row is data has numbers and times where names should be.
    guess = mapping_from_columns(columns)
    known = guess.user_id or guess.timestamp or guess.zone or guess.lat
    if not known and named and 2 * sum(map(_is_data, named)) >= len(named):
        raise DataError(
            f"{path.name} has no header: its first row is data ({', '.join(named[:5])}). "
            "Add a first line that names the columns.",
            row=1,
        )
    if len(columns) == 1:
        raise DataError(
            f"{path.name} has a single column, {columns[0][:60]!r}. "
            "Are the columns separated by a comma, semicolon, tab or bar?"
        )
    for index, name in enumerate(columns):
        if name and name in columns[:index]:
            raise DataError(
                f"{path.name} has two columns named {name!r}. Rename one of them.", row=1, column=name
            )


def _is_data(name: str) -> bool:
    if re.fullmatch(r"[-+]?\d+([.,]\d*)?([eE][-+]?\d+)?", name):
        return True
    return reading_from_shape(re.sub(r"\d", "9", name)) is not None


def _require_one_fit(columns: Sequence[str], rows: Sequence[Sequence[str]], path: Path) -> None:
    if all(len(row) != len(columns) for row in rows):
        raise DataError(
            f"No row of {path.name} has as many fields as the header: row 2 has {len(rows[0])}, the header "
            f"{len(columns)}. Is a delimiter missing or not quoted?",
            row=2,
        )
