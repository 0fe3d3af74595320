"""What a bound leaves uncounted: cases worked by hand, and enumeration of every choice of trips."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.checks import ParameterError
from privlab.od.planning.clipping import (
    FlowBias,
    clipping_from_unique_trips_per_user,
    flow_bias_from_unique_trips,
)
from tests.od.by_hand import WEEK, trips_of


def test_bounds_against_hand() -> None:
    # 0, 2, 2 and 5 unique trips: a bound of 1 leaves out 1 + 1 + 4, of 2 leaves out 3, of 3 two, of 4 one.
    found = clipping_from_unique_trips_per_user([0, 2, 2, 5])
    assert found.bounds.tolist() == [1, 2, 3, 4, 5]
    assert found.trips_lost.tolist() == [6, 3, 2, 1, 0]
    assert found.people_clipped.tolist() == [3, 1, 1, 1, 0]
    assert (found.n_trips, found.n_people) == (9, 4)
    assert found.share_lost[0] == pytest.approx(6 / 9)
    assert (found.at(2), found.at(1000)) == ((3, 1), (0, 0))


def test_bounds_degenerate() -> None:
    nobody = clipping_from_unique_trips_per_user([])
    assert (nobody.n_trips, nobody.trips_lost.tolist()) == (0, [0])
    assert np.isnan(nobody.share_lost).all()
    busy = clipping_from_unique_trips_per_user([2500])
    assert busy.bounds.size == 1000
    assert busy.at(1000) == (1500, 1)
    with pytest.raises(ParameterError, match=r"^max_trips_per_user must be"):
        busy.at(0)


@pytest.mark.parametrize(
    ("true", "middle"), [([7], 7), ([1, 9, 5], 9), ([4, 4, 4, 3], 4), ([1, 1, 6, 2, 2, 1], 2)]
)
def test_the_flow_of_the_middle_trip_by_hand(true: list[int], middle: int) -> None:
    # 6 2 2 1 1 1: of 13 trips the seventh is the middle one, and lies in the second largest flow.
    found = FlowBias(flow=np.arange(len(true)), true=np.array(true), lost=np.zeros(len(true)))
    assert found.true[found.middle] == middle


@given(st.lists(st.integers(0, 40), min_size=1, max_size=30), st.integers(1, 45))
def test_bounds_against_brute_force(trips: list[int], bound: int) -> None:
    lost = sum(max(n - bound, 0) for n in trips)
    assert clipping_from_unique_trips_per_user(trips).at(bound) == (lost, sum(n > bound for n in trips))


@settings(max_examples=40)
@given(
    st.lists(st.sets(st.integers(1, 4), max_size=4), min_size=1, max_size=5).filter(any),
    st.integers(1, 4),
)
def test_flows_against_all_choices(people: list[set[int]], bound: int) -> None:
    trips = trips_of([sorted(cells) for cells in people])
    found = flow_bias_from_unique_trips(trips, week=WEEK, max_trips_per_user=bound)
    lost = dict.fromkeys(range(5), 0.0)
    variance = dict.fromkeys(range(5), 0.0)
    for cells in people:
        choices = list(itertools.combinations(cells, min(bound, len(cells))))
        for cell in cells:
            chance = sum(cell not in choice for choice in choices) / len(choices)
            lost[cell] += chance
            variance[cell] += chance * (1 - chance)  # one person chooses whatever others do
    assert found.lost == pytest.approx([lost[cell] for cell in found.flow.tolist()], abs=1e-12)
    assert found.lost.tolist() == sorted(found.lost, reverse=True)
    assert found.true.tolist() == [sum(cell in cells for cells in people) for cell in found.flow.tolist()]
    for at, cell in enumerate(found.flow.tolist()):
        most, exact = found.deviation_of_choice(at), math.sqrt(variance[cell])
        assert most >= exact - 1e-9
        if len({len(cells) for cells in people if cell in cells}) == 1:  # all have one chance
            assert most == pytest.approx(exact)
    everyone = clipping_from_unique_trips_per_user([len(cells) for cells in people])
    assert found.lost.sum() == pytest.approx(everyone.at(bound)[0])


def test_weights_against_hand() -> None:
    # Four trips under a limit of 1 weigh √(1/4) = ½ each and lose 2 of 4; under 2, ⌊1024·√½⌋ = 724 of 1024 each, under 3, 886.
    found = clipping_from_unique_trips_per_user([1, 4], clip="l2")
    assert found.trips_lost == pytest.approx([2, 4 * 300 / 1024, 4 * 138 / 1024, 0])
    assert found.people_clipped.tolist() == [1, 1, 1, 0]
    assert (found.at(1), found.at(2), found.at(9)) == ((2, 1), (1, 1), (0, 0))


@settings(max_examples=40)
@given(
    st.lists(st.sets(st.integers(1, 4), max_size=4), min_size=1, max_size=5).filter(any), st.integers(1, 4)
)
def test_weights_of_flows_against_brute_force(people: list[set[int]], bound: int) -> None:
    trips = trips_of([sorted(cells) for cells in people])
    found = flow_bias_from_unique_trips(trips, week=WEEK, max_trips_per_user=bound, clip="l2")
    kept = dict.fromkeys(range(5), 0.0)
    for cells in people:
        for cell in cells:
            kept[cell] += min(math.floor(1024 * math.sqrt(bound / len(cells))) / 1024, 1)
    assert found.true - found.lost == pytest.approx([kept[cell] for cell in found.flow.tolist()], abs=1e-12)
    whole = clipping_from_unique_trips_per_user([len(cells) for cells in people], clip="l2")
    lost = whole.trips_lost[bound - 1] if bound <= whole.bounds.size else 0
    assert found.lost.sum() == pytest.approx(lost)


def test_clip_iv() -> None:
    with pytest.raises(ParameterError, match=r"^clip must be"):
        clipping_from_unique_trips_per_user([1], clip="l1")


def test_flows_of_a_group_are_its_own() -> None:
    trips = trips_of([[1, 2], [1], [1, 2, 3]])
    found = flow_bias_from_unique_trips(trips, week=WEEK, max_trips_per_user=1, group_size=2)
    assert (found.flow.tolist(), found.true.tolist(), found.lost.tolist()) == ([1, 2], [2, 1], [0.5, 0.5])
    assert found.share_lost.tolist() == [0.25, 0.5]


def test_many_zones_degenerate() -> None:
    people = [[1, 2, 2_500 * 2_500 - 2], [1]]
    found = flow_bias_from_unique_trips(trips_of(people, range(2_500)), week=WEEK, max_trips_per_user=1)
    assert found.flow.tolist() == [1, 2, 2_500 * 2_500 - 2]
    assert found.lost == pytest.approx([2 / 3] * 3)
