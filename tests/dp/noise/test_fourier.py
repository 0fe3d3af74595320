"""Noise on coefficients: the transform against its matrix, lengths against their law, noise against its law."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.dp.noise.fourier import (
    chosen_lengths,
    coefficients_from_series,
    dropped_energies,
    gaussian_series,
    laplace_series,
    series_from_coefficients,
)


def matrix(n: int) -> np.ndarray:
    """The orthonormal DCT-II written out: rows are cosines of unit length."""
    k, t = np.arange(n)[:, None], np.arange(n)
    rows = np.cos(np.pi * k * (2 * t + 1) / (2 * n)) * math.sqrt(2 / n)
    rows[0] /= math.sqrt(2)
    return rows


@pytest.mark.parametrize("n", [1, 2, 24, 168])
def test_transform_against_its_matrix(n: int) -> None:
    rows, series = matrix(n), np.random.default_rng(1).normal(size=(3, 2, n))
    np.testing.assert_allclose(rows @ rows.T, np.eye(n), atol=1e-12)
    np.testing.assert_allclose(coefficients_from_series(series), series @ rows.T, atol=1e-12)
    for k in {1, n // 2 or 1, n}:
        kept = (series @ rows.T)[..., :k]
        np.testing.assert_allclose(series_from_coefficients(kept, n), kept @ rows[:k], atol=1e-12)


@settings(max_examples=100)
@given(st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_dropped_energies_against_brute_force(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    coefficients = rng.normal(size=(2, n)) * 10.0 ** rng.integers(-3, 4, size=n)
    expected = [[np.linalg.norm(row[k:]) for k in range(1, n + 1)] for row in coefficients]
    np.testing.assert_allclose(dropped_energies(coefficients), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("common", [False, True])
def test_chosen_lengths_against_the_law_of_the_exponential_mechanism(common: bool) -> None:
    first, second, sigma, rate, n = [9.0, 4.0, -6.0, 1.0], [1.0, 0.0, 2.0, 7.0], 2.0, 0.4, 40_000
    pair = np.array([first, second])
    rng = np.random.default_rng(3)
    found = chosen_lengths(np.tile(pair, (n, 1, 1)), sigma=sigma, rate=rate, common=common, rng=rng)
    assert found.shape == (n, 2)
    assert (found[:, 0] == found[:, 1]).all() == common
    if common:
        error = [math.hypot(*pair[:, k:].ravel()) + math.sqrt(2 * k) * sigma for k in (1, 2, 3, 4)]
    else:
        error = [math.hypot(*first[k:]) + math.sqrt(k) * sigma for k in (1, 2, 3, 4)]
    law = np.exp(-rate * np.array(error))
    times = np.bincount(found[:, 0], minlength=5)
    assert times[0] == 0
    assert scipy.stats.chisquare(times[1:], n * law / law.sum()).pvalue > 1e-6
    wrong = np.exp(-rate / 2 * np.array(error))  # the test would notice half the rate
    assert scipy.stats.chisquare(times[1:], n * wrong / wrong.sum()).pvalue < 1e-12


def test_laplace_noise_is_of_its_scale_on_orthonormal_coefficients() -> None:
    """The trap: the noise that reaches the coefficients must be Lap(scale), not 3 to 13 times less."""
    rng = np.random.default_rng(5)
    series = rng.integers(0, 50, size=(100, 4, 168))
    noisy = laplace_series(series, n_kept=20, scale=7.0, rng=rng)
    noise = (noisy @ matrix(168).T) - (series @ matrix(168).T)
    assert scipy.stats.kstest(noise[..., :20].ravel(), scipy.stats.laplace(scale=7.0).cdf).pvalue > 1e-6
    np.testing.assert_allclose((noisy @ matrix(168).T)[..., 20:], 0, atol=1e-9)
    third = scipy.stats.kstest(noise[..., :20].ravel(), scipy.stats.laplace(scale=7.0 / 3).cdf)
    assert third.pvalue < 1e-12


def test_gaussian_noise_is_of_its_sigma_where_coefficients_are_kept() -> None:
    rng = np.random.default_rng(6)
    series = np.outer(np.ones(4_000), 1_000 + 900 * np.cos(np.pi * 3 * (2 * np.arange(24) + 1) / 48))
    noisy = gaussian_series(
        series, sigma=5.0, rate=1.0, common=False, rng=rng
    )  # coefficients 0 and 3, large both
    found = noisy @ matrix(24).T
    kept = np.abs(found) > 1e-9
    assert (kept.argmin(axis=1)[~kept.all(axis=1)] >= 4).all()  # the first four at least, a prefix
    assert (kept == (np.arange(24) < kept.sum(axis=1)[:, None])).all()
    noise = (found - series @ matrix(24).T)[:, :4].ravel()
    assert scipy.stats.kstest(noise, scipy.stats.norm(scale=5.0).cdf).pvalue > 1e-6


def test_nothing_dropped_without_noise_degenerate() -> None:
    rng = np.random.default_rng(7)
    series = rng.integers(0, 9, size=(5, 3, 24)).astype(float)
    before = series.copy()
    close = gaussian_series(series, sigma=1e-9, rate=1e9, common=False, rng=rng)
    np.testing.assert_allclose(close, series, atol=1e-6)
    np.testing.assert_array_equal(series, before)
