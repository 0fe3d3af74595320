"""A server, a browser and a page in it, for all tests that drive one: they run one after the other, in one process."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from tests.browser.lab import ARGUMENTS, WIDE, Watched, free_port, started, stopped
from tests.browser_setup import browser_path

# Pages are drawn by the processor here, and each picture costs time: what moves by itself moves at once, and flow maps
# get no land and borders unless a page asks for the whole world first. Any length of a transition but none, were it a
# millisecond, gives one to each element of a page, and then most of a browser's time goes into their styles.
STILL = """(() => {
    addEventListener("DOMContentLoaded", () => {
        const style = document.createElement("style");
        style.textContent = `*, *::before, *::after {
            animation-duration: 1ms !important; animation-delay: 0s !important; animation-iteration-count: 1 !important;
            transition-duration: 0s !important; transition-delay: 0s !important; }`;
        document.head.append(style);
    });
    const fetched = window.fetch, none = {type: "GeometryCollection", geometries: []};
    window.fetch = (what, ...how) => /world\\.json$/.test(what) && !window.wholeWorld
        ? Promise.resolve(Response.json({type: "Topology", arcs: [], objects: {land: none, countries: none}}))
        : fetched(what, ...how);
})()"""


def still(browser: Browser) -> Browser:
    """Make all pages of a browser cheap to draw."""
    begun = browser.new_context

    def new_context(**options: Any) -> BrowserContext:
        context = begun(**options)
        context.add_init_script(STILL)
        return context

    browser.new_context = new_context  # type: ignore[method-assign]
    return browser


@pytest.fixture(scope="package")
def address() -> Iterator[str]:
    """The address of a server: each page in it has a session of its own."""
    port = free_port()
    server = started(port)
    yield f"http://127.0.0.1:{port}"
    stopped(server)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A real browser; not for all tests there are, since its loop would be in the way of other tests'."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser_path(), args=ARGUMENTS)
        yield still(running)
        running.close()


@pytest.fixture(scope="package")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """What the pages share: the program of the lab is fetched and read once. Each page has a session of its own."""
    shared = browser.new_context(viewport=WIDE, accept_downloads=True)
    yield shared
    shared.close()


@pytest.fixture(scope="package")
def tabs() -> list[Page]:
    """The tab that tests hand on to one another, where there is one."""
    return []


@pytest.fixture
def watched(context: BrowserContext, tabs: list[Page], address: str) -> Iterator[Watched]:
    """A page in a tab that earlier tests have left; its session is its own."""
    page = tabs.pop() if tabs else context.new_page()
    page.set_viewport_size(WIDE)
    watched = Watched(page)
    yield watched
    try:
        watched.leaves(f"{address}/_stcore/health")
        tabs.append(page)
    except Error:  # a page that has crashed is left by nobody: the next test takes another
        page.close()


@pytest.fixture
def alone(context: BrowserContext) -> Iterator[Watched]:
    """A page in a tab of its own, for a test that changes what its browser does."""
    page = context.new_page()
    page.set_viewport_size(WIDE)
    yield Watched(page)
    page.close()
