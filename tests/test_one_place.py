"""What is said once: a rule or a number that was copied is found again by its shape in the source."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "privlab"

# name: the shape of its copies, and the files that may hold it
ONCE: dict[str, tuple[str, set[str]]] = {
    "the logistic function": (r"1 / \(1 \+ (math|np)\.exp\(-", set()),
    "the radius of the Earth": (r"6_?371[_.]?0", {"datasets/cleaning/distances.py"}),
    "the sensitivity of a bound": (r"(sensitivity=|/ \()\S*max_trips_per_user or 1\b", {"dp/mechanisms.py"}),
    "what a bound keeps": (r"rank(\[part\])? < (bound|require_whole)", {"od/counting/matrix.py"}),
    "the cap of 20 km": (
        r"\b20\.0\b(?!.*EPSILON)|_MOST_CELLS.* = .*\b200\b",
        {"fingerprints/defaults.py", "limits.py"},
    ),
    "the words for a row's position": (r'f"row \{', {"datasets/records.py"}),
    "the noise's tail": (r'0\.5 if .*noise == "laplace" else', set()),
}


@pytest.mark.parametrize("name", ONCE)
def test_is_said_in_one_place(name: str) -> None:
    shape, allowed = ONCE[name]
    found = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if re.search(shape, path.read_text(encoding="utf-8"))
    }
    assert found == allowed
