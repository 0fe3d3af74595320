"""The simulated attack against the exact curve, and the trap that a naive simulation falls into."""

import math

import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.checks import BoundViolation, ParameterError
from privlab.dp.attack.exact_accuracy import ACCURACY_FROM_EPSILON
from privlab.od.attack import attack
from privlab.od.attack.attack import (
    AttackParameters,
    attack_curve_from_parameters,
    bounded_attack_from_release_parameters,
    share_above_claim,
    wins_from_games,
)
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.seeds import generator

BOTH = pytest.mark.parametrize("noise", ["laplace", "integer"])
GAMES = 40_000


def fits_exact_curve(wins, games, exact):
    """The check: every k, two-sided exact binomial test at 1e-6."""
    return all(
        scipy.stats.binomtest(int(won), games, float(p)).pvalue > 1e-6
        for won, p in zip(wins, exact, strict=True)
    )


@BOTH
@pytest.mark.parametrize("epsilon", [0.05, 0.66, 3.0])
def test_games_against_exact_curve(noise, epsilon):
    parameters = AttackParameters(epsilon=epsilon, max_trips=70, noise=noise, repetitions=GAMES)
    wins = wins_from_games(parameters, np.random.default_rng(20261101))
    assert wins.shape == (71,)
    assert fits_exact_curve(wins, GAMES, ACCURACY_FROM_EPSILON[noise](epsilon, 70))


def naive_wins(epsilon, k, games, rng):
    """docs/science.md, section 6, trap 1: IN as noise + 1, and |y| − |y − 1| summed in floats."""
    present = rng.random(games) < 0.5
    noisy = rng.laplace(0, 1 / epsilon, (games, k)) + present[:, None]
    score = (np.abs(noisy) - np.abs(noisy - 1)).sum(axis=1)
    return int(((score > 0) == present).sum())


def test_the_naive_simulation_fails_the_check_that_ours_passes():
    exact = ACCURACY_FROM_EPSILON["laplace"](0.66, 2)
    assert exact[2] == pytest.approx(0.656294, abs=1e-6)
    naive = naive_wins(0.66, 2, GAMES, np.random.default_rng(1))
    assert naive / GAMES == pytest.approx(0.633, abs=0.01)
    assert not fits_exact_curve([naive], GAMES, exact[2:])
    ours = wins_from_games(
        AttackParameters(epsilon=0.66, max_trips=2, repetitions=GAMES), np.random.default_rng(1)
    )
    assert fits_exact_curve(ours, GAMES, exact)


def test_same_generator_same_games():
    parameters = AttackParameters(epsilon=0.66, max_trips=20, repetitions=3000)
    one, again, other = (wins_from_games(parameters, generator(seed, "attack")) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_games_are_nested(monkeypatch):
    """One game's score over k flows is a prefix of the same draws: neighbouring k mostly agree."""
    parameters = AttackParameters(epsilon=0.66, max_trips=70, repetitions=1)
    agreements = 0
    for seed in range(300):
        wins = wins_from_games(parameters, np.random.default_rng(seed))
        agreements += np.count_nonzero(np.diff(wins[-20:]) == 0)
    # Independent games of accuracy .97–.99 would disagree about as often as they are lost, twice over.
    lost = 1 - ACCURACY_FROM_EPSILON["laplace"](0.66, 70)[-20:]
    independent = np.mean(2 * lost * (1 - lost))
    assert (
        scipy.stats.binomtest(300 * 19 - agreements, 300 * 19, independent, alternative="less").pvalue < 1e-6
    )


@BOTH
def test_blocks_do_not_matter_for_the_law(monkeypatch, noise):
    monkeypatch.setattr(attack, "_BLOCK", 997)
    parameters = AttackParameters(epsilon=0.66, max_trips=10, noise=noise, repetitions=20_000)
    wins = wins_from_games(parameters, np.random.default_rng(4))
    assert fits_exact_curve(wins, 20_000, ACCURACY_FROM_EPSILON[noise](0.66, 10))


@BOTH
@pytest.mark.parametrize("max_trips", [0, 1])
@pytest.mark.parametrize("repetitions", [1, 2, 1000])
def test_small_curves_degenerate(noise, max_trips, repetitions):
    parameters = AttackParameters(epsilon=20.0, max_trips=max_trips, noise=noise, repetitions=repetitions)
    curve = attack_curve_from_parameters(parameters, np.random.default_rng(1))
    assert (
        curve.simulated.shape
        == curve.low.shape
        == curve.high.shape
        == curve.optimal.shape
        == (max_trips + 1,)
    )
    assert np.all((curve.low <= curve.simulated) & (curve.simulated <= curve.high))
    assert np.all((curve.low >= 0) & (curve.high <= 1))


def test_curve_against_published_facts():
    curve = attack_curve_from_parameters(AttackParameters(epsilon=0.66))
    assert curve.first_trips_above_claim == 3
    assert curve.claimed_bound == pytest.approx(0.659260, abs=5.1e-7)
    assert curve.optimal[[0, 3, 32]] == pytest.approx([0.5, 0.707072, 0.955224], abs=5.1e-7)
    assert curve.n_trips.tolist() == list(range(71))
    assert curve.user_level_bound == pytest.approx(scipy.special.expit(0.66 * np.arange(71)))
    assert curve.simulated is curve.low is curve.high is None


@settings(max_examples=40)
@given(st.floats(0.01, 20), st.integers(0, 80), st.sampled_from(["laplace", "integer"]))
def test_curve_orders(epsilon, max_trips, noise):
    curve = attack_curve_from_parameters(AttackParameters(epsilon=epsilon, max_trips=max_trips, noise=noise))
    assert np.all(curve.optimal <= curve.user_level_bound + 1e-7)
    first = curve.first_trips_above_claim
    above = [k for k in range(max_trips + 1) if curve.optimal[k] > curve.claimed_bound + 1e-9]
    # At large ε accuracy and claim meet in the last digits of a double: there either answer is right.
    if first is None or not above:
        assert first is None or curve.optimal[first] - curve.claimed_bound < 1e-9
        assert not above
    else:
        assert first <= above[0]
        assert curve.optimal[first] > curve.claimed_bound


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.66, 1.0, 2.0, 5.0])
def test_integer_noise_passes_the_claim_from_three_trips_against_theory(epsilon):
    """With one trip integer noise meets the claim exactly, with two still (an even vote adds nothing)."""
    curve = attack_curve_from_parameters(AttackParameters(epsilon=epsilon, max_trips=5, noise="integer"))
    assert curve.optimal[1:3] == pytest.approx([curve.claimed_bound] * 2, abs=1e-12)
    assert curve.first_trips_above_claim == 3


def test_a_fault_in_the_games_is_raised_as_such(monkeypatch):
    def too_good(parameters, rng):
        return np.full(parameters.max_trips + 1, parameters.repetitions)

    monkeypatch.setattr(attack, "wins_from_games", too_good)
    with pytest.raises(
        BoundViolation, match=r"^simulated attack: measured 1\.0000 above the bound 0\.\d{4}\.$"
    ):
        attack_curve_from_parameters(
            AttackParameters(epsilon=0.66, max_trips=3, repetitions=1000), np.random.default_rng(1)
        )


def test_simulation_needs_a_generator():
    with pytest.raises(TypeError, match="pass rng"):
        attack_curve_from_parameters(AttackParameters(epsilon=0.66, repetitions=10))


def test_share_above_claim_by_hand():
    curve = attack_curve_from_parameters(AttackParameters(epsilon=0.66))
    assert share_above_claim([0, 1, 2, 3, 4, 500, 2, 3], curve) == 0.5
    assert share_above_claim([2, 2, 0], curve) == 0
    assert math.isnan(share_above_claim([], curve))
    short = attack_curve_from_parameters(AttackParameters(epsilon=0.66, max_trips=2))
    assert short.first_trips_above_claim is None


def test_share_above_claim_of_a_short_curve_is_no_zero():
    """A curve that ends before the claim is passed cannot say that nobody is above it."""
    short = attack_curve_from_parameters(AttackParameters(epsilon=0.66, max_trips=2))
    assert share_above_claim([1, 2], short) == 0
    assert share_above_claim([1, 50], short) != 0


@BOTH
@pytest.mark.parametrize(("epsilon", "bound"), [(0.66, 1), (1.0, 5), (2.0, 1000), (0.01, 1000)])
def test_bounded_attack_against_simulated_release(noise, epsilon, bound):
    release = ReleaseParameters(epsilon=epsilon, max_trips_per_user=bound, noise=noise)
    bounded = bounded_attack_from_release_parameters(release, 40)
    assert bounded.optimal.shape == bounded.proven_bound.shape == (41,)
    assert np.all(bounded.optimal <= bounded.proven_bound + 1e-9)
    assert np.all(bounded.proven_bound <= 1 / (1 + math.exp(-epsilon)) + 1e-12)
    assert np.all(bounded.optimal[min(bound, 40) :] == bounded.optimal[min(bound, 40)])
    scale, rng, k = bound / epsilon, np.random.default_rng(9), min(bound, 4)
    present = rng.random(GAMES) < 0.5
    law = scipy.stats.laplace(scale=scale) if noise == "laplace" else scipy.stats.dlaplace(1 / scale)
    noisy = law.rvs((GAMES, k), random_state=rng) + present[:, None]
    loss = np.clip(2 * noisy - 1, -1, 1).sum(axis=1)
    guess = np.where(np.abs(loss) < 1e-9, rng.random(GAMES) < 0.5, loss > 0)
    assert (
        scipy.stats.binomtest(int((guess == present).sum()), GAMES, float(bounded.optimal[k])).pvalue > 1e-6
    )


def test_bounded_attack_without_a_bound():
    assert bounded_attack_from_release_parameters(ReleaseParameters(), 10) is None
    with pytest.raises(ParameterError, match=r"^max_trips must be between 0 and 1,000, got 1,001\.$"):
        bounded_attack_from_release_parameters(ReleaseParameters(max_trips_per_user=3), 1001)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        *(({"epsilon": value}, "epsilon") for value in (math.nan, math.inf, -1, 0, 20.1, "1", None, True)),
        *(({"max_trips": value}, "max_trips") for value in (-1, 1.5, 1001, math.nan, "70")),
        *(({"repetitions": value}, "repetitions") for value in (-1, 0.5, 1_000_001, math.nan, None)),
        ({"noise": "gauss"}, "noise"),
    ],
)
def test_parameters_iv(change, name):
    with pytest.raises(ParameterError, match=rf"^{name} must be .*, got .*\.$"):
        AttackParameters(**({"epsilon": 0.66} | change))
