"""Secure releases: which cells get noise, what is published, and what is refused before any count is read."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from privlab.checks import DataError, ParameterError
from privlab.od.matrix import UniqueTrips, od_matrix_from_unique_trips
from privlab.od.release import SimulatedRelease
from privlab.od.secure_release import (
    SecureRelease,
    SecureReleaseParameters,
    freshly_ranked_from_unique_trips,
    release_plan_from_parameters,
    secure_release_from_unique_trips,
)
from tests.od.by_hand import WEEK, trips_of


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
    return secure_release_from_unique_trips(trips, plan)


def counts(release: SecureRelease) -> dict[tuple[Any, Any], int]:
    cells = zip(release.origin.tolist(), release.destination.tolist(), strict=True)
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


def test_the_bound_is_applied_before_counting() -> None:
    trips = trips_of([[1, 2, 5]] * 30, [1, 2, 3])
    assert sum(counts(released(trips, [1, 2, 3], bound=1)).values()) == 30
    two = counts(released(trips, [1, 2, 3], bound=2, epsilon=20))
    assert abs(two[1, 2] - 30) + abs(two[1, 3] - 30) <= 8


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
    ],
)
def test_plan_iv(given_: dict[str, Any], sentence: str) -> None:
    usual = {"weeks": [WEEK], "zones_spec": "box", "public_zones": [1, 2]}
    parameters = SecureReleaseParameters(epsilon=1, max_trips_per_user=1)
    with pytest.raises(ParameterError, match=sentence):
        release_plan_from_parameters(parameters, **usual | given_)


def test_parameters_and_weeks_iv() -> None:
    with pytest.raises(ParameterError, match="max_trips_per_user must be given"):
        SecureReleaseParameters(epsilon=1, max_trips_per_user=None)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="threshold must be at least 1"):
        SecureReleaseParameters(epsilon=1, max_trips_per_user=1, threshold=0, cells="discovered")
    plan = release_plan_from_parameters(
        SecureReleaseParameters(epsilon=1, max_trips_per_user=1),
        weeks=["2026-03-09"],
        zones_spec="box",
        public_zones=[1, 2],
    )
    with pytest.raises(DataError, match="no trip in the week"):
        secure_release_from_unique_trips(trips_of([[1]], [1, 2]), plan)


def test_fresh_ranks_are_a_fair_order_of_each_users_week() -> None:
    n_users = 4000
    people = trips_of([[1, 2, 3]] * n_users, [1, 2, 3])
    weeks = replace(
        people,
        weeks=(WEEK, "2026-03-09"),
        week_starts=np.array([0, people.user.size, 2 * people.user.size]),
        user=np.tile(people.user, 2),
        flow=np.tile(people.flow, 2),
        trip_rank=np.tile(people.trip_rank, 2),
    )
    ranks = freshly_ranked_from_unique_trips(weeks).trip_rank.reshape(2 * n_users, 3)
    assert (np.sort(ranks, axis=1) == [0, 1, 2]).all()
    # Each of a week's three trips comes first in a third of cases: exact test at one in ten million.
    for trip in range(3):
        first = int((ranks[:, trip] == 0).sum())
        assert binomtest(first, 2 * n_users, 1 / 3).pvalue > 1e-7
    assert (freshly_ranked_from_unique_trips(weeks).trip_rank.reshape(-1, 3) != ranks).any()
