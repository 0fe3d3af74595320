"""Raw columns -> typed columns and, for each row, the reason it cannot be used.

Knows what a user, a time and a place must look like; knows no files.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir

from privlab.checks import DataError
from privlab.datasets.columns.ids import NUMBER, key_text, whole_numbers
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import has_rows
from privlab.datasets.times.shapes import BLANKS
from privlab.datasets.times.timestamps import MISSING_TEXTS
from privlab.limits import MAX_COUNTED

_NAN_TEXTS = ("NaN", "nan", "NaT")
NEXT_DAY = "next_day"
_IDS = ("user_id", "zone", "area", "origin", "destination")
_TIMES = ("timestamp", "date")
_CLOCK_IN_DIGITS = r"^(\d{1,4})(\.0+)?$"
_YES, _NO = (
    ("1", "true", "t", "yes", "y", "occupied", "hired"),
    ("0", "false", "f", "no", "n", "vacant", "free"),
)
_CANONICAL = r"^(0|-?[1-9][0-9]{0,17})$"
_THOUSANDS = (
    r"^[-+]?[0-9]{1,3}([.,][0-9]{3})+$"  # 2.000 beside semicolons is two thousand to most, and two to a few
)
_MAX_EXACT = 2.0**53
_DAY_MIN = 24 * 60
_MOST_HOURS = 14  # that a place is ahead of UTC
_EXTRA_REASONS = {
    "occupied": "unreadable occupied flag",
    "count": "unreadable count",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One way a row can be unusable: the reason, the column it lies in, and where it holds."""

    reason: str
    field: str
    holds: ir.BooleanValue


@ibis.udf.scalar.builtin(name="trim", signature=((dt.string, dt.string), dt.string))
def _trimmed(text, letters):  # type: ignore[no-untyped-def]
    """Return the text without these letters at its ends."""


def _without_blanks(column: ir.StringColumn) -> ir.StringValue:
    """Return the texts without blanks of any kind at their ends."""
    # Trimming takes longer than reading the file; hardly any text begins or ends in what could be a blank.
    ends_blank = reduce(or_, (column.endswith(blank) for blank in BLANKS))
    sound = (column >= "!") & (column < "~") & ~ends_blank
    return ibis.ifelse(sound, column, _trimmed(column, BLANKS))


@ibis.udf.scalar.builtin(name="epoch_us", signature=((dt.time,), dt.int64))
def _microseconds(clock):  # type: ignore[no-untyped-def]
    """Return a time of day as the number that a file holds."""


def clock_or_null(column: ir.TimeValue) -> ir.TimeValue:
    """Return times of day, NULL where a file holds one outside the day: written as text it would end the process."""
    return ibis.ifelse(_microseconds(column).between(0, _DAY_MIN * 60_000_000), column, ibis.null(dt.time))


KEY = "lookup_key"  # the column by which rows find their match in a second file


def stripped(raw: ir.Table) -> ir.Table:
    """Return the table with texts stripped and missing values NULL."""
    columns: dict[str, ir.Value] = {}
    for field in raw.columns:
        column = raw[field]
        if field == "file":  # the database's own
            columns[field] = column
        elif column.type().is_string():
            text = _without_blanks(column)
            # "nan" is a missing id or time, but an unreadable number.
            is_number = field not in (*_IDS, *_TIMES, KEY)
            missing = [one for one in MISSING_TEXTS if not (is_number and one in _NAN_TEXTS)]
            # Not isin(): the database makes a join of a longer list, and no longer says how far it is.
            is_missing = reduce(or_, (text == one for one in missing))
            columns[field] = ibis.ifelse(is_missing, ibis.null(dt.string), text)
        elif column.type().is_time():
            columns[field] = clock_or_null(column)
        elif column.type().is_floating() and field in _IDS:
            columns[field] = ibis.ifelse(column.isnan(), ibis.null(column.type()), column)
        else:
            columns[field] = column
    return raw.select(**columns)


def composed(table: ir.Table, time_format: str | None = None) -> ir.Table:
    """Return the table with the parts of a time, and of a zone id, put together; the day and the area stay.

    Where the format of times has hours and minutes without a mark between (%H%M), a clock that is a number has its zeros in front again: 730
    is 0730, and 5 is 0005.

    A clock from 24:00 to 47:59 beside a day, as timetables and tap machines count an operating day on, becomes one of 0:00 to 23:59, and
    `NEXT_DAY` says of each row whether it was such a clock.
    """
    columns: dict[str, ir.Value] = {}
    if "date" in table.columns:
        day, clock = table.date, table.timestamp
        day = day.cast(dt.date) if day.type().is_timestamp() else day
        clock = clock.cast(dt.string)
        is_number = "%H%M" in (time_format or "")
        if is_number:
            digits = clock.re_extract(_CLOCK_IN_DIGITS, 1)
            clock = ibis.ifelse(clock.re_search(_CLOCK_IN_DIGITS), digits.lpad(4, "0"), clock)
        hour = clock.substr(0, 2)
        is_late = clock.re_search(rf"^[234]\d{':?' if is_number else ':'}[0-5]\d") & hour.between("24", "47")
        next_days = ibis.cases(*((hour == str(one), f"{one - 24:02d}") for one in range(24, 48)), else_=hour)
        columns[NEXT_DAY] = is_late.fill_null(False)
        columns["timestamp"] = (
            day.cast(dt.string) + " " + ibis.ifelse(is_late, next_days + clock.substr(2), clock)
        )
    if "area" in table.columns:
        columns["zone"] = table.area.cast(dt.string) + "-" + table.zone.cast(dt.string)
    return table.mutate(**columns)


def typed_numbers(table: ir.Table, mapping: ColumnMapping, *, decimal_comma: bool) -> dict[str, ir.Value]:
    """Return the columns of coordinates as numbers, of numbered cells their middles in metres; NULL where unreadable."""
    columns: dict[str, ir.Value] = {}
    for field in mapping.place_fields:
        if field not in _IDS:
            _require_number(table[field], getattr(mapping, field), "coordinates")
            number = _number(table[field], decimal_comma)
            # The middle of a cell, which no square of the same size has on its border.
            columns[field] = number if mapping.step_m is None else (number + 0.5) * mapping.step_m
    return columns


def typed_ids(table: ir.Table, mapping: ColumnMapping, faultless: ir.BooleanValue) -> dict[str, ir.Value]:
    """Return the columns of users and zones in their final types, as the rows without a fault demand."""
    columns: dict[str, ir.Value] = {}
    ids = [field for field in mapping.place_fields if field in _IDS]
    for group in [[field for field in ("user_id",) if field in table.columns], ids]:
        for field in group:
            _require_id(table[field], getattr(mapping, field))
        # Both ends of a trip share one type, or they could not be compared.
        whole = bool(group) and all(_all_whole(table, field, faultless) for field in group)
        columns |= {field: _id(table[field], whole) for field in group}
    return columns


def settled_ids(table: ir.Table, mapping: ColumnMapping, kind: str | None) -> dict[str, ir.Value]:
    """Return the columns of users and zones in types that no row decides; NULL where an id does not fit.

    Users are text. Zones are numbers or text as `kind` says. A whole number is the same text in a column
    of whole numbers and in one of decimals; a text stays as it is written.
    """
    columns: dict[str, ir.Value] = {}
    for field in ("user_id", *(field for field in mapping.place_fields if field in _IDS)):
        if field in table.columns:
            _require_id(table[field], getattr(mapping, field))
            column = table[field]
            text = column if column.type().is_string() else key_text(column)
            is_number = kind == NUMBER and field != "user_id"
            columns[field] = _whole_number(text) if is_number else text
    return columns


def _whole_number(text: ir.StringValue) -> ir.Value:
    return ibis.ifelse(text.re_search(_CANONICAL), text, ibis.null(dt.string)).try_cast(dt.int64)


def typed_extras(table: ir.Table, mapping: ColumnMapping, *, decimal_comma: bool) -> dict[str, ir.Value]:
    """Return the count, the offset and the flag of an occupied cab in their final types; NULL where unreadable."""
    columns: dict[str, ir.Value] = {}
    for field in ("count", "utc_offset_min"):
        if field in table.columns:
            _require_number(table[field], getattr(mapping, field), "numbers")
            column = table[field]
            if field == "count" and decimal_comma and column.type().is_string():
                column = ibis.ifelse(column.re_search(_THOUSANDS), ibis.null(dt.string), column)
            number = _number(column, decimal_comma)
            low, high = (0, MAX_COUNTED) if field == "count" else (-_DAY_MIN, _DAY_MIN)
            columns[field] = whole_numbers(number, low, high)
    if "occupied" in table.columns:
        text = table.occupied.cast(dt.string).lower()
        columns["occupied"] = ibis.cases(
            (text.isin(_YES), True), (text.isin(_NO), False), else_=ibis.null(dt.boolean)
        )
    return columns


def faults_from_columns(
    table: ir.Table, mapping: ColumnMapping, time: ir.Value, typed: dict[str, ir.Value]
) -> list[Fault]:
    """Return the faults in the order in which a row is blamed for them."""
    places = mapping.place_fields
    faults = []
    if "unmatched" in table.columns:
        faults.append(Fault("no match in the second file", KEY, table.unmatched))
    if "user_id" in table.columns:
        faults.append(Fault("missing user", "user_id", table.user_id.isnull()))
    parts = [field for field in ("date", "timestamp") if field in table.columns]
    faults += [Fault("missing time", field, table[field].isnull()) for field in parts]
    if "utc_offset_min" in typed:  # without it there is no time either
        faults.append(Fault("unreadable offset", "utc_offset_min", typed["utc_offset_min"].isnull()))
    if parts:
        faults.append(Fault("unparsable time", "timestamp", time.isnull()))
    parts = [field for field in ("area", *places) if field in table.columns]
    faults += [Fault("missing place", field, table[field].isnull()) for field in parts]
    zones = [field for field in places if field in _IDS and field in typed]
    faults += [Fault("id that is no whole number", field, typed[field].isnull()) for field in zones]
    for field, reason in _EXTRA_REASONS.items():
        if field in typed:
            faults.append(Fault(reason, field, typed[field].isnull()))
    return faults if mapping.place == "zone" else faults + _place_faults(places, mapping, typed)


def _place_faults(places: Sequence[str], mapping: ColumnMapping, typed: dict[str, ir.Value]) -> list[Fault]:
    faults = []
    for field in places:
        number = typed[field]
        faults.append(
            Fault("unreadable coordinate", field, number.isnull() | number.isnan() | number.isinf())
        )
    if mapping.place == "xy":
        return faults
    for field in places if mapping.place_in_file == "latlon" else ():
        most = 90 if field.endswith("lat") else 180
        faults += [Fault("impossible coordinate", field, typed[field].abs() > most)]
    for lat, lon in zip(places[::2], places[1::2], strict=True):
        faults += [Fault("zero coordinate (0, 0)", lat, (typed[lat] == 0) & (typed[lon] == 0))]
    return faults


def refuse_hours(offset_min: ir.IntegerValue, column: str) -> None:
    """Raise a DataError if offsets from UTC are hours: no place is as few minutes ahead of it as all of them are."""
    most = offset_min.abs().name("n").as_table().n.max().to_pyarrow().as_py()
    if most is not None and 0 < most <= _MOST_HOURS:
        raise DataError(
            f"Column {column!r} holds offsets from UTC of at most {most}: hours, where minutes are wanted. Multiply them by 60.",
            column=column,
        )


def number_of_fault(faults: list[Fault]) -> ir.IntegerValue:
    """Return, for each row, the position of the first fault against it, NULL where there is none."""
    return ibis.cases(
        *((fault.holds, ibis.literal(number, dt.int64)) for number, fault in enumerate(faults)),
        else_=ibis.null(dt.int64),
    )


def swapped(mapping: ColumnMapping, typed: dict[str, ir.Value]) -> ir.BooleanValue:
    """Return where a latitude is impossible and latitude and longitude exchanged would be possible."""
    lat, lon = (typed[field].abs() for field in mapping.place_fields[:2])
    return (lat > 90) & (lat <= 180) & (lon <= 90)


def _number(column: ir.Value, decimal_comma: bool) -> ir.FloatingValue:
    if column.type().is_string():
        # The database takes 1_000 for a number, as people do not.
        column = ibis.ifelse(column.contains("_"), ibis.null(dt.string), column)
        column = column.replace(",", ".") if decimal_comma else column
    return column.try_cast(dt.float64)


def _require_number(column: ir.Value, label: str, what: str) -> None:
    kind = column.type()
    if not (kind.is_numeric() or kind.is_string()):
        raise DataError(f"Column {label!r} holds {kind}, not {what}.", column=label)


def _require_id(column: ir.Value, label: str) -> None:
    kind = column.type()
    if kind.is_nested() or kind.is_binary() or kind.is_geospatial():
        raise DataError(f"Column {label!r} holds {kind}, not ids.", column=label)


def _all_whole(table: ir.Table, field: str, faultless: ir.BooleanValue) -> bool:
    column = table[field]
    kind = column.type()
    if kind.is_integer():
        return not kind.is_unsigned_integer() or kind.nbytes < 8
    if kind.is_floating() or kind.is_decimal():
        within = whole_numbers(column, 1 - _MAX_EXACT, _MAX_EXACT - 1).notnull()
    elif kind.is_string():
        within = column.re_search(_CANONICAL)
    else:
        return False
    # Whether a row has a fault is costly to say, so it is asked of the first odd ids alone.
    return not has_rows(table.filter(column.notnull() & ~within).filter(faultless).select(field))


def _id(column: ir.Column, whole: bool) -> ir.Value:
    if whole:
        return column.try_cast(dt.int64)
    if column.type().is_string():
        return column
    return column.cast(dt.string)
