"""How large things are on a page, as a browser lays them out."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab import WIDE, Watched

pytestmark = pytest.mark.browser


def test_a_link_that_is_framed_as_a_button_is_as_high_as_one(address: str, watched: Watched) -> None:
    page = watched.opened(f"{address}/").page
    button = page.get_by_role("button", name="Take this release as the plan")
    link = page.get_by_role("link", name="Wish for something else on the page Plan")
    expect(button).to_be_visible()
    frame = link.locator("xpath=ancestor::*[@data-testid='stHorizontalBlock'][1]")
    sizes = [one.bounding_box() for one in (button, frame, link)]
    high, framed, inside = (one for one in sizes if one is not None)
    assert framed["height"] == pytest.approx(high["height"], abs=1)
    assert framed["y"] == pytest.approx(high["y"], abs=1)
    middle = inside["y"] + inside["height"] / 2
    assert middle == pytest.approx(framed["y"] + framed["height"] / 2, abs=2)
    watched.clean()


def test_a_table_that_scrolls_has_large_type_and_its_own_width_in_a_presentation(
    address: str, watched: Watched
) -> None:
    """Its cells are drawn in type of 14 pixels, the words around it written in 1.35 times 16."""
    watched.opened(f"{address}/attack?present=1")
    table = watched.page.get_by_test_id("stDataFrame").first
    canvas = table.locator("canvas").first
    canvas.wait_for()
    words = watched.page.get_by_test_id("stMain").locator("h2")

    def larger() -> float:
        return float(
            canvas.evaluate("one => one.getBoundingClientRect().width / parseFloat(one.style.width)")
        )

    watched.acts(lambda: None, lambda: larger() * 14 > 0.95 * 1.35 * 16)
    wide, all_of_it = table.bounding_box(), words.first.bounding_box()
    assert wide is not None
    assert all_of_it is not None
    assert wide["width"] == pytest.approx(all_of_it["width"], abs=3)
    # As large as the screen it is as wide as that, in the type that it has elsewhere.
    table.hover()
    frame = watched.page.get_by_test_id("stElementContainer").filter(has=table).last
    watched.opens(
        frame.get_by_role("button", name=re.compile("^Fullscreen")),
        frame.get_by_role("button", name="Close fullscreen"),
    )
    watched.acts(lambda: None, lambda: larger() == pytest.approx(1, abs=0.01))
    whole = canvas.bounding_box()
    assert whole is not None
    assert whole["width"] <= WIDE["width"]
    watched.clean()
