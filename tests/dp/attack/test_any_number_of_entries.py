"""The best test against many entries: dp_accounting, the exact curve, simulated tests, promises by integration."""

import math

import numpy as np
import pytest
import scipy.integrate
from dp_accounting.pld import privacy_loss_distribution as pld

from privlab.checks import ParameterError
from privlab.dp.attack.any_number_of_entries import (
    accuracy_from_promise,
    auc_from_promise,
    gaussian_accuracies,
    laplace_accuracies,
    promise_of_replacement,
)
from privlab.dp.attack.exact_accuracy import laplace_accuracy_from_epsilon
from privlab.dp.noise.calibration import gaussian_delta
from privlab.limits import MAX_ENTRIES_ATTACKED


@pytest.mark.parametrize("epsilon", [1e-5, 0.003, 0.02, 0.1, 0.5, 2.0, 20.0])
def test_laplace_against_the_exact_curve_odd_and_even(epsilon: float) -> None:
    found = laplace_accuracies(1 / epsilon, np.arange(1001))
    assert np.abs(found - laplace_accuracy_from_epsilon(epsilon, 1000)).max() < 1e-7


@pytest.mark.parametrize(
    ("epsilon", "n"), [(1 / 2748, 5_496), (10 / 2748, 10_007), (0.02, 3_001), (0.05, 4_000), (0.004, 60_000)]
)
def test_laplace_many_entries_against_dp_accounting(epsilon: float, n: int) -> None:
    one = pld.from_laplace_mechanism(1 / epsilon, value_discretization_interval=epsilon / 50)
    expected = 0.5 + one.self_compose(n).get_delta_for_epsilon(0.0) / 2
    assert laplace_accuracies(1 / epsilon, [n])[0] == pytest.approx(expected, abs=2e-6)


def test_laplace_noise_far_above_any_curve_against_the_central_limit() -> None:
    # Fisher information 1/scale² per entry: Φ(√n/2·scale) where that is next to nothing.
    for scale, n in ((2.7e5, [1, 5, 5_496]), (1e6, [200, 201, 90_000])):
        found = laplace_accuracies(scale, n)
        if n[-1] > 1_000:
            assert found[-1] == pytest.approx(gaussian_accuracies(scale, n[-1]), abs=1e-7)
        assert (np.diff(found) > 0).all()
    assert laplace_accuracies(2.7e5, [1])[0] == pytest.approx(1 - math.exp(-0.5 / 2.7e5) / 2, abs=1e-8)


def test_laplace_beyond_the_limit_is_a_bound_still() -> None:
    assert laplace_accuracies(1e6, [MAX_ENTRIES_ATTACKED + 1])[0] == 1.0
    assert laplace_accuracies(1e6, [MAX_ENTRIES_ATTACKED])[0] < 0.51
    with pytest.raises(ParameterError, match="scale must be between"):
        laplace_accuracies(0.04, [1])


@pytest.mark.parametrize(("n_in", "n_out"), [(3, 3), (1, 6)])
def test_auc_is_the_accuracy_of_both_together_against_a_simulated_test(n_in: int, n_out: int) -> None:
    """AUC of the loss of n entries inside against that of n' outside = accuracy of n + n' entries."""
    rng, epsilon, trials = np.random.default_rng(8), 0.7, 400_000

    def losses(n: int, shift: int) -> np.ndarray:
        y = shift + rng.laplace(0, 1 / epsilon, (trials, n))
        return (epsilon * np.clip(2 * y - 1, -1, 1)).sum(axis=1)

    inside, outside = losses(n_in, 1), losses(n_out, 0)
    even = np.abs(inside - outside) < 1e-9
    measured = np.mean((inside > outside) & ~even) + even.mean() / 2
    expected = laplace_accuracies(1 / epsilon, [n_in + n_out])[0]
    assert abs(measured - expected) < 4.9 * math.sqrt(0.25 / trials)


def test_gaussian_against_a_simulated_test() -> None:
    rng, trials = np.random.default_rng(9), 400_000
    inside, outside = rng.normal(1, 4.0, (2, trials, 9))[0], rng.normal(0, 4.0, (trials, 9))
    measured = np.mean(inside.sum(axis=1) > outside.sum(axis=1))
    assert abs(measured - gaussian_accuracies(4.0, 18)) < 4.9 * math.sqrt(0.25 / trials)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (1.0, 0.0), (1.0, 0.1), (0.0, 0.3), (3.0, 1e-5)])
def test_promises_against_the_region_they_leave(epsilon: float, delta: float) -> None:
    """The ROC below both lines of the region (Kairouz et al. 2015), its area and best accuracy by quadrature."""

    def roc(false: float) -> float:
        return min(1.0, delta + math.exp(epsilon) * false, 1 - math.exp(-epsilon) * (1 - delta - false))

    corner = (1 - delta) / (1 + math.exp(epsilon))
    area = scipy.integrate.quad(roc, 0, 1, points=[corner, 1 - delta], limit=200)[0]
    assert auc_from_promise(epsilon, delta) == pytest.approx(area, abs=1e-9)
    best = max((1 + roc(false) - false) / 2 for false in (*np.linspace(0, 1, 1001), corner))
    assert accuracy_from_promise(epsilon, delta) == pytest.approx(best, abs=1e-9)


def test_replacement_is_one_less_and_one_more() -> None:
    """For Gaussian noise: what (ε, δ) becomes over two steps holds of the exact δ at twice the distance."""
    epsilon, sigma = 1.0, 2.0
    twice, delta = promise_of_replacement(epsilon, gaussian_delta(epsilon, sigma))
    assert twice == 2.0
    assert gaussian_delta(twice, sigma / 2) <= delta
    assert promise_of_replacement(800.0, 1e-5) == (1600.0, 1.0)


def test_no_promise_leaves_a_test_more_than_certainty_degenerate() -> None:
    """δ adds up over releases: from 1 on nothing is promised, which must read 1 and not fall again."""
    for delta in (1.0, 1.5, 2.0, 1e9):
        assert (accuracy_from_promise(0.66, delta), auc_from_promise(0.66, delta)) == (1.0, 1.0)
        assert promise_of_replacement(0.66, delta) == (1.32, 1.0)


@pytest.mark.parametrize("asked", [accuracy_from_promise, auc_from_promise, promise_of_replacement])
@pytest.mark.parametrize(
    ("epsilon", "delta", "sentence"),
    [
        (-1, 0.0, "epsilon must be between 0 and inf, got -1."),
        (math.nan, 0.0, "epsilon must be a finite number, got nan."),
        (1.0, -0.1, "delta must be between 0 and inf, got -0.1."),
        (1.0, math.nan, "delta must be a finite number, got nan."),
        (None, 0.0, "epsilon must be a number, got None."),
    ],
)
def test_what_is_no_promise_is_refused_iv(asked, epsilon, delta, sentence) -> None:
    with pytest.raises(ParameterError) as refused:
        asked(epsilon, delta)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(("entries", "wrong"), [([1, -1], "-1"), ([math.nan], "nan")])
def test_fewer_than_no_entries_are_refused_iv(entries, wrong) -> None:
    with pytest.raises(ParameterError, match=f"n_entries must be numbers from 0, got {wrong}"):
        gaussian_accuracies(1.0, entries)
