"""A release as files: what the certificate says, what it must not say, and what the verifier catches."""

import hmac
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privlab.checks import DataError
from privlab.od.releases import release_noise
from privlab.od.releases.release_plan import SecureReleaseParameters, release_plan_from_parameters
from privlab.od.releases.secure_release import secure_release_from_settled_trips
from privlab.od.settled.settled_trips import SettledCells
from privlab.releases.ledger.ledger import BudgetExceeded, Ledger
from privlab.releases.reading.verification import verification_from_certificate
from privlab.releases.writing.certificate import certificate_from_release
from privlab.releases.writing.secure_files import sha256_of, write_release

WEEK = "2026-03-02"
DIGEST = "0123456789abcdef0123456789abcdef"
N_PEOPLE = 7919


def one_release(
    folder: Path, ledger: Ledger, *, cells: str = "public", threshold: int = 50
) -> dict[str, Any]:
    """7,919 people go 11→12, one of them 12→11 as well."""
    user = np.append(np.arange(N_PEOPLE), 5)
    trips = SettledCells(
        zones=np.array([11, 12]),
        weeks=(WEEK,),
        week_starts=np.array([0, user.size]),
        user=user.astype(np.int32),
        flow=np.append(np.ones(N_PEOPLE, dtype=np.int64), 2),
    )
    parameters = SecureReleaseParameters(epsilon=0.05, max_trips_per_user=2, threshold=threshold, cells=cells)
    public = [11, 12, 13] if cells == "public" else None
    plan = release_plan_from_parameters(
        parameters, weeks=[WEEK], zones_spec="/home/steward/area.geojson", public_zones=public
    )
    _, certificate = write_release(
        folder,
        ledger,
        digest=DIGEST,
        plan=plan,
        release=lambda: secure_release_from_settled_trips(trips, plan),
    )
    return certificate


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.sqlite")


def numbers_in(value: Any) -> set[float]:
    if isinstance(value, dict):
        return set().union(*(numbers_in(inner) for inner in value.values()), set())
    if isinstance(value, list):
        return set().union(*(numbers_in(inner) for inner in value), set())
    return {value} if isinstance(value, int | float) and not isinstance(value, bool) else set()


@pytest.mark.parametrize("cells", ["public", "discovered"])
def test_the_certificate_holds_nothing_of_the_true_data(
    tmp_path: Path, ledger: Ledger, cells: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Noise that adds up to 0 for no cells: drawn noise gives a count or a sum by chance that is true."""
    monkeypatch.setattr(
        release_noise, "noisy_counts_from_counts", lambda true, law: true + 100 + 7 * np.arange(true.size)
    )
    one_release(tmp_path / "out", ledger, cells=cells)
    text = (tmp_path / "out" / "certificate.json").read_text("utf-8")
    certificate = json.loads(text)
    # People, trips, unique trips: none of them stands there as a number, nor written out anywhere else.
    published = {certificate["utility"]["published_total"]}
    for true in (N_PEOPLE, 8161, N_PEOPLE + 1):
        assert true not in numbers_in(certificate) - published
    # The bare digest would confirm a guess of the whole data; the keys stay beside the ledger.
    assert DIGEST not in text
    for secret in (ledger.keys().naming.hex(), ledger.keys().signing.hex(), ledger.account(DIGEST).name):
        assert secret not in text
    for word in ("seed", "user_id", "n_users", "true", "steward", str(tmp_path)):
        assert word not in text
    assert set(certificate) == {
        "what", "format", "made", "data", "weeks", "zones", "parameters", "mechanism", "guarantee", "utility",
        "files", "versions", "signature", "estimates", *(["model"] if cells == "public" else []),
    }  # fmt: skip
    if cells == "discovered":
        assert certificate["zones"]["public"] is None


def test_ledger_and_certificate_belong_together(tmp_path: Path, ledger: Ledger) -> None:
    certificate = one_release(tmp_path / "out", ledger)
    entry = ledger.account(DIGEST).entries[0]
    assert entry.certificate == sha256_of(tmp_path / "out" / "certificate.json")
    content = f"release|{certificate['data']['salt']}|{DIGEST}".encode()
    assert certificate["data"]["keyed_digest"] == hmac.digest(ledger.keys().naming, content, "sha256").hex()
    assert entry.keyed_digest == certificate["data"]["keyed_digest"]
    assert (entry.epsilon, entry.delta) == (0.05, 0.0)
    again = one_release(tmp_path / "again", ledger)
    assert again["data"] != certificate["data"]
    assert ledger.account(DIGEST).epsilon == pytest.approx(0.1)


def test_whole_numbers_in_both_files(tmp_path: Path, ledger: Ledger) -> None:
    one_release(tmp_path / "out", ledger, threshold=0)
    table = pq.read_table(tmp_path / "out" / "release.parquet")
    assert table.schema.field("count").type == pa.int64()
    assert table.num_rows == 6  # every ordered pair of three public zones
    lines = (tmp_path / "out" / "release.csv").read_text().splitlines()
    assert lines[0].replace('"', "") == "week,origin,destination,count"
    assert all(line.rpartition(",")[2].lstrip("-").isdigit() for line in lines[1:])


@pytest.mark.parametrize(
    ("threshold", "made_up"), [(0, 12.0), (1, 12 * 0.3775406687981), (5, 12 * 0.0510945733451)]
)
def test_what_a_certificate_says_of_its_counts_by_hand(threshold: int, made_up: float) -> None:
    """ε = 1 and L = 2: noise k has the chance r^|k| (1 − r) / (1 + r), r = exp(−1/2), and at least k ≥ 1 that of r^k / (1 + r).

    Six cells in two weeks, all empty for what anyone knows; without a threshold all are published. Counts below 0 are summed, too.
    """
    plan = release_plan_from_parameters(
        SecureReleaseParameters(epsilon=1, max_trips_per_user=2, threshold=threshold),
        weeks=[WEEK, "2026-03-09"],
        zones_spec="box",
        public_zones=[11, 12, 13],
    )
    said = certificate_from_release(
        plan,
        np.array([7, -3, 12]),
        noise=release_noise.release_noise_from_parameters(plan.parameters).record,
        data={},
        files={},
        made="",
        versions={},
    )["utility"]
    assert said.pop("made_up_cells_expected_at_most") == pytest.approx(made_up, rel=1e-8)
    # P(|noise| > 6) = 2 r^7 / (1 + r) = 3.8% and P(|noise| > 5) = 6.2%.
    assert said == {"published_cells": 3, "published_total": 16, "noise_half_width_95": 6}


@pytest.mark.parametrize("cells", ["public", "discovered"])
@pytest.mark.parametrize("threshold", [0, 50])
def test_a_fresh_release_verifies(tmp_path: Path, ledger: Ledger, cells: str, threshold: int) -> None:
    one_release(tmp_path / "out", ledger, cells=cells, threshold=threshold or int(cells == "discovered"))
    checks = verification_from_certificate(tmp_path / "out" / "certificate.json").checks
    assert all(check.holds for check in checks), checks
    assert len(checks) > 10


def changed(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text("utf-8"))
    change(certificate)
    path.write_text(json.dumps(certificate), "utf-8")


def rewritten(folder: Path, rows: dict[str, list[Any]]) -> None:
    """Replace the counts and certify the files anew: only their content can give it away."""
    table = pa.table(rows)
    days = table["week"].cast(pa.date32())
    table = table.set_column(0, "week", days)
    pq.write_table(table, folder / "release.parquet")
    text = "\n".join(",".join(map(str, row.values())) for row in table.to_pylist())
    (folder / "release.csv").write_text("week,origin,destination,count\n" + text + "\n")
    files = {name: sha256_of(folder / name) for name in ("release.csv", "release.parquet")}
    changed(folder, lambda certificate: certificate.update(files=files))


def failures(folder: Path) -> set[str]:
    return {
        check.what
        for check in verification_from_certificate(folder / "certificate.json").checks
        if not check.holds
    }


def test_the_verifier_catches_a_certificate_that_says_too_much(tmp_path: Path, ledger: Ledger) -> None:
    one_release(tmp_path / "out", ledger)
    changed(tmp_path / "out", lambda one: one["parameters"].update(epsilon=0.04))
    assert {
        "guarantee follows from the parameters",
        "noise is the one that the parameters ask for",
        "signature is that of the key it names",
        "noise is wide enough",
        "proven ε is at most ε",
    } <= failures(tmp_path / "out")
    changed(tmp_path / "out", lambda one: one["parameters"].update(epsilon=0.05, cells="discovered"))
    assert "zones are stated" in failures(tmp_path / "out")


@pytest.mark.parametrize(
    ("rows", "failure"),
    [
        ({"origin": [11], "destination": [12], "count": [7900.5]}, "counts are whole numbers"),
        ({"origin": [11], "destination": [12], "count": [49]}, "counts reach the threshold"),
        ({"origin": [11], "destination": [77], "count": [60]}, "zones are those stated"),
        ({"origin": [11], "destination": [11], "count": [60]}, "origin and destination differ"),
        ({"origin": [11, 11], "destination": [12, 12], "count": [60, 61]}, "no cell stands twice"),
        (
            {"origin": [11], "destination": [12], "count": [60], "week": ["2026-03-09"]},
            "weeks are those stated",
        ),
    ],
)
def test_the_verifier_catches_wrong_counts(
    tmp_path: Path, ledger: Ledger, rows: dict[str, list[Any]], failure: str
) -> None:
    one_release(tmp_path / "out", ledger)
    week = rows.get("week") or [WEEK] * len(rows["count"])
    rewritten(
        tmp_path / "out", {"week": week} | {name: rows[name] for name in ("origin", "destination", "count")}
    )
    assert failure in failures(tmp_path / "out")


def test_of_a_release_without_a_threshold_every_cell_must_be_there(tmp_path: Path, ledger: Ledger) -> None:
    """Who leaves out a cell says of it that it is small: of three zones there are six pairs, and no fewer pass."""
    one_release(tmp_path / "out", ledger, threshold=0)
    pairs = [(one, other) for one in (11, 12, 13) for other in (11, 12, 13) if one != other]
    for n_left in (6, 5):
        origin, destination = (list(end) for end in zip(*pairs[:n_left], strict=True))
        rows = {"origin": origin, "destination": destination, "count": [60] * n_left}
        rewritten(tmp_path / "out", {"week": [WEEK] * n_left, **rows})
        assert ("every cell is published" in failures(tmp_path / "out")) == (n_left < 6)


def test_the_verifier_catches_a_changed_file(tmp_path: Path, ledger: Ledger) -> None:
    one_release(tmp_path / "out", ledger)
    path = tmp_path / "out" / "release.csv"
    path.write_text(path.read_text() + f"{WEEK},12,11,90\n")
    assert {"files are those certified", "CSV and Parquet say the same"} <= failures(tmp_path / "out")


def test_ids_that_a_spreadsheet_would_run_are_quoted_in_the_csv_only(tmp_path: Path, ledger: Ledger) -> None:
    trips = SettledCells(
        zones=np.array(["=cmd()", "b, c"], dtype=object),
        weeks=(WEEK,),
        week_starts=np.array([0, 40]),
        user=np.arange(40, dtype=np.int32),
        flow=np.ones(40, dtype=np.int64),
    )
    plan = release_plan_from_parameters(
        SecureReleaseParameters(epsilon=20, max_trips_per_user=1, threshold=9, cells="discovered"),
        weeks=[WEEK],
        zones_spec="column",
        public_zones=None,
    )
    folder = tmp_path / "out"
    write_release(
        folder,
        ledger,
        digest=DIGEST,
        plan=plan,
        release=lambda: secure_release_from_settled_trips(trips, plan),
    )
    assert pq.read_table(folder / "release.parquet")["origin"].to_pylist() == ["=cmd()"]
    assert '"\'=cmd()"' in (folder / "release.csv").read_text()
    assert failures(folder) == set()


def test_nothing_is_drawn_past_the_budget_or_into_a_full_folder_iv(tmp_path: Path, ledger: Ledger) -> None:
    ledger.set_budget(DIGEST, epsilon=0.06, delta=0)
    one_release(tmp_path / "out", ledger)
    with pytest.raises(BudgetExceeded, match=r"epsilon must be at most 0\.01"):
        one_release(tmp_path / "more", ledger)
    assert not (tmp_path / "more").exists()
    with pytest.raises(DataError, match="is not an empty folder"):
        one_release(tmp_path / "out", ledger)
    assert len(ledger.account(DIGEST).entries) == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"what": "else"}'])
def test_what_is_no_certificate_iv(tmp_path: Path, text: str) -> None:
    path = tmp_path / "certificate.json"
    with pytest.raises(DataError, match="Could not read"):
        verification_from_certificate(path)
    path.write_text(text)
    with pytest.raises(DataError, match="is not a certificate"):
        verification_from_certificate(path)
