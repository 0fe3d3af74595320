"""Intervals against scipy's own test, and the check of a measurement against its bound."""

import numpy as np
import pytest
import scipy.stats
import sklearn.metrics

from privlab.checks import BoundViolation, ParameterError
from privlab.stats import (
    auc_from_midranks,
    auc_interval,
    binomial_chance,
    binomial_lower_tail,
    binomial_quantile,
    binomial_upper_tail,
    clopper_pearson,
    midranks_from_scores,
    powerless_privacy_loss,
    privacy_loss_from_auc,
    require_within_bound,
    roc_from_midranks,
    true_positive_rate,
    wilson,
)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999999])
@pytest.mark.parametrize("trials", [1, 2, 10, 137, 10_000])
def test_clopper_pearson_against_scipy(trials, level):
    for hits in sorted({0, 1, trials // 3, trials // 2, trials - 1, trials}):
        expected = scipy.stats.binomtest(hits, trials).proportion_ci(confidence_level=level, method="exact")
        low, high = clopper_pearson(hits, trials, level=level)
        # scipy finds its limits by bisection, to 2e-12 of its own.
        assert low == pytest.approx(expected.low, abs=1e-10)
        assert high == pytest.approx(expected.high, abs=1e-10)


def test_clopper_pearson_degenerate():
    low, high = clopper_pearson([0, 5], [5, 5])
    assert low[0] == 0
    assert high[1] == 1
    assert 0 < high[0] < 1
    assert 0 < low[1] < 1
    assert np.allclose([high[0], low[1]], [1 - 0.025**0.2, 0.025**0.2])  # closed form at 0 and n


def test_clopper_pearson_is_elementwise():
    low, high = clopper_pearson(np.array([[0, 3], [7, 10]]), 10)
    assert low.shape == high.shape == (2, 2)
    assert np.all(low <= np.array([[0, 0.3], [0.7, 1]]))
    assert np.all(high >= np.array([[0, 0.3], [0.7, 1]]))


def test_clopper_pearson_covers_against_brute_force():
    n = 12
    low, high = clopper_pearson(np.arange(n + 1), n)
    for p in np.linspace(0.001, 0.999, 97):
        covered = (low <= p) & (p <= high)
        assert scipy.stats.binom.pmf(np.arange(n + 1), n, p)[covered].sum() >= 0.95


def test_within_bound_against_theory():
    n, bound = 10_000, 0.7
    # The least number of hits whose upper tail lies below 1e-9, by scipy's own quantile.
    first_bad = next(h for h in range(7000, 8000) if scipy.stats.binom.sf(h - 1, n, bound) < 1e-9)
    require_within_bound([first_bad - 1], n, [bound], "attack")
    with pytest.raises(BoundViolation, match=r"^attack: measured 0\.\d{4} above the bound 0\.7000\.$"):
        require_within_bound([first_bad], n, [bound], "attack")


def test_within_bound_names_the_worst():
    with pytest.raises(BoundViolation, match=r"^x: measured 0\.9000 above the bound 0\.5000\.$"):
        require_within_bound([600, 900, 510], 1000, [0.55, 0.5, 0.5], "x")


def test_within_bound_degenerate():
    require_within_bound([0, 10], 10, [0.0, 1.0], "x")
    require_within_bound(0, 0, 0.5, "x")
    require_within_bound([1000], 1000, [0.999], "x")
    with pytest.raises(BoundViolation):
        require_within_bound(1, 10, 0.0, "x")


def test_within_bound_refuses_what_cannot_be_judged():
    for hits, bound in ((np.nan, 0.5), (5, np.nan)):
        with pytest.raises((BoundViolation, ValueError)):
            require_within_bound([hits], 10, [bound], "x")


def scores_with_ties(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n_in, n_out, levels = rng.integers(1, 60), rng.integers(1, 60), rng.integers(1, 40)
    return rng.integers(0, levels, n_in) + rng.integers(0, 3), rng.integers(0, levels, n_out)


@pytest.mark.parametrize("seed", range(40))
def test_auc_and_roc_with_ties_against_sklearn(seed):
    inside, outside = scores_with_ties(seed)
    labels, scores = np.repeat([1, 0], [inside.size, outside.size]), np.concatenate([inside, outside])
    ranks = midranks_from_scores(inside, outside)
    assert auc_from_midranks(*ranks) == pytest.approx(
        sklearn.metrics.roc_auc_score(labels, scores), abs=1e-12
    )
    false, true, _ = sklearn.metrics.roc_curve(labels, scores, drop_intermediate=False)
    found = roc_from_midranks(*ranks)
    np.testing.assert_allclose(found, (false, true), atol=1e-12)
    for most in (0.0, 0.01, 0.1, 1.0):
        assert true_positive_rate(*ranks, most_false=most) == pytest.approx(true[false <= most].max())


@pytest.mark.parametrize("n", [1, 7, 300])
def test_wilson_against_scipy(n: int) -> None:
    for hits in {0, 1, n // 2, n}:
        theirs = scipy.stats.binomtest(hits, n).proportion_ci(0.95, method="wilson")
        assert [float(one) for one in wilson(hits, n)] == pytest.approx([theirs.low, theirs.high], abs=1e-12)


def test_auc_needs_finite_scores_on_both_sides_iv():
    for inside, outside in (([], [1.0]), ([1.0], []), ([float("nan")], [1.0]), ([1.0], [float("inf")])):
        with pytest.raises(ParameterError, match="scores must be finite"):
            midranks_from_scores(inside, outside)


@pytest.mark.parametrize("auc", [0.5, 0.7, 0.9, 0.97])
def test_auc_interval_covers_the_truth_of_normal_scores(auc):
    rng, shift = np.random.default_rng(1), np.sqrt(2) * scipy.stats.norm.ppf(auc)
    hits = 0
    for _ in range(1000):
        found = auc_from_midranks(*midranks_from_scores(rng.normal(shift, 1, 50), rng.normal(0, 1, 50)))
        low, high = auc_interval(found, 50, 50)
        assert 0 <= low <= found <= high <= 1
        hits += low <= auc <= high
    # Some 93% in earnest; one in a million falls below this.
    assert hits >= scipy.stats.binom.ppf(1e-6, 1000, 0.93)


def test_auc_interval_at_the_ends_is_no_point():
    low, high = auc_interval(1.0, 50, 50)
    assert (low, high) == (pytest.approx(0.96, abs=0.005), 1.0)
    assert auc_interval(0.0, 50, 50) == (0.0, pytest.approx(1 - low))


def test_powerless_privacy_loss_against_simulation_and_by_hand():
    rng = np.random.default_rng(1)
    losses = [
        float(privacy_loss_from_auc(auc_from_midranks(*midranks_from_scores(rng.random(50), rng.random(50)))))
        for _ in range(4000)
    ]
    assert np.mean(losses) == pytest.approx(
        powerless_privacy_loss(50, 50), abs=5 * np.std(losses) / 4000**0.5
    )
    assert powerless_privacy_loss(50, 50) == pytest.approx(0.046, abs=0.001)
    assert privacy_loss_from_auc([0.3, 0.5, 0.75, 1.0]).tolist() == [0, 0, 0.5, 1]


def test_binomial_laws_against_scipy_to_the_last_bit() -> None:
    """What the published figures were computed with; scipy.stats is not loaded by the commands any more."""
    rng = np.random.default_rng(15)
    trials = np.concatenate([rng.integers(1, 60, 4_000), rng.integers(1, 20_001, 4_000)])
    hits = np.floor(rng.random(trials.size) * (trials + 3)) - 1
    chance = rng.random(trials.size)
    law = scipy.stats.binom
    assert np.array_equal(binomial_upper_tail(hits, trials, chance), law.sf(hits - 1, trials, chance))
    assert np.array_equal(binomial_lower_tail(hits, trials, chance), law.cdf(hits - 1, trials, chance))
    inside = np.clip(hits, 0, trials)
    assert np.array_equal(binomial_chance(inside, trials, chance), law.pmf(inside, trials, chance))
    for share in (1e-20, 1e-3, 0.5, 0.999):
        for n, p in zip(trials[::80].tolist(), chance[::80].tolist(), strict=True):
            assert binomial_quantile(share, n, p) == law.ppf(share, n, p)
    assert binomial_upper_tail(3, 5, 1.0) == 1.0
    assert binomial_upper_tail(3, 5, 0.0) == 0.0
