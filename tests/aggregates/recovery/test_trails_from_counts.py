"""Trails from counts: worlds made by hand, every permutation tried, and a library's entropy."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import entropy

from privlab.aggregates.recovery.assignments import (
    dense_links,
    dense_moves,
    distances_km,
    grouped_links,
    grouped_moves,
    habits_from_trails,
    habitual_moves,
)
from privlab.aggregates.recovery.followed import Followed, counts_from_zones
from privlab.aggregates.recovery.recovery_parameters import RecoveryParameters
from privlab.aggregates.recovery.scores import score_from_trails, uniqueness_from_trails
from privlab.aggregates.recovery.trails_from_counts import (
    Recovery,
    recovery_from_followed,
    trails_from_counts,
)
from privlab.checks import ParameterError
from privlab.progress import Progress


def line(n_zones: int, *, north_km: float = 0.0) -> np.ndarray:
    """Zones one km apart from west to east."""
    return np.stack([np.arange(n_zones, dtype=float), np.full(n_zones, north_km)], axis=1)


def world(zone: list[list[int]], at_km: np.ndarray, *, steps_a_day: int = 24) -> Followed:
    places = np.array(zone, dtype=np.int32)
    return Followed(
        zone=places,
        zones=np.arange(at_km.shape[0]),
        at_km=at_km,
        seen=np.ones(places.shape, dtype=bool),
        people=np.arange(places.shape[0]),
        first_day=date(2026, 3, 2),
        steps_a_day=steps_a_day,
    )


def recovered(people: Followed, *, grouped: bool) -> float:
    counts = counts_from_zones(people.zone, people.at_km.shape[0])
    trails = trails_from_counts(counts, people.at_km, steps_a_day=people.steps_a_day, grouped=grouped)
    assert (counts_from_zones(trails, counts.shape[0]) == counts).all()
    return score_from_trails(trails, people)[0].accuracy


both_ways = pytest.mark.parametrize("grouped", [False, True], ids=["dense", "grouped"])


@both_ways
def test_two_people_on_parallel_lines_are_recovered_wholly(grouped: bool) -> None:
    at_km = np.concatenate([line(24), line(24, north_km=10)])
    there = world([list(range(24)), list(range(24, 48))], at_km)
    assert recovered(there, grouped=grouped) == 1.0


@both_ways
def test_people_who_never_move_are_recovered_wholly_over_days(grouped: bool) -> None:
    there = world([[home] * 72 for home in (0, 0, 3, 7, 7, 7)], line(8))
    assert recovered(there, grouped=grouped) == 1.0


@both_ways
def test_people_who_meet_and_turn_back_are_taken_to_have_passed(grouped: bool) -> None:
    # Both rest until 7, walk to the middle by 11 and home again by 15. Who goes on as they came passes the middle:
    # each trail is then right in the 12 steps from 12 on and where they meet, at 11: in 13 of 24.
    west = [0] * 8 + [1, 2, 3, 4, 3, 2, 1] + [0] * 9
    there = world([west, [8 - one for one in west]], line(9))
    assert recovered(there, grouped=grouped) == pytest.approx(13 / 24)


@both_ways
def test_at_night_nobody_is_expected_to_go_on_as_they_came(grouped: bool) -> None:
    # Two who meet at 2 and part again: each goes one km there and one back, whoever it is.
    west = [3, 3, 4, 3, 3, 3] + [3] * 18
    people = world([west, [8 - one for one in west]], line(9))
    counts = counts_from_zones(people.zone, 9)
    trails = trails_from_counts(counts, people.at_km, steps_a_day=24, grouped=grouped)
    moved = np.abs(np.diff(trails[:, :6].astype(int), axis=1)).sum()
    assert moved == 4


@pytest.mark.parametrize(("steps_a_day", "after"), [(8, [4, 1]), (12, [1, 4])])
def test_the_night_ends_with_the_first_quarter_of_the_day(steps_a_day: int, after: list[int]) -> None:
    """Two people come towards each other: by day (from step 2 of 8) they pass; by night (to step 2 of 12) both turn back."""
    zone = [[0, 2, *[4] * (steps_a_day - 2)], [5, 3, *[1] * (steps_a_day - 2)]]
    counts = counts_from_zones(np.array(zone, dtype=np.int32), 6)
    trails = trails_from_counts(counts, line(6), steps_a_day=steps_a_day)
    assert trails[:, 2].tolist() == after


def test_moves_cost_as_little_as_the_best_of_all_permutations() -> None:
    rng = np.random.default_rng(3)
    for _ in range(40):
        at_km = rng.integers(0, 4, size=(6, 2)).astype(float)
        expected = np.where(rng.random((5, 1)) < 0.5, at_km[rng.integers(6, size=5)], rng.normal(size=(5, 2)))
        count = np.bincount(rng.integers(6, size=5), minlength=6)
        places = np.repeat(np.arange(6), count)
        cost = distances_km(expected, at_km)
        best = min(sum(cost[i, places[j]] for i, j in enumerate(order)) for order in permutations(range(5)))
        for moves in (dense_moves, grouped_moves):
            went = moves(expected, count, at_km)
            assert (np.bincount(went, minlength=6) == count).all()
            assert cost[np.arange(5), went].sum() == pytest.approx(best)


def test_the_grouped_way_costs_what_the_dense_one_does() -> None:
    rng = np.random.default_rng(5)
    for n_people in (2, 30, 150):
        at_km = np.stack(np.divmod(np.arange(36), 6), axis=1) * 0.7
        here, before = rng.integers(36, size=(2, n_people))
        expected = np.where(rng.random((n_people, 1)) < 0.5, at_km[here], 2 * at_km[here] - at_km[before])
        count = np.bincount(np.where(rng.random(n_people) < 0.7, here, before), minlength=36)
        cost = [
            np.hypot(*(at_km[moves(expected, count, at_km)] - expected).T).sum()
            for moves in (dense_moves, grouped_moves)
        ]
        assert cost[0] == pytest.approx(cost[1], rel=1e-12)


def test_links_cost_as_little_as_the_best_of_all_permutations_by_a_librarys_entropy() -> None:
    rng = np.random.default_rng(7)
    for _ in range(10):
        one, other = rng.integers(0, 4, size=(2, 5, 8)).astype(np.int32)

        def cost(i: int, j: int, one: np.ndarray = one, other: np.ndarray = other) -> float:
            first, second = np.bincount(one[i], minlength=4), np.bincount(other[j], minlength=4)
            alone = (entropy(first, base=2) + entropy(second, base=2)) / 2
            return float(entropy(first + second, base=2) - alone)

        best = min(sum(cost(i, j) for i, j in enumerate(order)) for order in permutations(range(5)))
        for links in (dense_links, grouped_links):
            found = links(one, other, 4)
            assert sorted(found) == list(range(5))
            assert sum(cost(i, int(j)) for i, j in enumerate(found)) == pytest.approx(best)


def test_moves_by_habit_cost_as_little_as_the_best_of_all_permutations() -> None:
    """The cost of a place: from where a person is expected, or from the nearest habit of their zone, worked out anew one by one."""
    rng = np.random.default_rng(11)
    for _ in range(30):
        at_km = rng.normal(size=(6, 2))
        here = rng.integers(6, size=5)
        expected = np.where(rng.random((5, 1)) < 0.5, at_km[here], rng.normal(size=(5, 2)))
        habits = [np.flatnonzero(rng.random(6) < 0.2) for _ in range(6)]
        count = np.bincount(rng.integers(6, size=5), minlength=6)
        places = np.repeat(np.arange(6), count)

        def cost(person: int, place: int, at: np.ndarray = at_km) -> float:
            ends = [expected[person], *at[habits[here[person]]]]  # noqa: B023
            return float(min(np.hypot(*(end - at[place])) for end in ends))

        best = min(sum(cost(i, places[j]) for i, j in enumerate(order)) for order in permutations(range(5)))
        went = habitual_moves(expected, here, count, at_km, habits)
        assert (np.bincount(went, minlength=6) == count).all()
        assert sum(cost(i, int(place)) for i, place in enumerate(went)) == pytest.approx(best)


def test_habits_are_where_most_trails_go_on_by_hand() -> None:
    """From 0: twice to 0, twice to 2, once to 1. From 2: once to 0, once to 2. Nobody is ever in 3, and nobody leaves 1."""
    trails = np.array([[0, 0, 0, 2], [0, 2, 2, 0], [0, 1, 1, 1]], dtype=np.int32)
    found = habits_from_trails(trails, 4)
    assert [one.tolist() for one in found] == [[0, 2], [1], [0, 2], []]


def test_looking_back_links_who_comes_again_after_a_day_elsewhere() -> None:
    """On the second day nobody is where they are on the third, and where they were on the first tells who is who."""
    one = [0] * 12 + [1] * 12 + [1] * 6 + [2] * 18 + [0] * 24
    there = world([one, [13 - zone for zone in one]], line(14))
    counts = counts_from_zones(there.zone, 14)
    trails = trails_from_counts(counts, there.at_km, steps_a_day=24, improvements=["lookback"])
    assert score_from_trails(trails, there)[0].accuracy == 1.0


def test_looking_back_looks_at_the_last_seven_days_and_not_at_the_first() -> None:
    """On the ninth day each is where the other was on the first; where they went on the eighth tells who is who."""
    at_km = 10.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    one = [0] * 12 + [2] * 12 + [2] * 24 * 6 + [2] * 12 + [1] * 12 + [1] * 24
    other = [1] * 18 + [3] * 6 + [3] * 24 * 6 + [3] * 18 + [0] * 6 + [0] * 24
    there = world([one, other], at_km)
    counts = counts_from_zones(there.zone, 4)
    trails = trails_from_counts(counts, at_km, steps_a_day=24, improvements=["lookback"])
    assert score_from_trails(trails, there)[0].accuracy == 1.0


def test_only_the_first_step_is_a_night_that_ends_at_midnight() -> None:
    """Two people come towards each other before dawn: they pass, and by the first quarter of the day both turn back."""
    zone = [[0, 2, *[4] * 10], [5, 3, *[1] * 10]]
    counts = counts_from_zones(np.array(zone, dtype=np.int32), 6)
    after = [
        trails_from_counts(counts, line(6), steps_a_day=12, improvements=said)[:, 2].tolist()
        for said in ((), ("midnight",))
    ]
    assert after == [[1, 4], [4, 1]]


def test_improvements_come_in_one_order_and_others_are_refused_iv() -> None:
    assert RecoveryParameters(improvements=("lookback", "midnight")).improvements == ("midnight", "lookback")
    with pytest.raises(ParameterError, match=r"^improve must be one of .*, got 'luck'\.$"):
        RecoveryParameters(improvements=("luck",))


def test_a_first_day_that_is_no_day_is_refused_iv() -> None:
    with pytest.raises(ParameterError, match=r"^first_day must be a day, as .*, got '2026-03-02'\.$"):
        RecoveryParameters(first_day="2026-03-02")


def test_days_are_linked_by_the_places_of_the_day_and_not_by_where_it_ends() -> None:
    # Both end the day in the middle; one comes from the west each day, the other from the east.
    west, east = [0] * 12 + [4] * 12, [8] * 12 + [4] * 12
    assert recovered(world([west * 3, east * 3], line(9)), grouped=True) == 1.0


def test_baselines_and_uniqueness_are_those_worked_by_hand() -> None:
    # Four steps, one day. Zone 0 holds 5 of 12, so the crowd is right in 5 of 12 steps; who stays where the first
    # count is (0, 0, 1) gets 3 + 2 + 2 steps right at best.
    there = world([[0, 0, 0, 1], [0, 2, 2, 0], [1, 1, 2, 2]], line(3), steps_a_day=4)
    found = recovery_from_followed(there, RecoveryParameters(users=3, days=1, step_min=360))
    assert found.baselines["crowd"].accuracy == pytest.approx(5 / 12)
    assert found.baselines["crowd"].mean_error_km == pytest.approx((1 + 4 + 6) / 12)
    assert found.baselines["still"].accuracy == pytest.approx(7 / 12)
    assert found.baselines["still"].mean_error_km == pytest.approx((1 + 4 + 2) / 12)
    assert found.best_baseline in ("still", "drawn")
    # Who stays where the first count is, is right until both leave, in 3 of 4 steps.
    leaving = world([[0, 0, 0, 2], [0, 0, 0, 2]], line(3), steps_a_day=4)
    still = recovery_from_followed(leaving, RecoveryParameters(users=2, days=1, step_min=360)).baselines[
        "still"
    ]
    assert still.accuracy == pytest.approx(6 / 8)
    # Most visited: 0, 0 (of 0 and 2 twice, the first), 1; two of them: {0, 1}, {0, 2}, {1, 2}.
    assert found.uniqueness["true"] == {1: pytest.approx(1 / 3), 2: 1.0, 3: 1.0, 4: 1.0, 5: 1.0}


def test_the_crowd_is_where_most_are_over_all_steps_and_not_in_the_first() -> None:
    there = world([[0, 1, 1, 1], [0, 1, 1, 1]], line(3), steps_a_day=4)
    found = recovery_from_followed(there, RecoveryParameters(users=2, days=1, step_min=360))
    assert found.baselines["crowd"].accuracy == pytest.approx(6 / 8)


def test_what_is_right_where_really_seen_is_a_share_of_those_steps_alone() -> None:
    """Seen in 2 of 8 steps, of which one is right, and in all others all are: 1 of 2, beside 7 of 8."""
    there = world([[0, 0, 0, 0], [2, 2, 2, 2]], line(3), steps_a_day=4)
    seen = np.zeros((2, 4), dtype=bool)
    seen[0, 1] = seen[1, 3] = True
    trails = there.zone.copy()
    trails[1, 3] = 1
    score, _ = score_from_trails(trails, replace(there, seen=seen))
    assert (score.accuracy, score.right_seen) == (7 / 8, 1 / 2)


def test_places_dealt_out_keep_the_counts_and_no_ties_to_people() -> None:
    # Of two people at two far places in every step, a deal is right in as many steps as heads of fair coins.
    there = world([[0] * 240, [1] * 240], np.array([[0.0, 0.0], [50.0, 0.0]]))
    found = recovery_from_followed(there, RecoveryParameters(users=2, days=10))
    assert found.score.accuracy == 1.0
    assert 0.5 <= found.baselines["drawn"].accuracy < 0.63  # P(beyond) = 7e-5 for 240 fair coins
    assert found.baselines["drawn"].mean_error_km == pytest.approx(
        50 * (1 - found.baselines["drawn"].accuracy)
    )


def test_a_trail_is_unique_by_its_places_whatever_their_order() -> None:
    trails = np.array([[0, 0, 1], [1, 1, 0], [2, 2, 2], [2, 2, 2]], dtype=np.int32)
    assert uniqueness_from_trails(trails, 3) == {1: 0.5, 2: 0.0, 3: 0.0, 4: 0.0, 5: 0.0}


def test_stopped_after_two_of_three_days_it_leaves_what_two_days_alone_give() -> None:
    rng = np.random.default_rng(2)
    there = world(rng.integers(6, size=(5, 72)).tolist(), line(6))
    so_far: list[Callable[[], Recovery]] = []

    def heard(share: float, words: str) -> None:
        if "day 3" in words:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        recovery_from_followed(
            there, RecoveryParameters(users=5, days=3), progress=Progress(heard), heard=so_far.append
        )
    left = so_far[-1]()
    two_days = world(there.zone[:, :48].tolist(), line(6))
    alone = recovery_from_followed(two_days, RecoveryParameters(users=5, days=2))
    assert (left.zone == alone.zone).all()
    assert left.parameters == alone.parameters
    assert {name: one.accuracy for name, one in left.baselines.items()} == {
        name: one.accuracy for name, one in alone.baselines.items()
    }
