"""Data read in a settled form → the counts that a secure release needs of it, worked out where the rows are.

For data on a cluster: users are bounded and counted there, and nothing but counts comes back. Raw: nothing here is noisy.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ibis
import ibis.expr.types as ir
import numpy as np
import numpy.typing as npt
import pandas as pd

from privlab.checks import DataError
from privlab.datasets import Dataset
from privlab.datasets.zones import Zoning, all_zones
from privlab.limits import MAX_CLUSTER_TRIPS
from privlab.od.matrix import Ints, kept_under_bound
from privlab.od.products import FLOWS, FLOWS_BY_SLOT, Product
from privlab.od.settled.settled_trips import require_settled
from privlab.od.trips.trip_tables import trip_tables_from_dataset
from privlab.od.trips.unique_trips import secretly_ranked_trips
from privlab.progress import UNHEARD, Progress

SUMS = ("mean", "spread", "growth")
FIXED = 2**30  # sums are of whole numbers, so that they hang on no order: so many stand for 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TripLaw:
    """What one trip adds to its cell's counts, by the number of trips of its user in the week: 0, 1, …; shapes (N,).

    `added` is what a trip that is kept adds to what the noise goes to; of each user's week the first `n_kept` of the random order
    are. `sums` are added by every trip, kept or not, in units of 1 / FIXED: those named in SUMS.
    """

    n_kept: int
    added: Ints
    sums: dict[str, Ints]


LawOf = Callable[[int], TripLaw]
"""Return the law of trips for users with up to so many trips in a week."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SettledCounts:
    """The counts of the weeks to be released. Raw.

    `zones` (Z,) are zone ids in ascending order, `weeks` (W,) Mondays, each perhaps without trips. Per non-zero count, sorted by
    week and cell, shape (n,): `cell` of the `product`, `people` in it, `raw`, what the noise goes to, and the `sums` of TripLaw.
    `week_starts` (W + 1,) cuts the weeks. `totals` (W,) are the trips of each week, of each user at most a cap, all zeros where
    they were not asked for. `n_users` counts everyone seen in the zones, in any week.
    """

    zones: npt.NDArray[Any]
    weeks: tuple[str, ...]
    week_starts: Ints
    cell: Ints
    people: Ints
    raw: Ints
    sums: dict[str, Ints]
    totals: Ints
    n_users: int
    product: Product

    def part(self, week: str) -> slice:
        """Return where the counts of a week stand. Raises KeyError for another week."""
        if week not in self.weeks:
            raise KeyError(week)
        index = self.weeks.index(week)
        return slice(int(self.week_starts[index]), int(self.week_starts[index + 1]))


def settled_counts_from_dataset(
    dataset: Dataset,
    zoning: Zoning,
    *,
    weeks: Sequence[str],
    law_of: LawOf,
    secret: str,
    by_slot: bool = False,
    total_cap: int | None = None,
    public: Sequence[Any] | None = None,
    progress: Progress = UNHEARD,
) -> SettledCounts:
    """Return the bounded counts of some weeks, worked out in the database; the rows stay there.

    Which trips a bound keeps hangs on `secret`, and for one user on nobody else's rows. With a list of `public` zones
    only trips between them are counted, and only they against the bound. `total_cap`, where given, asks for each week's trips too, of each
    user at most so many. `by_slot` is as in settled_trips_from_dataset.

    Raises
    ------
    ParameterError
        If the dataset was not read in a settled form, names no users, or what is kept of one user depends on others.
    DataError
        If no row of it lies in the zones, or one user has more than MAX_CLUSTER_TRIPS different trips in a week.
    """
    require_settled(dataset)
    product = FLOWS_BY_SLOT if by_slot else FLOWS
    tables = trip_tables_from_dataset(dataset, zoning, by_slot=by_slot, progress=progress)
    progress.tell(0.8, "Counting under the bound")
    mondays = np.asarray(sorted(weeks), dtype="datetime64[D]")
    wanted = tables.unique_trips.filter(tables.unique_trips.week.isin([day.item() for day in mondays]))
    counts = _counts(wanted, law_of(_most_trips(wanted)), secret, product)
    if public is not None and not counts[["origin", "destination"]].isin(list(public)).all(axis=None):
        # What lies on no list is left out before the bound: counted anew, as a limit is for what counts.
        wanted = wanted.filter(wanted.origin.isin(list(public)) & wanted.destination.isin(list(public)))
        counts = _counts(wanted, law_of(_most_trips(wanted)), secret, product)
    zones = all_zones(
        pd.concat([counts["origin"], counts["destination"]], ignore_index=True), zoning.public_zones()
    )
    known = pd.Index(zones)
    ends = tuple(known.get_indexer(counts[name]).astype(np.int64) for name in ("origin", "destination"))
    cell = product.cell_of(ends, counts["slot"].to_numpy(dtype=np.int64) if by_slot else 0, len(zones))
    week = np.searchsorted(mondays, counts["week"].to_numpy(dtype="datetime64[D]"))
    order = np.lexsort((cell, week))
    whole = {name: counts[name].to_numpy(dtype=np.int64)[order] for name in ("people", "raw", *SUMS)}
    return SettledCounts(
        zones=zones,
        weeks=tuple(str(monday) for monday in mondays),
        week_starts=np.searchsorted(week[order], np.arange(mondays.size + 1)),
        cell=cell[order],
        people=whole["people"],
        raw=whole["raw"],
        sums={name: whole[name] for name in SUMS},
        totals=_totals(wanted, mondays, total_cap),
        n_users=tables.n_users,
        product=product,
    )


def _most_trips(wanted: ir.Table) -> int:
    per_user = wanted.group_by("user_id", "week").agg(n=ibis._.count())
    most = per_user.n.max().to_pyarrow().as_py() or 0
    if most > MAX_CLUSTER_TRIPS:
        raise DataError(
            f"One user has {most:,} different trips in a week, more than {MAX_CLUSTER_TRIPS:,}. Is it one person?"
        )
    return int(most)


def _counts(wanted: ir.Table, law: TripLaw, secret: str, product: Product) -> pd.DataFrame:
    """Return week, the columns of the product, people, raw and SUMS of every cell with a trip."""
    ranked = secretly_ranked_trips(wanted, secret, product.columns)
    of_user = ibis.window(group_by=["user_id", "week"])
    numbered = ranked.mutate(n_of_user=ranked.count().over(of_user))
    n = numbered.n_of_user
    kept = ibis.ifelse(kept_under_bound(numbered.trip_rank, law.n_kept), _looked_up(law.added, n), 0)
    frame: pd.DataFrame = (
        numbered.mutate(raw=kept, **{name: _looked_up(law.sums[name], n) for name in SUMS})
        .group_by("week", *product.columns)
        .agg(people=ibis._.count(), **{name: ibis._[name].sum() for name in ("raw", *SUMS)})
        .to_pyarrow()
        .to_pandas(date_as_object=False)
    )
    return frame


def _looked_up(values: Ints, n: ir.IntegerValue) -> ir.IntegerValue:
    """Return values[n]; one number where they all are alike."""
    if np.unique(values).size <= 1:
        return ibis.literal(int(values[0]), "int64")
    # Spark takes no place in an array but one of 32 bits.
    found: ir.IntegerValue = ibis.literal(values.tolist(), "array<int64>")[n.cast("int32")]
    return found


def _totals(wanted: ir.Table, mondays: npt.NDArray[Any], cap: int | None) -> Ints:
    totals = np.zeros(mondays.size, dtype=np.int64)
    if cap is None:
        return totals
    per_user = wanted.group_by("user_id", "week").agg(n=ibis.least(ibis._.count(), cap))
    found = per_user.group_by("week").agg(n=ibis._.n.sum()).to_pyarrow().to_pandas(date_as_object=False)
    totals[np.searchsorted(mondays, found["week"].to_numpy(dtype="datetime64[D]"))] = found["n"].to_numpy()
    return totals
