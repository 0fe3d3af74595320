"""The publish page: what it refuses, what a release costs, and that its files hold what they say."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from privlab.reports.verification import checks_from_certificate
from privlab.store import LEDGER_VARIABLE, Account, Ledger
from privlab.ui.state import sample_job
from tests.counts_data import BY_HAND
from tests.test_pages import SAMPLES, finding, opened, until
from tests.test_pages_counts import opened_on, prepared_of

CITY_WEEK = "2026-03-02"


@pytest.fixture(scope="module", autouse=True)
def _samples_ready():
    for name in SAMPLES:
        sample_job(name).result(timeout=120)


@pytest.fixture(autouse=True)
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setenv(LEDGER_VARIABLE, str(tmp_path / "ledger.sqlite"))
    return Ledger(tmp_path / "ledger.sqlite")


def account(book: Ledger) -> Account:
    return book.account(sample_job("city").result(timeout=120).source_digest)


def make_button(at: AppTest):
    return next((button for button in at.button if (button.key or "").startswith("make_release_")), None)


def agreement(at: AppTest):
    return next(box for box in at.checkbox if (box.key or "").startswith("agree_"))


def planned(**address: str) -> AppTest:
    at = opened("publish", data="city", epsilon="0.5", bound="10", **address)
    return at.multiselect(key="publish_weeks").set_value([CITY_WEEK]).run()


def made(at: AppTest, n: int = 1) -> AppTest:
    make_button(at).click().run()
    return until(at, lambda at: len(at.session_state["released"]) == n and make_button(at) is not None)


def test_without_a_bound_nothing_can_be_released() -> None:
    at = opened("publish", data="city")
    assert "promises nothing to a person" in at.warning[0].value
    assert make_button(at) is None


def test_zones_that_depend_on_the_data_are_refused() -> None:
    at = opened("publish", data="subscribers", bound="10")
    at.multiselect(key="publish_weeks").set_value(at.multiselect(key="publish_weeks").options[:1]).run()
    assert "a grid is laid around its middle" in at.warning[0].value
    assert make_button(at) is None


def test_counts_that_name_nobody_cannot_be_released() -> None:
    at = opened_on(prepared_of(BY_HAND), "publish")
    assert "nothing can be promised to a person" in at.warning[0].value
    assert make_button(at) is None


def test_users_chosen_by_looking_at_others_cannot_be_released() -> None:
    city = sample_job("city").result(timeout=120)
    at = opened_on(replace(city, users_apart=False), "publish", bound="10")
    assert "the guarantee would fail" in at.warning[0].value
    assert make_button(at) is None


def test_a_release_is_in_the_ledger_and_its_files_hold_what_they_say(book: Ledger) -> None:
    at = planned()
    assert "Whatever one person did in a week, this release is ε = 0.5" in at.code[0].value
    assert account(book).entries == ()  # looking costs nothing
    made(at)
    (entry,) = account(book).entries
    assert (entry.epsilon, entry.delta) == (0.5, 0.0)
    folder = at.session_state["released"][0].folder
    assert all(check.holds for check in checks_from_certificate(folder / "certificate.json"))
    assert "its people have spent ε = 0.5. One more makes it 1." in finding(at)
    assert not at.exception


def test_a_second_release_asks_first(book: Ledger) -> None:
    at = made(planned())
    assert make_button(at).disabled
    assert "what its people are promised is ε = 1, not 0.5" in at.warning[0].value
    agreement(at).check().run()
    assert not make_button(at).disabled
    at.select_slider(key="epsilon").set_value("1").run()
    assert make_button(at).disabled  # what was agreed to was another sum
    at.select_slider(key="epsilon").set_value("0.5").run()
    agreement(at).check().run()
    made(at, 2)
    assert account(book).epsilon == 1.0
    assert make_button(at).disabled  # and asks again


def test_a_click_on_a_page_that_is_out_of_date_releases_nothing(book: Ledger) -> None:
    at = planned()
    shown = make_button(at)
    at.select_slider(key="epsilon").set_value("5")  # has not been drawn when the button is clicked
    shown.click().run()
    assert "this release is ε = 5" in at.code[0].value
    assert "release_job" not in at.session_state
    assert account(book).entries == ()
    made(at)
    assert account(book).epsilon == 5


def test_past_the_budget_the_page_refuses(book: Ledger) -> None:
    at = planned()
    at.number_input(key="budget_epsilon").set_value(0.4)
    at.button(key="set_budget").click().run()
    assert account(book).budget_epsilon == 0.4
    assert make_button(at).disabled
    assert "ε = 0.4 is left, the release costs 0.5" in at.error[0].value
    at.select_slider(key="epsilon").set_value("0.4").run()
    made(at)
    assert account(book).left_epsilon == pytest.approx(0)


def test_a_budget_set_meanwhile_stops_the_release(book: Ledger) -> None:
    at = planned()
    book.set_budget(account(book).dataset, epsilon=0.1, delta=0)  # in another window
    make_button(at).click().run()
    assert "ε = 0.1 is left, the release costs 0.5" in at.error[0].value
    assert "release_job" not in at.session_state
    assert account(book).entries == ()


def test_a_ledger_that_cannot_be_written_stops_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv(LEDGER_VARIABLE, str(tmp_path / "file" / "ledger.sqlite"))
    at = planned()
    assert "Without its ledger nothing is released" in at.error[0].value
    assert make_button(at) is None
    assert not at.exception


def test_the_weeks_of_a_release_are_in_the_address_and_nonsense_is_none() -> None:
    sample_job("cabs").result(timeout=120)
    named = opened("publish", data="cabs", bound="20", publish_weeks="2008-05-19")
    assert named.multiselect(key="publish_weeks").value == ["2008-05-19"]
    assert not named.exception
    unknown = opened("publish", data="cabs", bound="20", publish_weeks="1999-01-04")
    assert unknown.multiselect(key="publish_weeks").value == []
    assert "Name at least one week" in unknown.info[0].value
