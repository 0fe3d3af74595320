"""The database's own functions of time that Ibis has no words for.

Knows their names and types; knows nothing of columns.
"""

import ibis
import ibis.expr.datatypes as dt

INSTANT = dt.Timestamp(timezone="UTC")


@ibis.udf.scalar.builtin(name="try_strptime", signature=((dt.string, dt.Array(dt.string)), dt.timestamp))
def naive_from_text(text, formats):  # type: ignore[no-untyped-def]
    """Return TRY_STRPTIME(text, formats): the first format that fits, NULL if none does."""


@ibis.udf.scalar.builtin(name="try_strptime", signature=((dt.string, dt.string), INSTANT))
def instant_from_text(text, time_format):  # type: ignore[no-untyped-def]
    """Return TRY_STRPTIME(text, format) of a format with %z."""


@ibis.udf.scalar.builtin(name="timezone", signature=((dt.string, INSTANT), dt.timestamp))
def wall_clock(zone, instant):  # type: ignore[no-untyped-def]
    """Return the wall-clock time of an instant in a named zone."""


@ibis.udf.scalar.builtin(name="timezone", signature=((dt.string, dt.timestamp), INSTANT))
def instant(zone, wall):  # type: ignore[no-untyped-def]
    """Return the instant of a wall-clock time in a named zone."""


@ibis.udf.scalar.builtin(name="make_timestamp", signature=((dt.int64,), dt.timestamp))
def naive_from_microseconds(microseconds):  # type: ignore[no-untyped-def]
    """Return the timestamp so many microseconds after 1970."""
