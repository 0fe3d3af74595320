"""The picture of the house is drawn from the imports as they are now; documents name files that are there."""

import re
import xml.etree.ElementTree as ET
from itertools import groupby

from bench.architecture import FLOORS, PICTURE, ROOT, WORDS, names_taken, packages, picture


def test_the_picture_is_up_to_date() -> None:
    assert picture() == PICTURE.read_text(encoding="utf-8"), "run python -m bench.architecture"


def test_every_package_is_in_it_and_nothing_points_upwards() -> None:
    on_floors = [name for floor in FLOORS for name in floor]
    assert sorted(on_floors) == sorted(packages()) == sorted(WORDS)
    floor_of = {name: n for n, floor in enumerate(FLOORS) for name in floor}
    assert all(floor_of[upper] < floor_of[lower] for upper, lower in names_taken())


def test_it_is_a_picture() -> None:
    root = ET.fromstring(PICTURE.read_text(encoding="utf-8"))
    assert len(root.findall("{http://www.w3.org/2000/svg}rect")) == len(WORDS)


def test_every_file_the_page_names_is_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:privlab|pages|tests|bench)/[\w/.]*)`", text)
    assert len(named) > 40
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_three_journeys_of_at_most_twelve_stays_enter_no_package_twice_issue_15() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## Three journeys")[2]
    journeys = [re.findall(r"^\d+\. .*?`privlab/(\w+)/", part, re.M) for part in text.split("\n**")[1:]]
    assert len(journeys) == 3
    for stays in journeys:
        assert 3 < len(stays) <= 12
        entered = [one for one, _ in groupby(stays)]
        assert len(entered) == len(set(entered)) > 2


def test_every_test_a_document_names_is_there() -> None:
    documents = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    there = [f"/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "tests").rglob("test_*.py")]
    named = {
        (document.name, name)
        for document in documents
        for name in re.findall(r"[\w/]*\btest_\w+\.py", document.read_text(encoding="utf-8"))
    }
    assert len(named) > 40
    assert [one for one in sorted(named) if not any(path.endswith(f"/{one[1]}") for path in there)] == []


def test_no_file_is_longer_than_400_lines() -> None:
    lines = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8").count("\n")
        for folder in ("privlab", "pages", "team")
        for path in (ROOT / folder).rglob("*.py")
    }
    assert len(lines) > 200
    assert {path: n for path, n in lines.items() if n > 400} == {}
