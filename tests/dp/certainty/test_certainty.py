"""Certainty against closed forms, enumeration, Bayes by hand, dp_accounting and simulated games of the mechanism."""

import itertools
import math

import numpy as np
import pytest
import scipy.optimize
import scipy.special
import scipy.stats
from dp_accounting.pld import privacy_loss_distribution as pld
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.checks import ParameterError
from privlab.dp.attack.exact_accuracy import ACCURACY_FROM_EPSILON
from privlab.dp.attack.suppressed_cells import accuracy_from_cells
from privlab.dp.certainty.certainty import (
    Certainty,
    CertaintyParameters,
    certainty_from_parameters,
    first_trips_above_claim,
    greatest_chance_above,
    posterior_law_from_parameters,
)

BOTH = pytest.mark.parametrize("noise", ["laplace", "integer"])


def certainty(epsilon: float, trips: int, **more: object) -> Certainty:
    return certainty_from_parameters(CertaintyParameters(epsilon=epsilon, trips=trips, **more))


def figures(found: Certainty) -> list[float]:
    chances = [found.accuracy, found.in_above, found.out_above, found.either_way, found.largest]
    return [*chances, *found.tpr_at.values()]


# --- real noise -----------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.05, 0.66, 3.0, 12.0, 20.0])
def test_one_laplace_cell_against_closed_form(epsilon):
    """Noise beyond the cell decides at once; between, P(ℓ > t) = 1 − ½e^{(t−ε)/2} under IN, ½e^{−(t+ε)/2} under OUT."""
    for share in (-0.9, -0.3, 0.0, 0.5, 0.99):
        loss = share * epsilon
        found = certainty(epsilon, 1, above=float(scipy.special.expit(loss)))
        assert found.in_above == pytest.approx(1 - math.exp((loss - epsilon) / 2) / 2, abs=1e-8)
        assert found.out_above == pytest.approx(math.exp(-(loss + epsilon) / 2) / 2, abs=1e-8)
    claimed = certainty(epsilon, 1)
    assert (claimed.in_above, claimed.out_above, claimed.either_way) == (0, 0, 0)
    # ½e^{−ε} of those who are out look as bad as can be: a smaller share is spent there, at odds of e^ε.
    if math.exp(-epsilon) / 2 > 0.01:
        assert found.tpr_at[0.01] == pytest.approx(0.01 * math.exp(epsilon), rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.05, 0.66, 3.0])
def test_two_laplace_cells_above_the_claim_against_closed_form(epsilon):
    """Losses above ε: both cells at +ε; one there and one above 0; both between and adding up to more than ε."""
    half = math.exp(-epsilon / 2)
    inside = 1 / 4 + (1 - half) / 2 + (4 - (2 * epsilon + 4) * half) / 16
    both_low = (4 + (2 * epsilon - 4) / half) * half**4 / 16
    outside = half**4 / 4 + half**2 * half * (1 - half) / 2 + both_low
    found = certainty(epsilon, 2)
    assert found.in_above == pytest.approx(inside, abs=1e-9)
    assert found.out_above == pytest.approx(outside, abs=1e-9)
    assert found.either_way == pytest.approx(inside + outside, abs=2e-9)


@pytest.mark.parametrize(
    ("k", "inside", "outside", "tpr_1", "tpr_01"),
    [(2, .401479, .123541, .037434, .003743), (3, .363109, .084735, .072427, .007243),
     (5, .532883, .104615, .149846, .027113), (10, .730423, .097735, .325820, .104023),
     (32, .933727, .029305, .856781, .613825)],
)  # fmt: skip
def test_against_a_table_made_on_a_grid(k, inside, outside, tpr_1, tpr_01):
    """An independent table of 4,096 points to ε, which left out the half point at the claim itself."""
    found = certainty(0.66, k, above=float(scipy.special.expit(0.66 * (1 + 0.5 / 4096))))
    assert [found.in_above, found.out_above] == pytest.approx([inside, outside], abs=1e-6)
    assert list(found.tpr_at.values()) == pytest.approx([tpr_1, tpr_01], abs=1e-6)


@pytest.mark.parametrize(("epsilon", "k"), [(0.66, 3), (0.66, 10), (0.1, 40), (2.0, 4)])
def test_found_shares_against_dp_accounting(epsilon, k):
    """The best test at a rate α finds min over x of δ(x) + e^x·α; where the rate is small, x ≥ 0."""
    cells = pld.from_laplace_mechanism(1 / epsilon, value_discretization_interval=1e-4).self_compose(k)
    for rate, found in certainty(epsilon, k).tpr_at.items():
        least = scipy.optimize.minimize_scalar(  # convex in e^x
            lambda odds, rate=rate: cells.get_delta_for_epsilon(math.log(odds)) + odds * rate,
            bounds=(1, 1 / rate), method="bounded", options={"xatol": 1e-9, "maxiter": 500},
        )  # fmt: skip
        assert found == pytest.approx(least.fun, abs=1e-6)


@pytest.mark.parametrize(
    ("epsilon", "k", "prior", "above"), [(0.66, 3, 0.5, None), (0.3, 12, 0.2, 0.3), (2.0, 5, 0.7, 0.99)]
)
def test_laplace_against_simulated_mechanism(epsilon, k, prior, above):
    games, rng = 300_000, np.random.default_rng(20261122)
    found = certainty(epsilon, k, prior=prior, above=above)
    asked = scipy.special.expit(epsilon) if above is None else above
    for shift, chance in ((1, found.in_above), (0, found.out_above)):
        noisy = shift + rng.laplace(0, 1 / epsilon, (games, k))
        loss = (epsilon * np.clip(2 * noisy - 1, -1, 1)).sum(axis=1)
        posterior = scipy.special.expit(loss + scipy.special.logit(prior))
        wins = int((posterior > asked + 1e-9).sum())
        assert scipy.stats.binomtest(wins, games, chance).pvalue > 1e-6


# --- integer noise --------------------------------------------------------------------------------


def by_enumeration(epsilon: float, k: int, prior: float, asked: float) -> list[float]:
    """All patterns of k cells, each noisy count above its others or not, with their chances in both worlds."""
    law = scipy.stats.dlaplace(epsilon)
    above_out, above_in = law.sf(0), law.sf(-1)
    outcomes = []
    for pattern in itertools.product((0, 1), repeat=k):
        outside = math.prod(above_out if up else 1 - above_out for up in pattern)
        inside = math.prod(above_in if up else 1 - above_in for up in pattern)
        outcomes.append((inside, outside))
    return answers(outcomes, prior, asked)


def answers(outcomes: list[tuple[float, float]], prior: float, asked: float) -> list[float]:
    """Accuracy, above for IN and OUT, either way, and the shares found, from chances (IN, OUT) of all outcomes."""
    accuracy = sum(max(prior * i, (1 - prior) * o) for i, o in outcomes)
    sure = [(i, o) for i, o in outcomes if prior * i / (prior * i + (1 - prior) * o) > asked + 1e-9]
    either = sum(
        prior * i + (1 - prior) * o
        for i, o in outcomes
        if max(prior * i, (1 - prior) * o) / (prior * i + (1 - prior) * o) > asked + 1e-9
    )
    shares = []
    for rate in (0.01, 0.001):
        left, share = rate, 0.0
        for i, o in sorted(
            outcomes, key=lambda one: -one[0] / one[1]
        ):  # the most telling first, the last by a coin
            spent = min(1.0, left / o)
            left, share = left - spent * o, share + spent * i
        shares.append(share)
    return [accuracy, sum(i for i, _ in sure), sum(o for _, o in sure), either, *shares]


def told(found: Certainty) -> list[float]:
    return [found.accuracy, found.in_above, found.out_above, found.either_way, *found.tpr_at.values()]


@pytest.mark.parametrize("epsilon", [0.01, 0.66, 3.0])
@pytest.mark.parametrize("k", [1, 2, 5, 9])
@pytest.mark.parametrize(("prior", "above"), [(0.5, None), (0.5, 0.9), (0.1, 0.55), (0.8, 0.7), (0.3, 0.31)])
def test_integer_against_enumeration(epsilon, k, prior, above):
    asked = float(scipy.special.expit(epsilon)) if above is None else above
    expected = by_enumeration(epsilon, k, prior, asked)
    if asked < 0.5:
        expected[3] = 1.0  # of one of two answers everybody is that certain
    assert told(certainty(epsilon, k, noise="integer", prior=prior, above=above)) == pytest.approx(
        expected, abs=1e-9
    )


def test_prior_by_bayes_by_hand():
    # One cell, ε = ln 3: the count is above its others with 3/4 (IN) or 1/4 (OUT). Prior 1/10:
    # above, 0.1·3/4 against 0.9·1/4, so 1/4; below, 0.1·1/4 against 0.9·3/4, so 1/28.
    one = {"noise": "integer", "prior": 0.1}
    found = certainty(math.log(3), 1, above=0.2, **one)
    assert (found.in_above, found.out_above) == pytest.approx((3 / 4, 1 / 4))
    assert found.largest == pytest.approx(1 / 4)
    assert found.accuracy == pytest.approx(0.9)  # "not in", whatever is seen
    exactly = certainty(math.log(3), 1, above=0.25, **one)
    assert (exactly.in_above, exactly.out_above) == (0, 0)  # more certain than 1/4 is nobody
    # More than 80% certain of one answer: only below, that the person is out.
    assert certainty(math.log(3), 1, above=0.8, **one).either_way == pytest.approx(0.1 / 4 + 0.9 * 3 / 4)


@pytest.mark.parametrize(
    ("noise", "bound", "weeks", "trips", "epsilon_per_cell", "cells"),
    [("integer", 10, 52, 10, 0.066, 520), ("integer", 10, 52, 3, 0.066, 156), ("integer", 10, 1, 70, 0.066, 10),
     ("laplace", None, 1, 7, 0.66, 7), ("laplace", None, 3, 7, 0.66, 21), ("laplace", 5, 4, 70, 0.132, 20)],
)  # fmt: skip
def test_a_plan_is_so_many_cells_of_so_much_loss(noise, bound, weeks, trips, epsilon_per_cell, cells):
    found = certainty(0.66, trips, noise=noise, max_trips_per_user=bound, weeks=weeks, above=0.6)
    alone = certainty(epsilon_per_cell, cells, noise=noise, above=0.6)
    assert figures(found) == pytest.approx(figures(alone), abs=1e-12)


def test_many_integer_cells_against_binomial_of_scipy():
    law, n, e = scipy.stats.binom(520, scipy.special.expit(0.066)), 520, 0.066
    for above in (0.9, 0.95):
        most = math.floor((scipy.special.logit(above) / e + n) / 2)
        found = certainty(0.66, 10, noise="integer", max_trips_per_user=10, weeks=52, above=above)
        assert found.in_above == pytest.approx(law.sf(most), abs=1e-10)
        assert found.out_above == pytest.approx(law.cdf(n - most - 1), abs=1e-10)


# --- with a threshold -----------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("epsilon", "threshold", "counts", "prior", "above"),
    [(0.66, 100, (99, 99, 98, 95), 0.5, None), (1.0, 3, (0, 1, 2), 0.3, 0.5), (3.0, 5, (4, 4, 4, 3, 0), 0.5, 0.9)],
)  # fmt: skip
def test_counts_below_the_threshold_against_enumeration(noise, epsilon, threshold, counts, prior, above):
    """Each such cell is shown or not; the chances are scipy's, the value shown tells nothing more."""
    law = scipy.stats.laplace(scale=1 / epsilon) if noise == "laplace" else scipy.stats.dlaplace(epsilon)
    step = 0 if noise == "laplace" else 1  # P(noise ≥ gap) of whole numbers
    outcomes = [(1.0, 1.0)]
    for count in counts:
        gap = threshold - count
        shown_in, shown_out = law.sf(gap - 1 - step), law.sf(gap - step)
        outcomes = [
            (i * a, o * b)
            for i, o in outcomes
            for a, b in ((shown_in, shown_out), (1 - shown_in, 1 - shown_out))
        ]
    asked = float(scipy.special.expit(epsilon)) if above is None else above
    found = certainty(
        epsilon, len(counts), noise=noise, threshold=threshold, counts=counts, prior=prior, above=above
    )
    assert told(found) == pytest.approx(answers(outcomes, prior, asked), abs=1e-9)


@pytest.mark.parametrize("noise", ["laplace", "integer"])
@pytest.mark.parametrize(
    ("epsilon", "threshold", "counts", "prior", "above"),
    [(0.66, 100, (1000, 101, 99, 98, 40), 0.5, None), (0.3, 10, (9, 12, 3, 0, 50, 9, 9, 8), 0.4, 0.5),
     (0.1, 50, (49,) * 20 + (60,) * 10 + tuple(range(30, 48)), 0.5, 0.6)],
)  # fmt: skip
def test_threshold_against_simulated_mechanism(noise, epsilon, threshold, counts, prior, above):
    games, rng, others = 200_000, np.random.default_rng(7), np.asarray(counts)
    law = scipy.stats.laplace(scale=1 / epsilon) if noise == "laplace" else scipy.stats.dlaplace(epsilon)
    below = threshold if noise == "laplace" else threshold - 1
    hidden = law.logcdf(below - others - 1) - law.logcdf(below - others)
    found = certainty(
        epsilon, others.size, noise=noise, threshold=threshold, counts=counts, prior=prior, above=above
    )
    asked = float(scipy.special.expit(epsilon)) if above is None else above
    for present, chance in ((1, found.in_above), (0, found.out_above)):
        if noise == "laplace":
            drawn = rng.laplace(0, 1 / epsilon, (games, others.size))
        else:
            drawn = np.subtract(
                *(rng.geometric(1 - math.exp(-epsilon), (games, others.size)) for _ in (0, 1))
            )
        noisy = others + present + drawn
        shown = epsilon * np.clip(2 * (noisy - others) - 1, -1, 1)
        loss = np.where(noisy < threshold, hidden, shown).sum(axis=1)
        posterior = scipy.special.expit(loss + scipy.special.logit(prior))
        wins = int((posterior > asked + 1e-9).sum())
        assert scipy.stats.binomtest(wins, games, chance).pvalue > 1e-6


@BOTH
@pytest.mark.parametrize("n", [20, 200, 1000])
def test_mean_accuracy_against_the_other_route(noise, n):
    """More distinct counts than all outcomes can be listed of; suppressed_cells.py works on a lattice of its own."""
    counts = tuple(np.random.default_rng(n).integers(0, 120, n).tolist())
    for epsilon in (0.02, 0.66):
        found = certainty(epsilon, n, noise=noise, threshold=100, counts=counts)
        assert found.accuracy == pytest.approx(accuracy_from_cells(noise, epsilon, 100, counts), abs=1e-6)


@BOTH
def test_two_weeks_of_flows_are_twice_the_flows(noise):
    plan = {"noise": noise, "threshold": 10, "above": 0.7}
    weeks = certainty(0.66, 3, counts=(50, 9, 7), weeks=2, **plan)
    assert figures(weeks) == pytest.approx(
        figures(certainty(0.66, 6, counts=(50, 9, 7) * 2, **plan)), abs=1e-12
    )


@BOTH
def test_counts_far_above_the_threshold_as_without(noise):
    open_cells = certainty(0.66, 4, noise=noise, threshold=100, counts=(100, 150, 900, 10**6))
    assert figures(open_cells) == pytest.approx(figures(certainty(0.66, 4, noise=noise)), abs=1e-12)


# --- all ------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("epsilon", [0.01, 0.66, 5.0, 20.0])
def test_mean_accuracy_against_the_attack_curve(noise, epsilon):
    curve = ACCURACY_FROM_EPSILON[noise](epsilon, 1000)
    for k in (0, 1, 2, 3, 7, 33, 400, 700, 1000):
        assert certainty(epsilon, k, noise=noise).accuracy == pytest.approx(curve[k], abs=1e-7), k


@BOTH
@settings(max_examples=25)
@given(
    epsilon=st.floats(0.01, 20),
    trips=st.integers(0, 40),
    prior=st.floats(1e-6, 0.999999),
    above=st.none() | st.floats(0, 1),
)
def test_laws_that_hold_for_every_plan(noise, epsilon, trips, prior, above):
    found = certainty(epsilon, trips, noise=noise, prior=prior, above=above)
    more = certainty(epsilon, trips + 1, noise=noise, prior=prior, above=above)
    assert all(0 <= one <= 1 for one in figures(found))
    assert found.largest <= scipy.special.expit(trips * epsilon + scipy.special.logit(prior)) + 1e-12
    for rate in (0.01, 0.001):  # a further trip never helps the person
        assert rate - 1e-9 <= found.tpr_at[rate] <= more.tpr_at[rate] + 1e-6
    assert max(prior, 1 - prior) <= found.accuracy <= more.accuracy + 1e-6
    assert found.largest <= more.largest
    asked = found.parameters.asked
    if found.largest <= asked:
        assert found.in_above == found.out_above == 0
    if asked >= 0.5:
        # Bayes: of those the attacker is more than c sure of, more than a share c are in.
        right, wrong = prior * found.in_above, (1 - prior) * found.out_above
        assert right >= asked * (right + wrong) - 1e-7
        assert found.either_way >= right + wrong - 1e-9


@BOTH
@pytest.mark.parametrize("epsilon", [0.01, 0.66, 20.0])
@pytest.mark.parametrize("trips", [0, 1, 500, 501, 5_000, 100_000])
def test_at_the_limits_degenerate(noise, epsilon, trips):
    for bound in (None, 1000):
        found = certainty(epsilon, trips, noise=noise, max_trips_per_user=bound)
        assert all(0 <= one <= 1 for one in figures(found))
    if not trips:
        assert [found.accuracy, found.in_above, found.out_above, found.largest] == [0.5, 0, 0, 0.5]
        assert list(found.tpr_at.values()) == pytest.approx([0.01, 0.001])
        assert certainty(epsilon, 0, noise=noise, prior=0.9, above=0.8).in_above == 1


@pytest.mark.parametrize("noise", ["laplace", "integer"])
@pytest.mark.parametrize("threshold", [0, 1, 100_000])
@pytest.mark.parametrize("count", [0, 99_999, 10**9])
def test_thresholds_at_the_limits_degenerate(noise, threshold, count):
    found = certainty(20.0, 300, noise=noise, threshold=threshold, counts=(count,) * 300, weeks=520)
    assert all(0 <= one <= 1 for one in figures(found))
    if threshold - count > 1000:
        assert found.accuracy == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"epsilon": math.nan}, "epsilon must be a finite number"),
        ({"epsilon": 0.001}, "epsilon must be between"),
        ({"trips": -1}, "trips must be between"),
        ({"trips": 2.5}, "trips must be a whole number"),
        ({"noise": "gaussian"}, "noise must be one of"),
        ({"max_trips_per_user": 0}, "max_trips_per_user must be between"),
        ({"weeks": 521}, "weeks must be between"),
        ({"prior": 0}, "prior must be between"),
        ({"prior": 1}, "prior must be between"),
        ({"above": 1.01}, "above must be between"),
        ({"trips": 2000, "weeks": 520}, "trips counted over all weeks must be at most"),
        ({"threshold": 100}, "threshold and counts must be given together, got threshold alone"),
        ({"counts": (1, 2, 3)}, "threshold and counts must be given together, got counts alone"),
        ({"threshold": 5, "counts": (1, 2)}, "counts must be as many as trips"),
        ({"threshold": 5, "counts": (1, 2, -3)}, "counts must be whole numbers"),
        ({"threshold": 5, "counts": (1, 2, 3), "max_trips_per_user": 2}, "counts must be at most max_trips_per_user"),
    ],
)  # fmt: skip
def test_parameters_iv(wrong, words):
    with pytest.raises(ParameterError, match=f"^{words}.*\\.$"):
        CertaintyParameters(**{"epsilon": 0.66, "trips": 3} | wrong)


# --- what figures and promises are made of --------------------------------------------------------


@BOTH
@pytest.mark.parametrize(("epsilon", "trips", "prior", "above"), [(0.66, 3, 0.5, None), (1.3, 6, 0.1, 0.9)])
def test_the_law_of_the_posterior_against_simulated_games(noise, epsilon, trips, prior, above):
    """20,000 games in each world: every bar within 5 standard errors, and all of them add up to one."""
    law = posterior_law_from_parameters(
        CertaintyParameters(epsilon=epsilon, trips=trips, noise=noise, prior=prior, above=above)
    )
    rng, n = np.random.default_rng(5), 20_000
    asked = law.certainty.parameters.asked
    for inside, share in ((1, law.in_share), (0, law.out_share)):
        if noise == "laplace":
            seen = inside + rng.laplace(0, 1 / epsilon, (n, trips))
        else:
            chance = 1 - math.exp(-epsilon)
            seen = inside + rng.geometric(chance, (n, trips)) - rng.geometric(chance, (n, trips))
        loss = epsilon * (np.abs(seen) - np.abs(seen - 1)).sum(axis=1)
        posterior = scipy.special.expit(np.round(loss, 12) + scipy.special.logit(prior))
        edges = law.edges + 1e-9  # what ties with an edge lies below it
        edges[0] = 0
        counts = np.histogram(posterior, edges)[0]
        assert np.all(np.abs(counts - n * share) <= 5 * np.sqrt(n * share * (1 - share)) + 1)
        assert share.sum() == pytest.approx(1, abs=1e-9)
    assert law.in_share[law.edges[:-1] >= asked].sum() == pytest.approx(law.certainty.in_above, abs=1e-9)
    assert law.out_share[law.edges[:-1] >= asked].sum() == pytest.approx(law.certainty.out_above, abs=1e-9)


@BOTH
@pytest.mark.parametrize("epsilon", [0.05, 0.66, 3.0])
def test_as_certainty_the_claim_fails_where_the_chance_is_above_zero(noise, epsilon):
    first = first_trips_above_claim(epsilon, noise)
    chances = [certainty(epsilon, k, noise=noise).in_above for k in range(1, 4)]
    assert first == next(k for k, chance in enumerate(chances, start=1) if chance > 0) == 2
    assert first_trips_above_claim(epsilon, noise, bound=3) is None
    assert certainty(epsilon, 9, noise=noise, max_trips_per_user=3).in_above == 0


@BOTH
@pytest.mark.parametrize("epsilon", [0.066, 0.4, 1.5])
@pytest.mark.parametrize("above", [0.6, 0.75, 0.95])
def test_greatest_chance_against_everybody_with_fewer_cells(noise, epsilon, above):
    chances = [certainty(epsilon, n, noise=noise, above=above).in_above for n in range(8)]
    for most in (1, 2, 5, 7):
        assert greatest_chance_above(noise, epsilon, most, above) == pytest.approx(
            max(chances[: most + 1]), abs=1e-9
        )
