"""The lab as a server of its own, and a page of it in a real browser: what browser tests and benches share."""

import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Page, expect

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
    "anonymizability": "/anonymizability",
    "publish": "/publish",
    "report": "/report",
}
# With these the pages that need a certain kind of data have something to show, and soon.
QUERIES = {
    "groups": "?data=cabs&targets=3",
    "anonymizability": "?data=subscribers&judged=250",
}
# What has nothing to draw before the first release, on data without coordinates, or while it is played.
PERHAPS_WITHOUT_A_CHART = ("publish", "anonymizability", "groups", "report")
ARGUMENTS = [
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
SOON = 120_000  # milliseconds: as long as anything may take on a machine that has other work
expect.set_options(timeout=SOON)


def started(port: int) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.port",
        str(port),
        "--server.headless",
        "true",
    ]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(240):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1) as answer:
                if answer.status == 200:
                    return server
        except OSError:
            time.sleep(0.25)
    server.kill()
    raise AssertionError("the server did not start")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def stopped(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    server.wait(timeout=900)


class Watched:
    """A page that remembers every request that leaves the machine and every error it reports."""

    def __init__(self, page: Page) -> None:
        page.set_default_timeout(SOON)
        self.page = page
        self.outside: list[str] = []
        self.errors: list[str] = []
        page.on("request", self._request)
        page.on("console", lambda message: self._console(message.type, message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

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

    def ready(self) -> None:
        page = self.page
        page.locator("[data-testid=stApp][data-test-connection-state=CONNECTED]").wait_for()
        page.locator("h1").first.wait_for()
        expect(page.get_by_test_id("stProgress")).to_have_count(0)
        page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()

    def drawn(self) -> None:
        """Wait for the first chart, and for the map where the page has one."""
        self.page.get_by_test_id("stPlotlyChart").locator(".main-svg").first.wait_for()
        if self.page.url.partition("?")[0].endswith(("/data", "/release")):
            self.page.get_by_test_id("stDeckGlJsonChart").locator("canvas").first.wait_for()

    def clean(self) -> None:
        assert self.outside == []
        assert self.errors == []
