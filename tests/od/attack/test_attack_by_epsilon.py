"""The attack over ε against figures worked out before, and what is said of others' ε against their own arithmetic."""

import numpy as np
import pytest

from privlab.checks import ParameterError
from privlab.dp.certainty import claimed_bound, composed_epsilon
from privlab.dp.promise import PUBLISHED_PRACTICE
from privlab.figures.planning.practice import practice_rows
from privlab.od.attack.attack_by_epsilon import accuracies_by_epsilon, week_with_delta


def test_published_accuracies_against_theory() -> None:
    """Houssiau et al. (2022) at ε = 0.66: 70.7% for 3 trips, 95.5% for 32; nobody without trips is told from a coin."""
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
    assert first.epsilon is not None
    assert composed_epsilon(first.epsilon, 70) == pytest.approx(46.2)
    assert composed_epsilon(first.epsilon, 70, 52) == pytest.approx(2402.4)
    assert (first.day, first.week, first.year, first.added_week, first.added_year) == (
        None,
    ) * 5  # of a person: not stated
    of_people = [one for one in rest if one.day is not None or one.week is not None]
    assert len(of_people) == 13  # four experiments, four of Google's, one of Meta's, four of Apple's
    for one in of_people:
        stated = one.day if one.day is not None else one.week
        assert stated == one.epsilon
        assert one.added_year == pytest.approx(one.epsilon * (52 if one.day is None else 365))
    assert all(one.source for one in PUBLISHED_PRACTICE)


def test_the_census_epsilon_follows_from_its_scale_and_delta_against_theory() -> None:
    """Canonne, Kamath, Steinke 2020, corollary 13: δ = min over α of e^{(α−1)(αρ−ε)}(1 − 1/α)^α/(α − 1), ρ = (542/339)²."""
    census = next(one for one in PUBLISHED_PRACTICE if one.name.startswith("US Census"))
    rho, alpha = (542 / 339) ** 2, np.geomspace(1.001, 20, 100_000)

    def delta(epsilon: float) -> float:
        return float(
            np.exp(
                (alpha - 1) * (alpha * rho - epsilon) + alpha * np.log1p(-1 / alpha) - np.log(alpha - 1)
            ).min()
        )

    assert census.epsilon is not None
    assert census.delta == 1e-10
    assert delta(census.epsilon + 0.005) < 1e-10 < delta(census.epsilon - 0.005)


def test_a_delta_does_not_rescue_a_week_against_theory() -> None:
    """One trip keeps ε without δ. Of two with Laplace noise, what is lost above ε: both at +ε, one at +ε and the other between (by hand)."""
    assert week_with_delta(1, 0.66).delta == {1.0: 0.0, 2.0: 0.0, 7.0: 0.0, 20.0: 0.0}
    two, e = week_with_delta(2, 2.0), 2.0
    # Loss ℓ = x + y, each ½ at ±2 e^(∓…): δ(2) = E[(1 − e^(2−ℓ))+] under IN = ¼(1 − e^−2) + ½·∫ over the density ¼e^(x/2 − 1) of x in (0, 2).
    x = (np.arange(200_000) + 0.5) * e / 200_000
    between = float(((1 - np.exp(-x)) * np.exp(x / 2 - e / 2) / 4).sum() * e / 200_000)
    inner = (np.arange(2_000) + 0.5) * 2 * e / 2_000 - e
    both = inner[:, None] + inner[None, :]
    density = np.exp(both / 2 - e) / 16 * (2 * e / 2_000) ** 2
    rest = float((np.maximum(1 - np.exp(e - both), 0) * density).sum())
    assert two.delta[2.0] == pytest.approx((1 - np.exp(-2)) / 4 + between + rest, abs=1e-4)
    assert week_with_delta(0, 0.66).epsilon == 0


def test_what_no_source_states_is_said_to_be_not_stated() -> None:
    rows = practice_rows(PUBLISHED_PRACTICE)
    assert len({tuple(row) for row in rows}) == 1  # the same columns
    assert rows[0]["ε a day"] == rows[0]["ε a year"] == "not stated"
    assert rows[-1]["limit on a person"] == "not stated"
    assert rows[-1]["ε a year"] == "5,840 added up"
    on_paper = practice_rows(PUBLISHED_PRACTICE, narrow=True)
    assert len({tuple(row) for row in on_paper}) == 1
    assert (
        on_paper[-1]["ε of a person by day, week, year"]
        == "a day: 16; a week: 112 added up; a year: 5,840 added up"
    )
    on_the_map = next(row for row in rows if row["who"] == "OnTheMap (LODES)")
    assert (on_the_map["ε"], on_the_map["ε a year"], on_the_map["limit on a person"]) == (
        "8.6",
        *["not stated"] * 2,
    )


def test_googles_mobility_reports_add_up_as_their_description_says() -> None:
    """By hand: 0.11 + 0.11 + 0.22 for country, state and county; four visits, home and work of a day."""
    google = next(one for one in PUBLISHED_PRACTICE if one.name == "Google, mobility reports")
    assert google.day == google.epsilon == pytest.approx((4 + 1 + 1) * (0.11 + 0.11 + 0.22))
    assert google.added_week == pytest.approx(18.48)


@pytest.mark.parametrize(("n_trips", "noise"), [(-1, "laplace"), (3, "normal")])
def test_what_cannot_be_attacked_iv(n_trips: int, noise: str) -> None:
    with pytest.raises(ParameterError):
        accuracies_by_epsilon(n_trips, noise=noise)
