"""The example of docs/privacy.md, started as `make team` does: two people walk through it, and somebody who may not."""

import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.lab import ROOT, SOON, WIDE, Watched, csv_file, free_port
from tests.browser.test_sessions import Overheard
from tests.command_line import Run

pytestmark = pytest.mark.browser
ANNA, BEN = "anna@house.example", "ben@house.example"


@dataclass
class House:
    process: subprocess.Popen[str]
    folder: Path
    url: str
    passwords: dict[str, str]

    def environment(self) -> dict[str, str]:
        text = (self.folder / "environment").read_text(encoding="utf-8")
        return dict(re.findall(r"export (\w+)='(.*)'", text))


def processes_of(session_leader: int) -> list[int]:
    """Return the processes that a process has started, theirs included; of Linux."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:  # ended meanwhile
            continue
    found, new = [], [session_leader]
    while new:
        new = [one for one, parent in parents.items() if parent in new]
        found += new
    return found


@pytest.fixture
def house() -> Iterator[House]:
    folder = Path(tempfile.mkdtemp(prefix="privlab-team-"))  # a short way, that PostgreSQL's user can go
    folder.chmod(0o711)
    port = free_port()
    command = [sys.executable, "-m", "team.house", "--folder", str(folder), "--port", str(port)]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    said = []
    assert process.stdout is not None
    for line in process.stdout:
        said.append(line)
        if "For commands" in line:
            break
    passwords = dict(line.split()[:2] for line in said[:3])
    yield House(process, folder, f"https://localhost:{port}", passwords)
    process.terminate()
    process.wait(timeout=900)
    process.stdout.close()
    shutil.rmtree(folder)


class Inside(Overheard):
    """Overheard, where the machine's own name is inside, too."""

    def _request(self, request: object) -> None:
        if "//localhost:" not in request.url:  # type: ignore[attr-defined]
            super()._request(request)


def visitor(browser: Browser, house: House, path: str = "/") -> Inside:
    context = browser.new_context(viewport=WIDE, ignore_https_errors=True)
    watched = Inside(context)
    watched.page.goto(house.url + path)
    watched.page.get_by_role("button", name="Log in").wait_for()
    return watched


def log_in(watched: Watched, email: str, password: str) -> None:
    watched.acts(
        watched.page.get_by_role("button", name="Log in").click,
        lambda: "/house-login/authorize" in watched.page.url,
    )
    for given in ("a wrong one", password):
        watched.page.get_by_label("E-mail").fill(email)
        watched.page.get_by_label("Password").fill(given)
        watched.page.get_by_role("button", name="Log in").click()
        if given != password:
            expect(watched.page.get_by_role("alert")).to_have_text("Address or password is wrong.")
    watched.page.get_by_role("button", name="Log out").wait_for()


def load(watched: Watched, house: House, name: str) -> None:
    """Bring the same trips, of 600 people between four zones, under a name of one's own, and go to Publish."""
    trips = [
        f"{person},2026-03-0{2 + person % 5} 08:10,{person % 4},{(person + 1) % 4}\n" for person in range(600)
    ]
    own = csv_file(f"{name}file.csv", "card,departure,from_zone,to_zone\n" + "".join(trips))
    watched.opened(f"{house.url}/data?data=subscribers&noise=integer&epsilon=1&bound=2&threshold=20")
    watched.gives("upload", own)
    watched.loads()
    watched.page.get_by_test_id("stSidebarNavLink").filter(has_text="Publish").click()
    expect(watched.page.locator("h1").first).to_have_text("Publish")
    watched.ready()


def click(watched: Watched, name: str) -> None:
    watched.ready()
    watched.page.get_by_role("button", name=name, exact=True).first.click()
    watched.ready()


def test_two_people_of_a_house_make_one_release_and_a_stranger_sees_nothing(
    house: House, browser: Browser, cli: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in house.environment().items():
        monkeypatch.setenv(name, value)
    assert cli("ledger", "set-limit", "--epsilon", "0.5")[0] == 0
    stranger = visitor(browser, house, "/publish")
    anna, ben = visitor(browser, house), visitor(browser, house, "/report?data=subscribers&epsilon=0.5")
    log_in(anna, ANNA, house.passwords[ANNA])
    log_in(ben, BEN, house.passwords[BEN])
    # The link that one was sent is not lost at the login.
    expect(ben.page.locator("h1").first).to_have_text("Report")
    assert ben.page.url == f"{house.url}/report?data=subscribers&epsilon=0.5"
    load(anna, house, "anna")
    click(anna, "Name the week of 2026-03-02")
    click(anna, "Zone ids are whole numbers")
    click(anna, "The file is written like this. That does not depend on who is in it.")
    expect(anna.page.get_by_role("button", name="Make the release")).to_be_disabled()
    click(anna, "Ask for approval")
    anna.page.get_by_text(f"{ANNA} has asked for it").wait_for()
    assert anna.page.get_by_role("button", name="Approve this release").is_disabled()
    # As after the end of a browser: the token is of its session, the login is not.
    ben.page.context.clear_cookies(name="_streamlit_xsrf")
    ben.opened(f"{house.url}/publish?data=subscribers")
    ben.page.get_by_role("button", name="Log out").wait_for()
    assert ben.page.get_by_role("button", name="Approve this release").count() == 0
    assert not ben.hears("annafile")
    assert not ben.hears(ANNA)
    load(ben, house, "ben")
    ben.page.get_by_text(f"{ANNA} asks for approval").wait_for()
    click(ben, "Approve this release")
    expect(ben.page.get_by_role("button", name="Approve this release")).to_have_count(0)
    anna.page.get_by_test_id("stSidebarNavLink").filter(has_text="Publish").click()
    click(anna, "Make the release")
    expect(anna.page.locator(".st-key-strip")).to_contain_text("Released: 1")
    assert not anna.hears("benfile")
    code, out, _ = cli("ledger", "show", "--json")
    assert code == 0
    shown = json.loads(out)
    assert [entry["who"] for entry in shown["entries"]] == [ANNA]
    assert [(one["asked_by"], one["approved_by"]) for one in shown["approvals"]] == [(ANNA, BEN)]
    assert cli("ledger", "check")[0] == 0
    assert stranger.page.get_by_test_id("stButton").count() == 1
    assert stranger.page.get_by_test_id("stSidebar").count() == 0
    for word in ("annafile", "benfile", ANNA, BEN, "subscribers", "ledger", "epsilon"):
        assert not stranger.hears(word)
    for watched in (stranger, anna, ben):
        watched.page.context.close()
    own = processes_of(house.process.pid)
    assert len(own) >= 4
    house.process.send_signal(signal.SIGTERM)
    assert house.process.wait(timeout=900) == 0
    # The one that waits for heavy work hears that the lab has ended, and ends then.
    end = time.monotonic() + SOON / 1000
    while left := [one for one in own if Path(f"/proc/{one}").exists()]:
        assert time.monotonic() < end, left
        time.sleep(0.1)
