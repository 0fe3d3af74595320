"""The recovery page: it says what the command says, shows one trail beside the true one, and leads on from refusals."""

import time
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from privlab.aggregates.recovery import followed
from privlab.checks import DataError
from privlab.ui.recovery import recovery_work
from privlab.ui.state import sample_job
from tests.command_line import Answer
from tests.pages.test_all_pages import ROOT, finding, on_page, opened, until
from tests.pages.test_sources import load

BOX = "box:37.7356,-122.444,37.797,-122.3663:10x10"


@pytest.fixture(scope="module", autouse=True)
def _sample_ready() -> None:
    sample_job("cabs").result(timeout=900)


def page(**address: str) -> AppTest:
    at = opened("recovery", **({"data": "cabs", "recover_users": "20", "recover_days": "2"} | address))
    return until(at, lambda at: bool(at.get("plotly_chart")))


def rows(at: AppTest, column: str) -> list[dict[str, str]]:
    return next(t.value for t in at.dataframe if column in t.value.columns).to_dict("records")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ({"recover_improve": ["habits", "lookback"]}, ("--improve", "lookback,habits")),
        ({"recover_defence": "lpa"}, ("--defence", "lpa", "--epsilon", "10")),
    ],
)
def test_the_page_says_what_the_command_says(
    answer: Answer, address: dict[str, str | list[str]], words: tuple[str, ...]
) -> None:
    at = page(recover_epsilon="10", **address)
    said = answer(
        *("recover", ROOT / "sample_data" / "cabs.parquet", "--zones", BOX, "--users", 20, "--days", 2),
        *(*words, "--seed", 1, "--json"),
    )
    told = {row["how"]: (row["steps right"], row["mean error (km)"]) for row in rows(at, "how")}
    assert told["put together from counts"] == (f"{said['accuracy']:.1%}", f"{said['error_km']:.2f}")
    still = said["baselines"]["still"]
    assert told["all stay where first counted"] == (f"{still['accuracy']:.1%}", f"{still['error_km']:.2f}")
    true = {row["most visited zones"]: row["true trails"] for row in rows(at, "true trails")}
    assert true == {k: f"{share:.0%}" for k, share in said["uniqueness"]["true"].items()}
    assert f"puts **{100 * said['accuracy']:.0f}** in the right zone" in finding(at)
    assert "recovered is not identified" in " ".join(one.value for one in at.caption)


def test_the_best_trail_comes_before_the_worst_and_both_can_be_reported() -> None:
    at = page()

    def right() -> float:
        said = next(one.value for one in at.markdown if "fits this person best" in one.value)
        return float(said.split("right in ")[1].split("%")[0])

    at.number_input(key="recovered_person").set_value(1).run()
    best = right()
    at.number_input(key="recovered_person").set_value(20).run()
    assert right() < best
    at.button(key="add_recovery").click().run()
    assert not at.exception
    assert [item.exhibit for item in at.session_state["report_plan"].items] == ["recovery"]


def test_recoveries_over_steps_stand_side_by_side_as_in_the_command(answer: Answer) -> None:
    at = page(recover_over="steps")
    at.button(key="run_recoveries").click().run()
    until(at, lambda at: any("recovery" in t.value.columns for t in at.dataframe))
    told = {row["recovery"]: row["steps right"] for row in rows(at, "recovery")}
    own = next(row for row in rows(at, "how") if row["how"] == "put together from counts")
    assert told["steps of 60 min"] == own["steps right"]
    said = answer(
        *("recover", ROOT / "sample_data" / "cabs.parquet", "--zones", BOX, "--users", 20, "--days", 2),
        *("--over", "steps", "--json"),
    )
    assert told == {f"steps of {one['step_min']} min": f"{one['accuracy']:.1%}" for one in said["compared"]}
    at.button(key="add_recovery_over").click().run()
    (item,) = at.session_state["report_plan"].items
    assert (item.exhibit, item.view.option("over")) == ("recovery_over", "steps")
    assert not at.exception


def test_noise_without_a_number_leads_back_to_counts_as_they_are() -> None:
    at = opened("recovery", data="cabs", recover_defence="lpa", recover_epsilon="much")
    until(at, lambda at: bool(at.warning))
    assert "epsilon must be a number" in at.warning[0].value
    assert any(one.key == "first_recovery" for one in at.button)


def test_a_defence_that_there_is_not_is_no_traceback_iv() -> None:
    at = opened("recovery", data="cabs", recover_defence="smoke")
    assert not at.exception
    assert at.title[0].value == "Recovery"


def test_stopped_it_shows_the_days_that_were_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """A week of which two days are done, and which then goes on until it is stopped."""
    of_two_days = recovery_work.recovery_from_traces

    def slow(traces, zone_map, parameters, *, progress, heard):
        found = of_two_days(traces, zone_map, replace(parameters, days=2))
        heard(lambda: found)
        while True:
            progress.tell(0.3, "Putting together day 3 of 7")
            time.sleep(0.05)

    monkeypatch.setattr(recovery_work, "recovery_from_traces", slow)
    at = opened("recovery", data="cabs", recover_users="20", recover_days="7")
    until(at, lambda at: any(one.key == "cancel_recovery" for one in at.button))
    at.button(key="cancel_recovery").click().run()
    until(at, lambda at: any("shown here: 2 of 7 days" in one.value for one in at.caption))
    assert at.get("plotly_chart")
    assert "right zone from counts alone" in finding(at)


def test_what_a_sample_opens_with_is_put_together_once_for_all_and_no_choice_is_issue_17(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from privlab.ui import derived
    from privlab.ui.recovery import recovery_page

    monkeypatch.setattr(derived, "_worked_out", {})
    opening = {"recover_users": "100", "recover_days": "7"}
    first = page(**opening)
    assert [what[0] for _, what in derived._worked_out] == ["first recovery"]
    page(**opening, recover_step="15")
    page()
    assert len(derived._worked_out) == 1

    def again(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(recovery_page, "put_together", again)
    assert finding(page(**opening)) == finding(first)


def test_zones_that_lie_nowhere_lead_to_where_that_is_said_and_not_to_what_is_refused_again() -> None:
    """Fewer people, days or another try put no zone on the map: of these nothing is offered, and no control that could not help."""
    at = opened("data")
    rows = "".join(f"u{n},2026-03-0{2 + n % 3} 0{n % 9}:10,s{n % 3},s{(n + 1) % 3}\n" for n in range(60))
    at.file_uploader(key="upload").upload("t.csv", f"user,time,origin,destination\n{rows}".encode()).run()
    load(at)
    on_page(at, "recovery")
    until(at, lambda at: bool(at.warning or at.error))
    assert not at.exception
    assert not at.error
    said = (
        "Not all zones that were visited have a known place, and trails are put together by the distances between them. Say where the zones "
        "lie: with a table of zone, lat, lon, beside the file on the page Data (on the command line: --zone-positions), or take zones of a "
        "grid over latitudes and longitudes."
    )
    assert at.warning[0].value == said  # and the same of zones of which some alone lie nowhere:
    with pytest.raises(DataError) as caught:
        followed._on_a_plane(
            np.array([1.0, np.nan]), np.array([1.0, np.nan]), np.array([0, 1], dtype=np.int32)
        )
    assert str(caught.value) == said
    links = [one.proto.label for one in at.get("page_link")]
    assert "Say on the page Data where the zones lie" in links
    buttons = [one.label for one in at.button if one.label != "Glossary"]
    assert buttons == ["Look at the sample subscribers instead"]
