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
from privlab.od.releases.rehearsed_release import RehearsedCounts
from privlab.od.releases.release_plan import ReleasePlan, SecureReleaseParameters

_VOTES = "flows above their count"
_SUM = "sum over the flows"


def changed_counts(without: SettledCells, inside: SettledCells, week: str) -> tuple[Ints, Ints]:
    """Return the cells whose true count differs in a week, and by how much, before any bound: shape (C,) each.

    Cells are origin·Z + destination over the Z zones of `without`; those with an end in a zone that only `inside` knows stand
    beyond Z².
    """
    n_zones = without.zones.size
    known = pd.Index(without.zones).get_indexer(pd.Index(inside.zones))
    _, before = without.week_of(week)
    _, after = inside.week_of(week)
    origin, destination = (known[end] for end in np.divmod(after, inside.zones.size))
    new = (origin < 0) | (destination < 0)
    after = np.where(new, n_zones**2 + after, origin * n_zones + destination)
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
        origin, destination = (
            self.zones.get_indexer(pd.Index(end))
            for end in (published.cell["origin"], published.cell["destination"])
        )
        key = origin.astype(np.int64) * self.zones.size + destination
        order = np.argsort(key, kind="stable")
        place = np.searchsorted(key[order], self.cells)
        place = order[np.minimum(place, order.size - 1)] if order.size else place
        there = key[place] == self.cells if order.size else np.zeros(self.cells.size, dtype=bool)
        count = np.where(there, published.count[place] if order.size else 0, 0)
        above = np.where(there, count, np.minimum(self.others, self.threshold - 1)) - self.others
        return {
            _VOTES: float((above > 0).sum()),
            _SUM: float(above.sum()),
            "flows published": float(there.sum()),
            "flows published just as counted": float((there & (above == 0)).sum()),
            "first flow": float(above[0]),
            "sum of all else": float(published.count.sum() - count.sum()),
        }


def _counted_of_a_trip(n_trips: Ints, parameters: SecureReleaseParameters) -> npt.NDArray[np.float64]:
    """Return how much of a trip is counted on average, of people with so many in the week."""
    bound = parameters.max_trips_per_user
    if parameters.clip == "l2":
        return np.asarray(weight_of_trips(n_trips, bound) / UNITS, dtype=np.float64)
    return chance_under_bound(n_trips, bound)
