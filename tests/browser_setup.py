"""Make sure there is a Chromium or Chrome for the browser tests, by what the machine offers.

An installed one is used as it is. Otherwise Debian's or another system's package manager is asked,
then Playwright's own download. Fails, rather than let tests be skipped.
"""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"


def browser_path() -> str | None:
    """Return the path of an installed browser, or None."""
    if chosen := os.environ.get("PRIVLAB_BROWSER"):
        return chosen
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    return found or (MAC if os.path.exists(MAC) else None)


def installed_by_playwright() -> bool:
    """Return whether Playwright has a browser of its own that exists."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return os.path.exists(playwright.chromium.executable_path)


def install() -> None:
    """Try the system's package manager, then Playwright."""
    root = [] if hasattr(os, "geteuid") and os.geteuid() == 0 else ["sudo", "-n"]
    if shutil.which("apt-get"):
        subprocess.run([*root, "apt-get", "update", "-qq"], check=False)
        command = [
            "apt-get",
            "install",
            "-y",
            "-qq",
            "--no-install-recommends",
            "chromium",
            "fonts-dejavu-core",
        ]
        subprocess.run(
            [*root, *command], check=False, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        )
    elif shutil.which("dnf"):
        subprocess.run([*root, "dnf", "install", "-y", "-q", "chromium"], check=False)
    elif shutil.which("brew"):
        subprocess.run(["brew", "install", "--cask", "chromium"], check=False)
    if browser_path() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


if __name__ == "__main__":
    if browser_path() is None and not installed_by_playwright():
        install()
        if browser_path() is None and not installed_by_playwright():
            sys.exit("No Chromium or Chrome could be found or installed; set PRIVLAB_BROWSER to one.")
    print(f"browser for the tests: {browser_path() or 'Playwright’s own'}")
