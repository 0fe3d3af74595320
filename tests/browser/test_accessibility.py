"""Every page in both themes: it renders, asks nothing outside, and axe-core finds nothing grave in contrast, names, roles.

In the light, each page is seen under the line that docs/privacy.md has a proxy add; in the dark, it is opened on a narrow
screen, which then becomes wide.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.browser.header_proxy import header_proxy
from tests.browser.lab import (
    NARROW,
    PATHS,
    PERHAPS_WITHOUT_A_CHART,
    QUERIES,
    ROOT,
    WIDE,
    Watched,
    opens_on_a_narrow_screen,
)

pytestmark = pytest.mark.browser
GRAVE = ("serious", "critical")
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


def grave(violations: list[dict[str, Any]]) -> list[str]:
    return [
        f"{violation['id']} {' '.join(node['target'][-1:])}: {node['html'][:300]} {node['failureSummary']}"
        for violation in violations
        if violation["impact"] in GRAVE
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PATHS)
def test_every_page_renders_and_axe_finds_nothing_grave(
    name: str, scheme: str, address: str, proxied: str, browser: Browser
) -> None:
    context = browser.new_context(color_scheme=scheme, viewport=WIDE if scheme == "light" else NARROW)
    context.add_init_script(Axe().axe_script)
    watched = Watched(context.new_page())
    if scheme == "light":
        watched.opened(proxied + PATHS[name] + QUERIES.get(name, ""))
        if name in QUERIES or name not in PERHAPS_WITHOUT_A_CHART:
            watched.drawn()
    else:
        opens_on_a_narrow_screen(watched, address, name)
        watched.page.set_viewport_size(WIDE)
    watched.page.locator("h4").first.wait_for()
    watched.ready()
    assert watched.page.get_by_test_id("stException").count() == 0
    # The groups of pages are marked as lists a moment after they are drawn.
    watched.page.locator("[data-testid=stSidebarNavItems][role=presentation]").wait_for(state="attached")
    watched.clean()
    found = grave(watched.page.evaluate("axe.run({resultTypes: ['violations']})")["violations"])
    context.close()
    assert found == [], "\n".join(found)


def test_nothing_is_fetched_from_elsewhere_under_the_line_that_a_proxy_adds(
    proxied: str, watched: Watched
) -> None:
    watched.opened(f"{proxied}/report")
    for url in ("https://a.basemaps.cartocdn.com/0/0/0.png", "https://example.org/collect"):
        assert watched.page.evaluate(FETCHED, url) == url
