"""How ids of a file are compared and ordered, whether they are read as numbers or as text.

Whether ids are numbers is found by looking at all rows. Nothing that is counted may hang on it, or one
person's row would move everybody else's trips.
"""

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir

NUMBER, TEXT = "number", "text"
ID_KINDS = (NUMBER, TEXT)


def id_order(column: ir.Column) -> list[ir.Value]:
    """Return what to sort by: ids without a minus first, then shorter ones, then by code point.

    Whole numbers from 0 on go by value, negative ones after them by their distance from 0; the same
    numbers written as texts come in the same order.
    """
    if column.type().is_integer():
        negative = column < 0
        return [negative, ibis.ifelse(negative, -(column + 1), column)]
    if column.type().is_string():
        return [column.startswith("-"), column.length(), column]
    return [column]


def whole_numbers(number: ir.Value, low: float, high: float) -> ir.IntegerValue:
    """Return the whole numbers of a range, both ends included; NULL for others, for NaN and what is endless."""
    # Not by rounding down: at what is no number of 64 bits the database would stop the whole query.
    nearest = number.try_cast(dt.int64)
    good = (nearest.cast(dt.float64) == number) & nearest.between(low, high)
    return ibis.ifelse(good, nearest, ibis.null(dt.int64))


def key_text(column: ir.Value) -> ir.StringValue:
    """Return a column of keys as texts that agree whether they were written as 7 or 7.0."""
    text = column.cast(dt.string)
    if column.type().is_integer():  # never written as 7.0, and to look for that takes longer than all else
        return text
    if column.type().is_floating():  # as 1e+16, otherwise
        whole = whole_numbers(column, -(2.0**62), 2.0**62)
        text = ibis.ifelse(whole.notnull(), whole.cast(dt.string), text)
    return text.re_replace(r"^([+-]?\d+)\.0+$", r"\1")
