"""Reports on a release read the file as the release has read it, and only while it is the same file."""

import re
from pathlib import Path

import pytest

from privlab.checks import DataError
from privlab.datasets.cleaning import Cleaning
from privlab.datasets.columns import ColumnMapping
from privlab.datasets.layouts import FileForm
from privlab.datasets.zone_files import Geography
from privlab.lab.attacking.rehearse import pipeline_audit_from_release_data
from privlab.lab.publishing.publish import release_parameters_from_wishes
from privlab.lab.publishing.release_data import (
    ReleaseData,
    settled_data_from_release_data,
    trips_of_release,
)
from privlab.lab.publishing.settled_plan import release_plan_from_release_data
from privlab.od.auditing import PipelineAuditParameters
from tests.command_line import Answer

TRIPS = "user,time,origin,destination\n"
MAPPING = ColumnMapping(user_id="user", timestamp="time", origin="origin", destination="destination")


def rows(n_people: int) -> str:
    return TRIPS + "".join(
        f"u{n},2026-03-0{2 + n % 5} {8 + n % 9:02d}:00,Z0{n % 4},Z0{(n + 1) % 4}\n" for n in range(n_people)
    )


def test_a_file_that_is_another_since_is_neither_counted_nor_audited(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(rows(60))
    data = ReleaseData(
        path=path,
        form=FileForm(mapping=MAPPING, ids="text"),
        zones="column",
        geography=Geography(zones=[f"Z0{n}" for n in range(4)]),
        lookup=None,
        timezone=None,
        cleaning=Cleaning(),
    )
    parameters = release_parameters_from_wishes(
        epsilon=1,
        max_trips_per_user=2,
        threshold=1,
        cells="public",
        noise="integer",
        unbiased=False,
        product="flows",
    )
    plan = release_plan_from_release_data(parameters, data, weeks=["2026-03-02"], levels=[])
    digest = settled_data_from_release_data(data, plan, None).digest
    assert trips_of_release(data, plan, digest).user.size == 60
    path.write_text(rows(20))
    with pytest.raises(DataError, match=r"t\.csv has changed since it was loaded"):
        trips_of_release(data, plan, digest)
    audited = PipelineAuditParameters(release=parameters, trials=200, level=0.95, seed=1)
    with pytest.raises(DataError, match=r"t\.csv has changed since it was loaded"):
        pipeline_audit_from_release_data(data, audited, week="2026-03-02", digest=digest)


@pytest.mark.parametrize("product", ["flows-by-slot", "visits"])
def test_ids_in_letters_that_are_joined_to_squares_have_a_report_by_hand(
    tmp_path: Path, answer: Answer, product: str
) -> None:
    """Squares are numbered by the lab, and the file's own ids are letters all the same."""
    path, places = tmp_path / "t.csv", tmp_path / "places.csv"
    path.write_text(rows(300))
    places.write_text("zone,lat,lon\n" + "".join(f"Z0{n},45.{n}5,7.15\n" for n in range(4)))
    zones = ("--zones", "grid:11000:45,7,45.4,7.3", "--zone-positions", places)
    out = tmp_path / "out"
    answer(
        "release", path, *zones, "--ids", "text", "--product", product, "--week", "2026-03-02", "--epsilon", 10,
        "--max-trips-per-user", 2, "--threshold", 5, "--ledger", tmp_path / "l.sqlite", "--out", out,
    )  # fmt: skip
    page = tmp_path / "report.html"
    answer("report", "--on-release", out, "--data", path, *zones, "--out", page)
    (of_data,) = re.findall(r"<h2>The data</h2>.*?</article>", page.read_text("utf-8"), re.DOTALL)
    assert "300 people" in of_data
    # A release of visits counts whoever is seen in a zone, and no trips.
    assert ("300 people were seen in " in of_data) is (product == "visits")
    assert ("unique trips" in of_data) is (product != "visits")


def test_a_release_has_no_report_with_other_data_where_its_ledger_knows_better(
    tmp_path: Path, answer: Answer
) -> None:
    path, other, out, ledger = (tmp_path / name for name in ("t.csv", "other.csv", "out", "l.sqlite"))
    path.write_text(rows(300))
    other.write_text(rows(200))
    (tmp_path / "zones.csv").write_text("zone,lat,lon\n" + "".join(f"Z0{n},45.{n},7\n" for n in range(4)))
    zones = ("--zones", "column", "--zone-positions", tmp_path / "zones.csv")
    answer(
        "release", path, *zones, "--ids", "text", "--week", "2026-03-02", "--epsilon", 10,
        "--max-trips-per-user", 2, "--threshold", 5, "--ledger", ledger, "--out", out,
    )  # fmt: skip
    about = ("report", "--on-release", out, *zones, "--out", tmp_path / "report.html")
    answer(*about, "--data", path, "--ledger", ledger)
    said = answer(*about, "--data", other, "--ledger", ledger, fails=True)
    assert "was made of other data than other.csv" in said
    answer(*about, "--data", other, "--ledger", tmp_path / "none.sqlite")  # which knows nothing
