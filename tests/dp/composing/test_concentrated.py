"""ρ and the ε it proves: against dp-accounting, the closed form of Gaussian noise, and all outcomes of small mechanisms."""

import math
from dataclasses import replace

import dp_accounting
import numpy as np
import pytest
import scipy.stats
from dp_accounting import rdp

from privlab.checks import ParameterError
from privlab.dp.composing import (
    Concentrated,
    concentrated_from_parameters,
    concentrated_from_promise,
    epsilon_from_concentrated,
)
from privlab.dp.gaussian import GaussianParameters
from privlab.dp.promise.guarantees import GuaranteeParameters

RHOS = (1e-4, 0.01, 0.0623, 1.0, 10.0)


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("delta", [1e-9, 1e-6, 0.01])
def test_the_conversion_is_that_of_dp_accounting(rho: float, delta: float) -> None:
    orders = [1 + 10**order for order in np.linspace(-3, 5, 2000)]
    peer = rdp.RdpAccountant(orders=orders).compose(dp_accounting.GaussianDpEvent(1 / math.sqrt(2 * rho)))
    assert epsilon_from_concentrated(Concentrated(rho=rho), delta) == pytest.approx(
        peer.get_epsilon(delta), rel=1e-4
    )


@pytest.mark.parametrize("rho", RHOS)
def test_gaussian_noise_of_that_rho_keeps_the_epsilon(rho: float) -> None:
    # Balle and Wang's closed form of the continuous law; σ = 1/√(2ρ) for a shift of one.
    delta, shift = 1e-6, math.sqrt(2 * rho)
    epsilon = epsilon_from_concentrated(Concentrated(rho=rho), delta)
    tail = scipy.stats.norm.cdf
    exact = tail(shift / 2 - epsilon / shift) - math.exp(epsilon) * tail(-shift / 2 - epsilon / shift)
    assert delta / 30 < exact <= delta


@pytest.mark.parametrize("epsilon", [0.05, 0.7, 3.0])
def test_whole_number_noise_keeps_its_rho_at_every_order(epsilon: float) -> None:
    """Rényi divergence of order α at most αρ, by summing over the outcomes of a cell; cells add up."""
    bound, per_cell = 5, epsilon / 5
    most = min(4000, int(300 / per_cell))  # beyond it there is next to nothing
    values = np.arange(-most, most + 1)
    here = np.exp(-per_cell * np.abs(values))
    there = np.exp(-per_cell * np.abs(values - 1))
    rho = concentrated_from_parameters(GuaranteeParameters(epsilon=epsilon, max_trips_per_user=bound)).rho
    assert rho == pytest.approx(epsilon**2 / 10)
    for order in (1.01, 1.5, 2, 8, 64):
        cell = np.log(np.sum(here / here.sum() * (here / there) ** (order - 1))) / (order - 1)
        assert bound * cell <= order * rho * (1 + 1e-9)


def test_promises_of_unknown_mechanisms_hold_for_the_worst_of_them() -> None:
    """The worst (ε, δ) mechanism tells all with chance δ and else lies with odds e^ε: all outcomes of 100 runs."""
    epsilon, delta, n = 0.1, 1e-9, 100
    whole = Concentrated(rho=0.0)
    for _ in range(n):
        whole += concentrated_from_promise(epsilon, delta)
    found = epsilon_from_concentrated(whole, 1e-6)
    right = np.arange(n + 1)
    truth = 1 / (1 + math.exp(-epsilon))
    mass = scipy.stats.binom.pmf(right, n, truth)
    loss = (2 * right - n) * epsilon
    beyond = loss > found
    of_lies = float(mass[beyond] @ -np.expm1(found - loss[beyond]))
    assert 1 - (1 - delta) ** n * (1 - of_lies) <= 1e-6
    assert found < n * epsilon
    assert epsilon_from_concentrated(whole, 0.99 * n * delta) == math.inf


def test_gaussian_rho_is_that_of_the_greatest_norm() -> None:
    parameters = GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=10, weeks=3)
    rho = concentrated_from_parameters(parameters).rho
    assert rho == pytest.approx(3 * 10 * 1024**2 / (2 * parameters.sigma**2), rel=1e-3)
    # One week's ρ proves an ε a little above the exact one that the noise was made for.
    one = epsilon_from_concentrated(Concentrated(rho=rho / 3), 1e-6)
    assert 1 < one < 1.1


def test_no_bound_no_rho() -> None:
    with pytest.raises(ParameterError, match="max_trips_per_user"):
        concentrated_from_parameters(GuaranteeParameters(epsilon=1))


@pytest.mark.parametrize(
    "week",
    [
        GuaranteeParameters(epsilon=1, max_trips_per_user=5),
        GuaranteeParameters(epsilon=1, max_trips_per_user=5, cells="discovered", threshold=20),
        GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=5),
        GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=5, threshold=30, cells="discovered"),
    ],
)
def test_weeks_add_up_both_what_noise_tells_and_what_shows_by_being_there(
    week: GuaranteeParameters | GaussianParameters,
) -> None:
    """ρ and δ of zero-concentrated privacy add up from release to release: three weeks at once are three by themselves."""
    one, three = concentrated_from_parameters(week), concentrated_from_parameters(replace(week, weeks=3))
    both = one + one + one
    assert three.rho == pytest.approx(both.rho, rel=1e-12)
    assert three.delta == pytest.approx(both.delta, rel=1e-12)
    assert (one.delta > 0) == (week.cells == "discovered")


def test_what_spends_all_of_delta_by_itself_promises_no_epsilon_beside_it() -> None:
    """Nothing is left of δ for the noise, which goes beyond any ε with some chance; without noise nothing is lost beyond δ."""
    for delta in (0.0, 1e-6):
        assert epsilon_from_concentrated(Concentrated(rho=0.1, delta=delta), delta) == math.inf
        assert epsilon_from_concentrated(Concentrated(rho=0.0, delta=delta), delta) == 0
    assert epsilon_from_concentrated(Concentrated(rho=0.0, delta=2e-6), 1e-6) == math.inf
