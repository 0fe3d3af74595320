"""What pages promise and of whom: both readings of a promise, the cells that it is for, people who are not in the week."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from math import exp
from pathlib import Path
from statistics import NormalDist

import pytest
from streamlit.testing.v1 import AppTest

from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.datasets.zone_files.geography import Geography
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning
from privlab.dp.gaussian import GaussianParameters
from privlab.kept.kept_places import RUNS_VARIABLE
from privlab.kept.runs import Runs
from privlab.lab.loading import profiled_dataset
from privlab.od.trips.prepared_trips import PreparedTrips, prepared_trips_from_dataset
from privlab.releases.ledger.ledger import LEDGER_VARIABLE
from privlab.ui.state import OWN, sample_job
from privlab.ui.tour import tour_people
from tests.pages.small_city import small_city
from tests.pages.test_all_pages import finding, opened, until
from tests.pages.test_plan import own
from tests.pages.test_publish import made, make_button
from tests.pages.test_report import made as report_of
from tests.pages.test_safe_release import led_to

WEEK = "2026-03-02"


@pytest.fixture(scope="module", autouse=True)
def _city_ready() -> None:
    sample_job("city").result(timeout=900)


@pytest.fixture(autouse=True)
def _book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LEDGER_VARIABLE, str(tmp_path / "ledger.sqlite"))


def on_publish(**address: str) -> AppTest:
    at = opened("publish", data="city", epsilon="1", bound="10", **address)
    return at.multiselect(key="publish_weeks").set_value([WEEK]).run()


def planned(**address: str) -> AppTest:
    return until(opened("plan", data="city", **address), lambda at: bool(at.get("plotly_chart")))


def code(at: AppTest) -> str:
    return " ".join(one.value for one in at.code)


def test_publish_says_how_often_a_guess_is_right_and_how_often_it_is_certain() -> None:
    said = on_publish(threshold="0").code[0].value
    assert "guesses right in at most" in said
    assert "(a coin: 50%)" in said
    assert "is never more than 73.2% certain of someone who is" in said  # σ(1) = 0.73106
    assert "held both answers for equally likely" in said


def test_a_plan_of_discovered_cells_can_be_released_without_a_reason() -> None:
    at = planned(
        release_cells="discovered", max_accuracy="70", min_utility="20", made_up="10", plan_noise="integer"
    )
    assert "Only flows found in the data are published" in finding(at)
    assert "--cells discovered" in code(at)
    words = re.search(r"ε = ([\d.]+), at most ([\d,]+) trips .* threshold ([\d,]*\d)", finding(at))
    assert words is not None
    epsilon, bound, threshold = (float(one.replace(",", "")) for one in words.groups())
    a = exp(-epsilon / bound)
    assert bound * a ** (threshold - 1) / (1 + a) <= 1e-6
    at.button(key="use_plan").click().run()
    at.switch_page("../../pages/publish.py").run()
    at.multiselect(key="publish_weeks").set_value([WEEK]).run()
    assert at.segmented_control(key="release_cells").value == "discovered"
    assert not any("delta must be" in one.value for one in at.error)
    assert not make_button(at).disabled


def test_plan_offers_the_cells_that_the_data_allows() -> None:
    assert "--cells" not in code(planned())
    sample_job("subscribers").result(timeout=900)
    at = opened("plan", data="subscribers")
    assert at.segmented_control(key="release_cells").options == ["only those in the data"]


@pytest.fixture
def _few_in_the_city(tmp_path: Path) -> Iterator[None]:
    with small_city(tmp_path):
        yield
    sample_job("city").result(timeout=900)


@pytest.mark.usefixtures("_few_in_the_city")
def test_a_release_stays_after_a_reload_and_its_report_carries_the_promise_of_the_cells_that_ran_issue_16() -> (
    None
):
    at = made(on_publish(threshold="200", release_cells="discovered"))
    release = at.session_state["released"][0]
    again = opened("publish", data="city", epsilon="1", bound="10")  # a session of its own
    assert "released" not in again.session_state
    kept = [one.proto.label for one in again.get("download_button")]
    assert f"Release {release.entry} (ZIP)" in kept
    promise = release.certificate["guarantee"]["statement"]
    assert "δ = " in promise
    at.segmented_control(key="release_cells").set_value("public").run()
    said = [one.value for one in at.code if one.value.startswith("Whatever one person did")]
    assert said[0] == promise  # of the one that was made, which stands first
    assert ["δ = " in one for one in said] == [True, False]  # and of the next one
    at.button(key=f"add_promise_{release.entry}").click().run()
    together = at.session_state["report_plan"].items[0].view.together
    assert (together.n, together.added) == (1, 1.0)  # the only one that this ledger holds of these people
    at.switch_page("../../pages/report.py").run()
    assert not [one for one in at.info if one.value.startswith("Stale")]
    assert any("only flows found in the data" in one.value for one in at.caption)
    assert promise in report_of(at).replace("&#39;", "'")


def test_a_promise_for_other_cells_is_stale_and_two_of_them_are_mixed() -> None:
    at = opened("guarantee", data="city", epsilon="1", bound="10", threshold="200")
    at.button(key="add_guarantee").click().run()
    at.segmented_control(key="release_cells").set_value("discovered").run()
    at.button(key="add_guarantee").click().run()
    at.switch_page("../../pages/report.py").run()
    assert [
        one.value
        for one in at.warning
        if "all possible flows considered" in one.value and "only flows found in the data" in one.value
    ]
    assert (
        len([one for one in at.info if one.value.startswith("Stale") and "found in the data" in one.value])
        == 1
    )
    at.button(key="now_0").click().run()
    assert not [one for one in at.info if one.value.startswith("Stale")]
    assert not [one for one in at.warning if one.value.startswith("Mixed plans")]


def test_the_best_attack_on_discovered_cells_is_said_to_be_a_bound() -> None:
    for cells, words in (("public", "known exactly"), ("discovered", "a bound, not exact")):
        at = opened("guarantee", data="city", epsilon="1", bound="10", threshold="200", release_cells=cells)
        assert any(words in one.value for one in at.caption), cells


@pytest.fixture(scope="module")
def two_weeks(tmp_path_factory: pytest.TempPathFactory) -> PreparedTrips:
    """Ten people go 1→2 in the first week; three others go 2→1 in the second."""
    rows = [f"a{n},2026-03-02 {hour}:00,{zone}" for n in range(10) for hour, zone in (("08", 1), ("09", 2))]
    rows += [f"b{n},2026-03-09 {hour}:00,{zone}" for n in range(3) for hour, zone in (("08", 2), ("09", 1))]
    path = tmp_path_factory.mktemp("data") / "weeks.csv"
    path.write_text("user,time,zone\n" + "\n".join(rows) + "\n")
    with Workspace(threads=2) as workspace:
        return prepared_trips_from_dataset(
            read_dataset(path, workspace=workspace), ColumnZoning(geography=None), seed=1
        )


def test_who_is_not_in_the_released_week_is_not_counted_as_safe_by_hand(two_weeks: PreparedTrips) -> None:
    at = own(opened("guarantee", threshold="2", epsilon="0.66", week=WEEK), two_weeks, "guarantee")
    said = next(one.value for one in at.markdown if "judged who have a trip" in one.value)
    assert said.startswith("Of 10 people judged who have a trip in the released period, 0 (0.0%)")
    assert "The other 3 of 13 people judged have no trip in it: they are not at risk" in said
    # One trip each, of nine others, above the threshold: 1 − ½e^{−0.33} = 0.6405, not the 0.5 of those who are not in.
    assert {one.label: one.value for one in at.metric}["median"] == "64.1%"


def test_what_cannot_be_promised_hides_nothing_of_the_people(two_weeks: PreparedTrips) -> None:
    at = own(opened("guarantee", threshold="0", epsilon="0.66", week=WEEK), two_weeks, "guarantee")
    assert at.segmented_control(key="release_cells").options == ["only those in the data"]
    assert [one.value for one in at.error] == [
        "threshold must be at least 1 where only discovered cells are published, got 0."
    ]
    assert len(at.code) <= 2  # no sentence to publish, only commands
    assert any("Of 10 people judged who have a trip" in one.value for one in at.markdown)


def test_an_empty_release_of_own_data_names_its_largest_flow_by_hand(two_weeks: PreparedTrips) -> None:
    at = own(opened("guarantee", threshold="100", epsilon="0.66", week=WEEK), two_weeks, "guarantee")
    (said,) = (one.value for one in at.warning if one.value.startswith("Nothing is published"))
    assert said.startswith("Nothing is published: your largest flow has 10 people")
    assert len(at.dataframe) == 0
    assert led_to(at) == ["plan"]


@pytest.mark.parametrize("page", ["attack", "data"])
def test_where_nothing_is_published_the_attack_is_said_to_be_of_another_release(
    two_weeks: PreparedTrips, page: str
) -> None:
    """Of five people the page said “85 times in 100”, and Release that none of their flows would be published."""
    none = "Nothing is published: your largest flow has 10 people, and counts below 100 are left out. What follows is of a release"
    at = own(opened(page, threshold="100", epsilon="0.66", week=WEEK), two_weeks, page)
    assert finding(at).removeprefix("## ").startswith(none)
    at = own(opened(page, threshold="1", epsilon="0.66", week=WEEK), two_weeks, page)
    assert "Nothing is published" not in finding(at)


def test_the_attack_begins_with_as_many_trips_as_somebody_has(two_weeks: PreparedTrips) -> None:
    """k follows the data until it is set, by hand or in the address; 12 stands where somebody has as many."""
    most = max(Counter(two_weeks.trips.user[slice(*two_weeks.trips.week_starts[:2])].tolist()).values())
    assert most < 12
    at = own(opened("attack", week=WEEK), two_weeks, "attack")
    assert at.slider(key="k").value == most
    assert f"About someone with {most} unique trip" in finding(at)
    at.session_state["choose_data"] = "city"
    assert at.run().slider(key="k").value == 12
    at.session_state["choose_data"] = OWN
    assert at.run().slider(key="k").value == most
    at.slider(key="k").set_value(9).run()
    at.session_state["choose_data"] = "city"
    assert at.run().slider(key="k").value == 9
    assert own(opened("attack", week=WEEK, k="7"), two_weeks, "attack").slider(key="k").value == 7


def test_publish_says_that_a_release_would_be_empty_and_leads_to_the_plan() -> None:
    at = on_publish(threshold="50000")  # no flow of the sample has as many people
    (said,) = (one.value for one in at.error if "Nothing is published" in one.value)
    prepared = sample_job("city").result(timeout=900)
    part = prepared.trips.weeks.index(WEEK)
    flows = prepared.trips.flow[slice(*prepared.trips.week_starts[part : part + 2])]
    largest = max(Counter(flows.tolist()).values())
    assert said.startswith("The release would be empty, and its cost, ε = ")
    assert f"Nothing is published: your largest flow has {largest:,} people" in said
    assert all(one.disabled for one in at.button if one.label == "Make the release")
    assert led_to(at) == ["plan"]


def test_the_headline_of_the_tour_follows_epsilon_and_names_whose_claim() -> None:
    at = until(opened("tour", step="1"), lambda at: bool(at.get("plotly_chart")))
    assert "with ε = 0.66 (as published)" in at.markdown[1].value
    at.select_slider(key="tour_epsilon").set_value("2").run()
    # e²/(1 + e²) = 0.88080: no bound is rounded down
    assert (
        "The same claim read anew at ε = 2: an attacker gains at most 38.1%, and is right at most 88.1 times in 100"
        in at.markdown[1].value
    )
    assert "“" not in at.markdown[1].value  # only what was said stands in quotation marks
    assert "0.66" not in at.markdown[1].value


def test_figures_of_the_tour_name_the_sample_they_are_of() -> None:
    at = until(opened("tour", data="city", step="6"), lambda at: bool(at.get("plotly_chart")))
    title = json.loads(at.get("plotly_chart")[0].proto.spec)["layout"]["title"]
    assert "cabs" in title["subtitle"]["text"]
    assert "city" not in title["subtitle"]["text"]


def test_regularity_is_asked_with_weeks_apart_and_its_control_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RUNS_VARIABLE, str(tmp_path / "runs.sqlite"))
    monkeypatch.setattr(tour_people, "_TARGETS", 3)
    at = opened("tour", step="7", tour_m2="10")
    until(at, lambda at: bool(at.get("plotly_chart")))
    assert any("in earlier weeks: mean AUC" in one.value for one in at.markdown)
    drawn = json.loads(at.get("plotly_chart")[0].proto.spec)["data"]
    assert {"commuters", "hours shuffled"} <= {str(curve.get("name", "")).split(",")[0] for curve in drawn}
    runs = Runs(tmp_path / "runs.sqlite").all()
    assert len(runs) == 2
    assert {run.parameters.prior for run in runs} == {"different-groups"}


def test_the_audit_catches_half_the_noise_at_twenty_flows() -> None:
    """It has no seed: with 2,000 runs one audit in 2,000 does not catch it, with 5,000 one in 10^9."""
    at = opened("guarantee", data="city", epsilon="1", bound="20", runs="5000")
    at.pills(key="audited").set_value(["half-scale"]).run()
    at.button(key="run_audit").click().run()
    until(at, lambda one: any("its ε is at least" in said.value for said in one.markdown))
    told = next(one.value for one in at.markdown if "its ε is at least" in one.value)
    assert told.startswith("- **Caught.** Broken: half the noise (ε = 1, L = 20)")
    assert "54.4% is the most" in told


def test_the_audit_catches_gaussian_noise_whose_clip_forgets_the_root_where_there_is_one() -> None:
    """Forty trips of weight 1 have a norm of 2·√10, twice what is promised: right in Φ(1/4.2247) = .594, where .547 is the most."""
    at = opened("guarantee", data="city", epsilon="1", bound="10", runs="5000")
    at.pills(key="audited").set_value(["gaussian-norm-not-rooted"]).run()
    at.button(key="run_audit").click().run()
    until(at, lambda one: any("its ε is at least" in said.value for said in one.markdown))
    told = next(one.value for one in at.markdown if "its ε is at least" in one.value)
    assert told.startswith("- **Caught.** Broken: a clip without the square root (ε = 1, L = 10)")
    assert "the sum of its flows is right" in told
    assert "54.8% is the most" in told  # .5471, never rounded down
    one = opened("guarantee", data="city", epsilon="1", bound="1")
    assert "OpenDP's Gaussian noise, as released" in one.pills(key="audited").options
    assert "Broken: a clip without the square root" not in one.pills(key="audited").options


def test_the_attack_on_gaussian_noise_is_that_of_its_law_issue_18() -> None:
    """Twelve trips under a limit of ten: each weighs ⌊1024·√(10/12)⌋/1024, and the attack is right in Φ(√Σa²/2σ)."""
    at = opened("attack", data="city", epsilon="0.66", k="12", attack_gaussian="true", games="none")
    assert at.warning[0].value.startswith("Gaussian noise promises nothing without a limit")
    at.button(key="bound_for_attack").click().run()
    assert not at.exception
    promise = GaussianParameters(epsilon=0.66, delta=1e-6, max_trips_per_user=10)
    weight = math.floor(1024 * math.sqrt(10 / 12))
    right = NormalDist().cdf(weight * math.sqrt(12) / (2 * promise.sigma))
    said = finding(at)
    assert "with 12 unique trips an attacker guesses right **53 times in 100**" in said
    assert round(100 * right) == 53
    assert "beside a δ of 10⁻⁶" in said
    assert any(
        "As certainty it is passed in fewer than 0.1 of 100 releases" in one.value for one in at.markdown
    )
    told = {one.label: one.value for one in at.metric}
    assert float(told["mean accuracy (without the data: 50%)"].rstrip("%")) == pytest.approx(
        100 * right, abs=0.01
    )
    assert told["δ beside it"] == "10⁻⁶"
    assert float(told["noise (users)"].lstrip("±")) == pytest.approx(promise.sigma / 1024, rel=1e-3)


def test_the_steps_of_a_promise_go_into_the_report_as_they_were_asked_for() -> None:
    at = until(opened("plan", data="city"), lambda at: any(one.key == "compare" for one in at.button))
    at.button(key="compare").click().run()
    at = until(at, lambda at: any(one.key == "add_mechanisms" for one in at.button))
    at.button(key="add_mechanisms").click().run()
    item = at.session_state["report_plan"].items[-1]
    asked = at.number_input(key="compare_epsilon").value
    assert (item.exhibit, item.view.option("ε"), item.view.option("use")) == ("mechanisms", asked, None)


@pytest.mark.parametrize(("page", "days"), [("publish", 1), ("guarantee", 1), ("publish", 7)])
def test_a_promise_to_a_person_whose_id_is_new_each_day_is_asked_about_beside_it(
    page: str, days: int, tmp_path: Path
) -> None:
    """Five people go 1→2 each morning of a week, under an id that is new each day, or never: "one person" is then an id."""
    rows = [
        f"p{person}-{day // days},2026-03-{2 + day:02d} {hour:02d}:00,{zone}"
        for person in range(5)
        for day in range(7)
        for hour, zone in ((8, 1), (9, 2))
    ]
    path = tmp_path / "week.csv"
    path.write_text("user,time,zone\n" + "\n".join(rows) + "\n", encoding="utf-8")
    with Workspace(threads=2) as workspace:
        dataset = profiled_dataset(read_dataset(path, workspace=workspace))
        zoning = ColumnZoning(geography=Geography(zones=[1, 2]))
        prepared = prepared_trips_from_dataset(dataset, zoning, seed=1)
    at = own(opened(page, epsilon="1", bound="5", week=WEEK), prepared, page)
    if page == "publish":
        at.button(key="name_week").click().run()
    asked = [one.value for one in at.info if "are ids new each day?" in one.value]
    assert len(asked) == (days == 1)
    assert all("their ε add up" in one for one in asked)
