"""The noise of each week of a year: the figures of docs/science.md 5.3, and the whole year held by dp-accounting."""

import math

import numpy as np
import pytest
from dp_accounting import gaussian_mechanism
from dp_accounting.pld import privacy_loss_distribution

from privlab.dp.composing import weekly_noises


def test_a_year_of_epsilon_two_at_twenty_trips_a_week() -> None:
    # A reckoning of its own, published before the code: 735 (ε added up), 102 (Laplace by losses), 72 (Gaussian).
    found = {
        (one.noise, one.adding): one.deviation
        for one in weekly_noises(2, 1e-6, max_trips_per_user=20, weeks=52)
    }
    assert found["integer", "sum"] == pytest.approx(735, abs=1)
    assert found["integer", "together"] == pytest.approx(102, abs=1)
    assert found["gaussian", "together"] == pytest.approx(72, abs=0.5)
    # Adding ρ holds whatever is chosen in between, and so takes more noise than working all out together.
    assert found["gaussian", "together"] < found["gaussian", "concentrated"] < 80
    assert found["integer", "together"] < found["integer", "concentrated"] < 115


@pytest.mark.parametrize("weeks", [3, 7, 11])
def test_the_epsilon_of_a_week_is_rounded_so_that_all_weeks_stay_within_the_whole(weeks: int) -> None:
    """2/3, 2/7 and 2/11 have no end: four digits of them, never above."""
    added = next(
        one for one in weekly_noises(2, 1e-6, max_trips_per_user=20, weeks=weeks) if one.adding == "sum"
    )
    assert 1.999 < added.epsilon * weeks <= 2


@pytest.mark.parametrize(("total", "bound", "weeks"), [(2.0, 20, 52), (0.5, 5, 4), (6.0, 3, 12)])
def test_dp_accounting_finds_the_whole_within_the_budget(total: float, bound: int, weeks: int) -> None:
    delta = 1e-6
    for one in weekly_noises(total, delta, max_trips_per_user=bound, weeks=weeks):
        if one.noise == "integer":
            # A cell's loss is ±ε/L: with that step the peer's lattice holds it without rounding.
            cell = privacy_loss_distribution.from_discrete_laplace_mechanism(
                one.epsilon / bound, value_discretization_interval=one.epsilon / bound
            )
            spent = cell.self_compose(bound * weeks).get_epsilon_for_delta(delta)
        else:
            week = privacy_loss_distribution.from_gaussian_mechanism(one.deviation / math.sqrt(bound * weeks))
            spent = week.get_epsilon_for_delta(delta)
        if one.adding == "together":  # nothing is wasted
            assert 0.98 * total < spent < 1.005 * total
        else:
            assert spent < total * (1 + 1e-6)


def test_ways_that_no_release_can_go_are_left_out() -> None:
    ways = [(one.noise, one.adding) for one in weekly_noises(1, 1e-6, max_trips_per_user=10, weeks=520)]
    assert ("integer", "sum") not in ways  # 1/520 is less than the least ε of a release
    assert ("gaussian", "concentrated") in ways


@pytest.mark.parametrize(("epsilon", "delta"), [(0.66, 1e-3), (2, 1e-6), (8, 1e-9), (8, 1e-6)])
def test_whole_number_noise_keeps_the_whole_to_the_last_digit_against_brute_force(
    epsilon: float, delta: float
) -> None:
    """One trip moves a sum by 1024 units; δ is summed over every value of discrete Gaussian noise. No σ is wasted either."""
    noise = next(
        one
        for one in weekly_noises(epsilon, delta, max_trips_per_user=1, weeks=1)
        if (one.noise, one.adding) == ("gaussian", "together")
    )
    sigma = 1024 * noise.deviation
    value = np.arange(-round(20 * sigma), round(20 * sigma))
    mass = np.exp(-(value**2) / (2 * sigma**2)) / np.exp(-(value**2) / (2 * sigma**2)).sum()
    moved = np.exp(-((value - 1024) ** 2) / (2 * sigma**2)) / np.exp(-(value**2) / (2 * sigma**2)).sum()
    lost = np.maximum(moved - math.exp(epsilon) * mass, 0.0).sum()
    assert 0.999 * delta <= lost <= delta * (1 + 1e-9)


@pytest.mark.parametrize(("total", "bound", "weeks"), [(21.0, 10, 1), (100.0, 10, 52), (1_000.0, 50, 520)])
def test_dp_accounting_finds_a_large_whole_within_the_budget(total: float, bound: int, weeks: int) -> None:
    """A release may have an ε of 20 at most, all weeks together 10,400: none is given more noise than that takes."""
    delta, n_cells = 1e-6, bound * weeks
    found = weekly_noises(total, delta, max_trips_per_user=bound, weeks=weeks)
    assert len(found) == 5
    for one in found:
        if one.noise == "integer":
            step = one.epsilon / bound
            cell = privacy_loss_distribution.from_discrete_laplace_mechanism(
                step, value_discretization_interval=step
            )
            spent = cell.self_compose(n_cells).get_epsilon_for_delta(delta)
        else:
            spent = gaussian_mechanism.get_epsilon_gaussian(one.deviation / math.sqrt(n_cells), delta)
        assert spent < total * 1.001
        if one.adding == "together" and one.epsilon < 20:  # nothing is wasted
            assert spent > 0.99 * total


def test_no_week_has_more_than_a_release_may_have_against_dp_accounting() -> None:
    """Two weeks of ε = 500 each: all get what a release of ε = 20 has, which is Δ = √L by the inverse of its law."""
    found = weekly_noises(1_000, 1e-6, max_trips_per_user=10, weeks=2)
    assert [one.epsilon for one in found] == [20.0] * 5
    law = gaussian_mechanism.get_sigma_gaussian(20.0, 1e-6) * math.sqrt(10)
    for one in found:
        # Var of the two-sided geometric law of ratio a: 2a/(1 − a)², with a = e^(−20/10).
        integer = math.sqrt(2 * math.exp(-2)) / (1 - math.exp(-2))
        assert one.deviation == pytest.approx(integer if one.noise == "integer" else law, rel=1e-3)


def test_a_delta_of_a_half_is_kept_with_no_epsilon_by_what_keeps_it_anyway() -> None:
    """TV distance: noise of a week that keeps δ = ½ at ε = 0 is no release; Φ(Δ/2σ) − Φ(−Δ/2σ) is its δ."""
    found = {(one.noise, one.adding): one for one in weekly_noises(2, 0.5, max_trips_per_user=10, weeks=2)}
    assert ("gaussian", "concentrated") not in found
    together = found["gaussian", "together"]
    assert gaussian_mechanism.get_epsilon_gaussian(together.deviation / math.sqrt(20), 0.5) == pytest.approx(
        2, rel=1e-3
    )
    # One trip in one week at (0.01, ½): of integer noise a/(1 + a) is left beside what lies between; δ = (1 − e^(0.01 − ε))·e^ε/(1 + e^ε).
    alone = weekly_noises(0.01, 0.5, max_trips_per_user=1, weeks=1)
    best = next(one.epsilon for one in alone if (one.noise, one.adding) == ("integer", "together"))
    assert (math.exp(best) - math.exp(0.01)) / (1 + math.exp(best)) == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize(("total", "bound", "weeks"), [(0.2, 100, 52), (1.0, 200, 52), (0.5, 10, 4)])
def test_working_all_weeks_out_together_takes_no_more_noise_than_adding_rho(
    total: float, bound: int, weeks: int
) -> None:
    """The exact law of all cells together promises at least what ρ does, however small the ε of one cell is."""
    found = {
        one.adding: one.deviation
        for one in weekly_noises(total, 1e-6, max_trips_per_user=bound, weeks=weeks)
        if one.noise == "integer"
    }
    assert found["together"] <= found["concentrated"]
