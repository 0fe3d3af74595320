"""Files read in a settled form: every row by itself, whatever stands in the others.

A text table is copied line by line, each line one row: a quote left open, a byte that does not decode
or a field too many costs its own line and no other. Knows layouts and bytes; judges no value.
"""

import codecs
import csv
import hashlib
import io
import itertools
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from privlab.checks import DataError, ParameterError
from privlab.datasets.columns.guessed_mapping import mapping_from_columns
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.files.columnar import require_types_alike, types_from_path
from privlab.datasets.files.delimiters import DELIMITERS
from privlab.datasets.files.file_kinds import (
    HEAD_BYTES,
    EmptyFile,
    GoOn,
    complaints,
    decompressed_chunks,
    format_from_head,
    head_from_path,
)
from privlab.datasets.files.folder_columns import require_said_once
from privlab.datasets.files.sources import (
    Source,
    place_of_copy,
    require_alike,
    scanned,
    typed_source,
    with_columns_of_folders,
)
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.layouts.known_layouts import HEADERLESS, KNOWN, TABLE
from privlab.datasets.layouts.layouts import (
    NoRows,
    TextLayout,
    numbered_columns,
    require_few_columns,
    require_header,
    require_names_apart,
)
from privlab.datasets.records import Offender, RowPosition
from privlab.datasets.times.shapes import BLANKS

_SHOWN_OFFENDERS = 3
_MAX_LINE = HEAD_BYTES  # of its bytes in UTF-8; the database's buffer holds two such lines
# By the mark of UTF-16: its name, how lines end, and the end of a line that a block of bytes may have cut short.
_MARKS = {
    codecs.BOM_UTF16_LE: ("utf-16-le", re.compile(rb"\r\0(?:\n\0)?|\n\0"), re.compile(rb"\r\0\n?\Z")),
    codecs.BOM_UTF16_BE: ("utf-16-be", re.compile(rb"\0\r(?:\0\n)?|\0\n"), re.compile(rb"\0\r\0?\Z")),
}
_NUMBERED = re.compile(r"column ([1-9]\d{0,3})")


@dataclass(frozen=True, slots=True)
class Copied:
    """A file ready to be read: its source, its digest, how many lines were no rows, and the first of them."""

    source: Source
    digest: str
    n_malformed: int = 0
    malformed: tuple[Offender, ...] = ()


def settled_sources(
    files: Sequence[Path], folder: Path | None, form: FileForm, matched_by: str | None = None
) -> list[Source]:
    """Return what some files hold by their headers alone; files with nothing in them, or of typed columns and no rows, are left out.

    `matched_by` is the column by which a second file is matched. Raises DataError if none is left, or they differ in kind,
    columns, delimiter or the types of columns used.
    """
    sources = list(_with_rows(files, folder, form, matched_by))
    if not sources:
        raise NoRows("There is nothing in the files." if len(files) > 1 else f"{files[0].name} is empty.")
    require_alike(sources)
    used = [str(getattr(form.mapping, field)) for field in form.mapping.fields_used]
    used += [] if matched_by is None else [matched_by]
    require_said_once([(one.below.as_posix(), one.own_columns, one.said_by_folders) for one in sources], used)
    if sources[0].layout is None and sources[0].sheet is None:  # the cells of a workbook are texts
        first = (sources[0].path.name, types_from_path(sources[0].path))
        for source in sources[1:]:
            require_types_alike(first, (source.path.name, types_from_path(source.path)), used)
    _require_delimiters_alike(sources)
    return sources


def first_settled_source(files: Sequence[Path], folder: Path | None, form: FileForm) -> Source | None:
    """Return what the first of some files holds that settled_sources does not leave out, None if there is nothing in any."""
    return next(_with_rows(files, folder, form), None)


def _with_rows(
    files: Sequence[Path], folder: Path | None, form: FileForm, matched_by: str | None = None
) -> Iterator[Source]:
    """Yield what files hold; NoRows where none holds anything, and the first without rows has columns."""
    empty, is_any = None, False
    for file in files:
        try:
            source = settled_source(file, folder, form, matched_by)
        except NoRows as error:  # one person's part, when that person is gone
            empty = empty or error
            continue
        if source is not None:
            is_any = True
            yield source
    if empty is not None and not is_any:
        raise empty


def settled_source(
    path: Path, folder: Path | None, form: FileForm, matched_by: str | None = None
) -> Source | None:
    """Return what one file holds by its header alone, None if there is nothing in it; `matched_by` as in settled_sources.

    Raises NoRows if it has typed columns but no rows.
    """
    try:
        head = head_from_path(path)
    except EmptyFile:
        return None
    format = format_from_head(head, path)
    below = path.relative_to(folder) if folder and path.is_relative_to(folder) else Path(path.name)
    if format == "csv":
        layout = settled_layout(head, path, form, matched_by)
        source = Source(path, format, layout.columns, layout.mapping, layout, path, below)
    else:
        used = [name for field in form.mapping.fields_used if (name := getattr(form.mapping, field))]
        names = used if matched_by is None else [*used, matched_by]
        source = typed_source(path, format, below, settled=True, names=names)
    return with_columns_of_folders(source)


def settled_scan(source: Source, workspace: Workspace) -> Copied:
    """Return a file as the database can read it: of a text table a copy of the lines that are rows."""
    layout = source.layout
    if layout is None:
        return Copied(*scanned(source, workspace))
    digest, n_malformed, shown = hashlib.blake2b(digest_size=16), 0, list[Offender]()
    left_out = array("q")
    target, rows = place_of_copy(source, workspace), _LineRows(layout)
    with complaints(source.path), target.open("w", encoding="utf-8", newline="") as sink:
        lines = _lines(source.path, layout.encoding, digest, workspace.require_running)
        for number, line in enumerate(lines, start=1):
            if number <= layout.skip or not (line is None or line.strip()):
                left_out.append(number)
                continue
            row = None if line is None else rows.row(line)
            if row is not None:
                sink.write(row)
                continue
            left_out.append(number)
            n_malformed += 1
            if len(shown) < _SHOWN_OFFENDERS:
                shown.append(Offender(position=RowPosition(number), column=None, value=(line or "")[:200]))
    copy = replace(source, readable=target, layout=replace(layout, skip=0), left_out=left_out)
    return Copied(copy, digest.hexdigest(), n_malformed, tuple(shown))


def settled_layout(head: bytes, path: Path, form: FileForm, matched_by: str | None = None) -> TextLayout:
    """Return the layout of a text table from its header line and the form alone; `matched_by` as in settled_sources.

    Raises DataError if the header names no columns, ParameterError if the form leaves the delimiter or the
    columns of a table without a header open.
    """
    encoding = "utf-16" if head[:2] in _MARKS else form.encoding
    if form.format in KNOWN:
        known = KNOWN[form.format]
        return _layout(encoding, known.delimiter, known.columns, known.skip, form.format, known.mapping)
    if form.format == HEADERLESS:
        columns = numbered_columns(_last_column(form.mapping, matched_by))
        return _layout(encoding, form.delimiter or ",", columns, 0, HEADERLESS, form.mapping)
    lines = re.split(r"\r\n|\r|\n", head.decode(encoding, errors="replace").removeprefix("\ufeff"))
    blank = next((number for number, line in enumerate(lines) if line.strip()), len(lines) - 1)
    delimiter = form.delimiter or max(DELIMITERS, key=lambda one: len(_cells(lines[blank], one)))
    columns = tuple(name.strip(BLANKS) for name in _cells(lines[blank], delimiter))
    require_few_columns(columns, path)
    require_header(columns, path, blank + 1)
    require_names_apart([name for name in columns if name], path, blank + 1)
    return _layout(encoding, delimiter, columns, blank + 1, TABLE, mapping_from_columns(columns))


def _layout(
    encoding: str, delimiter: str, columns: tuple[str, ...], skip: int, format: str, mapping: ColumnMapping
) -> TextLayout:
    return TextLayout(encoding, delimiter, columns, skip, (), format, mapping)


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return line.split(delimiter)


def _last_column(mapping: ColumnMapping, matched_by: str | None) -> int:
    """Return the largest number of a "column 7" that is used; ParameterError where other names are, unless a second file may have them."""
    numbers = []
    used = {field: str(getattr(mapping, field)) for field in mapping.fields_used}
    if matched_by is not None:
        used = {field: name for field, name in used.items() if _NUMBERED.fullmatch(name)} | {
            "join-on": matched_by
        }
    for field, name in used.items():
        if found := _NUMBERED.fullmatch(name):
            numbers.append(int(found[1]))
        elif not name.startswith("("):
            raise ParameterError(
                f"column must name columns by their place in a table without a header (such as "
                f"{field}=column 1), got {name!r}."
            )
    return max(numbers, default=1)


def _require_delimiters_alike(sources: Sequence[Source]) -> None:
    """Raise DataError unless text tables have one delimiter, which says whether a comma in a number is decimal."""
    (first, one), *others = ((source.path, source.layout) for source in sources)
    for path, layout in others:
        if one is not None and layout is not None and layout.delimiter != one.delimiter:
            raise DataError(
                f"The files differ in their delimiter: {first.name} has {one.delimiter!r}, {path.name} has "
                f"{layout.delimiter!r}. For a secure release, write all files with the same one."
            )


class _LineRows:
    """Judges single lines of a text table.

    A row has one field for each column, its quotes closed. One empty field more at its end is let go, and
    in a table without a header all that come after the columns used. Other lines are malformed.
    """

    def __init__(self, layout: TextLayout) -> None:
        self._delimiter, self._n = layout.delimiter, len(layout.columns)
        self._open_ended = layout.format == HEADERLESS

    def row(self, line: str) -> str | None:
        """Return the line with its end, None if it is no row."""
        if "\ufffd" in line or "\0" in line:
            return None
        n_delimiters = line.count(self._delimiter)
        if '"' not in line:
            if n_delimiters == self._n - 1:
                return line + "\n"
            cells = line.split(self._delimiter)
        else:
            try:
                cells = next(csv.reader([line], delimiter=self._delimiter, strict=True))
            except csv.Error:
                return None
        if len(cells) > self._n and (
            self._open_ended or (len(cells) == self._n + 1 and not cells[-1].strip())
        ):
            cells = cells[: self._n]
        if len(cells) != self._n:
            return None
        written = io.StringIO()
        csv.writer(written, delimiter=self._delimiter, lineterminator="\n").writerow(cells)
        return written.getvalue()


def _lines(path: Path, encoding: str, digest: Any, go_on: GoOn) -> Iterator[str | None]:
    """Yield the lines of a text, decompressed and decoded, without their ends; None for one far too long."""
    left, overlong, is_first = "", False, True
    with path.open("rb") as file:
        chunks = decompressed_chunks(file, digest, path)
        for text in _wide_texts(chunks) if encoding == "utf-16" else _texts(chunks, encoding):
            go_on()
            if is_first and text:
                text, is_first = text.removeprefix("\ufeff"), False
            *whole, last = text.split("\n")
            for rest in whole:
                line = left + rest
                yield None if overlong or _is_overlong(line) else line
                left, overlong = "", False
            left += last
            if _is_overlong(left):
                left, overlong = "", True
    if left or overlong:
        yield None if overlong else left


def _is_overlong(line: str) -> bool:
    return 4 * len(line) > _MAX_LINE and len(line.encode("utf-8")) > _MAX_LINE


def _texts(chunks: Iterator[bytes], encoding: str) -> Iterator[str]:
    """Yield a text in pieces, with plain line ends; in these encodings no byte reaches beyond the end of its line."""
    decoder = io.IncrementalNewlineDecoder(
        codecs.getincrementaldecoder(encoding)(errors="replace"), translate=True
    )
    for chunk in chunks:
        yield decoder.decode(chunk)
    yield decoder.decode(b"", final=True)


def _wide_texts(chunks: Iterator[bytes]) -> Iterator[str]:
    """Yield a text in UTF-16 in pieces, with plain line ends, each line decoded by itself.

    A line ends where the bytes of a line end stand, in step with the letters before or not: so a byte too many shifts the
    letters of its own line alone. What it costs: a line in which a letter U+0A.. or U+0D.. stands beside one U+..00.
    """
    left = next(chunks, b"")
    name, ends, cut_short = _MARKS.get(left[:2], _MARKS[codecs.BOM_UTF16_LE])
    for chunk in itertools.chain([b""], chunks):
        data = left + chunk
        cut = cut_short.search(data, max(0, len(data) - 3))
        kept = len(data) if cut is None else cut.start()
        *whole, left = ends.split(data[:kept])
        yield "".join(line.decode(name, errors="replace") + "\n" for line in whole)
        if len(left) > 2 * _MAX_LINE:  # too long whatever follows: all of it but what may begin a line end
            yield left[:-4].decode(name, errors="replace")
            left = left[-4:]
        left += data[kept:]
    *whole, last = ends.split(left)
    yield "".join(line.decode(name, errors="replace") + "\n" for line in whole)
    yield last.decode(name, errors="replace")
