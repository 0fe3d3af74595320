"""Dataset + zoning → which users were in which zones in which hours, worked out in the database.

The query side of traces: each presence once, handed on user by user in blocks of arrays.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import ibis
import ibis.expr.types as ir
import numpy as np
import numpy.typing as npt
import pandas as pd

from privlab.checks import DataError, ParameterError, UnfitDataError, require_day
from privlab.datasets import Dataset
from privlab.datasets.engines import row_count
from privlab.datasets.zones import Zoning, all_zones, zoned_rows_from_dataset
from privlab.limits import MAX_DAYS
from privlab.progress import UNHEARD, Progress

_BLOCK = 4_000_000  # presences fetched at a time
_WEEK = 7 * 24  # hours


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Presences:
    """Distinct (user, hour, zone) of a dataset in a stored table, between two days.

    `table` has user_id, epoch (int32, wall-clock hours since `first_day` 00:00) and zone. `users` (U,)
    are the ids ascending, each seen at least once, with `n_reports` (U,) rows; `zones` (Z,) the ids of
    all zones there are, ascending.
    """

    table: ir.Table
    users: npt.NDArray[Any]
    n_reports: npt.NDArray[np.int64]
    zones: npt.NDArray[Any]
    first_day: date
    last_day: date


def presences_from_dataset(
    dataset: Dataset,
    zoning: Zoning,
    *,
    first_day: date | None = None,
    last_day: date | None = None,
    progress: Progress = UNHEARD,
) -> Presences:
    """Return where and when everyone was seen inside the zones, from one day to another, both included.

    Days left open are those of the first and the last row kept. A trip is seen at both of its ends, in
    the hour it is dated by: the file's other time, where it has one, is not kept.

    Raises DataError for counts, for data without times, or if no row lies in the zones and days.
    """
    first, last = _days(dataset, first_day, last_day)
    progress.tell(0.0, "Finding who is where in every hour")
    zoned = zoned_rows_from_dataset(dataset, zoning, progress=progress.part(0.0, 0.75))
    table = dataset.workspace.materialise("presences", _distinct(zoned, dataset.kind, first, last))
    progress.tell(1.0)
    counts = table.group_by("user_id").agg(n=ibis._.count()).order_by("user_id").to_pyarrow().to_pandas()
    if not len(counts):
        raise DataError(
            f"No row of {dataset.name} lies in the zones ({zoning.spec}) between {first} and {last}. "
            "Does the area fit, and are latitude and longitude the right way round?"
        )
    seen = table.select("zone").distinct().to_pyarrow()["zone"].to_pandas()
    if zoning.outside is not None:
        dataset.workspace.forget(zoned)
    return Presences(
        table=table,
        users=np.asarray(counts["user_id"]),
        n_reports=counts["n"].to_numpy(dtype=np.int64),
        zones=all_zones(seen, zoning.public_zones()),
        first_day=first,
        last_day=last,
    )


def blocks_from_presences(
    presences: Presences,
) -> Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]]:
    """Yield epoch and position of the zone of all presences, by user, then epoch, then zone."""
    ends = np.cumsum(presences.n_reports)
    known, table, start = pd.Index(presences.zones), presences.table, 0
    while start < ends.size:
        done = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + _BLOCK, side="right")))
        first, last = presences.users[start], presences.users[stop - 1]
        part = table.filter(table.user_id.between(_plain(first), _plain(last)))
        block = part.order_by("user_id", "epoch", "zone").select("epoch", "zone").to_pyarrow().to_pandas()
        yield block["epoch"].to_numpy(dtype=np.int32), known.get_indexer(block["zone"]).astype(np.int32)
        start = stop


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeeklyVisits:
    """Who was in which zone in which hour of some weeks, each once, by week; a visit has one entry in each array (n,).

    `week` is its place among the weeks, `user` a number, `zone` a place in `zones` (Z,), `hour` that of the week, from
    Monday 00:00. `n_users` counts everyone ever seen in the zones.
    """

    zones: npt.NDArray[Any]
    week: npt.NDArray[np.int64]
    user: npt.NDArray[np.int32]
    zone: npt.NDArray[np.int64]
    hour: npt.NDArray[np.int64]
    n_users: int


def weekly_visits_from_dataset(
    dataset: Dataset, zoning: Zoning, *, mondays: Sequence[date], progress: Progress = UNHEARD
) -> WeeklyVisits:
    """Return the visits of the weeks that begin on these days, in their order; weeks without any are no error.

    Of a trip both ends are seen, in the hour it is dated by. Raises DataError if no row ever lies in the zones.
    """
    zoned = zoned_rows_from_dataset(dataset, zoning, progress=progress.part(0.0, 0.6))
    ends = ("zone",) if dataset.kind == "records" else ("origin", "destination")
    inside = zoned.filter(ibis.or_(*(zoned[end].notnull() for end in ends)))
    n_users = row_count(inside.select("user_id").distinct())
    if not n_users:
        raise DataError(
            f"No row of {dataset.name} lies in the zones ({zoning.spec}). "
            "Does the area fit, and are latitude and longitude the right way round?"
        )
    progress.tell(0.6, "Finding who is where in every hour")
    first, last = min(mondays), max(mondays) + timedelta(days=6)
    table = dataset.workspace.materialise("visits", _distinct(zoned, dataset.kind, first, last))
    zones = all_zones(table.select("zone").distinct().to_pyarrow()["zone"].to_pandas(), zoning.public_zones())
    starts = {(monday - first).days * 24: place for place, monday in enumerate(mondays)}
    dated = table.mutate(start=(table.epoch / _WEEK).floor().cast("int64") * _WEEK)
    rows = dated.filter(dated.start.isin(list(starts))).order_by("start", "user_id").to_pyarrow().to_pandas()
    start = rows["start"].to_numpy(dtype=np.int64)
    return WeeklyVisits(
        zones=zones,
        week=rows["start"].map(starts).to_numpy(dtype=np.int64),
        user=pd.factorize(rows["user_id"])[0].astype(np.int32),
        zone=pd.Index(zones).get_indexer(rows["zone"]).astype(np.int64),
        hour=rows["epoch"].to_numpy(dtype=np.int64) - start,
        n_users=n_users,
    )


def _distinct(zoned: ir.Table, kind: str, first: date, last: date) -> ir.Table:
    """Return user_id, epoch, zone of every presence in the period, each once.

    `zoned` are rows of that kind, "records" or "trips", with the zones they lie in; `epoch` counts wall-clock hours since
    the first day's 00:00.
    """
    begin = ibis.literal(first).cast("timestamp")
    end = ibis.literal(last + timedelta(days=1)).cast("timestamp")
    inside = zoned.filter(zoned.time >= begin, zoned.time < end)
    epoch = ((inside.time.epoch_seconds() - begin.epoch_seconds()) / 3600).floor().cast("int32")
    names = ("zone",) if kind == "records" else ("origin", "destination")
    ends = [inside.select("user_id", epoch=epoch, zone=inside[name]) for name in names]
    both = ibis.union(*ends) if len(ends) > 1 else ends[0]
    return both.filter(both.zone.notnull()).distinct()


def _days(dataset: Dataset, first_day: date | None, last_day: date | None) -> tuple[date, date]:
    report = dataset.report
    if dataset.kind == "counts":
        raise UnfitDataError(
            "The file does not say whose trips it counts, so that no group of users can be drawn. "
            "Is there a file of records or trips with a user in each row?"
        )
    if report.first is None or report.last is None:
        raise DataError(f"{dataset.name} has no row with a time: traces need one in each row.")
    require_day("first_day", first_day)
    require_day("last_day", last_day)
    first, last = first_day or report.first.date(), last_day or report.last.date()
    if first > last:
        raise ParameterError(f"the last day must be no earlier than {first}, the first, got {last}.")
    if (last - first).days >= MAX_DAYS:
        raise ParameterError(
            f"the days from the first to the last must be at most {MAX_DAYS:,}, got {(last - first).days + 1:,}. "
            "Name a shorter period."
        )
    return first, last


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
