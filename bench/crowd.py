"""Many sessions at once on one server, through its programming interface: how long a slider's answer takes, and memory.

python -m bench.crowd                 twenty sessions, heavy work beside a slider, 1,000 moves of one session, 50 uploads
python -m bench.crowd --browsers 20   twenty real browser windows besides, all on this machine
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from playwright.async_api import async_playwright
from playwright.sync_api import sync_playwright

from bench.server import running_lab
from tests.browser_setup import browser_path
from tests.test_browser import ARGUMENTS, Watched

EPSILONS = ("0.1", "0.2", "0.3", "0.4", "0.5", "0.66", "0.8", "1", "1.5", "2", "3", "5")
PAGES = ("attack", "release", "guarantee", "plan")
IDLE = "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"


AGENTS = {"STREAMLIT_SERVER_ENABLE_AGENT_API": "true", "STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": "20"}


class Session:
    """One session, as a program drives it; counts its errors."""

    def __init__(self, address: str, page: str, **query: str) -> None:
        self.address, self.errors, self.id = address, 0, None
        self.id = self.asked()["session_id"]
        self.asked(page=page, query_params={name: [value] for name, value in query.items()})
        while "stProgress" in (said := json.dumps(self.asked())) or '"progress"' in said:
            time.sleep(1)

    def asked(self, **what: Any) -> Any:
        body = json.dumps(what | ({"session_id": self.id} if self.id else {})).encode()
        kind = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.address}/_stcore/agent/interact", data=body, headers=kind)
        with urllib.request.urlopen(request, timeout=300) as answer:
            said: dict[str, Any] = json.loads(answer.read())
        self.errors += '"type": "exception"' in json.dumps(said["tree"]) if "tree" in said else 1
        return said

    def moved(self) -> float:
        """Return the seconds that the answer to one move of a slider takes."""
        value = random.choice(EPSILONS)
        began = time.perf_counter()
        self.asked(widget_state={"epsilon": value})
        return time.perf_counter() - began


def told(what: str, seconds: list[float], errors: int) -> None:
    print(
        f"{what}: {len(seconds)} moves, median {statistics.median(seconds):.2f} s, "
        f"95 of 100 within {sorted(seconds)[int(0.95 * (len(seconds) - 1))]:.2f} s, {errors} errors",
        flush=True,
    )


def crowd(address: str, n_sessions: int, n_moves: int) -> None:
    def one(number: int) -> tuple[list[float], int]:
        session, times = Session(address, PAGES[number % len(PAGES)]), []
        for _ in range(n_moves):
            time.sleep(random.uniform(1, 3))  # a person looks
            times.append(session.moved())
        return times, session.errors

    with ThreadPoolExecutor(n_sessions) as pool:
        ended = list(pool.map(one, range(n_sessions)))
    told(
        f"{n_sessions} sessions at once",
        [one for times, _ in ended for one in times],
        sum(e for _, e in ended),
    )


def beside(address: str, n_moves: int) -> None:
    """A game, the heaviest work there is, in three sessions; a slider in another."""
    session = Session(address, "attack")
    told("nobody else", [session.moved() for _ in range(n_moves)], session.errors)
    for seed in ("5", "6", "7"):
        Session(address, "groups", data="subscribers", seed=seed)
    told("beside three games", [session.moved() for _ in range(n_moves)], session.errors)


def megabytes(process: subprocess.Popen[bytes]) -> float:
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def moves(process: subprocess.Popen[bytes], address: str, n_moves: int) -> None:
    session, sizes = Session(address, "release"), [megabytes(process)]
    for done in range(1, n_moves + 1):
        session.moved()
        if done % (n_moves // 10) == 0:
            sizes.append(megabytes(process))
    print(f"memory over {n_moves} moves, MB: {', '.join(f'{size:.0f}' for size in sizes)}", flush=True)


def uploads(process: subprocess.Popen[bytes], address: str, n_uploads: int) -> None:
    """Each upload in a session of its own, 30,000 rows, which is then closed."""
    rows = "".join(f"u{n % 500},2026-03-02 {n % 24:02d}:05,{n % 40},{(n * 7) % 40}\n" for n in range(30_000))
    content = f"user,time,origin,destination\n{rows}".encode()
    sizes = [megabytes(process)]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=ARGUMENTS)
        for done in range(1, n_uploads + 1):
            context = browser.new_context()
            page = Watched(context.new_page()).opened(f"{address}/data").page
            page.get_by_text("Bring your own data").click()
            chooser = page.locator(".st-key-upload input[type=file]")
            chooser.set_input_files({"name": f"{done}.csv", "mimeType": "text/csv", "buffer": content})
            page.locator(".st-key-load button").click(timeout=120_000)
            page.get_by_text("Of 500 people").first.wait_for(timeout=120_000)
            context.close()
            if done % max(1, n_uploads // 10) == 0:
                sizes.append(megabytes(process))
        browser.close()
    time.sleep(30)  # the last sessions end
    sizes.append(megabytes(process))
    print(
        f"memory over {n_uploads} uploads and after, MB: {', '.join(f'{s:.0f}' for s in sizes)}", flush=True
    )


async def windows(address: str, n_browsers: int, n_moves: int) -> None:
    """Real windows; the time is from the key to the page at rest again."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=browser_path(), args=ARGUMENTS)

        async def one(number: int) -> tuple[list[float], int]:
            page = await (await browser.new_context()).new_page()
            await page.goto(f"{address}/attack")
            await page.locator(".st-key-attack_curve .scatterlayer path").first.wait_for(
                state="attached", timeout=300_000
            )
            times = []
            for move in range(n_moves):
                await asyncio.sleep(random.uniform(1, 3))
                await page.locator(".st-key-epsilon").get_by_role("slider").focus(timeout=120_000)
                finding, began = await page.locator("h4").first.inner_text(), time.perf_counter()
                await page.keyboard.press("ArrowLeft" if move % 2 else "ArrowRight")
                await page.wait_for_function(
                    "before => document.querySelector('h4').innerText !== before",
                    arg=finding,
                    timeout=120_000,
                )
                times.append(time.perf_counter() - began)
            return times, await page.get_by_test_id("stException").count()

        ended = await asyncio.gather(*(one(number) for number in range(n_browsers)))
        await browser.close()
    told(
        f"{n_browsers} browsers at once",
        [one for times, _ in ended for one in times],
        sum(e for _, e in ended),
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    for name, default in (("sessions", 20), ("moves", 10), ("long", 1000), ("uploads", 50), ("browsers", 0)):
        options.add_argument(f"--{name}", type=int, default=default)
    chosen = options.parse_args()
    print(
        f"{os.cpu_count()} cores, {os.getloadavg()[0]:.1f} processes waiting or running at the start",
        flush=True,
    )
    with running_lab(**AGENTS) as (process, address):
        crowd(address, chosen.sessions, chosen.moves)
        if chosen.browsers:
            asyncio.run(windows(address, chosen.browsers, chosen.moves))
        beside(address, chosen.moves)
    with running_lab(**AGENTS) as (process, address):
        if chosen.long:
            moves(process, address, chosen.long)
        if chosen.uploads:
            uploads(process, address, chosen.uploads)
    print(f"{os.getloadavg()[0]:.1f} processes waiting or running at the end", flush=True)


if __name__ == "__main__":
    main()
