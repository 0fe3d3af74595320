"""Keys of controls: each stands for one thing, and every value that a reader sets is in the address or kept."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from privlab.ui.keys import KEYS
from privlab.ui.state import sample_job
from tests.pages.test_all_pages import finding, opened

ROOT = Path(__file__).parents[2]
HELPERS = {
    "step_slider": 0,
    "slider_and_box": 0,
    "_percent": 0,
    "_choice": 0,
    "_day": 2,
    "_number": 3,
    "_key": 0,
}  # where their key is among what they take
NO_WIDGETS = {
    "Held",
    "Remedy",
    "Lookup",
    "min",
    "max",
    "sorted",
    "printed_table",
}  # whose key names a container
OF_WORK = {"again_*", "cancel_*"}  # the star is the name of the work, of which there is one
CONTROLS = {
    "slider", "selectbox", "radio", "checkbox", "toggle", "number_input", "text_input", "text_area", "pills",
    "segmented_control", "multiselect", "select_slider", "date_input", "time_input", "color_picker", "feedback",
}  # fmt: skip
ELSEWHERE = {
    "report_title": "kept in the session's report, from where the control is filled",
    "report_kind": "the same",
    "report_note": "the same",
    "report_author": "the same",
    "report_date": "the same",
    "report_summary": "the same",
    "note_*_*": "the same",
    "budget_epsilon": "filled with the budget that the ledger holds for the data",
    "budget_delta": "the same",
    "budget_adding": "the same",
    "role_*_*": "kept with what was said by hand of the file's columns",
    "agree_*": "who comes back is asked again",
}


def calls() -> Iterator[tuple[str, ast.Call]]:
    for path in sorted([*ROOT.glob("privlab/ui/**/*.py"), *ROOT.glob("pages/*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield ast.unparse(node.func).rpartition(".")[2], node


def key_of(name: str, call: ast.Call) -> str | None:
    """Return the key that a call gives a widget, with a star for what is filled in; None without one of its own."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    key = call.args[HELPERS[name]] if name in HELPERS and len(call.args) > HELPERS[name] else given.get("key")
    if name in NO_WIDGETS:
        return None
    if isinstance(key, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in key.values)
    return str(key.value) if isinstance(key, ast.Constant) else None


def registered() -> list[str]:
    return [key for keys in KEYS.values() for key in keys]


def test_no_key_is_registered_twice() -> None:
    assert [key for key, times in Counter(registered()).items() if times > 1] == []


def test_no_key_is_used_twice_and_each_is_registered() -> None:
    used = Counter(key for name, call in calls() if (key := key_of(name, call)) is not None)
    assert len(used) > 150
    assert [key for key, times in used.items() if times > 1 and key not in OF_WORK] == []
    assert set(used) - set(registered()) == set()


def test_each_registered_key_is_used() -> None:
    used = {key for name, call in calls() if (key := key_of(name, call)) is not None}
    source = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("privlab/ui/**/*.py"))
    assert [key for key in registered() if key not in used and f'"{key}"' not in source] == []


def test_every_control_is_bound_to_the_address_or_kept() -> None:
    loose = []
    for name, call in calls():
        given = {keyword.arg for keyword in call.keywords}
        folds = name == "expander" and "on_change" in given and "expanded" not in given
        if (name in CONTROLS or folds) and not given & {"bind", "persist_state"}:
            loose.append(key_of(name, call))
    assert sorted(map(str, loose)) == sorted(ELSEWHERE)


@pytest.fixture
def _city() -> None:
    sample_job("city").result(timeout=900)


@pytest.mark.usefixtures("_city")
def test_cells_of_the_guarantee_are_none_of_the_attack() -> None:
    at = opened("guarantee", bound="10", threshold="50")
    at.segmented_control(key="release_cells").set_value("discovered").run()
    at.switch_page("../../pages/attack.py").run()
    assert [element.value for element in at.error] == []
    assert at.text_input(key="cells").value == "1000, 99, 95, 40"


@pytest.mark.usefixtures("_city")
def test_addresses_of_before_open_the_same_guarantee() -> None:
    now = opened("guarantee", bound="10", threshold="50", release_cells="discovered", audit_level="99.9")
    before = opened("guarantee", bound="10", threshold="50", cells="discovered", level="99.9")
    for at in (now, before):
        assert at.segmented_control(key="release_cells").value == "discovered"
        assert at.segmented_control(key="audit_level").value == "99.9"
        assert not at.exception
    assert finding(before) == finding(now)
    assert not {"cells", "level"} & set(before.query_params)
    strange = opened("guarantee", cells="1,2", level="0.1-1")
    assert strange.segmented_control(key="release_cells").value == "public"
    assert strange.segmented_control(key="audit_level").value == "95"
