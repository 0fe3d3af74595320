"""The trade-off curve of a promise: against the Neyman–Pearson lemma point by point, and against the continuous law."""

import itertools

import numpy as np
import pytest
from scipy.stats import norm

from privlab.dp.audit.trade_off import trade_off_from_promise
from privlab.dp.gaussian.gaussian_parameters import GaussianParameters
from privlab.dp.promise.guarantees import GuaranteeParameters

RATES = np.array([0.0, 1e-4, 0.01, 0.1, 0.5, 0.9, 1.0])


def best_rates(likely: np.ndarray, unlikely: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Return the true positive rates of the best randomised tests: outcomes taken in by their likelihood ratio."""
    order = np.argsort(-likely / unlikely)
    false, true = (np.append(0.0, np.cumsum(one[order])) for one in (unlikely, likely))
    return np.interp(alpha, false, true)


@pytest.mark.parametrize(("epsilon", "bound"), [(1.0, 1), (2.0, 3), (0.5, 4)])
def test_integer_noise_against_the_lemma_by_brute_force(epsilon: float, bound: int) -> None:
    """All joint outcomes of L cells, each above its count or not; noise beyond 400 is below 1e-20 of the whole."""
    a, x = np.exp(-epsilon / bound), np.arange(-400, 401)
    mass = (1 - a) / (1 + a) * a ** np.abs(x)
    # What matters of a cell is whether it lies above its count; both are a cell's only likelihood ratios.
    with_person = np.array([mass[x >= 0].sum(), mass[x < 0].sum()])
    without = with_person[::-1]
    outcomes = list(itertools.product((0, 1), repeat=bound))
    likely = np.array([np.prod(with_person[list(one)]) for one in outcomes])
    unlikely = np.array([np.prod(without[list(one)]) for one in outcomes])
    curve = trade_off_from_promise(GuaranteeParameters(epsilon=epsilon, max_trips_per_user=bound))
    assert curve.most_true_positives(RATES) == pytest.approx(best_rates(likely, unlikely, RATES), abs=1e-6)
    assert curve.most_accuracy == pytest.approx(0.5 + np.maximum(likely - unlikely, 0).sum() / 2, abs=1e-6)
    # Of two releases the one of larger likelihood ratio, a coin where both are alike: the area below the curve.
    ratio = likely / unlikely
    wins = (ratio[:, None] > ratio * (1 + 1e-9)) + 0.5 * np.isclose(ratio[:, None], ratio)
    assert curve.most_pairs == pytest.approx(likely @ wins @ unlikely, abs=1e-6)


def test_half_and_whole_noise_of_issue_19_against_the_vote_by_hand() -> None:
    """L = 20, ε = 1: .5440 is the most; half the scale lets a vote be right in .5874."""
    most = [
        trade_off_from_promise(GuaranteeParameters(epsilon=epsilon, max_trips_per_user=20)).most_accuracy
        for epsilon in (1.0, 2.0)
    ]
    assert most == pytest.approx([0.5440, 0.5874], abs=5e-5)


def test_gaussian_noise_is_that_of_the_normal_law_and_never_below_it() -> None:
    promise = GaussianParameters(epsilon=1.0, delta=1e-6, max_trips_per_user=10)
    curve = trade_off_from_promise(promise)
    shift = 1024 * np.sqrt(10) / promise.sigma
    exact = norm.cdf(norm.ppf(RATES) + shift)
    assert curve.most_true_positives(RATES) == pytest.approx(exact, abs=1e-4)
    assert (curve.most_true_positives(RATES) >= exact - 1e-7).all()
    assert curve.most_accuracy == pytest.approx(norm.cdf(shift / 2), abs=1e-6)
    area = norm.cdf(shift / np.sqrt(2))
    assert area <= curve.most_pairs == pytest.approx(area, abs=1e-4)


def test_a_discovered_cell_shows_by_being_there_by_hand() -> None:
    """L = 1: a lone person's cell is seen with a^{τ−1}/(1+a), where it never is without; else e^ε holds."""
    a = np.exp(-1.0)
    curve = trade_off_from_promise(
        GuaranteeParameters(epsilon=1.0, max_trips_per_user=1, cells="discovered", threshold=4)
    )
    assert float(curve.most_true_positives(0.0)) == pytest.approx(a**3 / (1 + a))
    assert float(curve.most_true_positives(0.1)) == pytest.approx(0.1 * np.e + a**3 / (1 + a))


@pytest.mark.parametrize("threshold", [1, 4])
def test_no_test_is_right_more_often_than_the_curve_says_where_cells_show(threshold: int) -> None:
    """A test with rates (α, β) is right in (1 + β − α)/2 of cases: the most of that over the whole curve is its accuracy."""
    curve = trade_off_from_promise(
        GuaranteeParameters(epsilon=1.0, max_trips_per_user=2, cells="discovered", threshold=threshold)
    )
    rates = np.linspace(0, 1, 20_001)
    right = (1 + curve.most_true_positives(rates) - rates) / 2
    assert curve.shown > 0.01  # nobody overlooks it
    assert curve.most_accuracy == pytest.approx(right.max(), abs=1e-4)
