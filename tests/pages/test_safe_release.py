"""Releases that must not happen by one click: what Publish asks first, and what Guarantee says of an empty one."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from privlab.releases.ledger.ledger import LEDGER_VARIABLE, Ledger
from privlab.ui.state import sample_job
from tests.pages.small_city import small_city
from tests.pages.test_all_pages import opened, until
from tests.pages.test_publish import made, make_button
from tests.pages.test_sources import load

WEEK = "2026-03-02"


@pytest.fixture(scope="module", autouse=True)
def _samples_ready():
    for name in ("city", "commuters"):
        sample_job(name).result(timeout=900)


@pytest.fixture(autouse=True)
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setenv(LEDGER_VARIABLE, str(tmp_path / "ledger.sqlite"))
    return Ledger(tmp_path / "ledger.sqlite")


def reason(at: AppTest, kind: str):
    return next((one for one in at.text_input if (one.key or "").startswith(f"accept_{kind}_")), None)


def on_publish(data: str, **address: str) -> AppTest:
    at = opened("publish", data=data, **address)
    weeks = at.multiselect(key="publish_weeks")
    return weeks.set_value([WEEK if data == "city" else weeks.options[0]]).run()


def led_to(at: AppTest) -> list[str]:
    """Return the pages to which an empty release leads."""
    links = [one.proto for one in at.get("page_link")]
    return [one.page for one in links if one.label == "Plan a release that holds something"]


def captions(at: AppTest) -> str:
    return " ".join(one.value for one in at.caption)


def test_a_delta_of_1_is_refused_and_the_lowest_threshold_is_one_click_away(book: Ledger) -> None:
    at = on_publish("commuters", epsilon="4", bound="20", threshold="5", release_cells="discovered")
    assert make_button(at).disabled
    assert any("delta must be at most 10⁻⁴" in one.value for one in at.error)
    assert "For publication" not in " ".join(one.value for one in at.markdown)
    assert "With a δ of 1 nothing is promised to anyone" in captions(at)
    at.button(key="use_threshold").click().run()
    # 20·a^{τ−1}/(1+a) ≤ 10⁻⁶, a = e^{−1/5}: τ ≥ 1 + 5·ln(2·10⁷/1.819)
    assert at.select_slider(key="threshold").value == "83"
    assert reason(at, "delta") is None
    assert not at.exception


@pytest.fixture
def _few_in_the_city(tmp_path: Path) -> Iterator[None]:
    with small_city(tmp_path):
        yield
    sample_job("city").result(timeout=900)


@pytest.mark.usefixtures("_few_in_the_city")
def test_a_reason_in_words_lets_it_through_and_stands_in_the_certificate(book: Ledger) -> None:
    at = on_publish("city", epsilon="1", bound="10", threshold="100", release_cells="discovered")
    assert make_button(at).disabled
    reason(at, "delta").set_value("the people agreed in writing").run()
    assert not make_button(at).disabled
    at.text_input(key="publisher").set_value("City of Sample, data@sample.example").run()
    assert any(
        "--publisher 'City of Sample, data@sample.example' --accept-delta 'the people agreed in writing'"
        in one.value
        for one in at.code
    )
    at.text_input(key="source").set_value("  ").run()
    made(at)
    certificate = at.session_state["released"][0].certificate
    assert certificate["said_by_publisher"] == {"publisher": "City of Sample, data@sample.example"}
    assert certificate["accepted"] == {"delta": "the people agreed in writing"}
    assert at.session_state["released"][0].verdict.colour == "red"


def test_before_the_button_stands_what_is_expected_and_a_week_without_trips_needs_a_reason(
    book: Ledger,
) -> None:
    at = on_publish("city", epsilon="0.5", bound="10")
    assert any("would be false;" in one.value for one in at.markdown)
    assert not make_button(at).disabled
    at.multiselect(key="publish_weeks").set_value(["2026-03-16"]).run()
    assert any("There is no trip in the week of 2026-03-16" in one.value for one in at.error)
    assert make_button(at).disabled
    reason(at, "made_up").set_value("nobody may know that the line was closed").run()
    assert not make_button(at).disabled
    assert not at.exception


def test_a_release_of_little_use_is_red_before_it_is_made() -> None:
    """The colours of the report's first page, against what the page itself expects."""
    seen = {}
    for epsilon, bound in (("0.66", "10"), ("10", "50")):
        at = on_publish("city", epsilon=epsilon, bound=bound, threshold="20")
        (said,) = (one.value for one in at.caption if "wished on Plan are" in one.value)
        close, wished = (float(one) / 100 for one in re.findall(r"([\d.]+)%", re.sub("within 10%", "", said)))
        colour = "green" if close >= wished else "orange" if close >= wished / 2 else "red"
        (badge,) = (one.value for one in at.markdown if "wished" in one.value and "-badge[" in one.value)
        assert f":{colour}-badge[" in badge
        assert any(one.proto.label == "Find a release of more use" for one in at.get("page_link")) == (
            colour == "red"
        )
        seen[colour] = close
    assert set(seen) == {"green", "red"}, seen


def test_an_empty_release_is_said_to_be_one_and_leads_to_the_plan() -> None:
    at = opened("guarantee", data="commuters")
    (said,) = (one.value for one in at.warning if one.value.startswith("Nothing is published"))
    prepared = sample_job("commuters").result(timeout=900)
    week = at.selectbox(key="week").value
    part = prepared.trips.weeks.index(week)
    flows = prepared.trips.flow[slice(*prepared.trips.week_starts[part : part + 2])].tolist()
    largest = max(flows.count(flow) for flow in set(flows[:2000])) if len(flows) < 2000 else None
    assert "and counts below 100 are left out" in said
    if largest is not None:
        assert f"your largest flow has {largest} people" in said
    assert not any("people judged" in one.value for one in at.markdown)
    assert len(at.dataframe) == 0
    assert led_to(at) == ["plan"]


def test_cells_are_one_setting_on_every_page() -> None:
    at = opened("guarantee", data="city", bound="10")
    at.segmented_control(key="release_cells").set_value("discovered").run()
    at.switch_page("../../pages/publish.py").run()
    assert at.segmented_control(key="release_cells").value == "discovered"
    at.segmented_control(key="release_cells").set_value("public").run()
    at.switch_page("../../pages/guarantee.py").run()
    assert at.segmented_control(key="release_cells").value == "public"


@pytest.mark.parametrize("name", ["guarantee_cells", "publish_cells", "cells", "release_cells"])
@pytest.mark.parametrize("page", ["guarantee", "publish"])
def test_addresses_of_before_open_the_same_cells(name: str, page: str) -> None:
    at = opened(page, data="city", bound="10", **{name: "discovered"})
    assert at.segmented_control(key="release_cells").value == "discovered"
    assert not at.exception


def test_cells_begin_with_what_the_data_allows() -> None:
    sample_job("subscribers").result(timeout=900)
    at = opened("guarantee", data="subscribers", bound="10")
    assert at.segmented_control(key="release_cells").options == ["only those in the data"]
    at.selectbox(key="data").set_value("city").run()
    assert at.segmented_control(key="release_cells").value == "public"
    at.segmented_control(key="release_cells").set_value("discovered").run()
    at.selectbox(key="data").set_value("subscribers").run()
    at.selectbox(key="data").set_value("city").run()
    assert at.segmented_control(key="release_cells").value == "discovered"


def test_a_threshold_of_0_with_flows_found_in_the_data_has_a_way_on() -> None:
    at = opened("data", bound="3", threshold="0", epsilon="1")
    rows = "".join(f"u{n},2026-03-02 {8 + n % 9:02d}:10,{n % 4 + 1},{(n + 1) % 4 + 1}\n" for n in range(40))
    at.file_uploader(key="upload").upload("trips.csv", f"user,time,origin,destination\n{rows}".encode()).run()
    load(at)
    at.switch_page("../../pages/publish.py").run()
    until(at, lambda at: any(one.key == "publish_weeks" for one in at.multiselect))
    weeks = at.multiselect(key="publish_weeks")
    weeks.set_value(weeks.options[:1]).run()
    assert any("threshold must be at least 1" in one.value for one in at.warning)
    at.button(key="threshold_one").click().run()
    assert not any("threshold must be at least 1" in one.value for one in at.warning)
