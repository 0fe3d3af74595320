"""Every parameter that a page takes from its address, with values nobody meant: a page or a sentence, no traceback."""

import ast
from functools import cache
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

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


@pytest.mark.parametrize(
    ("page", "address", "begins"),
    [
        ("groups", {"sizes": "five"}, "“People in a group (m)” must be a whole number"),
        ("groups", {"balance": "half"}, "“Groups with the target (share)” must be the share of groups"),
        ("groups", {"period": "month"}, "“Period released” must be week"),
        ("groups", {"groups_control": "users:100000"}, "“As a control, change the data first” must be at most"),
        ("groups", {"groups_control": "thinner"}, "“As a control, change the data first” must be"),
        ("groups", {"prior": "nothing but the release", "known": "2"}, "“Known of the target” must be a share"),
        ("anonymizability", {"show": "k-gap", "level": "near"}, "“Level: cell (km) – time bin (min)” must be KM-MIN"),
        ("anonymizability", {"show": "k-gap", "fold": "often"}, "“Fold time onto” must be whole days or weeks"),
        ("anonymizability", {"show": "linked again", "link_days": "some"}, "“Days in each half” must be a whole number"),
        ("anonymizability", {"show": "linked again", "link_levels": "near"}, "“Levels (km–min)” must be KM-MIN"),
        ("guarantee", {"show_guarantee": "audit the whole way", "bound": "20", "pipeline_levels": "2 × 2"}, "“Sums of districts too” must"),
        ("guarantee", {"show_guarantee": "audit the whole way", "bound": "20", "pipeline_total": "true"}, "“With a noisy total” must"),
    ],
)  # fmt: skip
def test_what_is_refused_is_named_as_its_control_is(page: str, address: dict[str, str], begins: str) -> None:
    data = {"guarantee": "commuters", "anonymizability": "subscribers"}.get(page, "cabs")
    at = opened(page, data=data, **{**QUICK, **address})
    until(at, lambda at: any(one.startswith(begins) for one in said(at)))
    label = begins.partition("” ")[0].removeprefix("“")
    assert label in {one.label for kind in KINDS for one in at.get(kind)}


def said(at: AppTest) -> list[str]:
    """Return what a page says in its coloured boxes."""
    return [str(one.value).replace("\\", "") for one in (*at.warning, *at.info, *at.error)]


KINDS = ("multiselect", "selectbox", "text_input", "button_group", "checkbox")
