"""Intervals against scipy's own test, and the check of a measurement against its bound."""

import numpy as np
import pytest
import scipy.stats

from privlab.checks import BoundViolation
from privlab.stats import clopper_pearson, require_within_bound


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
