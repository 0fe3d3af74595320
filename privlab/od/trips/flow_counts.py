"""Counts that a file already holds → OD matrices, without knowing whose trips they are.

Flows that somebody else has added up, and trip tables that name no user: no group of users can be
sampled from them, no bound per user can be applied, and no figure per person can be computed.
"""

from dataclasses import dataclass
from typing import Any

import ibis
import ibis.expr.types as ir
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from privlab.checks import DataError, ParameterError
from privlab.datasets import Dataset
from privlab.datasets.zones import TRIP_PLACES, Zoning, all_zones
from privlab.limits import MAX_COUNTED
from privlab.od.matrix import Ints, ODMatrix
from privlab.progress import UNHEARD, Progress

UNDATED = "undated"  # stands for the week of rows without a time: they are one period of unknown length

_ENDS = ("origin", "destination")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FlowCounts:
    """All counts of a file that does not say whose trips they are.

    `zones` (Z,) are the zone ids in ascending order, `weeks` (W,) the Mondays, and UNDATED last where
    rows have no time. Per non-zero flow, sorted by week, then cell, shape (n,): `flow` =
    origin·Z + destination as positions, and `count`. `week_starts` (W + 1,) cuts the weeks.
    `n_records` rows took part, those of count 0 included; `dropped` says why the others did not.
    """

    zones: npt.NDArray[Any]
    weeks: tuple[str, ...]
    week_starts: Ints
    flow: Ints
    count: Ints
    n_records: int
    dropped: dict[str, int]

    @property
    def busiest_week(self) -> int:
        """Position of the week with the largest sum of counts."""
        return int(np.argmax(np.add.reduceat(self.count, self.week_starts[:-1])))

    @property
    def total(self) -> int:
        """Sum of all counts."""
        return int(self.count.sum())


def flow_counts_from_dataset(dataset: Dataset, zoning: Zoning, *, progress: Progress = UNHEARD) -> FlowCounts:
    """Return the counts of a file by week and flow, worked out in the database.

    Counts of one week, origin and destination add up. Rows with an end outside the zones, or that
    end where they began, are dropped and counted.

    Raises DataError if no row lies in the zones, if there is no trip, or if there are too many to count.
    """
    progress.tell(0.05, "Placing every row in its zone")
    zoned = _zoned_counts_from_dataset(dataset, zoning)
    progress.tell(0.5, "Adding up the counts of each week and flow")
    inside = _summed_counts_from_zoned_counts(zoned)
    n_inside = int(inside["n_rows"].sum())
    if not n_inside:
        raise DataError(
            f"No row of {dataset.name} lies in the zones ({zoning.spec}). "
            "Does the area fit, and are latitude and longitude the right way round?"
        )
    moves = inside[inside["origin"] != inside["destination"]]
    n_moves = int(moves["n_rows"].sum())
    dropped = dict(dataset.report.dropped)
    if dataset.report.kept > n_inside:
        dropped["outside the zones"] = dataset.report.kept - n_inside
    if n_inside > n_moves:
        dropped["begins and ends in one zone"] = n_inside - n_moves
    return _flow_counts_from_moves(moves, zoning, n_moves, dropped)


def od_matrix_from_flow_counts(counts: FlowCounts, *, week: str) -> ODMatrix:
    """Return the true counts of one week, one of `counts.weeks`."""
    if week not in counts.weeks:
        raise DataError(
            f"There is no count in the week of {week}; the weeks are {', '.join(counts.weeks[:8])}."
        )
    index = counts.weeks.index(week)
    part = slice(int(counts.week_starts[index]), int(counts.week_starts[index + 1]))
    origin, destination = np.divmod(counts.flow[part], counts.zones.size)
    return ODMatrix(
        zones=counts.zones,
        week=week,
        origin=origin,
        destination=destination,
        count=counts.count[part],
        n_users=None,
        max_trips_per_user=None,
    )


def require_no_choice_of_users(group_size: int | None, max_trips_per_user: int | None) -> None:
    """Raise ParameterError, saying why, if users are to be sampled or bounded where none are named."""
    if group_size is not None:
        raise ParameterError(
            "group_size must be left out for data that names no users (nobody can tell whose trips to take), "
            f"got {group_size}."
        )
    if max_trips_per_user is not None:
        raise ParameterError(
            "max_trips_per_user must be left out for data that names no users (nobody can tell which trips are "
            f"one user's), got {max_trips_per_user}."
        )


def _zoned_counts_from_dataset(dataset: Dataset, zoning: Zoning) -> ir.Table:
    """Return time, origin, destination, count of every row; NULL for an end outside the zones."""
    rows, ends, outside = dataset.table, TRIP_PLACES[dataset.place], zoning.outside
    if outside is None:
        places = {
            name: zoning.zone_from_place(rows[first], None if second is None else rows[second])
            for name, (first, second) in ends.items()
        }
        return rows.select("time", "count", **places)

    def placed(block: pa.RecordBatch) -> pa.Table:
        zones = {name: outside(*(block[column].to_numpy() for column in pair)) for name, pair in ends.items()}
        return pa.table({"time": block["time"], "count": block["count"], **zones})

    return dataset.workspace.mapped("zoned", rows, placed)


def _summed_counts_from_zoned_counts(zoned: ir.Table) -> pd.DataFrame:
    """Return week (NaT without a time), origin, destination, count, n_rows of the rows inside."""
    inside = zoned.filter(zoned.origin.notnull() & zoned.destination.notnull())
    week = inside.time.truncate("W").cast("date")
    # As float64: a sum of wild counts must be refused below, not overflow in the database.
    total = inside["count"].cast("float64").sum()
    summed = inside.group_by("origin", "destination", week=week).agg(count=total, n_rows=ibis._.count())
    frame: pd.DataFrame = summed.to_pyarrow().to_pandas(date_as_object=False)
    return frame


def _flow_counts_from_moves(
    moves: pd.DataFrame, zoning: Zoning, n_rows: int, dropped: dict[str, int]
) -> FlowCounts:
    total = float(moves["count"].sum())
    if not total:
        raise DataError(
            "No trips found: every count is 0. Is the column of counts the right one?"
            if n_rows
            else "No trips found: every row begins and ends in the same zone. Are the zones too large?"
        )
    if total > MAX_COUNTED:
        raise DataError(
            f"The counts add up to {total:.3g}; at most {MAX_COUNTED:,} trips can be counted. "
            "Is the column of counts the right one?"
        )
    zones = all_zones(pd.concat([moves[end] for end in _ENDS], ignore_index=True), zoning.public_zones())
    known = pd.Index(zones)
    origin, destination = (known.get_indexer(moves[end]).astype(np.int64) for end in _ENDS)
    flow, count = origin * zones.size + destination, moves["count"].to_numpy().astype(np.int64)
    week = moves["week"].to_numpy(dtype="datetime64[D]")
    order = np.lexsort((flow, week))  # rows without a week last: numpy sorts NaT there
    order = order[count[order] > 0]
    weeks, starts = np.unique(week[order], return_index=True)
    return FlowCounts(
        zones=zones,
        weeks=tuple(UNDATED if np.isnat(monday) else str(monday) for monday in weeks),
        week_starts=np.append(starts, order.size),
        flow=flow[order],
        count=count[order],
        n_records=n_rows,
        dropped=dropped,
    )
