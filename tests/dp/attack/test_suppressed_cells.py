"""The exact attack on many targets at once, against enumeration, the form for one target, and theory."""

import itertools
import math

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.checks import ParameterError
from privlab.dp.attack.exact_accuracy import (
    ACCURACY_FROM_EPSILON,
    accuracy_from_suppressed_cells,
    laplace_accuracy_from_epsilon,
)
from privlab.dp.attack.exposed_overlap import exposed_overlap
from privlab.dp.attack.suppressed_cells import (
    accuracies_from_suppressed_cells,
    accuracy_from_cells,
    accuracy_from_one_cell,
)

BOTH = pytest.mark.parametrize("noise", ["laplace", "integer"])


def batch(noise: str, epsilon: float, threshold: int, targets: list[list[int]]) -> np.ndarray:
    counts = [count for target in targets for count in target]
    starts = np.cumsum([0, *map(len, targets)])
    return accuracies_from_suppressed_cells(noise, epsilon, threshold, counts, starts)


def outcomes(epsilon: float, threshold: int, count: int) -> list[tuple[float, float]]:
    """Chances of every outcome of one cell under integer noise, from scipy's law: hidden, τ, τ + 1, …"""
    shown = np.arange(threshold, max(threshold, count) + 60)
    pairs = [scipy.stats.dlaplace.pmf(shown - count - there, epsilon) for there in (0, 1)]
    hidden = [float(scipy.stats.dlaplace.cdf(threshold - 1 - count - there, epsilon)) for there in (0, 1)]
    return [(hidden[0], hidden[1]), *zip(*pairs, strict=True)]


@pytest.mark.parametrize("epsilon", [0.66, 1.5])
@pytest.mark.parametrize("counts", [[3, 9], [5, 5], [4, 6], [0, 4], [5]])
def test_integer_against_brute_force_over_values(epsilon: float, counts: list[int]) -> None:
    distance = 0.0
    for pattern in itertools.product(*(outcomes(epsilon, 5, count) for count in counts)):
        distance += abs(math.prod(a for a, _ in pattern) - math.prod(b for _, b in pattern)) / 2
    tail = math.exp(-epsilon * 54)  # values above the last one enumerated
    assert batch("integer", epsilon, 5, [counts])[0] == pytest.approx((1 + distance) / 2, abs=1e-9 + tail)


@BOTH
@settings(max_examples=60)
@given(st.data(), st.floats(0.05, 8), st.integers(1, 30))
def test_below_the_threshold_against_brute_force(
    noise: str, data: st.DataObject, epsilon: float, threshold: int
) -> None:
    """All cells below: 2^n outcomes. Given that a cell is shown, its value tells nothing more."""
    counts = data.draw(st.lists(st.integers(max(0, threshold - 8), threshold - 1), min_size=1, max_size=10))
    law = scipy.stats.laplace(scale=1 / epsilon) if noise == "laplace" else scipy.stats.dlaplace(epsilon)
    edge = threshold if noise == "laplace" else threshold - 1
    out, inside = np.ones(1), np.ones(1)
    for count in counts:
        hidden_out, hidden_in = law.cdf(edge - count), law.cdf(edge - count - 1)
        out = np.concatenate([out * hidden_out, out * (1 - hidden_out)])
        inside = np.concatenate([inside * hidden_in, inside * (1 - hidden_in)])
    expected = (1 + np.abs(out - inside).sum() / 2) / 2
    assert batch(noise, epsilon, threshold, [counts])[0] == pytest.approx(expected, abs=1e-10)


@settings(max_examples=25)
@given(
    st.floats(0.05, 5),
    st.integers(1, 60),
    st.lists(st.lists(st.integers(0, 70), max_size=16), min_size=1, max_size=6),
)
def test_laplace_against_the_form_for_one_target(
    epsilon: float, threshold: int, targets: list[list[int]]
) -> None:
    single = [
        accuracy_from_suppressed_cells(epsilon, threshold, target) if target else 0.5 for target in targets
    ]
    # The single form rounds a loss to its lattice; where that meets a kink it is off by a lattice step or so.
    assert batch("laplace", epsilon, threshold, targets) == pytest.approx(single, abs=2e-5)


@pytest.mark.parametrize(
    ("epsilon", "threshold", "counts"),
    [
        (0.66, 100, [1000, 99, 95, 40]),
        (1.0, 3, [0, 1, 2, 3]),
        (0.66, 100, list(range(300))),
        (0.05, 100, list(range(0, 400, 2))),
        (0.66, 0, [5]),
        (20.0, 7, [6, 6, 6]),
    ],
)
def test_one_target_against_the_form_for_one_target(
    epsilon: float, threshold: int, counts: list[int]
) -> None:
    single = accuracy_from_suppressed_cells(epsilon, threshold, counts)
    assert accuracy_from_cells("laplace", epsilon, threshold, counts) == pytest.approx(single, abs=1e-6)


@pytest.mark.parametrize("counts", [[-1], [0.5], [math.nan], ["a"], [[1, 2]], 3, [], [10**30]])
def test_counts_of_one_target_iv(counts: list[int]) -> None:
    with pytest.raises(ParameterError, match=r"^counts must .*, got .*\.$"):
        accuracy_from_cells("laplace", 0.66, 100, counts)


@pytest.mark.parametrize(("epsilon", "threshold", "below"), [(1.0, 1, 0), (0.66, 20, 17), (6.0, 5, 4)])
def test_laplace_exposed_and_hidden_together_against_quadrature(
    epsilon: float, threshold: int, below: int
) -> None:
    out, inside = (scipy.stats.laplace(loc=there, scale=1 / epsilon) for there in (0, 1))
    shown = [law.sf(threshold - below) for law in (out, inside)]
    overlap = 0.0
    for a, b in (shown, [1 - one for one in shown]):
        kink = np.clip(0.5 + math.log(a / b) / (2 * epsilon), 0, 1)  # where the two worlds weigh alike
        for low, high in itertools.pairwise([-60 / epsilon, 0, kink, 1, 1 + 60 / epsilon]):
            overlap += scipy.integrate.quad(lambda y: min(a * out.pdf(y), b * inside.pdf(y)), low, high)[0]  # noqa: B023
    answer = batch("laplace", epsilon, threshold, [[below, threshold]])[0]
    assert answer == pytest.approx(1 - overlap / 2, abs=1e-9)


@BOTH
@pytest.mark.parametrize("n_between", [11, 12, 13])
def test_patterns_and_lattice_agree(noise: str, n_between: int, monkeypatch: pytest.MonkeyPatch) -> None:
    target = [[99 - i for i in range(n_between)] + [100] * 4]
    patterns_or_lattice = batch(noise, 0.4, 100, target)
    monkeypatch.setattr("privlab.dp.attack.suppressed_cells._MOST_PATTERNS", 13 if n_between > 12 else 0)
    assert patterns_or_lattice == pytest.approx(batch(noise, 0.4, 100, target), abs=1e-7)


@BOTH
@pytest.mark.parametrize("epsilon", [0.02, 0.66, 2.0, 9.0])
def test_lattice_against_patterns_of_many_cells_for_random_targets(
    noise: str, epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(17)
    targets = [(33 - rng.integers(-4, 9, rng.integers(15, 20))).tolist() for _ in range(40)]
    monkeypatch.setattr("privlab.dp.attack.suppressed_cells._MOST_PATTERNS", 16)
    patterns = batch(noise, epsilon, 31, targets)
    monkeypatch.setattr("privlab.dp.attack.suppressed_cells._MOST_PATTERNS", 8)
    assert batch(noise, epsilon, 31, targets) == pytest.approx(patterns, abs=1e-6)


@BOTH
def test_many_cells_of_one_kind_against_binomials(noise: str) -> None:
    """150 cells three below the threshold: shown or not, so that the two worlds are two binomials."""
    epsilon, n = 0.3, 150
    first = 0.5 if noise == "laplace" else 1 / (1 + math.exp(-epsilon))
    shown = [first * math.exp(-epsilon * gap) for gap in (3, 2)]
    hits = np.arange(n + 1)
    out, inside = (scipy.stats.binom.pmf(hits, n, chance) for chance in shown)
    expected = (1 + np.abs(out - inside).sum() / 2) / 2
    answers = batch(noise, epsilon, 500, [[497] * n, [497] * n + [0] * 40])
    assert answers == pytest.approx([expected, expected], abs=1e-6)


@BOTH
def test_many_cells_that_each_tell_nearly_all_against_one_of_them(noise: str) -> None:
    """A hundred cells one below the threshold at ε = 20: each alone is shown in half of the cases or more if in, hardly ever if not."""
    first = 0.5 if noise == "laplace" else 1 / (1 + math.exp(-20))
    unlike = (1 - first) ** 100 + 100 * first * math.exp(-20)  # never shown if in, or ever shown if not
    answers = batch(noise, 20.0, 100, [[99] * 100, [99] * 100 + [100] * 30 + [3] * 5])
    assert (answers >= 1 - unlike / 2).all()
    assert (answers <= 1).all()


@BOTH
@pytest.mark.parametrize("epsilon", [1e-5, 0.01, 0.66, 5.0, 20.0])
def test_exposed_cells_against_the_curve(noise: str, epsilon: float) -> None:
    sizes = [0, 1, 2, 5, 40]
    curve = ACCURACY_FROM_EPSILON[noise](epsilon, 40)
    assert batch(noise, epsilon, 10, [[10] * n for n in sizes]) == pytest.approx(curve[sizes], abs=1e-9)


def test_against_published_table() -> None:
    answers = batch("laplace", 0.66, 100, [[1000] * 3, [99] * 5, [95] * 10, [50] * 32])
    assert answers == pytest.approx([0.707072, 0.713772, 0.567400, 0.5], abs=5.1e-7)
    assert batch("laplace", 1.0, 3, [[0, 1, 2, 3]])[0] == pytest.approx(0.725812, abs=5.1e-7)


@pytest.mark.parametrize("epsilon", [0.1, 0.66, 8.0, 20.0])
def test_exposed_overlap_between_the_lattice_points_against_quadrature(epsilon: float) -> None:
    """Two cells with real noise: the loss has atoms ¼, ½, ¼ at −2ε, 0, 2ε and densities between."""
    law = exposed_overlap("laplace", epsilon, 1)
    two = exposed_overlap("laplace", epsilon, 2)
    points = np.random.default_rng(5).uniform(-2.2 * epsilon, 2.2 * epsilon, 9)
    u, weight = np.polynomial.legendre.leggauss(60)
    side = math.exp(-epsilon / 2)
    for x in points:
        # One more cell: atoms of ½·e^{−ε/2} at ±ε, density ¼·e^{−ε/2} between; kinks where x + s is 0, ±ε.
        cuts = np.unique(np.clip([-epsilon, -x - epsilon, -x, -x + epsilon, epsilon], -epsilon, epsilon))
        inner = 0.0
        for a, b in itertools.pairwise(cuts):
            inner += (b - a) / 2 * float(weight @ law(x + a + (u + 1) * (b - a) / 2))
        ends = law(np.array([x - epsilon, x + epsilon])).sum()
        expected = side * (ends / 2 + inner / 4)
        assert two(np.array([x]))[0] == pytest.approx(expected, abs=1e-9)


@BOTH
def test_never_more_than_composition_and_more_cells_never_help(noise: str) -> None:
    rng = np.random.default_rng(11)
    targets = [rng.integers(0, 30, rng.integers(1, 15)).tolist() for _ in range(200)]
    answers = batch(noise, 0.5, 20, targets)
    fewer = batch(noise, 0.5, 20, [target[:-1] for target in targets])
    bound = 1 / (1 + np.exp(-0.5 * np.array([len(target) for target in targets])))
    assert np.all(answers <= bound + 1e-9)
    assert np.all(fewer <= answers + 1e-8)


def test_one_cell_against_theory() -> None:
    alone = accuracy_from_one_cell("laplace", 0.66, 100, [100, 500, 99, 0])
    # Shown or not at one below: ½ against ½e^{−ε}.
    below = (1 + (0.5 - 0.5 * math.exp(-0.66))) / 2
    expected = [1 - math.exp(-0.33) / 2, 1 - math.exp(-0.33) / 2, below, 0.5]
    assert alone == pytest.approx(expected, abs=1e-9)
    coin = accuracy_from_one_cell("integer", 0.66, 100, [100, 99])
    assert coin == pytest.approx([1 / (1 + math.exp(-0.66))] * 2, abs=1e-12)


@BOTH
def test_many_exposed_cells_degenerate(noise: str) -> None:
    answers = batch(noise, 0.05, 3, [[3] * 1500, [0] * 1500, [2] * 400])
    assert np.all(np.isfinite(answers))
    if noise == "laplace":
        assert answers[0] >= laplace_accuracy_from_epsilon(0.05, 1000)[-1]


@pytest.mark.parametrize(
    ("counts", "starts"), [([-1], [0, 1]), ([1], [0, 2]), ([1], [1, 1]), ([1, 2], [0, 2, 1, 2])]
)
def test_shapes_iv(counts: list[int], starts: list[int]) -> None:
    with pytest.raises(ParameterError, match=r"^(counts|starts) must .*, got .*\.$"):
        accuracies_from_suppressed_cells("laplace", 0.66, 10, counts, starts)


@pytest.mark.parametrize("counts", [[1.5], [math.nan], [-1.0], ["many"], None])
def test_counts_of_one_cell_each_that_are_no_whole_numbers_are_refused_iv(counts) -> None:
    with pytest.raises(ParameterError, match=r"^counts must be whole numbers"):
        accuracy_from_one_cell("laplace", 1.0, 5, counts)
