"""Many weeks composed: against closed forms, dp-accounting's own mechanisms, and all outcomes counted one by one."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from dp_accounting.pld import privacy_loss_distribution

from privlab.checks import ParameterError
from privlab.dp.attack.composition import epsilon_from_composed_cells
from privlab.dp.composing import KnownPromise, part_of_promise, spending_from_promises
from privlab.dp.gaussian import GaussianParameters
from privlab.dp.gaussian.discrete_gaussian import UNITS, epsilon_of_contribution
from privlab.dp.promise import GuaranteeParameters

COIN = GuaranteeParameters(epsilon=1.0, max_trips_per_user=2)
NORMAL = GaussianParameters(epsilon=1.5, delta=1e-3, max_trips_per_user=1, clip="keep")
TOLD = KnownPromise(epsilon=0.7, delta=0.01)


@pytest.mark.parametrize(("epsilon", "bound", "weeks"), [(2 / 52, 20, 52), (0.66, 10, 4), (20.0, 20, 10)])
def test_equal_weeks_of_integer_noise_are_all_their_coins_together(
    epsilon: float, bound: int, weeks: int
) -> None:
    """Every cell is a coin: W weeks of L cells are L·W coins, whose law is known in closed form."""
    found = spending_from_promises(
        [GuaranteeParameters(epsilon=epsilon, max_trips_per_user=bound)] * weeks, 1e-6
    )
    exact = epsilon_from_composed_cells("integer", epsilon / bound, bound * weeks, 1e-6)
    assert exact * (1 - 1e-9) <= found.epsilon <= exact * 1.0002
    assert (found.delta, found.added_delta) == (1e-6, 0)
    assert found.added_epsilon == pytest.approx(epsilon * weeks)
    assert found.rho == pytest.approx(weeks * bound * (epsilon / bound) ** 2 / 2)


def test_at_a_smaller_delta_than_was_promised_more_is_lost_than_was_promised() -> None:
    """ε of Gaussian noise grows as δ falls: the ε that was promised at 10⁻³ does not hold at 10⁻⁶."""
    found = spending_from_promises([NORMAL], 1e-6)
    peer = privacy_loss_distribution.from_gaussian_mechanism(
        NORMAL.sigma / UNITS, value_discretization_interval=1e-4
    ).get_epsilon_for_delta(1e-6)
    assert found.added_epsilon == 1.5 < 2 < found.epsilon
    assert found.epsilon == pytest.approx(peer, rel=1e-3)


@pytest.mark.parametrize("clip", ["keep", "l2"])
def test_equal_weeks_of_gaussian_noise_are_one_wider_week(clip: str) -> None:
    """Two routes: the exact law of the sum of 52 weeks, and dp-accounting's law of the continuous noise."""
    week = GaussianParameters(epsilon=0.25, delta=1e-6, max_trips_per_user=20, clip=clip)
    found = spending_from_promises([week] * 52, 1e-6)
    exact = epsilon_of_contribution(1e-6, week.sigma, 52 * 20 * UNITS**2, UNITS, most=13)
    other = privacy_loss_distribution.from_gaussian_mechanism(
        week.sigma / (UNITS * math.sqrt(20 * 52)), value_discretization_interval=1e-4
    ).get_epsilon_for_delta(1e-6)
    assert exact <= found.epsilon <= exact * 1.0002
    assert found.epsilon == pytest.approx(other, rel=2e-4)
    assert found.rho == pytest.approx(52 * 20 * UNITS**2 / (2 * week.sigma**2), rel=1e-9)
    assert found.added_delta == pytest.approx(52e-6)


def test_different_promises_against_every_outcome_counted() -> None:
    """Coins, a normal and a bare (ε, δ) in one: the δ at the ε found is the one stated, and not at a smaller ε."""
    found = spending_from_promises([COIN, NORMAL, TOLD], 1e-3)
    assert found.delta == pytest.approx(1e-3 + 0.01)
    p, q = outcomes()
    for share, holds in ((1.0, True), (0.999, False)):
        delta = np.maximum(p - math.exp(found.epsilon * share) * q, 0).sum()
        assert (delta <= found.delta) == holds
    assert found.epsilon < found.added_epsilon == pytest.approx(3.2)
    assert found.rho is None


def outcomes() -> tuple[np.ndarray, np.ndarray]:
    """Return the chance of every outcome with and without the person: two coins, one normal, what is told."""
    truth = 1 / (1 + math.exp(-0.5))
    cells = np.array([truth, 1 - truth]), np.array([1 - truth, truth])
    x = np.arange(-12 * round(NORMAL.sigma), 12 * round(NORMAL.sigma))
    normal = [np.exp(-((x - shift) ** 2) / (2 * NORMAL.sigma**2)) for shift in (UNITS, 0)]
    right = 0.99 / (1 + math.exp(-0.7))
    told = np.array([0.01, 0, right, 0.99 - right]), np.array([0, 0.01, 0.99 - right, right])
    with_person, without = (
        np.einsum("a,b,c,d->abcd", cells[i], cells[i], normal[i] / normal[i].sum(), told[i]).ravel()
        for i in (0, 1)
    )
    return with_person, without


def test_one_promise_costs_what_it_says_and_nothing_costs_nothing() -> None:
    for one in (COIN, NORMAL, KnownPromise(epsilon=0.5, delta=0.0)):
        found = spending_from_promises([one], 1e-3)
        assert 0.4 < found.epsilon <= one.epsilon == found.added_epsilon
    none = spending_from_promises([], 1e-6)
    assert (none.epsilon, none.delta, none.rho, none.added_epsilon) == (0, 0, 0, 0)


def test_order_does_not_matter_and_more_never_costs_less() -> None:
    parts = [COIN, COIN, NORMAL, KnownPromise(epsilon=0.1, delta=0.0)]
    costs = {spending_from_promises(order, 1e-3) for order in itertools.permutations(parts)}
    assert len(costs) == 1
    whole = costs.pop().epsilon
    for left_out in range(4):
        assert spending_from_promises(parts[:left_out] + parts[left_out + 1 :], 1e-3).epsilon < whole


def test_what_discovered_cells_lose_stands_in_delta() -> None:
    """A cell of the target alone shows with a^{τ−1}/(1+a), a = e^{−ε/L}; twice in two cells, twice again in two weeks."""
    week = GuaranteeParameters(epsilon=1.0, max_trips_per_user=2, cells="discovered", threshold=20)
    found = spending_from_promises([week] * 2, 1e-6)
    shown = math.exp(-0.5 * 19) / (1 + math.exp(-0.5))
    assert found.delta == pytest.approx(1e-6 + 4 * shown)
    assert found.added_delta == pytest.approx(4 * shown)
    assert found.rho is None
    assert 1 < found.epsilon <= 2


def test_a_promise_to_a_trip_is_none_to_a_person_iv() -> None:
    with pytest.raises(ParameterError, match=r"^max_trips_per_user must be given for a promise to a person"):
        spending_from_promises([GuaranteeParameters(epsilon=1.0)], 1e-6)


@pytest.mark.parametrize("n", [None, 2])
def test_what_discovered_cells_lose_buys_no_smaller_epsilon(n: int | None) -> None:
    """All is told with chance p, and else what the noise tells: δ(ε) = p + (1 − p)·noise(ε). Beside p the noise needs its own ε."""
    found = GuaranteeParameters(epsilon=1.0, max_trips_per_user=2, cells="discovered", threshold=9)
    public = GuaranteeParameters(epsilon=1.0, max_trips_per_user=2)
    week, bare = (one if n is None else part_of_promise(one, n) for one in (found, public))
    shown, alone = spending_from_promises([week], 1e-6), spending_from_promises([bare], 1e-6)
    assert shown.delta > 0.01
    assert shown.epsilon >= 0.999 * alone.epsilon


def test_what_shows_by_being_there_under_gaussian_noise_stands_in_delta_against_the_normal_law() -> None:
    """A lone trip is published where its noise is −½ trip or less short of the threshold; in each of two weeks once more."""
    week = GaussianParameters(
        epsilon=1.0, delta=1e-6, max_trips_per_user=1, clip="keep", threshold=12, cells="discovered"
    )
    found = spending_from_promises([week] * 2, 1e-6)
    seen = scipy.stats.norm.sf((12 - 1 - 0.5) / (week.sigma / UNITS))
    assert seen > 1e-3
    assert found.delta == pytest.approx(1e-6 + 2 * seen, rel=1e-3)
    assert found.rho is None
