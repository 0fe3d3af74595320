"""Files -> one table of the mapped columns, as the files hold them.

Knows how the database reads a text table, a Parquet or an Arrow file; knows nothing of what the values
mean.
"""

import glob
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import ibis
import ibis.expr.types as ir

from privlab.checks import DataError
from privlab.datasets.columns.guessed_mapping import mapping_from_columns
from privlab.datasets.columns.mapping import FILE_NAME, FOLDER_NAME, ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.files.columnar import (
    columns_from_path,
    first_rows_from_path,
    mend_cells,
    require_columns_alike,
    rewrite_as_parquet,
)
from privlab.datasets.files.containers import DATA_SUFFIXES, place_in
from privlab.datasets.files.delimiters import rows_of_text
from privlab.datasets.files.file_kinds import (
    GZIP_MARK,
    EmptyFile,
    FileFormat,
    format_from_head,
    head_from_path,
    rewrite_as_utf8,
    scan_from_path,
    text_from_head,
)
from privlab.datasets.files.folder_columns import keys_beside, said_by_names, value_sql
from privlab.datasets.files.workbooks import (
    Sheet,
    rewrite_workbook_as_parquet,
    rows_from_workbook,
    sheet_from_path,
)
from privlab.datasets.layouts.known_layouts import AUTO, FORMATS, TABLE
from privlab.datasets.layouts.layouts import NoRows, TextLayout, layout_from_head

_FILE = "privlab_file"  # the column of file names, under a name that no file has
_ENDINGS = f"({'|'.join(re.escape(one) for one in DATA_SUFFIXES)})"
_MAX_LINE_BYTES = 2_200_000  # any line of 2 MiB holds a whole megabyte of the scan, which refuses it
MAX_REFUSALS = 30_000  # of one file; each takes some kilobytes, and a row may be refused more than once
_WESTERN = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}


@dataclass(frozen=True, slots=True)
class Source:
    """One file and its columns, those named by its folders (`day=2026-03-02`) included.

    `layout` is None unless it is text, `sheet` unless it is a workbook. `readable` is the file or its copy in a form that the database
    reads, and `encoding` what a copy was decoded from. `below` is its path in the folder that was opened, and `of_folders` are those of
    the columns that the file itself does not have. `left_out` are the lines of the file that a copy made line by line does not hold, ascending.
    `nothing_in` are the files beside it that hold nothing at all.
    """

    path: Path
    format: FileFormat
    columns: tuple[str, ...]
    mapping: ColumnMapping
    layout: TextLayout | None
    readable: Path
    below: Path
    encoding: str | None = None
    sheet: Sheet | None = None
    of_folders: tuple[str, ...] = ()
    left_out: "array[int]" = field(default_factory=lambda: array("q"), compare=False, repr=False)
    nothing_in: tuple[Path, ...] = ()

    def line_in_file(self, line: int) -> int:
        """Return where a line of what the database reads stands in the file itself, from 1.

        >>> source = Source(Path("a"), "csv", (), ColumnMapping(), None, Path("b"), Path("a"), left_out=array("q", [1, 3, 4]))
        >>> [source.line_in_file(line) for line in (1, 2, 3)]
        [2, 5, 6]
        """
        low, high = 0, len(self.left_out)
        while low < high:  # how many lines are left out before it
            middle = (low + high) // 2
            if self.left_out[middle] - middle <= line:
                low = middle + 1
            else:
                high = middle
        return line + low

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know of how the file is written."""
        notes = list(() if self.sheet is None else self.sheet.notes)
        if n := len(self.nothing_in):
            first = f"{self.nothing_in[0].name} holds" if n == 1 else f"{n:,} files hold"
            among = "" if n == 1 else f", {self.nothing_in[0].name} first"
            notes.append(
                f"{first} nothing and {'is' if n == 1 else 'are'} left out{among}: was it copied in full?"
            )
        return (*notes, self.letters) if self.letters else tuple(notes)

    @property
    def letters(self) -> str:
        """How the letters of a text that is no UTF-8 are read, in a sentence or two; nothing of any other."""
        western = None if self.layout is None else _WESTERN.get(self.layout.encoding)
        if western is None:
            return ""
        return f"The file is no UTF-8: its letters are read as {western}, of Western Europe. If names look wrong, save it as UTF-8."

    @property
    def own_columns(self) -> tuple[str, ...]:
        """The columns that the file itself has."""
        return self.columns[: len(self.columns) - len(self.of_folders)]

    @property
    def said_by_folders(self) -> dict[str, str]:
        """The columns that the names of its folders give, and their values."""
        return said_by_names(self.below.parts[:-1])


def require_alike(sources: Sequence[Source]) -> None:
    """Raise a DataError unless the files are of one kind and have the same columns, in any order."""
    first = sources[0]
    for source in sources[1:]:
        if source.format != first.format:
            raise DataError(
                f"{first.path.name} is {first.format} and {source.path.name} is {source.format}. "
                "Keep one kind of file in the folder."
            )
        require_columns_alike((first.path.name, first.columns), (source.path.name, source.columns))


def sources_from_files(files: Sequence[Path], folder: Path | None, wanted: str = AUTO) -> list[Source]:
    """Return what some files hold, which must be of one kind; of several, those without rows are left out.

    `folder` is where they were looked for, None for a single file; `wanted` is one of `FORMATS`.
    """
    sources: list[Source] = []
    empty: DataError | None = None
    nothing_in: list[Path] = []
    for file in files:
        try:
            # The first rows are asked of the first file alone: those of 100,000 would not fit the memory.
            sources.append(source_from_path(file, folder, wanted, sources[0] if sources else None))
        except NoRows as error:
            empty = error
        except EmptyFile as error:
            empty = empty or error
            nothing_in.append(file)
    if not sources:
        raise empty or NoRows("There are no files.")
    require_alike(sources)
    return [replace(sources[0], nothing_in=tuple(nothing_in)), *sources[1:]]


def source_from_path(
    path: Path, folder: Path | None = None, wanted: str = AUTO, first: Source | None = None
) -> Source:
    """Return what one file holds, `first` the first of its folder; raise a DataError if it is no table, or of another format."""
    head = head_from_path(path)
    format = format_from_head(head, path)
    below = (
        path.relative_to(folder) if folder is not None and path.is_relative_to(folder) else Path(path.name)
    )
    if format == "csv":
        layout = layout_from_head(head, path, wanted, None if first is None else first.layout)
        source = Source(path, format, layout.columns, layout.mapping, layout, path, below)
    else:
        if wanted not in (AUTO, TABLE):
            kind = "an Excel" if format == "xlsx" else "a Parquet or Arrow"
            raise DataError(f"{path.name} is {kind} file, not in the format {FORMATS[wanted]!r}.")
        source = typed_source(path, format, below)
    return with_columns_of_folders(source)


def typed_source(
    path: Path, format: FileFormat, below: Path, *, settled: bool = False, names: Sequence[str] = ()
) -> Source:
    """Return what a file holds that is no text: Parquet, Arrow or a workbook, `settled` and `names` as in sheet_from_path."""
    sheet = sheet_from_path(path, settled=settled, names=names) if format == "xlsx" else None
    columns = columns_from_path(path, format) if sheet is None else sheet.columns
    return Source(path, format, columns, mapping_from_columns(columns), None, path, below, sheet=sheet)


def with_columns_of_folders(source: Source) -> Source:
    """Return a source with the columns that the names of its folders give."""
    keys = keys_beside(source.said_by_folders, source.columns)
    if not keys:
        return source
    columns = (*source.columns, *keys)
    is_known = source.layout is not None and source.layout.format != TABLE
    mapping = source.mapping if is_known else mapping_from_columns(columns)
    return replace(source, columns=columns, mapping=mapping, of_folders=keys)


def first_rows(source: Source, n_rows: int) -> tuple[tuple[str, ...], ...]:
    """Return the first rows of a file as texts; missing values are empty."""
    if source.layout is not None:
        return source.layout.rows[:n_rows]
    if source.sheet is not None:
        return source.sheet.rows[:n_rows]
    return first_rows_from_path(source.path, source.format, n_rows)


def rows_of_head(source: Source, n_rows: int) -> Sequence[Sequence[str]]:
    """Return more of the first rows of a file than tell its layout: of a text table, those of its first megabyte."""
    layout = source.layout
    if layout is not None:
        text = text_from_head(head_from_path(source.path), layout.encoding)
        return rows_of_text(text, layout.delimiter, n_rows)
    if source.sheet is not None:
        return tuple(islice(rows_from_workbook(source.path, source.sheet), n_rows))
    return first_rows(source, n_rows)


def scanned(source: Source, workspace: Workspace) -> tuple[Source, str]:
    """Return the source, rewritten where the database could not read it as it is, and its digest."""
    layout = source.layout
    is_wide = layout is not None and layout.encoding.startswith("utf-16")
    go_on = workspace.require_running
    scan = scan_from_path(
        source.path,
        is_text=layout is not None,
        is_wide=is_wide,
        delimiter="," if layout is None else layout.delimiter,
        n_columns=len(source.columns) if layout is None else len(layout.columns),
        go_on=go_on,
    )
    is_rewritten = source.format in ("arrow", "xlsx")
    if not is_rewritten and (layout is None or (scan.is_plain and not is_wide)):
        return source, scan.digest
    target = place_of_copy(source, workspace)
    if source.sheet is not None:
        rewrite_workbook_as_parquet(source.path, source.sheet, target, go_on=go_on)
        return replace(source, readable=target), scan.digest
    if layout is None:
        rewrite_as_parquet(source.path, target)
        return replace(source, readable=target), scan.digest
    encoding = "cp1252" if layout.encoding == "utf-8" and not scan.is_utf8 else layout.encoding
    rewrite_as_utf8(source.path, encoding, target, go_on=go_on)
    return replace(source, readable=target, encoding=encoding), scan.digest


def mended(source: Source, workspace: Workspace) -> Source:
    """Return a typed source whose copy has those cells missing that end the database's reading; itself where there are none."""
    target = place_of_copy(source, workspace)
    if mend_cells(source.readable, target, workspace.require_running):
        return replace(source, readable=target)
    target.unlink()
    return source


def place_of_copy(source: Source, workspace: Workspace) -> Path:
    """Return where to put a copy of a file: the names of its folders may say who it is about, so it keeps them."""
    target = place_in(workspace.new_folder("copy"), source.path)
    target.parent.mkdir(parents=True)
    return target


def raw_from_sources(
    sources: Sequence[Source], wanted: dict[str, str], workspace: Workspace
) -> tuple[ir.Table, str | None]:
    """Return a view of the wanted columns and the name of the table of refused rows (text only).

    `wanted` maps the view's column names to the files'. The view of text tables is to be read once;
    that of others has the columns `file` and `row`, the row's place from 0, too.
    """
    view = ibis.util.gen_name("raw")
    rejects = None if sources[0].layout is None else f"{view}_rejects"
    groups: dict[tuple[object, ...], list[Source]] = {}
    for source in sources:  # a file's own column comes before what its folder's name says
        key: tuple[object, ...] = tuple(column in source.of_folders for column in wanted.values())
        if (layout := source.layout) is not None:
            key += (layout.delimiter, layout.columns, layout.skip, is_gzip(source.readable))
        groups.setdefault(key, []).append(source)
    query = " UNION ALL ".join(
        _typed_query(group, wanted) if rejects is None else _csv_query(group, wanted, rejects)
        for group in groups.values()
    )
    workspace.connection.raw_sql(f"CREATE TEMPORARY VIEW {name_sql(view)} AS {query}")
    return workspace.connection.table(view), rejects


def _typed_query(sources: Sequence[Source], wanted: dict[str, str]) -> str:
    chosen = ", ".join(
        f"{_expression(sources[0], column)} AS {name_sql(role)}" for role, column in wanted.items()
    )
    # A column of that name in the file would hide the database's own.
    row = "NULL::BIGINT" if "file_row_number" in sources[0].columns else "file_row_number"
    return (
        f"SELECT {chosen}, {_FILE} AS file, {row} AS row FROM read_parquet([{_files_sql(sources)}], "
        f"filename='{_FILE}', union_by_name=true, hive_partitioning=false)"
    )


def _csv_query(sources: Sequence[Source], wanted: dict[str, str], rejects: str) -> str:
    layout = sources[0].layout
    assert layout is not None
    chosen = ", ".join(
        f"{_expression(sources[0], column)} AS {name_sql(role)}" for role, column in wanted.items()
    )
    columns = ", ".join(f"c{index}: 'VARCHAR'" for index in range(len(layout.columns)))
    compression = "gzip" if is_gzip(sources[0].readable) else "none"
    return (
        f"SELECT {chosen} FROM read_csv([{_files_sql(sources)}], auto_detect=false, header=false, skip={layout.skip}, "
        f"columns={{{columns}}}, delim={text_sql(layout.delimiter)}, quote='\"', escape='\"', "
        f"compression='{compression}', max_line_size={_MAX_LINE_BYTES}, ignore_errors=true, store_rejects=true, "
        f"rejects_limit={MAX_REFUSALS}, filename='{_FILE}', "
        f"rejects_table={text_sql(rejects)}, rejects_scan={text_sql(rejects + '_scans')}, hive_partitioning=false)"
    )


def _expression(source: Source, column: str) -> str:
    """Return what stands for a column of a file in a query."""
    if column == FOLDER_NAME:
        return rf"regexp_extract({_FILE}, '([^/\\]+)[/\\](?:Trajectory[/\\])?[^/\\]+$', 1)"
    if column == FILE_NAME:
        stem = rf"regexp_replace(regexp_extract({_FILE}, '[^/\\]+$'), '(?i)({_ENDINGS})+$', '')"
        is_cab = source.layout is not None and source.layout.format.startswith("cabspotting")
        return f"regexp_replace({stem}, '^new_', '')" if is_cab else stem
    if column in source.of_folders:
        return value_sql(_FILE, column)
    if source.layout is not None and column in source.layout.columns:
        # Columns go by position, so that no name in the file can upset the query.
        return f"c{source.layout.columns.index(column)}"
    return name_sql(column)


def _files_sql(sources: Sequence[Source]) -> str:
    # The database would take a bracket or a star in a name for a pattern, and read other files.
    return ", ".join(text_sql(glob.escape(str(source.readable))) for source in sources)


def is_gzip(path: Path) -> bool:
    """Return whether a file is compressed by gzip."""
    with path.open("rb") as file:
        return file.read(2) == GZIP_MARK


def name_sql(identifier: str) -> str:
    """Return an identifier as the database quotes it."""
    return '"' + identifier.replace('"', '""') + '"'


def text_sql(value: str) -> str:
    """Return a text as the database quotes it."""
    return "'" + value.replace("'", "''") + "'"
