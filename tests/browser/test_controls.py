"""Controls in a real browser: what a key on a slider changes, the address, and the way from page to page."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.lab import Watched

pytestmark = pytest.mark.browser


def test_presentation_hides_the_controls_and_can_be_left(address: str, watched: Watched) -> None:
    page = watched.opened(f"{address}/attack?epsilon=1.5").page
    page.locator(".st-key-present label").first.click()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    watched.ready()
    page.locator(".st-key-leave_presentation button:visible").click()
    expect(page.locator(".st-key-epsilon")).to_contain_text("1.5")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    watched.clean()


def test_back_leads_to_the_page_before_whatever_was_set_issue_17(address: str, alone: Watched) -> None:
    """With a plan of Gaussian noise every page writes settings into its address; none of these is a step of its own, and all are found again."""
    page = alone.opened(
        f"{address}/attack?mechanism=Gaussian+noise+and+a+total&bound=3&epsilon=0.5&k=30"
    ).page
    before = page.evaluate("history.length")
    for name in ("Guarantee", "Release"):
        page.get_by_test_id("stSidebarNavLink").filter(has_text=name).click()
        expect(page.locator("h1")).to_have_text(name)
        alone.ready()
    alone.pressed("epsilon", "ArrowRight")
    assert page.evaluate("history.length") == before + 2
    for name in ("Guarantee", "Attack"):
        page.go_back()
        expect(page.locator("h1")).to_have_text(name)
        alone.ready()
    assert "k=30" in page.url
    expect(page.locator("h2").first).to_contain_text("someone with 30 unique trips")
    alone.clean()


def test_back_leads_from_a_step_of_the_tour_to_the_one_before(address: str, alone: Watched) -> None:
    page = alone.opened(f"{address}/tour?epsilon=1.5").page
    before = page.evaluate("history.length")
    for step in ("2. ", "3. "):
        alone.steps("ArrowRight", step)
    assert page.evaluate("history.length") == before + 2
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Guarantee").click()
    expect(page.locator("h1")).to_have_text("Guarantee")
    alone.ready()
    assert page.evaluate("history.length") == before + 3
    for step in ("3. ", "2. ", "1. "):
        page.go_back()
        expect(page.locator("h2").first).to_contain_text(step)
        alone.ready()
    alone.clean()


def test_a_setting_is_no_step_of_its_own_before_the_first_page_is_there_either(
    address: str, browser: Browser
) -> None:
    """None of Streamlit's scripts is let through: what is tried is there before them."""
    with browser.new_context() as context:
        page = context.new_page()
        page.route("**/static/js/**", lambda route: route.abort())
        page.goto(f"{address}/attack", wait_until="domcontentloaded")
        before = page.evaluate("history.length")
        for setting, more in (("?k=3", 0), ("?k=4", 0), ("/plan", 1), ("/plan?users=30", 1)):
            assert (
                page.evaluate("to => (history.pushState(null, '', to), history.length)", setting)
                == before + more
            )
        assert page.url == f"{address}/plan?users=30"


def test_what_a_slider_is_at_stands_above_it_in_large_type(address: str, watched: Watched) -> None:
    watched.page.set_viewport_size({"width": 1920, "height": 1080})
    for path in ("/attack?present=1", "/tour?step=5&present=1"):
        watched.opened(f"{address}{path}")
        value = watched.page.get_by_test_id("stMain").get_by_test_id("stSliderThumbValue").first
        value.wait_for()
        bottom, thumb = value.evaluate(
            "one => [one.querySelector('p').getBoundingClientRect().bottom, one.parentElement.getBoundingClientRect().top]"
        )
        assert bottom <= thumb + 1, path  # a pixel for rounding
    watched.clean()


def test_a_slider_changes_numbers_and_the_address(address: str, watched: Watched) -> None:
    watched.opened(f"{address}/attack?k=32")
    finding = watched.page.locator("h2").first
    expect(finding).to_contain_text(
        "About someone with 32 unique trips an attacker guesses right 95.5 times in 100 (a coin: 50)"
    )
    line = watched.page.locator(".st-key-attack_curve .scatterlayer path.js-line").nth(1)
    before = line.get_attribute("d")
    watched.pressed("epsilon", "ArrowLeft")
    watched.page.wait_for_url(re.compile(r"epsilon=0\.5"))
    expect(finding).not_to_contain_text("95.5 times")
    expect(
        watched.page.locator(".st-key-attack_curve .scatterlayer path.js-line").nth(1)
    ).not_to_have_attribute("d", before or "")
    watched.clean()


def test_the_release_follows_the_sliders(address: str, watched: Watched) -> None:
    """Its box had kept a number that it refuses, beside a slider that says another; one that it takes leaves it in hand."""
    watched.opened(f"{address}/release")
    published = watched.page.get_by_test_id("stMetricValue").first
    before = published.inner_text()
    number = watched.page.locator(".st-key-threshold_box input")
    number.fill("-3")
    number.press("Enter")
    expect(number).to_have_attribute("aria-invalid", "true")
    watched.pressed("threshold", "ArrowLeft")
    watched.page.wait_for_url(re.compile("threshold=75"))
    expect(number).to_have_value("75")
    number.fill("76")
    number.press("Enter")
    watched.page.wait_for_url(re.compile("threshold=76"))
    watched.ready()
    expect(number).to_be_focused()
    expect(published).not_to_have_text(before)
    watched.ready()
    assert int(published.inner_text().replace(",", "")) > int(before.replace(",", ""))
    watched.clean()


def test_a_copied_link_opens_the_same_view(address: str, watched: Watched, browser: Browser) -> None:
    watched.opened(f"{address}/attack")
    # A bound begins at its right end, where every trip counts.
    for key, way in (("bound", "ArrowLeft"), ("k", "ArrowRight")):
        watched.pressed(key, way)
    watched.page.wait_for_url(re.compile(r"k=13"))
    expect(watched.page.locator("h2").first).to_contain_text("someone with 13 unique trips")
    finding = watched.page.locator("h2").first.inner_text()
    other = browser.new_context()
    copy = Watched(other.new_page()).opened(watched.page.url)
    expect(copy.page.locator("h2").first).to_have_text(finding)
    other.close()


def test_a_plan_follows_its_wishes_and_sets_the_sidebar(address: str, watched: Watched) -> None:
    page = watched.opened(f"{address}/plan").page
    page.locator(".st-key-plan_frontier .scatterlayer path.point").first.wait_for(state="attached")
    finding = page.locator("h2").first
    before = finding.inner_text()
    page.locator(".st-key-min_utility input").fill("70")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("min_utility=70"))
    expect(finding).not_to_have_text(before)
    watched.ready()
    told = page.locator("[data-testid=stMarkdownContainer]:has(> h2, > div > h2, h2)").first.inner_text()
    words = re.search(r"ε = ([\d.]+), (?:at most|a limit of) (\d+) trips", told)
    assert words is not None
    page.locator(".st-key-use_plan").get_by_role("button", name="Take the recommended plan").click()
    page.wait_for_url(re.compile(rf"epsilon={re.escape(words[1])}&.*bound={words[2]}&noise=integer"))
    expect(page.locator(".st-key-epsilon")).to_contain_text(words[1])
    expect(page.locator(".st-key-bound")).to_contain_text(words[2])
    expect(page.locator(".st-key-use_plan").get_by_role("button", name="This plan is taken")).to_be_disabled()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Guarantee").click()
    page.wait_for_url(re.compile(rf"/guarantee\?.*bound={words[2]}"))
    expect(page.locator("h2").first).to_contain_text("Whatever a person did in the week")
    watched.clean()


def test_a_wish_out_of_range_says_what_is_used_instead(address: str, watched: Watched) -> None:
    """A field turned red, and the answer below stayed that of the number before: 95% and one week, what a plan begins with."""
    page = watched.opened(f"{address}/plan?data=city").page
    watched.drawn()
    said = "it => getComputedStyle(it, '::after').content"
    for field, around, wrong, right, words in (
        ("max_certainty", "wish", "50", "90", "Certainty from 51% to 99% can be asked for: 95% is used."),
        ("releases", "releases", "5000", "2", "1 to 520 can be asked for: 1 is used."),
    ):
        place, box = page.locator(f".st-key-{around}"), page.locator(f".st-key-{field} input")
        assert words not in place.evaluate(said)
        watched.ready()
        box.fill(wrong)
        box.press("Enter")
        expect(box).to_have_attribute("aria-invalid", "true")
        assert words in place.evaluate(said)
        box.fill(right)
        box.press("Enter")
        expect(box).not_to_have_attribute("aria-invalid", "true")
        assert words not in place.evaluate(said)
    watched.clean()


def test_a_point_of_the_frontier_is_clicked_and_taken_issue_17(address: str, watched: Watched) -> None:
    page = watched.opened(f"{address}/plan").page
    frontier = page.locator(".st-key-plan_frontier .scatterlayer .trace").filter(
        has=page.locator("path.js-line")
    )
    points = frontier.locator("path.point")
    points.last.wait_for(state="attached")
    watched.ready()

    axes = page.locator(".st-key-plan_frontier .nsewdrag").first

    def click() -> None:
        axes.scroll_into_view_if_needed()
        area = axes.bounding_box()
        assert area is not None
        middles = points.evaluate_all(
            "all => all.map(one => one.getBoundingClientRect()).map(box => [box.x + box.width / 2, box.y + box.height / 2])"
        )
        page.mouse.click(*max(one for one in middles if one[0] < area["x"] + area["width"] - 5))

    take = page.locator(".st-key-take_picked").get_by_role("button", name="Take this plan")
    watched.acts(click, lambda: take.count() > 0 and take.is_enabled())
    words = re.search(
        r"ε = ([\d.]+), (?:at most|a limit of) (\d+) trip",
        page.locator(".st-key-plan_point input").input_value(),
    )
    assert words is not None
    take.click()
    page.wait_for_url(re.compile(rf"epsilon={re.escape(words[1])}&.*bound={words[2]}&noise=integer"))
    expect(page.locator(".st-key-strip")).to_contain_text(f"Plan: ε {words[1]}, ≤ {words[2]} trips")
    watched.clean()


def test_a_click_on_a_day_chooses_its_week_issue_17(address: str, watched: Watched) -> None:
    page = watched.opened(f"{address}/data?data=cabs").page
    bars = page.locator(".st-key-data_days .barlayer path")
    bars.last.wait_for(state="attached")
    watched.ready()
    day = bars.nth(2)  # of the first week, which is not the busiest
    day.scroll_into_view_if_needed()

    def click() -> None:
        place = day.bounding_box()
        assert place is not None
        page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)

    watched.acts(click, lambda: "week=" in page.url)
    assert re.search(r"week=2008-05-19", page.url)
    expect(page.locator(".st-key-week input")).to_have_value("2008-05-19")
    watched.clean()


def test_the_plan_stays_from_page_to_page(address: str, watched: Watched) -> None:
    watched.opened(f"{address}/attack")
    watched.pressed("epsilon", "ArrowRight")
    watched.page.wait_for_url(re.compile(r"epsilon=0\.8"))
    watched.page.get_by_test_id("stSidebarNavLink").filter(has_text="Release").click()
    watched.page.wait_for_url(re.compile(r"/release\?.*epsilon=0\.8"))
    expect(watched.page.locator(".st-key-epsilon")).to_contain_text("0.8")


def test_next_steps_and_the_strip_carry_the_settings_on_and_name_the_tab_issue_17(
    address: str, watched: Watched
) -> None:
    settings = {"bound=10", "epsilon=1.5", "group=1000", "seed=7", "threshold=50", "noise=integer"}
    page = watched.opened(f"{address}/plan?{'&'.join(sorted(settings))}").page
    expect(page).to_have_title("Plan · privlab")
    for name in ("release", "guarantee", "publish"):
        watched.acts(page.locator(".st-key-next_step a").click, lambda name=name: f"/{name}?" in page.url)  # type: ignore[misc]
        expect(page).to_have_title(f"{name.capitalize()} · privlab")
        watched.ready()
        assert settings <= set(page.url.partition("?")[2].split("&"))
    back = page.locator(".st-key-strip a").first
    watched.acts(lambda: back.press("Enter"), lambda: "/data?" in page.url)
    expect(page.locator(".st-key-strip")).to_contain_text("Plan: ε 1.5, ≤ 10 trips")
    watched.clean()


def test_another_k_makes_its_own_curve_stand_out_on_anonymizability(address: str, watched: Watched) -> None:
    watched.opened(f"{address}/anonymizability?data=subscribers&judged=250&level=20-480&show=k-gap")
    finding = watched.page.locator("h2").first
    expect(finding).to_contain_text("2-anonymous")
    curves = watched.page.locator(".st-key-kgap_chart .scatterlayer path.js-line")
    curves.first.wait_for()
    expect(curves.first).to_have_css("stroke-width", "3px")  # k = 2
    expect(curves.last).to_have_css("stroke-width", "1.2px")
    watched.pressed("k_gap", "End")
    expect(finding).to_contain_text("100-anonymous")
    expect(curves.last).to_have_css("stroke-width", "3px")
    expect(curves.first).to_have_css("stroke-width", "2.2px")
    watched.clean()


def test_groups_answer_while_they_are_played(address: str, watched: Watched) -> None:
    watched.opened(f"{address}/groups?data=cabs&targets=6&sizes=10")
    expect(watched.page.locator("h2").first).to_contain_text("In groups of 10, this attacker finds")
    watched.page.locator(".st-key-auc_chart .main-svg").first.wait_for()
    watched.clean()


def test_the_tour_goes_on_by_key_and_fits_one_screen_issue_17(address: str, watched: Watched) -> None:
    page = watched.opened(f"{address}/tour?step=2").page
    page.set_viewport_size({"width": 1280, "height": 720})
    heading = page.locator("h2").first
    watched.drawn()
    _fits_the_window(page)
    watched.pressed("tour_k", "ArrowRight")  # of a slider that has the focus the arrows move the slider
    expect(heading).to_contain_text("2. Three trips")
    for key, title in (("PageDown", "3. The author"), ("PageUp", "2. Three trips")):
        watched.steps(key, title)
    box = page.locator(".st-key-tour_k").bounding_box()
    assert box is not None
    page.mouse.click(
        box["x"] + box["width"] / 2, box["y"] + box["height"] - 12
    )  # the focus goes back to the page
    expect(page.locator(".st-key-tour_k").get_by_role("slider")).not_to_be_focused()
    watched.steps("ArrowRight", "3. The author")
    low = _height_of_the_curve(page)
    page.set_viewport_size({"width": 1920, "height": 1080})  # of a larger window the picture takes its part
    page.wait_for_function(
        "low => (document.querySelector('.st-key-tour_attack svg')?.clientHeight ?? 0) > low + 100", arg=low
    )
    watched.drawn()
    _fits_the_window(page)
    for key, full in (
        ("f", True),
        ("f", False),
        ("F", True),
        ("F", False),
    ):  # F is what Caps Lock makes of it
        page.keyboard.press(key)
        page.wait_for_function("full => Boolean(document.fullscreenElement) === full", arg=full)
    watched.clean()


def _fits_the_window(page: Page) -> None:
    """Wait till a step has no more than the window's height: its picture is drawn anew for a window that has another."""
    page.wait_for_function(
        "() => { const one = document.querySelector('[data-testid=stMain]'); return one.scrollHeight <= one.clientHeight; }"
    )


def _height_of_the_curve(page: Page) -> float:
    box = page.locator(".st-key-tour_attack svg").first.bounding_box()
    assert box is not None
    return box["height"]


def test_a_dot_of_the_tour_leads_to_its_step_issue_17(address: str, watched: Watched) -> None:
    page = watched.opened(f"{address}/tour?step=3").page
    dots = page.locator(".st-key-step").get_by_test_id("stRadioOption")
    watched.acts(dots.nth(4).click, lambda: "step=5" in page.url)
    expect(page.locator("h2").first).to_contain_text("5. Bounding")
    # Two pictures with words below one, a picture drawn to scale, a table above a picture: what needs most room, more so in large type.
    page.set_viewport_size({"width": 1280, "height": 720})
    for step in (5, 9, 10):
        watched.opened(f"{address}/tour?step={step}&present=1").drawn()
        _fits_the_window(page)
    watched.clean()


def test_type_of_the_tour_is_larger_in_a_presentation_of_1280_by_800_and_steps_fit(
    address: str, watched: Watched
) -> None:
    """Words were of 16 pixels there, as on a page beside its menu."""
    page = watched.page
    page.set_viewport_size({"width": 1280, "height": 800})
    seen = page.get_by_test_id("stMain").get_by_text("What to see:").locator("xpath=ancestor-or-self::p")
    for step in (1, 5, 9, 10):
        watched.opened(f"{address}/tour?step={step}&present=1").drawn()
        _fits_the_window(page)
        assert float(seen.evaluate("one => parseFloat(getComputedStyle(one).fontSize)")) > 17
    watched.clean()


def test_controls_below_a_warning_that_goes_keep_their_place_in_the_address(
    address: str, watched: Watched
) -> None:
    """A link that was copied after that opened another view: what stood below was no longer in the address. And the map was begun anew."""
    page = watched.opened(f"{address}/release?bound=10&threshold=10000").page
    page.get_by_text("so that the release is empty").wait_for()
    watched.drawn()
    drawn = page.locator(".st-key-release_map [data-drawn]").element_handle()
    everything = page.get_by_role("button", name="Show every noisy count from 1 on")
    watched.acts(everything.click, lambda: everything.count() == 0)
    watched.ready()
    assert drawn.evaluate("one => one.isConnected")
    after = page.locator(".st-key-map").get_by_text("after", exact=True)
    watched.acts(after.click, lambda: "map=after" in page.url)
    watched.clean()
