"""Secure releases: which cells get noise, what is published, and what is refused before any count is read."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from privlab.checks import ParameterError
from privlab.od.expecting.outlook import release_outlook_from_trips
from privlab.od.levels.levels import Level
from privlab.od.matrix import UniqueTrips, od_matrix_from_unique_trips
from privlab.od.products import FLOWS, FLOWS_BY_SLOT, Product
from privlab.od.releases.rehearsed_release import RehearsedSteps, rehearsed_counts_from_settled_trips
from privlab.od.releases.release_noise import ReleaseNoise
from privlab.od.releases.release_plan import SecureReleaseParameters, release_plan_from_parameters
from privlab.od.releases.secure_release import (
    SecureRelease,
    _by_user_and_key,
    bounded_counts_from_week,
    secure_release_from_settled_counts,
    secure_release_from_settled_trips,
)
from privlab.od.settled.settled_counts import SUMS, SettledCounts
from privlab.od.simulating.simulated_release import SimulatedRelease
from tests.od.by_hand import WEEK, settled, trips_of


def released(
    trips: UniqueTrips, public: list[Any] | None, *, epsilon: float = 20, threshold: int = 0, bound: int = 1
) -> SecureRelease:
    parameters = SecureReleaseParameters(
        epsilon=epsilon,
        max_trips_per_user=bound,
        threshold=threshold,
        cells="discovered" if public is None else "public",
    )
    plan = release_plan_from_parameters(parameters, weeks=[WEEK], zones_spec="column", public_zones=public)
    return secure_release_from_settled_trips(settled(trips), plan)


def counts(release: SecureRelease) -> dict[tuple[Any, Any], int]:
    cells = zip(release.cell["origin"].tolist(), release.cell["destination"].tolist(), strict=True)
    return dict(zip(cells, release.count.tolist(), strict=True))


def test_every_public_cell_gets_noise_and_no_other() -> None:
    # Zones 1, 2, 3 in the data; 3 is not public, 4 is public and never seen. 40 people go 1→2, 30 go 2→3.
    trips = trips_of([[1]] * 40 + [[5]] * 30, [1, 2, 3])
    found = counts(released(trips, [4, 2, 1]))
    assert set(found) == {(a, b) for a in (1, 2, 4) for b in (1, 2, 4) if a != b}
    # ε = 20 and one trip each: the noise is 0 but for four in a billion.
    assert found[1, 2] == 40
    assert sum(found.values()) == 40


def test_discovered_cells_and_threshold() -> None:
    trips = trips_of([[1]] * 40 + [[3]] * 5, ["a", "b"])
    release = released(trips, None, threshold=20)
    assert counts(release) == {("a", "b"): 40}
    assert release.plan.delta > 0
    assert release.plan.zones is None


def test_a_count_that_equals_the_threshold_is_published_and_one_less_is_not() -> None:
    """20 people go 1→2 and 19 go back; at ε = 20 the noise is 0 but for four in a billion."""
    trips = trips_of([[1]] * 20 + [[2]] * 19, [1, 2])
    for public in ([1, 2], None):
        assert counts(released(trips, public, threshold=20)) == {(1, 2): 20}


def test_the_bound_is_applied_before_counting() -> None:
    trips = trips_of([[1, 2, 5]] * 30, [1, 2, 3])
    assert sum(counts(released(trips, [1, 2, 3], bound=1)).values()) == 30
    two = counts(released(trips, [1, 2, 3], bound=2, epsilon=20))
    assert abs(sum(two.values()) - 60) <= 8  # two of the three each; the noise is of scale 0.1
    assert max(two.values()) < 30 + 8


def test_no_limit_is_spent_on_what_is_on_no_list_worked_by_hand() -> None:
    """Thirty people go 1→2, and 1→3, 2→3 and 3→1, of which 3 is on no list: with one trip each thirty go 1→2.

    Left out after the bound, each of the four would be the one that counts as often, and 7.5 would be expected.
    """
    trips = trips_of([[1, 2, 5, 6]] * 30, [1, 2, 3])
    assert counts(released(trips, [1, 2]))[1, 2] == 30  # ε = 20: the noise is 0 but for four in a billion
    plan = released(trips, [1, 2]).plan
    outlook = release_outlook_from_trips(settled(trips), plan)
    assert (outlook.true_trips, outlook.counted_trips, outlook.share_taken) == (30, 30.0, 0.0)
    assert release_outlook_from_trips(trips, plan) == outlook
    # Where all zones are listed, or there is no list, nothing is looked at twice.
    assert settled(trips).between(None).flow.tolist() == trips.flow.tolist()
    whole = settled(trips)
    assert whole.between([3, 2, 1]) is whole


@given(
    st.lists(st.lists(st.sampled_from([1, 2, 3, 5, 6, 7]), max_size=6, unique=True), min_size=1, max_size=6),
    st.integers(1, 4),
)
@settings(max_examples=60)
def test_a_person_more_or_less_changes_no_more_than_the_bound_whatever_is_on_no_list(
    people: list[list[int]], bound: int
) -> None:
    """Raw counts with the last person and without; the others' keys are the same, as their choice is theirs alone."""
    parameters = SecureReleaseParameters(epsilon=1.0, max_trips_per_user=bound, threshold=0)
    plan = release_plan_from_parameters(parameters, weeks=[WEEK], zones_spec="column", public_zones=[1, 2])
    none = ReleaseNoise(units=1, record={"scale": 1.0}, noisy=lambda raw: raw)

    def raw(some: list[list[int]]) -> Any:
        def bounded(user: Any, flow: Any, n_zones: int, asked: SecureReleaseParameters) -> Any:
            keys = np.array(
                [hash((one, cell)) % 2**61 for one, cell in zip(user.tolist(), flow.tolist(), strict=True)]
            )
            return bounded_counts_from_week(user, flow, n_zones, asked, keys=lambda n: keys.astype(np.uint64))

        steps = RehearsedSteps(bounded=bounded, noise=none)
        return rehearsed_counts_from_settled_trips(settled(trips_of(some, [1, 2, 3])), plan, steps).count

    apart = raw(people) - raw(people[:-1])
    # Of three zones the cells 1 and 3 are the two flows between the listed ones.
    listed = len({1, 3} & set(people[-1]))
    assert np.abs(apart).sum() == min(bound, listed)
    assert np.abs(apart).sum() <= bound


def test_whole_numbers_and_a_type_apart_from_simulations() -> None:
    release = released(trips_of([[1]], [1, 2]), [1, 2], epsilon=0.5)
    assert release.count.dtype == np.int64
    assert not isinstance(release, SimulatedRelease)
    assert not any("seed" in name for name in SecureRelease.__slots__)  # type: ignore[attr-defined]


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.sampled_from([1, 2, 3, 5, 6, 7]), unique=True, max_size=6), min_size=1, max_size=8),
    st.integers(1, 4),
    st.data(),
)
def test_removing_a_user_moves_at_most_so_many_counts_by_one(
    people: list[list[int]], bound: int, data: st.DataObject
) -> None:
    """What the noise is scaled to: L cells, one each, and nobody else's trips."""
    gone = data.draw(st.integers(0, len(people) - 1))
    without = [cells if i != gone else [] for i, cells in enumerate(people)]
    moved = np.zeros(9, dtype=np.int64)
    for one, sign in ((people, 1), (without, -1)):
        matrix = od_matrix_from_unique_trips(trips_of(one, [1, 2, 3]), week=WEEK, max_trips_per_user=bound)
        moved[matrix.flow] += sign * matrix.count
    assert np.abs(moved).max(initial=0) <= 1
    assert np.abs(moved).sum() == min(bound, len(people[gone]))


@pytest.mark.parametrize(
    ("given_", "sentence"),
    [
        ({"weeks": []}, "week must be named"),
        ({"weeks": [WEEK, WEEK]}, "week must be named, each once"),
        ({"zones_spec": "grid:500"}, "zones must not depend on the data"),
        ({"public_zones": None}, "cells must be discovered, or the zones named"),
        ({"public_zones": list(range(1002))}, "zones must make at most 1,000,000 cells"),
        ({"weeks": ["2026-03-04"]}, "week must be named by its Monday, 2026-03-02, got '2026-03-04'"),
        ({"weeks": ["soon"]}, "week must be a Monday such as 2026-03-02, got 'soon'"),
        ({"weeks": ["1003-03-07"]}, "week must be between 1900-01-01 and 2200-01-01"),
    ],
)
def test_plan_iv(given_: dict[str, Any], sentence: str) -> None:
    usual = {"weeks": [WEEK], "zones_spec": "box", "public_zones": [1, 2]}
    parameters = SecureReleaseParameters(epsilon=1, max_trips_per_user=1)
    with pytest.raises(ParameterError, match=sentence):
        release_plan_from_parameters(parameters, **usual | given_)


def test_parameters_iv() -> None:
    with pytest.raises(ParameterError, match="max_trips_per_user must be given"):
        SecureReleaseParameters(epsilon=1, max_trips_per_user=None)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="threshold must be at least 1"):
        SecureReleaseParameters(epsilon=1, max_trips_per_user=1, threshold=0, cells="discovered")


@pytest.mark.parametrize("public", [[1, 2, 3], None])
def test_a_named_week_without_trips_is_noise_on_zeros(public: list[Any] | None) -> None:
    """One trip in the week or none: both are released, and over public cells with the same cells."""
    parameters = SecureReleaseParameters(
        epsilon=20,
        max_trips_per_user=1,
        threshold=1 if public is None else 0,
        cells="discovered" if public is None else "public",
    )
    plan = release_plan_from_parameters(parameters, weeks=[WEEK], zones_spec="column", public_zones=public)
    nothing = settled(trips_of([], [1, 2, 3]))
    assert nothing.week_of(WEEK)[0].size == 0
    release = secure_release_from_settled_trips(nothing, plan)
    # ε = 20 and one trip each: the noise is 0 but for four in a billion.
    assert counts(release) == (
        {} if public is None else {(a, b): 0 for a in public for b in public if a != b}
    )


def test_the_choice_under_a_bound_is_fair_and_new_each_time() -> None:
    """Of three trips and a bound of 1 each is kept in a third of cases: an exact test at one in a thousand million.

    Two releases have the same counts once in 9,673 draws, four of them once in a million millions.
    """
    n_users = 4000
    people = trips_of([[1, 2, 3]] * n_users, [1, 2, 3, 4])
    seen = [released(people, [1, 2, 3, 4], bound=1) for _ in range(4)]
    for release in seen:
        found = counts(release)
        assert abs(sum(found.values()) - n_users) <= 1  # the noise is not 0 in 4 of 10⁹ cells
        for cell in ((1, 2), (1, 3), (1, 4)):
            assert binomtest(found[cell], n_users, 1 / 3).pvalue > 1e-9
    assert any(counts(seen[0]) != counts(other) for other in seen[1:])


@pytest.mark.parametrize("n_users", [1, 2, 1000, 2**24])
def test_trips_are_ordered_by_user_and_key_as_by_two_columns(n_users: int) -> None:
    rng = np.random.default_rng(n_users)
    user = rng.integers(0, n_users, 20_000).astype(np.int32)
    key = rng.integers(0, 2**64, user.size, dtype=np.uint64)
    assert _by_user_and_key(user, key).tolist() == np.lexsort((key, user)).tolist()


def counted_on_a_cluster(product: Product) -> SettledCounts:
    """Two zones, ten people from the first to the second, as a cluster hands them over."""
    ten, none = np.array([10]), np.zeros(1, dtype=np.int64)
    return SettledCounts(
        zones=np.array([1, 2]),
        weeks=(WEEK,),
        week_starts=np.array([0, 1]),
        cell=np.array([1]),
        people=ten,
        raw=ten,
        sums=dict.fromkeys(SUMS, none),
        totals=none,
        n_users=10,
        product=product,
    )


def test_a_flow_that_the_limit_left_out_altogether_is_not_found_in_the_data() -> None:
    """Of 600 flows with people in them 599 have no trip that is counted: noise on them would tell of flows for which no promise pays."""
    zones, n = np.arange(30), 600
    cell = FLOWS.all_cells(30)[:n]
    counted = replace(
        counted_on_a_cluster(FLOWS),
        zones=zones,
        week_starts=np.array([0, n]),
        cell=cell,
        people=np.ones(n, dtype=np.int64),
        raw=np.where(np.arange(n) == 7, 10_000, 0),
        sums=dict.fromkeys(SUMS, np.zeros(n, dtype=np.int64)),
    )
    parameters = SecureReleaseParameters(epsilon=0.5, max_trips_per_user=2, threshold=1, cells="discovered")
    plan = release_plan_from_parameters(parameters, weeks=[WEEK], zones_spec="column", public_zones=None)
    # Noise of scale 4 lifts an empty flow to 1 in two of five cases.
    assert set(counts(secure_release_from_settled_counts(counted, plan))) == {divmod(int(cell[7]), 30)}


def test_the_total_of_each_week_is_its_own_where_a_cluster_counted() -> None:
    """A thousand trips in one week, a million in the next: no noise takes one for the other."""
    later, none = "2026-03-09", np.zeros(2, dtype=np.int64)
    counted = replace(
        counted_on_a_cluster(FLOWS),
        weeks=(WEEK, later),
        week_starts=np.array([0, 1, 2]),
        cell=np.array([1, 1]),
        people=np.array([1_000, 1_000_000]),
        raw=np.array([1_000, 1_000_000]) * 1024,
        sums=dict.fromkeys(SUMS, none),
        totals=np.array([1_000, 1_000_000]),
    )
    parameters = SecureReleaseParameters(
        epsilon=20, max_trips_per_user=2, noise="gaussian", clip="l2", delta=1e-6, total_share=0.1
    )
    plan = release_plan_from_parameters(
        parameters, weeks=[WEEK, later], zones_spec="column", public_zones=[1, 2]
    )
    found = secure_release_from_settled_counts(counted, plan).totals
    assert found[WEEK].trips < 10_000
    assert found[later].trips > 900_000


def test_sums_of_districts_are_not_drawn_of_counts_that_left_no_room_for_them() -> None:
    parameters = SecureReleaseParameters(
        epsilon=1, max_trips_per_user=2, noise="gaussian", clip="l2", delta=1e-6, levels=1
    )
    level = Level(name="district", of=("a", "b"))
    plan = release_plan_from_parameters(
        parameters, weeks=[WEEK], zones_spec="column", public_zones=[1, 2], levels=[level]
    )
    with pytest.raises(ParameterError, match="levels must be left out on a cluster"):
        secure_release_from_settled_counts(counted_on_a_cluster(FLOWS), plan)


def test_what_was_counted_must_be_what_the_plan_promises() -> None:
    """A limit on trips of the week is another promise than one on visits, or on trips in each slot."""
    parameters = SecureReleaseParameters(epsilon=1, max_trips_per_user=2)
    plan = release_plan_from_parameters(parameters, weeks=[WEEK], zones_spec="column", public_zones=[1, 2])
    with pytest.raises(ParameterError, match="product must be that of the data, flows-by-slot, got 'flows'"):
        secure_release_from_settled_counts(counted_on_a_cluster(FLOWS_BY_SLOT), plan)
    assert secure_release_from_settled_counts(counted_on_a_cluster(FLOWS), plan).plan is plan
