"""What is said of games: who is at risk, whether hours matter, another share of groups, and which defence protects least. By hand."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privlab.aggregates.findings import TradeoffPoint, Verdicts
from privlab.aggregates.findings.outcomes import Setting
from privlab.aggregates.game_rules import HALF, GameParameters
from privlab.figures.groups import groups_words
from privlab.figures.groups.defence_words import trade_off_row
from privlab.figures.groups.verdict_words import trade_off_finding, verdict_finding


@pytest.mark.parametrize(("correlation", "way"), [(0.6, "the more, the more"), (-0.6, "the more, the less")])
def test_who_makes_more_reports_is_found_more_often_where_both_rise(correlation: float, way: str) -> None:
    result: Any = SimpleNamespace(parameters=SimpleNamespace(group_size=50))
    summary: Any = SimpleNamespace(
        correlations={"volume": correlation}, chances={"volume": 0.001}, auc=np.zeros(200)
    )
    assert f"on how many reports they make: {way} (" in groups_words.at_risk(result, summary)


def test_a_difference_within_two_standard_errors_is_none() -> None:
    """Differences .04, 0, .03 and −.01: .015 in the mean, with an error of .0119."""
    found = groups_words.regularity_finding(
        np.array([0.74, 0.8, 0.83, 0.79]), np.array([0.7, 0.8, 0.8, 0.8]), group_size=50
    )
    assert "it is not the hours" in found
    error = np.std([0.04, 0.0, 0.03, -0.01], ddof=1) / 2
    assert error < 0.015 < 2 * error


def test_another_share_of_groups_is_held_against_half_and_half_whichever_was_played_first() -> None:
    def game(balance: str, auc: list[float]) -> tuple[Any, Any]:
        parameters = SimpleNamespace(group_size=100, balance=balance)
        overall = SimpleNamespace(auc_mean=np.mean(auc), pl_mean=0.5)
        return (
            SimpleNamespace(parameters=parameters, n_unseen=0),
            SimpleNamespace(overall=overall, auc=np.array(auc), pl_baseline=0.0),
        )

    games = [game("0.1", [0.8, 0.9, 0.7]), game(HALF, [0.7, 0.8, 0.6])]
    for played in (games, games[::-1]):
        said = groups_words.balance_finding(*map(list, zip(*played, strict=True)))
        assert "50% with the target: mean AUC 0.700, " in said
        assert "; 10% with the target: mean AUC 0.800 (+0.100 ± 0.000), " in said


POINT = TradeoffPoint(
    defence="lpa", setting=Setting(arm="cells", classifier="lr", epsilon=1.0, adversary="strategic"), n_targets=30,
    auc_raw=0.9, auc=0.7, auc_low=0.6, auc_high=0.8, pg_mean=0.4, pg_low=0.3, pg_high=0.5, pg_literal=0.2, mre=1.0,
)  # fmt: skip


def test_a_gain_stands_beside_what_the_paper_would_print() -> None:
    row = trade_off_row(POINT)
    assert (row["privacy gain"], row["as printed"]) == ("0.40", "0.20")
    assert (row["AUC"], row["AUC undefended"]) == ("0.700", "0.900")


def test_least_protection_is_of_those_who_learn_the_noise_not_of_those_who_do_not() -> None:
    """Against who does not know the noise a defence may do worse by chance; the sentence is of the other attacker."""
    passive = replace(POINT, defence="fpa", setting=replace(POINT.setting, adversary="passive"), pg_mean=0.1)
    said = trade_off_finding([passive, POINT])
    assert "an attacker who learns the noise: Laplace, all of a user (LPA Δ/ε) at ε = 1, AUC 0.70." in said


@pytest.mark.parametrize(
    ("missed", "cleared", "blind"),
    [(20, 5, "always says “in”: 75%"), (0, 25, "always says “not in”: 75%"), (10, 15, "a coin: 50%")],
)
def test_verdicts_stand_beside_what_is_right_without_any_look(missed: int, cleared: int, blind: str) -> None:
    """Forty groups, of which thirty hold the target, ten, or half of them."""
    verdicts = Verdicts(
        most_false=0.1, n_targets=1, found=10, missed=missed, accused=5, cleared=cleared,
        right_low=0.1, right_high=0.9,
    )  # fmt: skip
    result: Any = SimpleNamespace(parameters=GameParameters(group_size=50))
    assert blind in verdict_finding([result], [verdicts])
