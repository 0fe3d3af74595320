"""Pictures of every page for the README, from the running lab on its samples: docs/images/<page>.png."""

import io
import itertools
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from bench.server import running_lab
from tests.browser.lab import ARGUMENTS, PATHS, ROOT, Watched
from tests.browser_setup import browser_path

IMAGES = ROOT / "docs" / "images"
MOST_BYTES = 250_000
WINDOW = {"width": 1280, "height": 1000}
# What a page is shown with; the others as they open.
VIEWS = {
    "tour": "?step=3",
    "attack": "?k=32",
    "guarantee": "?bound=10",
    "groups": "?data=cabs&targets=3",
    "recovery": "?data=subscribers",
    "anonymizability": "?data=subscribers",
    "publish": "?data=city&bound=10&epsilon=1&threshold=160&publish_weeks=2026-03-02",
}
# The ledger of a picture lies in a folder of its own; shown is where it usually lies.
LEDGER_AS_USUAL = r"""() => document.querySelectorAll("[data-testid=stCaptionContainer] p").forEach(one => {
    if (one.textContent.includes("ledger.sqlite"))
        one.textContent = one.textContent.replace(/\S*\/ledger\.sqlite/, "~/.local/share/privlab/ledger.sqlite");
})"""


def small(png: bytes) -> bytes:
    """Return the picture with at most 256 colours: the commonest as they are, so that no ground gets a tint, and the nearest of the others."""
    whole = Image.open(io.BytesIO(png)).convert("RGB")
    counted = sorted(whole.getcolors(whole.width * whole.height), reverse=True)
    rest = whole.quantize(128, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).getpalette()
    palette = Image.new("P", (1, 1))
    palette.putpalette([*itertools.chain(*(colour for _, colour in counted[:128])), *rest[: 3 * 128]])
    out = io.BytesIO()
    whole.quantize(palette=palette, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


def taken(watched: Watched, name: str, address: str) -> Path:
    """Open a page, wait until it is still, and save its picture."""
    watched.page.goto(address + PATHS[name] + VIEWS.get(name, ""))
    if name not in ("publish", "report"):
        chart = watched.page.get_by_test_id("stPlotlyChart").locator(".main-svg").first
        chart.wait_for(timeout=240_000)
    watched.page.locator("h2").first.wait_for(timeout=240_000)  # the finding: the data is there
    watched.ready()
    watched.page.wait_for_timeout(2000)  # maps and fonts draw on after the script has ended
    watched.page.evaluate(LEDGER_AS_USUAL)
    picture = small(watched.page.screenshot())
    assert len(picture) < MOST_BYTES, (name, len(picture))
    path = IMAGES / f"{name}.png"
    path.write_bytes(picture)
    return path


def main() -> None:
    with running_lab() as (_, address), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=ARGUMENTS)
        page = browser.new_page(viewport=WINDOW, color_scheme="light", reduced_motion="reduce")
        for name in sys.argv[1:] or PATHS:
            path = taken(Watched(page), name, address)
            print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
