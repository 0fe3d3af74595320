"""One draw of a step, as the page Release shows it: against the code of a release with the same chance, and against what is expected."""

import math

import numpy as np
import pytest
from scipy.stats import dlaplace, norm

from bench.planned_use import drawn_use
from privlab.checks import DataError, ParameterError
from privlab.od.comparing import (
    SimulatedStep,
    StepRequest,
    counted_step_from_unique_trips,
    simulated_step_from_counted_step,
    simulated_step_from_unique_trips,
)
from privlab.od.matrix import UniqueTrips
from privlab.od.weighing import FOUND_STEPS, STEPS
from privlab.od.weighing.mechanism_steps import AGREED, GAUSSIAN, TODAY, TOTAL, WEIGHTED
from privlab.seeds import generator
from tests.od.by_hand import WEEK, trips_of
from tests.od.combining.test_combinations import DISTRICTS, N_ZONES, town

__all__ = ["town"]  # the fixture


def step(
    trips: UniqueTrips, name: str, seed: int = 1, threshold: int = 5, bound: int = 5, cells: str = "public"
) -> SimulatedStep:
    places = np.full(trips.zones.size, np.nan)
    return simulated_step_from_unique_trips(
        trips,
        StepRequest(name=name, epsilon=2.0, max_trips_per_user=bound, threshold=threshold, cells=cells),
        week=WEEK,
        levels=DISTRICTS if trips.zones.size == N_ZONES else (),
        lat=places,
        lon=places,
        seed=seed,
    )


@pytest.mark.parametrize("name", [name for name in STEPS if "l2" in name])
def test_a_draw_is_that_of_a_release_with_the_same_chance(town: UniqueTrips, name: str) -> None:
    """The same numbers from the same generator through the release's own rows, totals, sums and estimates."""
    found = step(town, name)
    drawn = drawn_use(town, found.expected, WEEK, DISTRICTS, generator(1, "release noise"))
    within, square = next(drawn)
    assert found.within == pytest.approx(within, abs=1e-12)
    assert found.review.utility.rmse**2 == pytest.approx(square, rel=1e-9)
    assert (found.total is None) == ("unbiased" not in name)


@pytest.mark.parametrize("name", [TODAY, GAUSSIAN])
def test_the_mean_of_draws_is_what_is_expected(town: UniqueTrips, name: str) -> None:
    """20 draws, five standard errors. Which trips a limit keeps is drawn once: its own spread over the choice is small beside."""
    drawn = [step(town, name, seed=seed) for seed in range(20)]
    share = np.array([one.within for one in drawn])
    error = share.std(ddof=1) / math.sqrt(20)
    assert drawn[0].expected.within == pytest.approx(share.mean(), abs=5 * error + 0.01)


@pytest.mark.parametrize("name", FOUND_STEPS)
def test_of_flows_found_in_the_data_nothing_is_made_up(town: UniqueTrips, name: str) -> None:
    """Noise goes to as many flows as there are; what is published of each is as expected, over 20 draws, five standard errors."""
    drawn = [step(town, name, seed=seed, threshold=8, cells="discovered") for seed in range(20)]
    first = drawn[0].review
    assert first.utility.cells_spurious == 0
    assert first.release.n_cells <= first.flows.true.size
    assert drawn[0].expected.made_up_share == 0
    share = np.array([one.within for one in drawn])
    assert drawn[0].expected.within == pytest.approx(
        share.mean(), abs=5 * share.std(ddof=1) / math.sqrt(20) + 0.01
    )
    with pytest.raises(ParameterError, match="threshold must be at least 1"):
        step(town, name, threshold=0, cells="discovered").expected.parameters.guarantee_parameters(1)


def test_the_promise_of_a_draw_has_the_delta_of_found_flows_too(town: UniqueTrips) -> None:
    """docs/science.md, section 2.6: someone alone in L = 5 flows shows in each with the chance that 1 and the noise of scale L/ε reach τ = 8."""
    alpha = math.exp(-2 / 5)
    assert step(town, TODAY, threshold=8).delta == 0
    assert step(town, TODAY, threshold=8, cells="discovered").delta == pytest.approx(
        5 * alpha**7 / (1 + alpha), rel=1e-9
    )
    assert step(town, WEIGHTED, threshold=8).delta == pytest.approx(1e-6)
    assert step(town, WEIGHTED, threshold=8, cells="discovered").delta > 0.9  # of up to 1,000 flows


@pytest.mark.parametrize("name", FOUND_STEPS)
def test_flows_of_which_a_limit_leaves_nothing_keep_their_true_counts(name: str) -> None:
    """Under L = 1 most of everybody's own flows are not among those found; each still has the one person who made it."""
    trips = trips_of([[n, 39 - n, 11] for n in range(2, 20, 2)], range(50))
    found = step(trips, name, bound=1, threshold=1, cells="discovered").review
    people = dict(zip(found.flows.flow.tolist(), found.flows.true.tolist(), strict=True))
    assert people == dict.fromkeys({*range(2, 20, 2), *range(37, 19, -2)}, 1.0) | {11: 9.0}
    counted = {flow: left for flow, left in zip(found.flows.flow, found.flows.bounded, strict=True) if left}
    if name == TODAY:
        assert sum(counted.values()) == 9  # a trip of each
        assert len(counted) < len(people)


def test_without_noise_to_speak_of_a_total_gives_back_what_the_limit_takes() -> None:
    """Four people with four trips each under L = 1, the same four: weights of ½ halve every count, a total doubles it."""
    trips = trips_of([[1, 2, 3, 4]] * 400, range(5))
    request = StepRequest(name=TOTAL, epsilon=20.0, max_trips_per_user=1, threshold=1)
    places = np.zeros(5)
    found = simulated_step_from_unique_trips(trips, request, week=WEEK, lat=places, lon=places, seed=1)
    plain = step(trips, "gaussian, l2", bound=1, threshold=1)
    assert found.total is not None
    assert found.total.trips == pytest.approx(1600, rel=0.02)
    assert plain.review.flows.bounded[:4].tolist() == [200] * 4
    assert found.review.flows.bounded.sum() == pytest.approx(1600, rel=0.05)
    assert found.review.flows.published[:4] == pytest.approx(400, rel=0.05)


def test_what_cannot_be_drawn_is_said(town: UniqueTrips) -> None:
    with pytest.raises(ParameterError, match="mechanism must be one of"):
        StepRequest(name="laplace", epsilon=1.0, max_trips_per_user=3, threshold=1)
    with pytest.raises(ParameterError, match="mechanism must be one without sums of districts"):
        step(trips_of([[1]], range(3)), AGREED)
    with pytest.raises(
        DataError,
        match=r"Nobody in this group of \d+ made a trip in the week of .* Take a larger group, or another week",
    ):
        simulated_step_from_unique_trips(
            trips_of([[], [1]]),
            StepRequest(name=TOTAL, epsilon=1.0, max_trips_per_user=3, threshold=1),
            week=WEEK,
            group_size=1,
            lat=np.zeros(3),
            lon=np.zeros(3),
            seed=1,
        )


@pytest.mark.parametrize("name", STEPS)
def test_what_is_counted_once_serves_every_epsilon_and_threshold(town: UniqueTrips, name: str) -> None:
    """Counted for one ε and drawn for others, it is what is counted and drawn anew for each: trip for trip, figure for figure."""
    places = np.full(town.zones.size, np.nan)
    first = StepRequest(name=name, epsilon=1.0, max_trips_per_user=2, threshold=1)
    counted = counted_step_from_unique_trips(town, first, week=WEEK, levels=DISTRICTS, seed=3)
    for epsilon, threshold in ((0.5, 7), (8.0, 0), (0.5, 7)):  # the last again: a draw uses up nothing
        asked = StepRequest(name=name, epsilon=epsilon, max_trips_per_user=2, threshold=threshold)
        drawn = simulated_step_from_counted_step(
            counted, asked, town.zones, week=WEEK, lat=places, lon=places
        )
        anew = simulated_step_from_unique_trips(
            town, asked, week=WEEK, levels=DISTRICTS, lat=places, lon=places, seed=3
        )
        assert drawn.review.release.flow.tolist() == anew.review.release.flow.tolist()
        assert drawn.review.release.count.tolist() == anew.review.release.count.tolist()
        assert drawn.expected == anew.expected
        assert drawn.review.utility == pytest.approx(anew.review.utility, nan_ok=True)
        assert drawn.total == anew.total


def test_the_noise_that_is_said_is_that_of_95_flows_in_100_by_the_normal_law(town: UniqueTrips) -> None:
    """Of Gaussian noise, rounded to whole trips: from ±w on it lies beyond 2Φ(−(w + ½)/σ) of the time."""
    found = step(town, WEIGHTED)
    sigma = found.expected.parameters.guarantee_parameters(1).sigma / 1024
    assert 2 * norm.cdf(-(found.half_width + 0.5) / sigma) <= 0.05
    assert 2 * norm.cdf(-(found.half_width - 1.5) / sigma) > 0.05  # and no wider than that


@pytest.mark.parametrize(("epsilon", "bound"), [(1.0, 10), (0.66, 5), (8.0, 2)])
def test_integer_noise_that_is_said_is_that_of_95_flows_in_100_by_its_own_law(
    town: UniqueTrips, epsilon: float, bound: int
) -> None:
    """P(|x| > w) = 2·a^(w+1)/(1+a) for a = e^(−ε/L), from SciPy: with ε = 1 and L = 10 it is ±30; by its deviation it would be ±28, of 94.2%."""
    asked = StepRequest(name=TODAY, epsilon=epsilon, max_trips_per_user=bound, threshold=1)
    places = np.full(town.zones.size, np.nan)
    wide = simulated_step_from_unique_trips(town, asked, week=WEEK, lat=places, lon=places, seed=1).half_width
    law = dlaplace(epsilon / bound)
    assert law.cdf(wide) - law.cdf(-wide - 1) >= 0.95
    assert law.cdf(wide - 1) - law.cdf(-wide) < 0.95  # and no wider than that


def test_near_the_truth_is_as_near_as_was_asked_for(town: UniqueTrips) -> None:
    """The drawn share by hand from the counts themselves, and what was expected of it over 20 draws, for 10 and for 40%."""
    places = np.full(town.zones.size, np.nan)
    for tolerance in (0.1, 0.4):
        asked = StepRequest(
            name=WEIGHTED, epsilon=2.0, max_trips_per_user=5, threshold=5, tolerance=tolerance
        )
        drawn = [
            simulated_step_from_unique_trips(town, asked, week=WEEK, lat=places, lon=places, seed=seed)
            for seed in range(20)
        ]
        flows = drawn[0].review.flows
        near = [
            true
            for true, seen in zip(flows.true.tolist(), flows.published.tolist(), strict=True)
            if abs(seen - true) <= tolerance * true + 1e-9
        ]
        assert drawn[0].within == pytest.approx(sum(near) / flows.true.sum())
        share = np.array([one.within for one in drawn])
        assert drawn[0].expected.within == pytest.approx(
            share.mean(), abs=5 * share.std(ddof=1) / math.sqrt(20) + 0.01
        )
