"""What a steward may take out of a dataset on purpose, each step with its account.

Off by default. Knows normalised tables; knows no files. The steps run in the order of `Cleaning`'s fields.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

import ibis
import ibis.expr.types as ir

from privlab.checks import DataError, ParameterError, require_between, require_whole
from privlab.datasets.distances import is_faster, moves_from_records
from privlab.datasets.engine import row_count
from privlab.datasets.records import DataReport, Dataset
from privlab.limits import MAX_EVERY_MIN, MAX_MIN_RECORDS, MAX_SEED, MAX_SPEED_KM_H, MAX_USERS_GENERATED

DUPLICATE, PERIOD, BOX = "duplicate", "outside the period", "outside the box"
PERCENTILE, FAST, THINNED = (
    "outside the percentile box",
    "faster than the limit",
    "not the first of its interval",
)
FEW, UNSAMPLED = "user with too few records", "user not sampled"
_BINS = {"latlon": 1_000.0, "xy": 0.01}  # thousandths of a degree, hundreds of metres


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaning:
    """What to take out; every field's default takes out nothing.

    `first_day` and `last_day` belong to the period. `box` is south, west, north, east in degrees. Of
    latitudes and longitudes (or x and y) the middle `percentile` per cent are kept, to 0.001° (100 m).
    A record is too fast if it is reached from the one before, and left for the one after, at more than
    `max_speed_km_h`; the first and the last of a trace stay. The first record of each user in every `every_min` minutes is kept. Users then
    need `min_records`; of those, `n_users` are drawn by `seed`.
    """

    drop_duplicates: bool = False
    first_day: date | None = None
    last_day: date | None = None
    box: tuple[float, float, float, float] | None = None
    percentile: float = 100.0
    max_speed_km_h: float | None = None
    every_min: int | None = None
    min_records: int = 1
    n_users: int | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        """Check every field. Raises ParameterError."""
        if self.first_day and self.last_day and self.first_day > self.last_day:
            raise ParameterError(f"last_day must be {self.first_day} or later, got {self.last_day}.")
        if self.box is not None:
            south, west, north, east = self.box
            sides = zip(("south", "west", "north", "east"), self.box, (90, 180, 90, 180), strict=True)
            for name, value, most in sides:
                require_between(f"box {name}", value, -most, most)
            if south >= north or west >= east:
                raise ParameterError(
                    f"box must be south,west,north,east with south < north and west < east, got {self.box}."
                )
        require_between("percentile", self.percentile, 50, 100)
        if self.max_speed_km_h is not None:
            require_between("max_speed_km_h", self.max_speed_km_h, 1, MAX_SPEED_KM_H)
        if self.every_min is not None:
            require_whole("every_min", self.every_min, 1, MAX_EVERY_MIN)
        require_whole("min_records", self.min_records, 1, MAX_MIN_RECORDS)
        if self.n_users is not None:
            require_whole("n_users", self.n_users, 1, MAX_USERS_GENERATED)
        require_whole("seed", self.seed, 0, MAX_SEED)

    @property
    def users_apart(self) -> bool:
        """Whether what is kept of one user depends on that user alone."""
        return self.percentile == 100 and self.n_users is None


def box_from_text(text: str | None) -> tuple[float, float, float, float] | None:
    """Return south, west, north, east from a text. Raises ParameterError unless it is four numbers.

    >>> box_from_text("48, 2, 49, 2.5")
    (48.0, 2.0, 49.0, 2.5)
    """
    if text is None or not text.strip():
        return None
    try:
        south, west, north, east = (float(part) for part in text.split(","))
    except ValueError:
        raise ParameterError(
            f"bounding_box must be south,west,north,east in degrees, got {text!r}."
        ) from None
    return south, west, north, east


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
                f"Nothing is left of {dataset.name}: its last rows are {step.reason!r}. Loosen {step.name}."
            )
        n_left = n_kept
    digest = hashlib.blake2b(f"{dataset.digest}{cleaning}".encode(), digest_size=16).hexdigest()
    return replace(
        dataset,
        table=table,
        digest=digest,
        uncleaned_digest=dataset.source_digest,
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
        return (("origin_lat", "origin_lon"), ("destination_lat", "destination_lon"))
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
    moves = moves_from_records(table, dataset.place)
    arrives = is_faster(moves.jump_m, moves.gap_s, cleaning.max_speed_km_h)
    leaves = is_faster(moves.next_m, moves.next_s, cleaning.max_speed_km_h)
    # NULL at the ends of a trace, which stay: which of two records is wrong, one neighbour cannot tell.
    return moves.filter(~(arrives & leaves).fill_null(False)).select(*table.columns)


def _thinned(table: ir.Table, dataset: Dataset, cleaning: Cleaning) -> ir.Table:
    assert cleaning.every_min is not None
    interval = (table.time.epoch_seconds() / (60 * cleaning.every_min)).floor()
    place = [name for name in table.columns if name not in ("user_id", "time")]
    window = ibis.window(group_by=["user_id", "interval"], order_by=["time", *place])
    numbered = table.mutate(interval=interval)
    return (
        numbered.mutate(turn=ibis.row_number().over(window)).filter(ibis._.turn == 0).select(*table.columns)
    )


def _frequent(table: ir.Table, dataset: Dataset, cleaning: Cleaning) -> ir.Table:
    users = table.group_by("user_id").agg(n=ibis._.count()).filter(ibis._.n >= cleaning.min_records)
    return table.semi_join(users, "user_id")


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
