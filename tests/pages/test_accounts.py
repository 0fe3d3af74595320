"""Publish and accounts: the one that the people are in is proposed, and its budget is the one that counts."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from privlab.releases.accounts.account_choice import AccountWish
from privlab.releases.ledger.ledger import Ledger
from privlab.ui.sessions import access
from privlab.ui.state import sample_job
from tests.lab.ledgers.test_spending import INTEGER
from tests.pages.test_all_pages import finding, opened, until, wait_for_work
from tests.pages.test_publish import OWN_ROWS, book, made, make_button, own_on_publish
from tests.pages.test_steps import strip
from tests.releases.accounts.test_shared_people import people

__all__ = ["book"]


@pytest.fixture
def cards(book: Ledger) -> Ledger:
    """A ledger where 48 people, 40 of them those of the own data, have spent 1 of 7 in an account, and others in another."""
    who = people((f"u{n}" for n in range(48)), key=book.people_key())
    book.reserve_budget("b" * 32, epsilon=1, delta=0, what="", people=who, wish=AccountWish(title="cards"))
    book.set_budget_of_account("cards", epsilon=7, delta=0)
    book.reserve_budget(
        "c" * 32, epsilon=1, delta=0, what="", people=people("xyz"), wish=AccountWish(title="phones")
    )
    return book


def account(at: AppTest):
    return next(one for one in at.selectbox if one.key.startswith("publish_account_"))


def test_the_account_of_the_people_is_proposed_and_another_asks_first(cards: Ledger, tmp_path: Path) -> None:
    at = own_on_publish()
    assert not [one for one in at.selectbox if one.key.startswith("publish_account_")]  # nothing is read yet
    next(one for one in at.segmented_control if one.key.startswith("publish_ids_")).set_value("number").run()
    next(box for box in at.checkbox if box.key.startswith("publish_form_")).check().run()
    until(at, lambda at: any(one.key.startswith("publish_account_") for one in at.selectbox))
    assert (account(at).value, account(at).options) == ("cards", ["cards", "an account of its own", "phones"])
    assert "100% of its people are in the account “cards” already." in [one.value for one in at.caption]
    assert (
        "1 release of the account “cards”: its people have spent ε = 1 of 7. One more makes it 6."
        in finding(at)
    )
    assert {one.label: one.value for one in at.metric}["ε left"] == "6"
    account(at).set_value("phones").run()
    warned = next(one.value for one in at.warning if "have spent ε = 1 there" in one.value)
    assert warned.startswith("100% of its people are in the account “cards” already")
    assert make_button(at).disabled
    assert not [box for box in at.checkbox if box.key.startswith("other_people_")]  # it is no new one
    phones = next(one.name for one in cards.accounts() if one.title == "phones")
    assert any(f"--account {phones}" in one.value for one in at.code)
    at.button(key="take_account").click().run()
    assert account(at).value == "cards"
    next(box for box in at.checkbox if box.key.startswith("agree_")).check().run()
    made(at)
    paid = cards.account_named("cards")
    assert (paid.epsilon, paid.n_datasets, len(cards.accounts())) == (6.0, 2, 2)
    assert any("This data is in the account “cards”, of 2 datasets" in one.value for one in at.caption)
    assert make_button(at).disabled  # ε = 5 of the 1 that is left
    assert not at.exception


def test_the_releases_of_an_account_are_told_apart_by_what_they_are_of_and_their_weeks(book: Ledger) -> None:
    city = sample_job("city").result(timeout=900)
    chosen = INTEGER["parameters"]
    for said in (INTEGER, INTEGER | {"parameters": chosen | {"product": "visits"}}, {}):
        book.reserve_budget(city.source_digest, epsilon=1, delta=0, what=json.dumps(said))
    at = opened("publish", data="city", epsilon="0.5", bound="10")
    assert strip(at)[2] == "Released: not yet in this session"  # three of before are listed below
    table = next(one.value for one in at.dataframe if "weeks of" in one.value)
    assert table["what"].tolist() == ["flows", "visits by hour", "not known"]
    assert table["weeks of"].tolist() == [*["2026-03-02, 2026-03-09"] * 2, "not known"]
    assert not at.exception


def test_other_people_get_one_of_their_own_by_a_tick(cards: Ledger) -> None:
    at = own_on_publish()
    next(one for one in at.segmented_control if one.key.startswith("publish_ids_")).set_value("number").run()
    next(box for box in at.checkbox if box.key.startswith("publish_form_")).check().run()
    until(at, lambda at: any(one.key.startswith("publish_account_") for one in at.selectbox))
    account(at).set_value("an account of its own").run()
    assert make_button(at).disabled
    next(box for box in at.checkbox if box.key.startswith("other_people_")).check().run()
    assert "nothing of this data is published yet" in finding(at)
    assert any("--new-account" in one.value for one in at.code)
    made(at)
    assert {one.title: one.epsilon for one in cards.accounts()} == {"cards": 1.0, "phones": 1.0, None: 5.0}
    assert not at.exception


def test_people_with_running_numbers_are_asked_for_their_account(book: Ledger) -> None:
    """Forty people numbered 0 to 39 are in an account without a name, with other first rows than the file's."""
    before = people(
        range(40),
        first_rows=map("{}|2026-03-02 08:00".format, range(40)),
        running=True,
        key=book.people_key(),
    )
    name = book.reserve_budget("b" * 32, epsilon=1, delta=0, what="", people=before).account
    at = own_on_publish(OWN_ROWS.replace("\nu", "\n"))
    next(one for one in at.segmented_control if one.key.startswith("publish_ids_")).set_value("number").run()
    next(box for box in at.checkbox if box.key.startswith("publish_form_")).check().run()
    until(at, lambda at: any(one.key.startswith("publish_account_") for one in at.selectbox))
    assert any(
        "running numbers" in one.value and one.value.endswith("choose it above.") for one in at.caption
    )
    assert account(at).value == "an account of its own"
    there = next(one for one in account(at).options if name[:8] in one)
    account(at).set_value(there).run()
    assert f"1 release of the account {name[:8]}: its people have spent ε = 1" in finding(at)
    assert any(f"--account {name}" in one.value for one in at.code)  # the command takes the whole name
    assert not any("running numbers" in one.value for one in at.caption)
    next(box for box in at.checkbox if box.key.startswith("agree_")).check().run()
    made(at)
    assert [(one.name, one.epsilon, one.n_datasets) for one in book.accounts()] == [(name, 6.0, 2)]
    assert not at.exception


def test_who_may_only_look_is_not_told_whose_people_an_account_holds(
    cards: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "may_release", lambda: False)
    at = own_on_publish()
    next(one for one in at.segmented_control if one.key.startswith("publish_ids_")).set_value("number").run()
    next(box for box in at.checkbox if box.key.startswith("publish_form_")).check().run()
    wait_for_work(60.0)  # for whatever would be looked up
    at.run()
    shown = [*(one.value for one in at.caption), *(one.value for one in at.warning), finding(at)]
    assert not any("cards" in one for one in shown)
    assert not [one for one in at.selectbox if one.key.startswith("publish_account_")]
    assert not at.exception
