"""The guarantee page: its figures against closed forms, and what it says where nothing can be promised."""

import math
import re
from decimal import ROUND_CEILING, Decimal

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from privlab.od.risks.person_risks import Exposure
from privlab.stats import percent_at_most
from privlab.ui.guarantee.exposure_view import _exposed_row
from privlab.ui.state import sample_job
from tests.command_line import Answer
from tests.pages.test_all_pages import SAMPLES, finding, opened


@pytest.fixture(scope="module", autouse=True)
def _samples_ready():
    for name in SAMPLES:
        sample_job(name).result(timeout=900)


def units(at: AppTest) -> dict[str, dict[str, str]]:
    rows = at.table[0].value.to_dict("records")
    return {row["unit"].split(":")[0]: row for row in rows}


def proven(epsilon: float) -> str:
    return f"{math.ceil(1e3 / (1 + math.exp(-epsilon))) / 10:.1f}%"  # a bound is not rounded down


def test_without_a_bound_a_person_is_promised_nothing() -> None:
    at = opened("guarantee", data="city", epsilon="0.66")
    assert "not a person" in finding(at)
    told = units(at)
    assert told["trip"]["ε"] == "0.66"
    assert told["trip"]["unit"] == "trip: one unique trip"  # nothing is counted in its place
    assert told["trip"]["proven"] == proven(0.66)
    # One cell of Laplace noise, by hand: 1 − ½e^{−ε/2} = 64.05%, as a bound never rounded down, and written as above the table.
    assert told["trip"]["best attack"] == f"{math.ceil(1e3 - 5e2 * math.exp(-0.33)) / 10}%" == "64.1%"
    assert "64.1%" in finding(at)
    assert told["user"]["ε"] == "none without a bound"
    assert told["user"]["best attack"] == told["user"]["proven"] == "no limit"
    assert any("A person is promised nothing" in element.value for element in at.code)


def test_with_a_bound_the_weeks_add_up_against_theory() -> None:
    at = opened("guarantee", data="city", epsilon="0.66", bound="10", releases="3")
    told = units(at)
    assert [told[unit]["ε"] for unit in ("trip", "user-week", "user")] == ["0.066", "0.66", "1.98"]
    # Of two trips and a limit of one, one trip may lose ln(1 + ½(e^{2ε} − 1)), more than ε: what is said is of someone's only trip.
    assert told["trip"]["unit"] == "trip: someone's only unique trip"
    assert any("One trip of someone with others may lose more" in one.value for one in at.caption)
    assert told["user-week"]["proven"] == proven(0.66)
    assert told["user"]["proven"] == proven(1.98)
    assert {told[unit]["δ"] for unit in told} == {"0"}
    assert "Over 3 weeks" in finding(at)
    # 30 cells of loss 0.066 hold 1.98 at most, less than the log odds of 95%, ln 19 = 2.94: σ(0.66) and σ(1.98).
    assert "is never more than 66% certain" in finding(at)
    assert "is never more than 87.9% certain" in finding(at)
    assert {told[unit]["more than 95% certain"] for unit in told} == {"0.0%"}


def rounded_up(log10: float) -> str:
    """Return a δ with two digits that is not below it, by decimal arithmetic."""
    exact = Decimal(10) ** Decimal(log10)
    digits, exponent = exact.scaleb(-exact.adjusted()), exact.adjusted()
    digits = digits.quantize(Decimal("0.1"), ROUND_CEILING)
    if exponent >= -2:  # a plain number
        return f"{digits.scaleb(exponent).normalize():f}"
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{digits}·10{raised}".replace(".0·", "·")


def test_discovered_cells_cost_a_delta_against_theory() -> None:
    at = opened(
        "guarantee", data="city", epsilon="1", bound="10", threshold="50", noise="integer", cells="discovered"
    )
    a = math.exp(-0.1)
    one = math.log10(a**49 / (1 + a))
    assert units(at)["trip"]["δ"] == rounded_up(one)
    assert units(at)["user-week"]["δ"] == rounded_up(one + 1)


def test_people_are_judged_and_no_one_is_named() -> None:
    at = opened("guarantee", data="city", epsilon="0.66")
    sentence = next(element.value for element in at.markdown if "people judged" in element.value)
    assert re.match(r"Of \d+ people judged", sentence)
    assert "the first of 200,000 in random order" in sentence
    exposed = at.dataframe[0].value
    assert list(exposed["person"]) == list(range(1, 11))
    shown = [float(text.rstrip("%")) for text in exposed["guessed right in (a coin: 50%)"]]
    assert shown == sorted(shown, reverse=True)
    # With as many digits as the sentences and the numbers beside the figure have.
    tenths = re.compile(r"\d+\.\d%").fullmatch
    assert all(map(tenths, [*exposed["guessed right in (a coin: 50%)"], *exposed["by that flow alone"]]))
    metrics = {element.label: element.value for element in at.metric}
    # Rounded to a tenth of a per cent; the best attack is never above what is proven.
    assert float(metrics["highest"].rstrip("%")) <= float(metrics["proven for that person"].strip("> %"))


def test_nobody_is_said_to_be_guessed_right_in_all_cases_issue_16() -> None:
    """Noise leaves some doubt whatever ε is: above 0 for each trip, and so after all of a person's."""
    at = opened("guarantee", data="city", epsilon="5")
    metrics = {element.label: element.value for element in at.metric}
    assert metrics["median"] == metrics["highest"] == metrics["proven for that person"] == "> 99.9%"
    assert set(at.dataframe[0].value["guessed right in (a coin: 50%)"]) == {"> 99.9%"}


def test_under_a_limit_the_most_exposed_are_alike_and_that_is_said_once() -> None:
    at = opened("guarantee", data="city", epsilon="0.66", bound="10")
    (said,) = [one.value for one in at.markdown if "most exposed are alike" in one.value]
    assert said.startswith(
        "The 10 most exposed are alike: each has 10 counted trips and is guessed right in 54."
    )
    assert not [one for one in at.dataframe if "person" in one.value]
    (proven_for_one,) = [one.value for one in at.metric if one.label == "proven for that person"]
    assert (
        proven_for_one == proven(0.66) == "66.0%"
    )  # ten trips of ε/10: 65.93%, a bound that is not rounded down


def test_a_bound_takes_everybody_below_the_claim() -> None:
    at = opened("guarantee", data="city", epsilon="0.66", bound="10")
    sentence = next(element.value for element in at.markdown if "people judged" in element.value)
    assert re.match(r"Of \d+ people judged[a-z ]*, 0 \(0\.0%\)", sentence)


def test_percentages_are_never_rounded_down() -> None:
    drawn = np.random.default_rng(1).random(500)
    for value in drawn:
        assert float(percent_at_most(value).rstrip(" %")) / 100 >= value - 1e-9


def test_what_speaks_to_experts_alone_is_folded_away_issue_17() -> None:
    at = opened("guarantee", data="city", epsilon="0.5", bound="10")
    fold = next(one for one in at.expander if one.label.startswith("For experts"))
    (table,) = fold.table
    assert list(table.value.columns) == ["unit", "ε by losses"]
    assert "ε by losses" not in at.table[0].value.columns
    assert "What this noise protects: a trip, a week, a person" in [one.value for one in at.subheader]


def test_the_sentence_to_copy_is_of_a_release_for_good_whatever_is_simulated_issue_17() -> None:
    """Integer noise of scale 3/ε: each of three cells says “in” with p = 1/(1 + e^{−ε/3}), most of them with p²(3 − 2p) = 58.18%."""
    p = 1 / (1 + math.exp(-0.66 / 3))
    said = f"{math.ceil(1000 * p**2 * (3 - 2 * p)) / 10}%"
    at = opened("guarantee", data="city", epsilon="0.66", bound="3")  # the noise on the left is laplace
    assert f"guesses right in at most {said}" in at.code[0].value
    assert any(f"at most {said} of cases" in one.value for one in at.caption)
    assert said not in at.table[0].value.to_string()


def test_certainty_in_all_cases_is_called_no_protection_issue_17() -> None:
    """One cell of Laplace noise at ε = 20: 1 − ½e^{−10} is 99.998%, more than any digit shown tells."""
    at = opened("guarantee", data="city", epsilon="20", bound="1", threshold="20")
    assert "guesses right almost always (no protection)" in at.code[0].value
    assert "as good as all" not in at.code[0].value


def test_gaussian_noise_has_its_promise_and_its_risks_as_the_command_says_issue_18(answer: Answer) -> None:
    at = opened("guarantee", data="city", epsilon="0.5", guarantee_gaussian="true")
    assert "promises nothing without a limit" in at.warning[0].value
    assert "what follows of people is of Laplace noise" in at.warning[0].value
    at.button(key="bound_for_gaussian").click().run()
    assert not at.warning
    said = answer(
        "guarantee", "--epsilon", "0.5", "--max-trips-per-user", "10", "--noise", "gaussian", "--weeks", "1",
        "--threshold", "100", "--json",
    )  # fmt: skip
    assert at.code[0].value == said["statement"]
    assert "no flow of theirs is suppressed" in "".join(one.value for one in at.markdown)
    assert any(
        "without it the others of whoever has more than the limit weigh more" in one.value
        for one in at.caption
    )
    at.number_input(key="releases").set_value(52).run()
    of_a_year = answer(
        "guarantee",
        "--epsilon",
        "0.5",
        "--max-trips-per-user",
        "10",
        "--noise",
        "gaussian",
        "--weeks",
        "52",
        "--json",
    )["guarantees"]["user"]
    assert any(
        f"ε = {of_a_year['epsilon']:.4g} adds up the weeks one by one. By the exact loss of all 52 weeks together it is "
        f"{of_a_year['epsilon_by_losses']:.4g} at the same δ" in one.value
        for one in at.caption
    )
    at.number_input(key="releases").set_value(1).run()
    # Nobody is above what a person is promised.
    highest = next(float(one.value.strip("%")) / 100 for one in at.metric if one.label == "highest")
    assert 0.5 < highest <= said["guarantees"]["user-week"]["optimal_accuracy"] + 5e-4
    at.segmented_control(key="release_cells").set_value("discovered").run()
    assert not at.exception
    assert not at.warning
    found = answer(
        "guarantee", "--epsilon", "0.5", "--max-trips-per-user", "10", "--noise", "gaussian", "--weeks", "1",
        "--threshold", "100", "--cells", "discovered", "--json",
    )  # fmt: skip
    assert at.code[0].value == found["statement"] != said["statement"]


def test_where_all_flows_tell_as_much_none_is_named() -> None:
    """Whoever deletes one of 38 equal flows gains nothing; one that tells more is named."""

    def shown(*alone: float) -> object:
        n = len(alone)
        exposure = Exposure(
            person=0,
            accuracy=0.9,
            week=np.zeros(n, int),
            flow=np.arange(1, n + 1),
            others=np.full(n, 7),
            alone=np.array(alone),
        )
        return _exposed_row(1, exposure, ("A", "B", "C"), 3, n)["most telling flow"]

    assert shown(0.6405, 0.6405, 0.5) == "no single one: their number tells"
    assert shown(0.6405, 0.62) == shown(0.6405) == "A → B"


def test_no_control_below_moves_when_a_limit_of_one_trip_leaves_sentences_out() -> None:
    """Under a limit of one trip less is said above; the controls of the audits keep their place, which every run of a page here holds."""
    at = opened("guarantee", data="commuters", epsilon="0.3", bound="500", pipeline_level="95")
    said = len(at.caption) + len(at.markdown)
    at.number_input(key="bound_box").set_value(1).run()
    assert len(at.caption) + len(at.markdown) < said
    assert at.button_group(key="pipeline_level").value == "95"


def test_the_audit_begins_with_the_noise_of_the_plan() -> None:
    at = opened("guarantee", data="commuters", epsilon="1", bound="5")
    assert at.button_group(key="audited").value == ["opendp-integer"]
    at = opened("guarantee", data="commuters", epsilon="1", bound="5", mechanism="Gaussian noise")
    assert at.button_group(key="audited").value == ["gaussian"]
