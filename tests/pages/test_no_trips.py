"""Records too sparse for a trip: what can be judged of them is judged, and every page about trips leads on."""

import random

import pytest
from streamlit.testing.v1 import AppTest

from privlab.ui.state import sample_job
from tests.pages.test_all_pages import SAMPLES, finding, on_page, opened, until
from tests.pages.test_sources import load, shown


@pytest.fixture(scope="module", autouse=True)
def _samples_ready() -> None:
    for name in SAMPLES:
        sample_job(name).result(timeout=900)


def sparse_records(n_users: int = 60) -> bytes:
    """People who are seen at 8, 13 and 19 o'clock on seven days, near home: no hour with a record follows on another."""
    drawn = random.Random(1)
    rows = ["user,time,lat,lon"]
    for user in range(n_users):
        lat, lon = 45 + drawn.random() / 10, 5 + drawn.random() / 10
        for day in range(2, 9):
            for hour in (8, 13, 19):
                place = f"{lat + drawn.uniform(-0.01, 0.01):.5f},{lon + drawn.uniform(-0.01, 0.01):.5f}"
                rows.append(f"u{user},2026-03-{day:02} {hour:02}:30,{place}")
    return "\n".join(rows).encode()


@pytest.fixture
def at() -> AppTest:
    at = opened("data")
    at.file_uploader(key="upload").upload("sparse.csv", sparse_records()).run()
    return load(at)


def links(at: AppTest) -> set[str]:
    return {link.proto.label for link in at.get("page_link")}


def test_the_page_data_says_what_can_be_known_of_them_issue_17(at: AppTest) -> None:
    assert (shown(at)["users"], shown(at)["trips"]) == ("60", "0")
    assert finding(at).startswith("## Nobody in sparse.csv made a trip between zones")
    assert any("records became 0 trips" in one.value for one in at.markdown)
    assert "See how hard its people are to hide" in links(at)


def test_pages_about_trips_lead_on_to_those_that_can_judge_them_issue_17(at: AppTest) -> None:
    for page in ("attack", "plan", "release", "guarantee"):
        on_page(at, page)
        assert not at.exception
        (said,) = [one.value for one in at.warning]
        assert said.startswith("This page is about trips, and in sparse.csv there is none.")
        assert {
            "See how hard its people are to hide",
            "Choose other zones, or bring more records",
        } <= links(at)
    on_page(at, "anonymizability")
    until(at, lambda at: any(one.value.startswith("## ") for one in at.markdown))
    assert not at.exception
    assert "of 59 other people" in finding(at)
    for page in ("groups", "recovery", "tour"):
        on_page(at, page)
        assert not at.exception
    on_page(at, "report")
    assert at.button(key="report_on_data").disabled


def test_visits_of_them_can_be_published_issue_17(at: AppTest) -> None:
    """The command has always made such a release: that nobody moves is true data, which no refusal may hang on."""
    on_page(at, "publish")
    assert any("Flows would be noise alone" in one.value for one in at.warning)
    at.button(key="take_visits").click().run()
    assert at.select_slider(key="bound").value == "10"
    assert not at.warning
    at.button(key="name_week").click().run()
    assert not at.exception
    (promise,) = [one.value for one in at.code if "ε" in one.value and "visits" in one.value]
    assert "different visits of one person that are counted: at most 10" in promise


def test_home_says_that_there_is_no_trip(at: AppTest) -> None:
    at.switch_page("../../pages/home.py").run()
    assert not at.exception
    assert any(
        one.value.startswith("This page is about trips, and in sparse.csv there is none.")
        for one in at.warning
    )
    assert "See how hard its people are to hide" in links(at)


def test_flows_by_slot_lead_to_visits_too(at: AppTest) -> None:
    on_page(at, "publish")
    at.select_slider(key="bound").set_value("10").run()
    at.segmented_control(key="publish_product").set_value("flows-by-slot").run()
    assert any("Flows would be noise alone" in one.value for one in at.warning)
    assert any(one.key == "take_visits" for one in at.button)
