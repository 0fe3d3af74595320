"""The planner over law, clip, bound, threshold, total and levels: expected use against drawn releases, its choice by enumeration."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bench.planned_use import drawn_use
from privlab.checks import DataError, ParameterError
from privlab.dp.gaussian import GaussianParameters
from privlab.od.combining.combinations import (
    Combination,
    CombinationRequest,
    best_combination,
    combinations_from_weighed_week,
    combinations_of_least_epsilon,
)
from privlab.od.levels.levels import Level
from privlab.od.matrix import UniqueTrips
from privlab.od.planning.planner import EPSILONS
from privlab.od.smoothing.margins import ZonePositions
from privlab.od.weighing.mechanism_steps import AGREED, GAUSSIAN, SMOOTHED, TODAY, TOTAL, WEIGHTED
from privlab.od.weighing.weighed_week import WeighedWeek, weighed_week_from_unique_trips
from tests.od.by_hand import WEEK, trips_of

N_ZONES = 24
DISTRICTS = (Level(name="district", of=tuple(f"d{zone // 6}" for zone in range(N_ZONES))),)

PLACES = ZonePositions(  # a grid of 4 by 6
    lat=tuple(45 + zone // 6 / 100 for zone in range(N_ZONES)),
    lon=tuple(9 + zone % 6 / 100 for zone in range(N_ZONES)),
)


@pytest.fixture(scope="module")
def town() -> UniqueTrips:
    """3,000 people with 1 to 24 trips each among 24 zones; half of the 552 flows are used, those of low numbers most."""
    rng = np.random.default_rng(5)
    cells = np.array([o * N_ZONES + d for o in range(N_ZONES) for d in range(N_ZONES) if o != d])
    size = 1 / (1 + np.arange(N_ZONES))
    popular = np.array([size[cell // N_ZONES] * size[cell % N_ZONES] for cell in cells])
    popular[::2] = 0
    people = [
        rng.choice(cells, size=rng.integers(1, 25), replace=False, p=popular / popular.sum()).tolist()
        for _ in range(3000)
    ]
    return trips_of(people, range(N_ZONES))


@pytest.fixture(scope="module")
def week(town: UniqueTrips) -> WeighedWeek:
    return weighed_week_from_unique_trips(town, week=WEEK, levels=DISTRICTS, positions=PLACES)


@pytest.fixture(scope="module")
def steps(week: WeighedWeek) -> tuple[Combination, ...]:
    return combinations_from_weighed_week(week, CombinationRequest(epsilon=2.0))


def test_what_a_bound_leaves_against_hand() -> None:
    """Four trips of one user under L = 1: each is kept in a quarter of cases, or weighs ⌊1024/2⌋; one of another all."""
    trips = trips_of([[1, 2, 3, 4], [1]], range(5))
    found = weighed_week_from_unique_trips(trips, week=WEEK)
    assert found.people.tolist() == [2, 1, 1, 1]
    assert found.bounds == (1, 2, 3, 5)
    assert found.kept[0].tolist() == [1.25, 0.25, 0.25, 0.25]
    assert found.spread[0].tolist() == [0.1875] * 4
    assert found.weighted[0].tolist() == [1.5, 0.5, 0.5, 0.5]
    assert found.kept[-1].tolist() == found.weighted[-1].tolist() == [2, 1, 1, 1]
    assert found.capped_total == 5
    assert found.n_empty == 16


def test_expected_use_against_drawn_releases(town: UniqueTrips, steps: tuple[Combination, ...]) -> None:
    """40 releases of each step by the code that makes them: fresh choice, noise, total, sums, estimates.

    The mean of the draws is within five standard errors; what is expected of the smoothed counts has 32
    draws of their model in it, good to two thousandths.
    """
    assert [one.name for one in steps] == [TODAY, GAUSSIAN, WEIGHTED, TOTAL, AGREED, SMOOTHED]
    for one in steps:
        drawn = drawn_use(town, one, WEEK, DISTRICTS, np.random.default_rng(8), positions=PLACES)
        share, square = np.array([next(drawn) for _ in range(40)]).T
        error = share.std(ddof=1) / math.sqrt(40)
        assert one.within == pytest.approx(share.mean(), abs=5 * error + 0.002 * (one.name == SMOOTHED))
        spread = square.std(ddof=1) / math.sqrt(40)
        assert one.rmse**2 == pytest.approx(square.mean(), abs=5 * spread + 0.05 * square.mean())


def test_the_bound_and_threshold_of_today_are_the_best_by_enumeration(
    week: WeighedWeek, steps: tuple[Combination, ...]
) -> None:
    """Each bound on its own: none serves better, and a smaller threshold lets too many flows be made up."""
    request = CombinationRequest(epsilon=2.0)
    alone = []
    for row, bound in enumerate(week.bounds):
        one = replace(
            week,
            bounds=(bound,),
            kept=week.kept[row : row + 1],
            spread=week.spread[row : row + 1],
            weighted=week.weighted[row : row + 1],
            levels=(),
            with_levels=None,
        )
        alone.append({found.name: found for found in combinations_from_weighed_week(one, request)})
    for found in steps:
        if found.name in (TODAY, GAUSSIAN, WEIGHTED, TOTAL):
            best = max(one[found.name].within for one in alone if found.name in one)
            assert found.within == pytest.approx(
                best, abs=1e-3
            )  # bounds are compared with fewer noises of a total
            assert found.made_up_share <= request.max_made_up
            # Thresholds are tried in steps of a tenth: one step lower is too low.
            step = replace(request, threshold=max(int(found.threshold / 1.1) - 2, 0))
            (less,) = [one for one in combinations_from_weighed_week(week, step) if one.name == found.name]
            assert found.threshold == 1 or less.made_up_share > request.max_made_up
            assert less.within >= found.within


def test_every_step_keeps_the_promise(steps: tuple[Combination, ...]) -> None:
    for one in steps:
        promise = one.parameters.guarantee_parameters(1)
        assert promise.epsilon == one.epsilon == 2.0
        assert isinstance(promise, GaussianParameters) == (one.name != TODAY)
        assert one.delta == (0.0 if one.name == TODAY else 1e-6)
    assert best_combination(steps) == max(steps[:5], key=lambda one: one.within)
    assert best_combination(()) is None
    smoothed = replace(steps[-1], within=0.999)
    assert smoothed.name == SMOOTHED  # a column of the release with a total, and no release
    assert best_combination((*steps[:-1], smoothed)) == best_combination(steps)


def test_the_least_epsilon_for_a_use_is_least(week: WeighedWeek) -> None:
    request = CombinationRequest(epsilon=1.0)
    found = combinations_of_least_epsilon(week, request, 0.6)
    best = best_combination(found)
    assert best is not None
    assert best.within >= 0.6
    below = EPSILONS[EPSILONS.index(best.epsilon) - 1]
    less = best_combination(combinations_from_weighed_week(week, replace(request, epsilon=below)))
    assert less is None or less.within < 0.6
    assert combinations_of_least_epsilon(week, request, 1.0) == ()


def test_combinations_iv(town: UniqueTrips) -> None:
    with pytest.raises(ParameterError, match=r"^epsilon must be"):
        CombinationRequest(epsilon=0.0)
    with pytest.raises(ParameterError, match=r"^threshold must be"):
        CombinationRequest(epsilon=1.0, threshold=-1)
    with pytest.raises(DataError, match="Nobody in this group"):
        weighed_week_from_unique_trips(trips_of([[], [1]]), week=WEEK, group_size=1)
    wide = replace(town, zones=np.arange(1001))
    with pytest.raises(ParameterError, match="zones must make at most 1,000,000 cells"):
        weighed_week_from_unique_trips(wide, week=WEEK)
