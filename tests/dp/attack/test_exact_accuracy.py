"""The exact attack against theory, dp_accounting, enumeration and simulated games of the real mechanism."""

import itertools
import math

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from dp_accounting.pld import privacy_loss_distribution as pld
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.checks import ParameterError
from privlab.dp.attack.exact_accuracy import (
    ACCURACY_FROM_EPSILON,
    accuracy_from_suppressed_cells,
    integer_accuracy_from_epsilon,
    laplace_accuracy_from_epsilon,
)
from privlab.limits import MIN_EPSILON_PER_CELL

BOTH = pytest.mark.parametrize("noise", ["laplace", "integer"])
epsilons = st.floats(MIN_EPSILON_PER_CELL, 20)


def half_one_plus(tv: float) -> float:
    return 0.5 * (1 + min(max(tv, 0.0), 1.0))


# --- Laplace -----------------------------------------------------------------------------------


def test_laplace_against_dp_accounting_every_k():
    exact = laplace_accuracy_from_epsilon(0.66, 70)
    one = pld.from_laplace_mechanism(1 / 0.66, value_discretization_interval=1e-3)
    expected = [0.5] + [half_one_plus(one.self_compose(k).get_delta_for_epsilon(0.0)) for k in range(1, 71)]
    assert np.abs(exact - expected).max() < 1e-6


@pytest.mark.parametrize("epsilon", [0.01, 0.05, 0.3, 1.0, 2.0, 5.0, 12.0, 20.0])
def test_laplace_against_dp_accounting_other_epsilons(epsilon):
    exact = laplace_accuracy_from_epsilon(epsilon, 20)
    one = pld.from_laplace_mechanism(1 / epsilon, value_discretization_interval=min(1e-3, epsilon / 200))
    for k in (1, 2, 3, 8, 20):
        expected = half_one_plus(one.self_compose(k).get_delta_for_epsilon(0.0))
        assert exact[k] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("epsilon", np.geomspace(MIN_EPSILON_PER_CELL, 20, 25))
def test_laplace_single_cell_against_theory(epsilon):
    assert laplace_accuracy_from_epsilon(epsilon, 1)[1] == pytest.approx(
        1 - math.exp(-epsilon / 2) / 2, abs=1e-6
    )


@pytest.mark.parametrize("epsilon", [0.66, 6.0])
def test_laplace_two_cells_against_brute_force(epsilon):
    """TV of two cells as a double integral, by quadrature over the loss of the first cell."""

    def density(y):  # of the Laplace law, as scipy.stats.laplace.pdf has it, which takes an array to be quick
        return epsilon / 2 * math.exp(-epsilon * abs(y))

    assert [density(y) for y in (-3.0, 0.0, 0.7)] == pytest.approx(
        scipy.stats.laplace(scale=1 / epsilon).pdf([-3.0, 0.0, 0.7]), rel=1e-12
    )

    def overlap_of_second(loss):  # 1 − hockey stick of one cell at shift `loss`
        f = lambda y: min(density(y), density(y - 1) * math.exp(loss))  # noqa: E731
        return scipy.integrate.quad(f, -60 / epsilon, 60 / epsilon, points=[0, 0.5, 1], limit=400)[0]

    # First cell: atoms ½ and ½e^{−ε} at u ≤ 0, u ≥ 1 under OUT, density (ε/2)e^{−εu} between.
    inner = scipy.integrate.quad(
        lambda u: epsilon / 2 * math.exp(-epsilon * u) * overlap_of_second(epsilon * (2 * u - 1)), 0, 1,
        epsabs=1e-8,
    )[0]  # fmt: skip
    total = 0.5 * overlap_of_second(-epsilon) + 0.5 * math.exp(-epsilon) * overlap_of_second(epsilon) + inner
    assert laplace_accuracy_from_epsilon(epsilon, 2)[2] == pytest.approx(1 - total / 2, abs=1e-5)


@pytest.mark.parametrize(
    ("k", "accuracy"),
    [(0, 0.5), (1, 0.640538), (2, 0.656294), (3, 0.707072), (5, 0.753518), (10, 0.829521), (20, 0.910539),
     (32, 0.955224), (70, 0.993925)],
)  # fmt: skip
def test_laplace_against_published_table(k, accuracy):
    assert laplace_accuracy_from_epsilon(0.66, 70)[k] == pytest.approx(accuracy, abs=5.1e-7)


def test_laplace_does_not_depend_on_how_far_the_curve_goes():
    whole = laplace_accuracy_from_epsilon(0.66, 200)
    for last in (0, 1, 2, 7, 70):
        assert np.abs(laplace_accuracy_from_epsilon(0.66, last) - whole[: last + 1]).max() < 1e-9


# --- integer -----------------------------------------------------------------------------------


def brute_force_integer(epsilon: float, k: int) -> float:
    """½(1 + TV) over all patterns of k cells, each the sign of a discrete Laplace draw around ½."""
    law = scipy.stats.dlaplace(epsilon)
    below_out, below_in = law.cdf(0), law.cdf(-1)  # noisy ≤ c, without and with the target
    tv = 0.0
    for pattern in itertools.product((0, 1), repeat=k):
        out = math.prod(below_out if low else 1 - below_out for low in pattern)
        inside = math.prod(below_in if low else 1 - below_in for low in pattern)
        tv += abs(out - inside) / 2
    return half_one_plus(tv)


@pytest.mark.parametrize("epsilon", [0.01, 0.66, 1.0, 3.0, 20.0])
def test_integer_against_brute_force(epsilon):
    curve = integer_accuracy_from_epsilon(epsilon, 10)
    assert curve == pytest.approx([brute_force_integer(epsilon, k) for k in range(11)], abs=1e-12)


def test_integer_against_brute_force_over_values():
    """Two cells, every pair of noisy values from −80 to 80: nothing but the law itself."""
    epsilon = 0.66
    values = np.arange(-80, 82)
    out, inside = scipy.stats.dlaplace.pmf(values, epsilon), scipy.stats.dlaplace.pmf(values - 1, epsilon)
    tv = np.abs(np.outer(out, out) - np.outer(inside, inside)).sum() / 2
    assert integer_accuracy_from_epsilon(epsilon, 2)[2] == pytest.approx(half_one_plus(tv), abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 0.66, 1.0, 4.0])
def test_integer_against_dp_accounting(epsilon):
    one = pld.from_discrete_laplace_mechanism(
        parameter=epsilon, sensitivity=1, value_discretization_interval=epsilon / 1000
    )
    curve = integer_accuracy_from_epsilon(epsilon, 30)
    for k in (1, 2, 3, 5, 17, 30):
        expected = half_one_plus(one.self_compose(k).get_delta_for_epsilon(0.0))
        assert curve[k] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("epsilon", [0.01, 0.66, 5.0, 20.0])
def test_integer_single_cell_reaches_the_claim_against_theory(epsilon):
    assert integer_accuracy_from_epsilon(epsilon, 1)[1] == pytest.approx(
        1 / (1 + math.exp(-epsilon)), abs=1e-12
    )


def test_integer_leaks_more_against_published_facts():
    assert laplace_accuracy_from_epsilon(1.0, 5)[5] == pytest.approx(0.8393, abs=5.1e-5)
    assert integer_accuracy_from_epsilon(1.0, 5)[5] == pytest.approx(0.8755, abs=5.1e-5)
    assert 1 / (1 + math.exp(-5)) == pytest.approx(0.9933, abs=5.1e-5)


# --- both --------------------------------------------------------------------------------------


@BOTH
@settings(max_examples=40)
@given(epsilon=epsilons, other=epsilons, last=st.integers(0, 60))
def test_curve_is_monotone_and_within_bounds(noise, epsilon, other, last):
    low, high = sorted((epsilon, other))
    small, large = (ACCURACY_FROM_EPSILON[noise](e, last) for e in (low, high))
    bound = 1 / (1 + np.exp(-low * np.arange(last + 1)))
    assert small[0] == 0.5
    assert np.all(np.diff(small) >= 0)
    assert np.all(small <= large + 1e-7)
    assert np.all(small <= bound + 1e-7)
    assert np.all((small >= 0.5) & (small <= 1))


@BOTH
@pytest.mark.parametrize("epsilon", [MIN_EPSILON_PER_CELL, 0.01, 20.0])
def test_curve_at_the_limits_degenerate(noise, epsilon):
    curve = ACCURACY_FROM_EPSILON[noise](epsilon, 1000)
    assert curve.shape == (1001,)
    assert np.all(np.isfinite(curve))
    assert np.all((curve >= 0.5) & (curve <= 1))
    assert np.all(np.diff(curve) >= 0)
    if epsilon == 0.01:  # far from the ends the central limit theorem holds: TV ≈ 2Φ(μ/2) − 1
        variance = epsilon**2 * (1 if noise == "integer" else 1 - 2 / 3 * epsilon / 2)
        normal = scipy.stats.norm.cdf(math.sqrt(1000 * variance) / 2)
        assert curve[1000] == pytest.approx(normal, abs=2e-3)


@BOTH
@pytest.mark.parametrize(
    "epsilon",
    [math.nan, math.inf, -1, 0, MIN_EPSILON_PER_CELL * 0.99, 20.01, "0.66", None, True, 10**400],
    ids=lambda value: repr(value)[:8],
)
def test_epsilon_iv(noise, epsilon):
    for call in (
        lambda: ACCURACY_FROM_EPSILON[noise](epsilon, 3),
        lambda: accuracy_from_suppressed_cells(epsilon, 100, [1]),
    ):
        with pytest.raises(ParameterError, match=r"^epsilon must be .*, got .*\.$"):
            call()


@BOTH
@pytest.mark.parametrize("last", [math.nan, math.inf, -1, 2.5, 1001, "3", None])
def test_max_cells_iv(noise, last):
    with pytest.raises(ParameterError, match=r"^max_cells must be .*, got .*\.$"):
        ACCURACY_FROM_EPSILON[noise](0.66, last)


# --- suppressed cells --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "threshold", "counts", "accuracy"),
    [
        (0.66, 100, [1000] * 3, 0.707072),
        (0.66, 100, [99] * 5, 0.713772),
        (0.66, 100, [95] * 10, 0.567400),
        (0.66, 100, [50] * 32, 0.500000),
        (1.0, 3, [0, 1, 2, 3], 0.725812),
    ],
)
def test_suppressed_against_published_table(epsilon, threshold, counts, accuracy):
    assert accuracy_from_suppressed_cells(epsilon, threshold, counts) == pytest.approx(accuracy, abs=5.1e-7)


def enumerated(epsilon: float, threshold: int, counts: list[int]) -> float:
    """All cells below the threshold: 2^n outcomes. Given that a cell is shown, its value tells nothing more."""
    law = scipy.stats.laplace(scale=1 / epsilon)
    out, inside = np.ones(1), np.ones(1)
    for c in counts:
        hidden_out, hidden_in = law.cdf(threshold - c), law.cdf(threshold - c - 1)
        out = np.concatenate([out * hidden_out, out * (1 - hidden_out)])
        inside = np.concatenate([inside * hidden_in, inside * (1 - hidden_in)])
    return half_one_plus(np.abs(out - inside).sum() / 2)


@settings(max_examples=60)
@given(st.data(), st.floats(0.05, 8), st.integers(1, 30))
def test_suppressed_below_threshold_against_brute_force(data, epsilon, threshold):
    counts = data.draw(st.lists(st.integers(max(0, threshold - 8), threshold - 1), min_size=1, max_size=11))
    exact = accuracy_from_suppressed_cells(epsilon, threshold, counts)
    assert exact == pytest.approx(enumerated(epsilon, threshold, counts), abs=1e-6)


@pytest.mark.parametrize("epsilon", [0.1, 0.66, 3.0])
@pytest.mark.parametrize("gap", [-3, -1, 0, 1, 2, 5])
def test_suppressed_single_cell_against_quadrature(epsilon, gap):
    """A cell `gap` above its threshold: TV as an integral over what is published, plus the suppressed atom."""
    threshold, count = 20, 20 + gap
    out, inside = (scipy.stats.laplace(loc=count + t, scale=1 / epsilon) for t in (0, 1))
    kinks = sorted({max(threshold, y) for y in (count, count + 0.5, count + 1)})
    far = count + 60 / epsilon
    parts = [
        scipy.integrate.quad(lambda y: abs(out.pdf(y) - inside.pdf(y)), a, b, limit=200)[0]
        for a, b in itertools.pairwise([threshold, *kinks, far])
        if b > a
    ]
    tv = (abs(out.cdf(threshold) - inside.cdf(threshold)) + sum(parts)) / 2
    exact = accuracy_from_suppressed_cells(epsilon, threshold, [count])
    assert exact == pytest.approx(half_one_plus(tv), abs=1e-6)


@pytest.mark.parametrize(
    ("epsilon", "threshold", "counts"),
    [
        (0.66, 100, [1000, 99, 98, 40]),
        (0.66, 100, [100, 100, 99, 99, 99, 99]),
        (0.3, 10, [9, 12, 3, 0, 50, 9, 9, 8]),
        (2.0, 5, [4, 5, 5, 6, 0]),
        (1.0, 3, [0, 1, 2, 3]),
        (0.1, 50, [49] * 20 + [60] * 10 + [40] * 10),
        (5.0, 1, [0, 0, 1, 0]),
    ],
)
def test_suppressed_mixed_against_simulated_mechanism(epsilon, threshold, counts):
    rng = np.random.default_rng(20261101)
    others, games = np.asarray(counts), 300_000
    present = rng.random(games) < 0.5
    noisy = others + present[:, None] + rng.laplace(0, 1 / epsilon, (games, others.size))
    cdf = scipy.stats.laplace(scale=1 / epsilon).cdf
    hidden_loss = np.log(cdf(threshold - others - 1) / cdf(threshold - others))
    shown_loss = epsilon * np.clip(2 * (noisy - others) - 1, -1, 1)
    # A value shown in spite of a count below the threshold lies at least one above it: loss exactly +ε.
    loss = np.where(noisy < threshold, hidden_loss, shown_loss).sum(axis=1)
    guess = np.where(np.abs(loss) < 1e-9, rng.random(games) < 0.5, loss > 0)
    wins = int((guess == present).sum())
    exact = accuracy_from_suppressed_cells(epsilon, threshold, counts)
    assert scipy.stats.binomtest(wins, games, exact).pvalue > 1e-6


@settings(max_examples=30)
@given(st.floats(0.01, 20), st.integers(0, 500), st.lists(st.integers(0, 500), min_size=1, max_size=40))
def test_counts_at_or_above_threshold_as_if_there_were_none(epsilon, threshold, extra):
    counts = [threshold + more for more in extra]
    exact = accuracy_from_suppressed_cells(epsilon, threshold, counts)
    assert exact == pytest.approx(laplace_accuracy_from_epsilon(epsilon, len(counts))[-1], abs=1e-9)


@settings(max_examples=40)
@given(
    st.floats(0.05, 5),
    st.integers(0, 60),
    st.lists(st.integers(0, 70), min_size=1, max_size=12),
    st.randoms(use_true_random=False),
)
def test_suppressed_order_adding_and_hiding(epsilon, threshold, counts, random):
    exact = accuracy_from_suppressed_cells(epsilon, threshold, counts)
    shuffled = random.sample(counts, len(counts))
    assert accuracy_from_suppressed_cells(epsilon, threshold, shuffled) == pytest.approx(exact, abs=1e-12)
    # A further cell never helps the target; a threshold never hurts him; composition bounds all.
    assert accuracy_from_suppressed_cells(epsilon, threshold, [*counts, 30]) >= exact - 2e-7
    assert exact <= laplace_accuracy_from_epsilon(epsilon, len(counts))[-1] + 2e-7
    assert 0.5 <= exact <= 1 / (1 + math.exp(-epsilon * len(counts))) + 2e-7


@pytest.mark.parametrize("epsilon", [MIN_EPSILON_PER_CELL, 0.01, 0.66, 20.0])
@pytest.mark.parametrize("threshold", [0, 1, 100_000])
@pytest.mark.parametrize(
    "counts",
    [
        [0],
        [0] * 2000,
        [99_999] * 2000,
        [100_000] * 2000,
        [10**6] * 2000,
        list(range(2000)),
        [0] + [10**9] * 2000,
    ],
    ids=["0", "zeros", "just below", "at", "far above", "spread", "mixed"],
)
def test_suppressed_at_the_limits_degenerate(epsilon, threshold, counts):
    exact = accuracy_from_suppressed_cells(epsilon, threshold, counts)
    assert math.isfinite(exact)
    assert 0.5 <= exact <= 1
    others = np.asarray(counts)
    if (others < threshold - 3000).all() and epsilon >= 0.01:
        assert exact == pytest.approx(0.5, abs=1e-9)
    if (others >= threshold).sum() >= 1000 and epsilon >= 0.66:
        assert exact == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("n", [100, 1000, 2000, 5000])
def test_suppressed_many_cells_just_below_against_theory(n):
    """Cells one below the threshold are coins of two biases: TV of two binomials, from scipy."""
    law, epsilon = scipy.stats.laplace(scale=1 / 0.05), 0.05
    hits = np.arange(n + 1)
    out, inside = (scipy.stats.binom.pmf(hits, n, law.sf(1 - t)) for t in (0, 1))
    exact = accuracy_from_suppressed_cells(epsilon, 100, [99] * n)
    assert exact == pytest.approx(half_one_plus(np.abs(out - inside).sum() / 2), abs=1e-6)


def test_suppressed_many_exposed_against_theory():
    """2,000 exposed cells and one hidden: the hidden one cannot matter, the sum is near normal."""
    with_hidden = accuracy_from_suppressed_cells(0.05, 100, [100] * 1000 + [0])
    assert with_hidden == pytest.approx(laplace_accuracy_from_epsilon(0.05, 1000)[-1], abs=1e-6)


@pytest.mark.parametrize(
    "counts",
    [[-1], [0.5], [math.nan], [math.inf], ["a"], [None], [[1, 2]], 3, [], [1e300], [10**30], [2**63]],
)
def test_counts_iv(counts):
    with pytest.raises(ParameterError, match=r"^counts must .*, got .*\.$"):
        accuracy_from_suppressed_cells(0.66, 100, counts)


@pytest.mark.parametrize("threshold", [math.nan, -1, 2.5, 100_001, "100", None, math.inf])
def test_threshold_iv(threshold):
    with pytest.raises(ParameterError, match=r"^threshold must be .*, got .*\.$"):
        accuracy_from_suppressed_cells(0.66, threshold, [1])
