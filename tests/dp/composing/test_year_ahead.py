"""The noise of each week of a year: the figures of docs/science.md 5.3, and the whole year held by dp-accounting."""

import math

import numpy as np
import pytest
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
