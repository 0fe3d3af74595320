"""A certificate of which a part alone fits on the disk is none, and a place that is claimed stays on record."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from privlab.checks import DataError
from privlab.releases.folders import release_folders
from privlab.releases.folders.release_folders import ReleaseFolder, clear_left_overs
from privlab.releases.ledger.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    made = Ledger(tmp_path / "ledger" / "ledger.sqlite")
    made.set_budget("a", epsilon=1, delta=0)
    return made


@contextmanager
def room_for(n_bytes: int) -> Iterator[None]:
    """Let no file grow beyond so many bytes: the system writes what fits, and says how much."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_certificate_that_was_cut_off_makes_no_release_iv(ledger: Ledger, tmp_path: Path) -> None:
    out = tmp_path / "out"

    def begun() -> None:
        with ReleaseFolder(out, ledger) as place:
            place.show_counts()
            with room_for(100):
                place.write_certificate(b"x" * 1_000)

    with pytest.raises(DataError, match=r"^Could not write to .*: No space left on device"):
        begun()
    assert not out.exists()
    assert ledger.work() == []


def test_a_start_between_the_note_and_the_claim_forgets_no_place(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It finds a note of a place that nobody holds yet, and takes it away: once the place is held it is noted again."""
    claimed = release_folders._claimed

    def after_another_start(hidden: Path, given: Path) -> int | None:
        clear_left_overs(ledger)
        assert ledger.work() == []
        return claimed(hidden, given)

    monkeypatch.setattr(release_folders, "_claimed", after_another_start)
    with ReleaseFolder(tmp_path / "out", ledger) as place:
        assert [folder for folder, _ in ledger.work()] == [place.target]
    assert ledger.work() == []


def test_an_entry_whose_failure_is_noted_already_stops_no_later_start(ledger: Ledger, tmp_path: Path) -> None:
    """The process died between the note of what failed and the end of its work: what it said first stays."""
    out = tmp_path / "out"
    ledger.begin_work(out)
    entry = ledger.reserve_budget("a", epsilon=0.5, delta=0, what="", folder=out)
    ledger.record_failure(entry.number, "OSError: the disk is full")
    clear_left_overs(ledger)
    assert ledger.work() == []
    (noted,) = ledger.account("a").entries
    assert (noted.state, noted.failure) == ("failed", "OSError: the disk is full")
