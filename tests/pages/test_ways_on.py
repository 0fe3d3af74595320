"""No dead end: each refusal of a page says what to do, and has a button or a link that does it."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from privlab.releases.ledger.ledger import LEDGER_VARIABLE, Ledger
from privlab.ui.state import sample_job
from tests.counts_data import BY_HAND
from tests.pages.test_all_pages import finding, opened, until
from tests.pages.test_counts import opened_on, prepared_of
from tests.pages.test_publish import CITY_WEEK, make_button


@pytest.fixture(scope="module", autouse=True)
def _samples_ready() -> None:
    for name in ("city", "subscribers", "cabs"):
        sample_job(name).result(timeout=900)


@pytest.fixture(autouse=True)
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setenv(LEDGER_VARIABLE, str(tmp_path / "ledger.sqlite"))
    return Ledger(tmp_path / "ledger.sqlite")


def ways(at: AppTest) -> dict[str, str]:
    """Return where the links between the strip and the next step lead."""
    return {link.proto.label: link.proto.page for link in at.get("page_link")[4:-1]}


def keys(at: AppTest) -> set[str]:
    return {button.key or "" for button in at.button}


def test_publish_without_a_bound_offers_a_plan_and_leads_to_the_release_issue_17() -> None:
    at = until(opened("publish", data="city"), lambda at: "take_offer" in keys(at))
    assert "take a plan" in at.warning[0].value
    assert ways(at)["Wish for something else on the page Plan"] == "plan"
    at.button(key="take_offer").click().run()
    assert not at.warning
    assert at.session_state["release"].max_trips_per_user is not None
    at.button(key="name_week").click().run()
    assert at.multiselect(key="publish_weeks").value == [CITY_WEEK]
    assert not make_button(at).disabled
    assert not at.exception


def test_a_plan_that_is_offered_is_the_one_of_the_page_plan_issue_17() -> None:
    """The wishes go along: with more of use asked for, Publish offers another release than before."""
    at = until(opened("plan", data="city", min_utility="60"), lambda at: "use_plan" in keys(at))
    advised = finding(at).removeprefix("## ")
    at = until(at.switch_page("../../pages/publish.py").run(), lambda at: "take_offer" in keys(at))
    assert advised in [one.value for one in at.markdown]


def test_a_release_beyond_the_budget_offers_an_epsilon_within_it_issue_17(book: Ledger) -> None:
    city = sample_job("city").result(timeout=900)
    book.set_budget(city.source_digest, epsilon=0.3, delta=0.0)
    at = opened("publish", data="city", epsilon="0.5", bound="10")
    at.multiselect(key="publish_weeks").set_value([CITY_WEEK]).run()
    assert "The budget does not suffice" in at.error[0].value
    at.button(key="fit_budget").click().run()
    assert at.select_slider(key="epsilon").value == "0.3"  # one week: all that is left
    assert not at.error
    assert not make_button(at).disabled


def test_a_budget_without_delta_says_so_and_leads_to_integer_noise_or_to_a_delta(book: Ledger) -> None:
    city = sample_job("city").result(timeout=900)
    book.set_budget(city.source_digest, epsilon=20, delta=0.0)  # as the command line does without --delta
    at = opened("publish", data="city", epsilon="0.5", bound="10", publish_noise="gaussian")
    at.multiselect(key="publish_weeks").set_value([CITY_WEEK]).run()
    # Gaussian noise has a δ of 10⁻⁶ in each week, and ε is not what is missing.
    assert at.error[0].value.startswith(
        "The budget does not suffice: it allows no δ, and this release needs 10⁻⁶."
    )
    assert not any(word in at.error[0].value for word in ("smaller ε", "delta", "1e-06"))
    assert "fit_budget" not in keys(at)
    assert make_button(at).disabled
    assert {one.label: one.value for one in at.metric}["δ left"] == "0"
    at.button(key="take_integer").click().run()
    assert at.segmented_control(key="publish_noise").value == "integer"
    assert not at.error
    assert not make_button(at).disabled
    at.segmented_control(key="publish_noise").set_value("gaussian").run()
    at.button(key="more_budget_delta").click().run()
    now = book.account(city.source_digest)
    assert (now.budget_epsilon, now.budget_delta, now.adding) == (20, 1e-4, "sum")
    assert {one.label: one.value for one in at.metric}["δ left"] == "10⁻⁴"
    assert at.number_input(key="budget_delta").value == 1e-4  # which the form would set
    assert not at.error
    assert not make_button(at).disabled
    assert not at.exception


def test_a_budget_set_on_the_page_has_room_for_gaussian_noise_and_says_what_is_left(book: Ledger) -> None:
    city = sample_job("city").result(timeout=900)
    book.reserve_budget(city.source_digest, epsilon=1, delta=1e-6, what="")
    at = opened("publish", data="city", epsilon="0.5", bound="10", publish_noise="gaussian")
    at.multiselect(key="publish_weeks").set_value([CITY_WEEK]).run()
    at.number_input(key="budget_epsilon").set_value(20.0)
    at.button(key="set_budget").click().run()
    assert book.account(city.source_digest).budget_delta == 1e-4
    left = {one.label: one.value for one in at.metric}
    assert (left["ε left"], left["δ left"]) == ("19", "9.9·10⁻⁵")  # 10⁻⁴ - 10⁻⁶
    assert not at.error


def test_a_year_ahead_is_taken_as_the_budget_and_written_once(book: Ledger) -> None:
    at = until(opened("plan", data="city", year_epsilon="3"), lambda one: "take_year_budget" in keys(one))
    at.button(key="take_year_budget").click().run()
    assert ways(at)["Set it on Publish"] == "publish"
    at.switch_page("../../pages/publish.py").run()
    assert (at.number_input(key="budget_epsilon").value, at.number_input(key="budget_delta").value) == (
        3,
        1e-6,
    )
    at.button(key="set_budget").click().run()
    digest = sample_job("city").result(timeout=900).source_digest
    now = book.account(digest)
    assert (now.budget_epsilon, now.budget_delta, now.adding) == (3, 1e-6, "concentrated")
    at.button(key="set_budget").click().run()  # as whoever pressed Enter before
    assert len(book.account(digest).budget_changes) == 1
    assert [one.value for one in at.info if "the budget already" in one.value]
    assert not at.exception


def test_where_a_year_leaves_nothing_useful_no_budget_is_offered(book: Ledger) -> None:
    at = until(
        opened("plan", data="commuters", year_epsilon="3"),
        lambda one: any("ε of one week" in table.value for table in one.table),
    )
    assert any("Nothing useful is left in any week" in one.value for one in at.markdown)
    assert "take_year_budget" not in keys(at)
    assert not at.exception


def test_the_form_of_a_budget_shows_that_of_the_data_though_another_was_typed_before(book: Ledger) -> None:
    cabs = sample_job("cabs").result(timeout=900)
    at = opened("publish", data="city", epsilon="0.5", bound="10")
    at.number_input(key="budget_epsilon").set_value(20.0)
    at.button(key="set_budget").click().run()
    assert at.number_input(key="budget_epsilon").value == 20
    at.selectbox(key="data").set_value("cabs").run()
    assert at.number_input(key="budget_epsilon").value == 1  # none is set for it
    book.set_budget(cabs.source_digest, epsilon=3, delta=0, adding="sum")  # on the command line
    at.run()
    assert (at.number_input(key="budget_epsilon").value, at.number_input(key="budget_delta").value) == (3, 0)
    assert not at.exception


def test_a_budget_below_what_is_spent_says_that_nothing_more_can_be_released(book: Ledger) -> None:
    city = sample_job("city").result(timeout=900)
    book.reserve_budget(city.source_digest, epsilon=7.56, delta=0, what="")
    at = opened("publish", data="city", epsilon="0.5", bound="10")
    at.multiselect(key="publish_weeks").set_value([CITY_WEEK]).run()
    assert at.number_input(key="budget_epsilon").value == 8  # not below what is spent
    assert any(
        one.value.startswith("Spent so far, ε added to ε: ε = 7.56. A budget below that")
        for one in at.caption
    )
    assert any("tick above that the promises add up" in one.value for one in at.caption)
    at.number_input(key="budget_epsilon").set_value(5.0)
    at.button(key="set_budget").click().run()
    assert [one.value for one in at.info] == [
        "The budget of ε = 5 is less than what is spent, 7.56: nothing more can be released."
    ]
    assert "nothing is left of ε = 5 (ε = 7.56 is spent)" in at.error[0].value
    assert finding(at).endswith(
        "ε = 7.56 of 5. One more would make it 8.06, for which the budget has no room."
    )
    assert "smaller ε" not in at.error[0].value
    assert not any("tick above" in one.value for one in at.caption)
    assert "fit_budget" not in keys(at)
    assert make_button(at).disabled
    at.button(key="open_budget").click().run()
    assert next(one for one in at.expander if one.label == "Set a budget").proto.expanded
    at.number_input(key="budget_epsilon").set_value(9.0)
    at.button(key="set_budget").click().run()
    assert not at.error
    assert not at.info


def test_a_budget_in_rho_is_set_on_the_page_and_offers_what_fits_issue_18(book: Ledger) -> None:
    at = opened("publish", data="city", epsilon="1", bound="10")
    at.multiselect(key="publish_weeks").set_value([CITY_WEEK]).run()
    at.number_input(key="budget_epsilon").set_value(0.7)
    at.number_input(key="budget_delta").set_value(0.0)
    at.radio(key="budget_adding").set_value("concentrated")
    at.button(key="set_budget").click().run()
    assert "“and δ” must lie between 10⁻¹⁵ and 0.5" in at.error[0].value
    at.number_input(key="budget_delta").set_value(1e-6)
    at.button(key="set_budget").click().run()
    # ρ = 1²/(2·10) = 0.05 proves ε = 1.47 at δ = 10⁻⁶; without a δ of its own the release's ε = 1 is less.
    assert "come to 1 at" in at.error[0].value
    at.button(key="fit_budget").click().run()
    assert 0.6 < float(at.select_slider(key="epsilon").value) <= 0.7
    assert not at.error
    assert not make_button(at).disabled


def test_what_is_spent_of_a_budget_in_rho_is_said_in_what_the_budget_is_held_against(book: Ledger) -> None:
    """25 times ρ = 0.2²/(2·10) prove ε = 1.47 at δ = 10⁻⁶, as above: more than 1.2, and less than the sum, 5."""
    city = sample_job("city").result(timeout=900)
    parameters = {"epsilon": 0.2, "max_trips_per_user": 10, "threshold": 20, "cells": "public"}
    said = json.dumps({"parameters": parameters, "weeks": [CITY_WEEK], "zones": "column"})
    for _ in range(25):
        book.reserve_budget(city.source_digest, epsilon=0.2, delta=0, what=said)
    book.set_budget(city.source_digest, epsilon=1.2, delta=1e-6, adding="concentrated")
    at = opened("publish", data="city", epsilon="0.5", bound="10")
    at.multiselect(key="publish_weeks").set_value([CITY_WEEK]).run()
    assert "spent ε = 1.47" in finding(at)
    assert "of 1.2 at δ = 10⁻⁶. One more would make it 1.6" in finding(at)
    assert finding(at).endswith(", for which the budget has no room.")
    shown = {one.label: one.value for one in at.metric}
    assert (shown["ε spent of the budget"][:4], shown["ε added up"], shown["budget"]) == ("1.47", "5", "1.2")
    assert any("The budget of ε = 1.2 is less than what is spent, 1.47" in one.value for one in at.info)
    assert "(ε = 1.47" in at.error[0].value
    assert any("Held against the budget it is ε = 1.47" in one.value for one in at.caption)


def test_a_budget_in_rho_that_is_too_small_is_not_said_to_be_spent_where_nothing_was_released(
    book: Ledger,
) -> None:
    """Gaussian noise for ε = 0.01 at δ = 10⁻⁶ proves more than 0.01 by its ρ, at the same δ; integer noise needs no δ."""
    city = sample_job("city").result(timeout=900)
    book.set_budget(city.source_digest, epsilon=0.011, delta=1e-6, adding="concentrated")
    at = opened("publish", data="city", epsilon="0.5", bound="1", publish_noise="gaussian")
    at.multiselect(key="publish_weeks").set_value([CITY_WEEK]).run()
    assert {one.label: one.value for one in at.metric}["ε spent of the budget"] == "0"
    assert not any("spent" in one.value or "nothing" in one.value for one in [*at.error, *at.info])
    assert "Even the least ε, 0.01, with the other settings as they are is more" in at.error[0].value
    assert "open_budget" in keys(at)
    assert "fit_budget" not in keys(at)
    more = opened("publish", data="city", epsilon="0.5", bound="10")
    more.multiselect(key="publish_weeks").set_value([CITY_WEEK]).run()
    more.button(key="fit_budget").click().run()
    assert float(more.select_slider(key="epsilon").value) == 0.01
    assert not make_button(more).disabled


@pytest.mark.parametrize("page", ["plan", "guarantee", "publish"])
def test_data_that_names_nobody_leads_to_other_data_issue_17(page: str) -> None:
    at = opened_on(prepared_of(BY_HAND), page)
    assert "data" in ways(at).values()
    at.button(key="instead_city").click().run()
    assert at.session_state["plan"].data == "city"


def test_zones_that_depend_on_the_data_lead_to_other_zones_issue_17() -> None:
    at = opened("publish", data="subscribers", bound="10")
    assert "a grid laid around the middle of the data" in at.warning[0].value
    assert ways(at)["Load other data, or choose other zones"] == "data"


def test_an_empty_release_leads_to_settings_that_publish_something_issue_17() -> None:
    at = opened("release", data="cabs", threshold="5000")
    assert "the release is empty" in at.warning[0].value
    assert ways(at)["Find settings that publish something"] == "plan"
    at.button(key="lowest_threshold").click().run()
    assert not at.warning
    assert not finding(at).startswith("## From 120 people, **0 of")


def test_groups_that_cannot_be_played_lead_to_some_that_can_issue_17() -> None:
    at = opened("groups", data="cabs", targets="3")
    until(at, lambda at: any(one.key == "sizes" for one in at.multiselect))
    at.multiselect(key="sizes").set_value([]).run()
    assert (
        "Choose at least one group size, one share of groups with the target, and something that is known."
        in [one.value for one in at.info]
    )
    at.button(key="first_game").click().run()
    assert at.multiselect(key="sizes").value == ["10", "100"]


def test_a_level_that_cannot_be_leads_back_to_one_that_can_issue_17() -> None:
    at = opened("anonymizability", data="subscribers", judged="250")
    until(at, lambda at: any(one.key == "fold" for one in at.text_input))
    at.text_input(key="fold").set_value("now and then").run()
    assert at.warning
    at.button(key="first_study").click().run()
    assert not at.warning
    assert not at.exception


def test_data_without_traces_leads_to_some_issue_17() -> None:
    at = opened_on(prepared_of(BY_HAND), "groups")
    assert "use_cabs_here" in keys(at)
    assert "data" in ways(at).values()


def test_a_game_that_the_data_is_too_small_for_leads_to_one_that_can_be_played_issue_17() -> None:
    at = opened("groups", data="cabs", targets="3", sizes="500")
    until(at, lambda at: bool(at.warning))
    at.button(key="small_game").click().run()
    assert at.multiselect(key="sizes").value == ["5"]
    until(at, lambda at: any(one.value.startswith("## In groups of 5") for one in at.markdown))
    assert not at.warning


def test_counts_that_cannot_be_lead_back_to_the_example_issue_17() -> None:
    at = opened("attack", data="city", cells="many")
    assert at.error
    at.button(key="example_counts").click().run()
    assert not at.error
    assert not at.exception
