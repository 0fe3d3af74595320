"""From the address of a page to its first figure or map, in a new session of a warm server: medians in milliseconds.

Each page is opened once before, so that what the server keeps for everybody is there; each opening is a browser context of its
own, with an empty cache: with `--cached` its files are there, as for somebody who comes back; with `--clicked` the page is gone to
by a click from the page Report, which draws no figure, as by somebody who is in the lab already. `--plain` measures the least
there can be: a page of three lines that draws four bars, served by the same Streamlit. `words` is when the page's
finding, its first heading or warning below the title, stands there. The load of the machine is told, for it weighs as much as the page.
"""

import argparse
import os
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

from bench.server import running_lab
from tests.browser.lab import ARGUMENTS, PATHS, QUERIES, Watched, free_port, started, stopped
from tests.browser_setup import browser_path

GOAL_MS = 1500
# Publish draws its first figure with the first settings that can be published; Report draws none.
ASKED = {**QUERIES, "publish": "?bound=10&epsilon=1&threshold=160&publish_weeks=2026-03-02"}
WITHOUT_A_PICTURE = ("report",)
# Begins with the page: notes when words and picture first stand there, by the clock that starts at navigation.
WATCH = """window.seen = {};
const look = () => {
    const note = (name, there) => { if (there && !(name in window.seen)) window.seen[name] = performance.now(); };
    note("words", document.querySelector("[data-testid=stMain] :is(h2, [data-testid=stAlert])"));
    note("picture", document.querySelector(
        "[data-testid=stPlotlyChart] .main-svg .cartesianlayer path, [data-drawn]"));
    requestAnimationFrame(look);
};
requestAnimationFrame(look);"""

UNTIL = """last => new Promise(done => {
    const look = () => (window.seen && last in window.seen ? done(window.seen) : setTimeout(look, 20));
    look();
})"""


def opened(browser: Browser, address: str, name: str, *, cached: bool) -> dict[str, float]:
    """Return milliseconds from navigation to what is awaited of a page."""
    last = "words" if name in WITHOUT_A_PICTURE else "picture"
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    if cached:  # the program of the lab, from a page that holds no more than it
        first = context.new_page()
        Watched(first).opened(f"{address}{PATHS[name]}{ASKED.get(name, '')}")
        first.close()
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(f"{address}{PATHS[name]}{ASKED.get(name, '')}", wait_until="commit")
    seen: dict[str, float] = page.evaluate(UNTIL, last)
    Watched(page).ready()
    context.close()
    return seen


CLICKED = """() => {
    window.clicked = null;
    window.seen = {};
    document.addEventListener("click", () => { window.clicked = performance.now(); window.seen = {}; }, {once: true, capture: true});
}"""


def clicked(browser: Browser, address: str, name: str) -> dict[str, float]:
    """Return milliseconds from a click on a page's name, in a session that has seen that page, to its first picture."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.add_init_script(WATCH)
    watched = Watched(page).opened(f"{address}{PATHS[name]}{ASKED.get(name, '')}")
    watched.ready()
    title = page.locator("h1").first.inner_text()
    links = page.get_by_test_id("stSidebarNavLink")
    links.filter(has_text="Report").click()
    page.wait_for_url("**/report**")
    page.get_by_role("heading", name="Report", exact=True).wait_for()
    watched.ready()
    page.wait_for_timeout(1000)
    page.evaluate(CLICKED)
    links.filter(has_text="Home" if name == "home" else title).click()
    seen: dict[str, float] = page.evaluate(UNTIL, "picture")
    began: float = page.evaluate("() => window.clicked")
    context.close()
    return {"picture": seen["picture"] - began}


PLAIN = """import plotly.graph_objects as go
import streamlit as st

st.title("plain")
st.markdown("## words")
st.plotly_chart(go.Figure(go.Bar(y=[1, 2, 3, 4])))
"""


@contextmanager
def plain_page() -> Iterator[str]:
    """Yield the address of a page that does next to nothing."""
    with TemporaryDirectory(prefix="bench-") as folder:
        program = Path(folder, "plain.py")
        program.write_text(PLAIN, encoding="utf-8")
        port = free_port()
        process = started(port, program)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            stopped(process)


def plain(browser: Browser, repeat: int, *, cached: bool) -> None:
    """Print how soon a page that does next to nothing shows its words and its figure."""
    with plain_page() as address:
        opened(browser, address, "home", cached=False)
        times = [opened(browser, address, "home", cached=cached) for _ in range(repeat)]
    words, picture = (statistics.median(one[what] for one in times) for what in ("words", "picture"))
    print(
        f"{'a plain page':16} words {words:5.0f} ms, picture {picture:5.0f} ms, load {os.getloadavg()[0]:.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", help="the pages to open, all without any")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--cached", action="store_true", help="with the lab's program in the browser's cache")
    parser.add_argument("--clicked", action="store_true", help="gone to from another page of an open lab")
    parser.add_argument(
        "--plain", action="store_true", help="a page that does next to nothing, for comparison"
    )
    given = parser.parse_args()
    with running_lab() as (_, address), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=ARGUMENTS)
        if given.plain:
            plain(browser, given.repeat, cached=given.cached)
        for name in given.pages or PATHS:
            if given.clicked and name in WITHOUT_A_PICTURE:
                continue
            opened(browser, address, name, cached=False)  # warms the server
            times = [
                clicked(browser, address, name)
                if given.clicked
                else opened(browser, address, name, cached=given.cached)
                for _ in range(given.repeat)
            ]
            medians = {
                what: statistics.median(one[what] for one in times)
                for what in ("words", "picture")
                if all(what in one for one in times)
            }
            told = ", ".join(f"{what} {value:5.0f} ms" for what, value in medians.items())
            late = "" if max(medians.values()) <= GOAL_MS else f", above {GOAL_MS} ms"
            print(f"{name:16} {told}{late}, load {os.getloadavg()[0]:.1f}", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
