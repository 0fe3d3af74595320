"""What stands beside a release for whoever receives it: its words against the files, its zones against geometry."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest

from privlab.releases.ledger.ledger import Ledger
from privlab.releases.reading.verification import verification_from_certificate
from privlab.releases.writing.readme_files import readme_from_certificate, zones_csv_from_certificate
from privlab.releases.writing.secure_files import archive_from_release_folder
from tests.releases.writing.test_secure_files import one_release

BOX = "59.28,17.93,59.39,18.17"


def words_of(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def certificate_of(tmp_path: Path, **changes: Any) -> dict[str, Any]:
    certificate = one_release(tmp_path / "out", Ledger(tmp_path / "ledger.sqlite"))
    for path, value in changes.items():
        part, name = path.split("__")
        certificate[part][name] = value
    return certificate


def test_every_file_and_column_of_a_release_is_explained_in_it(tmp_path: Path) -> None:
    certificate = certificate_of(tmp_path)
    folder = tmp_path / "out"
    readme = (folder / "README.txt").read_text("utf-8")
    for path in folder.iterdir():
        assert path.name == "README.txt" or f"- {path.name}: " in readme
        if path.suffix == ".csv":
            header = path.read_text("utf-8").splitlines()[0].replace('"', "").split(",")
            assert len(header) > 3
            assert [name for name in header if f"- {name}: " not in readme] == []
    assert max(map(len, readme.splitlines())) <= 100
    # By hand, of the release of test_secure_files: at most 2 trips, counts below 50 left out, the interval of its certificate.
    said = words_of(readme)
    width = certificate["utility"]["noise_half_width_95"]
    assert f"by at most {width:,} in 95 of 100 flows" in said
    assert "its count with noise was below 50, and was left out" in said
    assert "At most 2 different trips of a person and week are counted, drawn at random" in said
    assert words_of(certificate["guarantee"]["statement"]) in said
    assert "The zones are those of area.geojson; ask the publisher for them. There are 3 zones." in said
    assert not (folder / "zones.csv").exists()


@pytest.mark.parametrize("clip", ["keep", "l2"])
def test_it_says_visits_where_visits_are_counted(tmp_path: Path, clip: str) -> None:
    certificate = certificate_of(tmp_path, parameters__clip=clip, parameters__product="visits")
    limit = (
        words_of(readme_from_certificate(certificate, with_zones=False))
        .partition("HOW TO USE")[2]
        .partition("WHAT IS")[0]
    )
    assert "2 different visits" in limit
    assert "where people with many visits are" in limit
    assert "trip" not in limit
    assert "travel" not in limit


def test_a_release_is_whole_and_true_without_it(tmp_path: Path) -> None:
    certificate_of(tmp_path)
    folder = tmp_path / "out"
    assert b"README.txt" in archive_from_release_folder(folder)
    (folder / "README.txt").unlink()
    assert b"README.txt" not in archive_from_release_folder(folder)
    assert verification_from_certificate(folder / "certificate.json").holds


@pytest.mark.parametrize(("spec", "n"), [(f"grid:4000:{BOX}", 20), (f"box:{BOX}:3x4", 12)])
def test_zones_cover_their_box_and_hold_their_middles_against_geometry(
    tmp_path: Path, spec: str, n: int
) -> None:
    certificate = certificate_of(tmp_path, zones__spec=spec, zones__public=list(range(n)))
    rows = list(csv.DictReader(io.StringIO(zones_csv_from_certificate(certificate) or "")))
    assert [int(row["zone"]) for row in rows] == list(range(n))
    area = 0.0
    for row in rows:
        corners = [
            tuple(map(float, one.split())) for one in re.findall(r"[-\d.]+ [-\d.]+", row["outline_wkt"])
        ]
        west, east = min(x for x, _ in corners), max(x for x, _ in corners)
        south, north = min(y for _, y in corners), max(y for _, y in corners)
        assert west < float(row["lon"]) < east
        assert south < float(row["lat"]) < north
        area += (east - west) * (north - south)
    assert area == pytest.approx((59.39 - 59.28) * (18.17 - 17.93), rel=1e-4)
    assert "zones.csv says where each lies" in words_of(readme_from_certificate(certificate, with_zones=True))


@pytest.mark.parametrize(
    ("spec", "public"),
    [("column", [1, 2]), (f"grid:4000:{BOX}", [1, 2]), (f"grid:4000:{BOX}", None), ("a.geojson", ["a"])],
)
def test_zones_that_the_certificate_does_not_say_are_not_made_up(
    tmp_path: Path, spec: str, public: list[Any] | None
) -> None:
    assert (
        zones_csv_from_certificate(certificate_of(tmp_path, zones__spec=spec, zones__public=public)) is None
    )


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (
            {"clip": "l2"},
            "each of them counts for less than one, so that counts are too low where people who",
        ),
        ({"clip": "l2", "total_share": 0.03}, "take that column for flows and for sums"),
        ({"product": "visits"}, "At most 2 different visits of a person and week"),
    ],
)
def test_what_a_limit_takes_is_said_by_how_it_takes_it(
    tmp_path: Path, parameters: dict[str, Any], words: str
) -> None:
    certificate = certificate_of(tmp_path)
    certificate["parameters"] |= parameters
    assert words in words_of(readme_from_certificate(certificate, with_zones=False))


@pytest.mark.parametrize(
    ("joined", "words"),
    [
        (
            {"n_ids": 5, "n_zones": 2},
            "at 5 places that the publisher has a list of (stations or antennas, for",
        ),
        ({"n_ids": 5, "n_zones": 2}, "They lie in 2 of the zones: in all others nobody could be counted"),
        ({"n_ids": 5, "n_zones": 1}, "They lie in one of the zones: in all others nobody could be counted"),
        ({"n_ids": 5, "n_zones": 3}, "There is one at least in every zone."),
        (
            {"n_ids": 1, "n_zones": 1},
            "at one place that the publisher has a list of (a station or an antenna, for",
        ),
        ({"n_ids": 1, "n_zones": 1}, "in the zone that it lies in: in all others nobody could be counted"),
    ],
)
def test_stations_that_were_joined_to_zones_are_said_by_their_number(
    tmp_path: Path, joined: dict[str, int], words: str
) -> None:
    """Of three zones, as the certificate of `one_release` has them."""
    certificate = certificate_of(tmp_path, zones__joined=joined)
    assert words in words_of(readme_from_certificate(certificate, with_zones=False))


def test_false_flows_are_said_as_those_of_an_empty_week_and_not_as_expected(tmp_path: Path) -> None:
    certificate = certificate_of(tmp_path, utility__made_up_cells_expected_at_most=4795.1)
    said = words_of(readme_from_certificate(certificate, with_zones=False))
    assert "Did nobody move at all, noise alone would show about 4,795 flows" in said
    assert "mostly far fewer. How likely each is real stands in estimates.csv, chance_of_flow." in said
