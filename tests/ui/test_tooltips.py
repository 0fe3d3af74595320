"""Every control, button and number of the pages says, to whoever asks, what it means and what to do with it."""

import ast
from pathlib import Path

from privlab.figures.drawing.how_to_read import MEANINGS
from privlab.figures.drawing.titles import TITLES

UI = Path(__file__).parents[2] / "privlab" / "ui"
ASKED = {
    "button",
    "checkbox",
    "date_input",
    "download_button",
    "file_uploader",
    "form_submit_button",
    "metric",
    "multiselect",
    "number_input",
    "pills",
    "popover",
    "radio",
    "segmented_control",
    "select_slider",
    "selectbox",
    "slider",
    "text_area",
    "text_input",
    "toggle",
}


def calls(path: Path) -> list[ast.Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ASKED
    ]


def explained(call: ast.Call) -> bool:
    # A control whose label is not shown stands in a sentence, or beside another control that says it.
    given = {word.arg: word.value for word in call.keywords}
    key = given.get("key")
    return bool(given.keys() & {"help", "label_visibility"}) or (
        isinstance(key, ast.Constant) and key.value in SAID_BESIDE
    )


# A tooltip would lie over the step for as long as the mouse rests on the button that was clicked; "Keys ?" beside them says it.
SAID_BESIDE = {"tour_back", "tour_next"}


def test_every_control_has_a_tooltip() -> None:
    found = {path.relative_to(UI): calls(path) for path in sorted(UI.rglob("*.py"))}
    assert sum(map(len, found.values())) > 150  # that they are found at all
    mute = [f"{path}:{call.lineno}" for path, some in found.items() for call in some if not explained(call)]
    assert mute == []


def test_every_figure_says_how_it_is_read_and_what_follows() -> None:
    assert MEANINGS.keys() == TITLES.keys()
    for meaning in MEANINGS.values():
        assert meaning.count(". ") >= 1  # how it is read, and what follows
        assert meaning.endswith(".")
