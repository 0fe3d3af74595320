"""What a figure says of itself once it stands alone: the settings of all that it draws, of whom, and whether it is simulated."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from privlab.defaults import MOST_PEOPLE
from privlab.ui.shell import parts
from privlab.ui.state import sample_job
from tests.pages.test_all_pages import opened, until


@pytest.fixture(scope="module", autouse=True)
def _city_ready() -> None:
    sample_job("city").result(timeout=900)


def told(at: AppTest) -> dict[str, str]:
    """Return what stands below the title of each figure, in its picture."""
    layouts = [json.loads(one.proto.spec)["layout"]["title"] for one in at.get("plotly_chart")]
    return {one["text"]: one["subtitle"]["text"].replace("<br>", " ").strip() for one in layouts}


def test_what_has_no_limit_and_what_has_one_are_told_apart() -> None:
    at = opened("attack", data="city", k="12", games="1000", bound="3", noise="integer", seed="7")
    said = told(at)["The attack against the claim"]
    assert said.startswith(
        "ε = 0.66; no limit: integer noise, seed 7; limit: at most 3 trips per user, integer noise; k = 12"
    )
    at.checkbox(key="attack_gaussian").check().run()
    said = told(at)["The attack against the claim"]
    assert "limit: at most 3 trips per user, Gaussian noise with δ = 10⁻⁶; k = 12" in said
    assert "Gaussian noise noise" not in said
    assert told(at)["How certain the attacker ends"].startswith(
        "ε = 0.66, δ = 10⁻⁶, a limit of 3 trips per user, Gaussian noise; k = 12"
    )
    at = opened("attack", data="city", k="12", games="none")
    assert told(at)["The attack against the claim"].startswith(
        "ε = 0.66, no bound on trips per user, Laplace noise"
    )


def test_the_numbers_of_the_curve_say_in_their_file_what_a_share_is_and_what_a_coin_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr(parts, "columns_table", lambda _, **told: given.update(told))
    opened("attack", data="city", k="12", games="1000", numbers_fold="true")
    title, settings, read = given["about"]
    assert title == "The attack against the claim"
    assert settings.startswith("ε = 0.66, no bound on trips per user")
    assert read.startswith("Shares are of 1: 0.6 is 60%.")
    assert "a coin is right in 50 of 100 cases" in read
    assert "intervals of 95%" in read


def test_at_another_epsilon_nobody_is_said_to_have_claimed_what_is_read_there() -> None:
    at = opened("attack", data="city", epsilon="1", bound="5", games="none")
    shown = " ".join(one.value for one in at.markdown)
    assert (
        "made for ε = 0.66 without a bound on a person's trips, here read at ε = 1 and held against a bound of 5"
        in shown
    )
    names = [
        note.get("text", "")
        for one in at.get("plotly_chart")
        for note in json.loads(one.proto.spec)["layout"].get("annotations", ())
    ]
    assert "the claim at ε = 1: at most 73.2%" in names
    assert not [name for name in names if "publisher" in name]


def test_figures_of_risk_say_how_many_are_judged_and_under_which_noise() -> None:
    judged = f"{MOST_PEOPLE:,} people judged"
    at = opened("guarantee", data="city", epsilon="0.66", bound="10", moves_fold="true")
    at = until(at, lambda one: "How the risk moves" in told(one))
    said = told(at)
    assert judged in said["The risk of each person"]
    assert judged in said["How the risk moves"]
    at = opened("guarantee", data="city", epsilon="0.5", bound="10", guarantee_gaussian="true")
    said = told(at)["The risk of each person"]
    assert "ε = 0.5, δ = 10⁻⁶, a limit of 10 trips per user, Gaussian noise, no flow left out" in said
    assert judged in said
    assert "week of " in said


def test_what_is_simulated_is_called_so_in_picture_and_file() -> None:
    at = until(opened("release", data="city", bound="10"), lambda one: "Trips by distance" in told(one))
    said = told(at)
    for title in ("Where the error comes from", "Published against true counts", "Trips by distance"):
        assert said[title].startswith("INTERNAL: true data, not for publication simulation, not a release; ")
