"""The picture of the house is drawn from the imports as they are now."""

import re
import xml.etree.ElementTree as ET

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
