"""How large things are on a page, as a browser lays them out."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab import NARROW, WIDE, Watched

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


def test_a_choice_that_begins_or_ends_a_line_has_its_edge(address: str, watched: Watched) -> None:
    """On a telephone the two kinds of report stand below one another; the one not chosen had an edge from the chosen one alone."""
    watched.page.set_viewport_size(NARROW)
    page = watched.opened(f"{address}/report").page
    first, second = page.locator(".st-key-report_kind").get_by_role("radio").all()
    above, below = first.bounding_box(), second.bounding_box()
    assert above is not None
    assert below is not None
    assert below["y"] >= above["y"] + above["height"]
    assert below["x"] == pytest.approx(above["x"], abs=0.5)
    assert opacity(second, "Left") > 0.1
    watched.acts(second.click, lambda: second.get_attribute("aria-checked") == "true")
    page.mouse.move(0, 0)
    watched.acts(lambda: None, lambda: opacity(first, "Right") > 0.1)
    page.set_viewport_size(WIDE)
    watched.clean()


def opacity(choice: Locator, side: str) -> float:
    """Return how much of the colour of an edge is seen, from 0 to 1."""
    colour = str(choice.evaluate(f"one => getComputedStyle(one).border{side}Color"))
    parts = [float(part) for part in re.findall(r"[\d.]+", colour)]
    return parts[3] if len(parts) == 4 else 1.0


def test_the_ground_of_the_page_one_is_on_lies_around_its_words_and_below_the_header(
    address: str, watched: Watched
) -> None:
    page = watched.opened(f"{address}/publish").page
    here = page.locator(".st-key-strip a").filter(has_text="Released").first
    sign = here.get_by_test_id("stIconMaterial")
    header = page.get_by_test_id("stHeader")
    ground, inside, top = (one.bounding_box() for one in (here, sign, header))
    assert ground is not None
    assert inside is not None
    assert top is not None
    assert ground["y"] >= top["y"] + top["height"]
    assert inside["x"] >= ground["x"] + 4
    for words in page.locator(".st-key-strip a p").all():
        assert words.evaluate("one => one.scrollWidth <= one.clientWidth + 1"), words.inner_text()
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


@pytest.mark.parametrize("address_of_page", ["guarantee?bound=10", "guarantee", "attack?bound=10", "attack"])
def test_no_column_of_a_small_printed_table_is_out_of_sight_on_a_telephone(
    address: str, watched: Watched, address_of_page: str
) -> None:
    """Six columns with words among them, and nine of figures, which stand below one another there."""
    watched.page.set_viewport_size(NARROW)
    page = watched.opened(f"{address}/{address_of_page}").page
    tables = page.locator("[class*='st-key-printed_']").get_by_test_id("stTable")
    tables.first.wait_for()
    for one in tables.all():
        frame = one.bounding_box()
        assert frame is not None
        for cell in one.locator("th:visible, td:visible").all():
            box = cell.bounding_box()
            assert box is not None
            assert box["x"] + box["width"] <= frame["x"] + frame["width"] + 1, cell.inner_text()
    page.set_viewport_size(WIDE)
    watched.clean()


def test_a_mark_of_true_data_is_seen_whole_in_a_narrow_column(address: str, watched: Watched) -> None:
    """Beside the figure of Attack, where it just fitted at 1280 pixels: other browsers, and a scroll bar, leave less room."""
    watched.page.set_viewport_size({"width": 1200, "height": 900})
    page = watched.opened(f"{address}/attack").page
    mark = page.locator(".stMarkdownBadge").first
    expect(mark).to_contain_text("not for publication")
    assert mark.evaluate("one => one.scrollWidth <= one.clientWidth")
    page.set_viewport_size(WIDE)
    watched.clean()


def test_what_was_chosen_of_many_is_seen_whole(address: str, watched: Watched) -> None:
    """Three defences: the second was cut in two and the third was not seen."""
    page = watched.opened(f"{address}/groups?data=cabs&targets=3&show_groups=defences").page
    chosen = page.locator(".st-key-mechanisms [data-tag]")
    chosen.nth(2).wait_for()
    frame = page.locator(".st-key-mechanisms").get_by_test_id("stMultiSelectTagsContainer").bounding_box()
    assert frame is not None
    for tag in chosen.all():
        box = tag.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= frame["x"] + frame["width"] + 1, tag.inner_text()
        assert box["y"] + box["height"] <= frame["y"] + frame["height"] + 1, tag.inner_text()
    watched.clean()
