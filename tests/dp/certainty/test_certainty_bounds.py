"""Bounds and composition against the published numbers and against each other."""

import math

import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from privlab.checks import ParameterError
from privlab.dp.certainty.certainty_bounds import (
    claimed_bound,
    composed_epsilon,
    least_mean_trips,
    threshold_delta,
    user_level_bounds,
)
from privlab.dp.noise.mechanisms import NOISES, Mechanism, noise_from_uniform

epsilons = st.floats(0.01, 20)


@given(epsilons)
def test_claimed_bound_against_scipy(epsilon):
    assert claimed_bound(epsilon) == pytest.approx(scipy.special.expit(epsilon), rel=1e-14)


def test_claimed_bound_against_paper():
    assert claimed_bound(0.66) == pytest.approx(0.659260, abs=5.1e-7)
    assert claimed_bound(0.66) - 0.5 == pytest.approx(0.1593, abs=5.1e-5)


@given(epsilons, st.integers(0, 1000))
def test_user_level_bounds_against_scipy(epsilon, last):
    bounds = user_level_bounds(epsilon, last)
    assert bounds == pytest.approx(scipy.special.expit(epsilon * np.arange(last + 1)), rel=1e-13)
    assert bounds[0] == 0.5


@given(epsilons, st.integers(1, 10_000))
def test_threshold_delta_against_scipy(epsilon, threshold):
    """A count of one plus Laplace noise reaches the threshold."""
    tail = scipy.stats.laplace.sf(threshold, loc=1, scale=1 / epsilon)
    assert threshold_delta(epsilon, threshold) == pytest.approx(tail, rel=1e-9)


@given(epsilons, st.integers(1, 10_000))
def test_threshold_delta_of_integer_noise_against_scipy(epsilon, threshold):
    """A count of one plus discrete Laplace noise reaches the threshold."""
    tail = scipy.stats.dlaplace.sf(threshold - 1, epsilon, loc=1)
    assert threshold_delta(epsilon, threshold, "integer") == pytest.approx(tail, rel=1e-9)


def test_threshold_delta_of_both_noises_against_draws():
    """The noise that releases draw, at evenly spread uniforms: exact to a few in 200,000."""
    for noise in NOISES:
        mechanism = Mechanism(noise=noise, epsilon=1.0, l1_sensitivity=2)
        uniform = (np.arange(200_000) + 0.5) / 200_000
        for threshold in (1, 2, 5):
            share = np.mean(1 + noise_from_uniform(mechanism, uniform) >= threshold)
            assert threshold_delta(0.5, threshold, noise) == pytest.approx(share, abs=2e-5)


def test_threshold_delta_against_paper():
    assert threshold_delta(0.66, 100) == pytest.approx(2.1e-29, rel=0.02)
    assert threshold_delta(0.66, 1) == 0.5


def test_composed_epsilon_against_paper():
    assert composed_epsilon(0.66, 70) == pytest.approx(46.2)
    assert composed_epsilon(0.66, 70, 52) == pytest.approx(2402.4)
    assert composed_epsilon(0.66, 0) == 0


def test_least_mean_trips_against_paper():
    assert least_mean_trips(46_333 * 100, 5_000_000) == pytest.approx(0.92666)
    assert least_mean_trips(0, 1) == 0


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.66, 0, 21, "0.66", None, True])
def test_epsilon_iv(value):
    for call in (
        lambda: claimed_bound(value),
        lambda: user_level_bounds(value, 3),
        lambda: threshold_delta(value, 100),
        lambda: composed_epsilon(value, 3),
    ):
        with pytest.raises(ParameterError, match=r"^epsilon must be .*, got .*\.$"):
            call()


def test_the_rest_iv():
    for call, name in (
        (lambda: user_level_bounds(1, 1001), "max_trips"),
        (lambda: user_level_bounds(1, 1.5), "max_trips"),
        (lambda: threshold_delta(1, 0), "threshold"),
        (lambda: threshold_delta(1, math.nan), "threshold"),
        (lambda: threshold_delta(1, 5, "gaussian"), "noise"),
        (lambda: composed_epsilon(1, -1), "n_trips"),
        (lambda: composed_epsilon(1, 1, 0), "n_weeks"),
        (lambda: composed_epsilon(1, 1, 521), "n_weeks"),
        (lambda: least_mean_trips(-1, 1), "published_total"),
        (lambda: least_mean_trips(1, 0), "population"),
        (lambda: least_mean_trips(1, math.nan), "population"),
    ):
        with pytest.raises(ParameterError, match=rf"^{name} must be .*, got .*\.$"):
            call()
