"""The model of a week and its smoothed counts: what it must keep, worked by hand, and against data made by such a model."""

import numpy as np
import pytest
import scipy.optimize

from privlab.checks import ParameterError
from privlab.od.products import FLOWS
from privlab.od.smoothing.margins import Margins, ZonePositions, margins_of_cells
from privlab.od.smoothing.week_model import (
    SPREADS,
    ModelSums,
    _stable_order,
    model_of_sums,
    spreads_by_size,
)

N = 25


@pytest.fixture(scope="module")
def margins() -> Margins:
    lat, lon = np.divmod(np.arange(N), 5)
    return margins_of_cells(FLOWS, N, ZonePositions(lat=tuple(lat / 10), lon=tuple(lon / 10)))


@pytest.fixture(scope="module")
def town() -> np.ndarray:
    """Trips of zones of different size that grow fewer with distance, and a spread of a fifth about that."""
    rng = np.random.default_rng(7)
    lat, lon = np.divmod(np.arange(N), 5)
    size = rng.lognormal(0, 0.7, N)
    km = np.hypot(lat[:, None] - lat, lon[:, None] - lon)
    mean = 40 * np.outer(size, size) * np.exp(-km)
    mean = mean[~np.eye(N, dtype=bool)] * rng.lognormal(0, 0.2, N * (N - 1))
    return np.rint(400 * mean / mean.mean()).astype(np.int64)


def test_the_model_has_the_sums(margins: Margins, town: np.ndarray) -> None:
    sums = margins.sums_of(town)
    model = model_of_sums(sums, margins, 1.0)
    for one, other in zip(margins.sums_of(model), sums, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_the_model_is_the_one_of_greatest_entropy() -> None:
    """With sums given, scipy finds the counts of greatest Σ(m − m·ln m) as the same product of factors."""
    four = margins_of_cells(FLOWS, 4, None)
    counts = np.array([5, 9, 2, 7, 1, 8, 3, 6, 4, 2, 9, 5])
    sums = four.sums_of(counts)
    model = model_of_sums(sums, four, 0.0)
    flat = np.vstack([(four.numbers[k] == part).astype(float) for k in range(2) for part in range(4)])
    found = scipy.optimize.minimize(
        lambda m: float((m * np.log(m) - m).sum()),
        np.full(12, 5.0),
        jac=np.log,
        bounds=[(1e-6, None)] * 12,
        constraints={
            "type": "eq",
            "fun": lambda m: (flat @ m - np.concatenate(sums))[:-1],
            "jac": lambda m: flat[:-1],
        },
        options={"maxiter": 500, "ftol": 1e-12},
    )
    np.testing.assert_allclose(model, found.x, rtol=1e-3)


def test_spreads_by_hand() -> None:
    """Ten cells, five of them each as large as the other five together: without noise a spread is the relative error squared."""
    one = Margins(numbers=(np.arange(10, dtype=np.int32),), sizes=(10,))
    told = ModelSums.from_noisy_counts(np.full(10, 20), one, 0.0)
    assert told.sizes == (20.0,) * SPREADS
    assert told.spreads == (1e-6,) * SPREADS  # the model explains all of it
    alone = Margins(numbers=(np.zeros(10, dtype=np.int32),), sizes=(1,))
    told = ModelSums.from_noisy_counts(np.tile([10, 30], 5), alone, 0.0)
    assert told.sums == ((200,),)
    np.testing.assert_allclose(told.spreads, 0.25)  # each is 10 off a model of 20


def test_smoothed_counts_are_nearer_than_noisy_ones_and_distance_helps(
    margins: Margins, town: np.ndarray
) -> None:
    rng = np.random.default_rng(2)
    deviation = 150.0
    noisy = town + np.rint(rng.normal(0, deviation, town.size)).astype(np.int64)
    error = {}
    for name, one in (("distance", margins), ("without", margins_of_cells(FLOWS, N, None))):
        told = ModelSums.from_noisy_counts(noisy, one, deviation**2)
        read = told.smoothed(noisy, told.model(one, deviation**2), deviation**2)
        error[name] = np.sqrt(((read - town) ** 2).mean())
    error["noisy"] = np.sqrt(((noisy - town) ** 2).mean())
    assert error["distance"] < 0.75 * error["without"] < 0.75 * error["noisy"]


def test_without_noise_the_counts_stay(margins: Margins, town: np.ndarray) -> None:
    told = ModelSums.from_noisy_counts(town, margins, 0.0)
    np.testing.assert_allclose(told.smoothed(town, told.model(margins, 0.0), 0.0), town)


def test_what_is_told_is_a_function_of_noisy_counts_alone(margins: Margins, town: np.ndarray) -> None:
    """The same noisy counts of other true ones tell the same, number for number."""
    noise = np.random.default_rng(3).integers(-50, 50, town.size)
    other = np.roll(town, 1)
    one = ModelSums.from_noisy_counts(town + noise, margins, 800.0)
    assert one == ModelSums.from_noisy_counts(other + (noise + town - other), margins, 800.0)


def test_nothing_but_noise_below_zero_is_smoothed_to_nothing() -> None:
    three = margins_of_cells(FLOWS, 3, None)
    noisy = np.full(6, -4)
    told = ModelSums.from_noisy_counts(noisy, three, 9.0)
    assert told.smoothed(noisy, told.model(three, 9.0), 9.0).tolist() == [0.0] * 6


def test_the_model_keeps_the_total_where_noise_takes_a_zone_below_zero() -> None:
    """All from and to the first zone is below 0 and read as 0: the others together make the total."""
    noisy = np.array([-30, -20, -10, -5, 80, 60, -15, 70, 90, -10, 50, 40])
    four = margins_of_cells(FLOWS, 4, None)
    model = ModelSums.from_noisy_counts(noisy, four, 1.0).model(four, 1.0)
    assert model[:3].tolist() == [0, 0, 0]
    assert model.sum() == pytest.approx(noisy.sum(), rel=1e-6)


def test_one_very_large_flow_leaves_no_size_out_of_order() -> None:
    one = Margins(numbers=(np.arange(6, dtype=np.int32) // 2,), sizes=(3,))
    told = ModelSums.from_noisy_counts(np.array([1, 1, 2, 2, 5000, 5000]), one, 1.0)
    assert list(told.sizes) == sorted(told.sizes)
    assert min(told.spreads) > 0


def test_sums_of_other_margins_are_refused() -> None:
    told = ModelSums(sums=((1, 2),), sizes=(1.0,) * 5, spreads=(0.1,) * 5)
    with pytest.raises(ParameterError, match=r"^sums must be those of"):
        told.model(margins_of_cells(FLOWS, 3, None), 1.0)


def test_sizes_stay_in_order_where_all_counts_are_alike() -> None:
    """Each part of equal counts has their size, and rounding in the last place must not turn two about."""
    for count in np.linspace(0.01, 5, 200):
        sizes, _ = spreads_by_size(np.full(96, count), np.zeros(96))
        assert sizes == pytest.approx(count, rel=1e-12)
        assert (np.diff(sizes) >= 0).all()


@pytest.mark.parametrize("n_values", [1, 3, 400, 100_000])
def test_equal_values_keep_their_order_as_the_library_s_stable_sort_has_it(n_values: int) -> None:
    rng = np.random.default_rng(n_values)
    for n in (0, 1, 2, 5000):
        values = rng.integers(0, n_values, n) / 7
        assert np.array_equal(_stable_order(values), np.argsort(values, kind="stable"))
