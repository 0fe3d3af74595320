"""The report page: what was added elsewhere, in order, made into a file; the same from the command line."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.datasets.zone_files.geography import Geography
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.od.trips.prepared_trips import PreparedTrips, prepared_trips_from_dataset
from privlab.reports.report_plan import (
    ReportItem,
    ReportPlan,
    View,
    json_from_report_plan,
    report_plan_from_json,
)
from privlab.ui.report.report_downloads import name_of_files
from privlab.ui.state import sample_job
from tests.command_line import Answer
from tests.pages.test_all_pages import finding, on_page, opened, until
from tests.pages.test_plan import own

VIEW = View(release=ReleaseParameters(epsilon=0.66))


@pytest.fixture(scope="module", autouse=True)
def _samples_ready():
    sample_job("city").result(timeout=900)


def collected() -> AppTest:
    """A report of three parts: the attack at k = 20, the people, the attack at k = 3."""
    at = opened("attack", data="city", k="20")
    at.button(key="add_attack").click().run()
    at.button(key="add_people").click().run()
    at.slider(key="k").set_value(3).run()
    at.button(key="add_attack").click().run()
    assert not at.exception
    return at.switch_page("../../pages/report.py").run()


def titles(at: AppTest) -> list[str]:
    found = (re.match(r"\*\*\d+\. (.*?)\*\*", element.value) for element in at.markdown)
    return [match[1] for match in found if match]


def made(at: AppTest) -> str:
    at.button(key="make_report").click().run()
    until(at, lambda at: any(b.proto.label == "Download HTML" for b in at.get("download_button")))
    return at.session_state["work of report"].job.result().html


def test_an_empty_report_says_how_to_fill_it() -> None:
    at = opened("report", data="city")
    assert finding(at) == "## Nothing is in the report yet."
    assert "Add to report" in at.info[0].value
    assert at.button(key="make_report").disabled


def test_parts_are_collected_ordered_noted_and_taken_out() -> None:
    at = collected()
    assert finding(at) == "## 3 parts in the internal report."
    assert titles(at) == [
        "The attack against the claim",
        "Unique trips per user",
        "The attack against the claim",
    ]
    at.text_input(key="note_0_attack").set_value("first").run()
    at.button(key="down_0").click().run()
    assert titles(at)[0] == "Unique trips per user"
    assert at.text_input(key="note_1_attack").value == "first"
    assert at.text_input(key="note_2_attack").value == ""
    at.button(key="out_0").click().run()
    assert finding(at) == "## 2 parts in the internal report."
    html = made(at)
    # docs/science.md, section 2.3: accuracies at k = 20 and k = 3.
    assert "91.1 times in 100" in html
    assert "71 times in 100" in html
    assert html.index("91.1 times") < html.index("71 times")
    assert ">first<" in html


def test_a_part_that_is_there_is_not_put_there_twice() -> None:
    at = opened("attack", data="city", k="20")
    for _ in range(2):
        at.button(key="add_people").click().run()
    assert "is in the report already, with these settings: part 1." in at.toast[-1].value
    at.select_slider(key="bound").set_value("5").run()
    at.button(key="add_people").click().run()
    assert [item.exhibit for item in at.session_state["report_plan"].items] == ["people", "people"]


def test_an_external_report_refuses_true_data() -> None:
    at = collected()
    at.segmented_control(key="report_kind").set_value("external").run()
    assert any("shows true data and cannot stand" in element.value for element in at.warning)
    assert at.button(key="make_report").disabled
    at.button(key="out_1").click().run()
    assert not at.button(key="make_report").disabled
    assert "External: holds nothing of the true data" in made(at)


def test_parts_under_other_plans_are_flagged_and_brought_up_to_date_issue_16() -> None:
    at = opened("attack", data="city")
    at.button(key="add_attack").click().run()
    at.select_slider(key="epsilon").set_value("2").run()
    at.button(key="add_attack").click().run()
    at.switch_page("../../pages/report.py").run()
    mixed = (
        "Part 1: ε = 0.66, threshold 100, Laplace noise, no bound on trips per user; part 2: ε = 2, threshold"
    )
    assert [mixed in one.value for one in at.warning if one.value.startswith("Mixed plans")] == [True]
    assert len([one for one in at.info if one.value.startswith("Stale")]) == 1
    html = made(at)
    assert mixed in html
    assert '<p class="caption">Plan: ε = 0.66, threshold 100,' in html
    assert '<p class="caption">Plan: ε = 2, threshold 100,' in html
    at.button(key="now_0").click().run()
    assert not [one for one in at.warning if one.value.startswith("Mixed plans")]
    assert not [one for one in at.info if one.value.startswith("Stale")]
    assert "Mixed plans" not in made(at)


def test_parts_brought_up_to_date_take_the_noise_of_the_plan_too() -> None:
    """A part that kept Gaussian noise without a limit promised what no such noise holds."""
    at = opened("report", data="city", epsilon="1", bound="10", mechanism="Gaussian noise")
    at.button(key="report_on_data").click().run()
    on_page(at, "attack")
    at.button(key="add_people").click().run()
    on_page(at, "report")
    assert not [one for one in at.info if one.value.startswith("Stale")]
    assert noises(at) == {"gaussian"}
    on_page(at, "release")
    at.selectbox(key="mechanism").select_index(0).run()
    at.select_slider(key="bound").set_value("no bound").run()
    on_page(at, "report")
    stale = [one.value for one in at.info if one.value.startswith("Stale")]
    assert stale
    assert not [one for one in stale if "Gaussian" in one]
    brought_up_to_date(at)
    assert noises(at) == {None}
    assert "Gaussian noise, no bound" not in made(at)
    on_page(at, "release")
    at.select_slider(key="bound").set_value("10").run()
    at.selectbox(key="mechanism").set_value("gaussian, l2").run()
    on_page(at, "report")
    assert [one for one in at.info if one.value.startswith("Stale") and "Gaussian" in one.value]
    brought_up_to_date(at)
    assert noises(at) == {"gaussian"}


def test_parts_brought_up_to_date_take_the_flows_that_get_noise_too() -> None:
    """A part kept flows of before: it judged people by noise on all possible flows where whoever is alone in one is known."""
    at = opened("report", data="commuters", epsilon="1", bound="5", threshold="20", noise="integer")
    until(at, has_report_on_data).button(key="report_on_data").click().run()
    on_page(at, "release")
    until(at, lambda one: any(button.key == "add_error" for button in one.button))
    at.button(key="add_error").click().run()
    on_page(at, "report")
    assert not [one for one in at.info if one.value.startswith("Stale")]
    on_page(at, "guarantee")
    at.segmented_control(key="release_cells").set_value("discovered").run()
    on_page(at, "report")
    assert [
        one for one in at.info if one.value.startswith("Stale") and "flows found in the data" in one.value
    ]
    brought_up_to_date(at)
    items = {item.exhibit: item.view.option("cells") for item in at.session_state["report_plan"].items}
    found = ("person_risks", "attack", "guarantee", "simulated_use", "limits", "error", "data")
    assert {items[name] for name in found} == {"discovered"}
    anew = opened(
        "report", data="commuters", epsilon="1", bound="5", threshold="20", release_cells="discovered"
    )
    until(anew, has_report_on_data).button(key="report_on_data").click().run()
    said = {item.exhibit: item.view.option("cells") for item in anew.session_state["report_plan"].items}
    assert said == {name: cells for name, cells in items.items() if name != "error"}


def has_report_on_data(at: AppTest) -> bool:
    return any(one.key == "report_on_data" for one in at.button)


def noises(at: AppTest) -> set[object]:
    """Return the noise that the parts of the report are told of, but for the attack on a claim."""
    return {
        item.view.option("law") for item in at.session_state["report_plan"].items if item.exhibit != "attack"
    }


def brought_up_to_date(at: AppTest) -> None:
    while keys := [one.key for one in at.button if (one.key or "").startswith("now_") and not one.disabled]:
        at.button(key=keys[0]).click().run()


def test_page_and_command_line_make_the_same_report(tmp_path: Path, answer: Answer) -> None:
    at = collected()
    html = made(at)
    plan = tmp_path / "plan.json"
    plan.write_text(json_from_report_plan(at.session_state["report_plan"]), "utf-8")
    out = tmp_path / "report.html"
    assert answer("report", plan, "--out", out, "--json")["parts"] == 3
    assert out.read_text("utf-8") == html


def test_a_plan_that_is_loaded_is_the_report() -> None:
    saved = json_from_report_plan(collected().session_state["report_plan"])
    at = opened("report", data="city")
    at.file_uploader(key="load_plan").upload("plan.json", saved.encode()).run()
    assert finding(at) == "## 3 parts in the internal report."
    assert at.session_state["report_plan"] == report_plan_from_json(saved)
    at.file_uploader(key="load_plan").upload("other.json", b"[1, 2]").run()
    assert "This is not a report plan" in at.error[0].value
    assert finding(at) == "## 3 parts in the internal report."


def test_the_command_line_names_what_is_wrong(tmp_path: Path, answer: Answer) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text("{}", "utf-8")
    said = answer("report", plan, "--out", tmp_path / "r.html", fails=True)
    assert said.strip().endswith("Is it the file that the page Report saves?")


def test_files_of_the_other_kind_are_named_as_such_issue_17() -> None:
    at = opened("attack", data="city", k="20")
    at.button(key="add_attack").click().run()
    at.switch_page("../../pages/report.py").run()
    for one in ("docx", "md"):
        at.checkbox(key=f"report_{one}").check()
    made(at)
    at.segmented_control(key="report_kind").set_value("external").run()
    labels = {label for one in at.get("download_button") if (label := one.proto.label).startswith("Download")}
    assert labels == {
        "Download HTML (internal)", "Download Word (internal)", "Download Markdown (internal, ZIP)",
    }  # fmt: skip
    assert any("the external one is not made yet" in one.value for one in at.info)
    made(at)
    labels = {one.proto.label for one in at.get("download_button")}
    assert "Download HTML" in labels
    assert not any("not made yet" in one.value for one in at.info)


def test_what_may_not_be_published_is_taken_out_beside_the_words_that_refuse_it() -> None:
    at = collected()
    at.segmented_control(key="report_kind").set_value("external").run()
    keys = [one.key for one in at.button]
    assert keys.index("make_report") - keys.index("only_public") == 1


def test_names_of_files_say_the_kind_once() -> None:
    plan = ReportPlan(title="On cabs")
    people = ReportItem(exhibit="people", view=VIEW)
    attack = ReportItem(exhibit="attack", view=VIEW)
    assert name_of_files(replace(plan, items=(people, attack))) == "INTERNAL_On_cabs"
    assert name_of_files(replace(plan, items=(attack,))) == "On_cabs_internal"
    assert name_of_files(replace(plan, kind="external", items=(attack,))) == "On_cabs_external"


def test_a_report_without_a_figure_has_no_pictures_and_says_so() -> None:
    at = opened("guarantee", data="city", bound="3")
    at.button(key="add_guarantee").click().run()
    at.switch_page("../../pages/report.py").run()
    at.checkbox(key="report_png").check()
    made(at)
    assert "Download pictures (ZIP)" not in {one.proto.label for one in at.get("download_button")}
    assert any("No part of this report has a figure" in one.value for one in at.caption)


def test_k_gaps_that_the_page_has_found_are_not_searched_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page has taken minutes for, its report has at once, and says the same of."""
    sample_job("subscribers").result(timeout=900)
    at = opened("anonymizability", data="subscribers", judged="100")
    at = until(at, lambda at: any(one.key == "add_kgap" for one in at.button))
    at.button(key="add_kgap").click().run()

    def searched(*what: object, **how: object) -> None:
        raise AssertionError(
            "searched for again"
        )  # of which the page tells: what pytest raises ends the job unheard

    monkeypatch.setattr("privlab.lab.reporting.collect.kgap_study_from_fingerprints", searched)
    html = made(at.switch_page("../../pages/report.py").run())
    assert "100 people drawn by the seed, each against all 5,000" in html


@pytest.fixture
def five(tmp_path: Path) -> PreparedTrips:
    """Five people on Monday 2 March 2026, in a file of one's own."""
    rows = [
        f"u{n},2026-03-02 {8 + hour:02d}:00,{zone}" for n in range(5) for hour, zone in enumerate((1, 2, 3))
    ]
    path = tmp_path / "zzfilezz.csv"
    path.write_text("user,time,zone\n" + "\n".join(rows) + "\n")
    with Workspace(threads=2) as workspace:
        zoning = ColumnZoning(geography=Geography(zones=[1, 2, 3]))
        return prepared_trips_from_dataset(read_dataset(path, workspace=workspace), zoning, seed=1)


def test_an_external_report_and_its_plan_do_not_name_one_s_own_file(five: PreparedTrips) -> None:
    at = own(opened("data", data="city", bound="10"), five, "report")
    at.button(key="report_on_data").click().run()
    at = at.switch_page("../../pages/report.py").run()
    assert at.session_state["report_plan"].title == "Risk report on zzfilezz.csv"
    at.segmented_control(key="report_kind").set_value("external").run()
    assert at.text_input(key="report_title").value == "Risk report"
    at.button(key="only_public").click().run()
    plan = at.session_state["report_plan"]
    assert plan.items
    saved = json_from_report_plan(plan)
    for word in ("zzfilezz", five.source_digest, five.trips.weeks[0]):
        assert word not in saved
    html = made(at)
    assert "zzfilezz.csv" not in html
    assert five.source_digest[:8] not in html
