"""Files of releases stay beside the ledger: whole, for their owner only, after the cost, and to be had again."""

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from privlab.checks import DataError
from privlab.lab.ledgers import health_of_machine
from privlab.od.releases.secure_release import SecureRelease
from privlab.releases.folders import kept_releases
from privlab.releases.folders.kept_releases import (
    clear_partial_copies,
    export_release,
    kept_release,
    releases_not_on_record,
)
from privlab.releases.ledger.ledger import Ledger
from privlab.releases.ledger.ledger_places import FOLDER_VARIABLE, Place
from privlab.releases.reading.verification import verification_from_certificate
from tests.command_line import Answer, Run
from tests.releases.folders.test_release_folders import DIGEST, WHOLE, drawn, released
from tests.releases.postgres_cluster import named


@pytest.fixture
def ledger(ledger_place: Place) -> Ledger:
    return Ledger(ledger_place)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_release_can_be_had_again_and_nothing_is_charged(
    ledger: Ledger, tmp_path: Path, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(ledger.path.parent))
    released(tmp_path / "out", ledger)
    before = content(tmp_path / "out")
    kept = ledger.path.parent / "releases" / "1"
    assert content(kept) == before
    assert set(before) == WHOLE
    for path in kept.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path_in_out = tmp_path / "out" / path.name
        path_in_out.unlink()
    for folder in (kept, kept.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    answer("ledger", "export", 1, "--out", tmp_path / "again", "--ledger", named(ledger.place), "--json")
    assert content(tmp_path / "again") == before
    assert verification_from_certificate(tmp_path / "again" / "certificate.json", ledger=ledger).holds
    assert ledger.account(DIGEST).epsilon == 0.5


def test_nothing_is_kept_before_the_cost_is_written_down_nor_of_what_failed(
    ledger: Ledger, tmp_path: Path
) -> None:
    place = ledger.path.parent / "releases"

    def fails() -> SecureRelease:
        assert [entry.state for entry in ledger.account(DIGEST).entries] == ["unconfirmed"]
        assert not place.exists()
        raise ValueError("odd")

    with pytest.raises(ValueError, match="odd"):
        released(tmp_path / "out", ledger, fails)
    assert not place.exists()
    with pytest.raises(DataError, match="No files of entry 1 are kept"):
        export_release(ledger, 1, tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_a_copy_that_fails_leaves_the_release_and_nothing_half(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left")

    said: list[str] = []
    ledger.told = said.append
    monkeypatch.setattr(kept_releases, "_write", full)
    released(tmp_path / "out", ledger)
    assert set(content(tmp_path / "out")) == WHOLE
    assert said[-1].endswith("its files could not be kept beside the ledger: No space left.")
    assert list((ledger.path.parent / "releases").iterdir()) == []
    assert ledger.account(DIGEST).entries[0].state == "confirmed"


def test_left_overs_of_dead_processes_go_and_those_of_living_ones_stay(
    ledger: Ledger, tmp_path: Path
) -> None:
    released(tmp_path / "out", ledger)
    place = ledger.path.parent / "releases"
    dead, alive = place / ".2.999999999.partial", place / ".3.1.partial"
    for folder in (dead, alive):
        folder.mkdir()
        (folder / "release.csv").write_text("half")
    clear_partial_copies(ledger)
    assert {path.name for path in place.iterdir()} == {"1", alive.name}


def test_another_ledger_beside_it_takes_no_other_s_files(ledger: Ledger, tmp_path: Path) -> None:
    other = Ledger(ledger.path.with_name("other.sqlite"))
    released(tmp_path / "one", ledger)
    released(tmp_path / "two", other)
    for book, folder in ((ledger, "one"), (other, "two")):
        (entry,) = book.account(DIGEST).entries
        kept = kept_release(book, entry)
        assert kept is not None
        assert content(kept) == content(tmp_path / folder)


def test_a_ledger_put_back_from_before_a_release_is_found_out_by_the_files_beside_it(
    tmp_path: Path, cli: Run
) -> None:
    """Its chain holds, as far as it goes, and 0.5 is missing of what was spent; another ledger's files beside it say nothing of it."""
    ledger = Ledger(tmp_path / "ledger.sqlite")
    released(tmp_path / "one", ledger)
    released(tmp_path / "others", Ledger(tmp_path / "other.sqlite"))
    before = ledger.path.read_bytes()
    assert ledger.account(DIGEST).epsilon == 0.5
    released(tmp_path / "two", ledger)
    assert ledger.account(DIGEST).epsilon == 1.0
    assert releases_not_on_record(ledger) == ()
    assert cli("ledger", "check", "--ledger", ledger.path)[0] == 0
    for beside in ("-wal", "-shm"):
        ledger.path.with_name(f"{ledger.path.name}{beside}").unlink(missing_ok=True)
    ledger.path.write_bytes(before)
    assert ledger.account(DIGEST).epsilon == 0.5
    assert ledger.check().holds
    (sentence,) = releases_not_on_record(ledger)
    assert sentence.startswith(
        f"{tmp_path / 'releases' / '2'} holds a release of this ledger that is not on record: it costs ε = 0.5,"
    )
    code, said, _ = cli("ledger", "check", "--ledger", ledger.path, "--json")
    assert (code, json.loads(said)["not_on_record"]) == (1, [sentence])
    assert sentence in health_of_machine(ledger.path).problems
    # The next release takes the number, not the place of the files that are not on record.
    released(tmp_path / "three", ledger)
    assert releases_not_on_record(ledger) == (sentence,)


def test_files_that_were_changed_are_not_handed_out(ledger: Ledger, tmp_path: Path) -> None:
    released(tmp_path / "out", ledger)
    path = ledger.path.parent / "releases" / "1" / "certificate.json"
    said = json.loads(path.read_text())
    said["parameters"]["epsilon"] = 0.1
    path.write_text(json.dumps(said))
    assert kept_release(ledger, ledger.account(DIGEST).entries[0]) is None


def test_a_damaged_certificate_is_no_release_and_no_fault(ledger: Ledger, tmp_path: Path) -> None:
    released(tmp_path / "out", ledger)
    entry = replace(
        ledger.account(DIGEST).entries[0], certificate=None
    )  # as of a release that was interrupted
    path = ledger.path.parent / "releases" / "1" / "certificate.json"
    path.write_text(path.read_text()[:-20])
    assert kept_release(ledger, entry) is None


@pytest.mark.parametrize("name", ["release.csv", "release.parquet", "estimates.csv"])
def test_counts_that_were_changed_are_not_handed_out(ledger: Ledger, tmp_path: Path, name: str) -> None:
    released(tmp_path / "out", ledger)
    entry = ledger.account(DIGEST).entries[0]
    assert kept_release(ledger, entry) is not None
    path = ledger.path.parent / "releases" / "1" / name
    path.write_bytes(path.read_bytes() + b"\n")
    assert kept_release(ledger, entry) is None
    with pytest.raises(DataError, match="No files of entry 1 are kept"):
        export_release(ledger, 1, tmp_path / "again")


def test_what_cannot_be_exported_iv(ledger: Ledger, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no entry 7"):
        export_release(ledger, 7, tmp_path / "again")
    released(tmp_path / "out", ledger, drawn)
    with pytest.raises(DataError, match="is not an empty folder"):
        export_release(ledger, 1, tmp_path / "out")
