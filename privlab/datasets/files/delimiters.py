"""What cuts the rows of a text table into fields.

Knows no database, so that a process that only reads a zone file starts at once.
"""

import csv
import io
from contextlib import suppress
from itertools import islice

DELIMITERS = ",;\t|"
SAMPLED_ROWS = 200


def delimiter_from_text(body: str) -> str:
    """Return what cuts the first rows best. Rows are looked at only where several could cut the header.

    >>> delimiter_from_text("station;lat;lon\\nS00;45,1;5,2"), delimiter_from_text("zone,lat,lon\\na;b,45.1,5.2")
    (';', ',')
    """
    cutting = [one for one in DELIMITERS if len((rows_of_text(body, one, 1) or [[]])[0]) > 1]
    return cutting[0] if len(cutting) == 1 else max(cutting or DELIMITERS, key=lambda one: _fit(body, one))


def rows_of_text(body: str, delimiter: str, most: int = SAMPLED_ROWS) -> list[list[str]]:
    """Return the first rows of a text that are not blank, cut into fields."""
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter)
    rows: list[list[str]] = []
    # A field longer than the reader allows: a quote left open. What stands before it tells the layout.
    with suppress(csv.Error):
        rows.extend(islice((row for row in reader if any(map(str.strip, row))), most))
    return rows


def _fit(body: str, delimiter: str) -> tuple[bool, float, int]:
    """Return how well a delimiter explains the first rows: columns at all, agreement, columns."""
    header, *rows = rows_of_text(body, delimiter) or [[]]
    n = len(header)
    agreeing = sum(len(row) in (n, n + 1) for row in rows) / len(rows) if rows else 1.0
    return n > 1, round(agreeing, 1), n
