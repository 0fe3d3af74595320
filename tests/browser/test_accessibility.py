"""Every page in both themes: it renders, asks nothing outside, and axe-core finds nothing grave in contrast, names, roles, headings.

Each page is opened once, on a narrow screen, under the line that docs/privacy.md has a proxy add; then the screen becomes
wide, and then dark.
"""

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.header_proxy import header_proxy
from tests.browser.lab import (
    NARROW,
    PATHS,
    ROOT,
    SCHEMES,
    WIDE,
    Watched,
    opens_on_a_narrow_screen,
)

pytestmark = pytest.mark.browser
GRAVE = ("moderate", "serious", "critical")
AXE = "axe.run({resultTypes: ['violations']})"
HIGHER = "() => (document.querySelector('.st-key-tour_attack svg')?.clientHeight ?? 0) > 430"
FETCHED = """url => new Promise(resolve => {
    document.addEventListener("securitypolicyviolation", event => resolve(event.blockedURI), {once: true});
    fetch(url).then(() => resolve("fetched"), () => {});
})"""


@pytest.fixture(scope="module")
def proxied(address: str) -> Iterator[str]:
    """The address of the same server behind a proxy, which adds its line to every answer."""
    text = (ROOT / "docs" / "privacy.md").read_text(encoding="utf-8")
    (line,) = re.findall(r'^add_header Content-Security-Policy "(.+)" always;$', text, re.M)
    with header_proxy(int(address.rpartition(":")[2]), f"Content-Security-Policy: {line}") as port:
        yield f"http://127.0.0.1:{port}"


def grave_in(watched: Watched) -> list[str]:
    """Return what axe-core finds grave in a page at rest."""
    watched.ready()
    return [
        f"{violation['id']} {' '.join(map(str, node['target'][-1:]))}: {node['html'][:300]} {node['failureSummary']}"
        for violation in watched.page.evaluate(AXE)["violations"]
        if violation["impact"] in GRAVE
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize("name", PATHS)
def test_every_page_renders_and_axe_finds_nothing_grave(name: str, proxied: str, watched: Watched) -> None:
    watched.page.set_viewport_size(NARROW)
    watched.page.emulate_media(color_scheme="light")
    opens_on_a_narrow_screen(watched, proxied, name)
    watched.page.set_viewport_size(WIDE)
    watched.page.locator("h2").first.wait_for()
    if name == "tour":  # a moment after its window has grown, its pictures do
        grown = "dispatchEvent(new Event('resize'))"
        watched.acts(lambda: watched.page.evaluate(grown), lambda: watched.page.evaluate(HIGHER))
    # The groups of pages are marked as lists a moment after they are drawn.
    watched.page.locator("[data-testid=stSidebarNavItems][role=presentation]").wait_for(state="attached")
    if name == "data":  # axe asks for no name of a box that has the focus
        expect(watched.page.locator(".st-key-data_zones .map")).to_have_accessible_name(
            re.compile("^Map of the zones, .* Arrow keys move it")
        )
    watched.page.evaluate(f"() => {{ {Axe().axe_script} }}")
    found = grave_in(watched)
    watched.shows_in("dark")
    found += grave_in(watched)
    if name == "data":
        tools = watched.page.get_by_test_id("stElementToolbar").first
        tools.get_by_role("button").first.focus()
        expect(tools).to_have_css("opacity", "1")  # where the keyboard is can be seen
    if name == "release":
        tells_by_fill_in_colours_of_the_readers(watched)
    assert watched.page.get_by_test_id("stException").count() == 0
    watched.clean()
    assert found == [], "\n".join(found)


def tells_by_fill_in_colours_of_the_readers(watched: Watched) -> None:
    """Hold that choices and sliders are told by what fills them where a reader has chosen colours for all pages."""
    ground = "one => getComputedStyle(one).backgroundColor"
    watched.page.emulate_media(forced_colors="active")
    taken, others = (
        watched.page.locator(f".st-key-map [role=radio][aria-checked={taken}]").first.evaluate(ground)
        for taken in ("true", "false")
    )
    assert taken != others
    app = watched.page.get_by_test_id("stApp").evaluate(ground)
    parts = watched.page.locator(".st-key-epsilon [data-testid=stSlider] [style*=touch-action] *")
    assert set(parts.evaluate_all(f"all => all.map({ground})")) - {app, "rgba(0, 0, 0, 0)"}
    watched.page.emulate_media(forced_colors="none")


@pytest.mark.parametrize("name", ["plan", "publish"])
def test_axe_finds_nothing_grave_in_the_commands_that_are_folded_away(
    name: str, proxied: str, watched: Watched
) -> None:
    watched.page.set_viewport_size(WIDE)
    watched.opened(f"{proxied}{PATHS[name]}?bound=3")
    for scheme in SCHEMES:
        watched.shows_in(scheme)
        shown = watched.unfolded("The same on the command line").locator("code").first
        shown.wait_for()
        watched.page.evaluate(f"() => {{ {Axe().axe_script} }}")
        found = grave_in(watched)
        assert found == [], "\n".join(found)
    watched.clean()


def test_nothing_is_fetched_from_elsewhere_under_the_line_that_a_proxy_adds(
    proxied: str, watched: Watched
) -> None:
    watched.opened(f"{proxied}/report")
    for url in ("https://a.basemaps.cartocdn.com/0/0/0.png", "https://example.org/collect"):
        assert watched.page.evaluate(FETCHED, url) == url


def test_a_table_that_a_narrow_screen_cuts_is_scrolled_by_the_keyboard_too(
    proxied: str, watched: Watched
) -> None:
    watched.page.set_viewport_size(NARROW)
    opens_on_a_narrow_screen(watched, proxied, "guarantee")
    watched.ready()
    watched.page.set_viewport_size({"width": 240, "height": 844})  # a telephone's with large letters
    table = watched.page.get_by_role("region", name="Table, wider than the page").first
    table.focus()
    watched.page.keyboard.press("ArrowRight")
    watched.page.wait_for_function("table => table.scrollLeft > 0", arg=table.element_handle())
    watched.page.evaluate(f"() => {{ {Axe().axe_script} }}")
    assert not [one for one in grave_in(watched) if one.startswith("scrollable-region-focusable")]
    watched.page.set_viewport_size(WIDE)
    watched.page.get_by_role("region", name="Table, wider than the page").first.wait_for(state="detached")
