"""The flows of a canary, and the sums of districts they are part of: where they are published, and what an attacker looks at there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.dp.audit import Cut, Larger
from privlab.dp.gaussian import LEVEL_SHIFTS, UNITS, weight_of_trips, weight_with_levels
from privlab.od.levels.trip_weights import districts_of_zones, weights_of_week
from privlab.od.matrix import Ints, chance_under_bound, places_of
from privlab.od.products import FLOWS, Product
from privlab.od.releases.rehearsed_release import RehearsedCounts
from privlab.od.releases.release_plan import ReleasePlan, SecureReleaseParameters
from privlab.od.settled import SettledCells

Floats = npt.NDArray[np.float64]

_VOTES = "flows above their count"
_SUM = "sum over the flows"
_TOGETHER = "flows and sums of districts together"
_ALL_SUMS = "sums of districts"


def changed_counts(without: SettledCells, inside: SettledCells, week: str) -> tuple[Ints, Ints]:
    """Return the cells whose true count differs in a week, and by how much, before any bound: shape (C,) each.

    Cells are those of the product over the Z zones of `without`; those with an end in a zone that only `inside` knows stand
    beyond them all.
    """
    n_zones, product = without.zones.size, without.product
    known = places_of(inside.zones, without.zones)
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
class WatchedSums:
    """The sums of one level that a canary's flows are part of: `pair` (P,) among its pairs of districts, in rising order.

    `own` (P,) are the canary's trips in each, `others` (P,) what is expected to be counted in them without it.
    """

    name: str
    pair: Ints
    own: Ints
    others: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Watched:
    """The flows of one canary, as they are found in a published table.

    `cells` (T,) are ascending, over `zones`; `others` (T,) what is expected to be counted in them without the canary;
    noisy counts below `threshold` are not published. `sums` are those of each level, from the lowest up.
    """

    zones: npt.NDArray[Any]
    cells: Ints
    others: Floats
    threshold: int
    product: Product = FLOWS
    sums: tuple[WatchedSums, ...] = ()

    @staticmethod
    def from_cells(own: Ints, without: SettledCells, plan: ReleasePlan) -> "Watched":
        """Return the flows of a person, given by cells in rising order, and who else is expected to count in them."""
        (week,) = plan.weeks
        user, flow = without.week_of(week)
        place = np.minimum(np.searchsorted(own, flow), own.size - 1)
        there = own[place] == flow
        groups = districts_of_zones(plan.levels, plan.zones, without.zones)
        counted = _counted_of_trips(user, flow, without.zones.size, plan.parameters, groups)
        return Watched(
            zones=without.zones,
            cells=own,
            others=np.bincount(place[there], weights=counted[there], minlength=own.size).astype(np.float64),
            threshold=plan.parameters.threshold,
            product=plan.product,
            sums=tuple(
                _watched_sums(level.name, own, flow, counted, group, without.zones.size)
                for level, group in zip(plan.levels, groups, strict=True)
            ),
        )

    @property
    def told_by_sums(self) -> bool:
        """Whether the sums of districts tell more of the person than the flows do, of which some may not be published."""
        return self._added_to_sums > self.cells.size

    def settled_test(self, parameters: SecureReleaseParameters) -> Cut | Larger:
        """Return the test that is settled before any run: the best against the mechanism that keeps the promise.

        A majority vote for integer noise, half of what the person adds for Gaussian noise, to flows and to the sums of districts
        by how wide the noise on each is. Where others alone do not reach the threshold, it can only be seen which flows are
        there: most for Gaussian noise, any if nobody else is in them. Where the sums tell more than the flows, it is the larger
        of two releases: what others add to a sum hangs on the weight of all, and may be off where weights are.
        """
        n, short = int(self.cells.size), int(self.others.max()) < self.threshold
        if self.told_by_sums:
            return Larger(name=_ALL_SUMS if self.others.min() < self.threshold else _TOGETHER)
        if short and not self.others.any():
            return Cut(name=_VOTES, sign=">", edge=0.0)
        if short or parameters.noise == "integer":
            return Cut(name=_VOTES, sign=">", edge=n / 2)
        bound = parameters.max_trips_per_user
        if self.sums:
            squares = [np.array([(one.own**2).sum()]) for one in self.sums]
            weight = int(weight_with_levels([n], squares, bound)[0]) / UNITS
            return Cut(name=_TOGETHER, sign=">", edge=weight * (n + self._added_to_sums) / 2)
        added = min(n, bound) if parameters.clip == "keep" else n * int(weight_of_trips(n, bound)) / UNITS
        return Cut(name=_SUM, sign=">", edge=added / 2)

    @property
    def _added_to_sums(self) -> float:
        """What the squares of the person's trips in each pair of districts add up to, each level by how wide its noise is."""
        return sum(
            (
                float((one.own**2).sum()) / 4.0**shift
                for one, shift in zip(self.sums, LEVEL_SHIFTS, strict=False)
            ),
            0.0,
        )

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
            **self._sums_in(published, float(above.sum())),
        }

    def _sums_in(self, published: RehearsedCounts, of_flows: float) -> dict[str, float]:
        """Return what is seen in the sums of districts, by level, and of flows and sums by how wide the noise on each is."""
        (sums,) = published.sums.values() if self.sums else ((),)
        seen, of_sums = dict[str, float](), 0.0
        for one, said, shift in zip(self.sums, sums, LEVEL_SHIFTS, strict=False):
            above = said.noisy[one.pair] - one.others
            seen[f"sums of {one.name}"] = float((one.own * above).sum())
            seen[f"flows added up in {one.name}"] = float((said.counted[one.pair] - one.others).sum())
            of_sums += seen[f"sums of {one.name}"] / 4**shift
        return seen | ({_ALL_SUMS: of_sums, _TOGETHER: of_flows + of_sums} if self.sums else {})

    def _keys(self, published: RehearsedCounts) -> Ints:
        """Return the published cells as numbers over `zones`."""
        product = self.product
        ends = tuple(
            places_of(published.cell[name], self.zones) for name in product.columns[: product.n_ends]
        )
        return product.cell_of(ends, product.slot_in(published.cell), self.zones.size)


def _watched_sums(
    name: str, own: Ints, flow: Ints, counted: Floats, group: Ints, n_zones: int
) -> WatchedSums:
    """Return the sums of one level that the flows `own` are part of; `counted` is what is expected of each trip of `flow`."""
    n = int(group.max(initial=-1)) + 1

    def pairs(cells: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
        start, end = (group[one] for one in np.divmod(cells, n_zones))
        return start * n + end, (start >= 0) & (end >= 0)  # zones that are not public are in no district

    mine, public = pairs(own[own < n_zones**2])
    pair, times = np.unique(mine[public], return_counts=True)
    theirs, inside = pairs(flow)
    others = np.bincount(theirs[inside], weights=counted[inside], minlength=n * n).astype(np.float64)
    return WatchedSums(name=name, pair=pair, own=times.astype(np.int64), others=others[pair])


def _counted_of_trips(
    user: npt.NDArray[np.int32],
    flow: Ints,
    n_zones: int,
    parameters: SecureReleaseParameters,
    groups: Sequence[Ints],
) -> Floats:
    """Return how much of each trip of a week is counted on average, shape as `flow`."""
    bound = parameters.max_trips_per_user
    if parameters.clip == "l2":
        return np.asarray(weights_of_week(user, flow, n_zones, bound, groups) / UNITS, dtype=np.float64)
    return chance_under_bound(np.bincount(user)[user] if user.size else user, bound)
