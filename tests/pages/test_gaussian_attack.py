"""The page Attack with Gaussian noise: what weeks of releases and a threshold come to, against the normal law and the commands."""

import math
from itertools import pairwise
from statistics import NormalDist

import pytest
from streamlit.testing.v1 import AppTest

from privlab.dp.gaussian import GaussianParameters
from privlab.ui.state import sample_job
from tests.command_line import Answer
from tests.pages.test_all_pages import finding, opened, until
from tests.pages.test_sources import load

PHI = NormalDist().cdf


@pytest.fixture(scope="module", autouse=True)
def _city_ready() -> None:
    sample_job("city").result(timeout=900)


def on_attack(**address: str) -> AppTest:
    at = opened(
        "attack", **{"data": "city", "bound": "10", "attack_gaussian": "true", "games": "none", **address}
    )
    assert not at.exception
    return at


def told(at: AppTest) -> dict[str, str]:
    return {one.label: one.value for one in at.metric}


def said(at: AppTest) -> str:
    return " ".join(one.value for one in [*at.caption, *at.info])


def percent(value: str) -> float:
    return float(value.rstrip("%")) / 100


def right_in_one_cell(others: int, threshold: int, deviation: float) -> float:
    """Return how often the best attack is right about someone in one cell: every whole count from the threshold on, and none, by the normal law."""
    ends = [threshold - 0.5 + j for j in range(int(20 * deviation) + others)]
    chances = []
    for mean in (others + 1, others):
        law = [PHI((one - mean) / deviation) for one in ends]
        chances.append([law[0], *(b - a for a, b in pairwise(law)), 1 - law[-1]])
    return 0.5 + 0.25 * sum(abs(one - other) for one, other in zip(*chances, strict=True))


@pytest.mark.parametrize("weeks", [1, 52])
def test_weeks_of_releases_against_the_normal_law_and_the_command(weeks: int, answer: Answer) -> None:
    """Twelve trips under a limit of ten weigh ⌊1024·√(10/12)⌋/1024 each; over W weeks the loss is normal: variance s² = W·Σa²/σ² mean ±s²/2."""
    at = on_attack(epsilon="0.66", k="12", weeks=str(weeks))
    named = f"{weeks} week" + "s" * (weeks > 1)
    right = percent(told(at)[f"guessed right after {named}, k = 12 (a coin: 50%)"])
    sure = told(at)[f"more than 95% certain after {named}, someone who is in"]
    sigma = GaussianParameters(epsilon=0.66, delta=1e-6, max_trips_per_user=10).sigma
    s = math.floor(1024 * math.sqrt(10 / 12)) * math.sqrt(12 * weeks) / sigma
    assert right == pytest.approx(PHI(s / 2), abs=1e-4)
    is_sure, is_wrong = (PHI((sign * s * s / 2 - math.log(19)) / s) for sign in (1, -1))
    found = answer(
        "certainty", "--noise", "gaussian", "--epsilon", "0.66", "--max-trips-per-user", "10", "--trips", "12", "--weeks", str(weeks),
        "--above", "0.95", "--json",
    )  # fmt: skip
    assert f"{found['accuracy']:.2%}" == f"{right:.2%}"
    if weeks == 1:
        assert sure == "< 0.01%"  # 10⁻⁷⁴, and never 0
        assert "in fewer than 0.1 of 100 in which the person is not, just as certain, and wrong" in said(at)
        assert "The ε of the week is promised to everyone" in said(at)
        return
    assert percent(sure) == pytest.approx(is_sure, abs=1e-4)
    assert f"{found['in_above']:.2%}" == sure
    assert (round(100 * right), round(100 * is_sure, 1), is_wrong < 0.001) == (72, 2.5, True)
    assert (
        "About someone with 12 unique trips in each of 52 weekly releases, all of them published, the best attack is right in 72 of 100 cases "
        "(a coin: 50). In 2.5 of 100 cases in which the person is in, it ends more than 95% certain of it; in fewer than 0.1 of 100"
        in said(at)
    )


def test_words_of_other_noise_are_not_said_of_this_one() -> None:
    at = on_attack(epsilon="0.66", k="12", bound="1")
    text = " ".join(one.value for one in at.markdown)
    assert "A δ beside ε does not help" not in text
    assert (
        "All trips count, with less weight for whoever makes more than 1 unique trip: the counts cannot tell."
        in text
    )
    assert "whoever makes more than 1 trip in the week" in said(at)


def test_without_a_limit_it_is_said_which_noise_the_page_is_of() -> None:
    at = opened("attack", data="city", attack_gaussian="true", noise="integer", games="none")
    assert "Until then this page is of integer noise." in at.warning[0].value


def test_nobody_without_a_trip_is_found_in_any_week_by_hand() -> None:
    at = on_attack(k="0")
    assert told(at)["guessed right after 52 weeks, k = 0 (a coin: 50%)"] == "50.00%"
    assert told(at)["more than 95% certain after 52 weeks, someone who is in"] == "0.00%"


@pytest.mark.parametrize("others", [0, 15, 19, 20, 300])
def test_one_flow_beside_the_threshold_against_every_outcome_by_the_normal_law(others: int) -> None:
    at = on_attack(epsilon="2", threshold="20", cells=str(others))
    deviation = GaussianParameters(epsilon=2, delta=1e-6, max_trips_per_user=10).sigma / 1024
    shown, bare = (
        percent(told(at)[f"guessed right (a coin: 50%), {what}"])
        for what in ("counts below 20 suppressed", "nothing suppressed")
    )
    assert shown == pytest.approx(right_in_one_cell(others, 20, deviation), abs=1e-4)
    assert bare == pytest.approx(PHI(1 / (2 * deviation)), abs=1e-4)


ASKED = ("--noise", "gaussian", "--epsilon", "1", "--max-trips-per-user", "10", "--threshold", "100")


def test_a_target_in_several_flows_is_attacked_as_by_the_command(answer: Answer) -> None:
    at = on_attack(epsilon="1", threshold="100")
    asked = (*ASKED, "--json")
    found = answer("cell-attack", "--counts", "1000,99,95,40", *asked)["optimal"]
    assert told(at)["guessed right (a coin: 50%), counts below 100 suppressed"] == f"{found:.2%}"
    assert "noisy count in whole trips from 100 on, or nothing" in said(at)
    assert "whoever makes more than 10 trips in the week adds less than 1" in said(at)
    # Twelve flows under a limit of ten: all count, with less weight; Laplace noise would leave two out.
    at.text_input(key="cells").set_value(", ".join(["99"] * 12)).run()
    found = answer("cell-attack", "--counts", ",".join(["99"] * 12), *asked)["optimal"]
    assert told(at)["guessed right (a coin: 50%), counts below 100 suppressed"] == f"{found:.2%}"
    assert [one.value for one in at.info] == [
        "All 12 trips are counted, more than the limit of 10: each as 0.91 of one."  # √(10/12) = 0.913
    ]


def test_nothing_is_hidden_by_no_threshold_and_what_is_written_wrong_is_said_iv() -> None:
    at = on_attack(epsilon="1", threshold="0")
    assert "The threshold is 0: every noisy count is published, and nothing is hidden." in said(at)
    assert [label for label in told(at) if "suppressed" in label] == [
        "guessed right (a coin: 50%), nothing suppressed"
    ]
    at.text_input(key="cells").set_value("10, many").run()
    assert [one.value for one in at.error] == [
        "counts must be whole numbers separated by commas, got '10, many'."
    ]
    at.text_input(key="cells").set_value("-3").run()
    assert not at.exception


def test_with_a_total_the_figures_are_of_it_and_with_districts_or_found_flows_it_is_said_what_is_not_worked_out(
    answer: Answer,
) -> None:
    at = on_attack(epsilon="1", threshold="100", mechanism="Gaussian noise and a total")
    asked = (*ASKED, "--unbiased", "--json")
    found = answer("cell-attack", "--counts", "1000,99,95,40", *asked)["optimal"]
    assert told(at)["guessed right (a coin: 50%), counts below 100 suppressed"] == f"{found:.2%}"
    assert "The noisy total is seen as well." in said(at)
    at = on_attack(epsilon="1", threshold="100", mechanism="Gaussian noise, a total and sums of districts")
    assert "With sums of districts it is not worked out what the threshold hides" in said(at)
    assert [label for label in told(at) if "suppressed" in label] == [
        "guessed right (a coin: 50%), nothing suppressed"
    ]
    at = on_attack(epsilon="1", threshold="100", mechanism="Gaussian noise", release_cells="discovered")
    assert "is worked out where all possible flows are considered" in said(at)
    assert not [label for label in told(at) if "suppressed" in label]
    assert "which others make too, all of them published" in said(at)


def test_weeks_of_integer_noise_are_those_of_the_science_and_of_noise_per_trip_all_but_sure() -> None:
    """L = 10 at ε = 0.66 over 52 weeks is 520 cells of 0.066: 0.110828 (docs/science.md, 2.5)."""
    limited = on_attack(attack_gaussian="false", noise="integer", k="12")
    assert told(limited)["more than 95% certain after 52 weeks, someone who is in"] == "11.08%"
    assert "The ε of all 52 weeks is promised to everyone" in said(limited)
    per_trip = on_attack(attack_gaussian="false", bound="no bound", k="12")
    assert told(per_trip)["guessed right after 52 weeks, k = 12 (a coin: 50%)"] == "> 99.99%"
    assert "is promised to everyone" not in said(per_trip)


def test_of_flows_found_in_the_data_alone_the_attack_says_what_it_leaves_out() -> None:
    """Trips between ids that no zone file lists: noise goes to flows that are there, and Publish refuses their δ."""
    at = opened("data", bound="10", threshold="1", epsilon="1", attack_gaussian="true")
    rows = "".join(f"u{n},2026-03-02 {8 + n % 9:02d}:10,{n % 4 + 1},{(n + 1) % 4 + 1}\n" for n in range(40))
    at.file_uploader(key="upload").upload("trips.csv", f"user,time,origin,destination\n{rows}".encode()).run()
    load(at)
    at.switch_page("../../pages/attack.py").run()
    until(at, lambda one: any(said.value.startswith("## ") for said in one.markdown))
    assert "holds where all possible flows get noise" in finding(at)
    assert any("whoever is alone in a flow shows by its being there" in one.value for one in at.warning)
    assert "See what is promised then, and with what δ" in {one.proto.label for one in at.get("page_link")}
    at = opened("attack", bound="10", threshold="1", epsilon="1")
    until(at, lambda one: any(said.value.startswith("## ") for said in one.markdown))
    assert not any("alone in a flow" in one.value for one in at.warning)
