"""The publish page: what it refuses, what a release costs, and that its files hold what they say."""

import json
import math
import re
import shlex
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from privlab.releases.accounts import AccountWish
from privlab.releases.ledger.ledger import LEDGER_VARIABLE, Account, Ledger
from privlab.releases.reading.verification import verification_from_certificate
from privlab.ui.publish import publish_page, release_job
from privlab.ui.state import sample_job
from tests.command_line import Run
from tests.counts_data import BY_HAND
from tests.pages.small_city import THRESHOLD, small_city
from tests.pages.test_all_pages import TRIPS_CSV, finding, opened, until
from tests.pages.test_counts import opened_on, prepared_of
from tests.pages.test_sources import load
from tests.pages.test_steps import strip

CITY_WEEK = "2026-03-02"


@pytest.fixture(scope="module", autouse=True)
def _few_in_the_city(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is released is small: what a release promises and says does not hang on the size of a city."""
    with small_city(tmp_path_factory.mktemp("city")):
        yield


@pytest.fixture(autouse=True)
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setenv(LEDGER_VARIABLE, str(tmp_path / "ledger.sqlite"))
    return Ledger(tmp_path / "ledger.sqlite")


def account(book: Ledger) -> Account:
    return book.account(sample_job("city").result(timeout=900).source_digest)


def make_button(at: AppTest):
    return next((button for button in at.button if (button.key or "").startswith("make_release_")), None)


def parts_of_next(at: AppTest):
    return [part for part in at.expander if part.label.startswith("**Make another release**")]


def agreement(at: AppTest):
    return next(box for box in at.checkbox if (box.key or "").startswith("agree_"))


def planned(**address: str) -> AppTest:
    at = opened("publish", data="city", epsilon="0.5", bound="10", threshold=THRESHOLD, **address)
    return at.multiselect(key="publish_weeks").set_value([CITY_WEEK]).run()


def made(at: AppTest, n: int = 1) -> AppTest:
    make_button(at).click().run()
    return until(
        at, lambda at: len(at.session_state["released"]) == n and make_button(at) is not None, look=30
    )


def test_gaussian_noise_has_its_own_promise_and_costs_its_delta(book: Ledger) -> None:
    at = planned(publish_noise="gaussian")
    promised = at.code[0].value
    assert "ε = 0.5, δ = 10⁻⁶ private for that week" in promised
    assert any("of someone who is in (δ = 10⁻⁶)" in one.value for one in at.caption)
    assert any("--noise gaussian --clip l2 --delta 1e-06" in one.value for one in at.code)
    made(at)
    (entry,) = account(book).entries
    assert (entry.epsilon, entry.delta) == (0.5, 1e-6)
    together = next(one.value for one in at.dataframe if "ρ" in one.value)
    assert together["what is protected"].tolist() == [
        "a user, all weeks",
        "a user's week",
        "a user's day",
        "one trip of several",
    ]
    tight, added = (together[f"ε{words}"].astype(float) for words in (", all together", " added up"))
    assert tight.tolist()[:2] == added.tolist()[:2] == [0.5, 0.5]
    assert 0 < tight[3] < 0.5 < tight[2] < 1  # a day: all else of the week weighs more without it
    certificate = at.session_state["released"][0].folder / "certificate.json"
    assert verification_from_certificate(certificate, ledger=book).holds
    assert sum(one.value == promised for one in at.code) == 2  # of the plan, and of what was made
    assert any(one.value.startswith("To count with: release.csv.") for one in at.caption)
    assert not any("aplace" in one.value for one in [*at.markdown, *at.caption, *at.code])
    at.checkbox(key="publish_unbiased").check().run()
    assert any("gives back of what the limit takes away" in one.value for one in at.markdown)
    assert any("--delta 1e-06 --unbiased" in one.value for one in at.code)
    at.segmented_control(key="release_cells").set_value("discovered").run()
    assert any("No total and no sums of districts" in one.value for one in at.caption)
    assert any("--cells discovered --noise gaussian" in one.value for one in at.code)
    assert not at.exception


@pytest.fixture
def go_on(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Keep releases from being made until it is set."""
    may, publish_release = threading.Event(), release_job.publish_release

    def held(*what: Any, **named: Any) -> Any:
        assert may.wait(600)
        return publish_release(*what, **named)

    monkeypatch.setattr(release_job, "publish_release", held)
    yield may
    may.set()


def test_a_release_that_is_being_made_is_seen_by_a_page_that_is_loaded_anew(
    book: Ledger, go_on: threading.Event
) -> None:
    """It said that nothing was published yet, and made the same release again at the next click: its people paid twice."""
    make_button(planned()).click().run()
    at = planned()
    assert [one.value for one in at.info if one.value.startswith("A release of this data is being made")]
    assert make_button(at).disabled
    go_on.set()
    until(at, lambda at: bool(account(book).entries) and not at.info, look=30)
    assert finding(at).startswith("## 1 release of this data")
    assert not agreement(at).value
    assert make_button(at).disabled


def test_of_two_releases_begun_at_once_one_is_charged_and_the_other_asked_to_agree_to_the_sum(
    book: Ledger, go_on: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on two servers with one ledger, which know nothing of one another."""
    monkeypatch.setattr(publish_page, "being_made", lambda digest: None)
    pages = [planned(), planned()]
    for at in pages:
        make_button(at).click().run()
    go_on.set()
    for at in pages:
        until(at, lambda at: "release_job" not in at.session_state, look=30)
    assert len(account(book).entries) == 1
    (refused,) = [at for at in pages if at.error]
    assert not refused.session_state["released"]
    assert "Another release of the same people was made" in refused.error[0].value
    assert "they are promised ε = 1, not 0.5" in refused.error[0].value
    refused.run()
    agreement(refused).check().run()
    made(refused)
    assert [entry.epsilon for entry in account(book).entries] == [0.5, 0.5]


def test_without_a_bound_nothing_can_be_released() -> None:
    at = opened("publish", data="city")
    assert "promises nothing to a person" in at.warning[0].value
    assert "“Unique trips per user, at most” in the settings" in at.warning[0].value
    assert make_button(at) is None
    at = opened("publish", data="city", publish_product="visits by hour")
    assert at.select_slider(key="bound").label == "Different visits per user, at most"
    assert "“Different visits per user, at most” in the settings" in at.warning[0].value


def test_zones_that_depend_on_the_data_are_refused() -> None:
    sample_job("subscribers").result(timeout=900)
    at = opened("publish", data="subscribers", bound="10")
    assert "a grid laid around the middle of the data" in at.warning[0].value
    assert "--box" not in at.warning[0].value  # of the command line
    assert make_button(at) is None
    at.button(key="instead_city").click().run()
    assert at.session_state["plan"].data == "city"


def test_counts_that_name_nobody_cannot_be_released() -> None:
    at = opened_on(prepared_of(BY_HAND), "publish")
    assert "nothing can be promised to a person" in at.warning[0].value
    assert make_button(at) is None


def test_users_chosen_by_looking_at_others_cannot_be_released() -> None:
    city = sample_job("city").result(timeout=900)
    at = opened_on(replace(city, users_apart=False), "publish", bound="10")
    assert "the guarantee would fail" in at.warning[0].value
    assert make_button(at) is None


def test_from_a_first_release_by_its_check_to_a_second_that_asks_first(book: Ledger) -> None:
    at = planned()
    assert "Whatever one person did in a week, this release is ε = 0.5" in at.code[0].value
    assert account(book).entries == ()  # looking costs nothing
    assert parts_of_next(at) == []
    made(at)
    (entry,) = account(book).entries
    assert (entry.epsilon, entry.delta) == (0.5, 0.0)
    (part,) = parts_of_next(at)
    assert not part.proto.expanded
    assert part.label.endswith(f"ε = 0.5, threshold {int(THRESHOLD):,}, at most 10 trips per user")
    assert [one.key for one in part.button if one.label == "Make the release"] == [make_button(at).key]
    folder = at.session_state["released"][0].folder
    assert verification_from_certificate(folder / "certificate.json", ledger=book).holds
    assert "its people have spent ε = 0.5. One more makes it 1." in finding(at)
    assert not at.exception
    check_on_the_page_asks_for_the_key(at, folder, book)
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
    assert sum(one.value == book.keys().public_key for one in at.code) == 2  # to hand on, beside each release
    guarantee_of_both(at)


def guarantee_of_both(at: AppTest) -> None:
    """What the page Guarantee says of one week is told apart from what two releases of the same people come to."""
    at.switch_page("../../pages/guarantee.py").run()
    assert any(
        one.value.startswith("2 weekly releases of this data were made in this session.") for one in at.info
    )
    at.button(key="released_weeks").click().run()
    assert at.number_input(key="releases").value == 2
    assert "Over 2 weeks" in finding(at)
    assert not at.info


def check_on_the_page_asks_for_the_key(at: AppTest, folder: Path, book: Ledger) -> None:
    """Check the page's check of files: it says when it has no key, and opens no file of the server for one."""
    files = [
        (name, (folder / name).read_bytes(), "x/y")
        for name in ("certificate.json", "release.csv", "release.parquet", "estimates.csv")
    ]
    at.file_uploader(key="check_files").set_value(files).run()
    assert not at.success  # anybody can write a certificate that fits
    assert any("Who made the release was not checked" in one.value for one in at.warning)
    assert not any("Not looked at" in one.value for one in at.info)
    at.file_uploader(key="check_files").set_value(
        [*files, ("notes.txt", b"safe for all", "text/plain")]
    ).run()
    assert any(one.value.startswith("Not looked at: notes.txt. ") for one in at.info)
    readme = (folder / "README.txt").read_bytes()
    at.file_uploader(key="check_files").set_value([*files, ("README.txt", readme, "text/plain")]).run()
    assert not any("Not looked at" in one.value for one in at.info)
    other = readme.decode("utf-8").replace("ε = 0.5", "ε = 0.1").encode("utf-8")
    assert other != readme
    at.file_uploader(key="check_files").set_value([*files, ("README.txt", other, "text/plain")]).run()
    assert any(
        one.value.startswith("Differs from what is certified: README.txt (not the words")
        for one in at.warning
    )
    assert not any("Not looked at" in one.value for one in at.info)
    two_files_of_one_name_are_refused(at, files)
    at.checkbox(key="check_own_ledger").check().run()
    assert "is signed with the key given" in at.success[0].value
    at.checkbox(key="check_own_ledger").uncheck().run()
    at.text_input(key="check_public_key").set_value("0" * 64).run()
    assert "not signed with the key given" in at.error[0].value
    at.text_input(key="check_public_key").set_value(str(book.path) + ".pub").run()
    assert "public_key must be 64 hexadecimal digits" in at.error[0].value  # no file of the server is opened
    assert not at.exception


def two_files_of_one_name_are_refused(at: AppTest, files: list[tuple[str, bytes, str]]) -> None:
    """Another release.csv, before the true one or after it, is not passed by what is true of the other."""
    forged = ("release.csv", b"week,origin,destination,count\n2026-03-02,1,2,999999\n", "text/csv")
    for both in ([*files, forged], [forged, *files]):
        at.file_uploader(key="check_files").set_value(both).run()
        assert [one.value for one in at.error] == ["Two files are called release.csv: take one out."]
        assert not at.success
    alone = [forged if name == "release.csv" else (name, content, kind) for name, content, kind in files]
    at.file_uploader(key="check_files").set_value(alone).run()
    assert "not what its certificate says" in at.error[0].value  # as told from the true one
    at.file_uploader(key="check_files").set_value(files).run()
    assert not at.error


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


def test_past_the_budget_the_page_refuses_and_the_ledger_notes_who_had_logged_in(book: Ledger) -> None:
    at = planned()
    at.user = {"is_logged_in": True, "name": "Anna", "email": "anna@house.example"}
    at.number_input(key="budget_epsilon").set_value(0.4)
    at.button(key="set_budget").click().run()
    assert account(book).budget_epsilon == 0.4
    assert account(book).budget_changes[-1].who == "anna@house.example"
    assert make_button(at).disabled
    assert "ε = 0.4 is left, the release costs 0.5" in at.error[0].value
    at.select_slider(key="epsilon").set_value("0.4").run()
    made(at)
    assert account(book).left_epsilon == pytest.approx(0)
    assert account(book).entries[-1].who == "anna@house.example"
    assert next(one.value for one in at.dataframe if "who" in one.value)["who"].tolist() == [
        "anna@house.example"
    ]
    certificate = at.session_state["released"][0].folder / "certificate.json"
    assert "anna" not in certificate.read_text("utf-8")


def test_above_the_limit_one_asks_another_approves_and_who_asked_makes_it(book: Ledger) -> None:
    book.set_limit(0.4)
    at = planned()
    assert make_button(at).disabled
    assert at.button(key="ask_approval").disabled  # nobody has logged in
    alone = planned()
    alone.button(key="fit_limit").click().run()
    assert alone.select_slider(key="epsilon").value == "0.4"
    assert not make_button(alone).disabled
    anna = {"is_logged_in": True, "email": "anna@house.example"}
    at.user = anna
    at.run().button(key="ask_approval").click().run()
    assert make_button(at).disabled
    assert any("`anna@house.example` has asked for it" in one.value for one in at.info)
    assert at.button(key="approve_1").disabled  # another person must
    other = planned()
    other.user = {"is_logged_in": True, "email": "ben@house.example"}
    other.run()
    assert any(
        one.value.startswith(
            f"`anna@house.example` asks for approval of a release of the account {account(book).name[:8]}: "
        )
        and "flows, week of 2026-03-02" in one.value
        for one in other.markdown
    )
    # Who answers for it is told what it means: e^0.5 / (1 + e^0.5) of ε = 0.5
    certain = math.exp(0.5) / (1 + math.exp(0.5))
    assert any(
        f"at most {math.ceil(1000 * certain) / 10:g}% certain of anyone" in one.value for one in other.caption
    )
    other.button(key="approve_1").click().run()
    approved = "`ben@house.example` has approved what `anna@house.example` asked for: ε = 0.5, flows, week of 2026-03-02, at most 10 "
    (said,) = (one.value for one in other.info if one.value.startswith(approved))
    assert "noise integer. It is not made yet: it can be made on this page once" in said
    assert account(book).approvals[0].approved_by == "ben@house.example"
    assert account(book).entries == ()
    assert not make_button(at.run()).disabled
    made(at)
    assert account(book).approvals[0].entry == 1
    assert make_button(at).disabled
    assert not any(one.value.startswith(approved) for one in other.run().info)


def test_what_waits_is_of_an_account_and_its_other_datasets_too(book: Ledger) -> None:
    """Asked for while other data of the account was loaded: the page does not say that it is of the data that is loaded now."""
    book.set_limit(0.4)
    digest = sample_job("city").result(timeout=900).source_digest
    for one in (digest, "b" * 32):
        book.reserve_budget(one, epsilon=0.1, delta=0, what="", wish=AccountWish(title="cards"))
    book.ask_approval(
        "b" * 32, epsilon=0.5, delta=0, what="", who="anna@house.example", account=account(book).name
    )
    at = planned()
    at.user = {"is_logged_in": True, "email": "ben@house.example"}
    (said,) = (one.value for one in at.run().markdown if "asks for approval" in one.value)
    assert said == (
        "`anna@house.example` asks for approval of a release of the account “cards” (any of its 2 datasets): ε = 0.5."
    )


def test_who_may_only_look_sees_all_but_the_button_and_the_budget(book: Ledger) -> None:
    at = planned()
    shown = make_button(at)
    at.secrets["roles"] = {"release": ["ben@house.example"]}
    at.user = {"is_logged_in": True, "email": "anna@house.example"}
    shown.click().run()  # a page of before
    assert not at.exception
    assert make_button(at) is None
    assert not [one for one in at.number_input if one.key == "budget_epsilon"]
    assert any(one.value.startswith("You may look here, and not release") for one in at.warning)
    assert "ε = 0.5 private" in at.code[0].value
    assert account(book).entries == ()
    at.user = {"is_logged_in": True, "email": "ben@house.example"}
    assert not make_button(at.run()).disabled


def test_a_budget_set_meanwhile_stops_the_release(book: Ledger) -> None:
    at = planned()
    book.set_budget(
        sample_job("city").result(timeout=900).source_digest, epsilon=0.1, delta=0
    )  # in another window
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


def test_a_ledger_that_fails_after_a_release_is_seen_to_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes next is in a part that is closed then: the refusal must not stand in it."""
    monkeypatch.setenv(LEDGER_VARIABLE, str(tmp_path / "ledger.sqlite"))
    at = made(planned())
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv(LEDGER_VARIABLE, str(tmp_path / "file" / "ledger.sqlite"))
    at.run()
    closed = [one.value for fold in at.expander for one in fold.error]
    assert not any("Without its ledger" in one for one in closed)
    assert any("Without its ledger nothing is released" in one.value for one in at.error)
    assert not [one for fold in at.expander for one in fold.button if one.key == "ledger_again"]
    assert not at.exception


OWN_ROWS = "who;when;cell\n" + "".join(
    f"u{n};03/13/2026 07:10;5\nu{n};03/13/2026 08:10;9\n" for n in range(40)
)
POSITIONS = b"zone,lat,lon\n5,45.0,7.0\n9,45.1,7.0\n"


def own_on_publish(rows: str = OWN_ROWS, positions: bytes = POSITIONS) -> AppTest:
    """Own data of 40 people who go 5→9 on Friday 13 March 2026, loaded by hand, on the page Publish."""
    at = opened("data", epsilon="5", bound="1", threshold="0")
    at.file_uploader(key="upload").upload("own.csv", rows.encode()).run()
    for box in at.selectbox:
        for field, column in (("user_id", "who"), ("timestamp", "when"), ("zone", "cell")):
            if box.key.startswith(f"column_{field}_"):
                box.set_value(column)
    at.run()
    at.file_uploader(key="geography_positions").upload("stations.csv", positions).run()
    load(at)
    at.switch_page("../../pages/publish.py").run()
    return at.multiselect(key="publish_weeks").set_value(["2026-03-09"]).run()


def test_where_days_are_numbers_no_flow_is_of_workdays_and_one_click_leads_on(book: Ledger) -> None:
    """Forty people go 2 km east on day 0; which days are workdays nobody said."""
    rows = [f"{user},0,{slot},{x},3" for user in range(40) for slot, x in ((17, 5), (19, 9))]
    at = opened("data", epsilon="5", bound="1", threshold="0")
    at.file_uploader(key="upload").upload("study.csv", "\n".join(("uid,d,t,x,y", *rows)).encode()).run()
    load(at)
    drawn = [json.loads(one.proto.spec)["layout"] for one in at.get("plotly_chart")]
    assert any("counted from day 0" in str(one["xaxis"].get("title")) for one in drawn)
    at.switch_page("../../pages/publish.py").run()
    at.multiselect(key="publish_weeks").set_value(["2000-01-03"]).run()
    assert any(
        "day 0 is called Monday" in one.value or "days and slots of 30" in one.value for one in at.caption
    )
    next(box for box in at.checkbox if box.key.startswith("publish_form_")).check().run()
    at.segmented_control(key="publish_product").set_value("flows-by-slot").run()
    assert any("does not say which are workdays" in one.value for one in at.warning)
    at.button(key="whole_weeks").click().run()
    assert at.segmented_control(key="publish_product").value == "flows"
    assert not any("workdays" in one.value for one in at.warning)
    made(at)
    assert at.session_state["released"][0].certificate["rows"]["days_numbered"] is True


def the_command_makes_the_same(at: AppTest, cli: Run, tmp_path: Path) -> None:
    """What the page shows to be typed is typed, beside a file of that name."""
    shown = next(one.value for one in at.code if one.value.startswith("python -m privlab release "))
    words = shlex.split(shown.splitlines()[0])[3:]
    (tmp_path / "own.csv").write_text(OWN_ROWS)
    (tmp_path / "stations.csv").write_bytes(POSITIONS)
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(tmp_path)
        code, _, error = cli(*words, "--ledger", "typed.sqlite")
    assert code == 0, error
    one, other = (
        json.loads((folder / "certificate.json").read_text("utf-8"))
        for folder in (tmp_path / "release", at.session_state["released"][0].folder)
    )
    assert one["parameters"] == other["parameters"]
    assert (one["weeks"], one["zones"]) == (other["weeks"], other["zones"])


def test_own_data_is_released_in_the_form_that_was_confirmed(book: Ledger, cli: Run, tmp_path: Path) -> None:
    at = own_on_publish()
    assert make_button(at).disabled
    assert any("Times are %m/%d/%Y %H:%M" in caption.value for caption in at.caption)
    assert any("separated by ';'" in caption.value for caption in at.caption)
    ids = next(one for one in at.segmented_control if one.key.startswith("publish_ids_"))
    assert ids.value is None  # nobody but the steward says what they are
    ids.set_value("number").run()
    assert make_button(at).disabled
    next(box for box in at.checkbox if box.key.startswith("publish_form_")).check().run()
    made(at)
    table = pq.read_table(at.session_state["released"][0].folder / "release.parquet").to_pydict()
    found = dict(zip(zip(table["origin"], table["destination"], strict=True), table["count"], strict=True))
    # ε = 5 and one trip each: noise beyond ±5 comes in one of 10¹⁰ draws.
    assert abs(found[5, 9] - 40) <= 5
    assert abs(found[9, 5]) <= 5
    assert set(found) == {(5, 9), (9, 5)}
    assert any("and is counted in neither" in one.value for one in at.caption)
    the_command_makes_the_same(at, cli, tmp_path)


@pytest.mark.parametrize("ids", ["number", "text"])
def test_the_zones_are_of_the_kind_that_was_said_whatever_one_row_looks_like(book: Ledger, ids: str) -> None:
    at = own_on_publish(OWN_ROWS + "x;03/13/2026 07:10;A7\n")  # all ids look like texts now
    next(one for one in at.segmented_control if one.key.startswith("publish_ids_")).set_value(ids).run()
    next(box for box in at.checkbox if box.key.startswith("publish_form_")).check().run()
    made(at)
    certificate = at.session_state["released"][0].certificate
    assert certificate["zones"]["public"] == ([5, 9] if ids == "number" else ["5", "9"])
    table = pq.read_table(at.session_state["released"][0].folder / "release.parquet").to_pydict()
    assert abs(table["count"][table["destination"].index(certificate["zones"]["public"][1])] - 40) <= 5


def test_a_zone_file_with_ids_in_letters_has_text_offered_first_and_a_wrong_click_undone(
    book: Ledger,
) -> None:
    """The zone file is public: it may decide what is proposed. Whole numbers stay first where its ids are such."""
    at = own_on_publish(
        OWN_ROWS.replace(";5\n", ";S05\n").replace(";9\n", ";S09\n"),
        POSITIONS.replace(b"\n5", b"\nS05").replace(b"\n9", b"\nS09"),
    )
    assert [one.label for one in at.button if one.key.startswith("say_ids_")] == [
        "Zone ids are text",
        "Zone ids are whole numbers",
    ]
    ids = next(one for one in at.segmented_control if one.key.startswith("publish_ids_"))
    assert (ids.options, ids.value) == (
        ["text", "whole numbers"],
        None,
    )  # nobody but the steward says what they are
    assert any(one.value == "The zone file's ids are such as S05, S09." for one in at.caption)
    at.button(key="say_ids_number").click().run()
    next(box for box in at.checkbox if box.key.startswith("publish_form_")).check().run()
    assert any("which is no whole number. Read ids as text." in one.value for one in at.warning)
    at.button(key="say_ids_as_text").click().run()
    assert not any("No release can be made" in one.value for one in at.warning)
    assert not [one for one in at.button if one.key == "say_ids_as_text"]
    made(at)
    assert at.session_state["released"][0].certificate["zones"]["public"] == ["S05", "S09"]


def test_ids_joined_to_squares_are_released_as_such_and_their_box_is_said_to_be_the_zone_file_s(
    book: Ledger,
) -> None:
    """5 and 9 lie 0.1 degrees apart, in a box of 0.11 by 0.01: in squares of 10 km two rows of one, 40 people from the first to the second."""
    at = own_on_publish()
    assert not [one for one in at.get("download_button") if one.proto.id.endswith("ids_in_zones")]
    at.switch_page("../../pages/data.py").run()
    at.selectbox(key="zoning").set_value("square grid").run()
    at.number_input(key="grid_m").set_value(10_000).run()
    load(at)
    at.switch_page("../../pages/publish.py").run()
    at.multiselect(key="publish_weeks").set_value(["2026-03-09"]).run()
    assert any("it lies around all positions in the zone file" in one.value for one in at.markdown)
    next(one for one in at.segmented_control if one.key.startswith("publish_ids_")).set_value("number").run()
    next(box for box in at.checkbox if box.key.startswith("publish_form_")).check().run()
    made(at)
    certificate = at.session_state["released"][0].certificate
    told = {"n_ids": 2, "n_zones": 2}  # a station in each of the two squares
    assert certificate["zones"] == {"spec": "grid:10000:45,7,45.11,7.01", "public": [0, 1], "joined": told}
    table = pq.read_table(at.session_state["released"][0].folder / "release.parquet").to_pydict()
    found = dict(zip(zip(table["origin"], table["destination"], strict=True), table["count"], strict=True))
    assert abs(found[0, 1] - 40) <= 5
    (listed,) = [
        one for one in at.get("download_button") if one.proto.id.endswith("ids_in_zones")
    ]  # to hand on with it
    assert listed.proto.label == "Which id lies in which zone (CSV)"


def test_whole_numbers_are_offered_first_where_the_zone_file_has_them() -> None:
    at = own_on_publish()
    ids = next(one for one in at.segmented_control if one.key.startswith("publish_ids_"))
    assert ids.options == ["whole numbers", "text"]
    assert any(one.value == "The zone file's ids are such as 5, 9." for one in at.caption)


def test_a_week_without_trips_can_be_named_and_is_noise_on_zeros(book: Ledger) -> None:
    at = planned()
    at.multiselect(key="publish_weeks").set_value(["2026-03-16"]).run()
    assert make_button(at).disabled  # not without a word
    reason = next(one for one in at.text_input if (one.key or "").startswith("accept_made_up_"))
    reason.set_value("nobody may know that nobody moved").run()
    assert any("--accept-made-up 'nobody may know that nobody moved'" in one.value for one in at.code)
    made(at)
    assert at.session_state["released"][0].certificate["weeks"] == ["2026-03-16"]
    at.multiselect(key="publish_weeks").set_value(["soon"]).run()
    assert "week must be a Monday such as 2026-03-02, got 'soon'" in at.warning[-1].value
    assert not at.exception


def test_a_file_that_changed_since_it_was_loaded_is_not_released(book: Ledger) -> None:
    at = own_on_publish()
    next(one for one in at.segmented_control if one.key.startswith("publish_ids_")).set_value("text").run()
    next(box for box in at.checkbox if box.key.startswith("publish_form_")).check().run()
    path = at.session_state["own_request"].own.path
    path.write_text(OWN_ROWS + "x;03/13/2026 07:10;5\n")
    make_button(at).click().run()
    until(at, lambda at: "release_job" not in at.session_state)
    assert any("has changed since it was loaded" in error.value for error in at.error)
    assert "Look at the data, and load it again" in [one.proto.label for one in at.get("page_link")]
    assert not at.session_state["released"]
    assert book.accounts() == () or all(not one.entries for one in book.accounts())


def test_the_weeks_of_a_release_are_in_the_address_and_nonsense_is_none() -> None:
    sample_job("cabs").result(timeout=900)
    named = opened("publish", data="cabs", bound="20", publish_weeks="2008-05-19")
    assert named.multiselect(key="publish_weeks").value == ["2008-05-19"]
    assert not named.exception
    nonsense = opened("publish", data="cabs", bound="20", publish_weeks="soon")
    assert make_button(nonsense) is None
    assert not nonsense.exception


def test_what_an_address_names_and_is_not_known_is_said_with_what_is_shown_till_one_chooses() -> None:
    at = planned(publish_product="nonsense", publish_noise="![loud](x)")
    told = "The address that was opened names {}."
    product = "publish_product = “nonsense”, which cannot be: shown is “flows”"
    noise = r"publish_noise = “!\[loud\](x)”, which cannot be: shown is “integer”"
    assert [one.value for one in at.info] == [told.format(f"{product}; {noise}")]
    assert not make_button(at).disabled  # said, not refused
    at.segmented_control(key="publish_noise").set_value("gaussian").run()
    assert [one.value for one in at.info] == [told.format(product)]
    at.segmented_control(key="publish_product").set_value("flows-by-slot").run()
    assert not [one for one in at.info if "cannot be" in one.value]
    at = planned(publish_noise="gaussian", publish_levels="7 × 7")
    levels = "publish_levels = “7 × 7”, which cannot be: shown is “none”"
    assert [one.value for one in at.info if "cannot be" in one.value] == [told.format(levels)]
    at.segmented_control(key="publish_levels").set_value("2 × 2").run()
    assert not [one for one in at.info if "cannot be" in one.value]
    for named in ("flows by slot", "flows-by-slot"):  # as the control writes it, and as the command line does
        at = planned(publish_product=named)
        assert at.segmented_control(key="publish_product").value == "flows-by-slot"
        assert not [one for one in at.info if "cannot be" in one.value]
    assert not at.exception


def test_flows_by_slot_are_called_so_before_they_are_made_and_after(book: Ledger) -> None:
    address = {"data": "city", "epsilon": "2", "bound": "5", "threshold": "20"}
    at = opened("publish", **address, publish_product="flows by slot")
    at.multiselect(key="publish_weeks").set_value([CITY_WEEK]).run()
    until(at, lambda at: any("A flow is of one of 8 parts of the week" in one.value for one in at.markdown))
    made(at)
    (card,) = (one.value for one in at.markdown if "is made**" in one.value)
    assert " flows by slot, whole numbers" in card


def test_ids_in_letters_that_were_said_to_be_numbers_are_read_as_text_by_a_button(book: Ledger) -> None:
    at = opened("data", epsilon="5", bound="1", threshold="5")
    rows = "user,time,zone\n" + "".join(
        f"u{n},2026-03-13 0{7 + hour}:10,{'AB'[hour]}\n" for n in range(40) for hour in (0, 1)
    )
    at.file_uploader(key="upload").upload("own.csv", rows.encode()).run()
    load(at)
    at.switch_page("../../pages/publish.py").run()
    at.segmented_control(key="publish_product").set_value("visits").run()
    at.multiselect(key="publish_weeks").set_value(["2026-03-09"]).run()
    next(one for one in at.segmented_control if one.key.startswith("publish_ids_")).set_value("number").run()
    next(box for box in at.checkbox if box.key.startswith("publish_form_")).check().run()
    until(at, lambda at: any(one.key == "say_ids_as_text" for one in at.button))
    assert any("an id that is no whole number" in one.value for one in at.error)
    at.button(key="say_ids_as_text").click().run()
    until(at, lambda at: not make_button(at).disabled)
    assert not at.error


def test_nobody_is_asked_to_approve_before_it_is_said_how_the_file_is_written(book: Ledger) -> None:
    """Zones, and with them what is approved, hang on it; and what is still to be said stands before the button that waits for it."""
    book.set_limit(0.4)
    at = own_on_publish()
    at.user = {"is_logged_in": True, "email": "anna@house.example"}
    at.run()
    assert at.button(key="ask_approval").disabled
    keys = [one.key or "" for one in at.main.button]
    assert keys.index("say_form") < keys.index(make_button(at).key)
    while any(one.key and one.key.startswith("say_") for one in at.button):
        next(one for one in at.button if one.key and one.key.startswith("say_")).click().run()
    assert not at.button(key="ask_approval").disabled
    assert make_button(at).disabled


def test_that_there_is_no_ledger_yet_is_said_and_looking_makes_none(book: Ledger) -> None:
    at = planned()
    assert any(
        f"The first release, budget or limit begins one: {book.path}" in one.value for one in at.caption
    )
    assert not book.path.exists()
    at.number_input(key="budget_epsilon").set_value(3.0)
    at.button(key="set_budget").click().run()
    assert not any("begins one" in one.value for one in at.caption)
    at.number_input(key="budget_epsilon").set_value(4.0)
    at.button(key="set_budget").click().run()
    (said,) = (one.value for one in at.caption if one.value.startswith("Budgets that were set: "))
    assert "ε = 3, δ = 10⁻⁴ (" in said
    assert "ε = 4, δ = 10⁻⁴ (" in said
    assert " UTC)" in said


def test_a_ledger_that_was_emptied_stops_everything(book: Ledger) -> None:
    book.path.write_bytes(b"")
    at = planned()
    assert "is empty: something has removed what it held" in at.error[0].value
    assert make_button(at) is None
    assert book.path.read_bytes() == b""


def test_forgetting_the_data_forgets_its_releases() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("trips.csv", TRIPS_CSV.encode()).run()
    at.session_state["released"] = ["what was made of this data"]
    at.button(key="forget_own").click().run()
    assert "released" not in at.session_state
    assert not at.exception


def test_a_release_becomes_a_whole_report_by_one_button_issue_17(book: Ledger) -> None:
    at = made(planned(), 1)
    (entry,) = account(book).entries
    at.button(key=f"report_on_release_{entry.number}").click().run()
    plan = at.session_state["report_plan"]
    # What the ledger says of all releases of these people goes along: of this one alone.
    together = {item.exhibit: item.view.together for item in plan.items if item.view.together is not None}
    assert set(together) == {"certificate", "limits"}
    assert (together["limits"].n, together["limits"].added) == (1, entry.epsilon)
    assert [item.exhibit for item in plan.items] == [
        *(
            "data",
            "wishes",
            "release_plan",
            "guarantee",
            "certificate",
            "release_maps",
            "release_risk",
            "release_use",
        ),
        *("release_analyses", "limits"),
    ]
    assert plan.items[0].data.name == "city"
    assert {item.release.certificate for item in plan.items} == {entry.certificate}
    assert plan.items[3].view.release.epsilon == 0.5
    assert finding(at) == "## 10 parts in the internal report."
    assert not at.exception


def test_gaussian_noise_is_offered_with_what_it_gives_and_taken_by_one_click_issue_18() -> None:
    at = planned(publish_weeks=CITY_WEEK)
    (offer,) = [one.value for one in at.markdown if "Gaussian noise would give more" in one.value]
    wide, narrow = (int(width) for width in re.findall(r"±(\d+)", offer)[::-1])
    assert narrow < wide
    # Integer noise of scale L/ε = 20 stays within 59 in 95 of 100 draws: 20·ln 20, by its tail.
    assert wide == pytest.approx(20 * math.log(20), abs=1)
    at.button(key="take_gaussian").click().run()
    assert at.segmented_control(key="publish_noise").value == "gaussian"
    assert f"noise is up to ±{narrow}" in " ".join(one.value for one in at.markdown)
    assert not any("would give more" in one.value for one in at.markdown)
    assert "δ = 10⁻⁶" in at.code[0].value
    (offer,) = [one.value for one in at.markdown if "A published total" in one.value]
    trips = sample_job("city").result(timeout=900).trips
    each = np.bincount(
        trips.user[: trips.week_starts[1]]
    )  # T trips in the week, of which √(10·T) count where T > 10
    taken = 1 - np.minimum(each, np.sqrt(10 * each)).sum() / each.sum()
    assert f"takes {taken:.0%} of all trips" in offer
    at.button(key="take_total").click().run()
    assert at.checkbox(key="publish_unbiased").value
    assert not any("A published total" in one.value for one in at.markdown)
    assert not at.exception


def test_visits_are_released_by_the_same_promise_and_attacked_by_one_click_issue_18(book: Ledger) -> None:
    at = planned(publish_product="visits by hour", publish_noise="gaussian")
    until(at, lambda at: any("visits would be published in all" in one.value for one in at.markdown))
    promised = at.code[0].value
    assert "different visits of one person" in promised
    assert any("--product visits" in one.value for one in at.code)
    assert at.button(key="attack_release").label == "Attack a release like this"
    limit = at.select_slider(key="bound")
    assert (limit.label, limit.value) == ("Different visits per user, at most", "10")
    assert "ε protects one visit" in limit.help
    assert strip(at)[1] == "Plan: ε 0.5, ≤ 10 visits"
    made(at)
    (part,) = parts_of_next(at)
    assert part.label.endswith("at most 10 visits per user")
    table = next(one.value for one in at.dataframe if "weeks of" in one.value)
    assert table["what"].tolist() == ["visits by hour"]
    together = next(one.value for one in at.dataframe if "ρ" in one.value)
    assert together["what is protected"].tolist()[-1] == "one trip of several: a visit at each end"
    (entry,) = account(book).entries
    assert (entry.epsilon, entry.delta) == (0.5, 1e-6)
    (released,) = at.session_state["released"]
    assert verification_from_certificate(released.folder / "certificate.json", ledger=book).holds
    table = pq.read_table(released.folder / "release.parquet")
    assert table.column_names == ["week", "zone", "weekday", "hour", "count"]
    at.session_state["counted_fold"] = True
    at.run()
    until(
        at,
        lambda at: any("are guessed right more often than the" in one.value for one in at.markdown),
    )
    # Someone with T visits adds up to a norm of √L, and the attack on it is right in no more than is promised.
    highest = next(
        float(found[1])
        for one in at.markdown
        if (found := re.search(r"most exposed in ([\d.]+)%", one.value))
    )
    best = released.certificate["guarantee"]["units"]["user-week"]["optimal_accuracy"]
    assert 50 < highest <= 100 * best + 0.06
    told = next(one.value for one in at.markdown if " visits in " in one.value)
    said = r"; published (is 1 zone|are [\d,]+ zones) " if table.num_rows else "; none of them is published"
    assert re.search(said, told)
    assert not at.exception
    at.segmented_control(key="publish_noise").set_value("integer")
    at.segmented_control(key="release_cells").set_value("discovered").run()
    assert any("--cells discovered --product visits" in one.value for one in at.code)
    assert not at.exception
    at.segmented_control(key="publish_product").set_value("flows").run()
    assert any("different trips of one person" in one.value for one in at.code)
    limit = at.select_slider(key="bound")
    assert (limit.label, limit.value) == ("Unique trips per user, at most", "10")


def test_sums_of_districts_are_said_to_gain_what_they_gain_and_made_issue_18(book: Ledger) -> None:
    at = planned(publish_noise="gaussian", publish_unbiased="true")
    assert any(
        one.value.startswith("Sums from district to district (3 × 3 blocks of zones)") for one in at.markdown
    )
    at.button(key="take_levels").click().run()
    assert at.segmented_control(key="publish_levels").value == "3 × 3"
    said = next(one.value for one in at.markdown if "Sums from district to district are" in one.value)
    gained, alone = map(float, re.findall(r"off by ([\d.]+)% of all trips instead of ([\d.]+)%", said)[0])
    assert re.search(
        r"[\d.]+% of all trips lie in flows that come within 10% of the truth by themselves", said
    )
    # 11 zones in each district make 121 cells: a sum has 4 times the noise of one cell, adding up √121 times; the rest is bias.
    assert 0.95 / math.hypot(1, 11 / 4) < gained / alone < 0.8
    assert any("--levels blocks:3" in one.value for one in at.code)
    made(at)
    folder = at.session_state["released"][0].folder
    assert verification_from_certificate(folder / "certificate.json", ledger=book).holds
    assert (folder / "levels.csv").read_text("utf-8").count("\n") == 1 + 81
    # What is given back is read in the estimates: each count times the trips of the week over what was counted of them.
    estimates = pd.read_csv(folder / "estimates.csv")
    given_back = estimates["unbiased_count"].sum() / estimates["noisy_count"].sum()
    said = next(one.value for one in at.caption if one.value.startswith("To count with:"))
    assert "the column unbiased_count of estimates.csv" in said
    taken = int(re.findall(r"the limit takes (\d+)% of all trips", said)[0]) / 100
    assert taken == pytest.approx(1 - 1 / given_back, abs=0.01)
    # Both say first how far off what one counts with is: the noise of release.csv, multiplied as the counts are. What is expected before
    # is multiplied by no noisy total: from release to release what is given back varies by 3%.
    for words, close in (("is made**", 0.06), ("oise is up to ±", 0.18)):
        (said,) = [one.value for one in at.markdown if words in one.value and "unbiased" in one.value]
        used, raw = (int(one) for one in re.findall(r"±(\d+)", said)[:2])
        assert used == pytest.approx(given_back * raw, rel=close)
    assert not at.exception


def test_before_a_week_is_named_the_command_says_all_else_that_is_chosen() -> None:
    at = opened(
        "publish",
        data="city",
        epsilon="0.5",
        bound="10",
        publish_noise="gaussian",
        publish_product="flows-by-slot",
    )
    command = next(one.value for one in at.code if "privlab release" in one.value)
    assert "--week MONDAY" in command
    assert "--noise gaussian" in command
    assert "--product flows-by-slot" in command
