"""A dataset without what a steward takes out of it, each step with its account.

Knows normalised tables; knows no files. The steps run in the order of `Cleaning`'s fields.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import ibis
import ibis.expr.types as ir

from privlab.checks import DataError, ParameterError
from privlab.datasets.cleaning.cleaning_choices import Cleaning
from privlab.datasets.cleaning.distances_and_speeds import is_faster, moves_from_records
from privlab.datasets.columns.ids import id_order
from privlab.datasets.engines.workspace import row_count
from privlab.datasets.records import DataReport, Dataset
from privlab.datasets.zones.zoned_rows import TRIP_PLACES

DUPLICATE, PERIOD, BOX = "duplicate", "outside the period", "outside the box"
PERCENTILE, FAST, THINNED = (
    "outside the percentile box",
    "faster than the limit",
    "not the first of its interval",
)
FEW, UNSAMPLED = "user with too few records", "user not sampled"
_BINS = {"latlon": 1_000.0, "xy": 0.01}  # thousandths of a degree, hundreds of metres


def cleaned_dataset(dataset: Dataset, cleaning: Cleaning) -> Dataset:
    """Return the dataset without what `cleaning` takes out, and with the account of it in the report.

    Raises ParameterError for a step that does not go with the data, DataError if nothing is left.
    """
    steps = [step for step in _STEPS if step.wanted(cleaning)]
    if not steps:
        return dataset
    for step in steps:
        if dataset.kind not in step.kinds or dataset.place not in step.places:
            raise ParameterError(f"{step.name} does not go with {_described(dataset)}.")
    store, dropped = dataset.workspace.materialise, dict(dataset.report.dropped)
    table, n_left, stored = dataset.table, dataset.report.kept, None
    for step in steps:
        kept = store("cleaned", step.keep(table, dataset, cleaning))
        if stored is not None:
            dataset.workspace.forget(stored)
        table = stored = kept
        n_kept = row_count(table)
        if n_kept < n_left:
            dropped[step.reason] = n_left - n_kept
        if not n_kept:
            raise DataError(
                f"Nothing is left of {dataset.name}: its last rows are {step.reason!r}. Take less out ({step.name})."
            )
        n_left = n_kept
    digest = hashlib.blake2b(f"{dataset.digest}{cleaning}".encode(), digest_size=16).hexdigest()
    return replace(
        dataset,
        table=table,
        digest=digest,
        uncleaned_digest=dataset.earlier_digest,
        users_apart=dataset.users_apart and cleaning.users_apart,
        report=_report(dataset.report, table, n_left, dropped),
    )


def _described(dataset: Dataset) -> str:
    places = {"latlon": "degrees", "xy": "metres", "zone": "zone ids"}
    return f"{dataset.kind} in {places[dataset.place]}"


def _report(before: DataReport, table: ir.Table, n_kept: int, dropped: dict[str, int]) -> DataReport:
    users = table.user_id.nunique() if "user_id" in table.columns else ibis.literal(0)
    found = table.agg(users=users, first=table.time.min(), last=table.time.max()).to_pyarrow().to_pylist()[0]
    return replace(before, kept=n_kept, dropped=dropped, **found)


def _unique(table: ir.Table, dataset: Dataset, cleaning: Cleaning) -> ir.Table:
    return table.distinct()


def _period(table: ir.Table, dataset: Dataset, cleaning: Cleaning) -> ir.Table:
    if cleaning.first_day is not None:
        table = table.filter(table.time >= ibis.literal(cleaning.first_day).cast("timestamp"))
    if cleaning.last_day is not None:
        table = table.filter(
            table.time < ibis.literal(cleaning.last_day + timedelta(days=1)).cast("timestamp")
        )
    return table


def _inside(table: ir.Table, dataset: Dataset, cleaning: Cleaning) -> ir.Table:
    assert cleaning.box is not None
    south, west, north, east = cleaning.box
    for lat, lon in _pairs(dataset):
        table = table.filter(table[lat].between(south, north), table[lon].between(west, east))
    return table


def _pairs(dataset: Dataset) -> tuple[tuple[str, str], ...]:
    if dataset.kind != "records":
        return tuple((first, str(second)) for first, second in TRIP_PLACES[dataset.place].values())
    return (("lat", "lon"),) if dataset.place == "latlon" else (("x", "y"),)


def _central(table: ir.Table, dataset: Dataset, cleaning: Cleaning) -> ir.Table:
    tail, scale = (1 - cleaning.percentile / 100) / 2, _BINS[dataset.place]
    for pair in zip(*_pairs(dataset), strict=True):  # both ends of a trip share one box
        low, high = _quantiles([table[name] for name in pair], scale, tail)
        table = table.filter(*(((table[name] * scale).round() / scale).between(low, high) for name in pair))
    return table


def _quantiles(columns: list[ir.Column], scale: float, tail: float) -> tuple[float, float]:
    """Return the bins below and above which lies no more than the share `tail`; no column is held in memory."""
    one = [column.name("value").as_table() for column in columns]
    values = ibis.union(*one) if len(one) > 1 else one[0]
    bins = values.group_by(bin=(values.value * scale).round()).agg(n=ibis._.count())
    counts = bins.order_by("bin").to_pyarrow().to_pandas()
    below = counts["n"].cumsum() - counts["n"]
    above = counts["n"].sum() - counts["n"].cumsum()
    middle = counts["bin"][
        (below + counts["n"] > tail * counts["n"].sum()) & (above + counts["n"] > tail * counts["n"].sum())
    ]
    return float(middle.min()) / scale, float(middle.max()) / scale


def _slow(table: ir.Table, dataset: Dataset, cleaning: Cleaning) -> ir.Table:
    assert cleaning.max_speed_km_h is not None
    moves = moves_from_records(table, dataset.place, within_weeks=dataset.is_settled)
    arrives = is_faster(moves.jump_m, moves.gap_s, cleaning.max_speed_km_h)
    leaves = is_faster(moves.next_m, moves.next_s, cleaning.max_speed_km_h)
    # NULL at the ends of a trace, which stay: which of two records is wrong, one neighbour cannot tell.
    return moves.filter(~(arrives & leaves).fill_null(False)).select(*table.columns)


def _thinned(table: ir.Table, dataset: Dataset, cleaning: Cleaning) -> ir.Table:
    assert cleaning.every_min is not None
    interval = (table.time.epoch_seconds() / (60 * cleaning.every_min)).floor()
    place = [name for name in table.columns if name not in ("user_id", "time")]
    numbered = table.mutate(interval=interval, trace_week=_week(table, dataset))
    order = [numbered.time, *(key for name in place for key in id_order(numbered[name]))]
    window = ibis.window(group_by=["user_id", "interval", "trace_week"], order_by=order)
    return (
        numbered.mutate(turn=ibis.row_number().over(window)).filter(ibis._.turn == 0).select(*table.columns)
    )


def _frequent(table: ir.Table, dataset: Dataset, cleaning: Cleaning) -> ir.Table:
    traces = table.mutate(trace_week=_week(table, dataset))
    counts = traces.group_by("user_id", "trace_week").agg(n=ibis._.count())
    enough = counts.filter(counts.n >= cleaning.min_records)
    return traces.semi_join(enough, ["user_id", "trace_week"]).select(*table.columns)


def _week(table: ir.Table, dataset: Dataset) -> ir.Value:
    """Return what sets a user's traces apart: the week in a settled form, else nothing."""
    if dataset.is_settled:  # what a person did in one week decides nothing of another
        return table.time.truncate("W").cast("date")
    return ibis.literal(0)


def _sampled(table: ir.Table, dataset: Dataset, cleaning: Cleaning) -> ir.Table:
    users = table.select("user_id").distinct()
    # MD5 is no secret here; it is the hash that every database computes alike.
    key = (ibis.literal(f"users|{cleaning.seed}|") + users.user_id.cast("string")).hexdigest("md5")
    drawn = users.mutate(key=key).order_by("key", "user_id").limit(cleaning.n_users)
    return table.semi_join(drawn, "user_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """One step: the field that asks for it, the reason it drops rows by, and what it goes with."""

    name: str
    reason: str
    keep: Callable[[ir.Table, Dataset, Cleaning], ir.Table]
    also: str = ""
    kinds: tuple[str, ...] = ("records", "trips", "counts")
    places: tuple[str, ...] = ("latlon", "xy", "zone")

    def wanted(self, cleaning: Cleaning) -> bool:
        """Return whether a cleaning asks for this step."""
        nothing: Any = Cleaning()
        names = [name for name in (self.name, self.also) if name]
        return any(getattr(cleaning, name) != getattr(nothing, name) for name in names)


_WITH_USERS = ("records", "trips")
_STEPS = (
    _Step(name="drop_duplicates", reason=DUPLICATE, keep=_unique, kinds=_WITH_USERS),
    _Step(name="first_day", also="last_day", reason=PERIOD, keep=_period),
    _Step(name="box", reason=BOX, keep=_inside, places=("latlon",)),
    _Step(name="percentile", reason=PERCENTILE, keep=_central, places=("latlon", "xy")),
    _Step(name="max_speed_km_h", reason=FAST, keep=_slow, kinds=("records",), places=("latlon", "xy")),
    _Step(name="every_min", reason=THINNED, keep=_thinned, kinds=("records",)),
    _Step(name="min_records", reason=FEW, keep=_frequent, kinds=_WITH_USERS),
    _Step(name="n_users", reason=UNSAMPLED, keep=_sampled, kinds=_WITH_USERS),
)
