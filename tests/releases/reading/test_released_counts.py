"""What is read of a release: the counts that stand in its files, and nothing of one that was changed or that says more than it may."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv as pa_csv
import pytest

from privlab.checks import DataError
from privlab.od.levels.levels import Level
from privlab.od.releases.release_plan import SecureReleaseParameters, release_plan_from_parameters
from privlab.od.releases.secure_release import secure_release_from_settled_trips
from privlab.od.settled.settled_trips import SettledCells
from privlab.releases.ledger.ledger import Ledger
from privlab.releases.reading.released_counts import released_counts_from_folder
from privlab.releases.reading.verification import verification_from_certificate
from privlab.releases.writing.secure_files import write_release
from tests.releases.reading.test_verification import signed_anew

WEEKS = ("2026-03-02", "2026-03-09")
N_PEOPLE = 50_000  # the noise on a total is nothing beside them
Change = Callable[[dict[str, Any]], Any]


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.sqlite")


@pytest.fixture
def folder(tmp_path: Path, ledger: Ledger) -> Path:
    """Of two weeks with a total and sums of districts: everyone has one trip in the first and six in the second, by a limit of four."""
    trips = SettledCells(
        zones=np.array([11, 12, 13]),
        weeks=WEEKS,
        week_starts=np.array([0, N_PEOPLE, 7 * N_PEOPLE]),
        user=np.append(np.arange(N_PEOPLE), np.repeat(np.arange(N_PEOPLE), 6)).astype(np.int32),
        flow=np.append(np.ones(N_PEOPLE, dtype=np.int64), np.tile([1, 2, 3, 5, 6, 7], N_PEOPLE)),
    )
    plan = release_plan_from_parameters(
        SecureReleaseParameters(
            epsilon=2, max_trips_per_user=4, threshold=5, noise="gaussian", clip="l2", delta=1e-6, total_share=0.1,
            levels=1,
        ),
        weeks=WEEKS,
        zones_spec="area.geojson",
        public_zones=[11, 12, 13],
        levels=(Level(name="district", of=("a", "a", "b")),),
    )  # fmt: skip
    write_release(
        tmp_path / "out",
        ledger,
        digest="0123456789abcdef0123456789abcdef",
        plan=plan,
        release=lambda: secure_release_from_settled_trips(trips, plan),
    )
    return tmp_path / "out"


def failures(folder: Path) -> set[str]:
    checks = verification_from_certificate(folder / "certificate.json").checks
    return {check.what for check in checks if not check.holds}


def test_what_is_read_of_a_release_is_what_stands_in_its_files(folder: Path) -> None:
    """In the second week the limit takes a fifth of each count, which the total gives back to every kind of count."""
    found, said = released_counts_from_folder(folder), pa_csv.read_csv(folder / "estimates.csv").to_pydict()
    assert found.ratio[WEEKS[1]] > 1.15
    assert found.week.tolist() == list(map(str, said["week"]))
    assert found.count.tolist() == said["noisy_count"]
    for column, counts in (("agreed_count", found.agreed), ("smoothed_count", found.smoothed)):
        assert counts is not None
        np.testing.assert_allclose(counts, said[column], atol=0.051, err_msg=column)


def test_nothing_is_read_of_a_release_that_was_changed_iv(folder: Path) -> None:
    path = folder / "release.csv"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    with pytest.raises(DataError, match=r"is not what its certificate says\. `privlab verify` shows which"):
        released_counts_from_folder(folder)


OTHER_SUMS: dict[str, Change] = {
    "sums of the model are of the weeks stated": lambda one: one["model"]["weeks"].update(
        {"2026-03-16": one["model"]["weeks"].pop(WEEKS[1])}
    ),
    "sums of the model agree": lambda one: one["totals"][WEEKS[1]].update(counted=9_000),
}


def test_sums_of_other_weeks_or_beside_another_sum_of_all_counts_do_not_pass(
    folder: Path, ledger: Ledger
) -> None:
    """With a threshold the counts that are published do not tell: the two sums that the certificate states must."""
    path = folder / "certificate.json"
    assert failures(folder) == set()
    sound = path.read_bytes()
    for failure, change in OTHER_SUMS.items():
        path.write_bytes(sound)
        signed_anew(path, ledger, change)
        assert failure in failures(folder)


OF_NO_RELEASE: tuple[Change, ...] = (
    lambda one: one.update(rows={"kind": "trips", "timezone": None, "in_metres": False}),
    lambda one: one.update(rows={"kind": "people", "timezone": None}),
    lambda one: one.update(rows={"kind": "trips", "timezone": None, "cleaning": {"first_day": "all of it"}}),
    lambda one: one.update(accepted={"risk": "There is none."}),
    lambda one: one.update(accepted={}),
    lambda one: one.update(publisher={"name": "Us"}),
)


def test_a_part_that_no_release_states_makes_no_certificate_iv(folder: Path, ledger: Ledger) -> None:
    path = folder / "certificate.json"
    sound = path.read_bytes()
    for change in OF_NO_RELEASE:
        path.write_bytes(sound)
        signed_anew(path, ledger, change)
        with pytest.raises(DataError, match="is not a whole certificate"):
            verification_from_certificate(path)
