"""Rows with a time → how many there are on each day and in each hour of the week.

Knows normalised tables; one query, whoever asks.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import date

import ibis
import ibis.expr.types as ir

N_WEEKDAYS, N_HOURS = 7, 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """Rows by time, in wall-clock time.

    `by_day` are the days with rows, ascending, and how many; `by_weekday_and_hour` has shape (7, 24), Monday first.
    """

    by_day: tuple[tuple[date, int], ...]
    by_weekday_and_hour: tuple[tuple[int, ...], ...]


def rhythm_from_rows(rows: ir.Table) -> Rhythm:
    """Return when the rows of a table with a column `time` are; rows without a time are left out."""
    timed = rows.filter(rows.time.notnull())
    counted = timed.group_by(day=timed.time.date(), hour=timed.time.hour()).agg(n=ibis._.count())
    days: Counter[date] = Counter()
    cells = [[0] * N_HOURS for _ in range(N_WEEKDAYS)]
    for row in counted.to_pyarrow().to_pylist():
        days[row["day"]] += row["n"]
        cells[row["day"].weekday()][row["hour"]] += row["n"]
    return Rhythm(by_day=tuple(sorted(days.items())), by_weekday_and_hour=tuple(map(tuple, cells)))
