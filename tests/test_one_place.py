"""What is said once: a rule or a number that was copied is found again by its shape in the source."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "privlab"

# name: the shape of its copies, and the files that may hold it
ONCE: dict[str, tuple[str, set[str]]] = {
    "the logistic function": (r"1 / \(1 \+ (math|np)\.exp\(-", set()),
    "the radius of the Earth": (r"6_?371[_.]?0", {"datasets/cleaning/earth.py"}),
    "the sensitivity of a bound": (
        r"(sensitivity=|/ \()\S*max_trips_per_user or 1\b|\b1 if \S*max_trips_per_user is None",
        {"dp/noise/mechanisms.py"},
    ),
    "what a bound keeps": (r"rank(\[part\])? < (bound|require_whole)", {"od/matrix.py"}),
    "the cap of 20 km": (
        r"\b20\.0\b(?!.*EPSILON)|_MOST_CELLS.* = .*\b200\b",
        {"defaults.py", "limits.py"},
    ),
    "the words for a row's position": (r'f"row \{', {"datasets/records.py"}),
    "how progress is told": (r"Callable\[\[(float|int)(, str)?\], None\]", {"progress.py"}),
    "how work is cancelled": (r"^class \w*Cancell?ed\b|\b_?cancell?ed( = False|: bool)", {"progress.py"}),
    "the usual threshold": (r"(?i)threshold\b.*=\s*100\b", set()),
    "the usual ε": (
        r"""^(?!.*>>>).*(EPSILON.* = |\] = |epsilon"?[:=] ?|epsilon: float = |value=)"?0\.66""",
        {"defaults.py"},
    ),
    "a bound in per cent": (r"ceil\(.*\* 1_?000\b", {"stats.py"}),
    "the suffixes of text tables": (
        r"\btsv\b",
        {"datasets/files/containers.py", "ui/data/zone_controls.py"},
    ),
    "that what is shown is of true data": (
        r"rue data: for internal eyes",
        {"reports/external_rule.py", "reports/documents/word_and_markdown.py", "ui/shell/parts.py"},
    ),
    "the noise's tail": (r'0\.5 if .*noise == "laplace" else', set()),
}


@pytest.mark.parametrize("name", ONCE)
def test_is_said_in_one_place(name: str) -> None:
    shape, allowed = ONCE[name]
    found = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if re.search(shape, path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert found == allowed


def test_whatever_is_told_how_far_work_is_is_a_progress() -> None:
    """By name: a parameter `progress` is of that type, and the names of earlier conventions name no callback."""
    wrong, n_progress = [], 0
    for path in ROOT.rglob("*.py"):
        for made in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(made, ast.arg) or made.annotation is None:
                continue
            annotation = ast.unparse(made.annotation)
            n_progress += annotation == "Progress"
            misnamed = annotation == "Progress" and made.arg not in ("progress", "whole")
            mistyped = made.arg == "progress" and annotation != "Progress"
            earlier = made.arg in ("report", "done", "going_on", "waiting") and "Callable" in annotation
            if misnamed or mistyped or earlier:
                wrong.append((path.relative_to(ROOT).as_posix(), made.arg, annotation))
    assert n_progress > 40
    assert wrong == []
