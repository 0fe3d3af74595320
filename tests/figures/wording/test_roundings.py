"""How a number is rounded where it is said: a bound never down, what is expected never up, and the same number alike in every place. By hand."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from privlab.defaults import CLOSE
from privlab.dp.composing import WeeklyNoise
from privlab.dp.promise.statements import ceiling
from privlab.figures.planning.ledger import year_rows
from privlab.figures.planning.mechanisms import mechanisms_in_words, mechanisms_rows, no_mechanism_in_words
from privlab.figures.risks.pipeline_words import _seen
from privlab.figures.risks.risk_words import limit_of_one_trip
from privlab.figures.wording.findings import attack_finding, claim_finding, people_finding
from privlab.figures.wording.outlook_words import close_in_words
from privlab.lab.judging import Accepted, verdict_from_promise
from privlab.lab.reporting.report_summary import summary_from_parts
from privlab.od.attack import AttackParameters, attack_curve_from_parameters
from privlab.od.combining.combinations import Combination
from privlab.od.expecting import ReleaseOutlook
from privlab.od.planning import PlanRequest
from privlab.od.planning.wishes_and_points import use_words
from privlab.od.releases.release_plan import SecureReleaseParameters
from privlab.od.simulating import ReleaseParameters
from privlab.od.usefulness.published_use import PublishedUse
from privlab.reports.documents import ReportPart
from privlab.seeds import generator
from privlab.stats import percent_at_least, percent_at_most
from privlab.ui.attack.attack_page import curve_in_words

# e^2.2/(1 + e^2.2) = 0.900249…: 90.0 to the nearest tenth, so that "at most 90.0" is not true.
STRONG = 2.2


def curve(epsilon: float) -> Any:
    return attack_curve_from_parameters(
        AttackParameters(epsilon=epsilon, repetitions=0), generator(1, "attack games")
    )


def test_the_claim_of_one_trip_is_never_rounded_down_and_reads_alike_everywhere() -> None:
    release = ReleaseParameters(epsilon=STRONG, max_trips_per_user=None)
    strong = curve(STRONG)
    assert float(expit(STRONG)) > 0.9002
    assert ceiling(float(expit(STRONG))) == "in at most 90.1% of cases"
    assert "at most 90.1." in attack_finding(strong, release, 1, None)
    assert "at most 90.1 times in 100" in claim_finding(strong)
    assert "claimed bound of 90.1%" in curve_in_words(strong, None)
    # Noise leaves some doubt, however many trips there are.
    assert "rises from 50% to > 99.9% at" in curve_in_words(strong, None)
    assert "the 90.1 times in 100 that ε = 2.2 claims" in people_finding(np.array([3, 1]), 2, 0.5, release)
    assert limit_of_one_trip(float(expit(STRONG))).startswith("90.1%")
    assert verdict_from_promise(STRONG, 0.0, Accepted()).reason.startswith(
        "Whoever knows all else and has no idea beforehand becomes at most 90.1%"
    )


@pytest.mark.parametrize("epsilon", [0.01, 0.05, 0.3, 0.66, 1.0, STRONG, 3.0, 5.0])
@pytest.mark.parametrize("k", [1, 2, 3, 20])
def test_what_is_reached_and_what_is_claimed_read_in_their_order(epsilon: float, k: int) -> None:
    """What a sentence says is more than the claim reads as more, and what it says is within reads as no more."""
    at = curve(epsilon)
    said = attack_finding(at, ReleaseParameters(epsilon=epsilon, max_trips_per_user=None), k, None)
    reached, claim = said.partition("right **")[2].partition(" times")[0], said.partition("at most ")[2]
    one = 100.0 if reached == "almost 100" else float(reached)
    other = float(claim.partition(" ")[0].rstrip("."))
    above = float(at.optimal[k]) > at.claimed_bound + 1e-12
    assert one > other if above else one <= other
    assert other >= 100 * float(expit(epsilon)) - 1e-9


def _step(within: float) -> Combination:
    return Combination(
        name="integer", parameters=SecureReleaseParameters(epsilon=1.0, max_trips_per_user=3, threshold=1), within=within,
        rmse=20, made_up_share=0, noise_deviation=0,
    )  # fmt: skip


def test_what_is_expected_near_the_truth_is_never_rounded_up_and_reads_alike_everywhere() -> None:
    """59.96% does not keep a wish of 60%: nowhere does it read as 60."""
    near = 0.5996
    week = WeeklyNoise(
        noise="integer", adding="sum", epsilon=1.0, deviation=10.0, total_epsilon=2.0, delta=1e-6, weeks=2, max_trips_per_user=3
    )  # fmt: skip
    outlook = ReleaseOutlook(
        threshold=5, complete=False, n_true_flows=10, published=9.0, made_up=0.0, true_trips=100, published_trips=99.0,
        largest_true=50, half_width=3, weeks_without_trips=(), counted_trips=100.0, n_weeks=1, close_trips=100 * near,
    )  # fmt: skip
    assert use_words(near) == "59.9%"
    assert mechanisms_rows([_step(near)])[0][f"within {CLOSE:.0%}"] == "59.9%"
    assert "leaves 59.9% of all trips" in mechanisms_in_words([_step(near)])
    assert year_rows([week], [near])[0][f"trips within {CLOSE:.0%}"] == "59.9%"
    assert "59.9% lie in" in close_in_words(outlook)


def test_what_an_audit_finds_at_least_and_what_is_promised_at_most_by_hand() -> None:
    test: Any = SimpleNamespace(kind="answers", found=0.5279, most=0.5642)
    assert (
        _seen(test)
        == "is right at least 52.7% of the time, where 56.5% is the most that is promised (a coin: 50%)"
    )


def test_a_wish_reads_as_it_was_given() -> None:
    assert "No ε leaves 65.5% of all trips" in no_mechanism_in_words(0.655, max_made_up=0.1)


def test_what_misses_a_wish_does_not_read_as_the_wish() -> None:
    """Of 79.8% wished are 80: both are 80 to the nearest whole."""
    use = PublishedUse(
        week="2026-03-02", kept=100, lost=0, made_up=0, share_kept=1.0, share_close=0.798, tolerance=0.125, error=1.0, common_part=0.9
    )  # fmt: skip
    wish = PlanRequest(max_accuracy=0.6, min_utility=0.8)
    part = ReportPart(title="T", sentence="", caption="", discloses=True, facts=([use], wish))
    said = summary_from_parts([part])[0].sentence
    assert said.startswith(
        "79.8% of all trips lie in flows published within 12.5% of the truth (wished were 80%)"
    )


@pytest.mark.parametrize("epsilon", [8.0, 10.0, 12.0])
def test_a_bound_near_all_says_less_than_all(epsilon: float) -> None:
    most = float(expit(epsilon))
    said = percent_at_most(most)
    assert said != "100.0%"
    assert 100 * most - 1e-9 <= float(said.rstrip("%")) < 100


def test_nobody_is_told_to_become_at_most_all_certain() -> None:
    assert (
        verdict_from_promise(50.0, 0.0, Accepted()).reason
        == "Whoever knows all else and has no idea beforehand may become certain of anyone."
    )


def test_what_is_above_zero_does_not_read_as_zero() -> None:
    assert (percent_at_most(1e-29), percent_at_most(0.0)) == ("0.1%", "0.0%")
    assert (percent_at_least(0.0004), percent_at_least(0.0), percent_at_least(0.00104)) == (
        "below 0.1%",
        "0.0%",
        "0.1%",
    )
