"""The settings beside every page: sliders with number boxes, their directions, and which of them a page shows."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from privlab.ui import shared_controls
from privlab.ui.state import sample_job
from tests.pages.test_all_pages import opened, until

SETTINGS = ("epsilon", "threshold", "bound", "noise", "group", "week", "seed")
STAND = ("epsilon", "threshold", "bound", "noise", "group", "seed")


@pytest.fixture(scope="module", autouse=True)
def _sample_ready() -> None:
    sample_job("city").result(timeout=900)


def test_a_box_and_its_slider_move_each_other_issue_17() -> None:
    at = opened("release")
    assert [at.number_input(key=f"{key}_box").value for key in ("epsilon", "threshold", "bound")] == [
        0.66,
        100,
        None,
    ]
    at.number_input(key="epsilon_box").set_value(0.37).run()
    at.number_input(key="threshold_box").set_value(42).run()
    at.number_input(key="bound_box").set_value(33).run()
    assert [at.select_slider(key=key).value for key in ("epsilon", "threshold", "bound")] == [
        "0.37",
        "42",
        "33",
    ]
    release = at.session_state["release"]
    assert (release.epsilon, release.threshold, release.max_trips_per_user) == (0.37, 42, 33)
    at.select_slider(key="epsilon").set_value("2").run()
    at.select_slider(key="bound").set_value("no bound").run()
    assert at.number_input(key="epsilon_box").value == 2
    assert at.number_input(key="bound_box").value is None
    at.number_input(key="bound_box").set_value(7).run()
    at.number_input(key="bound_box").set_value(None).run()
    assert at.select_slider(key="bound").value == "no bound"
    at.number_input(key="epsilon_box").set_value(None).run()  # an emptied box of ε says nothing
    assert at.number_input(key="epsilon_box").value == 2
    assert not at.exception


def test_no_bound_stands_where_most_trips_are_counted_and_ends_say_the_direction_issue_17() -> None:
    at = opened("release")
    assert list(at.select_slider(key="bound").options)[-1] == "no bound"
    said = " ".join(element.proto.body for element in at.sidebar.get("html"))
    for end in ("more private", "more useful", "more flows", "fewer false flows", "less noise"):
        assert end in said


def unseen(at: AppTest) -> set[str]:
    """Return the settings of a page that nobody sees there: a style takes their containers away."""
    styles = [element.proto.body for element in at.get("html") if ".st-key-setting_" in element.proto.body]
    return {key for key in SETTINGS if any(f".st-key-setting_{key}" in style for style in styles)}


def place_of(at: AppTest, key: str) -> tuple[int, ...]:
    """Return where a control stands below the sidebar: at which branch of each level."""

    def found(block: object, way: tuple[int, ...]) -> tuple[int, ...] | None:
        if getattr(block, "key", None) == key:
            return way
        for index, child in getattr(block, "children", {}).items():
            if (place := found(child, (*way, index))) is not None:
                return place
        return None

    place = found(at.sidebar, ())
    assert place is not None
    return place


@pytest.fixture(scope="module")
def sidebars() -> dict[str, tuple[set[str], dict[str, tuple[int, ...]]]]:
    """What each page shows nowhere, and where on it the settings stand; pages are opened once."""
    found = {}
    for page in (*SHOW_NOWHERE, "plan"):
        at = opened(page, targets="3", judged="250")
        found[page] = unseen(at), {key: place_of(at, key) for key in STAND}
    return found


SHOW_NOWHERE: dict[str, set[str]] = {
    "release": set(),
    "attack": set(),
    # A release counts everyone, with integer noise and no seed.
    "publish": {"noise", "group", "week", "seed"},
    "groups": {"epsilon", "threshold", "bound", "noise", "group", "week"},
    "recovery": {"epsilon", "threshold", "bound", "noise", "group", "week"},
    "anonymizability": {"epsilon", "threshold", "bound", "noise", "group", "week"},
}


@pytest.mark.parametrize("page", SHOW_NOWHERE)
def test_the_sidebar_shows_only_what_acts_on_the_page_issue_17(page: str, sidebars: dict[str, Any]) -> None:
    assert sidebars[page][0] == SHOW_NOWHERE[page]
    assert set(shared_controls.acting_on(page)).isdisjoint(SHOW_NOWHERE[page])


def test_release_shows_no_noise_on_the_left_where_its_own_choice_is_another_issue_17() -> None:
    at = opened("release", data="commuters", bound="3", threshold="20", mechanism="Gaussian noise")
    at = until(at, lambda one: bool(one.metric))
    assert unseen(at) == {"noise"}
    at.selectbox(key="mechanism").set_value("as set").run()
    assert unseen(at) == set()


@pytest.mark.parametrize("page", ["attack", "guarantee"])
def test_noise_that_changes_nothing_under_a_plan_is_not_shown_and_one_click_leads_back_to_it(
    page: str,
) -> None:
    at = opened(page, data="commuters", bound="3", threshold="20", mechanism="Gaussian noise")
    assert unseen(at) >= {"noise"}
    assert any("follow the plan: Gaussian noise" in one.value for one in at.sidebar.caption)
    at.sidebar.button(key="leave_plan").click().run()
    assert "noise" not in unseen(at)
    assert at.session_state["noise"] == "integer"
    assert not any("follow the plan" in one.value for one in at.sidebar.caption)


@pytest.mark.parametrize("key", STAND)
def test_a_setting_stands_at_one_place_on_every_page_so_that_its_value_goes_along_issue_17(
    key: str, sidebars: dict[str, Any]
) -> None:
    assert len({places[key] for _, places in sidebars.values()}) == 1
