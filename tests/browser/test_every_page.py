"""Every page in a real browser: from a cold server, in the dark, on a narrow screen, and with no request outside."""

import re
import urllib.request

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.header_proxy import header_proxy
from tests.browser.lab import (
    PATHS,
    PERHAPS_WITHOUT_A_CHART,
    QUERIES,
    ROOT,
    Watched,
    free_port,
    started,
    stopped,
)

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", PATHS)
def test_cold_server_opens_a_deep_link(name: str, watched: Watched) -> None:
    port = free_port()
    server = started(port)
    try:
        query = f"{QUERIES[name]}&" if name in QUERIES else "?"
        watched.opened(f"http://127.0.0.1:{port}{PATHS[name]}{query}epsilon=1.5")
        expect(watched.page.locator("h1").first).to_have_text(
            "privlab" if name == "home" else name.capitalize()
        )
        expect(watched.page.locator(".st-key-epsilon")).to_contain_text("1.5")
        if name not in PERHAPS_WITHOUT_A_CHART:
            watched.drawn()
        watched.clean()
    finally:
        stopped(server)


def every_page_renders(watched: Watched, address: str) -> None:
    for name, path in PATHS.items():
        watched.opened(address + path + QUERIES.get(name, ""))
        if name not in PERHAPS_WITHOUT_A_CHART:
            watched.drawn()
        assert watched.page.get_by_test_id("stException").count() == 0
    watched.clean()


def test_every_page_renders_in_the_dark(address: str, browser: Browser) -> None:
    context = browser.new_context(color_scheme="dark", viewport={"width": 1280, "height": 900})
    every_page_renders(Watched(context.new_page()), address)
    context.close()


def test_narrow_screen_has_no_sideways_scroll(address: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    watched = Watched(context.new_page())
    for name, path in PATHS.items():
        watched.page.goto(address + path + QUERIES.get(name, ""))
        if name in QUERIES:
            watched.drawn()
        watched.ready()
        wide = watched.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 392, (path, wide)
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


def test_every_page_renders_under_the_line_that_a_proxy_adds_and_nothing_is_fetched_from_elsewhere(
    address: str, watched: Watched
) -> None:
    text = (ROOT / "docs" / "privacy.md").read_text(encoding="utf-8")
    (line,) = re.findall(r'^add_header Content-Security-Policy "(.+)" always;$', text, re.M)
    with header_proxy(int(address.rpartition(":")[2]), f"Content-Security-Policy: {line}") as port:
        every_page_renders(watched, f"http://127.0.0.1:{port}")
        refused = """url => new Promise(resolve => {
            document.addEventListener("securitypolicyviolation", event => resolve(event.blockedURI), {once: true});
            fetch(url).then(() => resolve("fetched"), () => {});
        })"""
        for url in ("https://a.basemaps.cartocdn.com/0/0/0.png", "https://example.org/collect"):
            assert watched.page.evaluate(refused, url) == url
