"""The walk from a sample to a report in one's hands, counted in clicks, in a real browser."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.lab import Clicks, Watched

pytestmark = pytest.mark.browser
MOST_CLICKS = 5


def test_from_a_sample_to_a_report_in_at_most_five_clicks(
    address: str, watched: Watched, tmp_path: Path
) -> None:
    """The button that puts the report together took all settings off the address, where one was on the page Report."""
    page = watched.opened(f"{address}?epsilon=0.67").page
    clicks = Clicks(watched)
    clicks.link("Report")
    page.get_by_role("button", name="Risk report on this data").first.wait_for()
    clicks.button("Risk report on this data")
    expect(page.locator("h2").first).to_contain_text("11 parts in the internal report.")
    watched.ready()
    assert page.url == f"{address}/report?epsilon=0.67"
    clicks.button("Make the report")
    made = page.get_by_role("button", name="Download HTML").first
    made.wait_for()
    with page.expect_download() as arriving:
        clicks.button("Download HTML")
    assert clicks.n <= MOST_CLICKS
    path = tmp_path / arriving.value.suggested_filename
    arriving.value.save_as(path)
    assert path.name.startswith("INTERNAL_Risk_report_on_city")
    html = path.read_text("utf-8")
    summary = re.findall(r'<tr class="(\w+)"><th scope="row">(\w+)<', html)
    # The paper's release has no bound: it promises nothing to a person, and its best attack is right in 96 of 100 cases.
    assert [about for _, about in summary] == ["Promise", "Risk", "Usefulness", "Limits"]
    assert summary[0][0] == summary[1][0] == "red"
    watched.clean()


def test_settings_of_the_export_stay_when_one_leaves_the_page(address: str, watched: Watched) -> None:
    page = watched.opened(f"{address}/report").page
    for key in ("report_docx", "report_md"):
        page.locator(f".st-key-{key} label").first.click()
        watched.ready()
    page.locator(".st-key-report_author input").fill("A. Steward")
    page.locator(".st-key-report_author input").press("Enter")
    watched.ready()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Guarantee").click()
    expect(page.locator("h1").first).to_contain_text("Guarantee")
    watched.ready()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Report").click()
    expect(page.locator("h1").first).to_contain_text("Report")
    watched.ready()
    for key in ("report_docx", "report_md"):
        expect(page.locator(f".st-key-{key} input[type=checkbox]")).to_be_checked()
    expect(page.locator(".st-key-report_author input")).to_have_value("A. Steward")
    watched.clean()


def test_the_focus_goes_along_with_a_part_and_each_button_says_which_it_moves(
    address: str, watched: Watched
) -> None:
    """All were heard as Up, Down and Take out; after Down the focus was on the Down of the next part, whose turn undid it."""
    page = watched.opened(f"{address}/report").page
    page.get_by_role("button", name="Risk report on this data").first.click()
    expect(page.locator("h2").first).to_contain_text("11 parts in the internal report.")
    watched.ready()
    first = page.locator(".st-key-part_0 strong").inner_text().removeprefix("1. ")
    down = page.get_by_role("button", name=f"Down, part 1: {first}", exact=True)
    down.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=f"Down, part 2: {first}", exact=True)).to_be_focused()
    watched.ready()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=f"Down, part 3: {first}", exact=True)).to_be_focused()
    watched.ready()
    page.get_by_role("button", name=re.compile("^Take out, part 11: ")).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=re.compile("^Take out, part 10: "))).to_be_focused()
    watched.clean()
