"""The rows of some files before they are checked, and how a fault in them is put in words.

Knows where a value stands in its file; judges no value.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import ibis
import ibis.expr.types as ir

from privlab.checks import DataError
from privlab.datasets.cleaning import Fault, stripped
from privlab.datasets.columns import ColumnMapping
from privlab.datasets.engine import Workspace
from privlab.datasets.records import DataReport
from privlab.datasets.sources import Source, malformed_count, raw_from_sources, row_with_value
from privlab.datasets.timestamps import MISSING_TEXTS, row_from_place

_CAUSES = {
    "malformed row": "Is a delimiter missing or not quoted?",
    "unparsable time": "Give time_format if it is a time.",
    "impossible coordinate": "Are these degrees, or projected metres (x and y)?",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RawRows:
    """The mapped columns of some files, named by meaning; texts stripped, missing values NULL.

    `stored` says whether a table holds them, or they are read from the files. `n_malformed` rows
    could not be split into columns. `sources` is empty where a cluster reads the files.
    """

    sources: Sequence[Source]
    mapping: ColumnMapping
    table: ir.Table
    n_malformed: int
    stored: bool

    @property
    def decimal_comma(self) -> bool:
        """Whether a comma inside a number can only be a decimal one: in text not separated by commas."""
        return bool(self.sources) and all(
            source.layout is not None and source.layout.delimiter != "," for source in self.sources
        )


def rows_from_sources(sources: Sequence[Source], mapping: ColumnMapping, workspace: Workspace) -> RawRows:
    """Return the mapped columns of the files; a text table is stored, a Parquet file is not."""
    wanted = {field: getattr(mapping, field) for field in ("user_id", "timestamp", *mapping.place_fields)}
    view, rejects = raw_from_sources(sources, wanted, workspace)
    if rejects is None:
        return RawRows(sources=sources, mapping=mapping, table=stripped(view), n_malformed=0, stored=False)
    # In the file's order, so that the first row with a fault is the first of the file.
    workspace.connection.raw_sql("SET preserve_insertion_order = true")
    try:
        table = workspace.materialise("raw", stripped(view))
    finally:
        workspace.connection.raw_sql("SET preserve_insertion_order = false")
        workspace.connection.drop_view(view.get_name())
    n_malformed = malformed_count(rejects, table.count().to_pyarrow().as_py(), sources, workspace)
    return RawRows(sources=sources, mapping=mapping, table=table, n_malformed=n_malformed, stored=True)


def forget(rows: RawRows, workspace: Workspace) -> None:
    """Remove what was stored to read the rows; their table is gone if it was stored."""
    if rows.stored:
        workspace.forget(rows.table)
    for source in rows.sources:
        if source.readable != source.path:
            source.readable.unlink(missing_ok=True)


def first_place(rows: RawRows, field: str, holds: ir.BooleanValue) -> tuple[str, str] | None:
    """Return where a condition first holds ("row 7") and a column's text there; None if nowhere."""
    column = rows.table[field]
    # Only one file's rows have a number; on a cluster, counting them would need all on one machine.
    number = ibis.row_number() if rows.stored or len(rows.sources) == 1 else ibis.literal(0)
    found = rows.table.select(value=column, holds=holds, number=number)
    first = found.filter(found.holds).limit(1).to_pyarrow().to_pylist()
    if not first:
        return None
    value = "" if first[0]["value"] is None else str(first[0]["value"])
    name = getattr(rows.mapping, field)
    if rows.stored:
        return row_with_value(rows.sources, name, value, MISSING_TEXTS) or "far into the file", value
    if len(rows.sources) != 1:
        return "in one of the files", value
    return f"row {first[0]['number'] + 1:,}", value


def refuse_empty(name: str, report: DataReport, rows: RawRows, faults: Sequence[Fault]) -> None:
    """Raise a DataError with the main reason why no row was kept, and its first example."""
    reason = max(report.dropped, key=lambda one: report.dropped[one])
    summary = f"No row of {name} can be used: {report.dropped[reason]:,} of {report.rows:,} have "
    cause = f" {_CAUSES[reason]}" if reason in _CAUSES else ""
    article = "an" if reason[0] in "aeiou" else "a"
    for fault in faults:
        if fault.reason != reason or (place := first_place(rows, fault.field, fault.holds)) is None:
            continue
        column = getattr(rows.mapping, fault.field)
        where, value = place
        shown = f"{value[:60]!r}" if value else "nothing"
        raise DataError(
            f"{summary}{article} {reason} (column {column!r}, {where}: {shown}).{cause}",
            row=row_from_place(where),
            column=column,
        )
    raise DataError(f"{summary}{article} {reason}.{cause}")


def refuse_swapped(name: str, n_swapped: int, n_rows: int, rows: RawRows, holds: ir.BooleanValue) -> None:
    """Raise a DataError if most latitudes are impossible and would be possible as longitudes."""
    if 2 * n_swapped <= n_rows:
        return
    field = rows.mapping.place_fields[0]
    column = getattr(rows.mapping, field)
    where, value = first_place(rows, field, holds) or ("", "")
    raise DataError(
        f"Most latitudes of {name} are beyond 90 degrees (column {column!r}, {where}: {value}). "
        "Is this latitude/longitude swapped?",
        row=row_from_place(where),
        column=column,
    )
