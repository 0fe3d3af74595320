"""The audit of the whole way on the page Guarantee: it runs as a job, catches a broken way, can be stopped and linked to."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from privlab.datasets.cleaning import Cleaning
from privlab.datasets.columns import ColumnMapping
from privlab.datasets.layouts import FileForm
from privlab.lab.publishing import ReleaseData
from privlab.ui.guarantee import pipeline_view
from privlab.ui.state import sample_job
from tests.pages.test_all_pages import opened, until


@pytest.fixture(scope="module", autouse=True)
def _sample_ready() -> None:
    sample_job("city").result(timeout=900)


@pytest.fixture(autouse=True)
def _small_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In place of the sample a file of few people, which is read anew for each world."""
    rng, path = np.random.default_rng(1), tmp_path / "a.csv"
    rows = [
        (f"u{n}", f"2026-03-0{2 + n % 5} {hour:02d}:10", *rng.uniform(0, 3, 2).round(4))
        for n in range(12)
        for hour in range(8, 12)
    ]
    pd.DataFrame(rows, columns=["who", "when", "lat", "lon"]).to_csv(path, index=False)
    small = ReleaseData(
        path=path,
        form=FileForm(mapping=ColumnMapping(user_id="who", timestamp="when", lat="lat", lon="lon")),
        zones="box:0,0,3,3:3x3",
        geography=None,
        lookup=None,
        timezone=None,
        cleaning=Cleaning(),
    )
    monkeypatch.setattr(pipeline_view, "release_data_of_sample", lambda *_: small)


ADDRESS: dict[str, str] = {"data": "city", "epsilon": "4", "bound": "2", "threshold": "5"}


def told(at: Any) -> list[str]:
    return [one.value for one in at.markdown if "someone added to the file" in one.value]


def test_how_long_it_takes_is_said_before_it_is_begun() -> None:
    at = opened("guarantee", **ADDRESS, pipeline_runs="500")
    said = [one.value for one in at.caption if one.value.startswith("This takes")]
    # 100 zones of the sample; someone in, one short of the threshold, alone, with many trips, among others, and nobody
    assert any(
        "up to 3,000 releases of 9,900 flows each, and up to 7 readings of the file" in one for one in said
    )
    more = opened("guarantee", **ADDRESS, pipeline_runs="10000")
    long = [one.value for one in more.caption if one.value.startswith("This takes")]
    assert any("minutes: up to 60,000 releases" in one for one in long)
    # and of the audit of the noise alone
    assert any(one.startswith("This takes") and "releases" not in one for one in said)


def test_a_broken_way_is_caught_by_the_page_as_its_address_says() -> None:
    at = opened("guarantee", **ADDRESS, pipeline="half-the-noise", pipeline_runs="500")
    assert at.selectbox(key="pipeline").value == "half-the-noise"  # as the command line names it
    assert at.selectbox(key="pipeline").options[:2] == ["the release's own", "broken: half the noise"]
    visits = opened("guarantee", **ADDRESS, pipeline_product="visits")
    assert visits.segmented_control(key="pipeline_product").value == "visits"
    at.button(key="run_pipeline").click().run()
    until(at, lambda one: bool(told(one)))
    assert not at.exception
    assert told(at)[0].startswith("**Caught.** A test for someone added to the file")
    rows = at.dataframe[-1].value.to_dict("records")
    assert {row["verdict"] for row in rows} == {"breaks the promise", "no fault found"}
    assert any("500 releases each of" in one.value for one in at.caption)
    at.button(key="add_pipeline_audit").click().run()
    assert any("part 1 of the report" in one.value for one in at.toast)
    command = next(one.value for one in at.code if "--pipeline" in one.value)
    assert "--epsilon 4 --max-trips-per-user 2 --threshold 5" in command
    assert command.endswith("--mechanism half-the-noise")


def test_a_threshold_with_too_many_people_below_it_leads_on_to_a_lower_one() -> None:
    """Flows are filled up to the threshold: of 5,000 with 50 trips each more people are needed than may be added."""
    at = opened("guarantee", data="city", epsilon="4", bound="50", threshold="5000", pipeline_runs="200")
    at.button(key="run_pipeline").click().run()
    until(at, lambda one: any("threshold must be lower for an audit" in said.value for said in one.error))
    at.button(key="pipeline_lower").click().run()
    assert at.select_slider(key="threshold").value == "100"


def test_it_can_be_stopped_and_leaves_nothing_running() -> None:
    at = opened("guarantee", **ADDRESS, pipeline_runs="10000")
    at.button(key="run_pipeline").click().run()
    assert at.button(key="run_pipeline").disabled
    at.button(key="cancel_pipeline_audit").click().run()
    until(at, lambda one: any("Stopped" in said.value for said in one.info))
    assert not at.button(key="run_pipeline").disabled


def test_without_a_bound_there_is_a_way_on() -> None:
    at = opened("guarantee", data="city", epsilon="1", bound="none")
    assert any("there is nothing to audit" in one.value for one in at.info)
    at.button(key="pipeline_bound").click().run()
    assert at.button(key="run_pipeline")
