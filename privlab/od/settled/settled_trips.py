"""Data read in a settled form → the unique trips, or visits, that a secure release may count.

A type of its own, so that trips found by guessing at rows, or by looking across weeks, cannot be released.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from privlab.checks import ParameterError
from privlab.datasets import Dataset
from privlab.datasets.zones import Zoning, all_zones
from privlab.od.matrix import Ints
from privlab.od.products import FLOWS, FLOWS_BY_SLOT, Product
from privlab.od.trips.trip_tables import trip_tables_from_dataset
from privlab.progress import UNHEARD, Progress

USERS_NOT_APART = (
    "percentile and sample_users must be left out of a secure release: what they keep of one user depends on "
    "the others, and the guarantee would fail."
)
NO_USERS = (
    "The file does not say whose trips it counts, so that nothing can be promised to a person. "
    "Is there a file of records or trips with a user in each row?"
)


def reason_against_promise(*, has_users: bool, users_apart: bool) -> str | None:
    """Return why nothing can be promised to the people of some data, None if it can be.

    `users_apart` says whether what was kept of one user is independent of all others.
    """
    if not has_users:
        return NO_USERS
    return None if users_apart else USERS_NOT_APART


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountedCells:
    """Who counts in which cell in some weeks, whatever the data was read by: unique trips, or visits. To be looked at, and simulated.

    `zones` (Z,) are zone ids in ascending order, `weeks` (W,) Mondays, each perhaps without trips. Per
    unique trip or visit, sorted by week, shape (n,): `user` a number, `flow` the cell of the `product`: of flows
    origin·Z + destination as positions. `week_starts` (W + 1,) cuts the weeks. `n_users` counts everyone seen in the zones,
    in any week; None where that is not known.
    """

    zones: npt.NDArray[Any]
    weeks: tuple[str, ...]
    week_starts: Ints
    user: npt.NDArray[np.int32]
    flow: Ints
    n_users: int | None = None
    product: Product = FLOWS

    def week_of(self, week: str) -> tuple[npt.NDArray[np.int32], Ints]:
        """Return user and flow of a week's trips, which may be none. Raises KeyError for another week."""
        if week not in self.weeks:
            raise KeyError(week)
        index = self.weeks.index(week)
        part = slice(int(self.week_starts[index]), int(self.week_starts[index + 1]))
        return self.user[part], self.flow[part]

    def in_order(self) -> Self:
        """Return the same with each week's trips by user and cell: the database may hand a user's trips over in any order.

        Where chance comes from a seed, what is drawn goes by that order.
        """
        week = np.repeat(np.arange(len(self.weeks)), np.diff(self.week_starts))
        order = np.lexsort((self.flow, self.user, week))
        return replace(self, user=self.user[order], flow=self.flow[order])

    def between(self, listed: Sequence[Any] | None) -> Self:
        """Return the trips or visits whose zones are all on a list; all of them without a list.

        A release of public cells counts no others. They are left out before the limit on trips, so that the limit is for trips that
        count. With a list that was known without the data, one user more or less still changes that user's trips alone.
        """
        keep = self.product.between(self.flow, self.zones, listed)
        if keep.all():
            return self
        before = np.concatenate([[0], np.cumsum(keep)])
        return replace(self, user=self.user[keep], flow=self.flow[keep], week_starts=before[self.week_starts])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SettledCells(CountedCells):
    """The same of data read in a settled form, moves across the border of two weeks left out: what may be released."""


def settled_cells_from_counted(dataset: Dataset, counted: CountedCells) -> SettledCells:
    """Return what was counted of a dataset as what may be released. Raises ParameterError as require_settled."""
    require_settled(dataset)
    return SettledCells(**{one.name: getattr(counted, one.name) for one in fields(counted)})


def settled_trips_from_dataset(
    dataset: Dataset,
    zoning: Zoning,
    *,
    weeks: Sequence[str],
    by_slot: bool = False,
    progress: Progress = UNHEARD,
) -> SettledCells:
    """Return the unique trips of some weeks, worked out in the database, out of core.

    `by_slot` counts a trip once in each time slot of the week that it was made in.

    Raises
    ------
    ParameterError
        If the dataset was not read in a settled form, names no users, or what is kept of one user depends
        on others.
    DataError
        If no row of it lies in the zones.
    """
    require_settled(dataset)
    counted = counted_trips_from_dataset(dataset, zoning, weeks=weeks, by_slot=by_slot, progress=progress)
    return settled_cells_from_counted(dataset, counted)


def counted_trips_from_dataset(
    dataset: Dataset,
    zoning: Zoning,
    *,
    weeks: Sequence[str],
    by_slot: bool = False,
    progress: Progress = UNHEARD,
) -> CountedCells:
    """Return the same of data read in any form, to be simulated. Raises DataError if no row of it lies in the zones."""
    tables = trip_tables_from_dataset(dataset, zoning, by_slot=by_slot, progress=progress)
    progress.tell(0.8, "Taking the weeks to be released")
    mondays = np.asarray(sorted(weeks), dtype="datetime64[D]")
    wanted = tables.unique_trips.filter(tables.unique_trips.week.isin([day.item() for day in mondays]))
    product = FLOWS_BY_SLOT if by_slot else FLOWS
    columns = wanted.select("week", "user_id", *product.columns).order_by("week", "user_id")
    found = columns.to_pyarrow()
    (user, _), *ends = _coded([found[name] for name in ("user_id", "origin", "destination")])
    zones = all_zones(pd.concat([seen for _, seen in ends], ignore_index=True), zoning.public_zones())
    known = pd.Index(zones)
    origin, destination = (known.get_indexer(seen).astype(np.int64)[number] for number, seen in ends)
    week = np.searchsorted(mondays, found["week"].to_numpy().astype("datetime64[D]"))
    return CountedCells(
        zones=zones,
        weeks=tuple(str(monday) for monday in mondays),
        week_starts=np.searchsorted(week, np.arange(mondays.size + 1)),
        user=user,
        flow=product.cell_of(
            (origin, destination), found["slot"].to_numpy().astype(np.int64) if by_slot else 0, len(zones)
        ),
        n_users=tables.n_users,
        product=product,
    )


def _coded(columns: Sequence[pa.ChunkedArray]) -> "list[tuple[npt.NDArray[np.int32], pd.Series[Any]]]":
    """Return for each column a number for each row's value, shape (n,), and the values in the order of their numbers.

    Without an object of Python for each row, and the columns side by side.
    """

    def coded(column: pa.ChunkedArray) -> "tuple[npt.NDArray[np.int32], pd.Series[Any]]":
        found = column.dictionary_encode().unify_dictionaries()
        parts = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in found.chunks]
        numbers = np.concatenate([np.zeros(0, dtype=np.int32), *parts]).astype(np.int32, copy=False)
        values = found.chunk(0).dictionary if found.num_chunks else column.slice(0, 0)
        return numbers, values.to_pandas()

    with ThreadPoolExecutor() as threads:
        return list(threads.map(coded, columns))


def require_settled(dataset: Dataset) -> None:
    """Raise ParameterError for data that nothing can be released of for good: guessed at, without users, or chosen."""
    if not dataset.is_settled:
        raise ParameterError(
            "form must be given for a secure release: what is guessed from rows promises nothing."
        )
    reason = reason_against_promise(has_users=dataset.kind != "counts", users_apart=dataset.users_apart)
    if reason is not None:
        raise ParameterError(reason)
