"""The flows of a canary: where they are in a published table, and what an attacker looks at there."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from privlab.dp import UNITS, weight_of_trips
from privlab.dp.audit import Cut
from privlab.od.counting import SettledCells
from privlab.od.counting.matrix import Ints, chance_under_bound
from privlab.od.counting.products import FLOWS, VISITS, Product
from privlab.od.releases.rehearsed_release import RehearsedCounts
from privlab.od.releases.release_plan import ReleasePlan, SecureReleaseParameters

_VOTES = "flows above their count"
_SUM = "sum over the flows"


def changed_counts(without: SettledCells, inside: SettledCells, week: str) -> tuple[Ints, Ints]:
    """Return the cells whose true count differs in a week, and by how much, before any bound: shape (C,) each.

    Cells are those of the product over the Z zones of `without`; those with an end in a zone that only `inside` knows stand
    beyond them all.
    """
    n_zones, product = without.zones.size, without.product
    known = pd.Index(without.zones).get_indexer(pd.Index(inside.zones))
    _, before = without.week_of(week)
    _, after = inside.week_of(week)
    ends, slot = product.ends_and_slot(after, inside.zones.size)
    old = np.logical_and.reduce([known[end] >= 0 for end in ends])
    beyond = n_zones**product.n_ends * product.n_slots
    after = np.where(old, product.cell_of(tuple(known[end] for end in ends), slot, n_zones), beyond + after)
    cells, cell = np.unique(np.concatenate([after, before]), return_inverse=True)
    sign = np.repeat([1, -1], [after.size, before.size])
    change = np.zeros(cells.size, dtype=np.int64)
    np.add.at(change, cell, sign)
    return cells[change != 0].astype(np.int64), change[change != 0]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Watched:
    """The flows of one canary, as they are found in a published table.

    `cells` (T,) are ascending, over `zones`; `others` (T,) what is expected to be counted in them without the canary;
    noisy counts below `threshold` are not published.
    """

    zones: "pd.Index[Any]"
    cells: Ints
    others: npt.NDArray[np.float64]
    threshold: int
    product: Product = FLOWS

    @staticmethod
    def from_cells(own: Ints, without: SettledCells, plan: ReleasePlan) -> "Watched":
        """Return the flows of a person, given by cells in rising order, and who else is expected to count in them."""
        (week,) = plan.weeks
        user, flow = without.week_of(week)
        place = np.minimum(np.searchsorted(own, flow), own.size - 1)
        there = own[place] == flow
        counted = _counted_of_a_trip(
            np.bincount(user)[user[there]] if there.any() else user[there], plan.parameters
        )
        return Watched(
            zones=pd.Index(without.zones),
            cells=own,
            others=np.bincount(place[there], weights=counted, minlength=own.size).astype(np.float64),
            threshold=plan.parameters.threshold,
            product=plan.product,
        )

    def settled_test(self, parameters: SecureReleaseParameters) -> Cut:
        """Return the test that is settled before any run: the best against the mechanism that keeps the promise.

        A majority vote for integer noise, half of what the person adds for Gaussian noise. Where others alone do not reach
        the threshold, it can only be seen which flows are there: most for Gaussian noise, any if nobody else is in them.
        """
        n, short = int(self.cells.size), int(self.others.max()) < self.threshold
        if short and not self.others.any():
            return Cut(name=_VOTES, sign=">", edge=0.0)
        if short or parameters.noise == "integer":
            return Cut(name=_VOTES, sign=">", edge=n / 2)
        bound = parameters.max_trips_per_user
        added = min(n, bound) if parameters.clip == "keep" else n * int(weight_of_trips(n, bound)) / UNITS
        return Cut(name=_SUM, sign=">", edge=added / 2)

    def seen_in(self, published: RehearsedCounts) -> dict[str, float]:
        """Return what an attacker looks at in a table, by name; what is not published counts as just too little for it."""
        key = self._keys(published)
        order = np.argsort(key, kind="stable")
        place = np.searchsorted(key[order], self.cells)
        place = order[np.minimum(place, order.size - 1)] if order.size else place
        there = key[place] == self.cells if order.size else np.zeros(self.cells.size, dtype=bool)
        count = np.where(there, published.count[place] if order.size else 0, 0)
        above = np.where(there, count, np.minimum(self.others, self.threshold - 1)) - self.others
        totals = [float(one.trips) for one in published.totals.values()]  # of one week, or none
        return {
            _VOTES: float((above > 0).sum()),
            _SUM: float(above.sum()),
            "flows published": float(there.sum()),
            "flows published just as counted": float((there & (above == 0)).sum()),
            "first flow": float(above[0]),
            "sum of all else": float(published.count.sum() - count.sum()),
            **({"total of the week": totals[0]} if totals else {}),
        }

    def _keys(self, published: RehearsedCounts) -> Ints:
        """Return the published cells as numbers over `zones`."""
        product = self.product
        ends = tuple(
            self.zones.get_indexer(pd.Index(published.cell[name])).astype(np.int64)
            for name in product.columns[: product.n_ends]
        )
        slot: Ints | int = 0
        if product is VISITS:
            slot = (published.cell["weekday"].astype(np.int64) - 1) * 24 + published.cell["hour"]
        return product.cell_of(ends, slot, self.zones.size)


def _counted_of_a_trip(n_trips: Ints, parameters: SecureReleaseParameters) -> npt.NDArray[np.float64]:
    """Return how much of a trip is counted on average, of people with so many in the week."""
    bound = parameters.max_trips_per_user
    if parameters.clip == "l2":
        return np.asarray(weight_of_trips(n_trips, bound) / UNITS, dtype=np.float64)
    return chance_under_bound(n_trips, bound)
