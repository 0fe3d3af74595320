"""Where a row of the database stands in its file.

Knows how to find a row again by what stands in its mapped columns; judges no value.
"""

import csv
import gzip
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.files.sources import MAX_REFUSALS, Source, is_gzip, name_sql
from privlab.datasets.records import FAR, Offender, RowPosition
from privlab.datasets.times.shapes import BLANKS
from privlab.datasets.times.timestamps import MISSING_TEXTS

_MAX_LINES_SEARCHED = 1_000_000  # an offending value is named without its row beyond this
_SHOWN_REFUSALS = 3

Texts = dict[str, str | None]
"""What stands in some columns of a row, by the file's names for them; None for a missing value."""


def positions_of_rows(sources: Sequence[Source], wanted: Sequence[Texts]) -> list[RowPosition]:
    """Return where rows of text tables stand; rows alike are found one after another.

    All of `wanted` name the same columns. Rows beyond the first million lines are `FAR`.
    """
    positions = [FAR] * len(wanted)
    if not wanted:
        return positions
    columns = tuple(wanted[0])
    open_ones: dict[tuple[str, ...], list[int]] = {}
    for number, texts in enumerate(wanted):
        open_ones.setdefault(_plain(texts[name] or "" for name in columns), []).append(number)
    for position, cells in islice(_rows(sources, columns), _MAX_LINES_SEARCHED):
        if (waiting := open_ones.get(cells)) is not None:
            positions[waiting.pop(0)] = position
            if not waiting:
                del open_ones[cells]
                if not open_ones:
                    break
    return positions


def _rows(sources: Sequence[Source], columns: Sequence[str]) -> Iterator[tuple[RowPosition, tuple[str, ...]]]:
    """Yield position and cells of every row that could be read; a missing value is empty."""
    for source in sources:
        layout = source.layout
        assert layout is not None
        own = [layout.columns.index(name) if name in layout.columns else None for name in columns]
        said = [source.said_by_folders.get(name, "").strip(BLANKS) for name in columns]
        lines = (line.replace("\0", "") for line in islice(lines_of(source), layout.skip, None))
        reader = csv.reader(lines, delimiter=layout.delimiter)
        file = None if len(sources) == 1 else source.below.as_posix()
        try:
            for row in reader:
                if len(row) != len(layout.columns):
                    continue
                cells = (said[k] if n is None else row[n].strip(BLANKS) for k, n in enumerate(own))
                yield RowPosition(source.line_in_file(reader.line_num + layout.skip), file), _plain(cells)
        except csv.Error:
            continue


def _plain(cells: Iterable[str]) -> tuple[str, ...]:
    """Return cells with those empty that may mean a missing value, as a number that is NaN does not."""
    return tuple("" if cell in MISSING_TEXTS else cell for cell in cells)


def refusals(
    rejects: str, n_read: int, sources: Sequence[Source], workspace: Workspace
) -> tuple[int, tuple[Offender, ...]]:
    """Return how many rows of text tables the database refused, and the first of them.

    After an unclosed quote the database may swallow rows without naming them; then every line that
    was not read counts. Of very many refused rows it names the first alone; then every row of the
    file that was not read counts. The tables of refused rows are gone after this.
    """
    ask = workspace.connection.con.execute
    rows, scans = name_sql(rejects), name_sql(f"{rejects}_scans")
    try:
        refused, unclosed = ask(
            "SELECT count(DISTINCT (scan_id, file_id, line)), bool_or(error_type = 'UNQUOTED VALUE') "
            f"FROM {rows}"
        ).fetchone() or (0, False)
        named = ask(f"SELECT count(*) AS n FROM {rows} GROUP BY scan_id, file_id ORDER BY n DESC").fetchone()
        first = ask(
            f"SELECT DISTINCT file_path, line_byte_position, csv_line FROM {rows} JOIN {scans} USING (scan_id, file_id) "
            f"ORDER BY ALL LIMIT {_SHOWN_REFUSALS}"
        ).fetchall()
    finally:
        for table in (rows, scans):
            workspace.connection.raw_sql(f"DROP TABLE {table}")
    by_path = {str(source.readable): source for source in sources}
    shown = list[Offender]()
    for path, position, text in first:
        file = None if len(sources) == 1 else by_path[path].below.as_posix()
        # The database counts a row of two lines as one; a reader's editor does not.
        at = RowPosition(_line_at(by_path[path], position), file)
        shown.append(Offender(position=at, column=None, value=(text or "").strip()[:200]))
    if not unclosed:
        is_all = named is None or named[0] < MAX_REFUSALS
        return int(refused) if is_all else _n_rows(sources) - n_read, tuple(shown)
    n_lines = sum(_n_lines(source) for source in sources)
    return max(int(refused), n_lines - n_read), tuple(shown)


def _line_at(source: Source, position: int) -> int:
    """Return the number of the line that begins with a byte, counted from 1, of a text or what it unpacks to."""
    n_lines, left, last = 1, position - 1, b""
    opened: Any = gzip.open if is_gzip(source.readable) else open
    with opened(source.readable, "rb") as file:
        while left > 0 and (chunk := file.read(min(left, 1 << 20))):
            left -= len(chunk)
            n_lines += chunk.count(b"\n") + chunk.count(b"\r") - chunk.count(b"\r\n")
            n_lines -= last == b"\r" and chunk.startswith(b"\n")
            last = chunk[-1:]
    return n_lines


def _n_rows(sources: Sequence[Source]) -> int:
    """Return how many rows some files have, split or not."""
    n_rows = 0
    for source in sources:
        assert source.layout is not None
        lines = (line.replace("\0", "") for line in islice(lines_of(source), source.layout.skip, None))
        try:
            n_rows += sum(1 for row in csv.reader(lines, delimiter=source.layout.delimiter) if row)
        except csv.Error:  # a field beyond the reader's limit
            n_rows += _n_lines(source)
    return n_rows


def _n_lines(source: Source) -> int:
    """Return how many lines of a file from its first row on are not blank."""
    return sum(1 for line in lines_of(source) if line.strip()) - _header_lines(source)


def _header_lines(source: Source) -> int:
    """Return how many of the lines before the first row are not blank."""
    assert source.layout is not None
    return sum(1 for line in islice(lines_of(source), source.layout.skip) if line.strip())


def lines_of(source: Source) -> Iterator[str]:
    """Yield the lines of a text table."""
    form: dict[str, Any] = {"mode": "rt", "encoding": "utf-8-sig", "errors": "replace", "newline": ""}
    with (
        gzip.open(source.readable, **form)
        if is_gzip(source.readable)
        else source.readable.open(**form) as text
    ):
        yield from text
