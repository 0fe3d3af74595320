"""The way through the pages: their order, where one is on it, and the next step at each page's end."""

import pytest
from streamlit.testing.v1 import AppTest

from privlab.ui.shell import page_list
from privlab.ui.state import sample_job
from tests.pages.test_all_pages import PAGES, QUICK, opened

# The order of work, as issue 17 asks for it.
ORDER = {
    "Learn": ["Home", "Tour"],
    "Assess": ["Data", "Attack", "Groups", "Recovery", "Anonymizability"],
    "Decide": ["Plan", "Release", "Guarantee"],
    "Deliver": ["Publish", "Report"],
}


@pytest.fixture(scope="module", autouse=True)
def _sample_ready() -> None:
    for name in ("city", "subscribers"):
        sample_job(name).result(timeout=900)


def links(at: AppTest) -> list[tuple[str, str]]:
    return [(link.proto.label, link.proto.page) for link in at.get("page_link")]


def strip(at: AppTest) -> list[str]:
    """Return what the strip at the top says; its links are the first four of a page."""
    return [label for label, _ in links(at)[:4]]


def test_pages_stand_in_the_order_of_work_in_four_groups_issue_17() -> None:
    pages = (page_list.HOME, *page_list.DOORS)
    assert {
        group: [door.title for door in pages if door.group == group] for group in page_list.GROUPS
    } == ORDER
    assert [door.title for door in pages] == [title for titles in ORDER.values() for title in titles]


def test_the_next_steps_lead_through_every_page_in_that_order_issue_17() -> None:
    way, here = ["data"], "data"
    while here != "report":
        here = page_list.door_of(here).next
        way.append(here)
    assert way == [title.lower() for group in list(ORDER)[1:] for title in ORDER[group]]
    assert {page_list.door_of("").next, page_list.door_of("tour").next} == {"data"}


@pytest.mark.parametrize("page", PAGES)
def test_every_page_ends_with_its_next_step_and_why_even_where_it_has_nothing_to_show_issue_17(
    page: str,
) -> None:
    door = page_list.door_of(page)
    for data in ("city", "subscribers"):  # each of them a page cannot judge
        at = opened(page, data=data, **QUICK)
        there = page_list.door_of(door.next)
        assert links(at)[-1] == (f"**Next: {there.title}**", there.page)
        assert door.why in [one.value for one in at.markdown]
        assert not at.exception


def test_the_strip_says_where_one_is_issue_17() -> None:
    at = opened("attack")
    assert strip(at) == ["Data: city", "Plan: none yet", "Released: not yet in this session", "Report: empty"]
    assert [page for _, page in links(at)[:4]] == ["data", "plan", "publish", "report"]
    at.select_slider(key="epsilon").set_value("2").run()
    at.select_slider(key="bound").set_value("10").run()
    assert strip(at)[1] == "Plan: ε 2, ≤ 10 trips"
    at.button(key="add_attack").click().run()
    assert strip(at)[3] == "Report: 1 part"
    at.switch_page("../../pages/guarantee.py").run()
    at.button(key="add_guarantee").click().run()
    assert strip(at)[3] == "Report: 2 parts"
