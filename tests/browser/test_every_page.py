"""Pages of a server that has just been started, on a narrow screen, and what its headers forbid."""

import urllib.request

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.lab import NARROW, Watched, free_port, opens_on_a_narrow_screen, started, stopped

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
