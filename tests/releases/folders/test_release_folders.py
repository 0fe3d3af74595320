"""Making a release: what can be foreseen costs nothing, what fails is cleared, and what a kill left goes at the next start."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from privlab.checks import DataError
from privlab.od.releases.release_plan import (
    ReleasePlan,
    SecureReleaseParameters,
    release_plan_from_parameters,
)
from privlab.od.releases.secure_release import SecureRelease, secure_release_from_settled_trips
from privlab.od.settled.settled_trips import SettledCells
from privlab.releases.folders.release_folders import ReleaseFolder, clear_left_overs
from privlab.releases.ledger.ledger import BudgetExceeded, Ledger
from privlab.releases.ledger.ledger_places import FOLDER_VARIABLE, Place
from privlab.releases.writing import secure_files
from privlab.releases.writing.secure_files import write_release
from tests.releases.postgres_cluster import named

ROOT = Path(__file__).parents[3]
DIGEST = "0123456789abcdef0123456789abcdef"
WHOLE = {"README.txt", "release.csv", "release.parquet", "estimates.csv", "certificate.json"}
TRIPS = SettledCells(
    zones=np.array([1, 2]),
    weeks=("2026-03-02",),
    week_starts=np.array([0, 1]),
    user=np.zeros(1, np.int32),
    flow=np.array([1]),
)


def plan(n_zones: int = 2) -> ReleasePlan:
    return release_plan_from_parameters(
        SecureReleaseParameters(epsilon=0.5, max_trips_per_user=1, threshold=0),
        weeks=["2026-03-02"],
        zones_spec="box",
        public_zones=list(range(1, n_zones + 1)),
    )


def drawn() -> SecureRelease:
    return secure_release_from_settled_trips(TRIPS, plan())


def released(folder: Path, ledger: Ledger, release: Callable[[], SecureRelease] = drawn) -> None:
    write_release(folder, ledger, digest=DIGEST, plan=plan(), release=release)


@pytest.fixture
def ledger(ledger_place: Place) -> Ledger:
    return Ledger(ledger_place)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


def failing() -> SecureRelease:
    raise AssertionError("noise was drawn for what could be foreseen to fail")


@pytest.mark.parametrize(
    ("out", "sentence"),
    [
        ("file", "is not an empty folder"),
        ("full", "is not an empty folder"),
        ("link to file", "is not an empty folder"),
        ("file/below", "Not a directory"),
        ("loop", "Could not write to"),
        ("loop/below", "Could not write to"),
        ("x" * 256, "File name too long"),
        ("y/" * 2040 + "out", "File name too long"),
        (os.fsdecode(b"not \xff utf-8"), "it must be UTF-8 text"),
        (".", "is where the command was started"),
        ("/", "Choose another"),
        ("/proc/self", "Choose another"),
        ("/proc/none", "Could not write to"),
        ("mounted", "Could not write to"),
    ],
)
def test_what_can_be_foreseen_to_fail_costs_nothing_and_leaves_nothing(
    out: str, sentence: str, ledger: Ledger, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    (place / "file").write_text("")
    (place / "full").mkdir()
    (place / "full" / "mine").write_text("")
    (place / "mounted").mkdir()
    (place / "loop").symlink_to(place / "loop")
    (place / "link to file").symlink_to(place / "file")
    before = sorted(place.rglob("*"))
    if out == "mounted":  # what the system says when a mount point is to be replaced
        remove, replace = Path.rmdir, os.replace
        busy = OSError(16, "Device or resource busy")

        def rmdir(path: Path) -> None:
            if path.name == "mounted":
                raise busy
            remove(path)

        def put(one: Path, other: Path) -> None:
            if Path(other).name == "mounted":
                raise busy
            replace(one, other)

        monkeypatch.setattr(Path, "rmdir", rmdir)
        monkeypatch.setattr(os, "replace", put)
    with pytest.raises(DataError, match=sentence) as error:
        released(Path(out), ledger, failing)
    assert "\n" not in str(error.value)
    assert ledger.account(DIGEST).entries == ()
    assert sorted(place.rglob("*")) == before
    assert ledger.work() == [] or not clear_left_overs(ledger)
    assert ledger.work() == []


def test_links_are_followed(ledger: Ledger, place: Path) -> None:
    (place / "real").mkdir()
    (place / "link").symlink_to(place / "real")
    (place / "dangling").symlink_to(place / "deep" / "new")
    for name in ("link", "dangling"):
        released(place / name, ledger)
        assert (place / name).is_symlink()
    for folder in (place / "real", place / "deep" / "new"):
        assert {path.name for path in folder.iterdir()} == WHOLE
    assert {path.name for path in place.iterdir()} == {"real", "link", "dangling", "deep"}


def test_a_budget_that_does_not_suffice_leaves_nothing(ledger: Ledger, place: Path) -> None:
    ledger.set_budget(DIGEST, epsilon=0.4, delta=0)
    with pytest.raises(BudgetExceeded):
        released(place / "deep" / "out", ledger, failing)
    assert list(place.iterdir()) == []
    assert ledger.work() == []


def test_noise_is_drawn_after_the_ledger_has_the_cost(ledger: Ledger, place: Path) -> None:
    seen = []

    def drawing() -> SecureRelease:
        (entry,) = Ledger(ledger.place).account(DIGEST).entries
        seen.append((entry.epsilon, entry.state))
        assert not (place / "out").exists()
        return drawn()

    released(place / "out", ledger, drawing)
    assert seen == [(0.5, "unconfirmed")]
    assert ledger.account(DIGEST).entries[0].state == "confirmed"


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, MemoryError, ValueError("odd"), OSError(28, "No space left")]
)
@pytest.mark.parametrize(
    "at", ["release", "_write_counts", "signed_certificate", "show_counts", "write_certificate"]
)
@pytest.mark.parametrize("was_there", [False, True])
def test_whatever_fails_is_cleared_and_the_entry_says_what_happened(
    error: BaseException | type[BaseException],
    at: str,
    was_there: bool,
    ledger: Ledger,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*args: object, **named: object) -> SecureRelease:
        raise error

    if was_there:
        (place / "out").mkdir()
    if at in ("show_counts", "write_certificate"):
        monkeypatch.setattr(ReleaseFolder, at, fails)
    elif at != "release":
        monkeypatch.setattr(secure_files, at, fails)
    kind = error if isinstance(error, type) else type(error)
    expected = DataError if kind is OSError else kind
    with pytest.raises(expected) as raised:
        released(place / "out", ledger, fails if at == "release" else drawn)
    if kind is OSError:
        assert str(raised.value) == (
            f"Could not write to {place / 'out'}: No space left. Its cost stays in the ledger, entry 1."
        )
    assert list(place.rglob("*")) == ([place / "out"] if was_there else [])
    (entry,) = ledger.account(DIGEST).entries
    assert (entry.epsilon, entry.state) == (0.5, "failed")
    assert entry.failure is not None
    assert entry.failure.startswith(kind.__name__)
    assert ledger.work() == []
    monkeypatch.undo()
    released(place / "out", ledger)  # the place is free again


def test_a_release_that_cannot_be_confirmed_is_made_all_the_same(
    ledger: Ledger, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object) -> None:
        raise DataError("The ledger could not be written.")

    monkeypatch.setattr(Ledger, "record_certificate", full)
    ledger.told = (said := []).append
    released(place / "out", ledger)
    assert {path.name for path in (place / "out").iterdir()} == WHOLE
    assert "entry 1 stays unconfirmed" in said[-1]
    assert ledger.account(DIGEST).entries[0].state == "unconfirmed"


def test_of_two_releases_into_one_folder_the_loser_pays_nothing(ledger: Ledger, place: Path) -> None:
    other = Ledger(ledger.path.with_name("other.sqlite"))
    errors = []

    def meanwhile() -> SecureRelease:
        for book in (ledger, other):
            with pytest.raises(DataError, match="Another release is being made into") as error:
                released(place / "out", book, failing)
            errors.append(str(error.value))
        assert clear_left_overs(ledger) == []  # the one that is being made is left alone
        return drawn()

    released(place / "out", ledger, meanwhile)
    assert len(errors) == 2
    assert {path.name for path in (place / "out").iterdir()} == WHOLE
    assert len(ledger.account(DIGEST).entries) == 1
    assert other.account(DIGEST).entries == ()
    assert list(place.iterdir()) == [place / "out"]
    assert ledger.work() == []


FULL = """
import resource, sys
from pathlib import Path
from privlab.checks import DataError
from privlab.od.releases.secure_release import (secure_release_from_settled_trips)
from privlab.releases.ledger.ledger import Ledger
from privlab.releases.ledger.ledger_places import ledger_place_from_text
from tests.releases.folders.test_release_folders import DIGEST, TRIPS, plan, write_release
ledger, place, wide = Ledger(ledger_place_from_text(sys.argv[1])), Path(sys.argv[2]), plan(400)
def release():
    made = secure_release_from_settled_trips(TRIPS, wide)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))  # room for the ledger, not for 159,600 cells
    return made
try:
    write_release(place / "out", ledger, digest=DIGEST, plan=wide, release=release)
except DataError as error:
    print(error)
"""


def test_a_full_disk_leaves_no_folder_and_says_what_happened(
    ledger: Ledger, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(ledger.path.parent))
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FULL, named(ledger.place), str(place)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith(f"Could not write to {place / 'out'}: ")
    assert ended.stdout.endswith("Its cost stays in the ledger, entry 1.\n")
    assert list(place.iterdir()) == []
    (entry,) = ledger.account(DIGEST).entries
    assert entry.state == "failed"


def test_the_certificate_is_never_overwritten(ledger: Ledger, place: Path) -> None:
    released(place / "out", ledger)
    before = (place / "out" / "certificate.json").read_bytes()
    with pytest.raises(DataError, match="a release is never overwritten"):
        released(place / "out", ledger, failing)
    assert (place / "out" / "certificate.json").read_bytes() == before
    assert json.loads(before)["signature"]["public_key"] == ledger.keys().public_key


def test_folders_of_one_s_own_are_never_cleared(ledger: Ledger, place: Path) -> None:
    (place / "mine").mkdir()
    (place / "mine" / "release.csv").write_text("mine")
    ledger.begin_work(place / "mine")  # named, but nothing was ever paid for it
    paid = place / "paid"
    paid.mkdir()
    (paid / "notes.txt").write_text("mine")
    ledger.reserve_budget(DIGEST, epsilon=1, delta=0, what="", folder=paid)
    assert clear_left_overs(ledger) == []
    assert (place / "mine" / "release.csv").read_text() == "mine"
    assert (paid / "notes.txt").read_text() == "mine"
    assert ledger.work() == []
