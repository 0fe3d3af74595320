"""Ours beside the peer inf-tda (Boninsegna and Silvestri, arXiv 2412.09256): error per level, and an audit of the peer's two sensitivities.

`pip install --no-deps inf-tda==0.1`, which this bench alone needs, then `python -m bench.inf_tda [--draws 5] [--contribution 10]`.

One run on *city*: the same hierarchy (districts of 3 by 3 zones, zones), the same trips (of each user at most m, chosen at random), the same
ε and δ, and the peer's neighbours, of whom one user's week is replaced by another's. The peer publishes the true total; ours is noised.
"""

import argparse
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from privlab.datasets.engines import Workspace
from privlab.dp.audit import Cut, TradeOff, epsilon_lower, found_in_worlds
from privlab.dp.gaussian import TOTAL_SHARE, GaussianParameters
from privlab.lab.loading import prepared_trips_from_rows
from privlab.lab.loading.load import sample_rows
from privlab.lab.publishing import levels_from_zone_map
from privlab.od import UniqueTrips
from privlab.od.levels import Level, PublishedLevels, agreed_weeks, pairs_of_cells
from privlab.od.levels.levels import sums_of_week
from privlab.od.levels.trip_weights import districts_of_zones, weights_of_week
from privlab.od.products import FLOWS
from privlab.od.releases.rehearsed_release import seeded_gaussian
from privlab.od.releases.secure_release import WeekTotal
from privlab.od.usefulness.estimates import greatest_ratio, held_ratio

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

EPSILONS = (0.1, 0.3, 0.66, 1.0)
DELTA = 1e-6


@dataclass(frozen=True, kw_only=True)
class Trips:
    """At most m distinct trips of each user of one week; what all mechanisms are given."""

    user: npt.NDArray[np.int32]
    flow: Ints
    zones: npt.NDArray[np.int64]
    level: Level

    @property
    def cells(self) -> Ints:
        return FLOWS.all_cells(self.zones.size)

    @property
    def pair(self) -> Ints:
        return pairs_of_cells(self.level, *np.divmod(self.cells, self.zones.size))

    @property
    def counts(self) -> Ints:
        return np.bincount(self.flow, minlength=self.zones.size**2)[self.cells]

    def by_level(self, cells: Floats) -> tuple[Floats, Floats]:
        """Return sums of districts and cells."""
        return np.bincount(self.pair, weights=cells, minlength=self.level.n_pairs), cells


def peer():
    """Return the peer's function; its noise is given arrays of the kind that today's OpenDP takes, and nothing else is changed."""
    from InfTDA import inf_tda, mechanism

    original = mechanism.make_gaussian_noise
    if original.__module__ != __name__:

        def make_gaussian_noise(d_in, rho):
            draw = original(d_in, rho)
            return lambda counts: draw(np.array(counts, dtype=np.int32))

        mechanism.make_gaussian_noise = make_gaussian_noise
    return inf_tda


def peers(trips: Trips, epsilon: float, contribution: int) -> tuple[Floats, Floats]:
    """Return one draw of the peer: sums of districts and cells; its noise is the system's."""
    index = pd.MultiIndex.from_arrays([trips.pair, trips.cells])
    data = pd.Series(trips.counts.astype(np.int32), index=index)
    made = peer()(data, (float(epsilon), DELTA), contribution)
    cells = np.zeros(trips.cells.size)
    cells[np.searchsorted(trips.cells, made.index.get_level_values(1).to_numpy())] = made.to_numpy()
    return trips.by_level(cells)


def ours(trips: Trips, epsilon: float, bound: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return one draw of ours: weighted trips, sums of districts, counts that agree, none below 0.

    Under a bound of m + m²/16 all of m trips weigh 1, in the districts a quarter; below it a total gives back what the weights take. A replaced
    user moves the weighted numbers by √2 times as much as one who is removed: the noise is that of twice the bound.
    """
    whole = bound >= unweighed(int(np.bincount(trips.user).max()))
    promise = GaussianParameters(
        epsilon=epsilon,
        delta=DELTA,
        max_trips_per_user=2 * bound,
        total_share=0.0 if whole else TOTAL_SHARE,
        levels=1,
    )
    noise = seeded_gaussian(promise.sigma, rng, total_units=promise.total_units)
    ids, levels = tuple(trips.zones.tolist()), (trips.level,)
    groups = districts_of_zones(levels, ids, trips.zones)
    weights = weights_of_week(trips.user, trips.flow, trips.zones.size, bound, groups)
    units = np.zeros(trips.zones.size**2, dtype=np.int64)
    np.add.at(units, trips.flow, weights)
    units = units[trips.cells]
    noisy = noise.noisy(units)
    ends = np.divmod(trips.cells, trips.zones.size)
    sums = sums_of_week(levels, *ends, units, noisy, noise)
    ratio = 1.0
    if noise.noisy_total is not None:
        total = WeekTotal(trips=noise.noisy_total(trips.user.size), counted=int(noisy.sum()))
        ratio = held_ratio(total, greatest_ratio(bound))
    published = PublishedLevels(zones=ids, levels=levels, sums={"": sums})
    agreed = agreed_weeks(published, promise.sigma)[""]
    cells = (noisy + agreed.added[pairs_of_cells(trips.level, *ends)]) * ratio
    return np.maximum(agreed.sums[0] * ratio, 0), np.maximum(cells, 0)


def unweighed(contribution: int) -> int:
    """Return the least bound under which m trips of one district to one other keep their whole weight."""
    return contribution + math.ceil(contribution**2 / 16)


def errors(trips: Trips, made: tuple[Floats, Floats]) -> list[float]:
    """Return mean absolute error, RMSE and greatest error, of sums of districts and then of cells."""
    found = []
    for true, read in zip(trips.by_level(trips.counts.astype(np.float64)), made, strict=True):
        off = np.abs(read - true)
        found += [float(off.mean()), float(np.sqrt((off**2).mean())), float(off.max())]
    return found


def compared(trips: Trips, draws: int, contribution: int) -> None:
    """Print a line for each ε and mechanism."""
    for epsilon in EPSILONS:
        print(
            f"city, ε = {epsilon:g}, δ = {DELTA:g}, one user's week replaced, at most {contribution} trips each, {draws} draws"
        )
        rng = np.random.default_rng(1)
        rows = {
            "inf-tda, true total": [errors(trips, peers(trips, epsilon, contribution)) for _ in range(draws)]
        }
        for bound in (unweighed(contribution), 3):
            rows[f"ours, L = {bound}, total noised"] = [
                errors(trips, ours(trips, epsilon, bound, rng)) for _ in range(draws)
            ]
        for name, drawn in rows.items():
            one = np.mean(drawn, axis=0)
            print(
                f"  {name:26} districts: mean {one[0]:8.1f} RMSE {one[1]:8.1f} greatest {one[2]:8.0f}   "
                f"flows: mean {one[3]:7.1f} RMSE {one[4]:7.1f} greatest {one[5]:7.0f}",
                flush=True,
            )


def audited(contribution: int, runs: int, *, distinct: bool) -> None:
    """Print what a test of two worlds proves of the peer's ε: someone's trips all in one cell, or all in another.

    With `distinct` trips they go to as many cells of one district, or of another.
    """
    inf_tda, epsilon = peer(), 1.0
    of_district = contribution if distinct else 1
    runs = runs // 4 if distinct else runs  # many cells take long
    index = pd.MultiIndex.from_tuples([(i // of_district, i) for i in range(2 * of_district)])
    inside = np.full(2 * of_district, 10_000, dtype=np.int32)
    without = inside.copy()
    inside[:of_district] += contribution // of_district
    without[of_district:] += contribution // of_district
    seen = []
    for world in (inside, without):
        data = pd.Series(world, index=index)
        made = [
            inf_tda(data, (epsilon, DELTA), contribution, distinct_tuples=distinct).reindex(
                index, fill_value=0
            )
            for _ in range(runs)
        ]
        both = np.array(made).reshape(runs, 2, of_district).sum(axis=2).astype(np.float64)
        seen.append({"first less second": both[:, 0] - both[:, 1]})
    at_0 = (math.expm1(epsilon) + 2 * DELTA) / (math.exp(epsilon) + 1)
    curve = TradeOff(
        epsilon=np.array([-epsilon, 0.0, epsilon]),
        delta=np.array([1 - math.exp(-epsilon) * (1 - DELTA), at_0, DELTA]),
    )
    fixed = Cut(name="first less second", sign=">", edge=0.0)
    tests = found_in_worlds(*seen, fixed, curve, may_fail=5e-4, may_fail_fixed=5e-4)
    proven = max(epsilon_lower(one, DELTA) for one in tests)
    convicted = any(one.convicted for one in tests)
    print(
        f"  {'distinct' if distinct else 'repeated'} trips, {contribution} of them, ε = {epsilon:g} promised, {runs} runs each: "
        f"right in {tests[0].accuracy:.1%} (allowed {tests[0].most:.1%}), ε at least {proven:.2f}: "
        f"{'convicted' if convicted else 'nothing found'}",
        flush=True,
    )


def city_trips(contribution: int) -> Trips:
    with Workspace() as workspace:
        prepared = prepared_trips_from_rows(*sample_rows("city", workspace))
    trips = prepared.trips
    assert isinstance(trips, UniqueTrips)
    place = trips.busiest_week
    part = slice(int(trips.week_starts[place]), int(trips.week_starts[place + 1]))
    kept = trips.trip_rank[part] < contribution
    (level,) = levels_from_zone_map(["blocks:3"], trips.zones.tolist(), prepared.zone_map)
    return Trips(user=trips.user[part][kept], flow=trips.flow[part][kept], zones=trips.zones, level=level)


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--draws", type=int, default=5)
    arguments.add_argument("--contribution", type=int, default=10)
    arguments.add_argument("--runs", type=int, default=4000)
    arguments.add_argument("--trips", type=int, default=200, help="of the user in the audit")
    chosen = arguments.parse_args()
    print("audit of inf-tda: its promise is to a user whose trips are replaced by others'")
    for distinct in (True, False):
        audited(chosen.trips, chosen.runs, distinct=distinct)
    compared(city_trips(chosen.contribution), chosen.draws, chosen.contribution)


if __name__ == "__main__":
    main()
