"""The model of a week and its smoothed counts: what it must keep, worked by hand, and against data made by such a model."""

import numpy as np
import pytest
import scipy.optimize

from privlab.checks import ParameterError
from privlab.od.products import FLOWS, Product, product_of
from privlab.od.smoothing.margins import Margins, ZonePositions, margins_of_cells
from privlab.od.smoothing.week_model import (
    SPREADS,
    ModelSums,
    _stable_order,
    likeness_of_flows_back,
    model_of_sums,
    smoothed_counts,
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
        read = told.smoothed(noisy, one, deviation**2)
        error[name] = np.sqrt(((read - town) ** 2).mean())
    error["noisy"] = np.sqrt(((noisy - town) ** 2).mean())
    assert error["distance"] < 0.75 * error["without"] < 0.75 * error["noisy"]


def test_without_noise_the_counts_stay(margins: Margins, town: np.ndarray) -> None:
    told = ModelSums.from_noisy_counts(town, margins, 0.0)
    np.testing.assert_allclose(told.smoothed(town, margins, 0.0), town)


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
    assert told.smoothed(noisy, three, 9.0).tolist() == [0.0] * 6


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


def there_and_back(alike: float, n_zones: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what flows between zones are off a model, standard deviation 1, each as like the flow back as said; and where that stands."""
    rng = np.random.default_rng(seed)
    own, shared = rng.normal(size=(2, n_zones, n_zones))
    upper = np.triu(shared)
    off = np.sqrt(alike) * (upper + upper.T - np.diag(np.diag(upper))) + np.sqrt(1 - alike) * own
    place = np.arange(n_zones**2).reshape(n_zones, n_zones)
    apart = ~np.eye(n_zones, dtype=bool)
    row = np.cumsum(apart.ravel()) - 1
    return off[apart], row[place.T[apart]].astype(np.int32)


@pytest.mark.parametrize("product", ["flows", "flows-by-slot"])
def test_the_flow_back_has_the_ends_the_other_way_about_and_the_same_slot(product: str) -> None:
    of: Product = product_of(product)
    cells = of.all_cells(5)
    (origin, destination), slot = of.ends_and_slot(cells, 5)
    back = margins_of_cells(of, 5, None).back
    assert back is not None
    assert (origin[back] == destination).all()
    assert (destination[back] == origin).all()
    assert np.array_equal(np.broadcast_to(slot, cells.shape)[back], np.broadcast_to(slot, cells.shape))


def test_visits_have_no_way_back() -> None:
    assert margins_of_cells(product_of("visits"), 4, None).back is None


@pytest.mark.parametrize("alike", [0.0, 0.3, 0.95])
def test_how_alike_flows_and_those_back_are_is_found_beneath_noise(alike: float) -> None:
    """Less two standard errors: never more than the truth by much, and near it; a standard error is 1/√(pairs·q), q = (1/(1 + v))²."""
    n_zones, variance = 150, 2.0
    off, back = there_and_back(alike, n_zones, seed=4)
    noisy = off + np.random.default_rng(5).normal(0, np.sqrt(variance), off.size)
    error = (1 + variance) / np.sqrt(off.size / 2)
    found = likeness_of_flows_back(noisy, np.ones(off.size), back, variance)
    assert max(alike - 6 * error, 0) <= found <= alike + 2 * error
    assert (found > 0) == (alike > 0)


def test_few_flows_that_seem_alike_are_mostly_taken_for_chance() -> None:
    """15 pairs that have nothing in common: beyond two standard errors in 2.3% of cases, a little more with so few."""
    n_found = 0
    for seed in range(300):
        off, back = there_and_back(0.0, 6, seed)
        n_found += likeness_of_flows_back(off, np.ones(off.size), back, 0.0) > 0
    assert n_found < 0.06 * 300


def test_counts_further_off_than_their_spreads_are_no_more_alike_for_that() -> None:
    off, back = there_and_back(0.4, 150, seed=6)
    one = likeness_of_flows_back(off, np.ones(off.size), back, 0.0)
    assert likeness_of_flows_back(3 * off, np.ones(off.size), back, 0.0) == pytest.approx(one, abs=0.02)


def test_both_ways_together_are_the_best_linear_estimate() -> None:
    """Against the linear system of the two noisy counts, solved by numpy."""
    rng = np.random.default_rng(8)
    sizes = tuple(np.sort(rng.uniform(1, 50, SPREADS)))
    told = ModelSums(sums=(), sizes=sizes, spreads=tuple(rng.uniform(0.01, 1, SPREADS)), alike=0.8)
    model, back, variance = rng.uniform(1, 50, 2), np.array([1, 0], dtype=np.int32), 30.0
    own = np.interp(model, told.sizes, told.spreads) * model**2
    shared = 0.8 * np.sqrt(own[0] * own[1])
    of_counts = np.array([[own[0], shared], [shared, own[1]]])
    best = of_counts @ np.linalg.inv(of_counts + variance * np.eye(2))
    itself, of_back = told.trust(model, back, np.array([True, True]), variance)
    np.testing.assert_allclose(itself, np.diag(best), rtol=1e-12)
    np.testing.assert_allclose(of_back, [best[0, 1], best[1, 0]], rtol=1e-12)


def test_smoothed_counts_of_people_who_go_back_are_nearer_for_it_and_look_at_nothing_unpublished(
    margins: Margins, town: np.ndarray
) -> None:
    back = margins.back
    assert back is not None
    both = (town + town[back]) // 2
    deviation, rng = 60.0, np.random.default_rng(3)
    noisy = both + np.rint(rng.normal(0, deviation, both.size)).astype(np.int64)
    everything = np.ones(both.size, dtype=bool)
    told = ModelSums.from_noisy_counts(noisy, margins, deviation**2)
    assert told.alike > 0.3
    alone = ModelSums(sums=told.sums, sizes=told.sizes, spreads=told.spreads)
    read = smoothed_counts(noisy, margins, deviation**2, everything)
    one_way = alone.smoothed(noisy, margins, deviation**2)
    assert ((read - both) ** 2).mean() < 0.9 * ((one_way - both) ** 2).mean()
    # What the threshold keeps back moves no count that is published, and has none itself.
    hidden = smoothed_counts(noisy, margins, deviation**2, noisy >= 200)
    assert np.isnan(hidden[noisy < 200]).all()
    without = (noisy >= 200) & (noisy[back] < 200)
    assert without.any()
    np.testing.assert_array_equal(hidden[without], one_way[without])
    together = (noisy >= 200) & (noisy[back] >= 200)
    np.testing.assert_array_equal(hidden[together], read[together])


def test_no_smoothed_count_is_below_zero_however_far_the_noise_went(
    margins: Margins, town: np.ndarray
) -> None:
    """Of counts that hardly vary about their model little is believed of a noisy one; where they vary much, one of −400 is."""
    noisy = town.copy()
    noisy[::40] = -400
    told = ModelSums.from_noisy_counts(noisy, margins, 1.0)
    own, _ = told.trust(told.model(margins, 1.0), None, np.ones(noisy.size, dtype=bool), 1.0)
    alone = told.model(margins, 1.0) * (1 - own) + own * noisy
    found = told.smoothed(noisy, margins, 1.0)
    assert alone.min() < 0
    assert found.min() == 0
