"""The discrete Gaussian: against sums over the law itself, dp_accounting, and all outcomes of small contributions."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from dp_accounting.pld import privacy_loss_distribution
from hypothesis import given
from hypothesis import strategies as st

from privlab.checks import ParameterError
from privlab.dp.gaussian.discrete_gaussian import (
    UNITS,
    accuracy_of_contribution,
    delta_of_contribution,
    log_tail,
    rounded_normal,
    sigma_from_promise,
    weight_of_trips,
    zcdp_of_contribution,
)
from privlab.dp.gaussian.gaussian_parameters import GaussianParameters, delta_of_week
from privlab.dp.noise.calibration import gaussian_sigma


def law(sigma: float) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the whole numbers that matter and their chances, from the definition."""
    x = np.arange(-math.ceil(38 * sigma), math.ceil(38 * sigma) + 1)
    mass = np.exp(-(x.astype(np.float64) ** 2) / (2 * sigma**2))
    return x, mass / mass.sum()


@pytest.mark.parametrize("sigma", [4.0, 37.0, 399.0, 401.0, 2000.0])
@pytest.mark.parametrize("deviations", [-3, 0, 1, 3, 6])
def test_tails_against_the_sum_of_the_law(sigma: float, deviations: int) -> None:
    x, mass = law(sigma)
    for least in (math.ceil(deviations * sigma), math.ceil(deviations * sigma) + 1):
        assert float(log_tail(sigma, least)) == pytest.approx(math.log(mass[x >= least].sum()), abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5, 1.0, 2.0])
@pytest.mark.parametrize(("sigma", "shift"), [(50.0, 20), (4.0, 1), (1000.0, 1024)])
def test_delta_of_one_cell_against_dp_accounting(epsilon: float, sigma: float, shift: int) -> None:
    peer = privacy_loss_distribution.from_discrete_gaussian_mechanism(
        sigma=sigma, sensitivity=shift, value_discretization_interval=1e-4
    )
    expected = peer.get_delta_for_epsilon(epsilon)  # rounded up by less than one interval
    found = float(delta_of_contribution(epsilon, sigma, shift**2, shift))
    assert found <= expected + 1e-15
    assert found == pytest.approx(expected, rel=2e-3, abs=1e-15)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize(
    ("added", "sigma"), [((7,), 10.0), ((2, 2, 2), 6.0), ((2, 2, 1), 6.0), ((6, 4), 9.0)]
)
def test_delta_against_all_outcomes(epsilon: float, added: tuple[int, ...], sigma: float) -> None:
    """Every output of every cell, its chance in both worlds, and δ = Σ max(0, P − e^ε·Q) by its definition."""
    reach = math.ceil(9 * sigma)
    x = np.arange(-reach, reach + max(added) + 1)
    chance = {}
    for a in {0, *added}:
        mass = np.exp(-((x - a).astype(np.float64) ** 2) / (2 * sigma**2))
        chance[a] = mass / mass.sum()
    inside, outside = np.ones(1), np.ones(1)
    for a in added:
        inside = np.multiply.outer(inside, chance[a]).ravel()
        outside = np.multiply.outer(outside, chance[0]).ravel()
    expected = float(np.maximum(inside - math.exp(epsilon) * outside, 0).sum())
    found = delta_of_contribution(epsilon, sigma, sum(a * a for a in added), math.gcd(*added))
    assert float(found) == pytest.approx(expected, abs=1e-12)
    if not epsilon:
        square, divisor = sum(a * a for a in added), math.gcd(*added)
        assert accuracy_of_contribution(sigma, square, divisor) == pytest.approx(
            0.5 + expected / 2, abs=1e-12
        )


@given(st.integers(1, 100_000), st.integers(1, 1000))
def test_weights_are_the_largest_whole_units_within_the_bound(n_trips: int, bound: int) -> None:
    weight = int(weight_of_trips([n_trips], bound)[0])
    limit = UNITS**2 * bound
    assert n_trips * weight**2 <= limit
    assert weight <= UNITS
    assert weight == UNITS or n_trips * (weight + 1) ** 2 > limit


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (0.66, 1e-6), (3.0, 1e-9)])
@pytest.mark.parametrize("bound", [1, 3, 20])
@pytest.mark.parametrize("total", [None, (2, 100)])
def test_sigma_keeps_the_promise_of_everyone_and_hardly_more(
    epsilon: float, delta: float, bound: int, total: tuple[int, int] | None
) -> None:
    sigma = sigma_from_promise(epsilon, delta, bound, most_trips=200, total=total)
    deltas = []
    for trips in range(1, 201):
        weight = int(weight_of_trips([trips], bound)[0])
        in_total = 0 if total is None else total[0] * min(trips, total[1])
        square = trips * weight**2 + in_total**2
        divisor = math.gcd(weight, in_total)
        deltas.append(float(delta_of_contribution(epsilon, sigma, square, divisor)))
    assert max(deltas) <= delta
    assert max(deltas) > 0.97 * delta
    if total is None:  # the continuous law needs as much, to 1e-4
        assert sigma / UNITS == pytest.approx(gaussian_sigma(epsilon, delta, math.sqrt(bound)), rel=1e-4)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (0.66, 1e-6), (20.0, 1e-9)])
@pytest.mark.parametrize("said", [{}, {"levels": 1}, {"total_share": 0.03}, {"clip": "keep"}])
def test_what_is_drawn_with_has_few_bits_and_keeps_the_promise_and_hardly_more(
    epsilon: float, delta: float, said: dict[str, Any]
) -> None:
    promise = GaussianParameters(epsilon=epsilon, delta=delta, max_trips_per_user=5, **said)
    sigma = promise.drawn_sigma
    assert promise.sigma <= sigma <= promise.sigma * (1 + 2**-18)
    numerator, _ = (sigma / 2 ** math.frexp(sigma)[1]).as_integer_ratio()
    assert numerator < 2**20
    assert promise.is_kept_by(sigma)
    assert promise.is_kept_by(promise.sigma)
    assert not promise.is_kept_by(sigma * 0.9999)


def test_on_discovered_cells_noise_is_drawn_with_the_least_deviation_itself() -> None:
    """Wider noise hides the cells of others better and shows someone alone in a cell more often: the stated δ holds for one σ only."""
    found = GaussianParameters(
        epsilon=1.0, delta=1e-6, max_trips_per_user=10, threshold=60, cells="discovered"
    )
    assert found.drawn_sigma == found.sigma
    assert delta_of_week(found, sigma=found.sigma * (1 + 2**-18)) > delta_of_week(found)


def test_an_l2_bound_that_forgets_the_root_breaks_the_promise() -> None:
    """Weights of L/T instead of √(L/T) need no more; noise for √L on weights bounded by L leaves far more than δ."""
    sigma = sigma_from_promise(0.66, 1e-6, 4, most_trips=4)  # for a norm of √4
    assert float(delta_of_contribution(0.66, sigma, (4 * UNITS) ** 2, UNITS)) > 100e-6


def test_a_year_of_weeks_has_the_deviation_that_the_literature_states() -> None:
    """L = 20, 52 weeks, ε = 2 in all at δ = 1e-6: a standard deviation of 72 per cell."""
    sigma = sigma_from_promise(2.0, 1e-6, 20 * 52, most_trips=20 * 52) / UNITS
    assert round(sigma) == 72


def test_zcdp_of_a_unit_shift() -> None:
    """(1/2σ²) for a sensitivity of 1 (Canonne, Kamath, Steinke 2020)."""
    assert zcdp_of_contribution(10.0, 1) == pytest.approx(1 / 200)
    assert zcdp_of_contribution(10.0, 5 * 3**2) == pytest.approx(45 / 200)


def test_impossible_contributions_are_refused() -> None:
    with pytest.raises(ParameterError, match="divisor must be at least 1"):
        delta_of_contribution(1.0, 10.0, 3, 2)
    with pytest.raises(ParameterError, match="sigma must be"):
        delta_of_contribution(1.0, 0.5, 4, 2)
    with pytest.raises(ParameterError, match="epsilon must be"):
        sigma_from_promise(0.0, 1e-6, 3, most_trips=3)


@pytest.mark.parametrize("trips", [[1.0, math.nan], [math.inf], [2.5], [-1], [-3.0], [1e300]])
def test_trips_that_nobody_can_have_have_no_weight(trips: list[float]) -> None:
    with pytest.raises(ParameterError, match=r"^n_trips must be"):
        weight_of_trips(trips, 10)


def test_whole_trips_have_the_same_weight_as_floats() -> None:
    assert weight_of_trips([0.0, 1.0, 40.0], 10).tolist() == [1024, 1024, 512]
    assert weight_of_trips([], 10).tolist() == []


@pytest.mark.parametrize("sigma", [-1.0, 0.0, math.nan, math.inf])
def test_no_draw_is_made_with_a_sigma_that_is_none(sigma: float) -> None:
    with pytest.raises(ParameterError, match=r"^sigma must be"):
        rounded_normal(sigma, 3, np.random.default_rng(1))
