"""What may be read out of published counts: enumeration and simulation against the closed forms."""

import itertools

import numpy as np
import pytest

from privlab.dp.noise import secure_gaussian_from_sigma
from privlab.dp.noise.secure_noise import noisy_counts_from_counts
from privlab.od.releases.release_noise import published_variance, whole_trips_from_units
from privlab.od.releases.release_plan import SecureReleaseParameters
from privlab.od.usefulness.estimates import (
    Estimates,
    chance_of_a_flow,
    estimates_from_published_counts,
    interval_half_width,
    smoothed_counts_of_week,
)

N_DRAWS = 20_000
INTEGER = SecureReleaseParameters(epsilon=0.5, max_trips_per_user=4, threshold=0)
GAUSSIAN = SecureReleaseParameters(
    epsilon=0.5, max_trips_per_user=4, threshold=0, noise="gaussian", clip="l2", delta=1e-6
)


def probability_integer(k: np.ndarray, scale: float) -> np.ndarray:
    a = np.exp(-1 / scale)
    return (1 - a) / (1 + a) * a ** np.abs(k)


def probability_gaussian(k: np.ndarray, sigma: float) -> np.ndarray:
    """P(whole trips = k), summed over the units that round to k."""
    units = np.arange(-(2**16), 2**16)
    weight = np.exp(-(units**2) / (2 * sigma**2))
    trips = np.floor(units / 1024 + 0.5).astype(int)
    return np.array([weight[trips == one].sum() for one in k.ravel()]).reshape(k.shape) / weight.sum()


LAWS = [("integer", 3.0, probability_integer), ("gaussian", 3_000.0, probability_gaussian)]


@pytest.mark.parametrize(("noise", "scale", "probability"), LAWS)
def test_the_chance_of_a_flow_is_that_of_the_prior_written_out_size_by_size(noise, scale, probability):
    counts = np.array([-9, -2, 0, 1, 3, 8, 20, 100])  # 100 asks for 7 doublings: sizes up to 127
    sizes = np.arange(1, 128)
    prior = np.array([0.5 / 7 / 2 ** (int(size).bit_length() - 1) for size in sizes])
    assert prior.sum() == pytest.approx(0.5)
    some = (prior * probability(counts[:, None] - sizes, scale)).sum(axis=1)
    none = 0.5 * probability(counts, scale)
    expected = np.where(some + none > 0, some / np.maximum(some + none, 1e-300), 1)
    np.testing.assert_allclose(chance_of_a_flow(noise, scale, counts), expected, atol=1e-6)


@pytest.mark.parametrize(("noise", "scale", "probability"), LAWS)
def test_the_variance_is_that_of_the_law_written_out(noise, scale, probability):
    k = np.arange(-60, 61)
    assert published_variance(noise, scale) == pytest.approx((k**2 * probability(k, scale)).sum(), rel=1e-6)


@pytest.mark.parametrize("part", [0, 200, 512, 1000])
def test_intervals_hold_weighted_counts_with_parts_of_trips_at_least_95_times_in_100(part):
    noise = secure_gaussian_from_sigma(1_500.0, 1024.0 * 2)
    true = 40 * 1024 + part
    count = whole_trips_from_units(noisy_counts_from_counts(np.full(N_DRAWS, true), noise))
    wide = interval_half_width(GAUSSIAN, noise.sigma)
    held = (np.abs(count * 1024 - true) <= wide * 1024).mean()
    assert held > 0.95 - 5 * np.sqrt(0.05 * 0.95 / N_DRAWS)


def test_integer_intervals_are_the_narrowest_that_hold_95_in_100():
    k = np.arange(-400, 401)
    wide = interval_half_width(INTEGER, 8.0)
    chance = probability_integer(k, 8.0)
    assert chance[np.abs(k) <= wide].sum() >= 0.95 > chance[np.abs(k) <= wide - 1].sum()


def made(parameters: SecureReleaseParameters, count: np.ndarray) -> Estimates:
    zones = np.array(list(itertools.permutations(range(3), 2)))
    return estimates_from_published_counts(
        parameters,
        8.0 if parameters.noise == "integer" else 8_000.0,
        week=np.repeat("2026-03-02", 6),
        margins=(zones[:, 0], zones[:, 1]),
        count=count,
        n_cells=6,
    )


@pytest.mark.parametrize("parameters", [INTEGER, GAUSSIAN])
def test_estimates_are_whole_not_below_0_and_within_their_interval(parameters):
    count = np.array([-50, -3, 0, 4, 60, 900])
    found = made(parameters, count)
    assert found.whole.tolist() == [0, 0, 0, 4, 60, 900]
    assert (found.low[0], found.high[0]) == (0, 0)
    assert ((found.low <= found.whole) & (found.whole <= found.high)).all()
    assert (found.smoothed >= 0).all()
    assert (np.diff(found.chance) >= -1e-9).all()
    assert ((found.chance > 0) & (found.chance <= 1)).all()


def test_smoothing_pulls_to_the_model_what_the_noise_explains_and_leaves_what_it_does_not():
    rng = np.random.default_rng(3)
    out, into = rng.lognormal(3, 0.6, (2, 30))
    origin, destination = np.array(list(itertools.permutations(range(30), 2))).T
    true = rng.poisson(out[origin] * into[destination] / 20)
    deviation = 40
    noisy = true + np.rint(rng.normal(0, deviation, true.size)).astype(int)
    smoothed = smoothed_counts_of_week(noisy, (origin, destination), deviation**2)
    error = [np.sqrt(((one - true) ** 2).mean()) for one in (np.maximum(noisy, 0), smoothed)]
    assert error[1] < 0.6 * error[0]
    almost_true = smoothed_counts_of_week(true, (origin, destination), 1e-9)
    np.testing.assert_allclose(almost_true, true, atol=1e-3)


def test_two_zones_by_hand():
    """With one cell per origin and destination the model is the count, so nothing is moved."""
    assert smoothed_counts_of_week(
        np.array([7, 0]), (np.array(["a", "b"]), np.array(["b", "a"])), 4.0
    ).tolist() == [
        7.0,
        0.0,
    ]


def test_a_smoothed_count_lies_between_the_count_and_the_model_by_hand() -> None:
    """Four cells of which origin and destination suggest 10 each, off by 2: squares of 16 in all, of 400 in the model.

    Noise of variance 4 explains them wholly; of variance 1 it leaves 12, φ² = 12/400, so that of a count's distance 3/(3 + 1) is kept.
    """
    ends = (np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    counts = np.array([12, 8, 8, 12])
    assert smoothed_counts_of_week(counts, ends, 4.0) == pytest.approx([10] * 4, abs=1e-3)
    assert smoothed_counts_of_week(counts, ends, 1.0) == pytest.approx([11.5, 8.5, 8.5, 11.5])


@pytest.mark.parametrize("parameters", [INTEGER, GAUSSIAN])
def test_of_flows_found_in_the_data_each_that_is_published_is_one(
    parameters: SecureReleaseParameters,
) -> None:
    """Noise went to flows with a trip alone: what is published of them need not be told from empty ones."""
    found = estimates_from_published_counts(
        parameters,
        3_000.0 if parameters is GAUSSIAN else 8.0,
        week=np.array(["2026-03-02"] * 4),
        margins=[np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])],
        count=np.array([1, 1, 1, 2]),
        n_cells=0,
    )
    assert found.chance.tolist() == [1, 1, 1, 1]


def test_what_a_total_gives_back_is_given_to_noisy_and_smoothed_counts_alike_by_hand() -> None:
    found = estimates_from_published_counts(
        GAUSSIAN,
        3_000.0,
        week=np.array(["2026-03-02", "2026-03-09"]),
        margins=[],
        count=np.array([10, 20]),
        n_cells=None,
        ratio=np.array([1.5, 1.25]),
        smoothed=np.array([8.0, 16.0]),
    )
    assert found.unbiased is not None
    assert found.unbiased.tolist() == [15, 25]
    assert found.smoothed.tolist() == [12, 20]
    assert found.whole.tolist() == [10, 20]


def test_an_interval_of_weighted_counts_is_one_wider_for_their_parts_of_trips() -> None:
    """Half a trip that rounding may add to the noise, which by itself is as wide as without weights."""
    kept = SecureReleaseParameters(
        epsilon=0.5, max_trips_per_user=4, threshold=0, noise="gaussian", clip="keep", delta=1e-6
    )
    assert interval_half_width(GAUSSIAN, 3_000.0) == interval_half_width(kept, 3_000.0) + 1
