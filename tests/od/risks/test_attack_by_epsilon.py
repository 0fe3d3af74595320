"""The attack over ε against figures worked out before, and what is said of others' ε against their own arithmetic."""

import numpy as np
import pytest

from privlab.checks import ParameterError
from privlab.dp.composing import claimed_bound, composed_epsilon
from privlab.dp.promise import PUBLISHED_PRACTICE
from privlab.figures.planning.practice import practice_rows
from privlab.od.risks.attack_by_epsilon import accuracies_by_epsilon


def test_published_accuracies_against_theory() -> None:
    """Houssiau et al. (2022) at ε = 0.66: 70.7 % for 3 trips, 95.5 % for 32; nobody without trips is told from a coin."""
    for n_trips, expected in ((0, 0.5), (3, 0.707072), (32, 0.955224)):
        _, found = accuracies_by_epsilon(n_trips, epsilons=[0.66])
        assert found == pytest.approx([expected], abs=1e-6)
    _, one = accuracies_by_epsilon(1, epsilons=[0.1, 2.0])
    assert one == pytest.approx(1 - np.exp([-0.05, -1.0]) / 2)  # one Laplace cell: 1 − e^{−ε/2}/2


def test_more_epsilon_never_helps_the_person() -> None:
    at, found = accuracies_by_epsilon(12)
    assert (np.diff(at) > 0).all()
    assert (np.diff(found) >= -1e-12).all()
    assert found[0] < 0.55 < 0.99 < found[-1]
    assert all(claimed_bound(float(one)) <= 1 for one in at)


def test_others_epsilons_add_up_as_they_are_said_to() -> None:
    """46.2 and 2,402.4 are printed by Houssiau et al.; days and weeks add up by basic composition."""
    first, *rest = PUBLISHED_PRACTICE
    assert composed_epsilon(first.epsilon, 70) == pytest.approx(46.2)
    assert composed_epsilon(first.epsilon, 70, 52) == pytest.approx(2402.4)
    assert (first.day, first.week, first.year, first.added_week, first.added_year) == (
        None,
    ) * 5  # of a person: not stated
    for one in rest:
        stated = one.day if one.day is not None else one.week
        assert stated == one.epsilon
        assert one.added_year == pytest.approx(one.epsilon * (52 if one.day is None else 365))
    assert all(one.source for one in PUBLISHED_PRACTICE)


def test_what_no_source_states_is_said_to_be_not_stated() -> None:
    rows = practice_rows(PUBLISHED_PRACTICE)
    assert len({tuple(row) for row in rows}) == 1  # the same columns
    assert rows[0]["ε of a person: a day"] == rows[0]["a year"] == "not stated"
    assert rows[-1]["limit on a person"] == "not stated"
    assert rows[-1]["a year"] == "not stated; 5,840 added up"


@pytest.mark.parametrize(("n_trips", "noise"), [(-1, "laplace"), (3, "normal")])
def test_what_cannot_be_attacked_iv(n_trips: int, noise: str) -> None:
    with pytest.raises(ParameterError):
        accuracies_by_epsilon(n_trips, noise=noise)
