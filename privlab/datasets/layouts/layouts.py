"""The layout of a text table: delimiter, columns, where the rows begin; names for columns that have none."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path

from privlab.checks import DataError
from privlab.datasets.columns.guessed_mapping import mapping_from_columns
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.files.containers import ONE_PERSONS_TIMELINE
from privlab.datasets.files.delimiters import DELIMITERS, SAMPLED_ROWS, delimiter_from_text, rows_of_text
from privlab.datasets.files.file_kinds import HEAD_BYTES, encoding_from_head, text_from_head
from privlab.datasets.layouts.known_layouts import AUTO, HEADERLESS, KNOWN, TABLE, format_from_lines
from privlab.datasets.times.shapes import BLANKS, reading_from_shape

_WRITTEN_IN_UTC = re.compile(r" \+0000 \d{4}$")  # as in check-ins: Tue Apr 03 18:00:09 +0000 2012
_DECIMAL = re.compile(r"[-+]?\d{1,3}[.,]\d+")


def is_data(text: str) -> bool:
    """Return whether a text is a number or a time, as no name of a column is.

    >>> is_data("48.5"), is_data("2014-09-13 07:24"), is_data("lat")
    (True, True, False)
    """
    return re.fullmatch(r"[-+]?\d+([.,]\d*)?([eE][-+]?\d+)?", text) is not None or _is_time(text)


def numbered_columns(n_columns: int) -> tuple[str, ...]:
    """Return names for columns that have none: "column 1", "column 2" …"""
    return tuple(f"column {number}" for number in range(1, n_columns + 1))


def mapping_from_values(names: Sequence[str], rows: Sequence[Sequence[str]]) -> ColumnMapping:
    """Return what the columns of a table without names may mean, by what stands in them.

    The first column of times is the time; two columns of decimal degrees, latitude before longitude
    unless only the other order is possible, are the place; the first other column is the user, and
    without coordinates the next one the zone, or the next two an origin and a destination if there is
    no more than these. After a time that stands first, two columns of the same zones and a number are flows that name no user. A column
    of quarters of an hour beside times that are written in UTC is how far a place is ahead of it.
    """
    cells = {name: [row[n].strip() for row in rows if n < len(row)] for n, name in enumerate(names)}
    times = [name for name in names if _all(cells[name], _is_time)]
    time = next((name for name in times if not _all(cells[name], str.isdigit)), times[0] if times else None)
    degrees = [name for name in names if _all(cells[name], lambda text: _DECIMAL.fullmatch(text) is not None)]
    others = [name for name in names if name != time and name not in degrees]
    offset = None
    if time is not None and _all(cells[time], lambda text: _WRITTEN_IN_UTC.search(text) is not None):
        offset = next((name for name in others if _all(cells[name], _is_offset_min)), None)
    others = [name for name in others if name != offset]
    if time == names[0] and not degrees and (flows := _flows_from_values(others, cells)):
        origin, destination, count = flows
        return ColumnMapping(timestamp=time, origin=origin, destination=destination, count=count)
    user = others[0] if others else None
    if len(degrees) >= 2:
        lat, lon = degrees[:2]
        if max(abs(float(text.replace(",", "."))) for text in cells[lat] if text) > 90:
            lat, lon = lon, lat
        return ColumnMapping(user_id=user, timestamp=time, utc_offset_min=offset, lat=lat, lon=lon)
    zones = others[1:]
    if len(zones) == 2 and len(names) == 4 and time is not None:
        return ColumnMapping(user_id=user, timestamp=time, origin=zones[0], destination=zones[1])
    return ColumnMapping(
        user_id=user, timestamp=time, utc_offset_min=offset, zone=zones[0] if zones else None
    )


def _flows_from_values(others: Sequence[str], cells: dict[str, list[str]]) -> tuple[str, str, str] | None:
    """Return two columns beside each other that hold the same zones, and the first number after them; None where there are no such columns.

    Of numbers they are taken for zones only where two columns more say something of them, as of calls between antennas: how many, how long.
    """
    for place, (one, other) in enumerate(pairwise(others)):
        here, there = ({cell for cell in cells[name] if cell} for name in (one, other))
        after = [name for name in others[place + 2 :] if _all(cells[name], str.isdigit)]
        are_numbers = all(cell.lstrip("-").isdigit() for cell in here | there)
        is_alike = bool(here and there) and 2 * len(here & there) >= min(len(here), len(there))
        if is_alike and (place == 0 and len(after) >= 2 if are_numbers else bool(after)):
            return one, other, after[0]
    return None


def _is_offset_min(text: str) -> bool:
    """Return whether a text may be minutes that a place is ahead of UTC."""
    return re.fullmatch(r"-?\d{1,3}", text) is not None and int(text) % 15 == 0 and abs(int(text)) <= 14 * 60


def _all(cells: Sequence[str], holds: object) -> bool:
    present = [cell for cell in cells if cell]
    return bool(present) and callable(holds) and all(holds(cell) for cell in present)


def _is_time(text: str) -> bool:
    return reading_from_shape(re.sub(r"\d", "9", text)) is not None


MAX_COLUMNS = 4_000
_START = 1 << 15  # letters; the first rows mostly lie in these
_JSON = re.compile(r'\s*(\[\s*)?\{\s*"[^"]*"\s*:')  # one object, one on each line, or a list of them
_NO_ROW = re.compile(rf"\n[\s{re.escape(DELIMITERS)}]*\n")  # a line that is blank, whatever cuts it


class NoRows(DataError):
    """A file that has columns but no rows: no fault where other files have some."""


@dataclass(frozen=True, slots=True)
class TextLayout:
    """How a text table is written, and what its columns may mean.

    `skip` counts the lines before the first row, header included. `format` is one of `FORMATS`. `rows`
    are the first ones, of a folder those of its first file alone.
    """

    encoding: str
    delimiter: str
    columns: tuple[str, ...]
    skip: int
    rows: tuple[tuple[str, ...], ...]
    format: str
    mapping: ColumnMapping


def layout_from_head(
    head: bytes, path: Path, wanted: str = AUTO, before: TextLayout | None = None
) -> TextLayout:
    """Return the layout of the text table that begins with `head`.

    `wanted` is one of `FORMATS`; `before` is the layout of another file of the same folder, whose columns then
    mean the same, if they have the same names. Raises a DataError if the file is not written so, has no rows, a
    single column or two columns of one name.
    """
    encoding = encoding_from_head(head, path)
    text = _enough(text_from_head(head, encoding))
    if _JSON.match(text):
        raise DataError(
            f"{path.name} holds JSON, which is no table. Save it as CSV, Parquet or Excel.{_what_json(text, path)}"
        )
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    blank = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    if len(head) >= HEAD_BYTES:
        if len(lines) - blank < 2:
            raise DataError(
                f"The first line of {path.name} is longer than a megabyte. Is it a table with a header?"
            )
        lines.pop()  # cut off in its middle
    known = format_from_lines(lines[:SAMPLED_ROWS]) if wanted == AUTO else wanted
    if known in KNOWN:
        return _known(known, lines, encoding, path, is_first=before is None)
    body = "\n".join(lines[blank:])
    delimiter = delimiter_from_text(body)
    first, *rows = rows_of_text(body, delimiter) or [[""]]
    columns = tuple(name.strip(BLANKS) for name in first)
    require_few_columns(columns, path)
    is_same = before is not None and before.format == TABLE and before.columns == columns
    named = is_same or (wanted != HEADERLESS and not (wanted == AUTO and _has_no_header(columns)))
    if not named:
        rows, columns, blank = [first, *rows], numbered_columns(len(first)), blank - 1
    elif rows and columns[-1] != "" and all(len(row) == len(columns) + 1 and not row[-1] for row in rows):
        columns = (*columns, "")  # every row ends in a delimiter, the header does not
    line = blank + 1 if named else blank + 2
    require_header(columns, path, line)
    if not rows:
        raise NoRows(f"{path.name} has a header but no rows.")
    if len(rows) == SAMPLED_ROWS - 1 or len(head) < HEAD_BYTES:
        next_line = next(n for n, text in enumerate(lines[blank + 1 :], blank + 2) if text.strip())
        _require_one_fit(columns, rows, path, next_line)
    if is_same and before is not None:
        mapping = before.mapping
    else:
        mapping = mapping_from_columns(columns, rows) if named else mapping_from_values(columns, rows)
    return TextLayout(
        encoding=encoding,
        delimiter=delimiter,
        columns=columns,
        skip=blank + 1,
        rows=tuple(tuple(row) for row in rows) if before is None else (),
        format=TABLE if named else HEADERLESS,
        mapping=mapping,
    )


def _what_json(text: str, path: Path) -> str:
    """Return what else can be done with a file of JSON, by the names at its beginning."""
    start = text[:_START]
    if re.search(r'"(semanticSegments|timelineObjects|latitudeE7|placeVisit)"', start) or (
        '"startTime"' in start and '"visit"' in start
    ):
        return f" {ONE_PERSONS_TIMELINE.format(name=path.name)}"
    if re.search(r'"FeatureCollection"', start):
        return " A map of zones goes beside a file of data, as the file that says where its zones lie."
    return ""


def _enough(text: str) -> str:
    """Return so much of a text's beginning as tells its layout, which is the whole text unless every line there is a row."""
    end = text.rfind("\n", 0, _START)
    if end < 0 or text.count("\n", 0, end) < 2 * SAMPLED_ROWS:
        return text
    start = text[:end]
    return text if '"' in start or _NO_ROW.search(f"\n{start}\n") else start


def _known(name: str, lines: Sequence[str], encoding: str, path: Path, *, is_first: bool) -> TextLayout:
    layout = KNOWN[name]
    body = list(islice((line for line in lines[layout.skip :] if line.strip()), SAMPLED_ROWS))
    if layout.first_line and not lines[0].strip().lower().startswith(layout.first_line):
        body = list(lines[:1])
    if not body:
        raise NoRows(f"{path.name} has no rows.")
    if not any(layout.line.fullmatch(line.strip()) for line in body):
        raise DataError(
            f"{path.name} is not in the format {name!r} ({layout.title}): its first row is "
            f"{body[0].strip()[:80]!r}.",
            row=layout.skip + 1,
        )
    rows = rows_of_text("\n".join(body), layout.delimiter) if is_first else []
    return TextLayout(
        encoding=encoding,
        delimiter=layout.delimiter,
        columns=layout.columns,
        skip=layout.skip,
        rows=tuple(tuple(row) for row in rows),
        format=name,
        mapping=layout.mapping,
    )


def _has_no_header(columns: Sequence[str]) -> bool:
    """Return whether numbers and times stand where names should be."""
    named = [name for name in columns if name]
    guess = mapping_from_columns(columns)
    known = guess.user_id or guess.timestamp or guess.zone or guess.lat or guess.origin
    degrees = [name for name in named if _DECIMAL.fullmatch(name)]
    is_data_line = 2 * sum(map(is_data, named)) >= len(named) or len(degrees) >= 2
    return len(columns) > 1 and not known and bool(named) and is_data_line


def require_few_columns(columns: Sequence[str], path: Path) -> None:
    """Raise a DataError if a file has more columns than any table."""
    if len(columns) > MAX_COLUMNS:
        raise DataError(
            f"{path.name} has {len(columns):,} columns, more than {MAX_COLUMNS:,}. Is the delimiter right?"
        )


def require_names_apart(columns: Sequence[str], path: Path, line: int | None = None) -> None:
    """Raise a DataError if two columns have one name but for capitals, which the database does not see."""
    seen = set[str]()
    for name in columns:
        if name.casefold() in seen:
            raise DataError(
                f"{path.name} has two columns named {name!r}, capitals aside. Rename one of them.",
                row=line,
                column=name,
            )
        seen.add(name.casefold())


def require_header(columns: Sequence[str], path: Path, line: int) -> None:
    """Raise a DataError unless the columns of a text table have names, each its own, and there are several."""
    if any(ord(letter) < 32 for name in columns for letter in name if letter not in "\t\n\r"):
        raise DataError(
            f"{path.name} is not a text file: its first line holds binary data. Save its table as CSV."
        )
    if columns and columns[0].strip().casefold().startswith("sep="):
        raise DataError(
            f"The first line of {path.name} tells Excel how columns are parted, and is no header. Delete it."
        )
    named = [name for name in columns if name]
    if not named:
        raise DataError(f"{path.name} names no columns in its first line.")
    if len(columns) == 1:
        raise DataError(
            f"{path.name} has a single column, {columns[0][:60]!r}. "
            "Are the columns separated by a comma, semicolon, tab or bar? Do lines stand above the header?"
        )
    for index, name in enumerate(columns):
        if name and name in columns[:index]:
            raise DataError(
                f"{path.name} has two columns named {name!r}. Rename one of them.", row=line, column=name
            )


def _require_one_fit(columns: Sequence[str], rows: Sequence[Sequence[str]], path: Path, line: int) -> None:
    if all(len(row) != len(columns) for row in rows):
        raise DataError(
            f"No row of {path.name} has as many fields as the header: row {line} has {len(rows[0])}, the header "
            f"{len(columns)}. Is a delimiter missing or not quoted?",
            row=line,
        )
