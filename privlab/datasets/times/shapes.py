"""The shape of a written time (every digit a 9) -> how to read it, with the database's own functions of time."""

import re
from dataclasses import dataclass, replace
from typing import Literal

import ibis
import ibis.expr.datatypes as dt

Family = Literal[
    "iso",
    "iso zoned",
    "numeric",
    "written",
    "written zoned",
    "seconds",
    "milliseconds",
    "microseconds",
    "nanoseconds",
]

_CLOCK = r"(?P<clock>(?P<gap>[ T]|, ?) ?99?:99(?P<s>:99(?P<f>\.9{1,6})?)?(?P<ampm> ?[AaPp][Mm])?)?"
_ISO = re.compile(r"9999([-/])99?\1 ?99?([ T] ?99?:99(:99(\.9+)?)?)?")
_ISO_ZONED = re.compile(
    r"9999([-/])99?\1 ?99?[ T]99?:99(:99(\.9+)?)?(Z|z| UTC| GMT| Z| ?[+-]99(:?99)?)(\[[A-Za-z9_/+-]+\])?"
)
_YEAR_FIRST = re.compile(r"9999(?P<sep>[-/.]|)99?(?P=sep)99?" + _CLOCK)
_NUMERIC = re.compile(r"99?(?P<sep>[-/.])99?(?P=sep)(?P<year>99(?:99)?)" + _CLOCK)
_MONTH_NAME = re.compile(r"99?(?P<sep>[- /])(?P<month>[A-Za-z]{3,9})(?P=sep)(?P<year>99(?:99)?)" + _CLOCK)
_MONTH_NAME_FIRST = re.compile(r"(?P<month>[A-Za-z]{3,9}) 99?, (?P<year>9999)" + _CLOCK)
# A zone's letters or name (CET, Europe/Berlin) without an offset: it stands in the format as it is, since what letters mean differs
# from place to place (BST, IST, CST).
_NAMED = re.compile(
    r"(?P<time>.*) (?P<zone>(?!(?:UTC|GMT|AM|PM)$)[A-Z]{2,5}|[A-Z][A-Za-z]+(/[A-Z][A-Za-z_-]+){1,2})"
)
# As in the check-ins of location-based social networks: Tue Apr 03 18:00:09 +0000 2012.
_CTIME_ZONED = re.compile(r"[A-Z][a-z]{2} [A-Z][a-z]{2} 99? 99:99:99 [+-]9999 9999")
_COMPACT = {
    "99999999": "%Y%m%d",
    "999999999999": "%Y%m%d%H%M",
    "99999999999999": "%Y%m%d%H%M%S",
    "99999999 999999": "%Y%m%d %H%M%S",
    "99999999T999999": "%Y%m%dT%H%M%S",
}
_SECONDS = re.compile(r"9{9,10}(\.9*)?")
_MILLISECONDS = re.compile(r"9{13}(\.9*)?")
_BY_LENGTH: dict[int, Family] = {16: "microseconds", 19: "nanoseconds"}
# Not only the blanks of ASCII: the hard space of spreadsheets, and the mark a joined file begins with.
BLANKS = " \t\n\r\v\f\u00a0\ufeff"
DAY_FIRST, MONTH_FIRST = ("%d", "%m"), ("%m", "%d")


@dataclass(frozen=True, slots=True)
class Reading:
    """How texts of one shape are read: the family, and the strptime format where the family needs one.

    The format of a "numeric" time has {0} and {1} for the day and the month, whichever comes first.
    """

    family: Family
    format: str = ""


def reading_from_shape(shape: str) -> Reading | None:
    """Return how a text of this shape is read, None if it is no time.

    >>> reading_from_shape("9/99/9999 9:99")
    Reading(family='numeric', format='{0}/{1}/%Y %H:%M')
    >>> reading_from_shape("9999-99-99T99:99:99Z").family
    'iso zoned'
    """
    if _ISO.fullmatch(shape):
        return Reading("iso")
    if _ISO_ZONED.fullmatch(shape):
        return Reading("iso zoned")
    if shape in _COMPACT:
        return Reading("written", _COMPACT[shape])
    if _SECONDS.fullmatch(shape):
        return Reading("seconds")
    if _MILLISECONDS.fullmatch(shape):
        return Reading("milliseconds")
    if len(shape) in _BY_LENGTH and set(shape) == {"9"}:
        return Reading(_BY_LENGTH[len(shape)])
    if _CTIME_ZONED.fullmatch(shape):
        return Reading("written zoned", "%a %b %d %H:%M:%S %z %Y")
    if (match := _NAMED.fullmatch(shape)) and (reading := _dated_from_shape(match["time"])):
        return replace(reading, format=f"{reading.format} {match['zone']}")
    return _dated_from_shape(shape)


def zone_from_format(time_format: str) -> str:
    """Return the letters or the name of a zone that end a format; nothing if it ends without.

    >>> zone_from_format("%Y-%m-%d %H:%M:%S CEST")
    'CEST'
    """
    match = _NAMED.fullmatch(time_format)
    return match["zone"] if match else ""


def _dated_from_shape(shape: str) -> Reading | None:
    if (match := _YEAR_FIRST.fullmatch(shape)) and (match["sep"] or shape.startswith("9" * 8)):
        separator = match["sep"]
        return Reading("written", f"%Y{separator}%m{separator}%d{_clock(match)}")
    if match := _NUMERIC.fullmatch(shape):
        separator = match["sep"]
        return Reading("numeric", f"{{0}}{separator}{{1}}{separator}{_year(match)}{_clock(match)}")
    if match := _MONTH_NAME.fullmatch(shape):
        separator = match["sep"]
        return Reading("written", f"%d{separator}{_month(match)}{separator}{_year(match)}{_clock(match)}")
    if match := _MONTH_NAME_FIRST.fullmatch(shape):
        return Reading("written", f"{_month(match)} %d, {_year(match)}{_clock(match)}")
    return None


def _year(match: re.Match[str]) -> str:
    return "%Y" if len(match["year"]) == 4 else "%y"


def _month(match: re.Match[str]) -> str:
    return "%b" if len(match["month"]) == 3 else "%B"


def _clock(match: re.Match[str]) -> str:
    if not match["clock"]:
        return ""
    half_day = match["ampm"]
    seconds = (":%S" if match["s"] else "") + (".%f" if match["f"] else "")
    suffix = "" if not half_day else " %p" if half_day[0] == " " else "%p"
    return f"{match['gap']}{'%I' if half_day else '%H'}:%M{seconds}{suffix}"


INSTANT = dt.Timestamp(timezone="UTC")


@ibis.udf.scalar.builtin(name="try_strptime", signature=((dt.string, dt.Array(dt.string)), dt.timestamp))
def naive_from_text(text, formats):  # type: ignore[no-untyped-def]
    """Return TRY_STRPTIME(text, formats): the first format that fits, NULL if none does."""


@ibis.udf.scalar.builtin(name="try_strptime", signature=((dt.string, dt.Array(dt.string)), INSTANT))
def instant_from_text(text, formats):  # type: ignore[no-untyped-def]
    """Return TRY_STRPTIME(text, formats), of which one at least has %z: the first that fits, NULL if none does."""


@ibis.udf.scalar.builtin(name="timezone", signature=((dt.string, INSTANT), dt.timestamp))
def wall_clock(zone, instant):  # type: ignore[no-untyped-def]
    """Return the wall-clock time of an instant in a named zone."""


@ibis.udf.scalar.builtin(name="timezone", signature=((dt.string, dt.timestamp), INSTANT))
def instant(zone, wall):  # type: ignore[no-untyped-def]
    """Return the instant of a wall-clock time in a named zone."""


@ibis.udf.scalar.builtin(name="make_timestamp", signature=((dt.int64,), dt.timestamp))
def naive_from_microseconds(microseconds):  # type: ignore[no-untyped-def]
    """Return the timestamp so many microseconds after 1970."""
