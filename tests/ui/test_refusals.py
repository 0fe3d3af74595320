"""No dead end: whatever refuses on a page shows, in the same function, a button or a link that leads on."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REFUSALS = {"error", "warning"}
WAYS = {
    *("way_on", "setting_button", "other_data", "button", "take_button", "offer", "other_game"),
    *("_first_choice", "_example_button", "_undefended", "_within_budget"),
}
# Where the way on is not of the function itself: where it is.
ELSEWHERE = {
    ("ui/publish/publish_page.py", "_words_control"): "the two fields above it",
    ("ui/data/data_page.py", "upload"): "the form above, and Forget my data",
    ("ui/data/data_report.py", "reading"): "a note on what was read; nothing is refused",
    ("ui/data/data_report.py", "said_first"): "a note on what was read; nothing is refused",
    ("ui/derived.py", "ready_of_sample"): "the pages that ask for it lead to a sample",
    ("ui/data/load_watch.py", "_finish"): "the form below it, and beside other pages a link to it",
    ("ui/publish/health_view.py", "_show"): "what is seen of the machine; nothing is refused",
    ("ui/publish/budget_view.py", "_set_budget"): "the form that was just sent",
    ("ui/publish/ledger_view.py", "check_control"): "the form above it: other files",
    ("ui/publish/ledger_view.py", "_show_verification"): "what a check found; nothing is refused",
    ("ui/publish/outlook_view.py", "outlook"): "the field of the reason right above it",
    ("ui/publish/publish_page.py", "_further_release"): "the checkbox right below it; nothing is refused yet",
    ("ui/publish/publish_page.py", "watch"): "the form below asks for the reason, and makes it again",
    ("ui/report/report_buttons.py", "report_on_release_button"): "the other reports beside it",
    ("ui/report/report_page.py", "plan_file"): "the upload right above it",
    ("ui/work/waiting.py", "show_violation"): "a fault of the program: nothing may lead past it",
}


def functions() -> Iterator[tuple[str, str, set[str]]]:
    """Yield file, name, and what is called in each function of the pages, inner ones with it."""
    for path in [*(ROOT / "privlab" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")]:
        tree = ast.parse(path.read_text("utf-8"))
        bodies = [one for one in tree.body if isinstance(one, ast.FunctionDef)]
        if path.parent.name == "pages":
            bodies = [tree]  # type: ignore[list-item]
        for body in bodies:
            calls = [one.func for one in ast.walk(body) if isinstance(one, ast.Call)]
            names = {one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in calls}
            shown = {
                f"st.{one.attr}"
                for one in calls
                if isinstance(one, ast.Attribute) and getattr(one.value, "id", "") == "st"
            }
            where = path.relative_to(ROOT if path.parent.name == "pages" else ROOT / "privlab").as_posix()
            yield where, getattr(body, "name", "page"), names | shown


REFUSING = [
    (file, name, calls) for file, name, calls in functions() if calls & {f"st.{one}" for one in REFUSALS}
]


@pytest.mark.parametrize(("file", "name", "calls"), REFUSING, ids=[f"{one[0]}:{one[1]}" for one in REFUSING])
def test_a_refusal_leads_on_issue_17(file: str, name: str, calls: set[str]) -> None:
    assert calls & WAYS or (file, name) in ELSEWHERE


def test_what_leads_on_elsewhere_is_still_there() -> None:
    assert set(ELSEWHERE) <= {(file, name) for file, name, _ in REFUSING}
