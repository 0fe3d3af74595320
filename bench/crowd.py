"""Many sessions at once on one server, without browsers that draw: how long a slider's answer takes, and memory.

python -m bench.crowd                 twenty sessions, heavy work beside a slider, 1,000 moves of one session, 50 uploads
python -m bench.crowd --browsers 20   twenty real browser windows besides, all on this machine
python -m bench.crowd --house 50      fifty sessions alone, then while one loads 200 MB and another plays a game; nothing else

A person looks for 2 to 6 seconds before the next move, or as `--looking` says.
"""

import argparse
import asyncio
import os
import random
import statistics
import subprocess
import sys
import threading
import time
import urllib.parse
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.async_api import async_playwright
from playwright.sync_api import sync_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from bench.server import running_lab
from tests.browser.lab import ARGUMENTS, Watched
from tests.browser_setup import browser_path

PAGES = ("attack", "release", "guarantee", "plan")
IDLE = "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"


SHORT = {"STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": "20"}


class Session:
    """One session, spoken to as a browser does, without drawing anything; counts its errors."""

    def __init__(self, address: str, page: str, **query: str) -> None:
        self.errors, self.page, self.query = 0, "", urllib.parse.urlencode(query)
        self.epsilon, self.values, self.value = "", [""], ""
        self.socket = connect(
            address.replace("http", "ws", 1) + "/_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            max_size=None,
            legacy=True,
            ping_interval=None,  # who is slow to read is not cut off
        )
        while self.ran(page):  # something is being prepared
            time.sleep(1)

    def ran(self, page: str = "") -> bool:
        """Run the page once, until all of it has come; return whether it wants to run again by itself."""
        asked = BackMsg()
        asked.rerun_script.query_string = self.query
        asked.rerun_script.page_script_hash = self.page
        asked.rerun_script.page_name = "" if self.page else page
        if self.value:
            state = asked.rerun_script.widget_states.widgets.add()
            state.id = self.epsilon
            state.string_array_value.data[:] = [self.value]
        self.socket.send(asked.SerializeToString())
        again, said = False, ForwardMsg()
        ended = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_WITH_COMPILE_ERROR)
        while said.WhichOneof("type") != "script_finished" or said.script_finished not in ended:
            said.ParseFromString(bytes(self.socket.recv(timeout=300, decode=False)))
            again |= said.WhichOneof("type") == "auto_rerun"
            self.page = said.navigation.page_script_hash or self.page
            element = said.delta.new_element
            if element.WhichOneof("type") == "exception":
                print(element.exception, flush=True)
                self.errors += 1
            if element.slider.id.endswith("-epsilon"):
                self.epsilon, self.values = element.slider.id, list(element.slider.options)
        if said.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY:
            print(ForwardMsg.ScriptFinishedStatus.Name(said.script_finished), flush=True)
            self.errors += 1
        return again

    def moved(self) -> float:
        """Return the seconds until all of the answer to one move of a slider has come."""
        self.value = random.choice([value for value in self.values[3:18] if value != self.value])
        began = time.perf_counter()
        self.ran()
        return time.perf_counter() - began


def told(what: str, seconds: list[float], errors: int) -> None:
    print(
        f"{what}: {len(seconds)} moves, median {statistics.median(seconds):.2f} s, "
        f"{', '.join(f'{q} of 100 within {sorted(seconds)[int(q / 100 * (len(seconds) - 1))]:.2f} s' for q in (95, 99))}, "
        f"{errors} errors",
        flush=True,
    )


def crowd(address: str, n_sessions: int, n_moves: int, looking: list[float], what: str = "at once") -> None:
    ready = threading.Barrier(n_sessions)

    def one(number: int) -> tuple[list[float], int]:
        session, times = Session(address, PAGES[number % len(PAGES)]), []
        ready.wait()
        for _ in range(n_moves):
            time.sleep(random.uniform(*looking))
            times.append(session.moved())
        return times, session.errors

    with ThreadPoolExecutor(n_sessions) as pool:
        ended = list(pool.map(one, range(n_sessions)))
    told(
        f"{n_sessions} sessions {what}",
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
        if done % max(1, n_moves // 10) == 0:
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
            chooser = page.locator(".st-key-upload input[type=file]")
            chooser.set_input_files({"name": f"{done}.csv", "mimeType": "text/csv", "buffer": content})
            page.locator(".st-key-load button:visible").click(timeout=120_000)
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


async def windows(address: str, n_browsers: int, n_moves: int, looking: list[float]) -> None:
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
                await asyncio.sleep(random.uniform(*looking))
                await page.locator(".st-key-epsilon").get_by_role("slider").focus(timeout=120_000)
                finding, began = await page.locator("h2").first.inner_text(), time.perf_counter()
                await page.keyboard.press("ArrowLeft" if move % 2 else "ArrowRight")
                await page.wait_for_function(
                    "before => document.querySelector('h2').innerText !== before",
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


def house(
    process: subprocess.Popen[bytes], address: str, n_sessions: int, looking: list[float], n_moves: int
) -> None:
    """Sessions that move sliders: alone, then while one loads 200 MB and another plays; memory every five seconds."""
    crowd(address, n_sessions, n_moves, looking, "and nobody else")
    sizes, ended, busy = [megabytes(process)], threading.Event(), dict[str, float]()

    def watched() -> None:
        while not ended.wait(5):
            sizes.append(megabytes(process))

    def noted(name: str, act: Callable[[str], object]) -> None:
        began = time.perf_counter()
        act(address)
        busy[name] = time.perf_counter() - began

    others = [
        threading.Thread(target=watched),
        threading.Thread(target=noted, args=("loading", load_from_elsewhere)),
        threading.Thread(
            target=noted, args=("the game", lambda at: Session(at, "groups", data="subscribers", seed="5"))
        ),
    ]
    for other in others:
        other.start()
    crowd(address, n_sessions, n_moves, looking, "while one loads 200 MB and one plays")
    for other in others[1:]:
        other.join()
    time.sleep(45)  # all sessions end
    ended.set()
    others[0].join()
    print(", ".join(f"{name} took {seconds:.0f} s" for name, seconds in busy.items()))
    print(f"memory every 5 s, MB: {', '.join(f'{size:.0f}' for size in sizes)}", flush=True)


def load_from_elsewhere(address: str) -> None:
    """Have another process load, of low priority: its browser stands for one on another machine, and the sessions here are not delayed by it."""
    subprocess.run(["nice", "-n", "15", sys.executable, "-m", "bench.crowd", "--load", address], check=True)


def large_load(address: str) -> None:
    """Upload and load trips of 195 MB in a browser; the limit is 200."""
    day = [f",2026-03-0{2 + n // 24} {n % 24:02d}:05,{n % 40},{(n * 7) % 40}\n" for n in range(168)]
    with TemporaryDirectory(prefix="bench-") as folder, sync_playwright() as playwright:
        path = Path(folder, "trips.csv")
        with path.open("w", encoding="ascii") as file:
            file.write("user,time,origin,destination\n")
            user = 0
            while file.tell() < 195e6:
                file.write("".join(f"u{user + n % 100}{row}" for n, row in enumerate(day * 50)))
                user += 100
        browser = playwright.chromium.launch(executable_path=browser_path(), args=ARGUMENTS)
        page = Watched(browser.new_page()).opened(f"{address}/data?data=subscribers").page
        page.locator(".st-key-upload input[type=file]").first.set_input_files(path)
        page.locator(".st-key-load button:visible").click(timeout=600_000)
        page.get_by_text(f"Of {user:,} people").first.wait_for(timeout=600_000)
        browser.close()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    for name, default in (
        ("sessions", 20),
        ("moves", 10),
        ("long", 1000),
        ("uploads", 50),
        ("browsers", 0),
        ("house", 0),
    ):
        options.add_argument(f"--{name}", type=int, default=default)
    options.add_argument("--looking", type=float, nargs=2, default=[2, 6])
    options.add_argument("--load", metavar="ADDRESS", help="only load 200 MB into a lab that runs there")
    chosen = options.parse_args()
    if chosen.load:
        large_load(chosen.load)
        return
    print(
        f"{os.cpu_count()} cores, {os.getloadavg()[0]:.1f} processes waiting or running at the start",
        flush=True,
    )
    if chosen.house:
        with running_lab(**SHORT) as (process, address):
            house(process, address, chosen.house, chosen.looking, chosen.moves)
        print(f"{os.getloadavg()[0]:.1f} processes waiting or running at the end", flush=True)
        return
    with running_lab(**SHORT) as (process, address):
        crowd(address, chosen.sessions, chosen.moves, chosen.looking)
        if chosen.browsers:
            asyncio.run(windows(address, chosen.browsers, chosen.moves, chosen.looking))
        beside(address, chosen.moves)
    with running_lab(**SHORT) as (process, address):
        if chosen.long:
            moves(process, address, chosen.long)
        if chosen.uploads:
            uploads(process, address, chosen.uploads)
    print(f"{os.getloadavg()[0]:.1f} processes waiting or running at the end", flush=True)


if __name__ == "__main__":
    main()
