"""Simulated releases: the law of every cell, dense and sparse alike, by exact tests at fixed seeds."""

import math

import numpy as np
import pytest
import scipy.stats

from privlab.checks import ParameterError
from privlab.dp.gaussian import GaussianParameters
from privlab.od.matrix import ODMatrix
from privlab.od.simulating import simulated_release as release_module
from privlab.od.simulating.simulated_release import (
    ReleaseParameters,
    simulated_release_from_od_matrix,
    simulated_release_from_units,
)

BOTH = pytest.mark.parametrize("noise", ["laplace", "integer"])
DENSE, SPARSE = 1000, 1100  # zones: 999,000 and 1,208,900 cells, on both sides of the limit


def matrix_of(n_zones, flows, bound=None):
    """flows: {(origin, destination): count}, by position."""
    ends = sorted(flows)
    return ODMatrix(
        zones=np.arange(n_zones),
        week="2026-03-02",
        origin=np.array([o for o, _ in ends], dtype=np.int64),
        destination=np.array([d for _, d in ends], dtype=np.int64),
        count=np.array([flows[end] for end in ends], dtype=np.int64),
        n_users=1000,
        max_trips_per_user=bound,
    )


def many_flows(n_zones, n=5000, count=1000):
    rng = np.random.default_rng(0)
    cells = rng.permutation(n_zones * (n_zones - 1))[:n]
    origin, rest = np.divmod(cells, n_zones - 1)
    destination = rest + (rest >= origin)
    return matrix_of(
        n_zones, {(int(o), int(d)): count + int(o) for o, d in zip(origin, destination, strict=True)}
    )


def law_of(parameters):
    scale = (parameters.max_trips_per_user or 1) / parameters.epsilon
    return (
        scipy.stats.laplace(scale=scale) if parameters.noise == "laplace" else scipy.stats.dlaplace(1 / scale)
    )


def assert_law(values, law, first=None):
    """Values follow the law, given that they are ≥ `first`: KS if continuous, exact binomials if not."""
    n = values.size
    if isinstance(law.dist, scipy.stats.rv_continuous):
        start = 0.0 if first is None else law.cdf(first)
        assert scipy.stats.kstest(values, lambda x: (law.cdf(x) - start) / (1 - start)).pvalue > 1e-6
        return
    assert np.array_equal(values, np.round(values))
    start = 0.0 if first is None else law.cdf(first - 1)
    for value in range(-6 if first is None else int(first), 8 if first is None else int(first) + 8):
        chance = float((law.cdf(value) - start) / (1 - start))
        assert scipy.stats.binomtest(int((values <= value).sum()), n, chance).pvalue > 1e-6


def split(matrix, release):
    """Noise on the true flows that are published, and the values of the spurious cells."""
    true = dict(zip(matrix.flow.tolist(), matrix.count.tolist(), strict=True))
    real = np.isin(release.flow, matrix.flow)
    noise = release.count[real] - np.array([true[flow] for flow in release.flow[real].tolist()])
    return noise, release.count[~real], release.flow[~real]


@BOTH
@pytest.mark.parametrize("bound", [None, 3])
def test_small_release_has_the_law_on_every_cell(noise, bound):
    parameters = ReleaseParameters(epsilon=0.66, threshold=0, noise=noise, max_trips_per_user=bound)
    matrix = matrix_of(
        120, {(0, 1): 50, (1, 0): 3, (119, 118): 7} | {(5, d): 9 for d in range(20, 120)}, bound
    )
    release = simulated_release_from_od_matrix(matrix, parameters, np.random.default_rng(3))
    assert release.count.size == release.n_cells == 120 * 119
    assert np.all(release.origin != release.destination)
    assert np.all(np.diff(release.flow) > 0)
    on_flows, on_empty, _ = split(matrix, release)
    assert on_flows.size == 103
    assert_law(on_flows, law_of(parameters))
    assert_law(on_empty, law_of(parameters))


@BOTH
@pytest.mark.parametrize("n_zones", [DENSE, SPARSE], ids=["dense", "sparse"])
@pytest.mark.parametrize(("epsilon", "threshold", "bound"), [(0.66, 5, None), (1.0, 1, None), (2.0, 8, 4)])
def test_large_release_has_the_law_dense_and_sparse(noise, n_zones, epsilon, threshold, bound):
    parameters = ReleaseParameters(
        epsilon=epsilon, threshold=threshold, noise=noise, max_trips_per_user=bound
    )
    plain = many_flows(n_zones)
    matrix = ODMatrix(
        zones=plain.zones, week=plain.week, origin=plain.origin, destination=plain.destination,
        count=plain.count, n_users=plain.n_users, max_trips_per_user=bound,
    )  # fmt: skip
    release = simulated_release_from_od_matrix(matrix, parameters, np.random.default_rng(8))
    law = law_of(parameters)
    assert release.n_cells == n_zones * (n_zones - 1)
    assert np.all(release.count >= threshold)
    assert np.all(release.origin != release.destination)
    assert np.all(np.diff(release.flow) > 0)
    assert release.flow.min() >= 0
    assert release.flow.max() < n_zones**2
    on_flows, spurious, cells = split(matrix, release)
    assert on_flows.size == 5000  # counts of a thousand and more stay above the threshold
    assert_law(on_flows, law)
    reach = float(law.sf(threshold) if noise == "laplace" else law.sf(threshold - 1))
    n_empty = release.n_cells - 5000
    assert scipy.stats.binomtest(spurious.size, n_empty, reach).pvalue > 1e-6
    assert_law(spurious, law, first=threshold)
    # Spurious cells lie anywhere: origins and destinations are uniform.
    for ends in (cells // n_zones, cells % n_zones):
        assert scipy.stats.binomtest(int((ends < n_zones // 2).sum()), cells.size, 0.5).pvalue > 1e-6
        assert scipy.stats.kstest((ends + 0.5) / n_zones, "uniform").pvalue > 1e-6


@pytest.mark.timeout(60)
@BOTH
@pytest.mark.parametrize("n_zones", [DENSE, SPARSE], ids=["dense", "sparse"])
def test_release_without_threshold_publishes_everything(noise, n_zones):
    """Threshold 0: all cells, negative values too, and the noise of empty cells is as often below 0 as above."""
    parameters = ReleaseParameters(epsilon=0.66, threshold=0, noise=noise)
    matrix = many_flows(n_zones)
    release = simulated_release_from_od_matrix(matrix, parameters, np.random.default_rng(5))
    assert release.count.size == release.n_cells
    on_flows, on_empty, _ = split(matrix, release)
    assert_law(on_flows, law_of(parameters))
    below, above = int((on_empty < 0).sum()), int((on_empty > 0).sum())
    assert scipy.stats.binomtest(below, below + above, 0.5).pvalue > 1e-6
    assert_law(on_empty, law_of(parameters))


@BOTH
def test_sparse_path_without_threshold_has_the_law_of_the_dense_one(monkeypatch, noise):
    """The same on a small matrix sent down the sparse path: negative noise must not be lost."""
    monkeypatch.setattr(release_module, "_DENSE_CELLS", 0)
    parameters = ReleaseParameters(epsilon=0.66, threshold=0, noise=noise)
    matrix = matrix_of(60, {(0, 1): 50})
    release = simulated_release_from_od_matrix(matrix, parameters, np.random.default_rng(5))
    assert release.count.size == release.n_cells
    assert_law(split(matrix, release)[1], law_of(parameters))


@pytest.mark.parametrize("n_zones", [30, SPARSE], ids=["dense", "sparse"])
def test_flows_near_the_threshold_are_published_by_their_chance(n_zones):
    """A thousand releases of flows of 2, 5 and 8 at threshold 5: exact binomial per flow."""
    parameters = ReleaseParameters(epsilon=0.66, threshold=5)
    flows = {(0, 1): 2, (1, 2): 5, (2, 3): 8}
    matrix, rng = matrix_of(n_zones, flows), np.random.default_rng(12)
    times = 1000 if n_zones < 100 else 60
    published = dict.fromkeys(flows, 0)
    for _ in range(times):
        release = simulated_release_from_od_matrix(matrix, parameters, rng)
        seen = set(release.flow.tolist())
        for origin, destination in flows:
            published[origin, destination] += origin * n_zones + destination in seen
    for end, count in flows.items():
        chance = float(law_of(parameters).sf(5 - count))
        assert scipy.stats.binomtest(published[end], times, chance).pvalue > 1e-6


@pytest.mark.parametrize("noise", ["laplace", "integer"])
@pytest.mark.parametrize("n_zones", [60, SPARSE], ids=["dense", "sparse"])
def test_same_generator_same_release(noise, n_zones):
    parameters = ReleaseParameters(threshold=5, noise=noise)
    matrix = matrix_of(n_zones, {(0, 1): 50, (1, 0): 9})
    one, again, other = (
        simulated_release_from_od_matrix(matrix, parameters, np.random.default_rng(seed))
        for seed in (1, 1, 2)
    )
    assert np.array_equal(one.flow, again.flow)
    assert np.array_equal(one.count, again.count)
    assert not np.array_equal(one.count, other.count)


def test_other_parameters_stretch_the_same_draws():
    flows = {(0, 1): 50, (1, 0): 9, (3, 2): 1}

    def noise_of(epsilon, bound=None):
        matrix = matrix_of(40, flows, bound)
        parameters = ReleaseParameters(epsilon=epsilon, threshold=0, max_trips_per_user=bound)
        release = simulated_release_from_od_matrix(matrix, parameters, np.random.default_rng(1))
        true = np.zeros(1600)
        true[matrix.flow] = matrix.count
        return release.count - true[release.flow]

    assert noise_of(0.33) == pytest.approx(2 * noise_of(0.66), abs=1e-9)
    assert noise_of(0.66, 5) == pytest.approx(5 * noise_of(0.66), abs=1e-9)


def test_threshold_only_hides():
    matrix = matrix_of(40, {(0, 1): 50, (1, 0): 9, (3, 2): 1})
    everything = simulated_release_from_od_matrix(
        matrix, ReleaseParameters(threshold=0), np.random.default_rng(1)
    )
    for threshold in (1, 3, 10, 100):
        release = simulated_release_from_od_matrix(
            matrix, ReleaseParameters(threshold=threshold), np.random.default_rng(1)
        )
        kept = everything.count >= threshold
        assert np.array_equal(release.flow, everything.flow[kept])
        assert np.array_equal(release.count, everything.count[kept])


def test_matrix_is_left_alone():
    matrix = matrix_of(40, {(0, 1): 50})
    simulated_release_from_od_matrix(matrix, ReleaseParameters(threshold=0), np.random.default_rng(1))
    assert matrix.count.tolist() == [50]


@BOTH
def test_huge_public_sets_degenerate(noise):
    """A million zones, 10¹² cells: at the published parameters about 10⁻¹⁷ spurious cells."""
    matrix = matrix_of(1_000_000, {(0, 999_999): 500, (999_999, 0): 3})
    release = simulated_release_from_od_matrix(
        matrix, ReleaseParameters(noise=noise), np.random.default_rng(1)
    )
    assert release.flow.tolist() == [999_999]
    assert release.n_cells == 10**12 - 10**6


def test_one_pair_degenerate():
    release = simulated_release_from_od_matrix(
        matrix_of(2, {(0, 1): 1}), ReleaseParameters(threshold=0), np.random.default_rng(1)
    )
    assert release.flow.tolist() == [1, 2]


@pytest.mark.timeout(60)
def test_sparse_release_with_nearly_every_cell_taken_degenerate():
    """Few empty cells among many: the empty ones are found, each once."""
    n = 1002  # just above the dense limit
    flows = {(o, d): 5 for o in range(n) for d in range(n) if o != d and not (o == 7 and d < 6)}
    parameters = ReleaseParameters(epsilon=0.01, threshold=1)
    matrix = matrix_of(n, flows)
    empty = {7 * n + d for d in range(6)}
    seen = 0
    for seed in range(3):
        release = simulated_release_from_od_matrix(matrix, parameters, np.random.default_rng(seed))
        spurious = set(release.flow.tolist()) - set(matrix.flow.tolist())
        assert spurious <= empty
        seen += len(spurious)
    assert 0 < seen < 18


@pytest.mark.parametrize(("counted", "asked"), [(None, 3), (3, None), (3, 4)])
def test_bound_mismatch_iv(counted, asked):
    with pytest.raises(
        ParameterError,
        match=rf"^max_trips_per_user must be the bound the matrix was counted under \({counted}\), got {asked}\.$",
    ):
        simulated_release_from_od_matrix(
            matrix_of(3, {(0, 1): 1}, counted),
            ReleaseParameters(max_trips_per_user=asked),
            np.random.default_rng(1),
        )


@BOTH
@pytest.mark.parametrize("threshold", [0, 1])
def test_too_many_cells_iv(noise, threshold):
    matrix = matrix_of(4000, {(0, 1): 1})
    parameters = ReleaseParameters(epsilon=0.01, threshold=threshold, noise=noise)
    with pytest.raises(
        ParameterError, match=r"^threshold must be higher: at \d+ about [\d,]+ empty cells would "
    ):
        simulated_release_from_od_matrix(matrix, parameters, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("change", "name"),
    [
        *(({"epsilon": value}, "epsilon") for value in (math.nan, math.inf, -1, 0, 20.1, "1", None, True)),
        *(({"threshold": value}, "threshold") for value in (-1, 1.5, 100_001, math.nan, "100", None)),
        *(
            ({"max_trips_per_user": value}, "max_trips_per_user")
            for value in (0, -1, 1.5, 1001, math.nan, "1")
        ),
        ({"noise": "gauss"}, "noise"),
    ],
)
def test_parameters_iv(change, name):
    with pytest.raises(ParameterError, match=rf"^{name} must be .*, got .*\.$"):
        ReleaseParameters(**change)


def test_privacy_unit():
    assert ReleaseParameters().privacy_unit == "trip"
    assert ReleaseParameters(max_trips_per_user=3).privacy_unit == "user-week"
    assert ReleaseParameters(epsilon=0.5, max_trips_per_user=3).mechanism.scale == 6
    assert ReleaseParameters(epsilon=0.5).mechanism.scale == 2


def test_gaussian_noise_has_the_deviation_of_its_promise_against_theory() -> None:
    """σ of each of 39,800 empty cells, and of rounding: (σ/1024)² + 1/12; six standard errors of a variance at most."""
    empty = matrix_of(200, {}, bound=20)
    parameters = GaussianParameters(epsilon=0.66, delta=1e-6, max_trips_per_user=20, threshold=0)
    release = simulated_release_from_units(empty, parameters, np.random.default_rng(4))
    expected = (parameters.sigma / 1024) ** 2 + 1 / 12
    assert release.count.size == release.n_cells == 39_800
    assert release.count.var() == pytest.approx(expected, rel=6 * (2 / 39_800) ** 0.5)
    wide = matrix_of(1001, {}, bound=20)
    with pytest.raises(ParameterError, match="zones must make at most 1,000,000 cells with noise gaussian"):
        simulated_release_from_units(wide, parameters, np.random.default_rng(4))


@BOTH
def test_many_weeks_against_every_cell_drawn_by_itself(noise: str) -> None:
    """Of empty cells only those that pass are drawn: as many of them, with the same values, as where every cell is."""
    n_zones, threshold, n_weeks = 120, 4, 80  # 14,280 cells a week, more than a million in all
    matrix = many_flows(n_zones, n=200, count=3)
    parameters = ReleaseParameters(epsilon=1.0, threshold=threshold, noise=noise)
    law, plain, rare = law_of(parameters), [], []
    for found, weeks in ((plain, 1), (rare, n_weeks)):
        for week in range(n_weeks):
            rng = np.random.default_rng([week, weeks])
            release = simulated_release_from_od_matrix(matrix, parameters, rng, n_weeks=weeks)
            assert np.all(np.diff(release.flow) > 0)
            found.append(split(matrix, release))
    passes = law.sf(threshold - (1 if noise == "integer" else 0))
    n_empty = matrix.n_cells - matrix.count.size
    for found in (plain, rare):
        values = np.concatenate([one[1] for one in found])
        assert scipy.stats.binomtest(values.size, n_empty * n_weeks, passes).pvalue > 1e-6
        assert_law(values, law, first=threshold)
        cells = np.concatenate([one[2] for one in found])
        origins = np.bincount(cells // n_zones, minlength=n_zones)
        free = n_zones - 1 - np.bincount(matrix.origin, minlength=n_zones)
        assert scipy.stats.chisquare(origins, free * cells.size / free.sum()).pvalue > 1e-6
    # The number that passes varies from week to week as a binomial number does, not less and not more.
    numbers = np.array([one[1].size for one in rare])
    spread = ((numbers - n_empty * passes) ** 2).sum() / (n_empty * passes * (1 - passes))
    assert 1e-6 < scipy.stats.chi2.cdf(spread, n_weeks) < 1 - 1e-6
    # And the noise on true flows is that of any week.
    kept = np.concatenate([one[0] for one in rare])
    assert abs(kept.size - np.concatenate([one[0] for one in plain]).size) < 6 * math.sqrt(kept.size)
