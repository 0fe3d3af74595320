"""Every parameter that a page takes from its address, with values nobody meant: a page or a sentence, no traceback."""

import ast
from functools import cache
from pathlib import Path

import pytest

from privlab.ui.state import sample_job
from tests.pages.test_all_pages import PAGES, QUICK, opened, until

ROOT = Path(__file__).parents[2]
NASTY = (
    "",
    "nan",
    "1e999",
    "-1",
    "99999999999999999999",
    "<script>alert(1)</script>",
    "x" * 5_000,
    "\u202e10\u202c",
    "١٠",
    "own data",
    "1,2,3",
    "a\x00b",
    "0",
    "subset",
)
SLIDERS = {"epsilon", "threshold", "bound", "group"}  # made by one function of shared_controls.py


@cache
def parameters() -> tuple[str, ...]:
    """Return the keys of all controls that are bound to the address."""
    found = set(SLIDERS)
    for path in ROOT.glob("privlab/ui/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                given = {keyword.arg: keyword.value for keyword in node.keywords}
                key = given.get("key")
                binds = "bind" in given or ast.unparse(node.func) == "parts.one_of"
                if binds and isinstance(key, ast.Constant):
                    found.add(str(key.value))
    return tuple(sorted(found))


@pytest.fixture(scope="module", autouse=True)
def _samples_ready() -> None:
    for name in ("cabs", "city"):
        sample_job(name).result(timeout=900)


def test_the_parameters_are_found() -> None:
    assert {"data", "week", "seed", "k", "cells", "targets", "level", "show", "show_groups", "points"} <= set(
        parameters()
    )
    assert len(parameters()) > 35


@pytest.mark.parametrize("page", PAGES)
def test_no_value_of_any_parameter_is_a_traceback_iv(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run gives every other parameter a value of its own from the list; in turn each gets half of them."""
    monkeypatch.setattr("privlab.ui.groups.game_play._FIRST_LOOK_S", 0.0)
    names = parameters()
    for run in range(len(NASTY)):
        nasty = {
            name: NASTY[(run + n) % len(NASTY)] for n, name in enumerate(names) if (run + n // 2) % 2 == 0
        }
        at = opened(page, **{"data": "cabs", **QUICK, **nasty})
        assert not at.exception, (nasty, at.exception[0].message, at.exception[0].stack_trace)
        assert at.title[0].value == ("privlab" if page == "home" else page.capitalize())
        for complaint in [*at.error, *at.warning]:
            assert "Traceback" not in complaint.value
            assert len(complaint.value) < 700, (nasty, complaint.value)


def test_the_mechanism_of_a_plan_goes_along_in_the_address_of_every_page_issue_17() -> None:
    """Whoever is sent the address of a plan sees its release, and not one with the noise set on the left."""
    at = until(opened("plan", data="commuters", epsilon="0.5", bound="3"), lambda one: bool(one.main.button))
    at.session_state["mechanism"] = "gaussian, l2, unbiased"
    at.run()
    assert at.query_params["mechanism"] == "Gaussian noise and a total"
    sent = dict(at.query_params.items())
    other = opened("attack", **sent)
    assert other.session_state["mechanism"] == "gaussian, l2, unbiased"
    assert other.session_state["publish_unbiased"] is True
    assert other.session_state["attack_gaussian"] is True
    assert not other.exception
    found = opened("guarantee", **sent, release_cells="discovered")
    assert found.session_state["mechanism"] == "gaussian, l2, unbiased"
    assert found.session_state["cells_chosen"] == "discovered"
    at.session_state["mechanism"] = "as set"
    at.run()
    assert "mechanism" not in at.query_params
