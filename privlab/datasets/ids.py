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


def key_text(column: ir.Value) -> ir.StringValue:
    """Return a column of keys as texts that agree whether they were written as 7 or 7.0."""
    text = column.cast(dt.string)
    if column.type().is_floating():  # as 1e+16, otherwise
        text = ibis.ifelse(column == column.floor(), column.try_cast(dt.int64).cast(dt.string), text)
    return text.re_replace(r"^([+-]?\d+)\.0+$", r"\1")
