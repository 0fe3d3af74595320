"""The rows of some files before they are checked, and how a fault in them is put in words.

Knows where a value stands in its file; judges no value.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import ibis.expr.types as ir

from privlab.checks import DataError
from privlab.datasets.columns.guessed_mapping import other_time_from_columns
from privlab.datasets.columns.ids import key_text
from privlab.datasets.columns.mapping import FILE_NAME, FOLDER_NAME, ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.files.sources import Source, raw_from_sources
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.records import MOST_DROPPED, UNNUMBERED, DataReport, Offender, RowPosition
from privlab.datasets.rows.row_checks import KEY, composed, stripped
from privlab.datasets.rows.row_positions import Texts, positions_of_rows, refusals
from privlab.datasets.rows.second_files import SecondFile, lookup_columns, lookup_table

OTHER_TIME = "other_time"

_DECIMAL = re.compile(r"\d*[.,]\d+([eE][-+]?\d+)?")
_CAUSES = {
    "malformed row": "Is a delimiter missing or not quoted?",
    "unparsable time": "If it is a time, say how times are written (time_format).",
    "impossible coordinate": "Are these degrees, or projected metres? Name those as x and y, and of trips as origin_x, origin_y and so on.",
    "no match in the second file": "Do the two columns mean the same?",
    "place that its projected system does not have": "Is it the right system (crs), and are x and y metres of it?",
}
_UNIX_TIMES = {
    "seconds": r"\d{9,10}",
    "milliseconds": r"\d{13}",
    "microseconds": r"\d{16}",
    "nanoseconds": r"\d{19}",
}
_SHAPES = (  # of values that tell more: the reason, what they look like, and what to do
    (
        "unreadable coordinate",
        re.compile(r"[-+]?\d{1,3},\d+"),
        "Is the comma a decimal one? Write a point there, or part the columns by semicolons instead of commas.",
    ),
    (
        "impossible coordinate",
        re.compile(r"(1[89]\d|2\d\d|3[0-5]\d|360)([.,]\d+)?"),
        "Longitudes run from -180 to 180: take 360 off those above 180.",
    ),
    (
        "impossible coordinate",
        re.compile(r"[-+]?\d{8,10}"),
        "Are these millionths of a degree? Divide them. Projected metres are x and y, and of trips origin_x, origin_y and so on.",
    ),
    *(
        (
            "unparsable time",
            re.compile(rf"{digits}(\.\d*)?"),
            f"If these are unix times, say their unit as the way times are written (time_format): {unit}.",
        )
        for unit, digits in _UNIX_TIMES.items()
    ),
    (
        "unparsable time",
        re.compile(r"[34]\d{4}([.,]\d+)?"),
        "Is it a count of days, as Excel keeps dates? Give these cells a format of dates in Excel, and save it again.",
    ),
    (
        "unparsable time",
        re.compile(r"\d{1,2}[:h]?\d{2}([:m]?\d{2})?"),
        "Is it a time of day alone? Name the column of the day too (date), and how both are written with a blank between: time_format. Where no "
        "column has the day, add one to the file: weeks are counted by days.",
    ),
    (
        "unparsable time",
        re.compile(r"\d[\d.:/-]+ \d{3,4}(\.0+)?"),
        "If 730 is half past seven, say so by how times are written (time_format), such as '%Y-%m-%d %H%M'.",
    ),
    (
        "unreadable count",
        re.compile(r"\d{1,3}[.,]\d{3}"),
        "If the mark is one of thousands, take the marks out. If it is a decimal one, these are estimates and no people that were counted: round "
        "them to whole numbers, to look at them alone.",
    ),
    (
        "unreadable count",
        re.compile(r"[-+]?\d*[.,]\d+([eE][-+]?\d+)?"),
        "Counts are whole numbers, and these are estimates and no people that were counted: round them, to look at them alone.",
    ),
    (
        "unreadable count",
        re.compile(r"\d{1,3}([., '\u00a0\u202f]\d{3})+"),
        "Counts are whole numbers without marks of thousands: take the marks out.",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RawRows:
    """The mapped columns of some files, named by meaning; texts stripped, missing values NULL.

    `table` has `row`, the row's number in the order of the files (text) or in its file (others, which
    have `file` too); neither where a cluster reads the files, and `sources` is empty. Where rows have a start and an end it has
    OTHER_TIME, the one of the two that is not counted; `other_is_start` says which. `form` is None unless
    the files are read in a settled form. `stored` holds the
    texts as they are in the file, None where they are read from the files. `fields` maps the fields that
    the main file gives to its columns. `n_malformed` rows could not be split into columns; `malformed`
    are the first of them.
    """

    sources: Sequence[Source]
    mapping: ColumnMapping
    table: ir.Table
    stored: ir.Table | None
    lookup: ir.Table | None
    lookup_digest: str
    fields: dict[str, str]
    n_malformed: int
    malformed: tuple[Offender, ...]
    form: FileForm | None = None
    other_is_start: bool = True

    @property
    def decimal_comma(self) -> bool:
        """Whether a comma inside a number can only be a decimal one: in text not separated by commas."""
        return bool(self.sources) and all(
            source.layout is not None and source.layout.delimiter != "," for source in self.sources
        )

    @property
    def degrees_with_comma(self) -> bool:
        """Whether that holds of degrees: of texts in the cells of a workbook too, where of other numbers it may part thousands."""
        in_cells = bool(self.sources) and all(source.sheet is not None for source in self.sources)
        return self.decimal_comma or (in_cells and self.mapping.place_in_file == "latlon")

    def column(self, field: str) -> str:
        """Return the file's column for a field, as complaints name it."""
        return self.fields[field] if field in (KEY, OTHER_TIME) else str(getattr(self.mapping, field))


def rows_from_sources(
    sources: Sequence[Source],
    mapping: ColumnMapping,
    workspace: Workspace,
    opened: SecondFile | None = None,
    form: FileForm | None = None,
) -> RawRows:
    """Return the mapped columns of the files; a text table is stored, others are not.

    Of rows with two times the other is read too, for a question, but in a settled form, where each row is read by itself.
    """
    fields = {field: str(getattr(mapping, field)) for field in mapping.fields_used}
    own, second, digest = dict(fields), None, ""
    if opened is not None:
        lookup, names = opened.lookup, lookup_columns(sources[0].columns, opened.source)
        elsewhere = {field: names[column] for field, column in fields.items() if column in names}
        if lookup.on not in sources[0].columns:
            raise DataError(
                f"There is no column {lookup.on!r} to match the second file by.", column=lookup.on
            )
        second, digest = lookup_table(opened, elsewhere, workspace, form)
        own = {field: column for field, column in fields.items() if field not in elsewhere} | {KEY: lookup.on}
    other = None if form is not None else other_time_from_columns(mapping, sources[0].columns)
    if other is not None and all(other[0] in source.columns for source in sources):
        own[OTHER_TIME] = other[0]
    view, rejects = raw_from_sources(sources, own, workspace)
    stored: ir.Table | None = None
    n_malformed, malformed = 0, tuple[Offender, ...]()
    if rejects is None:
        table = stripped(view)
    else:
        stored = _stored_in_order(view, workspace)
        n_read = stored.count().to_pyarrow().as_py()
        n_malformed, malformed = refusals(rejects, n_read, sources, workspace)
        table = stored.mutate(row=stored.rowid())
    return RawRows(
        sources=sources,
        mapping=mapping,
        table=composed(table if second is None else _matched(table, second), mapping.time_format),
        stored=stored,
        lookup=second,
        lookup_digest=digest,
        fields=own,
        n_malformed=n_malformed,
        malformed=malformed,
        form=form,
        other_is_start=other is None or other[1],
    )


def _stored_in_order(view: ir.Table, workspace: Workspace) -> ir.Table:
    # In the file's order, so that the first row with a fault is the first of the file.
    workspace.connection.raw_sql("SET preserve_insertion_order = true")
    try:
        return workspace.materialise("raw", stripped(view))
    finally:
        workspace.connection.raw_sql("SET preserve_insertion_order = false")
        workspace.connection.drop_view(view.get_name())


def _matched(table: ir.Table, second: ir.Table) -> ir.Table:
    right = second.rename({"lookup_other": KEY})
    keyed = table.mutate(**{KEY: key_text(table[KEY])})
    joined = keyed.left_join(right, keyed[KEY] == right.lookup_other)
    unmatched = joined[KEY].isnull() | joined.lookup_other.isnull()
    return joined.mutate(unmatched=unmatched).drop("lookup_other")


def forget(rows: RawRows, workspace: Workspace) -> None:
    """Remove what was stored to read the rows; their table is gone if anything was stored."""
    for table in (rows.stored, rows.lookup):
        if table is not None:
            workspace.forget(table)
    for source in rows.sources:
        if rows.stored is not None and source.readable != source.path:
            source.readable.unlink(missing_ok=True)


def located(
    rows: RawRows, keys: Sequence[tuple[str | None, int | None]]
) -> list[tuple[RowPosition, dict[str, Any]]]:
    """Return where rows stand, and what stands there.

    `keys` are (file, row) as in the table; what stands there is by field.
    """
    if "row" not in rows.table.columns:  # on a cluster, counting rows would need all on one machine
        return [(UNNUMBERED, {}) for _ in keys]
    by_file = "file" in rows.table.columns
    numbers = [row for _, row in keys if row is not None]
    at = rows.table.filter(rows.table.row.isin(numbers))
    found = readable(at).to_pyarrow().to_pylist() if numbers else []
    values = {(row["file"] if by_file else None, row["row"]): row for row in found}
    if rows.stored is None:
        names = {str(source.readable): source.below.as_posix() for source in rows.sources}
        positions = [
            RowPosition(None if row is None else row + 1, names[file] if len(names) > 1 and file else None)
            for file, row in keys
        ]
    else:
        positions = _positions_of_texts(rows, numbers)
    return [(position, values.get(key, {})) for position, key in zip(positions, keys, strict=True)]


def readable(table: ir.Table) -> ir.Table:
    """Return the table with times and days as texts: those of a file may lie beyond what Python can hold."""
    times = [name for name in table.columns if table[name].type().is_temporal()]
    return table.mutate(**{name: table[name].cast("string") for name in times})


def _positions_of_texts(rows: RawRows, numbers: Sequence[int]) -> list[RowPosition]:
    if rows.stored is None or not numbers:
        return []
    texts = rows.stored.mutate(row=rows.stored.rowid())
    wanted = {row["row"]: row for row in texts.filter(texts.row.isin(numbers)).to_pyarrow().to_pylist()}
    in_file = {
        field: column for field, column in rows.fields.items() if column not in (FILE_NAME, FOLDER_NAME)
    }
    cells: list[Texts] = [
        {column: wanted[number][field] for field, column in in_file.items()} for number in numbers
    ]
    return positions_of_rows(rows.sources, cells)


def first_place(rows: RawRows, field: str, holds: ir.BooleanValue) -> tuple[RowPosition, str] | None:
    """Return where a condition first holds and a column's text there; None if nowhere."""
    order = [name for name in ("file", "row") if name in rows.table.columns]
    found = rows.table.select(*order, value=rows.table[field], holds=holds)
    matching = found.filter(found.holds)
    first = readable((matching.order_by(order) if order else matching).limit(1)).to_pyarrow().to_pylist()
    if not first:
        return None
    value = "" if first[0]["value"] is None else str(first[0]["value"])
    return located(rows, [(first[0].get("file"), first[0].get("row"))])[0][0], value


def refuse_empty(name: str, report: DataReport) -> None:
    """Raise a DataError with the main reason why no row was kept, and its first example."""
    if not report.dropped:
        raise DataError(f"{name} holds no rows.")
    raise _refusal(f"No row of {name} can be used", report)


def refuse_estimates(name: str, report: DataReport) -> None:
    """Raise a DataError if the counts of most rows are no whole numbers: the sums of the few that are would be taken for those of all."""
    first_ones = report.examples.get("unreadable count", ())
    are_estimates = bool(first_ones) and all(_DECIMAL.fullmatch(one.value) for one in first_ones)
    if not are_estimates or 2 * report.dropped["unreadable count"] <= report.rows:
        return
    raise _refusal(f"Most rows of {name} cannot be used", report)


def _refusal(words: str, report: DataReport) -> DataError:
    """Return the refusal that says these words, for what most rows were dropped, and where the first of them stands."""
    said, first, _ = _mostly_for(report)
    if first is None:
        return DataError(f"{words}: {said}")
    return DataError(f"{words}: {said}", row=first.position.row, column=first.column)


def told_of_dropped(report: DataReport) -> DataReport:
    """Return the report that says, where most rows were dropped, for what most of them were, if there is something to do about it."""
    if 2 * report.kept >= report.rows or not report.dropped:
        return report
    said, _, cause = _mostly_for(report)
    notes = [f"{one} {said}" if cause and one.startswith(MOST_DROPPED) else one for one in report.notes]
    return replace(report, notes=tuple(notes))


def _mostly_for(report: DataReport) -> tuple[str, Offender | None, str]:
    """Return how many rows were dropped for the main reason and what to do, and of these that reason's first example and what to do alone."""
    reason = max(report.dropped, key=lambda one: report.dropped[one])
    summary = f"{report.dropped[reason]:,} of {report.rows:,} have "
    cause = f" {_CAUSES[reason]}" if reason in _CAUSES else ""
    article = "" if reason.startswith("no ") else "an " if reason[0] in "aeiou" else "a "
    first = next(iter(report.examples.get(reason, ())), None)
    if first is None or first.column is None:
        return f"{summary}{article}{reason}.{cause}", first, cause
    shown = f"{first.value[:60]!r}" if first.value else "nothing"
    cause = next(
        (f" {said}" for one, shape, said in _SHAPES if one == reason and shape.fullmatch(first.value)), cause
    )
    return (
        f"{summary}{article}{reason} (column {first.column!r}, {first.position}: {shown}).{cause}",
        first,
        cause,
    )


def refuse_swapped(name: str, n_swapped: int, n_rows: int, rows: RawRows, holds: ir.BooleanValue) -> None:
    """Raise a DataError if most latitudes are impossible and would be possible as longitudes."""
    if 2 * n_swapped <= n_rows:
        return
    field = rows.mapping.place_fields[0]
    column = rows.column(field)
    where, value = first_place(rows, field, holds) or (RowPosition(None), "")
    raise DataError(
        f"Most latitudes of {name} are beyond 90 degrees (column {column!r}, {where}: {value}). "
        "Is this latitude/longitude swapped?",
        row=where.row,
        column=column,
    )
