"""Every page in both themes against axe-core's rules: contrast, names, roles, order."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.browser.lab import PATHS, PERHAPS_WITHOUT_A_CHART, QUERIES, Watched

pytestmark = pytest.mark.browser
GRAVE = ("serious", "critical")


def grave(results: dict[str, Any]) -> list[str]:
    return [
        f"{violation['id']} {' '.join(node['target'][-1:])}: {node['html'][:300]} {node['failureSummary']}"
        for violation in results["violations"]
        if violation["impact"] in GRAVE
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PATHS)
def test_axe_finds_nothing_grave(name: str, scheme: str, address: str, browser: Browser) -> None:
    # The page's own policy forbids the evaluation that brings axe in.
    context = browser.new_context(
        color_scheme=scheme, viewport={"width": 1280, "height": 900}, bypass_csp=True
    )
    watched = Watched(context.new_page())
    watched.page.goto(address + PATHS[name] + QUERIES.get(name, ""))
    if name in QUERIES or name not in PERHAPS_WITHOUT_A_CHART:
        watched.drawn()
    watched.page.locator("h4").first.wait_for()
    watched.ready()
    found = grave(Axe().run(watched.page).response)
    context.close()
    assert found == [], "\n".join(found)
