"""A report → PDF and pictures, through a browser of the Chromium family where one is installed."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from privlab.checks import DataError
from privlab.datasets.folders import PrivateFolder

BROWSER_VARIABLE = "PRIVLAB_BROWSER"
# Those without windows start in half the time.
_NAMES = (
    "chromium-headless-shell", "chrome-headless-shell",
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge",
)  # fmt: skip
_MAC = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_QUIET = (
    "--headless=new", "--disable-gpu", "--no-first-run", "--disable-sync", "--disable-background-networking",
    "--disable-component-update", "--disable-extensions", "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip
# A frame is taken when every part of it is painted; without it a picture can be of one half new and one half old.
_WHOLE_FRAMES = "--run-all-compositor-stages-before-draw"
_FIRST_HEIGHT = 800  # CSS pixels of the window in which a document is asked how high it is
# CSS pixels of the window that a report is drawn in for paper, since printing does not draw figures anew: at the zoom of its style, which
# makes their type large enough to be read, they are as wide as the text of A4.
_PAPER_WINDOW = 854
# Time in the page is virtual: to wait costs nothing.
_SAYS_HEIGHT = """<script>
addEventListener("load", async () => {
  await document.fonts.ready;
  const wait = () => new Promise(done => setTimeout(done, 100));
  const drawn = figure => figure.querySelector(".main-svg") && figure._fullLayout;
  do await wait(); while (![...document.querySelectorAll(".plotly-graph-div")].every(drawn));
  const whole = document.documentElement;
  whole.dataset.drawnHeight = Math.ceil(whole.getBoundingClientRect().height);
});
</script>"""
_HEIGHT = re.compile(rb'<html[^>]* data-drawn-height="(\d+)"')
_PATIENCE_S = 90
HINT = (
    "PDF and pictures need Chromium or Chrome, and none was found. Install one, or name it in "
    f"{BROWSER_VARIABLE}; or open the HTML report in any browser and print it."
)


def installed_browser() -> str | None:
    """Return the browser that prints, or None."""
    named = os.environ.get(BROWSER_VARIABLE)
    if named:
        return shutil.which(named)
    found = (shutil.which(name) for name in _NAMES)
    return next((path for path in found if path), next((path for path in _MAC if Path(path).exists()), None))


def pdf_from_html(html: str) -> bytes:
    """Return the document printed on A4. Raises DataError without a browser, or if it fails."""
    # A scroll bar would take from the width that figures are drawn in.
    window = (f"--window-size={_PAPER_WINDOW},{_FIRST_HEIGHT}", "--hide-scrollbars")
    return _exported(html, "report.pdf", *window, "--no-pdf-header-footer", "--print-to-pdf={out}")


def png_from_html(html: str, *, width: int, scale: int = 2) -> bytes:
    """Return a picture of the whole document, `width` CSS pixels wide and as high as what stands in it, at `scale` pixels each.

    The browser is asked twice: first how high the document is when all of it is drawn, then for the picture.
    """
    html += _SAYS_HEIGHT
    shown = _answered(html, f"--window-size={width},{_FIRST_HEIGHT}", "--hide-scrollbars", "--dump-dom")
    found = _HEIGHT.search(shown)
    if found is None:
        raise DataError(
            "The browser did not say how high the picture is. Is it a newer one of the Chromium family?"
        )
    return _exported(
        html,
        "picture.png",
        f"--window-size={width},{found[1].decode()}",
        f"--force-device-scale-factor={scale}",
        "--hide-scrollbars",
        _WHOLE_FRAMES,
        "--screenshot={out}",
    )


def _exported(html: str, name: str, *options: str) -> bytes:
    """Return the file that a browser makes of a document; `{out}` in an option stands for where it is written."""
    with PrivateFolder("print-") as folder:
        out = folder / name
        _run(html, folder, [option.format(out=out) for option in options])
        try:
            return out.read_bytes()
        except OSError as error:
            raise DataError(f"The browser could not print: {error}.") from None


def _answered(html: str, *options: str) -> bytes:
    """Return what a browser writes of a document."""
    with PrivateFolder("print-") as folder:
        written: bytes = _run(html, folder, options).stdout
        return written


def _run(html: str, folder: Path, options: Sequence[str]) -> Any:
    browser = installed_browser()
    if browser is None:
        raise DataError(HINT)
    source = folder / "report.html"
    source.write_text(html, "utf-8")
    # As root, as in most containers, Chromium refuses its sandbox; the page is our own and offline.
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    profile = [f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=20000"]
    command = [browser, *_QUIET, *root, *profile, *options, source.as_uri()]
    try:
        return subprocess.run(command, capture_output=True, timeout=_PATIENCE_S, check=True)
    except (subprocess.SubprocessError, OSError) as error:
        raise DataError(f"The browser {Path(browser).name} could not print: {_why(error)}.") from None


def _why(error: Exception) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"it took more than {_PATIENCE_S} s"
    if isinstance(error, subprocess.CalledProcessError):
        return f"it ended with code {error.returncode}"
    return str(error)
