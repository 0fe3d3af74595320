"""What sentences say of right numbers: against rank tests of another library, and worked by hand."""

from dataclasses import replace
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.stats

from privlab.aggregates.findings.summaries import GameResult, seen_from_result, summaries_from_result
from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.figures.fingerprints import anonymizability_words
from privlab.figures.groups import groups_words, unseen_words
from privlab.figures.risks.risk_words import median_risk, risks_finding, spread_of_risks
from privlab.od.planning.planner import PlanPoint, PlanRequest, advice_from_points
from privlab.stats import holm_adjusted, permuted_rank_correlation
from tests.aggregates.findings.test_summaries import outcome


def test_permuted_correlations_against_all_orders() -> None:
    one, other = np.array([1.0, 5.0, 2.0, 7.0, 3.0, 4.0]), np.array([1.0, 4.0, 3.0, 6.0, 2.0, 2.0])
    ranks = scipy.stats.rankdata(one), scipy.stats.rankdata(other)
    least = abs(np.corrcoef(*ranks)[0, 1]) - 1e-9
    every = [abs(np.corrcoef(order, ranks[1])[0, 1]) >= least for order in permutations(ranks[0])]
    found = permuted_rank_correlation(one, other, np.random.default_rng(1), n_permutations=20_000)
    assert found == pytest.approx(np.mean(every), abs=0.01)  # more than five standard errors


def test_adjusted_chances_against_hand() -> None:
    assert holm_adjusted([0.02, 0.5, 0.01]) == pytest.approx([0.04, 0.5, 0.03])
    assert holm_adjusted([]) == []


def summary(n: int, correlations: dict[str, float], chances: dict[str, float]) -> Any:
    return SimpleNamespace(auc=np.zeros(n), correlations=correlations, chances=chances)


RESULT: Any = SimpleNamespace(parameters=SimpleNamespace(group_size=50))


def test_few_targets_tell_nothing_issue_16() -> None:
    noise = summary(3, {"volume": 0.87, "regularity": -0.5}, {"volume": 0.99, "regularity": 1.0})
    said = groups_words.at_risk(RESULT, noise)
    assert said.startswith("So few targets (3) do not tell who is at risk")
    assert "clearly" not in said
    # What is held against all factors is no share of orders: it may pass one half where nothing is found, and is at most 1.
    assert (
        "in groups of 50 (+0.87, with how many reports they make) may well be chance (p = 0.99, all factors counted)"
        in said
    )
    assert "random orders" not in said
    below = groups_words.at_risk(RESULT, summary(3, {"volume": -0.5}, {"volume": 1.0}))
    assert (
        "(−0.50, with how many reports they make)" in below
    )  # a minus, as in other sentences, and no hyphen
    told = groups_words.at_risk(RESULT, summary(200, {"volume": 0.6}, {"volume": 0.002}))
    assert "depends clearly on how many reports they make" in told
    assert "by chance in at most 0.2% of random orders" in told


def played(prior: str, particularity: list[float]) -> Any:
    outcomes = tuple(
        SimpleNamespace(user=user, is_seen=not np.isnan(one)) for user, one in enumerate(particularity)
    )
    return SimpleNamespace(parameters=GameParameters(prior=prior), n_left=0, n_unseen=0, outcomes=outcomes)


@pytest.mark.parametrize(
    ("prior", "said", "unsaid"),
    [
        ("subset", "test groups the attacker has not seen", "earlier counts"),
        ("same-groups", "the same groups in a later week", "has not seen"),
        (
            "different-groups",
            "other groups in a later week, which the attacker has not seen",
            "the same groups",
        ),
        ("perfect", "the very groups the attacker has learned from", "has not seen"),
    ],
)
def test_the_caption_of_groups_follows_the_prior_issue_16(prior: str, said: str, unsaid: str) -> None:
    told = groups_words.account([played(prior, [0.5, 0.2])])
    assert said in told
    assert unsaid not in told
    assert "not seen in the released period" not in told


def test_targets_who_are_not_in_the_released_week_are_said_to_be_so_issue_16() -> None:
    told = groups_words.account([played("subset", [0.5, float("nan"), float("nan")])])
    assert "2 of 3 targets are not seen in the released period" in told
    assert "they are not at risk from it" in told


SURE, NONE = ([3, 4], [1, 2]), ([1, 2], [1, 2])


def game_of(*particularity: float) -> GameResult:
    """Return a game whose seen targets are told for sure, and the others not at all."""
    outcomes = tuple(
        outcome(turn, NONE if np.isnan(one) else SURE, NONE, particularity=one)
        for turn, one in enumerate(particularity)
    )
    parameters = GameParameters(group_size=5, targets=len(outcomes))
    return GameResult(parameters=parameters, outcomes=outcomes, n_left=0)


@pytest.mark.parametrize(
    ("particularity", "said", "targets"),
    [
        (
            (1.0, np.nan, np.nan),
            "AUC 1.00 of the one target who is seen in the released period (a coin: 0.5). "
            "The other 2 targets are not seen in it, and cannot be found.",
            "3 of 3, 1 seen",
        ),
        (
            (1.0, 0.5, np.nan),
            "mean AUC 1.00 of the 2 targets who are seen in the released period (a coin: 0.5). "
            "The other target is not seen in it, and cannot be found.",
            "3 of 3, 2 seen",
        ),
        ((1.0, 0.5), "mean AUC 1.00 of 2 targets (a coin: 0.5).", "2 of 2"),
    ],
)
def test_who_is_not_there_does_not_hide_who_is_found(
    particularity: tuple[float, ...], said: str, targets: str
) -> None:
    """One of 23 people was always found, and the page said “mean AUC 0.54 of 23 targets”."""
    result = seen_from_result(game_of(*particularity))
    summaries = summaries_from_result(result)[:1]
    told = groups_words.finding([result], summaries)
    assert told.startswith("In groups of 5, this attacker finds **100 in 100** who are in a group")
    assert told.endswith(said)
    assert groups_words.row(result, summaries[0])["targets"] == targets
    assert ("All figures are of the others" in groups_words.account([result])) == ("seen" in targets)


def test_of_a_period_without_any_target_nothing_is_averaged() -> None:
    result = seen_from_result(game_of(np.nan, np.nan))
    told = groups_words.finding([result], summaries_from_result(result)[:1])
    assert (
        told
        == "In groups of 5, none of the 2 targets is seen in the released period: nobody is there to be found."
    )


@pytest.mark.parametrize(
    ("shuffled", "said"),
    [
        ([0.71, 0.88, 0.85, 0.95], "In counts of groups it is not the hours"),
        ([0.66, 0.92, 0.80, 0.95], "In counts of groups it is not the hours"),
        ([0.707, 0.887, 0.837, 0.947], "In counts of groups it is not the hours"),
        ([0.61, 0.78, 0.70, 0.80], "Regular hours give people away"),
        ([0.90, 0.99, 0.95, 0.99], "Regular hours do not help"),
    ],
)
def test_regularity_is_said_only_where_the_control_differs_issue_16(shuffled: list[float], said: str) -> None:
    """Differences by hand: 0, .01, −.01, 0 (error .004); .05, −.03, .04, 0 (mean .015, error .018); .003 of each, too little to matter;
    .10, .11, .14, .15 (error .012); −.19, −.10, −.11, −.04.
    """
    told = groups_words.regularity_finding(
        np.array([0.71, 0.89, 0.84, 0.95]), np.array(shuffled), group_size=50
    )
    assert said in told
    assert f"{np.mean(shuffled):.3f} with every hour shuffled" in told


@pytest.mark.parametrize(
    ("gini", "said"),
    [
        (0.62, "A few samples carry most"),
        (0.35, "Some samples carry more"),
        (0.1, "All samples carry about as much"),
    ],
)
def test_what_samples_carry_follows_the_gini_coefficient(gini: float, said: str, monkeypatch: Any) -> None:
    median = dict.fromkeys(("tail_weight_temporal", "tail_weight_spatial"), 1.0) | {
        "temporal_share": 0.8,
        "gini": gini,
    }
    monkeypatch.setattr(
        anonymizability_words, "summary_from_dispersion", lambda *_: SimpleNamespace(median=median)
    )
    study: Any = SimpleNamespace(dispersion=object())
    assert said in anonymizability_words.why_finding(study, 2)


def test_who_is_not_in_the_released_week_is_not_at_risk_against_hand() -> None:
    risks: Any = SimpleNamespace(
        accuracy=np.array([0.5, 0.5, 0.5, 0.6, 0.7, 0.9]),
        n_trips=np.array([0, 0, 0, 1, 4, 9]),
        claimed_bound=0.66,
        share_above_claim=2 / 6,
        n_alone=0,
    )
    said = risks_finding(risks)
    assert said.startswith(
        "Of 3 people judged who have a trip in the released period, 2 (66.7%) are guessed right more often than the claimed 66.0%"
    )
    assert "The other 3 of 6 people judged have no trip in it" in said
    assert median_risk(risks) == 0.7
    assert (
        spread_of_risks(risks)
        == " Of those with a trip, half are guessed right in 70.0% of cases or more, the most exposed in 90.0%."
    )


def test_of_one_person_there_is_no_half_against_hand() -> None:
    risks: Any = SimpleNamespace(accuracy=np.array([0.5, 0.53]), n_trips=np.array([0, 2]))
    assert spread_of_risks(risks) == " That person is guessed right in 53.0% of cases."
    nearly: Any = SimpleNamespace(accuracy=np.array([0.99996]), n_trips=np.array([40]))
    assert spread_of_risks(nearly) == " That person is guessed right in more than 99.9% of cases."
    assert spread_of_risks(SimpleNamespace(accuracy=np.array([0.5]), n_trips=np.array([0]))) == ""  # type: ignore[arg-type]


def test_a_useless_release_is_not_the_best_of_an_infeasible_plan() -> None:
    request = PlanRequest(max_accuracy=0.55, min_utility=0.8)
    useless = PlanPoint(
        epsilon=0.015,
        max_trips_per_user=1,
        threshold=100_000,
        accuracy=0.501,
        utility=0.0,
        clipped=0.9,
        made_up=0.0,
    )
    advice = advice_from_points((useless, replace(useless, epsilon=5.0, accuracy=0.9, utility=0.85)), request)
    assert advice.best_allowed is None
    assert "nothing useful is left" in advice.statement


def test_the_only_target_who_is_not_there_is_spoken_of_as_one() -> None:
    result = seen_from_result(game_of(np.nan))
    told = groups_words.finding([result], summaries_from_result(result)[:1])
    assert (
        told
        == "In groups of 5, the only target is not seen in the released period: nobody is there to be found."
    )


def test_of_several_games_the_one_with_most_unseen_is_told() -> None:
    results = [seen_from_result(game_of(1.0, 0.5)), seen_from_result(game_of(1.0, np.nan))]
    for both in (results, results[::-1]):
        assert unseen_words.who_are_seen(both) == " who are seen in the released period, 1 more is not"


def test_groups_of_two_sizes_are_compared_at_one_share_of_the_trace_known() -> None:
    """Four games: what differs between the two that are told is the size of the groups alone."""
    results = [
        replace(
            seen_from_result(game_of(1.0, 1.0)),
            parameters=GameParameters(group_size=size, targets=2, prior="zero-knowledge", known=known),
        )
        for size in (5, 50)
        for known in ("1", "0.1")
    ]
    told = groups_words.finding(results, [summaries_from_result(one)[0] for one in results])
    assert told.startswith("In groups of 5, 10% of the trace known, this attacker")
    assert ". In groups of 50, 10% of the trace known, this attacker" in told
    assert "the whole trace known" not in told
    told = groups_words.finding(results[:2], [summaries_from_result(one)[0] for one in results[:2]])
    assert told.startswith("In groups of 5, the whole trace known, this attacker")
    assert ". In groups of 5, 10% of the trace known, this attacker" in told
