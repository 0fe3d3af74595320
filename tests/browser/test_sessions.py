"""Sessions in real browsers on real servers: kept apart, ended when their browser goes, and tidied up after a crash."""

import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Download, expect

from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.reports.report_plan import ReportItem, ReportPlan, View, json_from_report_plan
from tests.browser.lab import Watched, csv_file, free_port, started, stopped

pytestmark = pytest.mark.browser
# The sample that is ready soonest: no test waits for one.
START = "/data?data=subscribers&threshold=0"


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

    def goes_to(self, name: str, n_users: int) -> None:
        """Go to a page of the own data, and wait until it has drawn that data's people."""
        self.page.get_by_test_id("stSidebarNavLink").filter(has_text=name).first.click()
        expect(self.page.locator("h1").first).to_have_text(name)
        self.page.get_by_test_id("stPlotlyChart").locator(".main-svg").first.wait_for()
        expect(self.page.get_by_text(re.compile(rf"\b{n_users} (people|users)")).first).to_be_visible()
        self.ready()
        assert self.page.get_by_test_id("stException").count() == 0


def records(word: str, n_users: int) -> str:
    """Return made-up records, each word's in a place of its own, of people whose names hold the word."""
    south = ord(word[0]) % 7
    rows = "".join(
        f"{word}user{user},2026-03-0{day} {7 + hour:02d}:05,{40 + south + zone / 50},{9 + south + zone / 50}\n"
        for user in range(n_users)
        for day in range(2, 9)
        for hour in range(8)
        for zone in [(user * 7 + hour * (1 + user % 3) + day) % 12]
    )
    return f"user,time,lat,lon\n{rows}"


def records_without_places(word: str, n_users: int) -> str:
    """Return the same with a number for each place: no page draws a map of them."""
    _, *rows = records(word, n_users).splitlines()
    zones: dict[str, int] = {}
    numbered = []
    for row in rows:
        user, time_, place = row.split(",", 2)
        numbered.append(f"{user},{time_},{zones.setdefault(place, len(zones))}\n")
    return "user,time,zone\n" + "".join(numbered)


def with_own_data(context: BrowserContext, server: str, word: str, n_users: int, rows: str = "") -> Overheard:
    watched = Overheard(context)
    watched.opened(server + START)
    watched.gives("upload", csv_file(f"{word}file.csv", rows or records(word, n_users)))
    watched.loads()
    expect(watched.page.locator("h2").first).to_contain_text(f"Of {n_users} people")
    return watched


def download(watched: Watched, button: str) -> Download:
    with watched.page.expect_download() as arriving:
        watched.page.get_by_role("button", name=button).click()
    return arriving.value


def downloaded(watched: Overheard) -> tuple[str, str]:
    """Return what a download holds, and its address."""
    file = download(watched, "Download the simulated release")
    return Path(file.path()).read_text(encoding="utf-8"), file.url


def answers(address: str) -> bool:
    """Return whether a download's address hands something out, to whoever asks."""
    try:
        with urllib.request.urlopen(address, timeout=900) as answer:
            return bool(answer.read())
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        return False


def test_two_browsers_never_hear_of_each_other_s_data_plan_or_report_and_a_download_ends_with_its_data(
    address: str, browser: Browser
) -> None:
    contexts = [browser.new_context(viewport={"width": 1280, "height": 900}) for _ in range(3)]
    mine = with_own_data(contexts[0], address, "alpha", 13)
    yours = with_own_data(contexts[1], address, "bravo", 17, records_without_places("bravo", 17))
    files = {}
    # With the same parameters, one after the other: what one has had computed is no answer to the other.
    for watched, n_users in ((mine, 13), (yours, 17)):
        watched.goes_to("Release", n_users)
        files[watched], _ = downloaded(watched)
        watched.goes_to("Attack", n_users)
    mine.pressed("epsilon", "ArrowRight")
    mine.page.wait_for_url(re.compile(r"epsilon=0\.8"))
    copied = mine.page.url
    mine.page.get_by_role("button", name="Add to report").first.click()
    mine.ready()
    mine.page.get_by_test_id("stSidebarNavLink").filter(has_text="Report").click()
    expect(mine.page.locator("h2").first).to_contain_text("1 part in the internal report.")
    yours.page.get_by_test_id("stSidebarNavLink").filter(has_text="Report").click()
    expect(yours.page.locator("h2").first).to_contain_text("Nothing is in the report yet.")
    expect(yours.page.locator(".st-key-epsilon")).to_contain_text("0.66")
    for word, watched, other in (("alpha", mine, yours), ("bravo", yours, mine)):
        assert watched.hears(f"{word}file")
        assert not other.hears(word)
        assert f"{word}file" in files[watched]
        assert word not in files[other]
    # A link copied from one browser opens none of its data in another, which is said.
    stranger = Overheard(contexts[2])
    assert "data=own+data" in copied
    stranger.page.goto(copied)
    expect(stranger.page.get_by_text("This session has no data of your own")).to_be_visible()
    expect(stranger.page.locator(".st-key-data").get_by_role("combobox")).to_have_value("city")
    assert not stranger.hears("alpha")
    assert not stranger.hears("bravo")
    # The address of a download ends with its data.
    mine.goes_to("Release", 13)
    _, file = downloaded(mine)
    until(lambda: answers(file))  # not while the page is drawn anew after the click
    mine.page.get_by_test_id("stSidebarNavLink").filter(has_text="Data").first.click()
    mine.page.get_by_role("button", name="Forget my data").click()
    expect(mine.page.locator(".st-key-data").get_by_role("combobox")).to_have_value("city")
    assert not answers(file)
    until(lambda: "epsilon=0.8" not in mine.page.url)  # nor do the settings for it stay in the address
    for context in contexts:
        context.close()


def report_of(word: str) -> str:
    """Return the plan of a report that names the word in the middle of 5 MB: 100 KB of figures come after it."""
    release = ReleaseParameters(epsilon=0.66, threshold=100, noise="laplace")
    view = View(release=release, options=(("k", 12), ("simulated_games", 0)))
    notes = (f"Of {word}.", *[""] * 7)
    figures = tuple(ReportItem(exhibit="attack", view=view, data=None, note=note) for note in notes)
    return json_from_report_plan(ReportPlan(title="Ours", kind="internal", items=figures))


def test_two_browsers_with_reports_of_equal_length_get_each_its_own(address: str, browser: Browser) -> None:
    """Streamlit looks at the length and at three pieces of a file this large, and those are equal."""
    words, contexts = ("alpha", "bravo"), [browser.new_context() for _ in range(2)]
    pages = []
    for context, word in zip(contexts, words, strict=True):
        watched = Watched(context.new_page()).opened(f"{address}/report?data=subscribers")
        watched.unfolded("The plan of this report")
        chooser = watched.page.locator(".st-key-load_plan input[type=file]")
        plan = {"name": "plan.json", "mimeType": "application/json", "buffer": report_of(word).encode()}
        watched.acts(
            lambda chooser=chooser, plan=plan: chooser.set_input_files(plan),  # type: ignore[misc]
            lambda page=watched.page: page.get_by_text("8 parts in the internal report.").count() > 0,  # type: ignore[misc]
        )
        watched.ready()
        watched.page.get_by_role("button", name="Make the report").click()
        watched.page.get_by_role("button", name="Download HTML").wait_for()
        watched.ready()
        pages.append(watched)
    files = [download(watched, "Download HTML") for watched in pages]
    reports = [Path(file.path()).read_bytes() for file in files]
    assert len(reports[0]) == len(reports[1]) > 2**20
    for cut in (slice(0, 2**16), slice(-(2**16), None)):
        assert reports[0][cut] == reports[1][cut]
    for report, word, other in zip(reports, words, reversed(words), strict=True):
        assert f"Of {word}.".encode() in report
        assert f"Of {other}.".encode() not in report
    assert files[0].url != files[1].url
    assert files[0].suggested_filename == files[1].suggested_filename
    assert files[0].suggested_filename.endswith("_internal.html")
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield where the servers of these tests keep what is temporary; their sessions end soon."""
    folder = tmp_path_factory.mktemp("temporary")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        patch.setenv("STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL", "8")
        yield folder


@pytest.fixture(scope="module")
def brief(place: Path) -> Iterator[str]:
    """Yield the address of a server whose sessions end soon."""
    port = free_port()
    server = started(port)
    yield f"http://127.0.0.1:{port}"
    assert server.poll() is None
    stopped(server)


def kept(place: Path, word: str) -> list[Path]:
    return sorted(place.glob(f"privlab-session-*/**/{word}file.csv"))


def until(true: Callable[[], object], seconds: float = 900) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.fixture
def servers() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Yield a list; the servers that a test puts there are stopped."""
    begun: list[subprocess.Popen[bytes]] = []
    yield begun
    for server in begun:
        if server.poll() is None:
            stopped(server)


def test_what_a_killed_server_left_goes_with_the_next_and_a_session_s_own_with_its_browser(
    place: Path, brief: str, servers: list[subprocess.Popen[bytes]], browser: Browser
) -> None:
    port = free_port()
    servers.append(started(port))
    contexts = [browser.new_context(), browser.new_context()]
    own = records_without_places("alpha", 9), records_without_places("bravo", 600)
    mine = with_own_data(contexts[0], f"http://127.0.0.1:{port}", "alpha", 9, own[0])
    yours = with_own_data(contexts[1], brief, "bravo", 600, own[1])
    servers[0].send_signal(signal.SIGKILL)
    servers[0].wait(timeout=900)
    assert len(kept(place, "alpha")) == len(kept(place, "bravo")) == 1
    # The browser says that the server is gone, and finds the next one by itself; the upload went with the first.
    page = mine.page
    expect(page.get_by_text("Connection error")).to_be_visible()
    servers[0] = started(port)
    assert kept(place, "alpha") == []
    assert len(kept(place, "bravo")) == 1
    mine.pressed("epsilon", "ArrowRight")
    expect(page.get_by_text("This session has no data of your own")).to_be_visible()
    expect(page.locator(".st-key-data").get_by_role("combobox")).to_have_value("city")
    assert "threshold=0" in page.url
    assert page.get_by_test_id("stException").count() == 0
    contexts[0].close()
    stopped(servers[0])
    ends_with_its_browser(yours, place)


def ends_with_its_browser(watched: Overheard, place: Path) -> None:
    """Close a browser while its session works: its files, its work and the addresses of its downloads end with it."""
    watched.page.get_by_test_id("stSidebarNavLink").filter(has_text="Groups").click()
    watched.page.locator(".st-key-cancel_groups button:visible").wait_for()  # work is under way, and goes on
    # An address lives as long as its page is open: this is the page that the browser is closed on.
    watched.goes_to("Release", 600)
    address = downloaded(watched)[1]
    assert answers(address)
    assert len(kept(place, "bravo")) == 1
    watched.page.context.close()
    # Gone with its browser, though nobody else comes or goes and no page is drawn any more.
    until(lambda: not answers(address))
    # The folder is held by the session and by its work: it goes when both have ended.
    until(lambda: list(place.glob("privlab-*")) == [])
