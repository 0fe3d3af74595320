"""A release with sums of districts as files: written, verified, changed, and made of nothing but published numbers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv as pa_csv
import pytest

from privlab.checks import DataError
from privlab.od.levels.levels import Level
from privlab.od.releases import release_noise
from privlab.od.releases.release_plan import SecureReleaseParameters, release_plan_from_parameters
from privlab.od.releases.secure_release import secure_release_from_settled_trips
from privlab.od.settled.settled_trips import SettledCells
from privlab.releases.folders.kept_releases import export_release
from privlab.releases.ledger.ledger import Ledger
from privlab.releases.reading.verification import verification_from_certificate
from privlab.releases.writing.secure_files import archive_from_release_folder, write_release
from privlab.releases.writing.zones_file import zones_csv_from_certificate
from tests.releases.reading.test_verification import signed_anew

WEEKS = ("2026-03-02", "2026-03-09")
LEVELS = (Level(name="district", of=("=a", "=a", "b", "c")), Level(name="region", of=("n", "n", "n", "s")))


def one_release(folder: Path, ledger: Ledger, n_people: int = 500, **said: Any) -> dict[str, Any]:
    """So many people go 11→12, and as many others 11→13, in the first week."""
    trips = SettledCells(
        zones=np.array([11, 12, 13]),
        weeks=WEEKS,
        week_starts=np.array([0, 2 * n_people, 2 * n_people]),
        user=np.arange(2 * n_people, dtype=np.int32),
        flow=np.repeat([1, 2], n_people),
    )
    chosen = {"threshold": 0, "total_share": 0.1} | said
    parameters = SecureReleaseParameters(
        epsilon=0.5, max_trips_per_user=4, noise="gaussian", clip="l2", delta=1e-6, levels=2, **chosen
    )
    plan = release_plan_from_parameters(
        parameters, weeks=WEEKS, zones_spec="area.geojson", public_zones=[11, 12, 13, 14], levels=LEVELS
    )
    _, certificate = write_release(
        folder,
        ledger,
        digest="0123456789abcdef0123456789abcdef",
        plan=plan,
        release=lambda: secure_release_from_settled_trips(trips, plan),
    )
    return certificate


@pytest.mark.parametrize("said", [{}, {"total_share": 0.0}, {"threshold": 200}])
def test_a_fresh_release_verifies_and_its_sums_agree(tmp_path: Path, said: dict[str, Any]) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    one_release(tmp_path / "out", ledger, n_people=50_000, **said)
    found = verification_from_certificate(tmp_path / "out/certificate.json", ledger=ledger)
    assert {check.what for check in found.checks if not check.holds} == set()
    assert "levels follow from the certificate" in {check.what for check in found.checks}
    sums = pa_csv.read_csv(tmp_path / "out/levels.csv").to_pylist()
    assert len(sums) == 2 * (9 + 4)
    assert {one["origin"] for one in sums} == {"'=a", "b", "c", "n", "s"}  # no formula in a spreadsheet
    by = {(str(one["week"]), one["level"], one["origin"], one["destination"]): one for one in sums}
    first = by[WEEKS[0], "district", "'=a", "'=a"]
    assert first["noisy_count"] == pytest.approx(50_000, abs=3_000)
    cells = pa_csv.read_csv(tmp_path / "out/estimates.csv").to_pylist()
    if not said.get("threshold"):  # with one, cells that are left out are part of the sums
        inside = [
            one["agreed_count"]
            for one in cells
            if str(one["week"]) == WEEKS[0] and {one["origin"], one["destination"]} == {11, 12}
        ]
        assert sum(inside) == pytest.approx(first["agreed_count"], abs=0.05)
        of_region = [
            one["agreed_count"]
            for (week, level, start, end), one in by.items()
            if (week, level) == (WEEKS[0], "district") and {start, end} <= {"'=a", "b"}
        ]
        assert sum(of_region) == pytest.approx(by[WEEKS[0], "region", "n", "n"]["agreed_count"], abs=0.1)
    # A copy holds the file; one without it is whole, too.
    copy = export_release(ledger, 1, tmp_path / "copy")
    assert (copy / "levels.csv").read_bytes() == (tmp_path / "out/levels.csv").read_bytes()
    assert b"levels.csv" in archive_from_release_folder(copy)
    (copy / "levels.csv").unlink()
    assert verification_from_certificate(copy / "certificate.json").holds


def test_what_was_changed_in_it_is_found_out(tmp_path: Path) -> None:
    one_release(tmp_path / "out", Ledger(tmp_path / "ledger.sqlite"))
    path = tmp_path / "out/certificate.json"
    said = json.loads(path.read_text())
    district, region = (f"levels/divisions/{i}/sums/{WEEKS[0]}" for i in range(2))

    def at(one: dict[str, Any], place: str) -> Any:
        for part in place.split("/"):
            one = one[int(part)] if isinstance(one, list) else one[part]
        return one

    faults: dict[str, Any] = {
        "sums of cells are those of the level below": lambda one: at(one, region)["counted"].__setitem__(
            0, 1
        ),
        "sums of cells are those of the counts": lambda one: at(one, district)["counted"].__setitem__(8, 9),
        "levels follow from the certificate": lambda one: at(one, district)["noisy"].__setitem__(0, 10**6),
        "estimates follow from the counts": lambda one: at(one, region)["noisy"].__setitem__(0, 10**6),
        "noise is the one that the parameters ask for": lambda one: one["mechanism"].update(
            level_units_per_trip=[512, 256]
        ),
        "columns of the levels are explained": lambda one: one["levels"]["columns"].update(
            noisy_count="trips"
        ),
        "levels are those certified": lambda one: one["levels"].update(sha256="0" * 64),
    }
    for what, change in faults.items():
        changed = json.loads(json.dumps(said))
        change(changed)
        path.write_text(json.dumps(changed))
        failed = {check.what for check in verification_from_certificate(path).checks if not check.holds}
        assert what in failed, (what, failed)
    refused: dict[str, Any] = {
        "not a whole certificate": lambda one: one.pop("levels"),
        "impossible parameters: levels must be as many": lambda one: one["levels"]["divisions"].pop(),
        "levels must have a sum for each": lambda one: at(one, district)["noisy"].pop(),
        "levels must name a district": lambda one: at(one, "levels/divisions/0/of").pop(),
        "levels must go from small to large": lambda one: at(one, "levels/divisions")[1].update(
            of=["n", "s", "n", "s"]
        ),
    }
    for sentence, change in refused.items():
        changed = json.loads(json.dumps(said))
        change(changed)
        path.write_text(json.dumps(changed))
        with pytest.raises(DataError, match=sentence):
            verification_from_certificate(path)


def test_equal_noisy_numbers_from_different_true_data_give_equal_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Noise is made such that 500 people and 20 people are published as the same counts and sums."""
    monkeypatch.setattr(
        release_noise,
        "noisy_counts_from_counts",
        lambda true, law: np.arange(3, 3 + true.size) * 1024 * (7 if true.size == 9 else 1),
    )
    files = []
    for n_people in (500, 20):
        folder = tmp_path / str(n_people)
        certificate = one_release(folder, Ledger(tmp_path / f"{n_people}.sqlite"), n_people=n_people)
        assert verification_from_certificate(folder / "certificate.json").holds
        names = ("release.csv", "estimates.csv", "levels.csv")
        files.append(
            ([(folder / name).read_bytes() for name in names], certificate["levels"], certificate["totals"])
        )
    assert files[0] == files[1]


def test_a_certificate_in_the_words_of_before_still_holds(tmp_path: Path) -> None:
    """What the sentence said of weighted trips before its words were changed; another limit in it is found out."""
    ledger = Ledger(tmp_path / "ledger.sqlite")
    said = one_release(tmp_path / "out", ledger)["guarantee"]["statement"]
    today = (
        "up to 1,000 different trips of one person are counted; where someone has more than 4, each of them weighs less, and less still "
        "where several go between the same two districts, whose sums are counted too"
    )
    before = (
        "different trips of one person that are counted: at most 1,000, those of whoever has more than 4 with less weight each, and less "
        "again where they are between the same districts, whose sums are counted too"
    )
    assert f"private for that week ({today}). Whoever knows" in said
    path = tmp_path / "out" / "certificate.json"
    for words, holds in ((before, True), (before.replace("more than 4", "more than 5"), False)):
        earlier = said.replace(today, words)
        signed_anew(path, ledger, lambda one, words=earlier: one["guarantee"].update(statement=words))
        assert verification_from_certificate(path).holds == holds


def test_no_name_in_the_file_of_zones_is_run_by_a_spreadsheet_by_hand() -> None:
    """Ids of zones, names of districts and of their column: each that begins like a formula has a quote before it."""
    certificate = {
        "zones": {"spec": "column", "public": ["=cmd()", "@b", "c"]},
        "rows": {"kind": "trips"},
        "levels": {"divisions": [{"name": "+part", "of": ["-north", "=s()", "south"]}]},
    }
    assert (zones_csv_from_certificate(certificate) or "").splitlines() == [
        "zone,'+part",
        "'=cmd(),'-north",
        "'@b,'=s()",
        "c,south",
    ]
