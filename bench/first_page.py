"""How soon a server that is started shows its first page: seconds from the start of Python, in a real browser.

`words` is when Home's first heading stands there, `figure` when its curve is drawn.
"""

import argparse
import json
import time
import urllib.request
from statistics import median

from playwright.sync_api import Browser, sync_playwright

from bench.server import running_lab
from tests.browser.lab import ARGUMENTS, Watched
from tests.browser_setup import browser_path


def measured(browser: Browser) -> dict[str, float]:
    """Start a server, open Home as soon as it answers, and return seconds by what is there."""
    begun = time.monotonic()
    with running_lab() as (_, address):
        with urllib.request.urlopen(address, timeout=60):
            answered = time.monotonic() - begun
        context = browser.new_context()
        watched = Watched(context.new_page())
        watched.page.goto(address)
        watched.page.locator("h1").first.wait_for()
        words = time.monotonic() - begun
        watched.drawn()
        figure = time.monotonic() - begun
        context.close()
    return {"answers": round(answered, 2), "words": round(words, 2), "figure": round(figure, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=ARGUMENTS)
        found = [measured(browser) for _ in range(given.repeat)]
        browser.close()
    print(json.dumps({name: median(one[name] for one in found) for name in found[0]}))


if __name__ == "__main__":
    main()
