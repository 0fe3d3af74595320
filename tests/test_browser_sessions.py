"""Sessions in real browsers on real servers: kept apart, ended when their browser goes, and tidied up after a crash."""

import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.test_browser import PATHS, Watched, address, browser, free_port, started, stopped

__all__ = ["address", "browser"]
pytestmark = pytest.mark.browser


class Overheard(Watched):
    """A page that keeps all that its server says to it, byte for byte."""

    def __init__(self, context: BrowserContext) -> None:
        page = context.new_page()
        self.said: list[bytes] = []
        page.on("websocket", lambda socket: socket.on("framereceived", self._frame))
        page.on("requestfinished", self._answer)
        super().__init__(page)

    def _frame(self, payload: bytes | str) -> None:
        self.said.append(payload.encode() if isinstance(payload, str) else payload)

    def _answer(self, request: Any) -> None:
        if "/static/" not in request.url:
            self.said.append(request.url.encode())

    def hears(self, word: str) -> bool:
        return any(word.encode() in said for said in self.said)

    def settled(self) -> None:
        idle = "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"
        self.page.locator(idle).wait_for(timeout=60_000)

    def goes_to(self, name: str) -> None:
        self.page.get_by_test_id("stSidebarNavLink").filter(has_text=name.capitalize()).first.click()
        expect(self.page.locator("h1").first).to_have_text("privlab" if name == "home" else name.capitalize())
        self.settled()
        self.page.wait_for_timeout(500)  # what is shown a little later, in fragments
        self.settled()


def records(word: str, n_users: int, n_hours: int = 12) -> bytes:
    """Return made-up records, each word's in a place of its own, of people whose names hold the word."""
    south = ord(word[0]) % 7
    rows = "".join(
        f"{word}user{user},2026-03-0{day} {7 + hour:02d}:05,{40 + south + zone / 50},{9 + south + zone / 50}\n"
        for user in range(n_users)
        for day in range(2, 9)
        for hour in range(n_hours)
        for zone in [(user * 7 + hour * (1 + user % 3) + day) % 12]
    )
    return f"user,time,lat,lon\n{rows}".encode()


def with_own_data(watched: Overheard, address: str, word: str, n_users: int) -> Page:
    page = watched.opened(f"{address}/data?threshold=0&bound=5").page
    page.get_by_text("Bring your own data").click()
    page.locator(".st-key-upload input[type=file]").set_input_files(
        {"name": f"{word}file.csv", "mimeType": "text/csv", "buffer": records(word, n_users)}
    )
    page.locator(".st-key-load button").click(timeout=60_000)
    expect(page.locator(".st-key-data").get_by_role("combobox")).to_have_value("own data", timeout=60_000)
    expect(page.locator("h4").first).to_contain_text(f"Of {n_users:,} people", timeout=60_000)
    return page


def downloaded(page: Page) -> str:
    with page.expect_download() as arriving:
        page.get_by_role("button", name="Download the simulated release").click()
    return Path(arriving.value.path()).read_text(encoding="utf-8")


def test_two_browsers_never_hear_of_each_other_s_data(address: str, browser: Browser) -> None:
    contexts = [browser.new_context(viewport={"width": 1280, "height": 900}) for _ in range(3)]
    mine, yours, stranger = (Overheard(context) for context in contexts)
    with_own_data(mine, address, "alpha", 23)
    with_own_data(yours, address, "bravo", 31)
    files: dict[Overheard, str] = {}
    for name in PATHS:
        for watched in (mine, yours):
            watched.goes_to(name)
            assert watched.page.get_by_test_id("stException").count() == 0, name
            if name == "release":
                files[watched] = downloaded(watched.page)
    for word, watched, other in (("alpha", mine, yours), ("bravo", yours, mine)):
        assert watched.hears(f"{word}file")
        assert not other.hears(word)
        assert f"{word}file" in files[watched]
        assert word not in files[other]
    # A link copied from one browser opens none of its data in another.
    for name in ("release", "attack", "groups"):
        mine.goes_to(name)
        stranger.opened(mine.page.url)
        chosen = stranger.page.locator(".st-key-data").get_by_role("combobox")
        expect(chosen).to_have_value("city", timeout=60_000)
    assert not stranger.hears("alpha")
    assert not stranger.hears("bravo")
    for context in contexts:
        context.close()


@pytest.fixture
def servers() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Yield a list; the servers that a test puts there are stopped."""
    begun: list[subprocess.Popen[bytes]] = []
    yield begun
    for server in begun:
        if server.poll() is None:
            stopped(server)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the servers of this test keep what is temporary; their sessions end soon."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL", "8")
    return tmp_path


def kept(place: Path, word: str) -> list[Path]:
    return sorted(place.glob(f"privlab-session-*/**/{word}file.csv"))


def until(true: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_session_ends_with_its_browser_and_takes_its_work_and_files_along(
    place: Path, servers: list[subprocess.Popen[bytes]], browser: Browser
) -> None:
    port = free_port()
    servers.append(started(port))
    context = browser.new_context()
    watched = Overheard(context)
    page = with_own_data(watched, f"http://127.0.0.1:{port}", "alpha", 900)
    assert len(kept(place, "alpha")) == 1
    watched.page.get_by_test_id("stSidebarNavLink").filter(has_text="Groups").click()
    page.locator(".st-key-cancel_groups button").wait_for(timeout=60_000)  # work is under way
    context.close()
    # The folder is held by the session and by its work: it goes when both have ended.
    until(lambda: list(place.glob("privlab-*")) == [])
    assert servers[0].poll() is None


def test_what_a_killed_server_left_is_removed_by_the_next_and_another_s_is_kept(
    place: Path, servers: list[subprocess.Popen[bytes]], browser: Browser
) -> None:
    ports = [free_port(), free_port()]
    servers.extend(started(port) for port in ports)
    contexts = [browser.new_context(), browser.new_context()]
    for context, port, word in zip(contexts, ports, ("alpha", "bravo"), strict=True):
        with_own_data(Overheard(context), f"http://127.0.0.1:{port}", word, 9)
    servers[0].send_signal(signal.SIGKILL)
    servers[0].wait(timeout=30)
    assert len(kept(place, "alpha")) == len(kept(place, "bravo")) == 1
    # The browser says that the server is gone, and finds the next one by itself; the upload went with the first.
    page = contexts[0].pages[0]
    page.locator("[data-testid=stApp]:not([data-test-connection-state=CONNECTED])").wait_for(timeout=60_000)
    servers[0] = started(ports[0])
    assert kept(place, "alpha") == []
    assert len(kept(place, "bravo")) == 1
    expect(page.locator(".st-key-data").get_by_role("combobox")).to_have_value("city", timeout=60_000)
    assert re.search("threshold=0", page.url)
    assert page.get_by_test_id("stException").count() == 0
    for context in contexts:
        context.close()
