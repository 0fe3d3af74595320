"""A report → PDF and pictures, through a browser of the Chromium family where one is installed."""

import os
import shutil
import subprocess
from pathlib import Path

from privlab.checks import DataError
from privlab.datasets.folders import PrivateFolder

BROWSER_VARIABLE = "PRIVLAB_BROWSER"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
_MAC = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_QUIET = (
    "--headless=new", "--disable-gpu", "--no-first-run", "--disable-sync", "--disable-background-networking",
    "--disable-component-update", "--disable-extensions", "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip
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
    return _exported(html, "report.pdf", "--no-pdf-header-footer", "--print-to-pdf={out}")


def png_from_html(html: str, *, width: int, height: int, scale: int = 2) -> bytes:
    """Return a picture of the document's first `width` × `height` CSS pixels, at `scale` pixels each."""
    return _exported(
        html,
        "picture.png",
        f"--window-size={width},{height}",
        f"--force-device-scale-factor={scale}",
        "--hide-scrollbars",
        "--screenshot={out}",
    )


def _exported(html: str, name: str, *options: str) -> bytes:
    browser = installed_browser()
    if browser is None:
        raise DataError(HINT)
    with PrivateFolder("print-") as folder:
        source, out = folder / "report.html", folder / name
        source.write_text(html, "utf-8")
        # As root, as in most containers, Chromium refuses its sandbox; the page is our own and offline.
        root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        profile = [f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=20000"]
        command = [browser, *_QUIET, *root, *profile, *(option.format(out=out) for option in options)]
        try:
            subprocess.run([*command, source.as_uri()], capture_output=True, timeout=_PATIENCE_S, check=True)
            return out.read_bytes()
        except (subprocess.SubprocessError, OSError) as error:
            raise DataError(f"The browser {Path(browser).name} could not print: {_why(error)}.") from None


def _why(error: Exception) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"it took more than {_PATIENCE_S} s"
    if isinstance(error, subprocess.CalledProcessError):
        return f"it ended with code {error.returncode}"
    return str(error)
