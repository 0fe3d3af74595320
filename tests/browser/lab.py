"""The lab as a server of its own, and a page of it in a real browser: what browser tests and benches share."""

import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import FilePayload, Locator, Page, ViewportSize, expect

ROOT = Path(__file__).parents[2]
PATHS = {
    "home": "/",
    "tour": "/tour",
    "data": "/data",
    "release": "/release",
    "guarantee": "/guarantee",
    "plan": "/plan",
    "attack": "/attack",
    "groups": "/groups",
    "recovery": "/recovery",
    "anonymizability": "/anonymizability",
    "publish": "/publish",
    "report": "/report",
}
# With these the pages that need a certain kind of data have something to show, and soon.
QUERIES = {
    "groups": "?data=cabs&targets=3",
    "recovery": "?data=subscribers&recover_users=50",
    "anonymizability": "?data=subscribers&judged=250",
}
# What has nothing to draw before the first release, on data without coordinates, or while it is played.
PERHAPS_WITHOUT_A_CHART = ("publish", "anonymizability", "groups", "recovery", "report")
NARROW: ViewportSize = {"width": 390, "height": 844}
WIDE: ViewportSize = {"width": 1280, "height": 900}
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
# What Playwright turns off in Chromium, whose last word on it holds; and the address bar's pages, which each window gets a
# process for: nobody types there.
_OFF = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
)
ARGUMENTS = [
    f"--disable-features={','.join(_OFF)}",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    # Pages are put together without the software that stands in for a graphics card: only maps need it.
    "--disable-gpu-compositing",
    "--disable-gpu-rasterization",
]
SOON = 300_000  # milliseconds: as long as anything may take on a machine that has other work
AGAIN = 5_000  # milliseconds: after which what a page that was drawn anew has swallowed is done again
LOOK = 200  # milliseconds between two looks at a page
expect.set_options(timeout=SOON)
CALM = """() => {
    const app = document.querySelector("[data-testid=stApp]");
    return app !== null && app.dataset.testConnectionState === "CONNECTED"
        && app.dataset.testScriptState === "notRunning"
        && document.querySelector("h1") !== null && document.querySelector("[data-testid=stProgress]") === null;
}"""


def started(port: int, program: str | Path = "app.py") -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(program),
        "--server.port",
        str(port),
        "--server.headless",
        "true",
    ]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + SOON / 1000
    while server.poll() is None and time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=60) as answer:
                if answer.status == 200:
                    return server
        except OSError:
            time.sleep(0.1)
    server.kill()
    raise AssertionError("the server did not start")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def stopped(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    server.wait(timeout=900)


def csv_file(name: str, text: str) -> FilePayload:
    return {"name": name, "mimeType": "text/csv", "buffer": text.encode()}


class Watched:
    """A page that remembers every request that leaves the machine and every error it reports."""

    def __init__(self, page: Page) -> None:
        page.set_default_timeout(SOON)
        self.page = page
        self.outside: list[str] = []
        self.errors: list[str] = []
        self._hears: dict[str, Callable[[Any], None]] = {
            "request": self._request,
            "console": lambda message: self._console(message.type, message.text),
            "pageerror": lambda error: self.errors.append(str(error)),
        }
        for event, hear in self._hears.items():
            page.on(event, hear)  # type: ignore[call-overload]

    def _request(self, request: object) -> None:
        url = request.url  # type: ignore[attr-defined]
        if re.match(r"(https?|wss?):", url) and "//127.0.0.1:" not in url:
            self.outside.append(url)

    def _console(self, kind: str, text: str) -> None:
        # A hard visit to a page first asks for two addresses below it; streamlit then finds the root.
        if kind == "error" and "404 (Not Found)" not in text:
            self.errors.append(text)

    def opened(self, url: str) -> "Watched":
        self.page.goto(url)
        self.ready()
        return self

    def leaves(self, url: str) -> None:
        """Hear no more of the page, and leave it for one that holds nothing: its session ends, its tab is as new.

        In the same tab the next page takes half the work: the lab's program is compiled already.
        """
        for event, hear in self._hears.items():
            self.page.remove_listener(event, hear)
        self.page.evaluate("sessionStorage.clear()")
        self.page.goto(url)
        self.page.emulate_media(color_scheme="light")
        self.page.mouse.move(0, 0)

    def ready(self) -> None:
        """Wait until the page is put together: two looks in a row find it connected, with its heading, and at rest."""
        self.page.locator("h1").first.wait_for()
        n_calm, end = 0, time.monotonic() + SOON / 1000
        while n_calm < 2:
            n_calm = n_calm + 1 if self.page.evaluate(CALM) else 0
            assert time.monotonic() < end, f"{self.page.url} does not come to rest"
            if n_calm < 2:
                self.page.wait_for_timeout(LOOK)

    def acts(self, act: Callable[[], object], seen: Callable[[], bool]) -> None:
        """Act until it shows: a page that is drawn anew may swallow a click, or close again what it has opened."""
        end = time.monotonic() + SOON / 1000
        while not seen():
            assert time.monotonic() < end, f"{self.page.url} does not answer"
            self.ready()
            if not seen():
                act()
            for _ in range(AGAIN // LOOK):
                if seen():
                    return
                self.page.wait_for_timeout(LOOK)

    def opens(self, way: Locator, inside: Locator) -> Locator:
        """Click until what is behind it can be seen; return that."""
        self.acts(way.click, inside.is_visible)
        return inside

    def unfolded(self, words: str) -> Locator:
        """Open what is folded under these words, and return all of it."""
        fold = self.page.get_by_test_id("stExpander").filter(has_text=words).first
        self.opens(fold.locator("summary"), fold.get_by_test_id("stExpanderDetails"))
        return fold

    def pressed(self, control: str, key: str, times: int = 1) -> None:
        """Press a key so often on the slider of a control, each time until the slider has moved."""
        self.ready()
        slider = self.page.locator(f".st-key-{control}").get_by_role("slider")
        for _ in range(times):
            before = slider.input_value()
            self.acts(
                lambda: slider.press(key),
                lambda before=before: slider.input_value() != before,  # type: ignore[misc]
            )
        self.ready()

    def steps(self, key: str, to: str) -> None:
        """Press a key of the page until it shows the step whose title holds these words, and is at rest."""
        heading = self.page.locator("h2").first
        self.acts(lambda: self.page.keyboard.press(key), lambda: to in heading.inner_text())
        self.ready()

    def gives(self, control: str, *files: Path | FilePayload) -> None:
        """Bring files into an upload field until it shows them: one that is drawn anew loses what is on its way."""
        field = self.page.locator(f".st-key-{control}")
        chooser = field.locator("input[type=file]").first  # while a page is drawn anew there may be two
        chooser.wait_for(state="attached")
        self.ready()
        self.acts(
            lambda: chooser.set_input_files(list(files)),  # type: ignore[arg-type]
            lambda: field.get_by_test_id("stFileChip").count() >= len(files),
        )

    def loads(self) -> None:
        """Click Load until the page is of the own data: a click on a page that is drawn anew may be swallowed."""
        load = self.page.locator(".st-key-load button:visible")
        chosen = self.page.locator(".st-key-data").get_by_role("combobox")
        load.wait_for()
        self.acts(
            lambda: load.click() if load.is_visible() else None,
            lambda: chosen.count() == 1 and chosen.input_value() == "own data",
        )

    def drawn(self) -> None:
        """Wait for the first chart, and for the map where the page has one."""
        self.page.get_by_test_id("stPlotlyChart").locator(".main-svg").first.wait_for()
        path = self.page.url.partition("?")[0]
        if path.endswith("/release"):
            self.page.locator(".st-key-release_map [data-drawn]").first.wait_for()
        if path.endswith("/data"):
            self.page.locator(".st-key-data_zones [data-drawn]").first.wait_for()

    def shows_in(self, scheme: Scheme) -> None:
        """Ask for light or dark, and wait until the page is drawn anew for it: until then what is old is faint."""
        self.page.emulate_media(color_scheme=scheme)
        self.page.locator(f"[data-testid=stApp][data-drawn-for={scheme}]").wait_for()
        self.ready()

    def clean(self) -> None:
        assert self.outside == [], self.outside
        assert self.errors == [], self.errors


class Clicks:
    """Clicks on a page, counted; each waits for the page to be at rest, since one that is drawn anew may swallow it."""

    def __init__(self, watched: Watched) -> None:
        self.watched, self.page, self.n = watched, watched.page, 0

    def on(self, place: Locator) -> None:
        self.watched.ready()
        self.n += 1
        place.first.click()

    def button(self, name: str) -> None:
        self.on(self.page.get_by_role("button", name=name, exact=True))

    def tick(self, words: str) -> None:
        self.on(self.page.get_by_test_id("stCheckbox").filter(has_text=words).locator("label"))

    def way(self, name: str) -> None:
        """Take a link within a page."""
        self.on(self.page.get_by_test_id("stPageLink").filter(has_text=name).get_by_role("link"))

    def link(self, name: str) -> None:
        """Take a page of the list of pages."""
        self.on(self.page.get_by_test_id("stSidebarNavLink").filter(has_text=name))

    def upload(self, *files: Path | FilePayload) -> None:
        """Bring files in one go: the button and, in the machine's own window, their choice."""
        self.n += 2
        self.watched.gives("upload", *files)


def opens_on_a_narrow_screen(watched: Watched, address: str, name: str) -> None:
    """Open a page by a link that names an ε; hold that it shows it, draws its chart and scrolls no way but down."""
    query = f"{QUERIES[name]}&" if name in QUERIES else "?"
    page = watched.opened(f"{address}{PATHS[name]}{query}epsilon=1.5").page
    expect(page.locator("h1").first).to_have_text("privlab" if name == "home" else name.capitalize())
    expect(page.locator(".st-key-epsilon")).to_contain_text("1.5")
    if name in QUERIES or name not in PERHAPS_WITHOUT_A_CHART:
        watched.drawn()
    assert page.get_by_test_id("stException").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"] + 2
