"""The switch for a projector, and the doors of the first page."""

import pytest
from streamlit.testing.v1 import AppTest

from privlab.ui.shell import page_list
from privlab.ui.state import sample_job
from tests.pages.test_all_pages import PAGES, opened


@pytest.fixture(scope="module", autouse=True)
def _sample_ready() -> None:
    sample_job("city").result(timeout=900)


def presenting(at: AppTest) -> bool:
    styles = [element for element in at.get("html") if ".st-key-leave_presentation" in element.proto.body]
    ways_back = [button for button in at.button if button.key == "leave_presentation"]
    assert len(styles) == len(ways_back)
    return bool(ways_back)


def test_presentation_stays_from_page_to_page_until_it_is_left() -> None:
    at = opened("home")
    assert not presenting(at)
    at.toggle(key="present").set_value(True).run()
    assert presenting(at)
    at.switch_page("../../pages/attack.py").run()
    assert presenting(at)
    assert at.title[0].value == "Attack"
    at.button(key="leave_presentation").click().run()
    assert not presenting(at)
    assert not at.toggle(key="present").value
    assert not at.exception


def test_home_has_a_door_to_every_page() -> None:
    found = {element.proto.page for element in opened("home").get("page_link")}
    assert found == {*PAGES, "tour"} - {"home"}


def test_home_opens_whether_the_number_of_pages_is_odd_or_even_issue_15(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fewer = tuple(door for door in page_list.DOORS if door.page != "groups")
    monkeypatch.setattr(page_list, "DOORS", fewer)
    at = opened("home")
    assert not at.exception
    found = {element.proto.page for element in at.get("page_link")}
    assert found == {*PAGES} - {"home", "groups"}


def test_an_address_may_open_the_presentation_and_it_can_be_left_issue_17() -> None:
    at = opened("home", present="1")
    assert presenting(at)
    at.button(key="leave_presentation").click().run()
    assert not presenting(at)
