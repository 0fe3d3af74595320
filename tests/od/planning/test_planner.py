"""The planner: its figures against enumeration and drawn noise, its choice against the definition."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.checks import DataError, ParameterError
from privlab.dp.attack.exact_accuracy import integer_accuracy_from_epsilon
from privlab.od.matrix import UniqueTrips, od_matrix_from_unique_trips
from privlab.od.planning.expected_utility import bounded_cells_from_unique_trips, expected_utility
from privlab.od.planning.mechanism_names import INTEGER
from privlab.od.planning.planner import (
    PlanPoint,
    PlanRequest,
    advice_from_points,
    advice_from_unique_trips,
    certainty_sentence,
    frontier_from_points,
    points_from_unique_trips,
)
from privlab.od.planning.wishes_and_points import gaussian_parameters_of_point
from privlab.progress import Progress
from tests.od.by_hand import WEEK, nobody_named, trips_of

GAUSSIAN = "gaussian, l2"


@pytest.fixture(scope="module")
def town() -> UniqueTrips:
    """2,000 people with 1 to 9 unique trips among 8 zones, the popular cells first."""
    rng = np.random.default_rng(6)
    popular = 1 / (1.0 + np.arange(56))
    cells = np.array([a * 8 + b for a in range(8) for b in range(8) if a != b])
    people = [
        rng.choice(cells, rng.integers(1, 10), replace=False, p=popular / popular.sum()) for _ in range(2000)
    ]
    return trips_of(people, range(8))


def test_bounded_counts_against_the_matrices(town: UniqueTrips) -> None:
    cells = bounded_cells_from_unique_trips(town, week=WEEK)
    assert cells.bounds == (1, 2, 3, 5, 7, 10)  # the last clips nobody
    full = od_matrix_from_unique_trips(town, week=WEEK)
    assert cells.true.tolist() == full.count.tolist()
    assert cells.n_empty == 56 - full.count.size
    for bound, counts in zip(cells.bounds, cells.bounded, strict=True):
        matrix = od_matrix_from_unique_trips(town, week=WEEK, max_trips_per_user=bound)
        expected = dict(zip(matrix.flow.tolist(), matrix.count.tolist(), strict=True))
        assert counts.tolist() == [expected.get(flow, 0) for flow in full.flow.tolist()]


def test_the_share_that_a_bound_leaves_out_is_of_all_trips_by_hand() -> None:
    """Four people make two trips, four others one of another flow: of twelve trips a bound of 1 leaves out four. Two flows are alike."""
    trips = trips_of([[1, 2]] * 4 + [[3]] * 4)
    points = points_from_unique_trips(trips, PlanRequest(max_accuracy=0.6, min_utility=0.8), week=WEEK)
    assert {point.max_trips_per_user for point in points} == {1, 2}
    told: list[str] = []
    words = Progress(lambda _, said: told.append(said))
    points_from_unique_trips(trips, PlanRequest(max_accuracy=0.6, min_utility=0.8), week=WEEK, progress=words)
    assert (
        "Trying every ε with a limit on trips per user of 1" in told
    )  # in words that fit one, which was “1 trips”
    for point in points:
        assert point.clipped == pytest.approx(1 / 3 if point.max_trips_per_user == 1 else 0)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(1, 60), st.integers(0, 60)), min_size=1, max_size=5),
    st.floats(0.1, 20),
    st.integers(0, 40),
    st.floats(0, 1),
)
def test_expected_utility_against_brute_force(
    pairs: list[tuple[int, int]], scale: float, threshold: int, tolerance: float
) -> None:
    true, bounded = (np.array(column, dtype=np.float64) for column in zip(*pairs, strict=True))
    values = np.arange(-2000, 2001)
    chance = scipy.stats.dlaplace.pmf(values, 1 / scale)
    total = 0.0
    for t, b in zip(true, bounded, strict=True):
        seen = b + values
        good = (np.abs(seen - t) <= tolerance * t + 1e-9) & ((seen >= threshold) | (threshold == 0))
        total += t * chance[good].sum()
    found = expected_utility(scale, threshold, true, bounded, np.ones(true.size), tolerance)
    assert found == pytest.approx(total / true.sum(), abs=1e-9)


def test_every_point_against_its_definition(town: UniqueTrips) -> None:
    advice = advice_from_unique_trips(town, PlanRequest(max_accuracy=0.7, min_utility=0.6), week=WEEK)
    assert len(advice.points) > 200
    for point in advice.points[::37]:
        bound = point.max_trips_per_user
        curve = integer_accuracy_from_epsilon(point.epsilon / bound, bound)
        assert point.accuracy == pytest.approx(curve[bound], abs=1e-12)
        assert 0 <= point.utility <= 1
        assert 0 <= point.clipped < 1
    assert all(point.clipped == 0 for point in advice.points if point.max_trips_per_user == 10)


def test_recommendation_keeps_both_wishes_and_its_utility_shows_in_draws(town: UniqueTrips) -> None:
    request = PlanRequest(max_accuracy=0.7, min_utility=0.6)
    advice = advice_from_unique_trips(town, request, week=WEEK)
    best = advice.recommended
    assert best is not None
    assert best in advice.feasible
    assert best.accuracy == min(point.accuracy for point in advice.feasible)
    assert 2 <= len(advice.neighbours) <= 4
    # Draw the release 4,000 times: the mean share of trips within 10% is what was expected.
    cells = bounded_cells_from_unique_trips(town, week=WEEK)
    bounded = cells.bounded[cells.bounds.index(best.max_trips_per_user)]
    chance = 1 - np.exp(-best.epsilon / best.max_trips_per_user)
    rng = np.random.default_rng(3)
    noise = rng.geometric(chance, (4000, bounded.size)) - rng.geometric(chance, (4000, bounded.size))
    seen = bounded + noise
    good = (np.abs(seen - cells.true) <= 0.1 * cells.true) & (seen >= best.threshold)
    shares = good @ cells.true / cells.true.sum()
    assert abs(shares.mean() - best.utility) < 6 * shares.std() / np.sqrt(shares.size)


def chance_above(point: PlanPoint, weeks: int, above: float) -> float:
    """The greatest chance over everybody with at most L·W cells, by the law of how many are right."""
    loss, worst = point.epsilon / point.max_trips_per_user, 0.0
    for n in range(point.max_trips_per_user * weeks + 1):
        right = np.arange(n + 1)
        over = (2 * right - n) * loss > np.log(above / (1 - above))
        worst = max(worst, scipy.stats.binom.pmf(right, n, 1 / (1 + np.exp(-loss)))[over].sum())
    return float(worst)


def test_a_wish_on_certainty_is_kept_against_enumeration(town: UniqueTrips) -> None:
    free = advice_from_unique_trips(town, PlanRequest(max_accuracy=0.8, min_utility=0.6), week=WEEK)
    wish = PlanRequest(max_accuracy=0.8, min_utility=0.6, max_certainty=0.75, max_cases=0.2)
    advice = advice_from_unique_trips(town, wish, week=WEEK)
    kept = {point for point in free.feasible if chance_above(point, 1, 0.75) <= 0.2}
    assert set(advice.feasible) == kept
    assert 0 < len(kept) < len(free.feasible)
    assert advice.recommended in kept
    strict = PlanRequest(max_accuracy=0.8, min_utility=0.6, max_certainty=0.51, max_cases=0.0)
    refused = advice_from_unique_trips(town, strict, week=WEEK)
    assert refused.recommended is None
    assert refused.statement.startswith("Nothing satisfies all wishes.")
    assert refused.recommendation.startswith(
        "No plan that the lab could recommend: nothing satisfies all wishes."
    )
    assert "more than 51% certain in" in refused.statement


def test_a_plan_within_sixty_per_cent_says_the_certainty_too() -> None:
    """ε = 5.08, L = 100: right in 60.0% on average, yet more than 75% certain in 3.2 to 3.5% of cases."""
    point = PlanPoint(
        epsilon=5.08, max_trips_per_user=100, threshold=100,
        accuracy=0.59997, utility=0.9, clipped=0.0, made_up=0.0,
    )  # fmt: skip
    advice = advice_from_points((point,), PlanRequest(max_accuracy=0.6, min_utility=0.8))
    worst = chance_above(point, 1, 0.75)
    assert worst >= 0.031978
    assert "Nobody is guessed right in more than 60.0% of cases (a coin: 50%)" in advice.statement
    assert f"more than 75% certain in at most {np.ceil(1000 * worst) / 10:.1f}% of cases" in advice.statement
    assert advice.recommendation.startswith(
        "The plan that the lab would recommend: integer noise, ε = 5.08, at most 100 trips per user and week and the threshold 100. "
        "Under that plan nobody would be guessed right in more than 60.0% of cases (a coin: 50%), and 90.0% of all trips would be "
    )
    asked = PlanRequest(max_accuracy=0.6, min_utility=0.8, max_certainty=0.75, max_cases=0.03)
    assert advice_from_points((point,), asked).recommended is None
    more = PlanRequest(max_accuracy=0.6, min_utility=0.95, max_certainty=0.75, max_cases=0.05)
    assert (
        "in more than 60.0% of cases (a coin: 50%), nor known with more than 75% certainty in more than 5.0% of cases, at most 90.0% of"
        in advice_from_points((point,), more).statement
    )


def test_wishes_on_certainty_iv() -> None:
    with pytest.raises(
        ParameterError, match=r"^max_certainty and max_cases must be given together, got max_c"
    ):
        PlanRequest(max_accuracy=0.6, min_utility=0.5, max_certainty=0.9)
    with pytest.raises(ParameterError, match=r"^max_cases must be between 0 and 1, got 5\.$"):
        PlanRequest(max_accuracy=0.6, min_utility=0.5, max_certainty=0.9, max_cases=5)


def test_a_plan_of_discovered_cells_keeps_delta_against_the_formula(town: UniqueTrips) -> None:
    """δ ≤ LW·a^{τ−1}/(1+a), a = e^{−ε/L}, is at most 10⁻⁶ everywhere, and nothing can be made up."""
    wish = PlanRequest(max_accuracy=0.8, min_utility=0.1, weeks=2, cells="discovered")
    points = points_from_unique_trips(town, wish, week=WEEK)
    assert points
    for one in points:
        a = np.exp(-one.epsilon / one.max_trips_per_user)
        delta = 2 * one.max_trips_per_user * a ** (one.threshold - 1) / (1 + a)
        assert one.delta == pytest.approx(delta, rel=1e-9)
        assert delta <= 1e-6 * (1 + 1e-9)
        assert one.made_up == 0
    best = min(points, key=lambda one: one.accuracy)
    assert "a chance of" in advice_from_points((best,), replace(wish, min_utility=0)).statement
    public = points_from_unique_trips(town, replace(wish, cells="public"), week=WEEK)
    assert {one.delta for one in public} == {0}
    with pytest.raises(ParameterError, match=r"^cells must be one of"):
        PlanRequest(max_accuracy=0.6, min_utility=0.5, cells="some")


def test_refusal_says_what_could_be_had(town: UniqueTrips) -> None:
    advice = advice_from_unique_trips(town, PlanRequest(max_accuracy=0.51, min_utility=0.99), week=WEEK)
    assert advice.recommended is None
    assert advice.neighbours == advice.feasible == ()
    assert advice.statement.startswith(
        "Nothing satisfies both wishes. Where nobody is guessed right in more than 51.0% of cases (a coin: 50%) at most "
    )
    assert advice.best_allowed is not None
    assert advice.best_allowed.utility < 0.99
    assert advice.least_risky is None or advice.least_risky.accuracy > 0.51


def test_where_nothing_is_left_what_another_release_keeps_is_of_trips() -> None:
    """Eight flows of six people each: no share of trips was named before that "of them there" could mean."""
    flows = [(home * 5 + 4, 20 + home) for home in range(4)]
    trips = trips_of([list(flows[one % 4]) for one in range(24)], range(5))
    said = advice_from_unique_trips(
        trips, PlanRequest(max_accuracy=0.6, min_utility=0.8, cells="discovered"), week=WEEK
    ).statement
    assert (
        "nothing useful is left of any release tried. Another release does keep 80.0% of all trips in flows within 10% of the truth: "
        in said
    )


def test_wishes_move_the_advice_one_way(town: UniqueTrips) -> None:
    accuracies = []
    for utility in (0.2, 0.4, 0.6, 0.8):
        advice = advice_from_unique_trips(town, PlanRequest(max_accuracy=1, min_utility=utility), week=WEEK)
        assert advice.recommended is not None
        accuracies.append(advice.recommended.accuracy)
    assert accuracies == sorted(accuracies)
    year = advice_from_unique_trips(town, PlanRequest(max_accuracy=1, min_utility=0.6, weeks=52), week=WEEK)
    assert year.recommended is not None
    assert year.recommended.accuracy > accuracies[2]


def test_made_up_cells_stay_rare() -> None:
    # One busy flow in 200 zones: 39,799 empty cells, of which at most 1% of what is published may show.
    trips = UniqueTrips(
        zones=np.arange(200),
        weeks=(WEEK,),
        week_starts=np.array([0, 5000]),
        user=np.arange(5000, dtype=np.int32),
        flow=np.ones(5000, dtype=np.int64),
        trip_rank=np.zeros(5000, dtype=np.int32),
        user_rank=np.arange(5000, dtype=np.int32),
        n_trips=5000,
    )
    advice = advice_from_unique_trips(trips, PlanRequest(max_accuracy=0.8, min_utility=0.9), week=WEEK)
    best = advice.recommended
    assert best is not None
    assert best.made_up <= 0.011
    law = scipy.stats.dlaplace(best.epsilon / best.max_trips_per_user)
    assert best.made_up == pytest.approx(39_799 * law.sf(best.threshold - 1), rel=1e-9)


def test_a_group_is_planned_as_if_it_were_all(town: UniqueTrips) -> None:
    request = PlanRequest(max_accuracy=0.7, min_utility=0.3)
    inside = town.user < 300
    alone = replace(
        town,
        week_starts=np.array([0, inside.sum()]),
        user=town.user[inside],
        flow=town.flow[inside],
        trip_rank=town.trip_rank[inside],
        user_rank=town.user_rank[:300],
    )
    group = advice_from_unique_trips(town, request, week=WEEK, group_size=300)
    assert group == advice_from_unique_trips(alone, request, week=WEEK)
    assert group != advice_from_unique_trips(town, request, week=WEEK)
    empty = replace(town, user_rank=town.user_rank[::-1].copy(), user=np.zeros_like(town.user))
    with pytest.raises(DataError, match="Nobody in this group of 5 made a trip"):
        advice_from_unique_trips(empty, request, week=WEEK, group_size=5)


def test_points_do_not_depend_on_the_wishes_and_tell_how_far_they_are(town: UniqueTrips) -> None:
    told: list[float] = []
    points = points_from_unique_trips(
        town,
        PlanRequest(max_accuracy=0.5, min_utility=1),
        week=WEEK,
        progress=Progress(lambda share, words: told.append(share)),
    )
    request = PlanRequest(max_accuracy=0.7, min_utility=0.6)
    assert advice_from_points(points, request) == advice_from_unique_trips(town, request, week=WEEK)
    assert told == sorted(told)
    assert told[0] == 0
    assert 0.9 < told[-1] < 1


def test_frontier_against_brute_force() -> None:
    rng = np.random.default_rng(8)
    points = [
        PlanPoint(
            epsilon=1,
            max_trips_per_user=1,
            threshold=1,
            accuracy=float(a),
            utility=float(u),
            clipped=0,
            made_up=0,
        )
        for a, u in rng.integers(0, 12, (60, 2)) / 12
    ]
    frontier = frontier_from_points(points)
    beaten = [
        any(
            (o.accuracy <= p.accuracy and o.utility > p.utility)
            or (o.accuracy < p.accuracy and o.utility >= p.utility)
            for o in points
        )
        for p in points
    ]
    expected = {(p.accuracy, p.utility) for p, lost in zip(points, beaten, strict=True) if not lost}
    assert [(p.accuracy, p.utility) for p in frontier] == sorted(expected)


def test_of_releases_that_look_alike_in_a_table_one_is_left_by_hand() -> None:
    """0.52748 and 0.52751 are both printed as 52.75%: the more useful one is left; 81.7312% and 81.7344% are both 81.73%."""

    def point(accuracy: float, utility: float) -> PlanPoint:
        return PlanPoint(
            epsilon=1, max_trips_per_user=1, threshold=1, accuracy=accuracy, utility=utility, clipped=0, made_up=0
        )  # fmt: skip

    points = [point(0.52748, 0.8168), point(0.52751, 0.817312), point(0.6, 0.817344), point(0.7, 0.9)]
    assert frontier_from_points(points, as_printed=True) == (points[1], points[3])
    assert frontier_from_points(points) == tuple(points)


def test_of_limits_under_which_gaussian_noise_is_as_safe_the_most_useful_is_recommended_by_hand() -> None:
    """At one ε Gaussian noise is as safe under every limit but for a millionth; integer noise is not, and its least risk counts."""

    def point(accuracy: float, utility: float, noise: str, epsilon: float = 1.0) -> PlanPoint:
        return PlanPoint(
            epsilon=epsilon, max_trips_per_user=1, threshold=1, accuracy=accuracy, utility=utility, clipped=0, made_up=0,
            noise=noise, mechanism=GAUSSIAN if noise == "gaussian" else INTEGER,
        )  # fmt: skip

    request = PlanRequest(max_accuracy=0.6, min_utility=0.5)
    least, useful = point(0.55, 0.6, "gaussian"), point(0.550001, 0.8, "gaussian")
    wider = point(0.56, 0.95, "gaussian", epsilon=1.5)
    assert advice_from_points((least, useful, wider), request).recommended is useful
    counted = tuple(replace(one, noise="integer", mechanism=INTEGER) for one in (least, useful, wider))
    assert advice_from_points(counted, request).recommended is counted[0]


def test_one_step_away_is_the_next_on_each_side_and_of_equal_use_the_safer_is_named_by_hand() -> None:
    """Five ε under three limits: beside 1 under 2 are 0.5 and 2 under 2, and 1 under 1 and 4. Nothing is of the use that is wished."""
    points = {
        (epsilon, bound): PlanPoint(
            epsilon=epsilon, max_trips_per_user=bound, threshold=1, accuracy=0.5 + epsilon * bound / 100, utility=0.8,
            clipped=0, made_up=0,
        )
        for epsilon in (0.2, 0.5, 1, 2, 5) for bound in (1, 2, 4)
    }  # fmt: skip
    middle = replace(points[1, 2], accuracy=0.501, utility=0.9)
    advice = advice_from_points(
        tuple((points | {(1, 2): middle}).values()), PlanRequest(max_accuracy=0.6, min_utility=0.85)
    )
    assert advice.recommended is middle
    assert {(one.epsilon, one.max_trips_per_user) for one in advice.neighbours} == {
        (0.5, 2), (2, 2), (1, 1), (1, 4)
    }  # fmt: skip
    nothing = advice_from_points(tuple(points.values()), PlanRequest(max_accuracy=0.6, min_utility=0.95))
    assert nothing.best_allowed is points[0.2, 1]


def test_of_gaussian_noise_nobody_is_said_never_to_be_known() -> None:
    """Its loss has no largest value: at a small ε certainty is rare, and stands as such beside integer noise, whose loss has one."""
    one = PlanPoint(
        epsilon=0.01, max_trips_per_user=1, threshold=1, accuracy=0.51, utility=0.9, clipped=0, made_up=0
    )
    noisy = replace(
        one, noise="gaussian", clip="l2", mechanism=GAUSSIAN, delta=1e-6, sigma=gaussian_parameters_of_point(
            replace(one, clip="l2", delta=1e-6), 1
        ).sigma,
    )  # fmt: skip
    wish = PlanRequest(max_accuracy=0.6, min_utility=0.5)
    assert certainty_sentence(one, wish) == (
        "An attacker is never more than 75% certain of someone who is in and whose flows are all published."
    )
    assert "never" not in certainty_sentence(noisy, wish)
    assert "95% certain in at most 0.1% of cases" in certainty_sentence(noisy, wish)


def test_wishes_iv(town: UniqueTrips) -> None:
    with pytest.raises(ParameterError, match=r"^max_accuracy must be between 0\.5 and 1, got 0\.4\.$"):
        PlanRequest(max_accuracy=0.4, min_utility=0.5)
    with pytest.raises(ParameterError, match=r"^min_utility must be"):
        PlanRequest(max_accuracy=0.6, min_utility=float("nan"))
    counts = nobody_named()
    request = PlanRequest(max_accuracy=0.6, min_utility=0.5)
    with pytest.raises(DataError, match="does not say whose trips"):
        advice_from_unique_trips(counts, request, week=WEEK)
    with pytest.raises(DataError, match="no trip in the week"):
        advice_from_unique_trips(town, request, week="2026-03-09")
