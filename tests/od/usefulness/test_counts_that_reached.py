"""Published counts of which it is known that they reached the threshold: laws written out count by count, and cells drawn."""

import itertools

import numpy as np
import numpy.typing as npt
import pytest

from privlab.od.releases.release_plan import SecureReleaseParameters
from privlab.od.usefulness import counts_that_reached
from privlab.od.usefulness.counts_that_reached import (
    chances_of_published,
    intervals_of_published,
    log_published_tail,
)
from privlab.od.usefulness.estimates import estimates_from_published_counts

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
LEVEL = 0.95


def law_of(noise: str, scale: float, reach: int) -> Floats:
    """P(noise as published = k) for k = −reach … reach."""
    k = np.arange(-reach, reach + 1)
    if noise == "integer":
        a = np.exp(-1 / scale)
        return np.asarray((1 - a) / (1 + a) * a ** np.abs(k))
    units = np.arange(-reach * 1024 - 512, reach * 1024 + 512)
    weight = np.exp(-(units**2) / (2 * scale**2))
    return np.asarray(weight.reshape(2 * reach + 1, 1024).sum(axis=1) / weight.sum())


LAWS = [("integer", 1.0), ("integer", 6.0), ("gaussian", 5_000.0)]


@pytest.mark.parametrize(("noise", "scale"), LAWS)
def test_tails_against_the_law_written_out(noise: str, scale: float) -> None:
    law = law_of(noise, scale, 200)
    least = np.array([-30, -1, 0, 1, 2, 9, 25])
    expected = [law[200 + one :].sum() for one in least]
    np.testing.assert_allclose(np.exp(log_published_tail(noise, scale, least)), expected, rtol=1e-6)


@pytest.mark.parametrize("threshold", [1, 7, 40])
@pytest.mark.parametrize(("noise", "scale"), LAWS)
def test_whatever_the_true_count_95_of_100_published_ones_have_it_in_their_interval(
    noise: str, scale: float, threshold: int
) -> None:
    """Of each true count the law of what is published is written out; lucky noise of an empty cell counts as any other."""
    reach = 400
    law, seen = law_of(noise, scale, reach), np.arange(threshold, 300)
    low, high = intervals_of_published(noise, scale, seen, threshold=threshold, level=LEVEL)
    for true in range(150):
        published = law[reach + seen - true]
        held = published[(low <= true) & (true <= high)].sum() / published.sum()
        assert held >= LEVEL - 1e-9
        # Without the nearest of the counts that are out, less would be enough: the interval is no wider than it must be.
        out = np.flatnonzero((true < low) | (true > high))
        nearest = out[np.abs(seen[out] - true).argmin()]
        nearer = np.abs(seen - true) < abs(seen[nearest] - true)
        assert published[nearer].sum() / published.sum() >= LEVEL - 1e-9


def test_where_all_is_published_the_interval_is_that_of_the_noise() -> None:
    law, seen = law_of("integer", 6.0, 400), np.array([-3, 0, 5, 90])
    wide = next(w for w in range(400) if law[400 - w : 400 + w + 1].sum() >= LEVEL)
    low, high = intervals_of_published("integer", 6.0, seen, threshold=0, level=LEVEL)
    assert low.tolist() == [max(one - wide, 0) for one in seen]
    assert high.tolist() == [max(one + wide, 0) for one in seen]


def drawn(n_cells: int, sizes: Ints, scale: float, threshold: int) -> tuple[Ints, Ints]:
    """True and noisy counts of what is published, of so many cells, all but the first empty."""
    rng, true = np.random.default_rng(5), np.zeros(n_cells, dtype=np.int64)
    true[: sizes.size] = sizes
    p = -np.expm1(-1 / scale)
    noisy = true + rng.geometric(p, n_cells) - rng.geometric(p, n_cells)
    published = noisy >= threshold if threshold else np.full(n_cells, True)
    return true[published], noisy[published]


def test_of_many_empty_cells_few_of_those_published_are_real_and_the_chances_say_so() -> None:
    """300,000 cells, 2,000 of them with 3 to 60 people, noise that lifts one in 120 empty ones over 4: the share of real ones is small."""
    sizes = np.random.default_rng(2).integers(3, 60, 2_000)
    true, noisy = drawn(300_000, sizes, 1.0, 4)
    chance = chances_of_published("integer", 1.0, noisy, threshold=4, n_cells=300_000)
    real = true > 0
    assert real.mean() < 0.5
    assert chance.mean() == pytest.approx(real.mean(), abs=0.04)
    for low, high in itertools.pairwise((0, 0.5, 0.9, 1.001)):
        among = (chance >= low) & (chance < high)
        assert chance[among].mean() == pytest.approx(real[among].mean(), abs=0.12)
    assert (np.diff(chance[np.argsort(noisy, kind="stable")]) >= -1e-12).all()


def test_where_nothing_is_empty_the_chances_say_so_too() -> None:
    true, noisy = drawn(10_000, np.random.default_rng(2).integers(20, 400, 10_000), 5.0, 10)
    assert chances_of_published("integer", 5.0, noisy, threshold=10, n_cells=10_000).min() > 0.9
    assert true.min() > 0


@pytest.mark.parametrize("threshold", [0, 6])
@pytest.mark.parametrize(("noise", "scale"), LAWS)
def test_chances_against_shares_fitted_size_by_size(noise: str, scale: float, threshold: int) -> None:
    """The same fit with every size, and every count that can be published, written out."""
    reach, most = 600, 31
    law = law_of(noise, scale, reach)
    counts = np.array([6, 6, 7, 9, 12, 20, most])
    n_cells = 60
    values = np.arange(-300, 300)
    doublings = [range(1, 2), range(2, 4), range(4, 8), range(8, 16), range(16, 32)]
    of = np.array(
        [
            law[reach + values],
            *(np.mean([law[reach + values - size] for size in one], axis=0) for one in doublings),
        ]
    )
    unseen = of[:, values < threshold].sum(axis=1) if threshold else np.zeros(6)
    n_unseen = n_cells - counts.size if threshold else 0
    share = np.array([0.5, *[0.1] * 5])
    for _ in range(3_000):
        each = share[:, None] * of[:, np.searchsorted(values, counts)]
        expected = (each / each.sum(axis=0)).sum(axis=1)
        if n_unseen:
            expected = expected + n_unseen * share * unseen / (share @ unseen)
        share = expected / expected.sum()
    each = share[:, None] * of[:, np.searchsorted(values, counts)]
    found = chances_of_published(
        noise, scale, counts, threshold=threshold, n_cells=n_cells if threshold else 7
    )
    np.testing.assert_allclose(found, 1 - each[0] / each.sum(axis=0), atol=1e-4)


def test_of_very_wide_noise_steps_of_counts_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """At ε = 0.01 and L = 1,000 single counts would take gigabytes: 100,000 steps at most are worked out."""
    _, noisy = drawn(20_000, np.random.default_rng(2).integers(50, 4_000, 8_000), 200.0, 300)
    exact = chances_of_published("integer", 200.0, noisy, threshold=300, n_cells=20_000)
    monkeypatch.setattr(counts_that_reached, "_POINTS", 600)
    steps = chances_of_published("integer", 200.0, noisy, threshold=300, n_cells=20_000)
    np.testing.assert_allclose(steps, exact, atol=0.01)
    far = chances_of_published("integer", 1e5, np.array([0, 10**6]), threshold=0, n_cells=2)
    assert 0 < far[0] < far[1] <= 1


def test_cells_found_in_the_data_are_real_for_certain() -> None:
    found = estimates_from_published_counts(
        SecureReleaseParameters(epsilon=0.5, max_trips_per_user=4, threshold=30, cells="discovered"),
        8.0,
        week=np.repeat("2026-03-02", 2),
        margins=(np.array([0, 1]), np.array([1, 0])),
        count=np.array([30, 55]),
        n_cells=0,
    )
    assert found.chance.tolist() == [1.0, 1.0]
    assert found.low[0] == 0


@pytest.mark.parametrize("part", [0.0, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("threshold", [0, 25])
def test_weighted_counts_with_parts_of_trips_lie_in_their_intervals(part: float, threshold: int) -> None:
    """Of a count of 24 and a part, in units and rounded after the noise, what is published is written out; narrow noise shows the part."""
    sigma, true = 1_100.0, 24 + part
    wishes = SecureReleaseParameters(
        epsilon=5.0, max_trips_per_user=2, threshold=threshold, noise="gaussian", clip="l2", delta=1e-6
    )
    seen = np.arange(max(threshold, 0), 60)
    units = np.arange(-12_000, 12_000)
    weight = np.exp(-(units**2) / (2 * sigma**2))
    rounded = np.floor((units + round(true * 1024)) / 1024 + 0.5).astype(int)
    chance = np.array([weight[rounded == one].sum() for one in seen])
    found = estimates_from_published_counts(
        wishes,
        sigma,
        week=np.repeat("2026-03-02", seen.size),
        margins=(np.arange(seen.size), np.arange(seen.size)),
        count=seen,
        n_cells=seen.size,
    )
    held = chance[(found.low <= true) & (true <= found.high)].sum() / chance.sum()
    assert held >= LEVEL - 1e-9


@pytest.mark.parametrize("threshold", [1, 2])
def test_what_reached_a_low_threshold_is_known_to_have_reached_it(threshold: int) -> None:
    """Whatever the true count, 95 of 100 published counts from the threshold on have it in their interval, by adding up the law."""
    scale, most = 5.5, 250
    seen = np.arange(threshold, most)
    low, high = intervals_of_published("integer", scale, seen, threshold=threshold, level=0.95)
    a = np.exp(-1 / scale)
    for true in range(6):
        law = a ** np.abs(seen - true)
        assert law[(low <= true) & (true <= high)].sum() / law.sum() >= 0.95
    assert (low >= 0).all()
