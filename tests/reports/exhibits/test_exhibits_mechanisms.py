"""The part on other mechanisms says what Plan and `plan --epsilon` say: the same code, on a world made by hand."""

import math
from pathlib import Path
from typing import Any

import pytest

from privlab.checks import DataError
from privlab.datasets import read_dataset
from privlab.datasets.engines import Workspace
from privlab.datasets.zone_kinds import dataset_in_zones, zoning_from_spec
from privlab.kept import Runs
from privlab.lab.reporting.collect import RowsMaterial
from privlab.od.simulating import ReleaseParameters
from privlab.reports.exhibits import EXHIBITS
from privlab.reports.exhibits.exhibits import Content
from privlab.reports.report_plan import View
from tests.command_line import Answer

AROUND = ((0.5, 0.5), (0.5, 1.5), (1.5, 1.5), (1.5, 0.5), (0.5, 0.5))
BOX = "box:0,0,2,2:2x2"


@pytest.fixture
def around(tmp_path: Path) -> Path:
    """2,000 people go once around four zones."""
    rows = [
        f"{user},2026-03-02 {8 + hour:02d}:00,{lat},{lon}"
        for user in range(2000)
        for hour, (lat, lon) in enumerate(AROUND)
    ]
    path = tmp_path / "around.csv"
    path.write_text("user,time,lat,lon\n" + "\n".join(rows) + "\n")
    return path


def made(path: Path, zones: str, folder: Path, **options: Any) -> Content:
    def rows(workspace: Workspace) -> Any:
        dataset = read_dataset(path, workspace=workspace)
        zoning = zoning_from_spec(zones, place=dataset.place, table=dataset.table, geography=None)
        return dataset_in_zones(dataset, zoning), zoning

    material = RowsMaterial(rows, sample=False, runs=Runs(folder))
    view = View(release=ReleaseParameters(epsilon=0.5), week="2026-03-02", options=tuple(options.items()))
    return EXHIBITS["mechanisms"].make(material, view)


def test_the_part_says_what_the_command_says(around: Path, tmp_path: Path, answer: Answer) -> None:
    part = made(around, BOX, tmp_path / "runs", ε=0.2)
    said = answer("plan", around, "--zones", BOX, "--epsilon", 0.2, "--json")
    assert part.sentence.startswith(said["says"])
    assert "not drawn" in part.sentence
    assert [row["within 10%"] for row in part.rows] == [
        f"{math.floor(1000 * one['within']) / 10:.1f}%" for one in said["steps"]
    ]
    assert part.figure is not None
    assert EXHIBITS["mechanisms"].discloses
    least = made(around, BOX, tmp_path / "runs", use=90)
    found = answer("plan", around, "--zones", BOX, "--min-utility", 0.9, "--json")
    assert least.sentence.startswith(found["says"])
    own = made(around, BOX, tmp_path / "runs")  # no option: the ε of the part's release
    assert "With ε = 0.5 " in own.sentence


def test_zones_that_the_data_knows_alone_are_refused(around: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="known from the data only"):
        made(around, "grid:50000", tmp_path / "runs")
