"""What a file becomes: one normalised table and a report of what was kept.

Knows the shape of the result; knows neither files nor how a row was checked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import ibis.expr.types as ir

from privlab.datasets.columns.mapping import ColumnMapping, Kind, Place
from privlab.datasets.engines.workspace import Engine
from privlab.datasets.layouts.file_form import FileForm

# Why a row is dropped; a row with several faults counts under the first.
REASONS = (
    "malformed row",
    "no match in the second file",
    "missing user",
    "missing time",
    "unparsable time",
    "missing place",
    "id that is no whole number",
    "unreadable offset",
    "unreadable occupied flag",
    "unreadable count",
    "unreadable coordinate",
    "impossible coordinate",
    "zero coordinate (0, 0)",
    "place that its projected system does not have",
)


MOST_DROPPED = "More than half of the rows were dropped"
"""How a note begins where all that follows hangs on few rows."""
IN_HOUSEHOLDS = "if persons are numbered within each household"
"""What is in a note where many people may have one id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataProfile:
    """Figures of the kept rows, and questions worth asking the one who made the file.

    `n_duplicates` rows say what another row says already. The largest jump is that between two records
    of one user that follow each other, in km, with the minutes between them; None without coordinates.
    `n_fast` jumps are longer than 10 km and faster than 1,000 km/h.
    """

    n_duplicates: int
    n_single_record_users: int
    median_records_per_user: float
    most_records_of_a_user: int
    largest_jump_km: float | None
    largest_jump_min: float | None
    n_fast: int
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowPosition:
    """Where a row stands: its line, from 1, and its file if there are several; `row` None where that is not known.

    >>> print(RowPosition(1234, "a.csv"), RowPosition(7), FAR, sep=", ")
    row 1,234 of a.csv, row 7, far into the file
    """

    row: int | None
    file: str | None = None
    unknown: str = "somewhere"

    def __str__(self) -> str:
        """Return the position as a complaint names it; no other place words it, none reads it back."""
        if self.row is None:
            return self.unknown
        return f"row {self.row:,}" + ("" if self.file is None else f" of {self.file}")


FAR = RowPosition(None, unknown="far into the file")
UNNUMBERED = RowPosition(None, unknown="in one of the files")


@dataclass(frozen=True, slots=True, kw_only=True)
class Offender:
    """One row that was dropped: where it stands, the column at fault, what stands there.

    `column` is None where the row could not be split into columns; `value` then is its text.
    """

    position: RowPosition
    column: str | None
    value: str

    @property
    def place(self) -> str:
        """The position in words: "row 7 of a.csv"."""
        return str(self.position)

    def as_dict(self) -> dict[str, str | None]:
        """Return place, column and value, for tables and JSON."""
        return {"place": self.place, "column": self.column, "value": self.value}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DataReport:
    """How many rows came in, how many were kept, and why the others were not.

    `rows` = `kept` + the sum of `dropped`, whose keys are reasons and whose values are positive.
    `examples` are the first three rows dropped for a reason. `users`, `first` and `last` (wall-clock
    times) are of the kept rows; counts have no users, and perhaps no times. `timezone` says in a
    sentence what was assumed of the times; `notes` are sentences worth showing.
    """

    rows: int
    kept: int
    dropped: dict[str, int]
    users: int
    first: datetime | None
    last: datetime | None
    timezone: str
    notes: tuple[str, ...]
    examples: dict[str, tuple[Offender, ...]] = field(default_factory=dict)
    profile: DataProfile | None = None

    @property
    def first_notes(self) -> tuple[str, ...]:
        """Those of the notes that are to be known before any figure: few rows are left, or many people may have one id."""
        return tuple(one for one in self.notes if one.startswith(MOST_DROPPED) or IN_HOUSEHOLDS in one)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dataset:
    """One normalised table with its report.

    `table` has, for records, `user_id`, `time` and `lat`, `lon` (float64, degrees) or `x`, `y` (float64,
    metres) or `zone`; for trips, `user_id`, `time` and `origin`, `destination` or `origin_lat`, `origin_lon`,
    `destination_lat`, `destination_lon`, or the same with `_x` and `_y`; for counts the same with `count` (int64 ≥ 0) and without
    `user_id`. `time` is a wall-clock timestamp without a zone, of trips the arrival where the file has it,
    and NULL in all rows of counts without a time. Ids are int64 where every one of them is a plain whole
    number, else text; `origin` and `destination` are of one type.

    `digest` is the BLAKE2b-128 of the file's bytes in hexadecimal; of a folder, that of its files' digests
    in the order of their names; of what a cluster read, that of the files' addresses. A Parquet file is
    not copied: it must stay where it was while `table` is used. `source_digest` is that of the files alone,
    before anything was taken out and whatever a second file or the files' names add: cleaning and joining
    make no new people of whom a ledger could know nothing. `uncleaned_digest` is that of all of it before
    cleaning, by which ledgers knew the data once; None if nothing was taken out. `users_apart`
    says whether what was kept of one user depends on that user alone, as a secure release needs it.
    `form` is how the files are written, given or recognised, None of what a cluster read. `is_settled`
    says that it was given: then no row decided how another was read, nor a week what is kept of another.
    """

    name: str
    kind: Kind
    place: Place
    table: ir.Table
    report: DataReport
    digest: str
    workspace: Engine
    mapping: ColumnMapping
    form: FileForm | None = None
    is_settled: bool = False
    uncleaned_digest: str | None = None
    content_digest: str | None = None
    users_apart: bool = True

    @property
    def source_digest(self) -> str:
        """Digest of the data's own files: the name of its account in a ledger."""
        return self.content_digest or self.earlier_digest

    @property
    def earlier_digest(self) -> str:
        """Digest of the data as it was read, with what a second file or file names added."""
        return self.uncleaned_digest or self.digest


def report_from_counts(
    counts: Sequence[dict[str, Any]],
    users: int,
    malformed: tuple[int, tuple[Offender, ...]],
    assumption: str,
    examples: dict[str, tuple[Offender, ...]],
) -> DataReport:
    """Return the report of a file.

    `counts` has one row per reason (None for the kept rows) with the columns n, first, last
    and, of projected places, degrees: whether all of them would fit degrees. `malformed` is how many
    rows could not be split, and the first of them.
    """
    found = {count["reason"]: count["n"] for count in counts} | {"malformed row": malformed[0]}
    examples = examples | {"malformed row": malformed[1]}
    dropped = {reason: found[reason] for reason in REASONS if found.get(reason)}
    nothing: dict[str, Any] = {"n": 0, "first": None, "last": None}
    kept = next((count for count in counts if count["reason"] is None), nothing)
    rows, n_kept = kept["n"] + sum(dropped.values()), kept["n"]
    first, last = kept["first"], kept["last"]
    notes = _notes(rows=rows, kept=n_kept, users=users, first=first, last=last)
    if n_swapped := sum(count.get("swapped") or 0 for count in counts):
        notes += (
            f"{n_swapped:,} of the rows {'has' if n_swapped == 1 else 'have'} a latitude that can only be a longitude: are the two swapped there?",
        )
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
        examples={reason: examples[reason] for reason in dropped if examples.get(reason)},
    )


def _notes(
    *, rows: int, kept: int, users: int, first: datetime | None, last: datetime | None
) -> tuple[str, ...]:
    """Return the sentences that warn of data too thin or too damaged to conclude much from."""
    notes = []
    if users == 1:
        notes.append("Only one user: measures that compare users say nothing here.")
    if rows and 2 * kept < rows:
        notes.append(f"{MOST_DROPPED} ({rows - kept:,} of {rows:,}).")
    if first is not None and last is not None and first.year == last.year == 1970:
        notes.append("All times are in 1970: were seconds read as milliseconds?")
    if kept > 1 and first is not None and last is not None:
        minute = first.replace(second=0, microsecond=0)
        if minute == last.replace(second=0, microsecond=0):
            notes.append(f"All times are within the same minute, {minute:%Y-%m-%d %H:%M}.")
    return tuple(notes)
