"""What stands beside a release for whoever receives it: its words against the files, its zones against geometry."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privlab.releases.ledger.ledger import Ledger
from privlab.releases.reading.verification import verification_from_certificate
from privlab.releases.writing.readme_files import readme_from_certificate
from privlab.releases.writing.secure_files import archive_from_release_folder
from privlab.releases.writing.zones_file import zones_csv_from_certificate
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
            "each of them counts for less than one, so that counts are too low, most of all where people who",
        ),
        ({"clip": "l2", "total_share": 0.03}, "take that column for flows and for sums"),
        (
            {"clip": "l2", "total_share": 0.03},
            "counts stay too low all the same, and elsewhere they come out too high",
        ),
        ({"clip": "l2"}, "in a week, each counts for less than one: counts are too low."),
        ({}, "Of each person at most 2 different trips a week are counted: counts are too low."),
        ({}, "by how much, no file tells; it can be far more than the noise"),
        ({"product": "visits"}, "At most 2 different visits of a person and week"),
    ],
)
def test_what_a_limit_takes_is_said_by_how_it_takes_it(
    tmp_path: Path, parameters: dict[str, Any], words: str
) -> None:
    certificate = certificate_of(tmp_path)
    certificate["parameters"] |= parameters
    if "total_share" in parameters:
        certificate["parameters"] |= {"noise": "gaussian", "delta": 1e-6}
        certificate["mechanism"]["total_units_per_trip"] = 4
        certificate["totals"] = {week: {"trips": 3, "counted": 2} for week in certificate["weeks"]}
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
    published = certificate["utility"]["published_cells"]
    assert (
        f"Had nobody been counted at all, noise alone would show about 4,795 flows: all {published} published may be false."
        in said
    )
    assert (
        "How likely each is real stands in estimates.csv, chance_of_flow: add up 1 minus that chance" in said
    )
    certificate["utility"]["made_up_cells_expected_at_most"] = 0.04
    said = words_of(readme_from_certificate(certificate, with_zones=False))
    assert (
        f"would show fewer than 0.1 flows: no more than that of the {published} published are expected to be"
        in said
    )


def test_one_trip_is_spoken_of_as_one(tmp_path: Path) -> None:
    certificate = certificate_of(tmp_path, parameters__max_trips_per_user=1)
    said = words_of(readme_from_certificate(certificate, with_zones=False))
    assert "At most 1 different trip of a person and week is counted, drawn at random" in said


def test_with_no_threshold_no_count_is_missing_and_those_below_0_belong_in_sums(tmp_path: Path) -> None:
    certificate = certificate_of(tmp_path, parameters__threshold=0)
    said = words_of(readme_from_certificate(certificate, with_zones=False))
    assert "Every flow that there can be has a row" in said
    assert "leave them in sums, which come out far too high without, as sums of whole_count do." in said
    said = said.partition("HOW TO USE")[2].partition("WHAT IS")[0]
    for of_a_threshold in (
        "not in the file",
        "left out",
        "Small counts are there",
        "nobody been counted at all",
    ):
        assert of_a_threshold not in said


def test_cells_found_in_the_data_are_none_of_nobody(tmp_path: Path) -> None:
    certificate = certificate_of(tmp_path, zones__public=None, utility__made_up_cells_expected_at_most=None)
    said = words_of(readme_from_certificate(certificate, with_zones=False))
    assert (
        "Of a flow that is not in the file either nobody was counted, or its count with noise was below 50"
        in said
    )
    assert "In every flow of the file somebody was counted" in said


def test_what_unbiased_counts_and_sums_of_districts_are_off_by_is_said_in_numbers_by_hand(
    tmp_path: Path,
) -> None:
    """σ = 9,600 units, 1,024 to a trip: 1.96 σ is 18.4 trips; of a total at 4 units to a trip 4,704, of a level's at 256 73.5.

    With a bound of 5 of at most 100 trips the total multiplies by √20 at most: 3,000/2,000 is 1.5, 500/100 is held there.
    """
    certificate = certificate_of(tmp_path, utility__noise_half_width_95=19)
    certificate["parameters"] |= {
        "noise": "gaussian",
        "clip": "l2",
        "delta": 1e-6,
        "total_share": 0.03,
        "levels": 1,
    }
    certificate["parameters"]["max_trips_per_user"] = 5
    certificate["mechanism"] = {"scale": 9600.0, "total_units_per_trip": 4, "level_units_per_trip": [256]}
    certificate["totals"] = {
        "2026-03-02": {"trips": 3000, "counted": 2000},
        "2026-03-09": {"trips": 500, "counted": 100},
    }
    certificate["rows"] = {"kind": "trips", "timezone": None}
    certificate["levels"] = {"divisions": [{"name": "borough", "of": ["N", "N", "S"], "sums": {}}]}
    said = words_of(readme_from_certificate(certificate, with_zones=True))
    assert "nor into two counts that are less than about 27 apart" in said  # √2 · 19 = 26.9
    # Half a trip of rounding a sum of weights is in the intervals of the estimates, and in no noise.
    assert (
        "by at most 19 in 95 of 100 flows, up or down (the intervals in estimates.csv reach one further"
        in said
    )
    assert "drawn anew" not in said  # each trip weighs less, and none is drawn
    assert (
        "in the week of 2026-03-02 by 1.5000, so that its noise is ±29, and the total is 3,000 trips" in said
    )
    assert "in the week of 2026-03-09 by 4.4721, so that its noise is ±85, and the total is 500 trips" in said
    assert "by at most 4,704 trips in 95 of 100 weeks" in said  # 1.95996 · 2400 = 4703.9
    assert (
        "it moves noisy_count by at most ±74 for borough, in 95 of 100, and agreed_count by no more than that, times the number by which "
        "unbiased counts are multiplied" in said
    )  # 1.95996 · 37.5 = 73.5
    assert (
        "take agreed_count there, rather than a sum over rows, but noisy_count in the weeks of 2026-03-02, 2026-03-09, where the total gives "
        "back no more than noise may." in said
    )
    assert (
        "and it is 1,000 in the week of 2026-03-02, 400 in the week of 2026-03-09. There take the published counts"
        in said
    )
    # Of the sum of six counts noise has √6 · 9.379 = 22.97 trips, and of the difference √(2400² + 22.97²) · 1.95996 = 4704.1.
    assert "that moves it by up to 4,705 trips" in said
    certificate["totals"]["2026-03-02"]["trips"] = 6705  # 4,705 more than were counted
    said = words_of(readme_from_certificate(certificate, with_zones=True))
    assert "and it is 4,705 in the week of 2026-03-02, 400" in said
    certificate["totals"]["2026-03-02"]["trips"] = 6706
    said = words_of(readme_from_certificate(certificate, with_zones=True))
    assert "and it is 400 in the week of 2026-03-09." in said
    assert "but noisy_count in the week of 2026-03-09, where" in said
    certificate["totals"]["2026-03-09"]["trips"] = 9000
    assert "Not so where what is given back" not in words_of(
        readme_from_certificate(certificate, with_zones=True)
    )
    assert "rather than a sum over rows." in words_of(readme_from_certificate(certificate, with_zones=True))
    assert "take agreed_count, which has this back too" in said
    for column in ("week", "level", "origin", "destination", "noisy_count", "cells_count", "agreed_count"):
        assert f"- {column}: " in said.partition("COLUMNS OF levels.csv")[2]
    assert zones_csv_from_certificate(certificate).splitlines()[1:] == [
        f"{zone},{district}" for zone, district in zip(certificate["zones"]["public"], "NNS", strict=True)
    ]
    assert "zones.csv says in which district each lies" in said
    assert "- borough: district that it lies in, as levels.csv names it" in said


def test_two_counts_are_held_apart_by_the_noise_and_by_the_draw_of_what_counts(tmp_path: Path) -> None:
    """±7 by the noise. The draw: 1.96 · √100 = 19.6, √1,000 · 1.96 = 62.0, 196; apart √2 · √(7² + 20²) = 29.97, √2 · √(7² + 62²), …"""
    certificate = certificate_of(tmp_path, utility__noise_half_width_95=7)
    said = words_of(readme_from_certificate(certificate, with_zones=False))
    assert "one of 100 by ±20, one of 1,000 by ±62, one of 10,000 by ±196 at the most" in said
    assert (
        "less than so far apart: 30 where they are near 100, 89 where they are near 1,000, 278 where they are near 10,000."
        in said
    )


@pytest.mark.parametrize("near", [100, 1_000])
def test_two_draws_are_as_near_as_the_readme_says(tmp_path: Path, near: int) -> None:
    """20 × `near` people go each of 20 ways, of which one is drawn: 300 weeks alike in all but the draw, and with no noise."""
    certificate = certificate_of(tmp_path, utility__noise_half_width_95=0)
    readme = words_of(readme_from_certificate(certificate, with_zones=False))
    told = re.search(rf"([\d,]+) where they are near {near:,}[,.]", readme)
    said = int(told[1].replace(",", "")) if told else 0
    drawn = np.random.default_rng(5).integers(0, 20, (300, 20 * near))
    counts = np.stack([np.bincount(week, minlength=20) for week in drawn])
    apart = np.abs(counts[::2] - counts[1::2])
    assert (apart <= said).mean() > 0.95
    assert (apart <= said / 2).mean() < 0.8  # nor is it far more than it need be


def test_ids_that_are_text_are_said_to_be(tmp_path: Path) -> None:
    words = "origin: zone in which the trip begins; ids are text: a program that takes them for numbers loses zeros in front"
    for public, is_said in ((["01001", "01002"], True), ([1, 2], False)):
        certificate = certificate_of(tmp_path / str(is_said), zones__public=public)
        assert (words in words_of(readme_from_certificate(certificate, with_zones=False))) is is_said


def test_positions_that_the_certificate_says_stand_in_a_file(tmp_path: Path) -> None:
    certificate = certificate_of(tmp_path, zones__public=[7, 9], zones__spec="column")
    certificate["model"] = {"lat": [59.3, 59.4], "lon": [17.9, 18.0], "weeks": {}}
    assert (
        zones_csv_from_certificate(certificate) is None
    )  # nor did it stand beside one of an earlier version
    certificate["rows"] = {"kind": "trips", "timezone": None}
    assert (zones_csv_from_certificate(certificate) or "").splitlines() == [
        "zone,lat,lon",
        "7,59.300000,17.900000",
        "9,59.400000,18.000000",
    ]
    said = words_of(readme_from_certificate(certificate, with_zones=True))
    assert "zones.csv says where the middle of each lies" in said
    assert "ask" not in said.partition("THE FILES")[0]
    assert "outline" not in said


@pytest.mark.parametrize(
    ("product", "rows", "words"),
    [
        (
            "flows",
            ("records", None),
            "who is in another zone in the next hour has made a trip, dated by that second hour",
        ),
        ("flows", ("trips", None), "Each is dated by its end, or by its start where the data says no other."),
        ("visits", ("trips", None), "of each, its person was at both ends in the hour that it is dated by"),
        ("visits", ("records", None), "Days and hours are by the clock that the times were written by"),
        ("visits", ("records", None), "that they have a record in, and in no zone in an hour without one"),
        ("flows", ("trips", "America/New_York"), "Days and hours are by the clock of America/New_York"),
    ],
)
def test_what_is_counted_and_by_whose_clock_is_said(
    tmp_path: Path, product: str, rows: tuple[str, str | None], words: str
) -> None:
    certificate = certificate_of(tmp_path, parameters__product=product)
    assert "clock" not in readme_from_certificate(
        certificate, with_zones=False
    )  # of an earlier version nothing is known
    certificate["rows"] = dict(zip(("kind", "timezone"), rows, strict=True))
    said = words_of(readme_from_certificate(certificate, with_zones=False))
    assert words in said
    assert "A week begins on Monday at 0:00." in said


@pytest.mark.parametrize(("published", "digits"), [(120, 4), (1_784_860, 7)])
def test_the_factor_of_unbiased_counts_gives_the_sum_of_all_of_them_back_within_half_a_trip(
    tmp_path: Path, published: int, digits: int
) -> None:
    """2,282,202 trips of 1,818,677 that were counted: 1.254869336 times."""
    certificate = certificate_of(tmp_path, utility__published_total=published)
    certificate["parameters"] |= {"noise": "gaussian", "clip": "l2", "delta": 1e-6, "total_share": 0.03}
    certificate["mechanism"] = {"scale": 9600.0, "total_units_per_trip": 4}
    certificate["totals"] = {"2026-03-02": {"trips": 2_282_202, "counted": 1_818_677}}
    said = words_of(readme_from_certificate(certificate, with_zones=True))
    (factor,) = re.findall(r"in the week of 2026-03-02 by ([\d.]+), so that", said)
    assert len(factor.partition(".")[2]) == digits
    assert abs(float(factor) - 2_282_202 / 1_818_677) * published <= 0.5


@pytest.mark.parametrize(
    ("threshold", "first", "apart"),
    # By hand: 1.96·√160 = 24.8 and 1.96·√1,500 = 75.9; √2·√(30² + 20²) = 50.99, √2·√(30² + 25²) = 55.2, √2·√(30² + 76²) = 115.6.
    [(50, "one of 100 by ±20,", "51 where they are near 100,"), (160, "one of 160 by ±25,", "56 where they are near 160,"),
     (1500, "one of 1,500 by ±76,", "116 where they are near 1,500,")],
)  # fmt: skip
def test_counts_that_are_taken_as_examples_can_be_in_the_file_by_hand(
    tmp_path: Path, threshold: int, first: str, apart: str
) -> None:
    certificate = certificate_of(tmp_path, parameters__threshold=threshold, utility__noise_half_width_95=30)
    said = words_of(readme_from_certificate(certificate, with_zones=False))
    assert f"that moves a count too: {first}" in said
    assert f"less than so far apart: {apart}" in said
    assert "one of 10,000 by ±196 at the most" in said
    assert "reach one further" not in said  # trips are counted whole
