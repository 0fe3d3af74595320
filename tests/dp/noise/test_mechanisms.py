"""The two noise laws against scipy's, by inversion at chosen uniforms and by exact test."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from privlab.checks import ParameterError
from privlab.dp.noise.mechanisms import (
    NOISES,
    Mechanism,
    even_noise,
    log_noise_tail,
    mechanism_from_bound,
    noise_from_uniform,
    noise_tail,
)

CASES = [(0.66, 1), (0.01, 1), (20.0, 1), (1.0, 30), (0.01, 1000), (5.0, 2)]
by_case = pytest.mark.parametrize(("epsilon", "sensitivity"), CASES)


def mechanism(noise: str, epsilon: float = 0.66, sensitivity: int = 1) -> Mechanism:
    return Mechanism(noise=noise, epsilon=epsilon, l1_sensitivity=sensitivity)


@by_case
def test_scale_against_theory(epsilon, sensitivity):
    made = mechanism("laplace", epsilon, sensitivity)
    assert made.scale == pytest.approx(sensitivity / epsilon)
    assert made.epsilon_per_cell == pytest.approx(epsilon / sensitivity)


@by_case
@pytest.mark.parametrize("noise", NOISES)
def test_tail_against_scipy(noise, epsilon, sensitivity):
    scale = sensitivity / epsilon
    law = scipy.stats.dlaplace(1 / scale) if noise == "integer" else scipy.stats.laplace(scale=scale)
    value = np.arange(-30, 31)
    at_least = law.sf(value - 1) if noise == "integer" else law.sf(value)
    assert noise_tail(noise, scale, value) == pytest.approx(at_least, rel=1e-12, abs=1e-15)
    rare = [math.exp(log_noise_tail(noise, scale, n)) for n in (0, 7)]
    assert rare == pytest.approx(at_least[[30, 37]], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("scale", [-1.0, 0.0, math.nan, math.inf])
def test_tail_of_a_scale_that_is_none_is_refused(noise, scale):
    with pytest.raises(ParameterError, match=r"^scale must be"):
        noise_tail(noise, scale, [0, 1])
    with pytest.raises(ParameterError, match=r"^scale must be"):
        log_noise_tail(noise, scale, 1)


def test_tail_of_another_noise_is_refused():
    with pytest.raises(ParameterError, match="noise must be one of laplace, integer, got 'gaussian'"):
        noise_tail("gaussian", 1.0, [0, 1])


@by_case
def test_laplace_inverts_against_scipy(epsilon, sensitivity):
    uniform = np.concatenate([np.linspace(0.0005, 0.9995, 999), [1e-12, 1e-6, 1 - 1e-6, 1 - 1e-12, 0.5]])
    noise = noise_from_uniform(mechanism("laplace", epsilon, sensitivity), uniform)
    law = scipy.stats.laplace(scale=sensitivity / epsilon)
    assert law.cdf(noise) == pytest.approx(uniform, abs=1e-15)
    # In the far tail a uniform near 0 keeps few digits once ½ is taken from it.
    assert noise == pytest.approx(law.ppf(uniform), rel=1e-5, abs=1e-9 * sensitivity / epsilon)


@by_case
def test_integer_inverts_against_scipy(epsilon, sensitivity):
    """At u strictly inside a step of the distribution function the value is that step."""
    law = scipy.stats.dlaplace(epsilon / sensitivity)
    reach = int(min(40 * sensitivity / epsilon, 300)) + 2
    values = np.arange(-reach, reach + 1)
    middle = (law.cdf(values - 1) + law.cdf(values)) / 2
    seen = (law.pmf(values) > 1e-11) & (np.abs(middle - 0.5) < 0.5 - 1e-11)
    noise = noise_from_uniform(mechanism("integer", epsilon, sensitivity), middle[seen])
    assert np.array_equal(noise, values[seen])


@by_case
def test_laplace_law_against_scipy(epsilon, sensitivity):
    uniform = np.random.default_rng(3).random(100_000)
    noise = noise_from_uniform(mechanism("laplace", epsilon, sensitivity), uniform)
    assert scipy.stats.kstest(noise, scipy.stats.laplace(scale=sensitivity / epsilon).cdf).pvalue > 1e-6


@by_case
def test_integer_law_against_scipy(epsilon, sensitivity):
    n = 100_000
    noise = noise_from_uniform(mechanism("integer", epsilon, sensitivity), np.random.default_rng(4).random(n))
    law = scipy.stats.dlaplace(epsilon / sensitivity)
    spread = max(1, round(sensitivity / epsilon))
    assert np.array_equal(noise, np.round(noise))
    for value in (-3 * spread, -spread, -1, 0, 1, spread, 3 * spread):
        hits = int((noise <= value).sum())
        assert scipy.stats.binomtest(hits, n, float(law.cdf(value))).pvalue > 1e-6
    assert scipy.stats.binomtest(int((noise == 0).sum()), n, float(law.pmf(0))).pvalue > 1e-6


@given(arrays(np.float64, 20, elements=st.floats(0, 1, exclude_max=True)), st.floats(0.01, 10))
def test_laplace_doubles_with_its_scale(uniform, epsilon):
    once = noise_from_uniform(mechanism("laplace", epsilon, 3), uniform)
    assert noise_from_uniform(mechanism("laplace", epsilon, 6), uniform) == pytest.approx(2 * once, rel=1e-12)
    assert noise_from_uniform(mechanism("laplace", 2 * epsilon, 3), uniform) == pytest.approx(
        once / 2, rel=1e-12
    )


@pytest.mark.parametrize("noise", NOISES)
@given(arrays(np.float64, (4, 5), elements=st.floats(0, 1, exclude_max=True)), st.floats(0.01, 10))
def test_noise_is_finite_odd_and_monotone(noise, uniform, epsilon):
    made = mechanism(noise, epsilon)
    drawn = noise_from_uniform(made, uniform)
    assert drawn.shape == uniform.shape
    assert np.all(np.isfinite(drawn))
    order = np.argsort(uniform, axis=None)
    assert np.all(np.diff(drawn.ravel()[order]) >= 0)
    wider = noise_from_uniform(mechanism(noise, epsilon, 2), uniform)
    assert np.all(np.abs(wider) >= np.abs(drawn))


@pytest.mark.parametrize("noise", NOISES)
def test_ends_of_the_unit_interval_degenerate(noise):
    ends = noise_from_uniform(mechanism(noise), np.array([0.0, np.nextafter(1, 0), 0.5]))
    assert np.all(np.isfinite(ends))
    assert ends[0] < 0 < ends[1]
    assert ends[2] == 0


def test_argument_is_left_alone():
    uniform = np.random.default_rng(1).random(10)
    before = uniform.copy()
    for noise in NOISES:
        noise_from_uniform(mechanism(noise), uniform)
    assert np.array_equal(uniform, before)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"noise": "gauss"}, "noise"),
        ({"noise": None}, "noise"),
        *(({"epsilon": value}, "epsilon") for value in (math.nan, math.inf, -1, 0, 20.1, "1", None, True)),
        *(({"l1_sensitivity": value}, "l1_sensitivity") for value in (math.nan, 0, -1, 1001, "1", None, 1.5)),
    ],
)
def test_fields_iv(change, name):
    fields = {"noise": "laplace", "epsilon": 0.66, "l1_sensitivity": 1} | change
    with pytest.raises(ParameterError, match=rf"^{name} must be .*, got .*\.$"):
        Mechanism(**fields)


@pytest.mark.parametrize("bound", [1, 10])
def test_even_noise_against_scipy(bound: int) -> None:
    one = mechanism("laplace", 0.66, bound)
    expected = scipy.stats.laplace(scale=bound / 0.66).ppf((np.arange(100) + 0.5) / 100)
    assert even_noise(one, 100) == pytest.approx(expected)


def test_a_bound_of_no_trip_is_no_bound_of_one_iv() -> None:
    assert mechanism_from_bound("laplace", 1.0, None).scale == 1  # of one trip
    with pytest.raises(ParameterError, match=r"^l1_sensitivity must be between 1 and 1,000, got 0\.$"):
        mechanism_from_bound("laplace", 1.0, 0)
