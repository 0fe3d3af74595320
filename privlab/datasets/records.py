"""What a file becomes: one normalised table and a report of what was kept.

Knows the shape of the result; knows neither files nor how a row was checked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import ibis.expr.types as ir

from privlab.datasets.columns import ColumnMapping, Kind, Place
from privlab.datasets.engine import Engine

# Why a row is dropped; a row with several faults counts under the first.
REASONS = (
    "malformed row",
    "missing user",
    "missing time",
    "unparsable time",
    "missing place",
    "unreadable coordinate",
    "impossible coordinate",
    "zero coordinate (0, 0)",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DataReport:
    """How many rows came in, how many were kept, and why the others were not.

    `rows` = `kept` + the sum of `dropped`, whose keys are reasons and whose values are positive.
    `users`, `first` and `last` (wall-clock times) are of the kept rows. `timezone` says in a sentence
    what was assumed of the times; `notes` are sentences worth showing.
    """

    rows: int
    kept: int
    dropped: dict[str, int]
    users: int
    first: datetime | None
    last: datetime | None
    timezone: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dataset:
    """One normalised table with its report.

    `table` has, for records, `user_id`, `time` and `lat`, `lon` (float64, degrees) or `x`, `y` (float64,
    metres) or `zone`; for trips, `user_id`, `time` and `origin`, `destination` or `origin_lat`, `origin_lon`,
    `destination_lat`, `destination_lon`. `time` is a wall-clock timestamp without a zone, and of trips the
    arrival where the file has it. Ids are int64 where every one of them is a plain whole number, else text;
    `origin` and `destination` are of one type.

    `digest` is the BLAKE2b-128 of the file's bytes in hexadecimal; of a folder, that of its files' digests
    in the order of their names; of what a cluster read, that of the files' addresses. A Parquet file is
    not copied: it must stay where it was while `table` is used.
    """

    name: str
    kind: Kind
    place: Place
    table: ir.Table
    report: DataReport
    digest: str
    workspace: Engine
    mapping: ColumnMapping


def report_from_counts(counts: Sequence[dict[str, Any]], n_malformed: int, assumption: str) -> DataReport:
    """Return the report of a file.

    `counts` has one row per reason (None for the kept rows) with the columns n, users, first, last
    and, of projected places, degrees: whether all of them would fit degrees.
    """
    found = {count["reason"]: count["n"] for count in counts} | {"malformed row": n_malformed}
    dropped = {reason: found[reason] for reason in REASONS if found.get(reason)}
    nothing: dict[str, Any] = {"n": 0, "users": 0, "first": None, "last": None}
    kept = next((count for count in counts if count["reason"] is None), nothing)
    rows, n_kept, users = kept["n"] + sum(dropped.values()), kept["n"], kept["users"]
    first, last = kept["first"], kept["last"]
    notes = _notes(rows=rows, kept=n_kept, users=users, first=first, last=last)
    if n_kept and kept.get("degrees"):
        notes += ("All x and y would fit degrees: if they are, map them as longitude and latitude.",)
    return DataReport(
        rows=rows,
        kept=n_kept,
        dropped=dropped,
        users=users,
        first=first,
        last=last,
        timezone=assumption,
        notes=notes,
    )


def _notes(
    *, rows: int, kept: int, users: int, first: datetime | None, last: datetime | None
) -> tuple[str, ...]:
    """Return the sentences that warn of data too thin or too damaged to conclude much from."""
    notes = []
    if users == 1:
        notes.append("Only one user: measures that compare users say nothing here.")
    if rows and 2 * kept < rows:
        notes.append(f"More than half of the rows were dropped ({rows - kept:,} of {rows:,}).")
    if kept > 1 and first is not None and last is not None:
        minute = first.replace(second=0, microsecond=0)
        if minute == last.replace(second=0, microsecond=0):
            notes.append(f"All times are within the same minute, {minute:%Y-%m-%d %H:%M}.")
    return tuple(notes)
