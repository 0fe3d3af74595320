"""What a reader should know of how a file was understood, in sentences.

Knows the names of columns and the first rows; changes nothing.
"""

import ibis
import ibis.expr.types as ir

from privlab.datasets.columns.guessed_mapping import household_beside, other_candidates, positions_of_ends
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.files.sources import Source
from privlab.datasets.layouts.known_layouts import FORMATS, HEADERLESS, TABLE
from privlab.datasets.records import IN_HOUSEHOLDS, DataReport
from privlab.datasets.rows.second_files import SecondFile, lookup_columns

_MANY = 0.05  # of the rows
_SUMS = (
    "total",
    "totals",
    "grand total",
    "sum",
    "all",
    "summe",
    "gesamt",
    "insgesamt",
    "alle",
    "totale",
    "totaal",
    "somme",
    "suma",
)


def reading_notes(
    source: Source, mapping: ColumnMapping, second: SecondFile | None, report: DataReport
) -> tuple[str, ...]:
    """Return what a reader should know of how the file was understood."""
    notes = [*source.notes]
    format = TABLE if source.layout is None else source.layout.format
    if format == HEADERLESS:
        taken = ", ".join(f"{getattr(mapping, field)} as {field}" for field in mapping.fields_used)
        notes.append(f"The file has no header line: {taken}, by what stands in them.")
    elif format != TABLE:
        notes.append(f"Read as {FORMATS[format]}.")
    for meaning, others in other_candidates(mapping, source.columns).items():
        what = {"user_id": "the user", "zone": "the place"}[meaning]
        listed = ", ".join(repr(name[:40]) for name in others[:3])
        notes.append(
            f"{getattr(mapping, meaning)!r} is taken for {what}; by its name {listed} could be it too."
        )
    if household := household_beside(mapping.user_id, source.columns):
        notes.append(
            f"{mapping.user_id!r} is taken for the user, and {household[:40]!r} is a household by its name: {IN_HOUSEHOLDS}, as in "
            f"travel surveys, many people have one id here. Join the two to one column in the file."
        )
    if second is not None:
        notes.append(_match_in_words(source, mapping, second))
    if mapping.kind == "counts":
        notes.append(_counts_in_words(source, mapping))
    n_nowhere, ends = report.dropped.get("missing place", 0), positions_of_ends(source.columns)
    if mapping.kind != "records" and mapping.place == "zone" and ends and n_nowhere > _MANY * report.rows:
        fields = ("origin_lat", "origin_lon", "destination_lat", "destination_lon")
        listed = ", ".join(f"{name} as {field}" for field, name in zip(fields, ends, strict=True))
        notes.append(
            f"{n_nowhere:,} of {report.rows:,} rows lack {mapping.origin!r} or {mapping.destination!r} and are dropped, and the file has "
            f"positions of both ends. If fewer rows lack these, take them instead: {listed}."
        )
    return tuple(notes)


def _match_in_words(source: Source, mapping: ColumnMapping, second: SecondFile) -> str:
    """Return how rows are matched with a second file, and what is taken from it."""
    added = lookup_columns(source.columns, second.source)
    fields = {field: name for field in mapping.fields_used if (name := getattr(mapping, field)) in added}
    others = [repr(name[:40]) for name, column in added.items() if column != second.lookup.key]
    if fields:
        taken = f"taken from there: {', '.join(f'{name} as {field}' for field, name in fields.items())}."
    else:
        taken = f"nothing is taken from there. Say what its columns mean: {', '.join(others[:4])}."
    return f"Rows are matched with {second.source.path.name} where {second.lookup.on!r} of a row is {second.lookup.key!r} there; {taken}"


def _counts_in_words(source: Source, mapping: ColumnMapping) -> str:
    """Return how rows that name no user are counted, and which columns say nothing of it: their number may stand in one."""
    nobody = "Nothing can be said of a single person."
    if mapping.count is not None:
        return f"No column names a user: {mapping.count!r} is taken for the number of trips of each row. {nobody}"
    used = {getattr(mapping, field) for field in mapping.fields_used}
    others = [repr(name[:40]) for name in source.columns if name and name not in used]
    more = f" and {len(others) - 3} more" if len(others) > 4 else ""
    listed = ", ".join(others if len(others) < 5 else others[:3])
    number = (
        f" If their number stands in a column, name it (count); not used: {listed}{more}." if others else ""
    )
    return f"No column names a user, and none is taken for a number: each row counts as one trip.{number} {nobody}"


def sums_in_words(table: ir.Table) -> str:
    """Say that some zones of a table of flows are called as sums over zones are, if they are; else nothing."""
    texts = [table[field] for field in ("origin", "destination") if field in table.columns]
    if not texts or not all(text.type().is_string() for text in texts):
        return ""
    ids = ibis.union(*(table.select(id=text) for text in texts)).distinct()
    found = ids.filter(ids.id.lower().isin(_SUMS)).order_by("id").limit(1).to_pyarrow().to_pylist()
    if not found:
        return ""
    return (
        f"A zone is called {found[0]['id']!r}: if its rows are sums over others, every trip counts more than once. Take them out of the "
        "file."
    )
