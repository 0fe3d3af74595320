"""Releases of both kinds of noise on one frontier: risk against two other routes, use against draws, the choice against all bounds."""

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from dp_accounting.pld import privacy_loss_distribution as pld

from bench.planned_use import drawn_use
from privlab.checks import DataError, ParameterError
from privlab.dp.gaussian import UNITS
from privlab.dp.promise import guarantee_from_gaussian_parameters
from privlab.od.combining.combinations import Combination, CombinationRequest, step_law
from privlab.od.combining.planned_points import (
    NO_PUBLIC_ZONES,
    gaussian_points_from_weighed_week,
    planned_points_from_unique_trips,
)
from privlab.od.matrix import UniqueTrips
from privlab.od.planning.planner import (
    EPSILONS,
    Advice,
    advice_from_points,
    certain_share,
    points_from_unique_trips,
)
from privlab.od.planning.wishes_and_points import PlanPoint, PlanRequest
from privlab.od.releases.release_plan import SecureReleaseParameters, release_plan_from_parameters
from privlab.od.weighing.expected_counts import expected_within, totals_needed
from privlab.od.weighing.mechanism_steps import TOTAL, WEIGHTED, parameters_of_step
from privlab.od.weighing.weighed_week import WeighedWeek, week_with_like_cells, weighed_week_from_unique_trips
from tests.od.by_hand import WEEK, nobody_named, trips_of

WISH = PlanRequest(max_accuracy=0.7, min_utility=0.5)
N_ZONES = 16


@pytest.fixture(scope="module")
def town() -> UniqueTrips:
    """3,000 people with 1 to 16 trips each among 16 zones, those of low numbers most."""
    rng = np.random.default_rng(5)
    cells = np.array([o * N_ZONES + d for o in range(N_ZONES) for d in range(N_ZONES) if o != d])
    popular = 1 / (1.0 + np.arange(cells.size))
    people = [
        rng.choice(cells, size=rng.integers(1, 17), replace=False, p=popular / popular.sum()).tolist()
        for _ in range(3000)
    ]
    return trips_of(people, range(N_ZONES))


@pytest.fixture(scope="module")
def week(town: UniqueTrips) -> WeighedWeek:
    return weighed_week_from_unique_trips(town, week=WEEK)


@pytest.fixture(scope="module")
def points(week: WeighedWeek) -> tuple[PlanPoint, ...]:
    return gaussian_points_from_weighed_week(week, WISH)


@pytest.fixture(scope="module")
def advice(town: UniqueTrips) -> Advice:
    return advice_from_points(planned_points_from_unique_trips(town, WISH, week=WEEK, is_public=True), WISH)


def apart_of(point: PlanPoint) -> float:
    """Return how far the worst placed moves all counts of a week, in standard deviations of the noise."""
    # A total counts whole units of 1/1024 for each of 100 trips.
    bound = point.max_trips_per_user
    units = round(UNITS * math.sqrt(point.total_share * bound) / 100)
    return math.sqrt(bound + (units * 100 / UNITS) ** 2) / (point.sigma / UNITS)


def test_the_risk_of_four_weeks_against_the_normal_law(
    week: WeighedWeek, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four weeks with the same noise move all counts twice as far."""
    monkeypatch.setattr("privlab.od.combining.planned_points.EPSILONS", (0.5,))
    found = gaussian_points_from_weighed_week(week, replace(WISH, weeks=4))
    assert {point.mechanism for point in found} == {WEIGHTED, TOTAL}
    for point in found:
        assert point.accuracy == pytest.approx(scipy.stats.norm.cdf(2 * apart_of(point) / 2), abs=1e-4)


def test_the_risk_of_gaussian_points_against_two_other_routes(points: tuple[PlanPoint, ...]) -> None:
    """The normal law, Φ(norm/2σ), and dp-accounting's loss of as many weeks at ε = 0; the promise kept, and no σ wasted."""
    for point in points[::29]:
        apart = apart_of(point)
        assert point.accuracy == pytest.approx(scipy.stats.norm.cdf(apart / 2), abs=1e-4)
        loss = pld.from_gaussian_mechanism(1 / apart, value_discretization_interval=1e-3)
        assert loss.get_delta_for_epsilon(point.epsilon) == pytest.approx(1e-6, rel=0.05)
        assert point.accuracy == pytest.approx(0.5 + loss.get_delta_for_epsilon(0.0) / 2, abs=1e-3)
        four_weeks = certain_share(point, 4, 0.95)
        mean = 4 * apart**2 / 2
        assert four_weeks == pytest.approx(
            scipy.stats.norm.sf(math.log(19), mean, math.sqrt(2 * mean)), abs=2e-4
        )
    assert certain_share(points[-1], 1, 1.0) == 0


def test_what_the_limit_leaves_out_against_hand(town: UniqueTrips, points: tuple[PlanPoint, ...]) -> None:
    """Whoever makes T trips keeps ⌊1024·√(L/T)⌋ units of 1/1024 of each, at most 1024: the rest of all trips is left out."""
    n_trips = np.bincount(town.user)
    for point in points[::29]:
        units = np.minimum(np.floor(1024 * np.sqrt(point.max_trips_per_user / n_trips)), 1024)
        assert point.clipped == pytest.approx(1 - (units * n_trips).sum() / 1024 / n_trips.sum(), abs=1e-9)
    assert max(point.clipped for point in points) > 0.1


def test_each_epsilon_has_the_best_of_all_bounds_against_enumeration(
    week: WeighedWeek, points: tuple[PlanPoint, ...]
) -> None:
    for name in (WEIGHTED, TOTAL):
        for epsilon in EPSILONS[20::9]:
            found = [one for one in points if (one.mechanism, one.epsilon) == (name, epsilon)]
            every = []
            for row in range(len(week.bounds)):
                law = step_law(week, CombinationRequest(epsilon=epsilon), name, row)
                assert law is not None
                every.append(expected_within(week.people, law[1], 0.1, n_totals=31))
            assert max(one.utility for one in found) == pytest.approx(max(every), abs=2e-4)


def test_the_use_of_the_recommended_release_shows_in_draws(town: UniqueTrips, advice: Advice) -> None:
    """60 releases by the code that makes them: the mean share within 10% is what was expected, within five standard errors."""
    best = advice.recommended
    assert best is not None
    assert best.noise == "gaussian"
    parameters = parameters_of_step(
        best.mechanism,
        epsilon=best.epsilon,
        delta=best.delta,
        bound=best.max_trips_per_user,
        threshold=best.threshold,
    )
    assert (parameters.noise, parameters.clip) == (best.noise, best.clip)
    assert parameters.total_share == best.total_share
    one = Combination(
        name=best.mechanism, parameters=parameters, within=0, rmse=0, made_up_share=0, noise_deviation=0
    )
    drawn = drawn_use(town, one, WEEK, (), np.random.default_rng(8))
    share = np.array([next(drawn)[0] for _ in range(60)])
    assert best.utility == pytest.approx(share.mean(), abs=5 * share.std(ddof=1) / math.sqrt(60))


def test_gaussian_noise_is_proposed_where_it_is_better_and_integer_noise_is_as_before(
    town: UniqueTrips, advice: Advice
) -> None:
    """The risk above a coin is less than with the best integer noise of that use; who asks for integer noise gets what it always was."""
    before = points_from_unique_trips(town, WISH, week=WEEK)
    asked = replace(WISH, noise="integer")
    assert planned_points_from_unique_trips(town, asked, week=WEEK, is_public=True) == before
    assert set(before) < set(advice.points)
    integer = advice_from_points(before, WISH).recommended
    best = advice.recommended
    assert best is not None
    assert integer is not None
    assert best.accuracy - 0.5 < 0.85 * (integer.accuracy - 0.5)
    assert best.utility >= WISH.min_utility
    assert f"The release: Gaussian noise{' and a total' * (best.mechanism == TOTAL)}, ε =" in advice.statement
    assert advice.statement.endswith(" ε of a user's week has δ = 10⁻⁶ beside it.")
    assert all(one.mechanism == best.mechanism for one in advice.neighbours)
    same = [one for one in advice.points if (one.mechanism, one.epsilon) == (best.mechanism, best.epsilon)]
    assert best.utility == max(one.utility for one in same)  # which bound hardly moves the risk


def test_people_with_one_trip_each_against_hand() -> None:
    """One trip each: nothing is clipped, whatever the bound, so L = 1 has the least noise and weights leave all."""
    trips = trips_of([[1]] * 4000 + [[2]] * 2000, range(5))
    week = weighed_week_from_unique_trips(trips, week=WEEK)
    found = gaussian_points_from_weighed_week(week, replace(WISH, max_made_up=0.05))
    assert {one.max_trips_per_user for one in found} == {1}
    assert {one.clipped for one in found} == {0}
    one = next(point for point in found if (point.mechanism, point.epsilon) == (WEIGHTED, 1.0))
    sigma = one.sigma / UNITS
    # 3,600…4,400 of 4,000 people and 1,800…2,200 of 2,000, rounded.
    chance = [math.erf((0.1 * people + 0.5) / sigma / math.sqrt(2)) for people in (4000, 2000)]
    assert one.utility == pytest.approx((4000 * chance[0] + 2000 * chance[1]) / 6000, abs=1e-12)
    assert one.made_up == pytest.approx(18 * scipy.stats.norm.sf((one.threshold - 0.5) / sigma), rel=1e-3)


def test_cells_put_together_are_worth_what_they_are_one_by_one(
    week: WeighedWeek, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = week_with_like_cells(week, 2)
    assert alone.times is None
    monkeypatch.setattr("privlab.od.weighing.weighed_week._FEW_CELLS", 0)
    together = week_with_like_cells(week, 2)
    assert together.times is not None
    assert together.times.sum() == week.people.size > together.times.size
    assert together.n_empty == week.n_empty
    assert together.people @ together.times == pytest.approx(week.people.sum(), rel=2e-3)
    for name in (WEIGHTED, TOTAL):
        for epsilon in (0.5, 2.0, 8.0):
            both = [step_law(one, CombinationRequest(epsilon=epsilon), name, 0) for one in (alone, together)]
            use = [
                expected_within(one.people, law[1], 0.1, n_totals=31)
                for one, law in zip((alone, together), both, strict=True)
                if law is not None
            ]
            assert use[1] == pytest.approx(use[0], abs=3e-3)


def test_what_a_limit_takes_of_cells_put_together_is_what_it_takes_of_each(
    week: WeighedWeek, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = PlanRequest(max_accuracy=0.6, min_utility=0.8, noise="gaussian")
    alone = gaussian_points_from_weighed_week(week, request)
    monkeypatch.setattr("privlab.od.weighing.weighed_week._FEW_CELLS", 0)
    together = gaussian_points_from_weighed_week(week, request)
    taken = {one.max_trips_per_user: one.clipped for one in alone}
    assert max(taken.values()) > 0.1
    for one in together:
        if one.max_trips_per_user in taken:
            assert one.clipped == pytest.approx(taken[one.max_trips_per_user], abs=5e-3)


def test_one_noise_on_the_total_stands_for_many_where_it_hardly_matters(week: WeighedWeek) -> None:
    needed = set()
    many_people = replace(
        week, people=week.people * 20, weighted=week.weighted * 20, capped_total=week.capped_total * 20
    )
    for one in (week, many_people):
        found = step_law(one, CombinationRequest(epsilon=2.0, threshold=1), TOTAL, 3)
        assert found is not None
        n = totals_needed(found[1], 0.1)
        needed.add(n)
        many = expected_within(one.people, found[1], 0.1, n_totals=301)
        assert expected_within(one.people, found[1], 0.1, n_totals=n) == pytest.approx(
            many, abs=2e-4 if n == 1 else 5e-3
        )
    assert needed == {1, 31}


def test_flows_found_in_the_data_are_planned_with_a_threshold_that_costs_nothing_more(
    town: UniqueTrips,
) -> None:
    """Nothing can be made up; alone in all L cells, someone shows in one with at most δ, by the normal law; one threshold less is not enough."""
    wish = replace(WISH, noise="gaussian", cells="discovered")
    points = planned_points_from_unique_trips(town, wish, week=WEEK, is_public=False)
    assert len(points) > 40
    for one in points[::7]:
        assert (one.cells, one.made_up, one.delta, one.mechanism) == ("discovered", 0.0, 1e-6, WEIGHTED)
        lone = scipy.stats.norm.sf((UNITS * (one.threshold - 1.5) - 0.5) / one.sigma)
        assert one.max_trips_per_user * lone <= 1e-6
        plan = release_plan_from_parameters(
            SecureReleaseParameters(
                epsilon=one.epsilon,
                max_trips_per_user=one.max_trips_per_user,
                threshold=one.threshold,
                cells="discovered",
                noise="gaussian",
                clip="l2",
                delta=1e-6,
            ),
            weeks=[WEEK],
            zones_spec="column",
            public_zones=None,
        )
        assert plan.delta == pytest.approx(1e-6)
        assert plan.guarantee.user is not None
        assert one.accuracy == pytest.approx(plan.guarantee.user.optimal_accuracy)
        less = replace(plan.parameters, threshold=one.threshold - 1).guarantee_parameters(1)
        assert guarantee_from_gaussian_parameters(less).user_week.delta > 1e-6  # type: ignore[arg-type, union-attr]
    both = planned_points_from_unique_trips(town, replace(wish, noise="any"), week=WEEK, is_public=False)
    advice = advice_from_points(both, replace(wish, noise="any"))
    assert advice.recommended is not None
    assert advice.recommended.noise == "gaussian"
    assert "nothing more for publishing only flows found in the data" in advice.statement


def test_where_gaussian_noise_cannot_be_had_the_plan_is_of_integer_noise(town: UniqueTrips) -> None:
    before = points_from_unique_trips(town, WISH, week=WEEK)
    assert planned_points_from_unique_trips(town, WISH, week=WEEK, is_public=False) == before
    only = replace(WISH, noise="gaussian")
    with pytest.raises(DataError) as error:
        planned_points_from_unique_trips(town, only, week=WEEK, is_public=False)
    assert str(error.value) == NO_PUBLIC_ZONES
    with pytest.raises(DataError, match="does not say whose trips"):
        planned_points_from_unique_trips(nobody_named(), WISH, week=WEEK, is_public=True)
    with pytest.raises(ParameterError, match=r"^noise must be one of"):
        replace(WISH, noise="laplace")
