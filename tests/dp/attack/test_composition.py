"""Many cells of one person against dp-accounting, enumeration and theory, up to the limits."""

import itertools
import math

import numpy as np
import pytest
import scipy.special
import scipy.stats
from dp_accounting.pld import privacy_loss_distribution as pld
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.checks import ParameterError
from privlab.dp.attack.composition import (
    accuracy_from_composed_cells,
    delta_from_composed_cells,
    deltas_and_epsilon_from_composed_cells,
    epsilon_from_composed_cells,
)
from privlab.dp.attack.exact_accuracy import ACCURACY_FROM_EPSILON
from privlab.limits import MAX_CELLS_COMPOSED, MIN_EPSILON_PER_CELL

NOISES = ("laplace", "integer")


def enumerated_delta(epsilon_per_cell: float, n_cells: int, epsilon: float) -> float:
    """All patterns of coins that show the truth with probability e^ε/(1+e^ε): Σ max(0, in − e^ε·out)."""
    truth = 1 / (1 + math.exp(-epsilon_per_cell))
    total = 0.0
    for pattern in itertools.product((truth, 1 - truth), repeat=n_cells):
        inside, out = math.prod(pattern), math.prod(1 - chance for chance in pattern)
        total += max(0.0, inside - math.exp(epsilon) * out)
    return total


@pytest.mark.parametrize(
    ("loss", "n_cells", "epsilon"), [(0.066, 10, 0.4), (1.0, 5, 0.0), (0.3, 9, 1.5), (5, 3, 9)]
)
def test_integer_delta_against_brute_force(loss: float, n_cells: int, epsilon: float) -> None:
    expected = enumerated_delta(loss, n_cells, epsilon)
    assert delta_from_composed_cells("integer", loss, n_cells, epsilon) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize(("loss", "n_cells"), [(0.066, 10), (0.66, 30), (0.1, 520), (2.0, 12)])
def test_integer_epsilon_and_delta_against_dp_accounting(loss: float, n_cells: int) -> None:
    composed = pld.from_discrete_laplace_mechanism(
        parameter=loss, sensitivity=1, value_discretization_interval=loss / 100
    ).self_compose(n_cells)
    ours = epsilon_from_composed_cells("integer", loss, n_cells, 1e-6)
    assert ours == pytest.approx(composed.get_epsilon_for_delta(1e-6), rel=1e-5)
    for epsilon in (0.0, loss, ours):
        delta = delta_from_composed_cells("integer", loss, n_cells, epsilon)
        assert delta == pytest.approx(composed.get_delta_for_epsilon(epsilon), abs=1e-9)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("n_cells", [0, 1, 2, 7, 300])
def test_accuracy_against_the_curve_and_total_variation(noise: str, n_cells: int) -> None:
    accuracy = accuracy_from_composed_cells(noise, 0.2, n_cells)
    assert accuracy == pytest.approx(ACCURACY_FROM_EPSILON[noise](0.2, n_cells)[n_cells], abs=1e-12)
    distance = delta_from_composed_cells(noise, 0.2, n_cells, 0.0)
    assert accuracy == pytest.approx((1 + distance) / 2, abs=1e-6)


def test_one_composition_for_many_questions_against_dp_accounting() -> None:
    composed = pld.from_laplace_mechanism(1 / 0.66, value_discretization_interval=1e-4).self_compose(30)
    deltas, epsilon = deltas_and_epsilon_from_composed_cells(
        "laplace", 0.66, 30, epsilons=(1.0, 7.0, 20.0), delta=1e-6
    )
    assert deltas[:2] == pytest.approx([composed.get_delta_for_epsilon(one) for one in (1.0, 7.0)], abs=1e-3)
    assert deltas[2] == 0  # 30 losses of at most 0.66 are 19.8
    assert epsilon == pytest.approx(composed.get_epsilon_for_delta(1e-6), rel=1e-3)
    assert deltas_and_epsilon_from_composed_cells("integer", 1.0, 0, epsilons=(0.0,), delta=0.1) == (
        (0.0,),
        0.0,
    )


@pytest.mark.parametrize(("loss", "delta"), [(0.066, 1e-6), (0.66, 1e-3), (5.0, 0.1), (0.01, 0.05)])
def test_one_laplace_cell_against_dp_accounting(loss: float, delta: float) -> None:
    one = pld.from_laplace_mechanism(1 / loss, value_discretization_interval=loss / 10_000)
    ours = epsilon_from_composed_cells("laplace", loss, 1, delta)
    assert ours == pytest.approx(one.get_epsilon_for_delta(delta), abs=2e-4 * loss)
    assert ours <= loss
    assert deltas_and_epsilon_from_composed_cells("laplace", loss, 1, epsilons=(0.0,), delta=delta)[1] == ours


@settings(max_examples=30)
@given(st.floats(MIN_EPSILON_PER_CELL, 20), st.integers(1, 400), st.floats(1e-12, 0.1))
def test_epsilon_keeps_its_delta_and_never_exceeds_composition(
    loss: float, n_cells: int, delta: float
) -> None:
    epsilon = epsilon_from_composed_cells("integer", loss, n_cells, delta)
    assert 0 <= epsilon <= loss * n_cells * (1 + 1e-12)
    assert delta_from_composed_cells("integer", loss, n_cells, epsilon) <= delta * (1 + 1e-9)
    if epsilon > 1e-6:
        assert delta_from_composed_cells("integer", loss, n_cells, epsilon * (1 - 1e-6)) > delta * (1 - 1e-6)


@pytest.mark.parametrize("loss", [MIN_EPSILON_PER_CELL, 0.02, 20.0])
@pytest.mark.parametrize("n_cells", [1, 1000, MAX_CELLS_COMPOSED])
def test_integer_at_the_limits_degenerate(loss: float, n_cells: int) -> None:
    accuracy = accuracy_from_composed_cells("integer", loss, n_cells)
    epsilon = epsilon_from_composed_cells("integer", loss, n_cells, 1e-15)
    assert 0.5 < accuracy <= 1
    assert 0 < epsilon <= loss * n_cells


def test_laplace_beyond_the_curve_against_the_normal_limit() -> None:
    # Loss of one cell at small ε: mean ±ε²/2·…, variance ≈ ε²; the best test then wins Φ(ε√n/2).
    accuracy = accuracy_from_composed_cells("laplace", 0.01, 40_000)
    assert accuracy == pytest.approx(0.5 * math.erfc(-0.01 * 200 / 2 / math.sqrt(2)), abs=2e-3)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("pink", 1, 1), "noise"),
        (("integer", math.nan, 1), "epsilon_per_cell"),
        (("integer", 1, MAX_CELLS_COMPOSED + 1), "n_cells"),
    ],
)
def test_parameters_iv(arguments: tuple[str, float, int], name: str) -> None:
    for call in (
        lambda: accuracy_from_composed_cells(*arguments),
        lambda: delta_from_composed_cells(*arguments, 0.5),
        lambda: epsilon_from_composed_cells(*arguments, 1e-6),
    ):
        with pytest.raises(ParameterError, match=rf"^{name} must .*, got .*\.$"):
            call()
    with pytest.raises(ParameterError, match=r"^delta must .*, got 0\.$"):
        epsilon_from_composed_cells("integer", 1, 1, 0)


def test_what_is_left_out_of_the_sum_still_counts_against_theory() -> None:
    """Outcomes too rare to be summed are part of δ: it is never less than the exact sum, which is above 0."""
    n, epsilon_per_cell, epsilon = 1000, 0.1, 45.0
    hits = np.arange(n + 1)
    loss = (2 * hits - n) * epsilon_per_cell
    mass = scipy.stats.binom.pmf(hits, n, scipy.special.expit(epsilon_per_cell))
    exact = float(mass[loss > epsilon] @ -np.expm1(epsilon - loss[loss > epsilon]))
    assert 0 < exact < 1e-20
    assert delta_from_composed_cells("integer", epsilon_per_cell, n, epsilon) >= exact
