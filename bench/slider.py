"""From a key on a slider to the redrawn chart, in the real browser, on the city sample: medians in milliseconds.

Then, from the choice of the page Groups to the first figure of a game nobody has played yet, with prepared samples.
"""

import random
import statistics
import time

from playwright.sync_api import Page, ViewportSize, sync_playwright

from bench.server import running_lab
from tests.browser.lab import ARGUMENTS, Watched
from tests.browser_setup import browser_path

CURVE = ".st-key-attack_curve .scatterlayer path"
MAP = ".st-key-release_map [data-drawn]"
MAP_OF_HOME = ".st-key-home_map [data-drawn]"
ERROR = ".st-key-release_error .barlayer path, .st-key-release_error text"
WINDOW: ViewportSize = {"width": 1280, "height": 900}
CASES = (
    ("/attack", CURVE, "epsilon"),
    ("/attack", CURVE, "bound"),
    ("/attack", CURVE, "k"),
    ("/attack", ".st-key-attack_people .barlayer path", "group"),
    ("/release", ERROR, "epsilon"),
    ("/release", ERROR, "threshold"),
    ("/release", ERROR, "bound"),
    ("/release", ERROR, "group"),
    ("/release", MAP, "epsilon"),
    ("/release", MAP, "threshold"),
    ("/guarantee", ".st-key-risk_histogram .barlayer path", "epsilon"),
    ("/guarantee", ".st-key-risk_histogram .barlayer path", "threshold"),
    ("/", MAP_OF_HOME, "wide_epsilon"),
    ("/plan", ".st-key-plan_clipping .scatterlayer path", "bound"),
    ("/", ".st-key-home_attack .scatterlayer path", "wide_epsilon"),
)
# Resolves with the time from the key press to the first frame in which the chart's shapes differ.
WATCH = """selector => { window.changed = new Promise(done => {
    const shape = () => [...document.querySelectorAll(selector)]
        .map(part => (part.dataset.drawn || part.getAttribute('d') || part.textContent) + part.getAttribute('transform')).join();
    const before = shape();
    let pressed = null;
    document.addEventListener('keydown', () => { pressed = performance.now(); }, {once: true, capture: true});
    const look = () => pressed !== null && document.querySelector(selector) && shape() !== before
        ? done(performance.now() - pressed) : requestAnimationFrame(look);
    requestAnimationFrame(look);
    setTimeout(() => done(null), 10000);
}); }"""


def milliseconds(page: Page, selector: str, key: str, press: str) -> float | None:
    page.evaluate(WATCH, selector)
    page.locator(f".st-key-{key}").get_by_role("slider").focus()
    page.keyboard.press(press)
    taken: float | None = page.evaluate("() => window.changed")
    return taken


def measure(page: Page, address: str) -> None:
    watched = Watched(page)
    for path, selector, key in CASES:
        watched.opened(address + path)
        page.locator(selector.split(",")[0]).first.wait_for(state="attached", timeout=60_000)
        page.wait_for_timeout(2000)
        forward = (
            "ArrowLeft" if key in ("epsilon", "wide_epsilon", "group", "threshold", "bound") else "ArrowRight"
        )
        back = "ArrowRight" if forward == "ArrowLeft" else "ArrowLeft"
        times = []
        for press in [forward] * 6 + [back] * 5:
            times.append(milliseconds(page, selector, key, press))
            watched.ready()
            page.wait_for_timeout(500)
        seen = [time for time in times if time is not None]
        print(
            f"{path:10} {key:10} median {statistics.median(seen):4.0f} ms, most {max(seen):4.0f} ms",
            flush=True,
        )


def first_answers(page: Page, address: str) -> None:
    watched = Watched(page)
    for sample in ("commuters", "cabs", "commuters", "cabs"):
        watched.opened(f"{address}/data?data={sample}&seed={random.randrange(10**6)}")
        watched.ready()
        page.wait_for_timeout(5000)
        began = time.perf_counter()
        page.get_by_test_id("stSidebarNavLink").filter(has_text="Groups").click()
        page.locator(".st-key-auc_chart .scatterlayer path").first.wait_for(state="attached", timeout=120_000)
        print(f"first answer of Groups on {sample}: {time.perf_counter() - began:.1f} s", flush=True)


def main() -> None:
    with running_lab() as (_, address), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=ARGUMENTS)
        measure(browser.new_page(viewport=WINDOW), address)
        first_answers(browser.new_page(viewport=WINDOW), address)
        browser.close()


if __name__ == "__main__":
    main()
