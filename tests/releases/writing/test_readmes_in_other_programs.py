"""The README of a release in the hands of whoever opens its files with other programs: what it says to type, and where zones lie."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import h3
import pandas as pd
import pytest

from privlab.releases.writing.readme_files import readme_from_certificate
from privlab.releases.writing.zones_file import zones_csv_from_certificate
from tests.releases.writing.test_readme_files import certificate_of, words_of

BOX = "37.7,-122.52,37.82,-122.36"
ROWS: dict[str, Any] = {"kind": "trips", "timezone": None}


def said_of(certificate: dict[str, Any]) -> str:
    return words_of(readme_from_certificate(certificate, with_zones=True))


@pytest.mark.parametrize(("product", "columns"), [("flows", ["origin", "destination"]), ("visits", ["zone"])])
def test_ids_come_out_as_they_are_where_pandas_is_told_what_the_readme_says(
    tmp_path: Path, product: str, columns: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = ["007", "NA", "1-2", "1e5", "null", "123456789012345678"]
    certificate = certificate_of(tmp_path, zones__public=ids, parameters__product=product)
    pd.DataFrame(dict.fromkeys(columns, ids)).to_csv(tmp_path / "release.csv", index=False)
    monkeypatch.chdir(tmp_path)
    assert pd.read_csv("release.csv")[columns[0]].tolist() != ids
    told = re.search(r"In pandas: (read_csv\(.*?\))\.", said_of(certificate))
    assert told is not None
    found = eval(told[1], {"read_csv": pd.read_csv, "str": str})
    assert [found[name].tolist() for name in columns] == [ids] * len(columns)


def test_r_is_told_of_ids_that_it_would_round_or_take_for_missing_ones(tmp_path: Path) -> None:
    """By hand in R 4.2: of 100 ids of 18 digits read.csv leaves 2, and of a zone NA nothing; so told it leaves all."""
    said = 'read.csv("release.csv", colClasses = c(origin = "character", destination = "character"), na.strings = "")'
    for ids, is_said in (
        (["NA", "007"], True),
        ([840123456789012345, 840123456789012346], True),
        ([1, 2], False),
    ):
        certificate = certificate_of(tmp_path / str(ids[0]), zones__public=ids)
        assert (said in said_of(certificate)) is is_said


@pytest.mark.parametrize(
    ("ids", "is_said"), [(["Zürich"], True), (["Bern"], False), ([1], False), (None, True)]
)
def test_letters_that_a_spreadsheet_may_take_for_two_are_warned_of(
    tmp_path: Path, ids: list[Any] | None, is_said: bool
) -> None:
    """UTF-8 writes ü in two bytes, and a spreadsheet that expects Windows' letters shows each."""
    assert "ü".encode().decode("cp1252") == "Ã¼"
    assert ("and ü for two letters" in said_of(certificate_of(tmp_path, zones__public=ids))) is is_said


def test_a_box_of_hexagons_is_told_from_the_hexagons_that_reach_beyond_it(tmp_path: Path) -> None:
    shape = h3.LatLngPoly([(37.7, -122.52), (37.7, -122.36), (37.82, -122.36), (37.82, -122.52)])
    public = sorted(h3.h3shape_to_cells_experimental(shape, 6, "overlap"))
    certificate = certificate_of(tmp_path, zones__spec=f"h3:6:{BOX}", zones__public=public)
    said = said_of(certificate)
    assert "H3 hexagons of resolution 6 that touch a box with the edges 37.7, -122.52, 37.82, -122.36" in said
    assert (
        "of which only what lies in the box is counted, though outlines at its edge reach beyond it" in said
    )
    rows = csv.DictReader(io.StringIO(zones_csv_from_certificate(certificate) or ""))
    beyond = [row for row in rows if max(map(float, re.findall(r" ([\d.]+)", row["outline_wkt"]))) > 37.82]
    assert len(beyond) >= 2


@pytest.mark.parametrize(
    ("spec", "n", "words"),
    [
        (f"grid:4000:{BOX}", 16, "squares of about 4,000 m over a box with the edges 37.7,"),
        (
            f"box:{BOX}:2x3",
            6,
            "2 rows and 3 columns of a box with the edges 37.7, -122.52, 37.82, -122.36 (south,",
        ),
    ],
)
def test_zones_are_said_in_words_and_in_which_system_they_lie(
    tmp_path: Path, spec: str, n: int, words: str
) -> None:
    said = said_of(certificate_of(tmp_path, zones__spec=spec, zones__public=list(range(n))))
    assert f"The zones are {words}" in said
    assert "- lat: latitude of its middle, in degrees as of GPS (WGS 84, EPSG:4326)" in said
    assert (
        "the outlines in outline_wkt, or points at lon as x and lat as y, in WGS 84 (EPSG:4326); it must be told"
        in said
    )
    assert "origin and destination of the other files are zone here" in said


def test_zones_in_metres_are_said_to_lie_in_no_system_of_degrees(tmp_path: Path) -> None:
    certificate = certificate_of(
        tmp_path,
        zones__spec="grid:1000:0,0,2000,2000",
        zones__public=[0, 1, 2, 3],
        parameters__product="visits",
    )
    certificate["rows"] = ROWS | {"in_metres": True}
    said = said_of(certificate)
    assert (
        "squares of about 1,000 m over a box with the edges 0, 0, 2000, 2000 (south, west, north, east)"
        in said
    )
    assert "WGS 84" not in said
    assert "or points at x as x and y as y, in the projected system of the publisher's data" in said
    assert "zone of the other files is zone here" in said


def test_blocks_of_zones_are_said_by_how_they_are_named(tmp_path: Path) -> None:
    certificate = certificate_of(tmp_path, zones__public=["a", "b"])
    certificate["rows"] = ROWS
    certificate["levels"] = {"divisions": [{"name": "blocks:2", "of": ["1-1", "2-1"]}]}
    certificate["mechanism"] |= {"scale": 100.0, "level_units_per_trip": [7]}
    said = said_of(certificate)
    assert "one of 2 by 2 blocks of zones, 1-2 is the first from the south and the last from the west" in said
    assert (
        "- level: which districts these are: the column of zones.csv that says the district of each zone"
        in said
    )
    assert "A map program" not in said  # the file says districts alone


def test_districts_may_be_called_as_the_outlines_of_zones_are(tmp_path: Path) -> None:
    certificate = certificate_of(tmp_path, zones__public=["a", "b"])
    certificate["rows"] = ROWS
    certificate["levels"] = {"divisions": [{"name": "outline_wkt", "of": ["N", "S"]}]}
    certificate["mechanism"] |= {"scale": 100.0, "level_units_per_trip": [7]}
    assert "The zones are area.geojson; zones.csv says where each lies." in said_of(certificate)


@pytest.mark.parametrize(
    ("timezone", "week", "words"),
    [  # by the law: the last Sundays of March and October in the Union, the second one of March in America; none in Iceland
        (
            "Europe/Rome",
            "2026-03-23",
            "On 2026-03-29 clocks there were put forward: it lacks the time left out",
        ),
        (
            "Europe/Rome",
            "2026-10-19",
            "On 2026-10-25 clocks there were put back: its hours that came twice are one.",
        ),
        ("America/New_York", "2026-03-02", "On 2026-03-08 clocks there were put forward"),
        ("Europe/Rome", "2026-03-02", ""),
        ("Atlantic/Reykjavik", "2026-03-23", ""),
        ("Europe", "2026-03-23", ""),
        ("no such place", "2026-03-23", ""),
        ("../etc", "2026-03-23", ""),
        (None, "2026-03-23", ""),
    ],
)
def test_days_on_which_clocks_were_moved_are_said(
    tmp_path: Path, timezone: str | None, week: str, words: str
) -> None:
    certificate = certificate_of(tmp_path, parameters__product="visits")
    certificate |= {"rows": {"kind": "records", "timezone": timezone}, "weeks": [week]}
    said = said_of(certificate)
    assert ("clocks there were put" in said) is bool(words)
    assert words in said
