"""A column of times -> wall-clock timestamps, and a sentence on what was assumed.

Knows the written forms of a time and how to tell them apart over a whole column; knows neither
files nor users. Texts are grouped by shape (every digit a 9), of which there are few however long
the column is.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NoReturn

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir

from privlab.checks import DataError
from privlab.datasets.layouts.file_form import ISO
from privlab.datasets.records import RowPosition
from privlab.datasets.times import shapes as by_database
from privlab.datasets.times.day_slots import slot_min_from_format, time_from_slots
from privlab.datasets.times.shapes import (
    DAY_FIRST,
    INSTANT,
    MONTH_FIRST,
    Family,
    Reading,
    reading_from_shape,
    zone_from_format,
)
from privlab.defaults import DAY_0

MISSING_TEXTS = ("", "NULL", "null", "\\N", "NaN", "nan", "NaT", "None", "N/A")
SUBSTANTIAL_SHARE = 0.01  # from this share of the values on, a second format is a fault of the file
_FIRST_ROWS, _COMMON_SHAPES = 1_000, 2
_UTC = "UTC"
_MAX_SHAPES = 2_000  # shapes rarer than this many others are not times
# In microseconds.
UNIX_UNITS = {"seconds": 1e6, "milliseconds": 1e3, "microseconds": 1.0, "nanoseconds": 1e-3}
_EPOCH = datetime(1970, 1, 1)
# The shapes of the families "iso" and "iso zoned", for one text at a time.
_ISO_TIME = r"\d{4}(-\d\d?- ?|/\d\d?/ ?)\d\d?([ T] ?\d\d?:\d\d(:\d\d(\.\d+)?)?)?"
_ISO_OFFSET = r"(Z|z| UTC| GMT| Z| ?[+-]\d\d(:?\d\d)?)(\[[A-Za-z\d_/+-]+\])?"  # a zone's name after an offset says no more
FIRST_TIME, LAST_TIME = datetime(1900, 1, 1), datetime(2200, 1, 1)  # outside, a time is a fault of the file

Locate = Callable[[ir.BooleanValue], tuple[RowPosition, str]]
"""Where a condition on the column's table first holds, and the column's text there."""

_NAIVE, _ZONED = "Times carry no zone and are kept", "Times carry a zone or offset and were"
_NAMED = "Times name their zone"


@dataclass(frozen=True, slots=True)
class TimeReading:
    """A column's times as wall-clock timestamps (NULL where unreadable), and what was assumed of them.

    `time_format` reads them again without looking at them: None where the column's type says all.
    """

    value: ir.TimestampValue
    assumption: str
    time_format: str | None = None


def reading_from_column(
    column: ir.Column,
    *,
    label: str,
    time_format: str | None,
    timezone: str | None,
    locate: Locate,
    recorded_in: str | None = None,
    offset_min: ir.IntegerValue | None = None,
    is_settled: bool = False,
) -> TimeReading:
    """Return a column of times (text, numbers, dates or timestamps) as wall-clock timestamps.

    Parameters
    ----------
    column
        A column of a table that can be queried; texts carry no surrounding blanks.
    label
        What the file calls the column, for complaints.
    time_format
        A strptime format, or several with a bar between them, of which the first that fits counts; a unit
        of `UNIX_UNITS` (unix times); `ISO`; "slots:30" (day_slots); or None to recognise it.
    timezone
        The zone whose wall clock instants are converted to; None is UTC.
    locate
        Where a condition on the column's table first holds.
    recorded_in
        The zone in which times without an offset were written down; None keeps them as they are.
    offset_min
        Minutes that the local time of each row is ahead of UTC; the file's times then are UTC.
    is_settled
        Recognise nothing: without a format, texts are `ISO`.

    Raises
    ------
    DataError
        If the column could be read both day first and month first, or mixes formats; if `is_settled` and
        numbers have no unit.
    """
    if is_settled and time_format is None:
        if column.type().is_numeric():
            raise DataError(
                f"Column {label!r} holds numbers: say how times are written (time_format), as one of {', '.join(UNIX_UNITS)}.",
                column=label,
            )
        time_format = ISO if column.type().is_string() else None
    if time_format == ISO and column.type().is_string() and offset_min is None:
        return _from_iso(column, timezone, recorded_in)
    formats = (time_format or "").split("|")
    with_offset = [one for one in formats if _has_offset(one)]
    if 0 < len(with_offset) < len(formats) and column.type().is_string() and offset_min is None:
        instants = by_database.instant_from_text(column, with_offset)
        wall = by_database.naive_from_text(column, [one for one in formats if one not in with_offset])
        return _of_both(instants, wall, timezone, recorded_in, "|".join(formats))
    if offset_min is None:
        reading = _reading(column, label, time_format, timezone, locate)
        return _rezoned(reading, recorded_in, timezone)
    universal = _reading(column, label, time_format, None, locate)
    words = "Times in UTC were converted to local time by the offset that each row gives."
    return TimeReading(universal.value + offset_min.as_interval("m"), words, universal.time_format)


def _from_iso(text: ir.StringColumn, timezone: str | None, recorded_in: str | None) -> TimeReading:
    """Read every text by itself: an instant where it has an offset, else wall-clock time."""
    is_zoned, is_naive = text.re_search(f"^({_ISO_TIME})({_ISO_OFFSET})$"), text.re_search(f"^({_ISO_TIME})$")
    nothing = ibis.null(dt.string)
    wall = ibis.ifelse(is_naive, text, nothing).try_cast(dt.timestamp)
    return _of_both(_iso_instant(ibis.ifelse(is_zoned, text, nothing)), wall, timezone, recorded_in, ISO)


def _of_both(
    instants: ir.Value, wall: ir.Value, timezone: str | None, recorded_in: str | None, said: str
) -> TimeReading:
    """Return times of which some have an offset: `instants`, NULL for the others, whose `wall` is their clock's time."""
    naive = _rezoned(_from_wall(wall, _NAIVE), recorded_in, timezone).value
    zoned = _from_instants(instants, timezone, _ZONED).value
    words = (
        f"Times with an offset were converted to wall-clock time in {timezone or 'UTC (the default)'}, those "
        f"without are {'wall-clock time' if recorded_in is None else f'taken as written in {recorded_in}'}."
    )
    return TimeReading(ibis.ifelse(instants.notnull(), zoned, naive), words, said)


def _rezoned(reading: TimeReading, recorded_in: str | None, timezone: str | None) -> TimeReading:
    """Return times that were written down in a zone, without saying so, in the wanted zone."""
    if recorded_in is None or not reading.assumption.startswith((_NAIVE, _NAMED)):
        return reading
    what = f"Times were recorded in {recorded_in} and"
    if recorded_in == (timezone or _UTC) == _UTC:  # the database takes its time over a way there and back
        return replace(reading, assumption=_converted(what, timezone))
    moved = _from_instants(by_database.instant(recorded_in, reading.value), timezone, what)
    return replace(moved, time_format=reading.time_format)


def _reading(
    column: ir.Column, label: str, time_format: str | None, timezone: str | None, locate: Locate
) -> TimeReading:
    kind = column.type()
    if kind.is_timestamp() and kind.timezone is not None:
        return _from_instants(column.try_cast(INSTANT), timezone, _ZONED)
    if kind.is_timestamp():
        return _from_wall(column.try_cast(dt.timestamp), _NAIVE)
    if kind.is_date():
        return _from_wall(
            column.try_cast(dt.timestamp), "Dates without a time of day stand for midnight, kept"
        )
    if not (kind.is_string() or kind.is_numeric()):
        raise DataError(f"Column {label!r} holds {kind}, not times.", column=label)
    if time_format in UNIX_UNITS:
        return _from_unix(column, time_format, timezone)
    text = column.cast(dt.string)
    if slot_min := slot_min_from_format(time_format):
        return TimeReading(_plausible(time_from_slots(text, slot_min)), _said_of_slots(slot_min), time_format)
    if time_format is not None and time_format != ISO:
        return _from_formats(text, time_format.split("|"), timezone)
    return _recognised(column, text, label, timezone, locate)


def _from_wall(wall: ir.Value, what: str) -> TimeReading:
    return TimeReading(_plausible(wall), f"{what} as they are, as wall-clock time.")


def _from_instants(instant: ir.Value, timezone: str | None, what: str) -> TimeReading:
    # Bounded before the conversion, which fails on instants far outside.
    near = instant.between(ibis.literal(FIRST_TIME, INSTANT), ibis.literal(LAST_TIME, INSTANT))
    wall = by_database.wall_clock(timezone or "UTC", ibis.ifelse(near, instant, ibis.null(INSTANT)))
    return TimeReading(wall, _converted(what, timezone))


def _converted(what: str, timezone: str | None) -> str:
    return f"{what} converted to wall-clock time in {timezone or 'UTC (the default)'}."


def _from_unix(column: ir.Column, unit: str, timezone: str | None) -> TimeReading:
    number: Any = column.try_cast(dt.float64) * UNIX_UNITS[unit]
    low, high = ((bound - _EPOCH).total_seconds() * 1e6 for bound in (FIRST_TIME, LAST_TIME))
    whole = ibis.ifelse(number.between(low, high), number, ibis.null(dt.float64)).round().cast(dt.int64)
    universal, what = by_database.naive_from_microseconds(whole), f"Unix times in {unit} were"
    if (timezone or _UTC) == _UTC:
        return TimeReading(universal, _converted(what, timezone), unit)
    return replace(_from_instants(by_database.instant(_UTC, universal), timezone, what), time_format=unit)


def _from_formats(text: ir.StringValue, formats: list[str], timezone: str | None) -> TimeReading:
    said = "|".join(formats)
    if any(_has_offset(one) for one in formats):
        zoned = _from_instants(by_database.instant_from_text(text, formats), timezone, _ZONED)
        return replace(zoned, time_format=said)
    zones = sorted({zone for one in formats if (zone := zone_from_format(one))})
    what = f"{_NAMED} ({', '.join(zones)}) and no offset: they are kept" if zones else _NAIVE
    return replace(_from_wall(by_database.naive_from_text(text, formats), what), time_format=said)


def _has_offset(time_format: str) -> bool:
    return "%z" in time_format or "%Z" in time_format


def _said_of_slots(slot_min: int) -> str:
    return (
        f"Times are days and slots of {slot_min} minutes, both counted from 0, and a row counts at the beginning of its slot. Which day was the "
        f"first the file does not say: it is taken for {DAY_0:%A} {DAY_0.day} {DAY_0:%B %Y}, so that weeks run from it, and names of days and dates "
        "mean nothing."
    )


def _plausible(time: ir.Value) -> ir.TimestampValue:
    within = time.between(ibis.literal(FIRST_TIME), ibis.literal(LAST_TIME))
    return ibis.ifelse(within, time, ibis.null(dt.timestamp))


def _recognised(
    column: ir.Column, text: ir.StringValue, label: str, timezone: str | None, locate: Locate
) -> TimeReading:
    shape = _shape(text)
    readings: dict[Family, dict[str, Reading]] = {}
    counts: dict[Family, int] = {}
    found = _shape_counts(shape)
    for one, count in found:
        if (reading := reading_from_shape(one)) is not None:
            readings.setdefault(reading.family, {})[one] = reading
            counts[reading.family] = counts.get(reading.family, 0) + count
    if not counts:  # nothing here is a time: the caller counts every row as such
        nothing = ibis.ifelse(text.isnull(), ibis.null(dt.timestamp), ibis.null(dt.timestamp))
        return TimeReading(nothing, "No time could be read.")
    family = max(counts, key=lambda one: counts[one])
    ours = shape.isin(list(readings[family]))
    for other, count in counts.items():
        if other != family and count >= SUBSTANTIAL_SHARE * sum(counts.values()):
            _refuse_mixed(label, locate, ours, shape.isin(list(readings[other])))
    # Mostly there is one shape, and nobody need ask each row for its own once more.
    is_all = len(found) < _MAX_SHAPES and all(one in readings[family] for one, _ in found)
    read = text if is_all else ibis.ifelse(ours, text, ibis.null(dt.string))
    formats = sorted({one.format for one in readings[family].values()})
    return _from_family(family, read, column, formats, label, timezone, locate)


def _from_family(
    family: Family,
    text: ir.StringValue,
    column: ir.Column,
    formats: list[str],
    label: str,
    timezone: str | None,
    locate: Locate,
) -> TimeReading:
    if family in UNIX_UNITS:
        return _from_unix(text if column.type().is_string() else column, family, timezone)
    if family == "iso":
        return replace(_from_wall(text.try_cast(dt.timestamp), _NAIVE), time_format=ISO)
    if family == "iso zoned":
        return replace(_from_instants(_iso_instant(text), timezone, _ZONED), time_format=ISO)
    if family == "numeric":
        formats = _ordered(text, formats, label, locate)
    return _from_formats(text, formats, timezone)


def _iso_instant(text: ir.StringValue) -> ir.Value:
    joined = text.upper().re_replace(r"\[.*$", "")  # the cast takes no zone after the offset
    joined = joined.re_replace(r"\s+([+-]\d|Z$)", r"\1")  # nor a blank before it
    joined = joined.re_replace(r"([ T]\d?\d:\d\d)([Z+ -])", r"\1:00\2")  # nor an offset after minutes
    return joined.try_cast(INSTANT)


def _ordered(text: ir.StringValue, formats: list[str], label: str, locate: Locate) -> list[str]:
    """Return the formats with day and month in the order that the whole column shows."""
    # %y before %Y, which would read the year 14 as the first century's.
    formats = sorted(formats, key=lambda one: "%Y" in one)
    day_first, month_first = ([one.format(*order) for one in formats] for order in (DAY_FIRST, MONTH_FIRST))
    _refuse_years_in_front(text, formats, (day_first, month_first), label, locate)
    day, month = by_database.naive_from_text(text, day_first), by_database.naive_from_text(text, month_first)
    day_only = day.notnull() & month.isnull()
    month_only = month.notnull() & day.isnull()
    differ = day.notnull() & month.notnull() & (day != month)
    counts = ibis.struct({"day": day_only, "month": month_only, "differ": differ}).name("c").as_table()
    found = counts.agg(**{one: counts.c[one].sum().fill_null(0) for one in ("day", "month", "differ")})
    n_day, n_month, n_differ = found.to_pyarrow().to_pylist()[0].values()
    if min(n_day, n_month) >= SUBSTANTIAL_SHARE * (n_day + n_month) > 0:
        _refuse_mixed(label, locate, day_only, month_only)
    if n_day == n_month == 0 and n_differ:
        where, value = locate(differ)
        raise DataError(
            f"Column {label!r} can be read month first and day first throughout ({where}: {value!r}). "
            f"Say how times are written (time_format): {month_first[0]!r} or {day_first[0]!r}.",
            row=where.row,
            column=label,
            readings=tuple(_read_by(one, value) for one in (day_first, month_first)),
        )
    return day_first if n_day > n_month else month_first


def _refuse_years_in_front(
    text: ir.StringValue,
    formats: list[str],
    others: tuple[list[str], list[str]],
    label: str,
    locate: Locate,
) -> None:
    """Refuse dates of three numbers of two digits that can be read year first, if those in front differ less than those at the end."""
    if any("%Y" in one for one in formats):
        return
    year_first = [one.replace("%y", "%d").format("%y", "%m") for one in formats]
    front, end = (text.re_extract(r"\A(\d\d?)\D\d\d?\D(\d\d)", place) for place in (1, 2))
    table = (
        ibis.struct(
            {"time": by_database.naive_from_text(text, year_first), "text": text, "front": front, "end": end}
        )
        .name("c")
        .as_table()
    )
    c = table.c
    found = table.agg(
        read=c["time"].count(), n=c["text"].count(), front=c["front"].nunique(), end=c["end"].nunique()
    )
    n_read, n, n_front, n_end = found.to_pyarrow().to_pylist()[0].values()
    if n_read < n or n_front >= n_end:
        return
    where, value = locate(text.notnull())
    readings = [_read_by(one, value) for one in others]
    possible = [one for one in readings if " is " in one[1]]
    raise DataError(
        f"Column {label!r} can be read with the year first throughout, and with the year last ({where}: {value!r}). "
        f"Say how times are written (time_format): {year_first[0]!r} or {possible[0][0].split('|')[0]!r}.",
        row=where.row,
        column=label,
        readings=(_read_by(year_first, value), *possible),
    )


def _read_by(formats: list[str], value: str) -> tuple[str, str]:
    """Return the formats of one order as a column is said to have them, and the day that a text names by them."""
    for one in formats:
        with suppress(ValueError):
            return "|".join(formats), f"{value} is {datetime.strptime(value.strip(), one):%d %B %Y}"
    return "|".join(formats), formats[0]


def _refuse_mixed(label: str, locate: Locate, one: ir.BooleanValue, other: ir.BooleanValue) -> NoReturn:
    (where, value), (where_other, value_other) = locate(one), locate(other)
    raise DataError(
        f"Column {label!r} mixes formats of time: {value!r} ({where}) and {value_other!r} ({where_other}). "
        "Write all of them in one format.",
        row=where_other.row,
        column=label,
    )


def _shape(text: ir.StringValue) -> ir.StringValue:
    """Return texts with every digit a 9; what looks like most of the first rows is told by a pattern, in a quarter of the time."""
    shape = text.translate("012345678", "999999999")
    common = [one for one, _ in _shape_counts(shape, _FIRST_ROWS) if reading_from_shape(one) is not None]
    patterns = [r"\A" + re.escape(one).replace("9", "[0-9]") + r"\z" for one in common[:_COMMON_SHAPES]]
    known = [(text.re_search(one), ibis.literal(said)) for one, said in zip(patterns, common, strict=False)]
    return ibis.cases(*known, else_=shape) if known else shape


def _shape_counts(shape: ir.StringValue, n_rows: int | None = None) -> list[tuple[str, int]]:
    table = shape.name("shape").as_table()
    table = table if n_rows is None else table.limit(n_rows)
    counts = table.filter(table.shape.notnull()).group_by("shape").agg(n=lambda t: t.count())
    most = counts.order_by([ibis.desc("n"), "shape"]).limit(_MAX_SHAPES)
    return [(row["shape"], row["n"]) for row in most.to_pyarrow().to_pylist()]
