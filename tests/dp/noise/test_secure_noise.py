"""Noise that may leave the house: whole numbers, the right law; and why real noise may not."""

import math

import numpy as np
import pytest
import scipy.stats

from privlab.checks import ParameterError
from privlab.dp.noise.mechanisms import Mechanism, noise_tail
from privlab.dp.noise.secure_noise import (
    half_width,
    noisy_counts_from_counts,
    secure_gaussian_from_sigma,
    secure_noise_from_mechanism,
)


def mechanism(epsilon: float = 1.0, bound: int = 3, noise: str = "integer") -> Mechanism:
    return Mechanism(noise=noise, epsilon=epsilon, l1_sensitivity=bound)


def test_real_noise_leaks_the_count_through_its_low_bits() -> None:
    """In floating point, one plus noise is a multiple of 2⁻⁵³; noise alone seldom is."""
    rng = np.random.default_rng(1)
    noise = rng.laplace(0, 1, 200_000)
    absent, present = 0.0 + noise, 1.0 + rng.laplace(0, 1, 200_000)
    multiples = []
    for published in (absent, present):
        low = published[(published > 0) & (published < 0.125)]
        assert low.size > 4_000
        multiples.append(float(np.mean(low * 2.0**53 == np.floor(low * 2.0**53))))
    # Who sees one count between 0 and 1/8 that is no such multiple knows for certain that nobody is there.
    assert multiples[1] == 1.0
    assert multiples[0] < 0.2


def test_secure_noise_has_no_low_bits() -> None:
    noisy = noisy_counts_from_counts(np.arange(50, dtype=np.int64), secure_noise_from_mechanism(mechanism()))
    assert noisy.dtype == np.int64
    assert noisy.shape == (50,)


def test_secure_noise_against_the_discrete_laplace_law() -> None:
    noise = secure_noise_from_mechanism(mechanism(1.5, 3))
    drawn = noisy_counts_from_counts(np.zeros(20_000, dtype=np.int64), noise)
    values = np.arange(-6, 7)
    law = scipy.stats.dlaplace(0.5)
    expected = np.array([law.cdf(-7), *law.pmf(values), law.sf(6)])
    seen = np.array([(drawn < -6).sum(), *((drawn == value).sum() for value in values), (drawn > 6).sum()])
    # No seed can be fixed here; the false alarm is one in a billion.
    assert scipy.stats.chisquare(seen, expected / expected.sum() * drawn.size).pvalue > 1e-9


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.66, 1 / 3, 20.0])
@pytest.mark.parametrize("bound", [1, 7, 10, 1000])
def test_what_opendp_proves_is_never_above_the_promise(epsilon: float, bound: int) -> None:
    noise = secure_noise_from_mechanism(mechanism(epsilon, bound))
    assert noise.proven_epsilon <= epsilon
    assert noise.proven_epsilon == pytest.approx(epsilon, rel=1e-9)
    assert noise.scale == pytest.approx(bound / epsilon, rel=1e-9)


def test_many_counts_are_drawn_by_several_threads_each_with_noise_of_its_own() -> None:
    """Every count keeps its place and its own noise: the law holds over all, and no part repeats another's draws."""
    counts = np.arange(60_000, dtype=np.int64).reshape(300, 200) * 1_000
    noisy = noisy_counts_from_counts(counts, secure_noise_from_mechanism(mechanism(1.5, 3)))
    noise = (noisy - counts).ravel()
    assert noisy.shape == counts.shape
    assert np.abs(noise).max() < 200  # P(more) < 1e-38 for any draw at scale 2
    law = scipy.stats.dlaplace(0.5)
    values = np.arange(-6, 7)
    expected = np.array([law.cdf(-7), *law.pmf(values), law.sf(6)])
    seen = np.array([(noise < -6).sum(), *((noise == value).sum() for value in values), (noise > 6).sum()])
    assert scipy.stats.chisquare(seen, expected / expected.sum() * noise.size).pvalue > 1e-9
    assert (
        np.mean(noise[:30_000] == noise[30_000:]) < 0.5
    )  # by chance 0.15; all of them if parts repeated each other
    gaussian = secure_gaussian_from_sigma(50.0, 10.0)
    moved = noisy_counts_from_counts(counts, gaussian) - counts
    assert np.std(moved) == pytest.approx(50.0, rel=0.03)


def test_counts_that_do_not_lie_side_by_side_in_memory_keep_their_places_and_stay_as_they_were() -> None:
    rows = np.arange(60_000, dtype=np.int64).reshape(200, 300) * 1_000
    for counts in (rows.T, rows[::2, ::3], rows[:, ::2][:0], rows.T[::-1]):
        before = counts.copy()
        noisy = noisy_counts_from_counts(counts, secure_noise_from_mechanism(mechanism(1.5, 3)))
        assert noisy.shape == counts.shape
        assert np.abs(noisy - before).max(initial=0) < 200  # P(more) < 1e-38 for any draw at scale 2
        assert np.array_equal(counts, before)


def test_noise_differs_from_call_to_call() -> None:
    noise = secure_noise_from_mechanism(mechanism(0.1, 1))
    zeros = np.zeros(40, dtype=np.int64)
    assert not np.array_equal(noisy_counts_from_counts(zeros, noise), noisy_counts_from_counts(zeros, noise))


@pytest.mark.parametrize("scale", [0.05, 1.0, 15.15, 1e5])
def test_tail_and_half_width_against_scipy(scale: float) -> None:
    law = scipy.stats.dlaplace(1 / scale)
    for value in (-5, -1, 0, 1, 2, 40):
        assert float(noise_tail("integer", scale, value)) == pytest.approx(
            law.sf(value - 1), rel=1e-9, abs=1e-15
        )
    wide = half_width(scale)
    assert law.cdf(wide) - law.cdf(-wide - 1) >= 0.95 - 1e-9
    assert not wide or law.cdf(wide - 1) - law.cdf(-wide) < 0.95
    assert math.isfinite(wide)


def test_real_noise_and_real_counts_are_refused_iv() -> None:
    with pytest.raises(ParameterError, match="noise must be integer"):
        secure_noise_from_mechanism(mechanism(noise="laplace"))
    with pytest.raises(TypeError, match="int64"):
        noisy_counts_from_counts(np.zeros(2), secure_noise_from_mechanism(mechanism()))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scale", "level", "name"), [(0, 0.95, "scale"), (math.nan, 0.95, "scale"), (1.0, 1.0, "level"), (1.0, math.nan, "level")]
)  # fmt: skip
def test_a_width_of_no_noise_or_of_certainty_is_refused_iv(scale: float, level: float, name: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name} must be"):
        half_width(scale, level)
