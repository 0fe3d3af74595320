"""The L2 clip: what removing a user moves, for any data; by hand for four trips."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from privlab.dp.gaussian import UNITS
from privlab.od.weighing.weighted_counts import kept_counts, weighted_counts, weights_of_users

people = st.lists(st.sets(st.integers(0, 15), max_size=12), min_size=1, max_size=8)


def rows(sets: list[set[int]]) -> tuple[np.ndarray, np.ndarray]:
    user = np.array([one for one, cells in enumerate(sets) for _ in cells], dtype=np.int64)
    return user, np.array([cell for cells in sets for cell in sorted(cells)], dtype=np.int64)


@given(people, st.integers(1, 20), st.data())
def test_removing_a_user_moves_the_counts_by_the_root_of_the_bound_at_most(
    sets: list[set[int]], bound: int, data: st.DataObject
) -> None:
    gone = data.draw(st.integers(0, len(sets) - 1))
    user, cell = rows(sets)
    fewer = [cells if one != gone else set() for one, cells in enumerate(sets)]
    moved = weighted_counts(user, cell, 16, bound) - weighted_counts(*rows(fewer), 16, bound)
    assert int((moved**2).sum()) <= UNITS**2 * bound  # whole numbers: no rounding hides anything
    kept = user != gone
    assert (weights_of_users(user, bound)[kept] == weights_of_users(user[kept], bound)).all()


def test_by_hand() -> None:
    """Four trips under L = 1 weigh half each: 4·(½)² = 1."""
    user, cell = rows([{0, 1, 2, 3}, {3}])
    assert weighted_counts(user, cell, 5, 1).tolist() == [512, 512, 512, 1536, 0]


def test_keeping_the_first_counts_each_trip_whole() -> None:
    rank = np.array([0, 1, 2, 0])
    assert kept_counts(rank, np.array([2, 0, 1, 2]), 3, 2).tolist() == [1, 0, 2]
