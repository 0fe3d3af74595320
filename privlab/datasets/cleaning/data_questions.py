"""What a careful colleague would notice in a dataset, and ask.

Knows normalised tables; knows no files and judges no row.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir

from privlab.datasets.cleaning.distances_and_speeds import is_faster, moves_from_records
from privlab.datasets.columns.guessed_mapping import whose_ids_from_column
from privlab.datasets.engines.workspace import row_count
from privlab.datasets.records import DataProfile, DataReport, Dataset
from privlab.defaults import FAR_M, FAST_KM_H
from privlab.progress import UNHEARD, Progress

_MANY = 0.1
_ONE_OF = {
    "vehicles": "a vehicle, and who rides in several is promised less",
    "journeys": "a journey, and who makes several is promised less",
}

_RENEWED = "are ids new each"
_FEW_IDS, _NEARLY_ALL, _DAYS_FOR_DAYS, _DAYS_FOR_WEEKS = 20, 0.95, 3, 21
_OF_ONE, _OF_ONE_OF_TWO = 0.5, 0.9  # of the rows; one of two users has half of them in any case


def profiled(dataset: Dataset, *, now: datetime, progress: Progress = UNHEARD) -> Dataset:
    """Return the dataset with its profile in the report; counts, which name no user, have none."""
    if dataset.kind == "counts":
        return dataset
    table = dataset.table
    progress.tell(0.03, "Looking for what is odd")
    users = _users(table)
    clock = _clock(table)
    progress.tell(0.3)
    users_apart = _spellings(table, "user_id")
    zones = dataset.mapping.place_fields if dataset.place == "zone" else ()
    zones_apart = _spellings(table, *zones) if zones else _Spellings(0)
    progress.tell(0.4)
    jumps = _jumps(table, dataset.place) if dataset.kind == "records" and dataset.place != "zone" else {}
    n_duplicates = (
        (jumps.get("n_repeats") or 0) if jumps else dataset.report.kept - row_count(table.distinct())
    )
    profile = DataProfile(
        n_duplicates=n_duplicates,
        n_single_record_users=users["single"],
        median_records_per_user=float(users["median"]),
        most_records_of_a_user=users["most"],
        largest_jump_km=None if jumps.get("jump_m") is None else jumps["jump_m"] / 1_000,
        largest_jump_min=None if jumps.get("gap_s") is None else jumps["gap_s"] / 60,
        n_fast=jumps.get("n_fast") or 0,
        questions=(),
    )
    questions = _questions(dataset, profile, clock, (users_apart, zones_apart), now)
    questions += _renewed_ids(dataset.report, users)
    return replace(dataset, report=replace(dataset.report, profile=replace(profile, questions=questions)))


def _users(table: ir.Table) -> dict[str, Any]:
    counts = table.group_by("user_id").agg(n=ibis._.count(), first=ibis._.time.min(), last=ibis._.time.max())
    several = counts.n > 1
    found: dict[str, Any] = (
        counts.agg(
            single=(counts.n == 1).sum(),
            median=counts.n.median(),
            most=counts.n.max(),
            a_day=(several & (counts.last < counts.first + ibis.interval(days=1))).sum(),
            a_week=(several & (counts.last < counts.first + ibis.interval(days=7))).sum(),
        )
        .to_pyarrow()
        .to_pylist()[0]
    )
    return found


@ibis.udf.scalar.builtin(name="nfc_normalize", signature=((dt.string,), dt.string))
def _composed(text):  # type: ignore[no-untyped-def]
    """Return a text with letters and their accents in one sign (Unicode's form NFC)."""


@dataclass(frozen=True, slots=True)
class _Spellings:
    """How many ids are written in several ways, alike but for case, Unicode form or zeros in front; two ways of one of them."""

    n: int
    example: tuple[str, str] = ("", "")


def _spellings(table: ir.Table, *fields: str) -> _Spellings:
    """Return what is written in several ways in the columns of one kind of ids; numbers are written in one."""
    if not all(table[field].type().is_string() for field in fields):
        return _Spellings(0)
    ids = ibis.union(*(table.select(id=table[field]) for field in fields)).distinct()
    ids = ids.mutate(plain=_composed(ids.id.lower()).re_replace("^0+", ""))
    alike = ids.group_by("plain").agg(n=ibis._.count(), one=ibis._.id.min(), other=ibis._.id.max())
    alike = alike.filter(alike.n > 1)
    n = row_count(alike)
    if not n:
        return _Spellings(0)
    first = alike.order_by("plain").limit(1).to_pyarrow().to_pylist()[0]
    return _Spellings(n, (first["one"], first["other"]))


def _clock(table: ir.Table) -> dict[str, Any]:
    time = table.time
    found: dict[str, Any] = (
        table.agg(
            hours=((time.minute() != 0) | (time.second() != 0)).sum(),
            days=(time != time.truncate("D")).sum(),
        )
        .to_pyarrow()
        .to_pylist()[0]
    )
    return found


def _jumps(table: ir.Table, place: str) -> dict[str, Any]:
    moves = moves_from_records(table, place, onward=False)
    found: dict[str, Any] = (
        moves.agg(
            jump_m=moves.jump_m.max(),
            gap_s=moves.gap_s.argmax(moves.jump_m),
            n_repeats=moves.repeats.sum(),  # records alike stand one after the other
            n_fast=(is_faster(moves.jump_m, moves.gap_s, FAST_KM_H) & (moves.jump_m > FAR_M)).sum(),
        )
        .to_pyarrow()
        .to_pylist()[0]
    )
    return found


def _questions(
    dataset: Dataset,
    profile: DataProfile,
    clock: dict[str, Any],
    spellings: tuple[_Spellings, _Spellings],
    now: datetime,
) -> tuple[str, ...]:
    report, asked = dataset.report, []
    if report.kept > 1 and not clock["days"]:
        asked.append("Every time is midnight: is the time of day in another column?")
    elif report.kept > 1 and not clock["hours"]:
        asked.append("Every time is on the full hour: were the times rounded?")
    if report.last is not None and report.last > now:
        asked.append(f"The last time, {report.last:%Y-%m-%d %H:%M}, lies in the future: is the format right?")
    if report.users == report.kept > 1:
        asked.append("Every row has a user of its own: is the user column a row number?")
    elif report.users > 1 and report.kept > 20:
        share = profile.most_records_of_a_user / report.kept
        if share > (_OF_ONE if report.users > 2 else _OF_ONE_OF_TWO):
            asked.append(f"One user has {share:.0%} of all rows: is the user column right?")
    whose = whose_ids_from_column(dataset.mapping.user_id or "")
    if whose is not None:
        asked.append(
            f"Users are told apart by {str(dataset.mapping.user_id)[:40]!r}, a column of {whose} by its name: what is said of a person then holds of "
            f"{_ONE_OF[whose]}. Does another column say whose row it is?"
        )
    users, zones = spellings
    if users.n:  # without an example: it may be a phone number
        asked.append(
            f"{_in_several(users.n, 'user id')}: one person each? As two, a person gets twice the bound in a release."
        )
    if zones.n:
        one, other = (text[:40] for text in zones.example)
        asked.append(
            f"{_in_several(zones.n, 'zone id')} ({one!r} and {other!r}): one zone each? As two, each has a part of the trips."
        )
    if profile.n_duplicates > _MANY * report.kept:
        share = profile.n_duplicates / report.kept
        asked.append(f"{share:.0%} of the rows repeat another one exactly: was the file joined twice?")
    if profile.n_fast:
        asked.append(
            f"{_moves(profile.n_fast)} faster than {FAST_KM_H:,.0f} km/h: "
            "are these errors of position, or several devices under one user?"
        )
    return tuple(asked)


def _renewed_ids(report: DataReport, users: dict[str, Any]) -> tuple[str, ...]:
    """Ask whether ids are new each day, or each week, where nearly none is seen for longer: a promise to a person is to an id."""
    n = report.users - users["single"]
    if n < _FEW_IDS or report.first is None or report.last is None:
        return ()
    n_days = (report.last.date() - report.first.date()).days + 1
    account = "A ledger then knows nobody again: name the account of these people in each release."
    if users["a_day"] >= _NEARLY_ALL * n and n_days >= _DAYS_FOR_DAYS:
        return (
            f"Of {n:,} ids with several rows, {users['a_day']:,} are seen for less than a day, in data of {n_days:,} days: {_RENEWED} day? "
            "What is said of a person's week then holds of one id, that is of a day: a person has up to "
            f"{min(n_days, 7)} ids in a week, and their ε add up. {account}",
        )
    if users["a_week"] >= _NEARLY_ALL * n and n_days >= _DAYS_FOR_WEEKS:
        return (
            f"Of {n:,} ids with several rows, {users['a_week']:,} are seen for less than a week, in data of {n_days:,} days: {_RENEWED} week? "
            f"{account}",
        )
    return ()


def asked_of_renewed_ids(report: DataReport) -> str | None:
    """Return the question whether ids are new each day or week, if it is asked of the data."""
    asked = () if report.profile is None else report.profile.questions
    return next((one for one in asked if _RENEWED in one), None)


def question_of_renewed_ids(dataset: Dataset) -> str | None:
    """Return whether to ask if ids are new each day or week, as asked_of_renewed_ids, of rows that have no profile."""
    return next(iter(_renewed_ids(dataset.report, _users(dataset.table))), None)


def _moves(n: int) -> str:
    far = f"of more than {FAR_M / 1_000:.0f} km"
    return f"1 move {far} is" if n == 1 else f"{n:,} moves {far} are"


def _in_several(n: int, what: str) -> str:
    stand = f"1 {what} stands" if n == 1 else f"{n:,} {what}s stand"
    return (
        f"{stand} there in several spellings, alike but for capitals, the form of accents or zeros in front"
    )
