"""Smoothing: by hand where it must change nothing or everything, and against data made by the model itself."""

import numpy as np
import pytest

from privlab.od.comparing.smoothing import smoothed_counts

APART = ~np.eye(5, dtype=bool)


def product(n: int = 5) -> np.ndarray:
    """Flows that are origin × destination exactly, all equal factors but one."""
    strong = np.array([4.0, 1.0, 1.0, 1.0, 1.0])[:n]
    return 100 * np.outer(strong, strong)


def test_without_noise_the_counts_stay() -> None:
    counts = np.random.default_rng(1).uniform(0, 50, 20)
    assert smoothed_counts(counts, 0.0, 5, None) == pytest.approx(counts)


def test_flows_that_are_a_product_are_found_again_under_heavy_noise() -> None:
    true = product()[APART]
    rng = np.random.default_rng(2)
    before, after = [], []
    for _ in range(40):
        noisy = true + rng.normal(0, 60, true.size)
        before.append(np.mean((noisy - true) ** 2))
        after.append(np.mean((smoothed_counts(noisy, 60.0, 5, None) - true) ** 2))
    assert np.mean(after) < 0.6 * np.mean(before)  # 9 free factors for 20 cells: 9/20 at best


def test_the_model_has_the_noisy_sums_of_origins_and_destinations() -> None:
    """Noise so wide that nothing is left but the model: its sums are those of the noisy counts."""
    noisy = product()[APART] + np.tile([30.0, -30.0], 10)
    found = np.zeros((5, 5))
    found[APART] = smoothed_counts(noisy, 1e9, 5, None)
    given = np.zeros((5, 5))
    given[APART] = noisy
    assert found.sum(axis=1) == pytest.approx(given.sum(axis=1), rel=1e-4)
    assert found.sum(axis=0) == pytest.approx(given.sum(axis=0), rel=1e-4)


def test_distance_tells_near_from_far() -> None:
    """Two near pairs with many trips, all else far with few: origin × destination alone cannot say that."""
    km = np.full((4, 4), 100.0)
    km[0, 1] = km[1, 0] = km[2, 3] = km[3, 2] = 1.0
    apart = ~np.eye(4, dtype=bool)
    true = np.where(km < 10, 1000.0, 100.0)[apart]
    with_distance = smoothed_counts(true, 1e9, 4, km)
    assert with_distance == pytest.approx(true, rel=1e-3)
    assert smoothed_counts(true, 1e9, 4, None) == pytest.approx(np.full(12, 400.0), rel=1e-3)


def test_nothing_but_noise_below_zero_stays_as_it_is() -> None:
    noisy = np.full(20, -3.0)
    assert smoothed_counts(noisy, 2.0, 5, None) == pytest.approx(noisy)


def test_the_model_keeps_the_total_where_noise_takes_a_zone_below_zero() -> None:
    # All from and to the first zone is below 0 and read as 0: the others together make the total that was published.
    noisy = np.array([-30.0, -20.0, -10.0, -5.0, 80.0, 60.0, -15.0, 70.0, 90.0, -10.0, 50.0, 40.0])
    found = smoothed_counts(noisy, 1e9, 4, None)  # so much noise that the model alone is left
    assert found[:3] == pytest.approx([0, 0, 0], abs=1e-3)
    assert found.sum() == pytest.approx(noisy.sum(), rel=1e-6)
