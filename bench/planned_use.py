"""What the planner expects of each step, against draws of what a release would publish: the bound's choice, noise, total, sums.

`python -m bench.planned_use [sample …] [--draws 200] [--epsilons 0.1 0.66] [--users N] [--steps NAME …]`: expected and drawn share of trips
within 10%, the difference in standard errors of the mean of the draws, and the same of the mean square error, whose root is shown.
"""

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError
from privlab.datasets.engines import Workspace
from privlab.dp.gaussian.gaussian_parameters import MOST_TRIPS
from privlab.lab.loading import trips_from_rows
from privlab.lab.loading.load import sample_rows
from privlab.lab.previewing.noise_offer import OFFERED_LEVEL
from privlab.lab.publishing import levels_from_zoning, positions_from_zone_map
from privlab.od import FLOWS, UniqueTrips
from privlab.od.combining.combinations import Combination, CombinationRequest, combinations_from_weighed_week
from privlab.od.levels import Level, PublishedLevels, agreed_weeks, pairs_of_cells
from privlab.od.levels.trip_weights import districts_of_zones
from privlab.od.releases import published_variance, release_plan_from_parameters
from privlab.od.releases.rehearsed_release import seeded_steps
from privlab.od.releases.secure_release import rows_of_weeks
from privlab.od.settled.settled_trips import SettledCells
from privlab.od.smoothing import ModelSums, ZonePositions, margins_of_cells
from privlab.od.usefulness import clip_ratio
from privlab.od.weighing.mechanism_steps import AGREED, SMOOTHED
from privlab.od.weighing.weighed_week import WeighedWeek, weighed_week_from_unique_trips

Floats = npt.NDArray[np.float64]


def drawn_use(
    trips: UniqueTrips,
    one: Combination,
    week: str,
    levels: tuple[Level, ...],
    rng: np.random.Generator,
    *,
    positions: ZonePositions | None = None,
) -> Iterator[tuple[float, float]]:
    """Yield the share of trips within 10% and the mean square error of one draw after another."""
    zones = trips.zones.tolist()
    used = levels if one.parameters.levels else ()
    plan = release_plan_from_parameters(
        one.parameters, weeks=[week], zones_spec="column", public_zones=zones, levels=used
    )
    settled = SettledCells(
        zones=trips.zones, weeks=trips.weeks, week_starts=trips.week_starts, user=trips.user, flow=trips.flow
    )
    promise = one.parameters.guarantee_parameters(1)
    scale = getattr(promise, "sigma", None) or promise.mechanism.scale  # type: ignore[union-attr]
    steps = seeded_steps(one.parameters, rng, districts_of_zones(used, zones, trips.zones))
    user, flow = settled.week_of(week)
    bounded = steps.bounded
    if (
        one.parameters.clip == "l2" and np.bincount(user).max() <= MOST_TRIPS
    ):  # nothing is left to chance: counted once
        once = bounded(user, flow, len(zones), one.parameters)
        bounded = lambda *_: once  # noqa: E731
    margins = margins_of_cells(FLOWS, len(zones), positions)
    variance = published_variance(one.parameters.noise, scale)
    true = np.bincount(flow, minlength=len(zones) ** 2).astype(np.float64)
    while True:
        heard: dict[str, ModelSums] = {}

        def look(week: str, noisy: npt.NDArray[np.int64], into: dict[str, ModelSums] = heard) -> None:
            if one.name == SMOOTHED:
                into[week] = ModelSums.from_noisy_counts(noisy, margins, variance)

        rows = rows_of_weeks(settled, plan, bounded, steps.noise, heard=look)
        ends = [np.searchsorted(trips.zones, rows.cell[end]) for end in ("origin", "destination")]
        ratio = clip_ratio(one.parameters, rows.totals[week]) if rows.totals else 1.0
        read = rows.count * ratio
        if one.name == AGREED:
            published = PublishedLevels(zones=tuple(zones), levels=levels, sums=rows.sums)
            added = agreed_weeks(published, scale)[week].added
            read = (rows.count + added[pairs_of_cells(levels[0], *ends)]) * ratio
        if one.name == SMOOTHED:
            place = np.searchsorted(FLOWS.all_cells(len(zones)), FLOWS.cell_of(tuple(ends), 0, len(zones)))
            noisy = np.full(margins.n_cells, np.nan)
            noisy[place] = rows.count
            read = heard[week].smoothed(noisy, margins, variance)[place] * ratio
        yield _judged(true, np.ravel_multi_index(tuple(ends), (len(zones),) * 2), read)


def group_of(trips: UniqueTrips, n_users: int) -> UniqueTrips:
    """Return the trips of so many users of the random order, in the busiest week."""
    place = trips.busiest_week
    part = slice(int(trips.week_starts[place]), int(trips.week_starts[place + 1]))
    inside = trips.user_rank[trips.user[part]] < n_users
    return replace(
        trips,
        weeks=(trips.weeks[place],),
        week_starts=np.array([0, inside.sum()]),
        user=trips.user[part][inside],
        flow=trips.flow[part][inside],
        trip_rank=trips.trip_rank[part][inside],
    )


def _judged(true: Floats, cell: npt.NDArray[np.int64], read: Floats) -> tuple[float, float]:
    close = np.abs(read - true[cell]) <= 0.1 * true[cell] + 1e-9
    square = float((true**2).sum() + ((read - true[cell]) ** 2 - true[cell] ** 2).sum())
    n = np.union1d(np.flatnonzero(true), cell).size
    return float(true[cell][close].sum() / true.sum()), square / n


def compared(
    sample: str,
    trips: UniqueTrips,
    levels: tuple[Level, ...],
    positions: ZonePositions | None,
    epsilon: float,
    draws: int,
    seed: int = 1,
    steps: Sequence[str] = (),
) -> None:
    """Print a line for each step, or for those named."""
    name = trips.weeks[trips.busiest_week]
    week: WeighedWeek = weighed_week_from_unique_trips(trips, week=name, levels=levels, positions=positions)
    found = combinations_from_weighed_week(week, CombinationRequest(epsilon=epsilon))
    print(f"{sample}, ε = {epsilon:g} per user-week, {draws} draws")
    for one in found:
        if steps and one.name not in steps:
            continue
        rng = np.random.default_rng(seed)
        drawn = drawn_use(trips, one, name, levels, rng, positions=positions)
        figures = np.array([next(drawn) for _ in range(draws)])
        mean, error = figures.mean(axis=0), figures.std(axis=0, ddof=1) / math.sqrt(draws)
        off = (np.array([one.within, one.rmse**2]) - mean) / error
        print(
            f"  {one.name:34} L {one.max_trips_per_user:4} threshold {one.threshold:4}  within 10%: expected {one.within:7.3%} "
            f"drawn {mean[0]:7.3%} ({off[0]:+5.1f} standard errors)  RMSE: expected {one.rmse:8.2f} drawn {math.sqrt(mean[1]):8.2f} "
            f"({off[1]:+5.1f})",
            flush=True,
        )


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("samples", nargs="*", default=["city"])
    arguments.add_argument("--draws", type=int, default=200)
    arguments.add_argument("--users", type=int, help="of a sample, to save time; default everybody")
    arguments.add_argument("--steps", nargs="*", default=[], help="such as 'gaussian, l2'; default all")
    arguments.add_argument("--epsilons", type=float, nargs="*", default=[0.1, 0.66])
    chosen = arguments.parse_args()
    for sample in chosen.samples:
        with Workspace() as workspace:
            dataset, zoning = sample_rows(sample, workspace)
            trips = trips_from_rows(dataset, zoning, seed=1)
        if not isinstance(trips, UniqueTrips):
            raise SystemExit(f"{sample} names no users.")
        try:
            levels = levels_from_zoning([OFFERED_LEVEL], zoning)
        except ParameterError:  # zones without positions
            levels = ()
        positions = positions_from_zone_map(trips.zones.tolist(), zoning.zone_map(trips.zones.tolist()))
        if chosen.users is not None:
            trips = group_of(trips, chosen.users)
        for epsilon in chosen.epsilons:
            compared(sample, trips, levels, positions, epsilon, chosen.draws, steps=chosen.steps)


if __name__ == "__main__":
    main()
