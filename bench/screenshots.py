"""Pictures of every page for the README, from the running lab on its samples: docs/images/<page>.png."""

import io
import sys
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright
from scipy.spatial.distance import cdist

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
    colours, kind, n = np.unique(
        np.asarray(whole).reshape(-1, 3), axis=0, return_inverse=True, return_counts=True
    )
    rest = whole.quantize(128, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).getpalette() or []
    palette = np.concatenate(
        [colours[np.argsort(-n, kind="stable")[:128]], np.array(rest[:384]).reshape(-1, 3)]
    )
    nearest = cdist(colours, palette).argmin(axis=1).astype(np.uint8)
    made = Image.fromarray(nearest[kind].reshape(whole.height, whole.width), "P")
    made.putpalette(palette.astype(np.uint8).tobytes())
    out = io.BytesIO()
    made.save(out, "PNG", optimize=True)
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
