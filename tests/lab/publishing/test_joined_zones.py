"""A release over the file's own ids joined to squares: what it counts by hand, that no row moves a zone, and its audit."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from privlab.checks import DataError
from privlab.datasets.cleaning.cleaning_choices import Cleaning
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.zone_files.geography import Geography
from privlab.lab.attacking.rehearse import _usable_zones
from privlab.lab.judging.refusals import Accepted
from privlab.lab.publishing.publish import publish_release
from privlab.lab.publishing.release_data import ReleaseData, settled_zoning, trips_of_release
from privlab.lab.publishing.settled_plan import release_plan_from_release_data
from privlab.od.releases import SecureReleaseParameters
from privlab.releases.ledger.ledger import Ledger
from privlab.releases.reading.verification import verification_from_certificate

WEEK = "2026-03-02"
ASKED = SecureReleaseParameters(epsilon=1.0, max_trips_per_user=10, threshold=5)
# Rows of 11,130 m are about 0.1 degrees high: A and B lie in zone 0, C in zone 1, D outside the box.
ZONES = "grid:11130:0,0,0.19,0.09"
STATIONS = Geography(
    zones=["A", "B", "C", "D"],
    centres={"A": (0.02, 0.05), "B": (0.08, 0.05), "C": (0.15, 0.05), "D": (0.5, 0.5)},
)


def data(folder: Path, ids: str = "text", geography: Geography = STATIONS, extra: str = "") -> ReleaseData:
    """Forty people go A to C, and ten of them B to C too: one unique trip each, in one flow. Ten go A to B, which is no trip here."""
    path = folder / "rides.csv"
    rows = [f"u{n},2026-03-03 08:00,A,C" for n in range(40)] + [
        f"u{n},2026-03-04 08:00,B,C" for n in range(10)
    ]
    rows += [f"v{n},2026-03-03 08:00,A,B" for n in range(10)] + [
        f"w{n},2026-03-03 08:00,A,D" for n in range(10)
    ]
    path.write_text("\n".join(["user,time,origin,destination", *rows]) + f"\n{extra}")
    mapping = ColumnMapping(user_id="user", timestamp="time", origin="origin", destination="destination")
    return ReleaseData(
        path=path,
        form=FileForm(mapping=mapping, delimiter=",", ids=ids),
        zones=ZONES,
        geography=geography,
        lookup=None,
        timezone=None,
        cleaning=Cleaning(),
    )


@pytest.mark.parametrize("extra", ["", "x,2026-03-03 08:00,A,Z9\n", "x,2026-03-03 08:00,7,7\n"])
def test_a_release_counts_people_between_squares_against_hand_whatever_one_row_says(
    tmp_path: Path, extra: str
) -> None:
    release = data(tmp_path, extra=extra)
    plan = release_plan_from_release_data(ASKED, release, weeks=[WEEK])
    assert plan.zones == (0, 1)
    trips = trips_of_release(release, plan)
    assert len(trips.user) == 40
    assert trips.zones.tolist() == [0, 1]
    assert np.unique(trips.week_of(WEEK)[1]).tolist() == [1]  # from zone 0 to zone 1: 0 times 2 and 1


def test_it_is_published_and_its_certificate_names_the_squares(tmp_path: Path) -> None:
    release, book = data(tmp_path), Ledger(tmp_path / "ledger.sqlite")
    plan = release_plan_from_release_data(ASKED, release, weeks=[WEEK])
    publish_release(tmp_path / "out", book, data=release, plan=plan, accepted=Accepted(made_up="a test"))
    assert len(book.accounts()) == 1
    assert (tmp_path / "out" / "zones.csv").read_text().startswith("zone,lat,lon,outline_wkt\n0,0.0")


@pytest.mark.parametrize(
    ("box", "n_zones", "joined", "words"),
    [
        ("0,0,0.19,0.09", 2, (3, 2), "There is one at least in every zone."),
        ("-0.19,0,0.19,0.09", 4, (3, 2), "They lie in 2 of the zones: in all others nobody could be counted"),
        (
            "-0.19,0,0.09,0.09",
            3,
            (2, 1),
            "They lie in one of the zones: in all others nobody could be counted",
        ),
    ],
)
def test_receivers_are_told_that_places_were_joined_and_not_where_they_lie(
    tmp_path: Path, box: str, n_zones: int, joined: tuple[int, int], words: str
) -> None:
    """Held by hand: A and B lie in one row of squares, C in the row north of it, D in none, and further rows hold nobody."""
    release = replace(data(tmp_path), zones=f"grid:11130:{box}")
    plan = release_plan_from_release_data(ASKED, release, weeks=[WEEK])
    assert plan.zones is not None
    assert len(plan.zones) == n_zones
    folder, book = tmp_path / "out", Ledger(tmp_path / "ledger.sqlite")
    publish_release(folder, book, data=release, plan=plan, accepted=Accepted(made_up="a test"))
    certificate = json.loads((folder / "certificate.json").read_text())
    assert certificate["zones"]["joined"] == dict(zip(("n_ids", "n_zones"), joined, strict=True))
    assert verification_from_certificate(folder / "certificate.json").holds
    said = " ".join((folder / "README.txt").read_text().split())
    assert f"There are {n_zones} zones. People were counted" in said
    assert words in said


def test_ids_said_to_be_numbers_are_refused_where_stations_have_letters_iv(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'A', which is no whole number\. Read ids as text\."):
        release_plan_from_release_data(ASKED, data(tmp_path, ids="number"), weeks=[WEEK])


def test_people_whom_an_audit_adds_are_at_a_station_of_their_square(tmp_path: Path) -> None:
    """Of zone 0 there are two stations, of zone 1 one: rows name stations, not squares."""
    release = data(tmp_path)
    plan = release_plan_from_release_data(ASKED, release, weeks=[WEEK])
    zones = _usable_zones(trips_of_release(release, plan), plan.zones, settled_zoning(release), release)
    assert zones.ids.tolist() == [0, 1]
    assert zones.places[0][0] in ("A", "B")
    assert zones.places[1][0] == "C"
