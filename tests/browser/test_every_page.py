"""Pages of a server that has just been started, on a narrow screen, and what its headers forbid."""

import urllib.request

import pytest
from playwright.sync_api import Browser, expect
from plotly.offline import get_plotlyjs_version

from privlab.figures.drawing.palette import DARK, LIGHT, rgb
from tests.browser.lab import NARROW, SCHEMES, Watched, free_port, opens_on_a_narrow_screen, started, stopped

pytestmark = pytest.mark.browser


# One that needs little, one with maps, one with a job; all pages are opened so on a warm server, beside axe.
@pytest.mark.parametrize("name", ["home", "release", "groups"])
def test_cold_server_opens_a_deep_link_on_a_narrow_screen_without_sideways_scroll(
    name: str, browser: Browser
) -> None:
    port = free_port()
    server = started(port)
    context = browser.new_context(viewport=NARROW)
    watched = Watched(context.new_page())
    try:
        opens_on_a_narrow_screen(watched, f"http://127.0.0.1:{port}", name)
        watched.clean()
    finally:
        context.close()
        stopped(server)


def test_figures_and_the_map_follow_the_theme_of_a_page_that_is_open(address: str, watched: Watched) -> None:
    """They kept the colours of before until another page was opened: dark grey on black."""
    page = watched.opened(f"{address}/release?data=city").page
    watched.drawn()
    mark = page.get_by_test_id("stPlotlyChart").get_by_text("INTERNAL: true data").first
    pane = page.locator(".st-key-release_map").get_by_text("Before: true counts").first
    for scheme, palette, words in zip(SCHEMES[::-1], (DARK, LIGHT), SCHEMES, strict=True):
        watched.shows_in(scheme)
        expect(mark).to_have_css("fill", f"rgb({', '.join(map(str, rgb(palette.true)))})")
        watched.ready()
        colour = pane.evaluate(r"it => getComputedStyle(it).color.match(/[\d.]+/g).map(Number)")
        assert (sum(colour[:3]) > 3 * 128) == (words == "light")
    watched.clean()


def test_each_change_of_colours_is_told_once(address: str, watched: Watched) -> None:
    """What watched before, for the colours of before, told it again and again."""
    told: list[str | bytes] = []

    def tell(sent: str | bytes) -> None:
        told.append(sent)

    watched.page.on("websocket", lambda socket: socket.on("framesent", tell))
    watched.opened(f"{address}/report")
    for scheme in SCHEMES[::-1]:
        told.clear()
        watched.shows_in(scheme)
        watched.page.wait_for_timeout(7_000)  # longer than it waits before it asks again
        assert len(told) == 1, scheme
    watched.clean()


def test_colours_that_come_long_after_the_pages_class_are_noticed(address: str, alone: Watched) -> None:
    """On a busy machine a figure stayed in the colours of before, since the page was looked at once, too early."""
    page = alone.opened(f"{address}/report").page
    page.add_style_tag(content="[data-testid=stApp] { transition: background-color 2s steps(1) !important; }")
    for scheme in SCHEMES[::-1]:
        alone.shows_in(scheme)
    alone.clean()


def test_charts_are_drawn_by_the_plotly_that_figures_are_made_for(address: str, watched: Watched) -> None:
    """Streamlit's own, which is another, is a last resort: it is four times as long."""
    watched.opened(f"{address}/attack")
    watched.drawn()
    assert watched.page.evaluate("Plotly.version") == get_plotlyjs_version()
    watched.clean()


def test_no_tools_lie_on_titles_where_a_finger_can_point_at_nothing(address: str, browser: Browser) -> None:
    context = browser.new_context(viewport=NARROW, has_touch=True, is_mobile=True)
    watched = Watched(context.new_page())
    try:
        page = watched.opened(f"{address}/attack?numbers_fold=true").page
        watched.drawn()
        page.get_by_test_id("stDataFrame").first.wait_for()
        tools = page.locator(".modebar-container, [data-testid=stElementToolbar]")
        assert tools.count()
        for place in tools.all():
            expect(place).to_be_hidden()
        page.locator(".st-key-attack_curve").tap()
        for place in tools.all():
            expect(place).to_be_hidden()
        expect(page.get_by_role("button", name="Numbers (CSV)").first).to_be_visible()
        # A help mark that stands in the label of a box does not tick it, and says its words.
        page.get_by_role("button", name="Help for Gaussian noise instead").tap()
        watched.ready()
        expect(page.get_by_role("checkbox", name="Gaussian noise instead")).not_to_be_checked()
        expect(page.get_by_test_id("stTooltipContent")).to_be_visible()
        # Nor does the name of a step of the tour lie on its title, once its dot was tapped.
        watched.opened(f"{address}/tour")
        dot = page.locator(".st-key-step [role=radiogroup] > div").nth(3)
        dot.locator("label").tap()
        expect(page.locator("h2")).to_contain_text("4. The threshold")
        expect(dot.locator("xpath=*[not(self::label)]")).to_have_css("clip-path", "inset(50%)")
    finally:
        context.close()


def test_headers_forbid_outside_requests(address: str) -> None:
    with urllib.request.urlopen(address, timeout=900) as answer:
        policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "'unsafe-eval'" not in policy
    assert "object-src 'none'" in policy


def test_no_socket_leads_to_another_server(address: str, watched: Watched) -> None:
    """Under the lab's own line, while the page's socket to its server works."""
    watched.opened(f"{address}/report")
    refused = """url => new Promise(resolve => {
        document.addEventListener("securitypolicyviolation", event => resolve(event.blockedURI), {once: true});
        try { new WebSocket(url).onerror = () => resolve("tried"); } catch { /* the event tells */ }
    })"""
    for url in ("wss://collect.invalid/x", "ws://collect.invalid/x"):
        assert watched.page.evaluate(refused, url).startswith(url.partition("/x")[0])


def test_the_next_page_is_shown_from_its_top(address: str, watched: Watched) -> None:
    """From the foot of one long page to another that is there at once."""
    watched.opened(f"{address}/release?data=city").opened(f"{address}/plan?data=city")
    page = watched.page
    page.locator("a,button").filter(has_text="Next:").scroll_into_view_if_needed()
    scrolled = "() => document.querySelector('[data-testid=stMain]').scrollTop"
    assert page.evaluate(scrolled) > 1000
    page.locator("a,button").filter(has_text="Next:").click()
    expect(page.locator("h1")).to_have_text("Release")
    watched.ready()
    assert page.evaluate(scrolled) == 0
