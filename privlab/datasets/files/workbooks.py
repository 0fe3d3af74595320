"""Excel workbooks (.xlsx): which sheet holds a table, its columns, and its cells as texts.

A workbook is unpacked into memory as a whole, so it is looked through for what would not fit before it is opened.
What the columns mean is not known here.
"""

import re
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from privlab.checks import DataError
from privlab.datasets.columns.guessed_mapping import mapping_from_columns
from privlab.datasets.files.file_kinds import PASSWORD, GoOn, require_ratio
from privlab.datasets.layouts.layouts import NoRows, require_few_columns, require_names_apart
from privlab.limits import MAX_SHEET_CELLS, MAX_SHEET_TEXT_MB

_SHOWN_ROWS = 200
_UNREADABLE = "(unreadable)"  # stands for a row, which then lacks a time or a place and is dropped as such
_TITLE_LINES = 20  # among so many is the header, the first with two cells included
_BATCH = 50_000
_BLOCK = 1 << 20
_LONGEST_TAG = 200  # bytes in which a cell says where it stands
_LAST_ROW = 1_048_576  # of any sheet
_CELL = re.compile(rb"<(?:\w+:)?c[\s/>]")
_PLACE = re.compile(rb"""\br\s*=\s*["']([A-Z]{1,3})?(\d{1,7})["']""")
_ROW_OR_CELL = re.compile(rb"<(?:\w+:)?(row|c)\b([^>]*)>")
_TEXT_END = re.compile(rb"</(?:\w+:)?si>")


@dataclass(frozen=True, slots=True)
class Sheet:
    """The sheet of a workbook that is read (settled: the only one with a table), and the `others` that are not.

    `skip` counts the rows before the first below the header, `rows` are the first of these. `is_full` says that
    every row that a sheet can have is used, `is_first` that no sheet before it holds a table. `n_merged` cells below the header
    reach over several rows.
    """

    name: str
    others: tuple[str, ...]
    columns: tuple[str, ...]
    skip: int
    rows: tuple[tuple[str, ...], ...]
    is_full: bool
    is_first: bool = True
    n_merged: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know of what was read, as sentences; none of a workbook of one sheet."""
        said: tuple[str, ...] = ()
        if self.others:
            others = ", ".join(repr(name[:40]) for name in self.others[:5])
            more = f" and {len(self.others) - 5:,} more" if len(self.others) > 5 else ""
            which = "with a table" if self.is_first else "whose columns say what a row is"
            said = (f"Read from the sheet {self.name!r}, the first {which}; not read: {others}{more}.",)
        if self.is_full:
            said += (
                f"The sheet {self.name!r} is filled to the last row that Excel has ({_LAST_ROW:,}): is there more data than "
                "fitted into it?",
            )
        if self.n_merged:
            said += (
                f"In the sheet {self.name!r} {_merged(self.n_merged)} over several rows: what stands there counts for the first of "
                "them alone, and the others are read as empty. Unmerge them in Excel, and fill every row.",
            )
        return said


def _merged(n: int) -> str:
    return "1 merged cell reaches" if n == 1 else f"{n:,} merged cells reach"


class _Book:
    """An open workbook that keeps the sheet it gave last: each is unpacked as a whole, and asked for more than once."""

    def __init__(self, book: Any) -> None:
        self._book = book
        self._last: tuple[str, Any] = ("", None)
        self.sheets_metadata = book.sheets_metadata

    def get_sheet_by_name(self, name: str) -> Any:
        if self._last[1] is None or self._last[0] != name:
            self._last = (name, None)  # two at once may not fit
            self._last = (name, self._book.get_sheet_by_name(name))
        return self._last[1]


def sheet_from_path(path: Path, *, settled: bool = False, names: Collection[str] = ()) -> Sheet:
    """Return the sheet of a workbook that holds a table: a header of two columns or more, and rows.

    Of several the first whose header says what a row is, else the first. Lines above the header, such as a title, are passed
    over. In a `settled` read no other sheet may have a header: rows of one person in it would change which sheet is read;
    the header is the first line that holds most of the `names`, without any the first.

    Raises DataError if there is none, or the workbook is damaged or too large to be opened; NoRows if there are
    headers alone.
    """
    from python_calamine import SheetTypeEnum

    with _opened(path) as book:
        sheets = [one.name for one in book.sheets_metadata if one.typ == SheetTypeEnum.WorkSheet]
        if settled:
            _require_one_table(book, sheets, path)
        found, headed = list[tuple[str, _Header]](), None
        for sheet in sheets:
            header = _header(book, sheet, settled=settled, names=names)
            if header is None:
                continue
            headed = headed or sheet
            if header.has_rows:
                found.append((sheet, header))
                if header.says > 1:
                    break
        if found:
            name, header = max(found, key=lambda one: one[1].says)  # of equals the first
            # One person's cell far to the right must not say how many columns there are.
            least = _last_unnamed(names) if settled else None
            return _sheet(book, path, name, header, sheets, is_first=name == found[0][0], least=least)
    if headed is not None:
        raise NoRows(f"The sheet {headed!r} of {path.name} has a header but no rows.")
    raise DataError(
        f"{path.name} has no sheet with a table: a line of names, and rows below it. Is the table a picture or a chart?"
    )


@dataclass(frozen=True, slots=True)
class _Header:
    """A line of names: how many rows stand above and with it, how much it says of a row, whether there are rows below."""

    skip: int
    cells: tuple[str, ...]
    says: int
    has_rows: bool


def _header(book: _Book, sheet: str, *, settled: bool, names: Collection[str]) -> _Header | None:
    """Return the header of a sheet: of its first lines, from one with two cells on, the first that says most; or None."""
    rows = enumerate(_rows(book, sheet), 1)
    first = next((line for line in rows if sum(map(bool, line[1])) > 1), None)
    if first is None:
        return None
    n_tried = 1 if settled and not names else _TITLE_LINES
    tried = [first, *islice((line for line in rows if any(line[1])), n_tried - 1)]
    at = max(range(len(tried)), key=lambda n: _says(tried[n][1], names))  # of equals the first
    has_rows = at + 1 < len(tried) or any(any(row) for _, row in rows)
    skip, cells = tried[at]
    return _Header(skip, tuple(cells), _says(cells, names), has_rows)


def _says(cells: Sequence[str], names: Collection[str]) -> int:
    """Return how many of the names a line holds; without names, how much of a row it tells as a header: 2 is all."""
    held = [cell.strip() for cell in cells if cell.strip()]
    if names:
        return len({*names} & {*held})
    mapping = mapping_from_columns(held)
    try:
        mapping.require_complete()
    except DataError:
        return 1 if mapping.lat and mapping.lon else 0
    return 2


def _sheet(
    book: _Book,
    path: Path,
    name: str,
    header: _Header,
    sheets: Sequence[str],
    *,
    is_first: bool,
    least: int | None = None,
) -> Sheet:
    """Return a sheet; without `least` its first rows say how many columns it has, else the header does, `least` of them at least."""
    below = islice(_rows(book, name), header.skip, None)
    shown = list(islice((row for row in below if any(row)), _SHOWN_ROWS))
    if least is None:
        columns = _columns(header.cells, shown, path, header.skip)
    else:
        columns = _columns(
            _fitted(header.cells, max(least, len(header.cells))), [[" "] * least], path, header.skip
        )
    sheet = book.get_sheet_by_name(name)
    top = header.skip + (sheet.start or (0, 0))[0]  # the first row below the header, from 0
    return Sheet(
        name=name,
        others=tuple(other for other in sheets if other != name),
        columns=columns,
        skip=header.skip,
        rows=tuple(_fitted(row, len(columns)) for row in shown),
        is_full=sheet.total_height >= _LAST_ROW,
        is_first=is_first,
        n_merged=sum(last > max(first, top) for (first, _), (last, _) in sheet.merged_cell_ranges or ()),
    )


def _require_one_table(book: _Book, names: Sequence[str], path: Path) -> None:
    tables = [name for name in names if any(sum(map(bool, row)) > 1 for row in _rows(book, name))]
    if len(tables) > 1:
        raise DataError(
            f"{path.name} has tables in the sheets {tables[0]!r} and {tables[1]!r}. For a secure release keep one of them in "
            "the workbook, or save it as CSV."
        )


def rows_from_workbook(path: Path, sheet: Sheet) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a sheet below its header as texts; rows without any are left out."""
    with _opened(path) as book:
        for row in islice(_rows(book, sheet.name), sheet.skip, None):
            if any(row):
                yield _fitted(row, len(sheet.columns))


def rewrite_workbook_as_parquet(path: Path, sheet: Sheet, target: Path, *, go_on: GoOn) -> None:
    """Write the rows of a sheet to `target` as Parquet, all of them texts; empty cells are missing."""
    schema = pa.schema([(name, pa.string()) for name in sheet.columns])
    rows = rows_from_workbook(path, sheet)
    with pq.ParquetWriter(target, schema, compression="zstd") as writer:
        while batch := list(islice(rows, _BATCH)):
            go_on()
            columns = [
                pa.array([cell or None for cell in column], pa.string())
                for column in zip(*batch, strict=True)
            ]
            writer.write_batch(pa.record_batch(columns, schema=schema))


def _columns(header: Sequence[str], rows: Sequence[Sequence[str]], path: Path, line: int) -> tuple[str, ...]:
    """Return the names of the columns, those at the end left out that have neither name nor cell."""
    used = max(n + 1 for row in (header, *rows) for n, cell in enumerate(row) if cell)
    names = [name.strip() for name in header[:used]]
    columns = tuple(name or f"column {number}" for number, name in enumerate(names, 1))
    require_few_columns(columns, path)
    require_names_apart(columns, path, line)
    return columns


def _last_unnamed(names: Collection[str]) -> int:
    """Return the largest number of a "column 7" among names, 0 if there is none: such a column stands below no name."""
    return max((int(name[7:]) for name in names if re.fullmatch(r"column [1-9]\d{0,4}", name)), default=0)


def _fitted(row: Sequence[str], n_columns: int) -> tuple[str, ...]:
    return (*row[:n_columns], *[""] * (n_columns - len(row)))


def _rows(book: _Book, name: str) -> Iterator[list[str]]:
    """Yield the rows of a sheet as texts, from its first row and column that hold anything; of one that cannot be read only that."""
    rows = iter(book.get_sheet_by_name(name).iter_rows())
    while True:
        try:
            row = next(rows)
            texts = [_text(cell) for cell in row]
        except StopIteration:
            return
        except OverflowError:  # a duration longer than Python's
            texts = [_UNREADABLE]
        except BaseException as error:  # a date so far off that the reader gives up: no Exception, and a class that cannot be imported
            if type(error).__name__ != "PanicException":
                raise
            texts = [_UNREADABLE]
        yield texts


def _text(cell: Any) -> str:
    """Return a cell as text: whole numbers without a point, times in ISO 8601 to the second."""
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, datetime):
        whole = cell if cell.microsecond < 500_000 or cell.year == 9999 else cell + timedelta(seconds=1)
        # Excel stores a time as a fraction of a day, so that seconds come out inexact.
        return whole.replace(microsecond=0).isoformat(sep=" ")
    if isinstance(cell, date | time):
        return cell.replace(microsecond=0).isoformat() if isinstance(cell, time) else cell.isoformat()
    if isinstance(cell, timedelta):
        hours, rest = divmod(round(cell.total_seconds()), 3600)
        return f"{hours:02}:{rest // 60:02}:{rest % 60:02}"
    return str(cell).strip()


@contextmanager
def _opened(path: Path) -> Iterator[_Book]:
    """Open a workbook that fits; turn what is wrong with it into a DataError that names it."""
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    try:
        _require_fitting(path)
        with CalamineWorkbook.from_path(path) as book:
            yield _Book(book)
    except PasswordError:
        raise DataError(f"{path.name} {PASSWORD}") from None
    except (
        CalamineError,
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise DataError(
            f"{path.name} is a damaged Excel file. Was it copied only in part? If not, open it in Excel and save it anew, or as CSV."
        ) from error


def _require_fitting(path: Path) -> None:
    """Raise a DataError if a workbook is larger than can be held at once, by what its sheets say."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        require_ratio(path, path.stat().st_size, sum(one.file_size for one in members))
        longest, n_cells = 0, 0
        for member in members:
            if member.filename.endswith("sharedStrings.xml"):
                longest = max(longest, _longest_text(archive, member))
            else:
                n_cells = max(n_cells, _n_cells(archive, member, path))
    if n_cells * longest > MAX_SHEET_TEXT_MB * 1_000_000:
        raise DataError(f"{path.name} holds very long texts in very many cells. Save its table as CSV.")


def _n_cells(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> int:
    """Return how many cells the sheet in a part of a workbook has, empty ones between others included."""
    n_cells, n_placed, last_row, last_column = 0, 0, 0, 0
    for block in _blocks(archive, member):
        n_cells += len(_CELL.findall(block))
        for letters, row in _PLACE.findall(block):
            n_placed += bool(letters)
            last_row = max(last_row, int(row))
            last_column = max(last_column, _column_number(letters))
    if n_placed < n_cells:  # some stand beside or below the one before, without a word
        last_row, last_column = _last_place(archive, member)
    if max(n_cells, last_row * last_column) > MAX_SHEET_CELLS:
        raise DataError(
            f"A sheet of {path.name} reaches over more than {MAX_SHEET_CELLS:,} cells, which is more than fits. Save its table as CSV."
        )
    return n_cells


def _last_place(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> tuple[int, int]:
    """Return the last row and column of a sheet whose cells do not all say where they stand."""
    last_row = last_column = row = column = 0
    for block in _blocks(archive, member):
        for found in _ROW_OR_CELL.finditer(block):
            said = _PLACE.search(found[2])
            if found[1] == b"row":
                row, column = int(said[2]) if said else row + 1, 0
            else:
                column = _column_number(said[1]) if said and said[1] else column + 1
            last_row, last_column = max(last_row, row), max(last_column, column)
    return last_row, last_column


def _longest_text(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> int:
    longest, since = 0, 0
    with archive.open(member) as part:
        while block := part.read(_BLOCK):
            ends = [found.end() for found in _TEXT_END.finditer(block)]
            for begin, end in zip([-since, *ends], ends, strict=False):
                longest = max(longest, end - begin)
            since = len(block) - ends[-1] if ends else since + len(block)
    return max(longest, since)


def _blocks(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield the bytes of a part, none of its tags cut by the end of a block."""
    left = b""
    with archive.open(member) as part:
        while read := part.read(_BLOCK):
            block = left + read
            cut = block.rfind(b"<")
            cut = cut if cut > 0 and len(block) - cut < _LONGEST_TAG * 50 else len(block)
            yield block[:cut]
            left = block[cut:]
    yield left


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number
