"""Figures of a game against hand counts: gains, baselines, intervals over targets, correlations."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from privlab.aggregates.factors import Factors
from privlab.aggregates.findings.outcomes import Setting, TargetOutcome, TargetScore
from privlab.aggregates.findings.summaries import (
    FALSE_RATES,
    GameResult,
    privacy_gain,
    seen_from_result,
    summaries_from_result,
)
from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.stats import midranks_from_scores

RAW = Setting(arm="cells", classifier="lr")
NOISY = Setting(arm="cells", classifier="lr", epsilon=1.0, adversary="passive")


def outcome(
    turn: int, raw: tuple, noisy: tuple, *, mobility: str = "low", particularity: float = 1.0
) -> TargetOutcome:
    scores = []
    for setting, (inside, outside) in ((RAW, raw), (NOISY, noisy)):
        ranks = midranks_from_scores(inside, outside)
        scores.append(
            TargetScore(setting=setting, inside=tuple(ranks[0].tolist()), outside=tuple(ranks[1].tolist()))
        )
    return TargetOutcome(
        turn=turn,
        user=turn,
        mobility=mobility,
        factors=Factors(volume=10 * turn, regularity=math.nan, particularity=particularity),
        scores=tuple(scores),
        errors=((1.0, 0.5 + turn),),
        seconds=2.0,
    )


def summaries(*outcomes: TargetOutcome):
    return summaries_from_result(GameResult(parameters=GameParameters(), outcomes=outcomes, n_left=0))


def test_figures_by_hand() -> None:
    sure, none, worse = ([3, 4], [1, 2]), ([1, 2], [1, 2]), ([1, 2], [3, 4])
    raw, noisy = summaries(
        outcome(0, sure, worse), outcome(1, sure, none, mobility="high"), outcome(2, ([2, 4], [1, 3]), none)
    )
    assert raw.auc.tolist() == [1.0, 1.0, 0.75]
    assert raw.overall.pl_mean == pytest.approx((1 + 1 + 0.5) / 3)
    assert raw.overall.tpr_1 == pytest.approx((1 + 1 + 0.5) / 3)
    assert (raw.pg_mean, raw.pg_literal, raw.mre) == (None, None, None)
    assert noisy.auc.tolist() == [0.0, 0.5, 0.5]
    assert noisy.overall.pl_mean == 0
    assert noisy.pg_mean == pytest.approx(1)
    assert noisy.pg_literal == pytest.approx(2 / 3)  # AUC' = 0 counts as no gain in the paper's words
    assert noisy.mre == pytest.approx(1.5)
    assert {name: part.n_targets for name, part in raw.mobility.items()} == {"low": 2, "high": 1}
    assert raw.correlations["volume"] == pytest.approx(-math.sqrt(0.75))
    assert math.isnan(raw.correlations["regularity"])
    assert math.isnan(raw.correlations["particularity"])
    assert raw.seconds == 6
    assert raw.roc[0] == pytest.approx((1 + 1 + 0.5) / 3)
    assert raw.roc.size == FALSE_RATES.size
    assert raw.roc[-1] == 1
    assert (np.diff(raw.roc) >= 0).all()


def test_chance_of_a_correlation_is_that_of_all_orders() -> None:
    """Of the 24 orders of four targets two are as far from 0 as theirs; 2,000 drawn ones, and the one that was found."""
    raw, _ = summaries(*[outcome(turn, ([turn + 1.5], [1, 2, 3, 4]), ([1], [1])) for turn in range(4)])
    assert raw.auc.tolist() == [0.25, 0.5, 0.75, 1.0]
    hits = raw.chances["volume"] * 2001 - 1
    assert hits == pytest.approx(round(hits))
    assert binomtest(round(hits), 2000, 2 / 24).pvalue > 1e-6
    assert math.isnan(raw.chances["regularity"])


def test_the_chance_of_a_correlation_is_held_against_all_factors_by_hand_issue_16() -> None:
    """Holm: of two factors the smaller chance counts twice, and the other is no smaller than that. Correlations: 1, and 0.8."""
    aucs = [([turn + 1.5], [1, 2, 3, 4]) for turn in range(4)]
    one, _ = summaries(*[outcome(turn, aucs[turn], ([1], [1])) for turn in range(4)])
    two, _ = summaries(
        *[outcome(turn, aucs[turn], ([1], [1]), particularity=(1, 3, 2, 4)[turn]) for turn in range(4)]
    )
    assert two.correlations["particularity"] == pytest.approx(0.8)
    assert two.chances["volume"] == pytest.approx(2 * one.chances["volume"])
    assert two.chances["particularity"] > two.chances["volume"]


def test_interval_of_equal_targets_is_no_point() -> None:
    sure = (list(range(50, 100)), list(range(50)))
    alone, several = (
        summaries(outcome(0, sure, sure))[0],
        summaries(*[outcome(i, sure, sure) for i in range(9)])[0],
    )
    assert (alone.overall.auc_mean, alone.overall.auc_high) == (1, 1)
    assert 0.95 < alone.overall.auc_low < several.overall.auc_low < 1


def test_targets_whom_the_period_does_not_see_are_in_no_mean_by_hand() -> None:
    """Three targets at 1, 0.5 and 0.5, the latter two not there: 0.67 of all, 1 of the one who is."""
    sure, none = ([3, 4], [1, 2]), ([1, 2], [1, 2])
    away = [outcome(turn, none, none, particularity=math.nan) for turn in (1, 2)]
    whole = GameResult(
        parameters=GameParameters(), outcomes=(outcome(0, sure, none), *away), n_left=4, n_unseen=0
    )
    seen = seen_from_result(whole)
    assert [one.user for one in seen.outcomes] == [0]
    assert (seen.n_unseen, seen.n_left) == (2, 4)
    assert summaries_from_result(whole)[0].overall.auc_mean == pytest.approx(2 / 3)
    assert summaries_from_result(seen)[0].overall.auc_mean == 1
    assert seen_from_result(seen) is not whole
    assert seen_from_result(seen).n_unseen == 2
    nobody = GameResult(parameters=GameParameters(), outcomes=tuple(away), n_left=0)
    assert seen_from_result(nobody) is nobody


def test_no_outcome_no_figures() -> None:
    assert summaries() == []


@pytest.mark.parametrize(
    ("raw", "defended", "literal", "clipped"),
    [
        (1.0, 0.5, 1.0, 1.0),
        (0.9, 0.7, 0.5, 0.5),
        (0.9, 0.4, 0.0, 1.0),
        (0.6, 0.7, 0.0, 0.0),
        (0.5, 0.4, 0.0, 0.0),
    ],
)
def test_privacy_gain_by_hand(raw: float, defended: float, literal: float, clipped: float) -> None:
    assert privacy_gain(raw, defended, literal=True) == pytest.approx(literal)
    assert privacy_gain(raw, defended, literal=False) == pytest.approx(clipped)
