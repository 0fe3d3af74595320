"""What a release promises, against the figures of the paper, worked examples and theory."""

import itertools
import math
from dataclasses import asdict

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.checks import ParameterError
from privlab.dp.certainty.certainty_bounds import composed_epsilon, threshold_delta
from privlab.dp.promise.guarantees import GuaranteeParameters, guarantee_from_parameters
from privlab.dp.promise.statements import delta_words


def test_release_as_first_published_against_the_paper() -> None:
    promise = guarantee_from_parameters(
        GuaranteeParameters(epsilon=0.66, threshold=100, cells="discovered", noise="laplace")
    )
    assert promise.trip.epsilon == 0.66
    assert f"{promise.trip.delta:.1e}" == "2.1e-29"
    assert promise.trip.proven_accuracy == pytest.approx(0.659260, abs=5e-7)
    assert promise.trip.optimal_accuracy == pytest.approx(0.640538, abs=5e-7)
    assert promise.user_week is promise.user is None
    assert "A person is promised nothing" in promise.statement
    assert "δ = 2.1·10⁻²⁹" in promise.statement


def test_the_same_noise_to_trip_week_and_year_against_hand() -> None:
    # Scale 1/0.66 with 70 trips in every week: the paper's 46.2 and 2402.4, from the bounded side; ε ≤ 20.
    parameters = GuaranteeParameters(epsilon=19.8, max_trips_per_user=30, weeks=52)
    promise = guarantee_from_parameters(parameters)
    assert promise.user_week is not None
    assert promise.user is not None
    assert parameters.mechanism.scale == pytest.approx(1 / 0.66)
    assert promise.trip.epsilon == pytest.approx(0.66)
    assert promise.user_week.epsilon == pytest.approx(composed_epsilon(0.66, 30))
    assert promise.user.epsilon == pytest.approx(composed_epsilon(0.66, 30, 52))


def test_discovered_cells_against_the_union_bound() -> None:
    promise = guarantee_from_parameters(
        GuaranteeParameters(epsilon=2, max_trips_per_user=4, weeks=3, threshold=20, cells="discovered")
    )
    assert promise.user_week is not None
    assert promise.user is not None
    # L·a^{τ−1}/(1+a) with a = e^{−ε/L}
    a = math.exp(-0.5)
    assert promise.user_week.delta == pytest.approx(4 * a**19 / (1 + a))
    assert promise.user.delta == pytest.approx(3 * promise.user_week.delta)
    assert promise.trip.delta == pytest.approx(threshold_delta(0.5, 20, "integer"))


def test_statement_never_rounds_a_bound_down() -> None:
    promise = guarantee_from_parameters(GuaranteeParameters(epsilon=0.66, max_trips_per_user=1))
    assert promise.trip.optimal_accuracy == pytest.approx(0.6592604, abs=1e-7)
    assert "in at most 66.0% of cases" in promise.statement
    assert "Every further release of the same people adds to this." in promise.statement


@pytest.mark.parametrize(("epsilon", "bound", "weeks"), [(0.66, 10, 52), (2, 2, 4), (5.08, 10, 3)])
def test_statement_says_how_certain_against_enumeration(epsilon: float, bound: int, weeks: int) -> None:
    """Of people with n cells, each right with chance p: those whose 2J − n steps exceed the log odds of 95%."""
    statement = guarantee_from_parameters(
        GuaranteeParameters(epsilon=epsilon, max_trips_per_user=bound, weeks=weeks)
    ).statement
    loss = epsilon / bound
    worst = 0.0
    for n in range(bound * weeks + 1):
        right = np.arange(n + 1)
        certain = (2 * right - n) * loss > math.log(0.95 / 0.05)
        worst = max(worst, scipy.stats.binom.pmf(right, n, 1 / (1 + math.exp(-loss)))[certain].sum())
    assert f"is more than 95% certain in at most {math.ceil(1000 * worst) / 10:.1f}% of cases" in statement
    assert "(a coin: 50%)" in statement


def test_statement_of_a_year_against_science() -> None:
    """0.066 a cell in 520 cells: 11.0828% for whoever fills them all, 11.8846% for one trip less (section 2.5)."""
    parameters = GuaranteeParameters(epsilon=0.66, max_trips_per_user=10, weeks=52, threshold=0)
    promise = guarantee_from_parameters(parameters)
    assert promise.user is not None
    exact = scipy.stats.binom.sf([(519 + 44) // 2, (520 + 44) // 2], [519, 520], 1 / (1 + math.exp(-0.066)))
    assert exact == pytest.approx([0.118846, 0.110828], abs=1e-6)
    assert promise.user.certain_share == pytest.approx(max(exact), rel=1e-9)
    # Of one week: σ(0.66) = 0.65926.
    assert "is never more than 66% certain of someone who is." in promise.statement
    assert promise.statement.endswith("who held both answers for equally likely.")


def test_certainty_of_discovered_cells_adds_what_shows_someone_alone() -> None:
    """A cell of nobody else that shows tells for certain: its δ is added to the chance."""
    plain, alone = (
        guarantee_from_parameters(
            GuaranteeParameters(epsilon=2, max_trips_per_user=4, weeks=3, threshold=20, cells=cells)
        ).user
        for cells in ("public", "discovered")
    )
    assert plain is not None
    assert alone is not None
    assert alone.certain_share == pytest.approx(plain.certain_share + alone.delta, rel=1e-12)


@settings(max_examples=60)
@given(
    epsilon=st.floats(0.01, 20),
    bound=st.integers(1, 1000),
    weeks=st.integers(1, 520),
    threshold=st.integers(1, 100_000),
    cells=st.sampled_from(["public", "discovered"]),
)
def test_every_figure_is_a_number_and_in_order(
    epsilon: float, bound: int, weeks: int, threshold: int, cells: str
) -> None:
    promise = guarantee_from_parameters(
        GuaranteeParameters(
            epsilon=epsilon, max_trips_per_user=bound, weeks=weeks, threshold=threshold, cells=cells
        )
    )
    units = [promise.trip, promise.user_week, promise.user]
    for unit in units:
        assert unit is not None
        assert all(math.isfinite(value) for value in asdict(unit).values() if isinstance(value, float))
        assert unit.epsilon > 0
        assert unit.epsilon_by_losses <= unit.epsilon * (1 + 1e-12)
        assert 0.5 < unit.optimal_accuracy <= unit.proven_accuracy + 1e-12 <= 1 + 1e-12
        assert (unit.delta > 0) == (cells == "discovered")
    for small, large in itertools.pairwise(units):
        assert small is not None
        assert large is not None
        assert small.epsilon <= large.epsilon * (1 + 1e-12)
        assert small.optimal_accuracy <= large.optimal_accuracy + 1e-12
    assert "nan" not in promise.statement
    assert "inf " not in promise.statement


@pytest.mark.parametrize("epsilon", [0.01, 20.0])
@pytest.mark.parametrize("bound", [None, 1, 1000])
@pytest.mark.parametrize("weeks", [1, 520])
@pytest.mark.parametrize("threshold", [1, 100_000])
def test_corners_never_reach_zero_or_infinity(
    epsilon: float, bound: int | None, weeks: int, threshold: int
) -> None:
    parameters = GuaranteeParameters(
        epsilon=epsilon, max_trips_per_user=bound, weeks=weeks, threshold=threshold, cells="discovered"
    )
    promise = guarantee_from_parameters(parameters)
    for unit in (promise.trip, promise.user_week, promise.user):
        if unit is not None:
            assert 0 < unit.delta <= 1
            assert unit.log10_delta is not None
            assert -1e6 < unit.log10_delta <= 0
            assert 0.5 < unit.optimal_accuracy <= 1
    assert threshold_delta(20, 100_000) > 0


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"epsilon": math.nan}, "epsilon must be a finite number, got nan."),
        ({"max_trips_per_user": 0}, "max_trips_per_user must be between 1 and 1,000, got 0."),
        ({"weeks": 521}, "weeks must be between 1 and 520, got 521."),
        ({"cells": "all"}, "cells must be one of public, discovered, got 'all'."),
        (
            {"cells": "discovered", "threshold": 0},
            "threshold must be at least 1 where only discovered cells are published, got 0.",
        ),
        ({"target_delta": 1}, "target_delta must be between 1e-15 and 0.5, got 1."),
    ],
)
def test_parameters_iv(wrong: dict[str, float], sentence: str) -> None:
    with pytest.raises(ParameterError) as error:
        GuaranteeParameters(**{"epsilon": 1.0} | wrong)  # type: ignore[arg-type]
    assert str(error.value) == sentence


def test_discovered_cells_add_to_the_best_attack_and_to_what_is_proven_against_brute_force() -> None:
    """All outcomes of four noisy cells, and half of δ for the cell that shows; e^ε/(1+e^ε) and δ of the rest."""
    promise = guarantee_from_parameters(
        GuaranteeParameters(epsilon=1, max_trips_per_user=4, threshold=10, cells="discovered")
    )
    week = promise.user_week
    assert week is not None
    a = math.exp(-0.25)
    truth, delta = 1 / (1 + a), 4 * a**9 / (1 + a)
    assert 0.2 < delta < 0.3  # large enough that nobody overlooks it
    right = (
        sum(
            max(
                truth ** sum(coins) * (1 - truth) ** (4 - sum(coins)),
                (1 - truth) ** sum(coins) * truth ** (4 - sum(coins)),
            )
            for coins in itertools.product((0, 1), repeat=4)
        )
        / 2
    )
    assert week.optimal_accuracy == pytest.approx(right + delta / 2)
    certain = math.e / (1 + math.e)
    assert week.proven_accuracy == pytest.approx(certain + delta * (1 - certain))


@pytest.mark.parametrize(
    ("delta", "words"),
    [
        (9.95e-7, "10⁻⁶"),
        (9.9e-7, "9.9·10⁻⁷"),
        (9.9001e-7, "10⁻⁶"),
        (9.99e-4, "10⁻³"),
        (9.99e-3, "0.01"),
        (9.99e-2, "0.1"),
        (0.999, "1"),
        (9.999e-10, "10⁻⁹"),
        (9.999e-101, "10⁻¹⁰⁰"),
    ],
)
def test_a_delta_that_rounds_up_to_ten_is_the_next_power_by_hand(delta: float, words: str) -> None:
    assert delta_words(delta) == words
