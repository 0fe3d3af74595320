"""Weights that make room for sums over districts: the norm, by hand and for anyone; the promise, for people drawn at random."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.checks import ParameterError
from privlab.dp.composing.concentrated import concentrated_from_parameters
from privlab.dp.gaussian.discrete_gaussian import UNITS, delta_of_contribution
from privlab.dp.gaussian.gaussian_parameters import GaussianParameters, accuracies_from_gaussian_parameters
from privlab.dp.gaussian.level_weights import (
    LEVEL_SHIFTS,
    contribution_in_one_place,
    contributions_with_levels,
    weight_with_levels,
)
from privlab.dp.promise.gaussian_guarantee import guarantee_from_gaussian_parameters


def added(counts: list[list[int]], n_trips: int, bound: int) -> list[int]:
    """Return all numbers that someone adds: to cells, then to pairs of districts at each level, from how the trips lie in them."""
    squares = [[sum(n * n for n in level)] for level in counts]
    weight = int(weight_with_levels([n_trips], squares, bound)[0])
    assert all(weight % 2**shift == 0 for shift in LEVEL_SHIFTS[: len(counts)])
    sums = [(weight >> shift) * n for shift, level in zip(LEVEL_SHIFTS, counts, strict=False) for n in level]
    return [weight] * n_trips + sums


def halves(level: list[int], levels: int) -> list[list[int]]:
    """Return so many levels, each of which adds up two neighbours of the one below."""
    found = [level]
    while len(found) < levels:
        found.append([sum(found[-1][i : i + 2]) for i in range(0, len(found[-1]), 2)])
    return found


def test_the_weight_by_hand() -> None:
    """Ten trips from one district to one other, L = 10: w² · (10 + 100/16) ≤ 1024² · 10, and w a multiple of 4."""
    assert weight_with_levels([10], [[100]], 10).item() == 4 * math.floor(UNITS * math.sqrt(10 / 16.25) / 4)
    # Whoever stays below the bound at all levels counts in full: 4 + (4·1)/16 ≤ 5.
    assert weight_with_levels([4], [[4]], 5).item() == UNITS


@settings(max_examples=60)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=12), st.integers(1, 50), st.integers(1, 3))
def test_nobody_adds_more_than_the_norm(level: list[int], bound: int, levels: int) -> None:
    numbers = added(halves(level, levels), sum(level), bound)
    assert sum(n * n for n in numbers) <= UNITS**2 * bound
    square, _ = contribution_in_one_place(sum(level), levels, bound)
    assert sum(n * n for n in numbers) <= square


@pytest.mark.parametrize(
    ("epsilon", "bound", "levels", "share"),
    [(1.0, 10, 1, 0.03), (10.0, 2, 2, 0.0), (0.1, 5, 3, 0.03), (4.0, 1, 1, 0.0)],
)
def test_the_noise_keeps_the_promise_to_anyone(epsilon: float, bound: int, levels: int, share: float) -> None:
    """δ of the very numbers that people add, of 300 drawn at random and of all whose trips go one way."""
    promise = GaussianParameters(
        epsilon=epsilon, delta=1e-6, max_trips_per_user=bound, levels=levels, total_share=share
    )
    rng = np.random.default_rng(4)
    people = [rng.geometric(rng.uniform(0.1, 1), rng.integers(1, 40)).tolist() for _ in range(300)]
    people += [[n] for n in range(1, 200)] + [[1] * n for n in range(1, 60)]
    found = []
    for level in people:
        numbers = added(halves(level, levels), sum(level), bound)
        if promise.total_units:
            numbers.append(promise.total_units * min(sum(level), 100))
        if numbers[0]:
            found.append((sum(n * n for n in numbers), int(np.gcd.reduce(numbers))))
    square, divisor = np.array(found).T
    assert square.max() <= promise.norm**2
    found_delta = delta_of_contribution(epsilon, promise.sigma, square, divisor)
    assert found_delta.max() <= 1e-6
    assert found_delta.max() > 0.9e-6  # and no more noise than it takes
    without = GaussianParameters(epsilon=epsilon, delta=1e-6, max_trips_per_user=bound, total_share=share)
    assert promise.sigma == pytest.approx(without.sigma, rel=1e-3)


@pytest.mark.parametrize(("pairs", "weight", "step"), [([4], 912, 912), ([2, 2], 964, 482)])
def test_steps_of_a_weight_and_of_its_half_are_covered_against_hand(
    pairs: list[int], weight: int, step: int
) -> None:
    """Four trips, L = 4, one level: all in one pair, w² · (4 + 16/16) ≤ 4 · 1024²; two in each of two, w² · (4 + 8/16)."""
    numbers = added([pairs], 4, 4)
    assert (numbers[0], int(np.gcd.reduce(numbers))) == (weight, step)
    square, divisor = contributions_with_levels(4, 1)
    assert square[divisor == step].max(initial=0) >= sum(n * n for n in numbers)


def test_what_is_promised_and_what_it_costs() -> None:
    promise = GaussianParameters(epsilon=1.0, delta=1e-6, max_trips_per_user=10, levels=2, weeks=3)
    found = guarantee_from_gaussian_parameters(promise)
    assert found.user_week is not None
    assert found.user_week.epsilon == 1.0
    assert found.trip.epsilon_by_losses < 1
    rho = 10 * UNITS**2 / (2 * promise.sigma**2)  # the whole norm, whoever it is
    assert concentrated_from_parameters(promise).rho == pytest.approx(3 * rho)
    plain = GaussianParameters(epsilon=1.0, delta=1e-6, max_trips_per_user=10)
    more, less = (accuracies_from_gaussian_parameters(one, 20) for one in (promise, plain))
    assert (more[1:8] > less[1:8]).all()  # few trips add more when they are counted again by district
    assert more.max() <= found.user_week.optimal_accuracy + 1e-9


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match="levels must be 0 with clip keep"):
        GaussianParameters(epsilon=1.0, delta=1e-6, max_trips_per_user=10, levels=1, clip="keep")
    with pytest.raises(ParameterError, match="levels must be"):
        GaussianParameters(epsilon=1.0, delta=1e-6, max_trips_per_user=10, levels=4)
    with pytest.raises(ParameterError, match="at least 1"):
        contributions_with_levels(10, 0)
