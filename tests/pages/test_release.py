"""The page Release: what analyses of the counts would find stands below the figures, once it is unfolded."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from privlab.datasets import read_dataset
from privlab.datasets.engines import Workspace
from privlab.datasets.zone_files import Geography
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning
from privlab.od.trips import prepared_trips_from_dataset
from tests.pages.test_all_pages import finding, opened, until
from tests.pages.test_plan import own


def test_what_it_is_good_for_says_each_analysis_before_and_after_issue_18() -> None:
    at = opened("release", bound="10", threshold="1", data="commuters")
    until(at, lambda one: bool(one.expander))
    assert not any(one.value.startswith("Trips by origin") for one in at.markdown)

    def told(one: AppTest) -> bool:
        one.session_state["analyses_fold"] = True  # which a run of its own would fold again
        return any(said.value.startswith("Trips by origin") for said in one.markdown)

    until(at, told)
    assert not at.exception
    (said,) = [one.value for one in at.markdown if one.value.startswith("Trips by origin")]
    assert "of the 50 largest flows are among the largest published" in said
    (table,) = [one.value for one in at.dataframe if "analysis" in one.value]
    assert len(table) == 9
    assert not (table["error"] == "unknown").any()


@pytest.mark.parametrize("page", ["release", "home"])
def test_noise_on_flows_found_in_the_data_makes_none_up_and_its_promise_has_a_delta(page: str) -> None:
    """As Publish would make it: 5 flows of whoever is alone in them, each shown with α^19/(1 + α) at α = e^(-1/5)."""
    asked = {"data": "commuters", "epsilon": "1", "bound": "5", "threshold": "20", "noise": "integer"}
    at = opened(page, **asked)
    until(at, lambda one: any("false flow" in said.value for said in one.markdown))
    at = opened(page, **asked, release_cells="discovered")
    until(at, lambda one: any("would be published" in said.value for said in one.markdown))
    assert "false flow" not in finding(at)
    assert "The promise ε = 1, with δ = 0.062 beside it, covers all that one person does" in finding(at)
    if page == "home":
        risk = "guesses right in at most 62.4% of cases (a coin: 50%), and is more than 95% certain in at most 6.2%"
        assert any(risk in said.value for said in at.markdown)


def test_a_mechanism_of_the_address_is_simulated_and_follows_the_sliders_issue_18() -> None:
    at = opened("release", bound="3", threshold="20", data="commuters", mechanism="Gaussian noise")
    at = until(at, lambda one: bool(one.metric))

    def noise() -> float:
        said = {one.label: one.value for one in at.metric}["noise on a flow"]
        return float(said.removeprefix("±").replace(",", ""))

    before = noise()
    assert "with δ = 10⁻⁶ beside it, covers all that one person does in a week" in finding(at)
    at.select_slider(key="epsilon").set_value("1").run()
    assert 1.3 < before / noise() < 1.6  # of 0.66 to 1: the noise falls almost as ε grows
    before = noise()
    at.select_slider(key="bound").set_value("100").run()
    # By the square root of the limit; both are the least whole number of trips that holds the noise, up to one too many.
    assert (before - 1) * (100 / 3) ** 0.5 < noise() < before * (100 / 3) ** 0.5 + 1
    assert not [one for one in at.button if str(one.key).startswith("add_")]
    at.button(key="publish_this").click().run()
    assert at.session_state["publish_noise"] == "gaussian"
    at.select_slider(key="bound").set_value("no bound").run()
    assert any("promises nothing without a limit" in one.value for one in at.warning)
    at.button(key="simulate_as_set").click().run()
    assert "The promise covers one trip, not a person." in finding(at)
    assert not at.exception


@pytest.mark.parametrize("page", ["release", "plan"])
def test_zones_that_no_list_has_are_counted_and_said_by_hand(tmp_path: Path, page: str) -> None:
    # Ten go 1 → 2, three 1 → 3, and the zone file lists 1 and 2 alone.
    rows = [f"a{n},2026-03-02 {hour}:00,{zone}" for n in range(10) for hour, zone in (("08", 1), ("09", 2))]
    rows += [f"b{n},2026-03-02 {hour}:00,{zone}" for n in range(3) for hour, zone in (("08", 1), ("09", 3))]
    path = tmp_path / "week.csv"
    path.write_text("user,time,zone\n" + "\n".join(rows) + "\n")
    with Workspace(threads=2) as workspace:
        dataset = read_dataset(path, workspace=workspace)
        listed, whole = (
            prepared_trips_from_dataset(dataset, ColumnZoning(geography=one), seed=1)
            for one in (Geography(zones=[1, 2]), Geography(zones=[1, 2, 3]))
        )
    at = own(opened(page, threshold="1", epsilon="1", bound="1"), listed, page)
    until(at, lambda one: any("zone file does not list" in said.value for said in one.info))
    (said,) = [one.value for one in at.info if "zone file does not list" in one.value]
    assert said.startswith(
        "3 of 13 trips counted (23%) begin or end in zones that the zone file does not list"
    )
    assert said.endswith("The figures here count them with all others.")
    assert "Bring a zone file that lists them all" in [one.proto.label for one in at.get("page_link")]
    at = own(at, whole, page)
    assert not [one for one in at.info if "zone file does not list" in one.value]
    assert not at.exception
