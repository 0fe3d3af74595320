"""Bounds on attacks: entries by brute force, the best attacker simulated, games held to them, faults caught."""

import math

import numpy as np
import pytest
import scipy.stats

from privlab.aggregates.defences.bounds import (
    AttackBound,
    bound_from_window,
    chance_of_excess,
    differing_entries,
    require_aucs_within_bounds,
)
from privlab.aggregates.defences.defence import defence_facts_from_window
from privlab.aggregates.defences.named_defences import defence_from_spec
from privlab.aggregates.findings.outcomes import Setting, TargetScore
from privlab.aggregates.findings.summaries import GameResult
from privlab.aggregates.game import bound_checks as module
from privlab.aggregates.game.bound_checks import bound_checks_from_result, stand_ins_from_target
from privlab.aggregates.game.play import outcomes_from_traces
from privlab.aggregates.game_rules.game_plan import plan_from_parameters
from privlab.aggregates.game_rules.groups import split_from_traces, targets_from_traces
from privlab.aggregates.game_rules.parameters import ClassifierSettings, GameParameters
from privlab.aggregates.periods import period_from_spec
from privlab.aggregates.traces import Window, presence_from_window, window_from_traces
from privlab.checks import BoundViolation
from tests.aggregates.worlds import habitual_traces

FALSE_ALARM = 4.9  # standard deviations: one in a million either way


def a_window(*, null_zone: bool = True, period: str = "week") -> Window:
    return window_from_traces(habitual_traces(null_zone=null_zone), week=1, period=period_from_spec(period))


@pytest.mark.parametrize("null_zone", [True, False])
@pytest.mark.parametrize("period", ["week", "hours:mon:0-3"])
def test_differing_entries_against_brute_force(null_zone: bool, period: str) -> None:
    window = a_window(null_zone=null_zone, period=period)
    seen = np.stack([presence_from_window(window, user) for user in range(window.n_users)])
    for target in (0, 11, 39):
        expected = (seen != seen[target]).sum(axis=(1, 2))
        np.testing.assert_array_equal(differing_entries(window, target), expected)


def test_only_those_who_may_stand_in_enter_the_bound_by_hand() -> None:
    """One stand-in at a time: Φ(√n/2σ) of the n entries in which that one differs from the target, whoever else there is."""
    window, target = a_window(null_zone=False), 11
    defence = defence_from_spec("gaussian", epsilon=1.5, facts=defence_facts_from_window(window))
    seen = np.stack([presence_from_window(window, user) for user in range(window.n_users)])
    apart = (seen != seen[target]).sum(axis=(1, 2))
    nearest, farthest = int(np.argsort(apart)[1]), int(np.argmax(apart))
    assert apart[nearest] < apart[farthest]
    for user in (nearest, farthest):
        bound = bound_from_window(window, target, np.arange(window.n_users) == user, defence)
        assert bound is not None
        expected = scipy.stats.norm.cdf(math.sqrt(apart[user]) / (2 * defence.sigma))
        assert bound.accuracy == pytest.approx(expected, rel=1e-9)


def test_a_promise_alone_bounds_the_game_by_that_of_two_people_by_hand() -> None:
    """ε promised to one person is 2ε where another takes her place: e^ε/(1 + e^ε) right at the most, of each."""
    window = a_window()
    defence = defence_from_spec("fpa:24", epsilon=0.5, facts=defence_facts_from_window(window))
    bound = bound_from_window(window, 11, np.arange(window.n_users) != 11, defence)
    assert bound is not None
    assert not bound.exact
    assert bound.accuracy == pytest.approx(math.e / (1 + math.e))
    assert bound.accuracy_alone == pytest.approx(math.exp(0.5) / (1 + math.exp(0.5)))


@pytest.mark.parametrize(("spec", "epsilon"), [("lpa", 5.0), ("lpa-event", 0.3), ("gaussian", 1.5)])
def test_exact_bound_against_the_best_attacker_simulated(spec: str, epsilon: float) -> None:
    """An attacker who knows all others and the stand-in: his log likelihood ratio from scipy's densities."""
    window, target, trials = a_window(null_zone=False), 11, 1_500
    others = np.arange(window.n_users) != target
    defence = defence_from_spec(spec, epsilon=epsilon, facts=defence_facts_from_window(window))
    bound = bound_from_window(window, target, others, defence)
    law = (
        scipy.stats.norm(scale=defence.sigma)
        if spec == "gaussian"
        else scipy.stats.laplace(scale=defence.scale)
    )
    rng = np.random.default_rng(3)
    seen = np.stack([presence_from_window(window, user) for user in range(window.n_users)]).astype(float)
    stand_in = seen[rng.choice(np.flatnonzero(others), 2 * trials)]
    truth = np.where((np.arange(2 * trials) < trials)[:, None, None], seen[target], stand_in)
    published = defence.defended(truth, rng)
    scores = (law.logpdf(published - seen[target]) - law.logpdf(published - stand_in)).sum(axis=(1, 2))
    scores = np.round(scores, 9)  # equal losses are equal
    inside, outside = scores[:trials], scores[trials:]
    higher = (inside[:, None] > outside).mean() + (inside[:, None] == outside).mean() / 2
    assert abs(higher - bound.auc) < FALSE_ALARM * math.sqrt(1 / (12 * trials) * 2)
    right = (
        (inside > 0).mean() + (outside < 0).mean() + ((inside == 0).mean() + (outside == 0).mean()) / 2
    ) / 2
    assert abs(right - bound.accuracy) < FALSE_ALARM * math.sqrt(0.25 / (2 * trials))
    assert 0.55 < bound.auc_alone < bound.auc < 0.98  # so that the comparison says something
    assert bound.exact


def test_gaussian_alone_against_theory() -> None:
    window = a_window()
    defence = defence_from_spec("gaussian", epsilon=2.0, facts=defence_facts_from_window(window))
    bound = bound_from_window(window, 5, np.arange(40) != 5, defence)
    distance = math.sqrt(presence_from_window(window, 5).sum()) / defence.sigma
    assert bound.accuracy_alone == pytest.approx(scipy.stats.norm.cdf(distance / 2))
    assert bound.auc_alone == pytest.approx(scipy.stats.norm.cdf(distance / math.sqrt(2)))
    assert bound.n_reports == presence_from_window(window, 5).sum()


@pytest.mark.parametrize("spec", ["lpa", "gaussian"])
def test_exact_bounds_lie_within_the_promise(spec: str) -> None:
    window = a_window()
    facts, others = defence_facts_from_window(window), np.arange(40) != 5
    before = 0.5
    for epsilon in (0.05, 0.5, 2.0, 8.0):
        defence = defence_from_spec(spec, epsilon=epsilon, facts=facts)
        bound = bound_from_window(window, 5, others, defence)
        assert before < bound.accuracy_alone < (math.exp(epsilon) + 1e-5) / (1 + math.exp(epsilon))
        assert bound.auc_alone < 1 - (1 - 1e-5) ** 2 / (1 + math.exp(epsilon))
        before = bound.accuracy_alone


def test_other_defences_are_bound_by_their_promise_or_not_at_all() -> None:
    window = a_window()
    facts, others = defence_facts_from_window(window), np.arange(40) != 5

    def bound(spec: str, epsilon: float | None):
        return bound_from_window(window, 5, others, defence_from_spec(spec, epsilon=epsilon, facts=facts))

    assert bound("fpa", 0.5).auc == pytest.approx(math.e / (1 + math.e))  # two steps of one half
    assert bound("fpa", 0.5).auc_alone == pytest.approx(math.exp(0.5) / (1 + math.exp(0.5)))
    assert bound("efpag", 0.5).auc > bound("fpa", 0.5).auc  # δ
    assert bound("sample:0.4", None).auc == pytest.approx(1 - 0.6**2 / 2)
    assert bound("sample:0.4", None).accuracy == pytest.approx(0.7)
    assert not bound("fpa", 0.5).exact
    for spec in ("none", "suppress:3", "generalise:hours=4"):
        assert bound(spec, None) is None


def test_chance_of_excess_bounds_the_binomial_tail() -> None:
    """With one group OUT per group IN and scores of 0 and 1, pairs are coins: Chernoff against scipy."""
    for bound in (0.5, 0.62, 0.9, 0.999):
        for hits in range(1, 51):
            exact = scipy.stats.binom.sf(hits - 1, 50, bound)
            assert chance_of_excess(hits / 50, bound, 50) >= exact - 1e-12
    assert chance_of_excess(1.0, 0.5, 50) == pytest.approx(2.0**-50)
    assert chance_of_excess(0.5, 0.5, 50) == chance_of_excess(1.0, 1.0, 50) == 1.0


def test_excess_is_caught_alone_and_in_the_mean() -> None:
    require_aucs_within_bounds([0.6] * 20, [0.6] * 20, [50] * 20, "fine")
    require_aucs_within_bounds([0.7], [0.6], [50], "by chance")
    with pytest.raises(BoundViolation, match=r"one: measured 1\.0000 above the bound 0\.5000"):
        require_aucs_within_bounds([0.5, 1.0], [0.5, 0.5], [50, 50], "one")
    with pytest.raises(BoundViolation, match=r"mean: measured 0\.7000 above the bound 0\.6000"):
        require_aucs_within_bounds([0.7] * 30, [0.6] * 30, [50] * 30, "mean")
    with pytest.raises(BoundViolation, match="cannot be judged"):
        require_aucs_within_bounds([math.nan], [0.6], [50], "no number")


def played(prior: str, spec: str, epsilons: tuple[float, ...]) -> tuple:
    traces = habitual_traces(60)
    parameters = GameParameters(
        prior=prior,
        group_size=4,
        targets=6,
        train_groups=60,
        arms=("statistics", "cells", "likelihood"),
        classifiers=("lr",),
        defence=spec,
        epsilons=epsilons,
        prior_share=0.5 if prior == "subset" else None,
        settings=ClassifierSettings(trees=10, hidden_units=10),
    )
    targets = targets_from_traces(traces, 6, seed=1)
    outcomes = tuple(outcomes_from_traces(traces, parameters, targets))
    return traces, GameResult(parameters=parameters, outcomes=outcomes, n_left=0)


@pytest.mark.parametrize("prior", ["subset", "different-groups", "perfect"])
@pytest.mark.parametrize("spec", ["lpa", "gaussian"])
def test_games_keep_to_their_bounds(prior: str, spec: str) -> None:
    traces, result = played(prior, spec, (0.1, 20.0))
    checks = bound_checks_from_result(traces, result)
    assert len(checks) == 6 * 2 * 2 * 3  # targets, ε, adversaries, arms
    for one in checks:
        assert 0.5 < one.bound.auc <= 1
        assert 0.5 < one.bound.auc_alone <= 1
        assert one.proven == (prior != "perfect")
        assert one.n_pairs == (30 if prior == "perfect" else 50)
    tight = [one for one in checks if one.setting.epsilon == 0.1]
    assert max(one.bound.auc for one in tight) < 0.56  # so that a broken mechanism would show


def test_a_broken_mechanism_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Played with the noise of ε per report, judged by the bound of ε per user: the check must object."""
    traces, result = played("subset", "lpa-event", (5.0,))
    bound_checks_from_result(traces, result)
    honest = module.bound_from_window

    def bound_of_lpa(window, target, stand_ins, defence, tests):
        claimed = defence_from_spec("lpa", epsilon=0.1, facts=defence.facts)
        return honest(window, target, stand_ins, claimed, tests)

    monkeypatch.setattr(module, "bound_from_window", bound_of_lpa)
    with pytest.raises(BoundViolation, match="above the bound"):
        bound_checks_from_result(traces, result)


def test_stand_ins_are_those_whose_groups_are_released() -> None:
    traces = habitual_traces(60)
    for prior, share in (("subset", 0.4), ("different-groups", None)):
        parameters = GameParameters(prior=prior, group_size=4, prior_share=share, train_groups=20, targets=1)
        plan = plan_from_parameters(parameters, traces)
        target = targets_from_traces(traces, 1, seed=1)[0]
        others = stand_ins_from_target(traces, parameters, plan, target)
        test = split_from_traces(traces, parameters, plan, target).test
        assert not others[target.position]
        assert not test.member[~test.inside][:, ~others].any()
        assert others.sum() == (36 if prior == "subset" else 59)


def test_an_auc_has_no_more_independent_pairs_than_the_fewer_groups_make_by_hand() -> None:
    """Two groups with the target and six without, all told apart: 0.6² is how often two pairs are by luck (Chernoff at AUC 1)."""
    score = TargetScore(
        setting=Setting(arm="cells", classifier="lr", epsilon=1.0, adversary="passive"),
        inside=(14, 16),
        outside=(2, 4, 6, 8, 10, 12),
    )
    bound = AttackBound(n_reports=1, accuracy=0.6, auc=0.6, accuracy_alone=0.6, auc_alone=0.6, exact=True)
    found = module._check("someone", score, bound, proven=True)
    assert (found.auc, found.n_pairs) == (1.0, 2)
    assert found.chance == pytest.approx(0.6**2)
