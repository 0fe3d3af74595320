"""Every page of a server that has just been started, on a narrow screen, and what its headers forbid."""

import urllib.request

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.lab import PATHS, PERHAPS_WITHOUT_A_CHART, QUERIES, Watched, free_port, started, stopped

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", PATHS)
def test_cold_server_opens_a_deep_link_on_a_narrow_screen_without_sideways_scroll(
    name: str, browser: Browser
) -> None:
    port = free_port()
    server = started(port)
    context = browser.new_context(viewport={"width": 390, "height": 844})
    watched = Watched(context.new_page())
    try:
        query = f"{QUERIES[name]}&" if name in QUERIES else "?"
        watched.opened(f"http://127.0.0.1:{port}{PATHS[name]}{query}epsilon=1.5")
        expect(watched.page.locator("h1").first).to_have_text(
            "privlab" if name == "home" else name.capitalize()
        )
        expect(watched.page.locator(".st-key-epsilon")).to_contain_text("1.5")
        if name in QUERIES or name not in PERHAPS_WITHOUT_A_CHART:
            watched.drawn()
        assert watched.page.get_by_test_id("stException").count() == 0
        assert watched.page.evaluate("document.documentElement.scrollWidth") <= 392
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
