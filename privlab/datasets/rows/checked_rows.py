"""Raw rows -> the rows that can be used, and the report of what became of the others.

Knows the order of the checks; what each of them asks is in row_checks and timestamps.
"""

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import reduce
from operator import and_
from typing import Any

import ibis
import ibis.expr.types as ir

from privlab.checks import DataError
from privlab.datasets.columns.mapping import DEGREES, ColumnMapping
from privlab.datasets.engines.workspace import Engine, row_count
from privlab.datasets.records import UNNUMBERED, DataReport, Offender, RowPosition, report_from_counts
from privlab.datasets.rows.raw_rows import (
    OTHER_TIME,
    RawRows,
    first_place,
    located,
    refuse_empty,
    refuse_estimates,
    refuse_swapped,
    told_of_dropped,
)
from privlab.datasets.rows.row_checks import (
    NEXT_DAY,
    Fault,
    faults_from_columns,
    number_of_fault,
    refuse_hours,
    settled_ids,
    swapped,
    typed_extras,
    typed_ids,
    typed_numbers,
)
from privlab.datasets.times.day_slots import slot_min_from_format
from privlab.datasets.times.timestamps import TimeReading, reading_from_column
from privlab.progress import UNHEARD, Progress

_SHOWN_OFFENDERS = 3
_FEW = 0.001  # of the rows: so few in a year ask for a word
NOWHERE = "place that its projected system does not have"


def checked_rows(
    rows: RawRows, name: str, timezone: str | None, workspace: Engine, progress: Progress = UNHEARD
) -> tuple[ir.Table, DataReport, str | None]:
    """Return the normalised table of the rows without a fault, the report, and how times are written.

    `progress` is told how many rows with x and y of a known system are converted. Raises a DataError if there is none, or most latitudes
    can only be longitudes; in a settled form the latter are dropped like other rows.
    """
    mapping, is_settled = rows.mapping, rows.form is not None
    extras = typed_extras(rows.table, mapping, decimal_comma=rows.decimal_comma)
    if "utc_offset_min" in extras and not is_settled:
        refuse_hours(extras["utc_offset_min"], rows.column("utc_offset_min"))
    reading = _times(rows, timezone, extras.get("utc_offset_min"))
    numbers = typed_numbers(rows.table, mapping, decimal_comma=rows.degrees_with_comma)
    if mapping.kind == "counts" and not mapping.count:
        extras["count"] = ibis.literal(1, "int64")
    settled = {} if rows.form is None else settled_ids(rows.table, mapping, rows.form.ids)
    faults = faults_from_columns(rows.table, mapping, reading.value, numbers | extras | settled)
    fault = number_of_fault(faults)
    extras.pop("utc_offset_min", None)
    ids = settled if is_settled else typed_ids(rows.table, mapping, fault.isnull())
    users = {} if mapping.kind == "counts" else {"user_id": ids.pop("user_id")}
    places_of_row = {one: rows.table[one] for one in ("file", "row") if one in rows.table.columns}
    columns = {**users, "time": reading.value, **ids, **numbers, **extras}
    backwards = _ends_before_start(rows, reading.time_format)
    order = {} if backwards is None else {"backwards": backwards}
    checked = rows.table.select(**columns, **places_of_row, **order, fault=fault)
    with ExitStack() as undo:
        # Texts are parsed once; a Parquet file's own types are cheap to read again, and are not copied.
        is_text = mapping.timestamp is not None and rows.table.timestamp.type().is_string()
        if rows.stored is not None or rows.lookup is not None or is_text:
            checked = workspace.materialise("checked", checked)
            undo.callback(workspace.forget, checked)
        notes: tuple[str, ...] = ()
        if mapping.crs is not None:
            from privlab.datasets.rows.rows_in_degrees import rows_in_degrees  # which loads PROJ

            faults.append(Fault(NOWHERE, mapping.place_fields[0], ibis.literal(False)))
            checked, notes = rows_in_degrees(checked, rows, name, len(faults) - 1, workspace, progress)
            undo.callback(workspace.forget, checked)
            columns = {DEGREES.get(one, one): value for one, value in columns.items()}
        counts = _counts(checked, mapping, faults)
        has_faults = any(count["reason"] is not None for count in counts)
        examples = _examples(checked, rows, faults) if has_faults else {}
        # Where nothing is at fault, nobody need look for faults again.
        kept = checked.filter(checked.fault.isnull()) if has_faults else checked
        n_users = 0 if mapping.kind == "counts" else row_count(kept.select("user_id").distinct())
        data_report = report_from_counts(
            counts, n_users, (rows.n_malformed, rows.malformed), reading.assumption, examples
        )
        data_report = replace(data_report, notes=(*data_report.notes, *notes))
        if n_backwards := sum(count.get("backwards") or 0 for count in counts if count["reason"] is None):
            asked = _asked_of_times(rows, n_backwards, backwards)
            data_report = replace(data_report, notes=(*data_report.notes, asked))
        if mapping.place_in_file == "latlon" and not is_settled:
            n_swapped = sum(count["swapped"] or 0 for count in counts)
            refuse_swapped(name, n_swapped, data_report.rows, rows, swapped(mapping, numbers))
        if not data_report.kept:
            refuse_empty(name, data_report)
        refuse_estimates(name, data_report)
        data_report = told_of_dropped(data_report)
        if asked := _asked_of_years(kept, data_report):
            data_report = replace(data_report, notes=(*data_report.notes, asked))
        undo.pop_all()
    return kept.select(*columns), data_report, reading.time_format


def _times(rows: RawRows, timezone: str | None, offset_min: Any) -> TimeReading:
    mapping = rows.mapping
    if mapping.timestamp is None:
        return TimeReading(
            ibis.null("timestamp"),
            "No column is taken for a time: all rows count as of one period. If one holds days or times, name it (timestamp).",
        )
    reading = reading_from_column(
        rows.table.timestamp,
        label=mapping.timestamp if mapping.date is None else f"{mapping.date} {mapping.timestamp}",
        time_format=mapping.time_format,
        timezone=timezone,
        locate=lambda holds: first_place(rows, "timestamp", holds) or (RowPosition(None), ""),
        recorded_in=mapping.recorded_in,
        offset_min=offset_min,
        is_settled=rows.form is not None,
    )
    if NEXT_DAY not in rows.table.columns or slot_min_from_format(mapping.time_format):
        return reading
    late = ibis.ifelse(rows.table[NEXT_DAY], reading.value + ibis.interval(days=1), reading.value)
    said = f"{reading.assumption} A clock from 24:00 on is one of the day after."
    return replace(reading, value=late, assumption=said)


def _ends_before_start(rows: RawRows, time_format: str | None) -> ir.BooleanValue | None:
    """Return which rows end before they start; None where they have not two times that are written alike.

    Both are read as instants where they are such, so that an hour that comes twice in autumn turns nothing round.
    """
    if OTHER_TIME not in rows.table.columns:
        return None
    with suppress(DataError):
        counted, other = (
            reading_from_column(
                column,
                label=rows.column(field),
                time_format=time_format,
                timezone=None,
                locate=lambda _: (UNNUMBERED, ""),
            ).value
            for field, column in (("timestamp", rows.table.timestamp), (OTHER_TIME, rows.table[OTHER_TIME]))
        )
        return counted < other if rows.other_is_start else other < counted
    return None


def _asked_of_times(rows: RawRows, n: int, backwards: ir.BooleanValue | None) -> str:
    """Return the question that rows ask which end before they start."""
    names = (rows.column(OTHER_TIME), rows.column("timestamp"))
    start, end = names if rows.other_is_start else names[::-1]
    at = None if backwards is None else first_place(rows, OTHER_TIME, backwards)
    where = "" if at is None or at[0].row is None else f", first in {at[0]}"
    return (
        f"{n:,} of the rows {'ends' if n == 1 else 'end'} before {'it starts' if n == 1 else 'they start'} ({end!r} lies before "
        f"{start!r}{where}): are the two swapped, or is a clock wrong? {rows.column('timestamp')!r} is what counts."
    )


def _asked_of_years(kept: ir.Table, report: DataReport) -> str:
    """Return the question that a few times ask which lie in other years than all others; nothing where there are none."""
    if report.first is None or report.last is None or report.last.year - report.first.year < 2:
        return ""
    by_year = kept.group_by(year=kept.time.year()).agg(n=kept.count()).to_pyarrow().to_pylist()
    usual = {one["year"] for one in by_year if one["n"] > max(1, _FEW * report.kept)}
    far = sorted(
        (one["year"], one["n"]) for one in by_year if not usual & {one["year"] + by for by in (-1, 0, 1)}
    )
    if not usual or not far:
        return ""
    n = sum(rows for _, rows in far)
    years = ", ".join(str(year) for year, _ in far[:4]) + (" …" if len(far) > 4 else "")
    of_others = str(min(usual)) if len(usual) == 1 else f"{min(usual)} to {max(usual)}"
    return (
        f"{n:,} of the rows {'lies' if n == 1 else 'lie'} years from the others, in {years}, where nearly all are of {of_others}: is a clock "
        "wrong? Clean the file by a first and a last day, and they are left out."
    )


def _counts(checked: ir.Table, mapping: ColumnMapping, faults: Sequence[Fault]) -> list[dict[str, Any]]:
    """Return one row per reason (None for the kept rows): n, first and last time, swapped."""
    columns: dict[str, ir.Value] = {
        "n": checked.count(),
        "first": checked.time.min(),
        "last": checked.time.max(),
    }
    if mapping.place_in_file == "latlon":
        columns["swapped"] = swapped(mapping, {field: checked[field] for field in mapping.place_fields}).sum()
    if "backwards" in checked.columns:
        columns["backwards"] = checked.backwards.sum()
    if mapping.place == "xy":
        east, north = mapping.place_fields[::2], mapping.place_fields[1::2]
        within = [
            (checked[field].abs().max() <= most)
            for some, most in ((east, 180), (north, 90))
            for field in some
        ]
        columns["degrees"] = reduce(and_, within)
    # Most files are sound: then one look at all rows together tells everything.
    whole = checked.agg(n_faults=checked.fault.count(), **columns).to_pyarrow().to_pylist()[0]
    if not whole.pop("n_faults"):
        return [{"reason": None, **whole}]
    counts: dict[str | None, dict[str, Any]] = {}
    for row in checked.group_by("fault").agg(**columns).to_pyarrow().to_pylist():
        number = row.pop("fault")
        reason = None if number is None else faults[number].reason
        if reason in counts:  # one reason, of another column
            counts[reason]["n"] += row["n"]
            counts[reason]["swapped"] = (counts[reason].get("swapped") or 0) + (row.get("swapped") or 0)
        else:
            counts[reason] = {"reason": reason, **row}
    return list(counts.values())


def _examples(checked: ir.Table, rows: RawRows, faults: Sequence[Fault]) -> dict[str, tuple[Offender, ...]]:
    """Return the first rows dropped for each reason; where rows have no number, one of them."""
    if "row" not in checked.columns:
        return {
            fault.reason: (Offender(position=at[0], column=rows.column(fault.field), value=at[1][:200]),)
            for fault in reversed(faults)  # so that of two columns with one reason the first is named
            if (at := first_place(rows, fault.field, fault.holds)) is not None
        }
    order = [name for name in ("file", "row") if name in checked.columns]
    first = ibis.window(group_by="fault", order_by=order)
    bad = checked.filter(checked.fault.notnull())
    bad = bad.mutate(place=ibis.row_number().over(first)).filter(ibis._.place < _SHOWN_OFFENDERS)
    found = bad.order_by("fault", *order).select("fault", *order).to_pyarrow().to_pylist()
    keys = [(row.get("file"), row["row"]) for row in found]
    examples: dict[str, list[Offender]] = {}
    for row, (position, values) in zip(found, located(rows, keys), strict=True):
        fault = faults[row["fault"]]
        value = values.get(fault.field)
        shown = "" if value is None else str(value)
        offender = Offender(position=position, column=rows.column(fault.field), value=shown[:200])
        examples.setdefault(fault.reason, []).append(offender)
    return {reason: tuple(some[:_SHOWN_OFFENDERS]) for reason, some in examples.items()}
