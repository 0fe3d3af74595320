"""A server, a browser and a page in it, for all tests that drive one."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.browser.lab import ARGUMENTS, WIDE, Watched, free_port, started, stopped
from tests.browser_setup import browser_path


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a server, one for all files of a process: each page in it has a session of its own."""
    port = free_port()
    server = started(port)
    yield f"http://127.0.0.1:{port}"
    stopped(server)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser; not for the whole session, since its loop would be in the way of other tests'."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser_path(), args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """What the pages of a file share: the program of the lab is fetched and read once. Each page has a session of its own."""
    shared = browser.new_context(viewport=WIDE, accept_downloads=True)
    yield shared
    shared.close()


@pytest.fixture
def watched(context: BrowserContext) -> Iterator[Watched]:
    """A page of its own."""
    page = context.new_page()
    page.set_viewport_size(WIDE)
    yield Watched(page)
    page.close()
