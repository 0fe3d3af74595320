"""A release with Gaussian noise as files: certificate, verification, and its cost in the ledger before any noise."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv as pa_csv
import pytest

from privlab.checks import DataError
from privlab.dp.gaussian import GaussianParameters
from privlab.od.releases import release_noise
from privlab.od.releases.release_plan import SecureReleaseParameters, release_plan_from_parameters
from privlab.od.releases.secure_release import secure_release_from_settled_trips
from privlab.od.settled.settled_trips import SettledCells
from privlab.releases.ledger.ledger import Ledger
from privlab.releases.reading.released_counts import released_counts_from_folder
from privlab.releases.reading.verification import verification_from_certificate
from privlab.releases.writing.secure_files import write_release

WEEKS = ("2026-03-02", "2026-03-09")
N_PEOPLE = 500


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.sqlite")


def one_release(folder: Path, ledger: Ledger, n_people: int = N_PEOPLE, **said: Any) -> dict[str, Any]:
    """500 people, or as many as are named, go 11→12 in the first week."""
    trips = SettledCells(
        zones=np.array([11, 12]),
        weeks=WEEKS,
        week_starts=np.array([0, n_people, n_people]),
        user=np.arange(n_people, dtype=np.int32),
        flow=np.ones(n_people, dtype=np.int64),
    )
    chosen = {"noise": "gaussian", "clip": "l2", "delta": 1e-6} | said
    parameters = SecureReleaseParameters(epsilon=0.5, max_trips_per_user=4, threshold=0, **chosen)
    plan = release_plan_from_parameters(
        parameters, weeks=WEEKS, zones_spec="area.geojson", public_zones=[11, 12, 13]
    )
    _, certificate = write_release(
        folder,
        ledger,
        digest="0123456789abcdef0123456789abcdef",
        plan=plan,
        release=lambda: secure_release_from_settled_trips(trips, plan),
    )
    return certificate


@pytest.mark.parametrize("clip", ["keep", "l2"])
def test_a_fresh_release_verifies_and_reads_back(tmp_path: Path, ledger: Ledger, clip: str) -> None:
    said = one_release(tmp_path / "out", ledger, clip=clip)
    found = verification_from_certificate(tmp_path / "out/certificate.json", ledger=ledger)
    assert {check.what for check in found.checks if not check.holds} == set()
    assert said["mechanism"]["noise"] == "discrete Gaussian"
    assert "integer" not in said["what"]
    released = released_counts_from_folder(tmp_path / "out")
    assert released.count.size == 2 * 6
    assert (released.plan.parameters.clip, released.plan.parameters.delta) == (clip, 1e-6)


def test_a_release_with_a_total_verifies_and_what_was_changed_in_it_is_found_out(
    tmp_path: Path, ledger: Ledger
) -> None:
    one_release(
        tmp_path / "out", ledger, n_people=500_000, total_share=0.1
    )  # the noise is nothing beside them
    path = tmp_path / "out/certificate.json"
    assert {check.what for check in verification_from_certificate(path).checks if not check.holds} == set()
    said = json.loads(path.read_text())
    assert set(said["totals"]) == set(WEEKS)
    assert list(said["estimates"]["columns"])[-1] == "unbiased_count"
    faults = {
        "totals are the sums of the counts": lambda one: one["totals"][WEEKS[0]].update(counted=7),
        "estimates follow from the counts": lambda one: one["totals"][WEEKS[0]].update(trips=10**9),
        "noise is the one that the parameters ask for": lambda one: one["mechanism"].update(
            total_units_per_trip=1
        ),
        "noise is wide enough": lambda one: one["parameters"].update(total_share=0.5),
    }
    for what, change in faults.items():
        changed = json.loads(json.dumps(said))
        change(changed)
        path.write_text(json.dumps(changed))
        failed = {check.what for check in verification_from_certificate(path).checks if not check.holds}
        assert what in failed, (what, failed)
    for change in (
        lambda one: one.pop("totals"),
        lambda one: one["totals"].pop(WEEKS[1]),
        lambda one: one.update(weeks=7),
    ):
        changed = json.loads(json.dumps(said))
        change(changed)
        path.write_text(json.dumps(changed))
        with pytest.raises(DataError, match="not a whole certificate"):
            verification_from_certificate(path)


def test_each_week_gets_back_what_its_own_total_says_by_hand(
    tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the first week everyone has one trip, in the second all six, of which a limit of four takes a part: √(4/6) is left.

    Noise is made to be nothing, so that both ratios are known.
    """
    monkeypatch.setattr(release_noise, "noisy_counts_from_counts", lambda true, law: true)
    n_people = 2_000
    parameters = SecureReleaseParameters(
        epsilon=2, max_trips_per_user=4, threshold=0, noise="gaussian", clip="l2", delta=1e-6, total_share=0.1
    )
    trips = SettledCells(
        zones=np.array([11, 12, 13]),
        weeks=WEEKS,
        week_starts=np.array([0, n_people, 7 * n_people]),
        user=np.append(np.arange(n_people), np.repeat(np.arange(n_people), 6)).astype(np.int32),
        flow=np.append(np.ones(n_people, dtype=np.int64), np.tile([1, 2, 3, 5, 6, 7], n_people)),
    )
    plan = release_plan_from_parameters(
        parameters, weeks=WEEKS, zones_spec="area.geojson", public_zones=[11, 12, 13]
    )
    _, said = write_release(
        tmp_path / "out",
        ledger,
        digest="0123456789abcdef0123456789abcdef",
        plan=plan,
        release=lambda: secure_release_from_settled_trips(trips, plan),
    )
    ratio = {week: max(one["trips"] / one["counted"], 1.0) for week, one in said["totals"].items()}
    assert ratio[WEEKS[0]] == pytest.approx(1, abs=1e-3)
    assert ratio[WEEKS[1]] == pytest.approx((6 / 4) ** 0.5, abs=1e-3)
    rows = pa_csv.read_csv(tmp_path / "out/estimates.csv").to_pylist()
    assert len(rows) == 2 * 6
    for row in rows:
        expected = row["noisy_count"] * ratio[str(row["week"])]
        assert row["unbiased_count"] == pytest.approx(expected, abs=0.0051)


@pytest.mark.parametrize("noise", ["integer", "gaussian"])
def test_equal_noisy_counts_from_different_true_data_give_equal_estimates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, noise: str
) -> None:
    """The noise is made such that 500 people and 20 people are published as the same counts."""
    published = np.array([480, -7, 0, 31, 2, 12])
    monkeypatch.setattr(
        release_noise,
        "noisy_counts_from_counts",
        lambda true, law: published * (1024 if noise == "gaussian" else 1),
    )
    said = {"noise": noise} if noise == "gaussian" else {"noise": noise, "clip": "keep", "delta": 0.0}
    files = []
    for n_people in (N_PEOPLE, 20):
        folder = tmp_path / str(n_people)
        certificate = one_release(folder, Ledger(tmp_path / f"{n_people}.sqlite"), n_people=n_people, **said)
        assert verification_from_certificate(folder / "certificate.json").holds
        files.append(((folder / "estimates.csv").read_bytes(), certificate["estimates"]))
    assert files[0] == files[1]
    assert files[0][0].count(b"\n") == 1 + 2 * 6


def test_the_ledger_has_epsilon_and_delta_of_all_weeks_before_noise_is_drawn(
    tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, draw = [], release_noise.noisy_counts_from_counts

    def drawing(*given: Any) -> Any:
        seen.append([(one.epsilon, one.delta, one.state) for one in ledger.accounts()[0].entries])
        return draw(*given)

    monkeypatch.setattr(release_noise, "noisy_counts_from_counts", drawing)
    one_release(tmp_path / "out", ledger)
    assert seen == [[(1.0, 2e-6, "unconfirmed")]] * 2


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("mechanism", "scale", 9000.0),
        ("mechanism", "proven_rho", 1e-9),
        ("mechanism", "clip", "keep"),
        ("parameters", "clip", "keep"),
        ("parameters", "delta", 1e-9),
        ("parameters", "epsilon", 0.1),
        ("guarantee", "statement", "Nobody can learn anything."),
    ],
)
def test_a_certificate_that_says_more_than_was_done_is_found_out(
    tmp_path: Path, ledger: Ledger, part: str, name: str, value: object
) -> None:
    one_release(tmp_path / "out", ledger)
    path = tmp_path / "out/certificate.json"
    said = json.loads(path.read_text())
    said[part][name] = value
    path.write_text(json.dumps(said))
    failed = {check.what for check in verification_from_certificate(path).checks if not check.holds}
    assert failed & {
        "noise is the one that the parameters ask for",
        "guarantee follows from the parameters",
    }


@pytest.mark.parametrize(
    ("share", "is_found_out"), [(None, False), (0.99999, True), (1 - 5e-10, True), (1.00001, True)]
)
def test_an_earlier_release_with_the_least_deviation_itself_verifies_and_one_with_another_does_not(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    ledger: Ledger,
    share: float | None,
    is_found_out: bool,
) -> None:
    """Earlier releases drew with all 53 bits of σ; `share` stands for noise of another width, said as it was drawn."""
    with monkeypatch.context() as earlier:
        sigma = property(lambda promise: promise.sigma * (share or 1))
        earlier.setattr(GaussianParameters, "drawn_sigma", sigma)
        said = one_release(tmp_path / "out", ledger)
    promise = SecureReleaseParameters(**said["parameters"]).guarantee_parameters(1)
    assert isinstance(promise, GaussianParameters)
    assert said["mechanism"]["scale"] == promise.sigma * (share or 1) != promise.drawn_sigma
    found = verification_from_certificate(tmp_path / "out/certificate.json", ledger=ledger)
    failed = {check.what for check in found.checks if not check.holds}
    assert ("noise is wide enough" in failed) == is_found_out
    assert bool(failed) == is_found_out


def test_integer_noise_is_written_as_before(tmp_path: Path, ledger: Ledger) -> None:
    """Certificates and entries of integer noise have no new part: earlier versions read them."""
    said = one_release(tmp_path / "out", ledger, noise="integer", clip="keep", delta=0.0)
    assert said["format"] == 3
    assert set(said["parameters"]) == {"epsilon", "max_trips_per_user", "threshold", "cells"}
    assert set(said["mechanism"]) == {"noise", "scale", "proven_epsilon", "library"}
    entry = ledger.accounts()[0].entries[0]
    assert set(json.loads(entry.what)["parameters"]) == set(said["parameters"])
