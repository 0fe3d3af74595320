"""Gaussian noise for (ε, δ): against dp_accounting, against the integral that defines δ, by inversion."""

import math

import pytest
import scipy.integrate
import scipy.stats
from dp_accounting import gaussian_mechanism
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.checks import ParameterError
from privlab.dp.noise.calibration import gaussian_delta, gaussian_sigma
from privlab.limits import MAX_EPSILON, MAX_TARGET_DELTA, MIN_EPSILON, MIN_TARGET_DELTA

epsilons = st.floats(math.log(MIN_EPSILON), math.log(MAX_EPSILON)).map(math.exp)
deltas = st.floats(math.log(MIN_TARGET_DELTA), math.log(MAX_TARGET_DELTA)).map(math.exp)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.66, 1.0, 3.0, 10.0, 20.0, 100.0, 1300.0, 10_400.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-5, 0.1])
def test_sigma_against_dp_accounting(epsilon: float, delta: float) -> None:
    expected = gaussian_mechanism.get_sigma_gaussian(epsilon, delta)
    assert gaussian_sigma(epsilon, delta, 1.0) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("epsilon", "sigma"), [(0.1, 1.0), (1.0, 1.0), (1.0, 3.73), (4.0, 0.5)])
def test_delta_against_its_definition(epsilon: float, sigma: float) -> None:
    """δ = ∫ max(0, p(x) − e^ε·q(x)) dx, by quadrature."""
    inside, outside = scipy.stats.norm(1, sigma), scipy.stats.norm(0, sigma)
    first = 0.5 + epsilon * sigma**2  # from here on p exceeds e^ε·q
    expected = scipy.integrate.quad(
        lambda x: inside.pdf(x) - math.exp(epsilon) * outside.pdf(x), first, first + 40 * sigma, epsabs=1e-13
    )[0]
    assert gaussian_delta(epsilon, sigma) == pytest.approx(expected, rel=1e-6)


@settings(max_examples=200)
@given(epsilons, deltas)
def test_sigma_by_inversion_is_enough_and_hardly_more(epsilon: float, delta: float) -> None:
    sigma = gaussian_sigma(epsilon, delta, 1.0)
    assert gaussian_delta(epsilon, sigma) <= delta
    assert gaussian_delta(epsilon, sigma * (1 - 1e-6)) > delta


def test_classical_formula_breaks_its_promise() -> None:
    """√(2 ln(1.25/δ))/ε (Dwork & Roth 2014) is proven for ε < 1 only; at 10 it spends more than δ."""
    epsilon, delta = 10.0, 1e-5
    classical = math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    assert gaussian_delta(epsilon, classical) > 2 * delta
    assert gaussian_sigma(epsilon, delta, 1.0) > classical


def test_sigma_grows_with_the_sensitivity() -> None:
    assert gaussian_sigma(1.0, 1e-5, 52.0) == pytest.approx(52 * gaussian_sigma(1.0, 1e-5, 1.0))


@pytest.mark.parametrize(
    ("values", "name"),
    [((0.0, 1e-5, 1), "epsilon"), ((math.nan, 1e-5, 1), "epsilon"), ((1, 0, 1), "delta"), ((1, 0.6, 1), "delta"),
     ((1, 1e-5, 0), "l2_sensitivity")],
)  # fmt: skip
def test_sigma_iv(values: tuple[float, float, float], name: str) -> None:
    with pytest.raises(ParameterError, match=rf"^{name} must be .*, got .*\.$"):
        gaussian_sigma(*values)
