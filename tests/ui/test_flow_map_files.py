"""The map's files as they are kept: what is served is what was built, with its licences, and asks nobody else."""

import json
import re
from pathlib import Path

from tests.built_files import locked_package, require_as_built

ROOT = Path(__file__).parents[2]
FRONTEND = ROOT / "frontend" / "flowmap"
ASSETS = ROOT / "privlab" / "ui" / "flowmap" / "assets"


def test_the_files_are_those_that_were_built() -> None:
    require_as_built(ASSETS)


def test_the_licences_name_all_that_is_asked_for() -> None:
    text = (ASSETS / "LICENCES.txt").read_text(encoding="utf-8")
    asked = json.loads((FRONTEND / "package.json").read_text(encoding="utf-8"))["dependencies"]
    inside = dict(re.findall(r"^(\S+) (\d+\.\d+\.\d+), \S+$", text, re.M))
    for name, version in asked.items():
        assert inside[name] == version, name
    assert "Apache License" in text
    assert "Natural Earth" in text


def test_versions_are_exact_and_no_registry_is_named() -> None:
    assert len(locked_package(FRONTEND)["dependencies"]) > 5


def test_only_the_public_tiles_are_an_address_in_the_source() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in sorted(FRONTEND.glob("src/*.js")))
    assert set(re.findall(r"https?://[^/\s]+", source)) == {"https://a.basemaps.cartocdn.com"}


def test_the_world_holds_land_and_borders_without_names() -> None:
    world = json.loads((ASSETS / "world.json").read_text(encoding="utf-8"))
    assert set(world["objects"]) == {"countries", "land"}
    assert all(set(one) <= {"type", "arcs"} for one in world["objects"]["countries"]["geometries"])
    assert (ASSETS / "world.json").stat().st_size < 800_000
