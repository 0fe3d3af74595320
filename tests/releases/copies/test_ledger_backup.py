"""A ledger put back from a backup is the ledger that was backed up, in a file and in PostgreSQL, each from each; what is broken is refused."""

import errno
import shutil
import sqlite3
import zipfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from privlab.checks import DataError
from privlab.releases.copies import ledger_backup
from privlab.releases.copies.ledger_backup import back_up_ledger, restore_ledger
from privlab.releases.folders.kept_releases import kept_release
from privlab.releases.ledger.ledger import Ledger
from privlab.releases.ledger.ledger_keys import key_path_of
from privlab.releases.ledger.ledger_places import LedgerServer, Place
from privlab.releases.ledger.ledger_rows import LedgerRows, TableRows
from privlab.releases.reading.verification import verification_from_certificate
from tests.command_line import Run
from tests.releases.folders.test_release_folders import DIGEST, released


@pytest.fixture
def ledger(ledger_place: Place, tmp_path: Path) -> Ledger:
    """A ledger with a budget, two releases, and a limit."""
    book = Ledger(ledger_place)
    book.set_budget(DIGEST, epsilon=5.0, delta=0.0, who="ann")
    for name in ("one", "two"):
        released(tmp_path / name, book)
    book.set_limit(2.0, who="ann")
    return book


def changed(backup: Path, name: str, content: bytes) -> Path:
    """Write a backup again with other content under one name."""
    target = backup.with_name(f"{name}-{content[:2].hex()}.zip")
    with zipfile.ZipFile(backup) as old, zipfile.ZipFile(target, "w") as new:
        for one in old.namelist():
            new.writestr(one, content if one == name else old.read(one))
    return target


def test_what_is_put_back_is_what_was_there(ledger: Ledger, tmp_path: Path) -> None:
    runs = tmp_path / "runs.sqlite"
    with closing(sqlite3.connect(runs)) as made:
        made.execute("CREATE TABLE run (key TEXT)")
        made.execute("INSERT INTO run VALUES ('kept')")
        made.commit()
    backup = tmp_path / "backup.zip"
    said = back_up_ledger(ledger, backup, runs=runs)
    assert (said.check, said.n_releases, said.has_runs) == (ledger.check(), 2, True)
    assert backup.stat().st_mode & 0o077 == 0
    back = Ledger(tmp_path / "elsewhere" / "ledger.sqlite")
    found = restore_ledger(backup, back, runs=tmp_path / "elsewhere" / "runs.sqlite")
    assert found == said
    assert back.record() == ledger.record()
    (account,) = back.accounts()
    assert account.budget_epsilon == 5.0
    assert account.epsilon == 1.0
    for entry in account.entries:
        kept = kept_release(back, entry)
        original = kept_release(ledger, entry)
        assert kept is not None
        assert original is not None
        assert "README.txt" in {file.name for file in original.iterdir()}
        assert {file.name: file.read_bytes() for file in kept.iterdir()} == {
            file.name: file.read_bytes() for file in original.iterdir()
        }
        assert verification_from_certificate(kept / "certificate.json", ledger=back).holds
    with closing(sqlite3.connect(tmp_path / "elsewhere" / "runs.sqlite")) as copy:
        assert copy.execute("SELECT key FROM run").fetchall() == [("kept",)]
    released(tmp_path / "three", back)  # and it goes on
    assert back.check().holds
    assert back.check(ledger.check().head).holds


def test_from_a_file_to_a_server_of_the_house(server: LedgerServer, tmp_path: Path) -> None:
    old = Ledger(tmp_path / "old" / "ledger.sqlite")
    released(tmp_path / "one", old)
    back_up_ledger(old, tmp_path / "backup.zip")
    new = Ledger(server)
    assert restore_ledger(tmp_path / "backup.zip", new).n_releases == 1
    assert replace(new.record(), mark="") == replace(old.record(), mark="")
    assert new.check().holds


def test_a_ledger_that_does_not_check_is_not_backed_up_iv(tmp_path: Path) -> None:
    book = Ledger(tmp_path / "ledger.sqlite")
    with pytest.raises(DataError, match=r"There is no ledger .* to back up"):
        back_up_ledger(book, tmp_path / "b.zip")
    released(tmp_path / "one", book)
    back_up_ledger(book, tmp_path / "good.zip")
    with pytest.raises(DataError, match=r"is there already\. Choose another name"):
        back_up_ledger(book, tmp_path / "good.zip")
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as raw:
        raw.execute("UPDATE entry SET epsilon = 0.01")
        raw.commit()
    with pytest.raises(DataError, match=r"is not backed up, for its chain does not check: Entry 1"):
        back_up_ledger(book, tmp_path / "b.zip")
    assert not (tmp_path / "b.zip").exists()
    assert not list(tmp_path.glob(".*.new"))


def test_what_is_broken_or_in_the_way_is_not_put_back_iv(tmp_path: Path) -> None:
    book = Ledger(tmp_path / "ledger.sqlite")
    released(tmp_path / "one", book)
    backup = tmp_path / "b.zip"
    back_up_ledger(book, backup)
    with zipfile.ZipFile(backup) as archive:
        rows = archive.read("ledger.sqlite")
    raw = tmp_path / "raw.sqlite"
    raw.write_bytes(rows)
    with closing(sqlite3.connect(raw)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("UPDATE entry SET what = 'something else'")
        connection.commit()
    other = Ledger(tmp_path / "other" / "ledger.sqlite")
    released(tmp_path / "two", other)
    free = Ledger(tmp_path / "free" / "ledger.sqlite")
    for path, place, sentence in (
        (backup, book, "There is a ledger .* already: none is ever replaced"),
        (
            changed(backup, "ledger.sqlite", raw.read_bytes()),
            free,
            "is not put back, for its chain does not check",
        ),
        (changed(backup, "ledger.sqlite.key", key_path_of(other.path).read_bytes()), free, "keys"),
        (changed(backup, "backup.json", b"{}"), free, "is no backup of a ledger that this version can read"),
        (changed(backup, "backup.json", b"[1"), free, "is no backup of a ledger, or is damaged"),
        (tmp_path / "raw.sqlite", free, "is no backup of a ledger, or is damaged"),
        (tmp_path / "missing.zip", free, "Could not read"),
    ):
        with pytest.raises(DataError, match=sentence):
            restore_ledger(path, place)
        assert place is book or not place.path.exists()
    key_path_of(free.path).parent.mkdir(exist_ok=True)
    key_path_of(free.path).write_text("{}")
    with pytest.raises(DataError, match=r"There are keys .* already"):
        restore_ledger(backup, free)


def test_after_a_restore_that_failed_the_place_is_free_and_the_next_one_goes_through(
    ledger_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = Ledger(tmp_path / "old" / "ledger.sqlite")
    released(tmp_path / "one", old)
    back_up_ledger(old, tmp_path / "backup.zip")
    new = Ledger(ledger_place)

    def fails(rows: LedgerRows, copied: object) -> None:
        raise DataError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(LedgerRows, "begin_with", fails)
        with pytest.raises(DataError, match="The disk is full"):
            restore_ledger(tmp_path / "backup.zip", new)
    assert not new.is_there
    assert not key_path_of(new.path).exists()
    assert restore_ledger(tmp_path / "backup.zip", new).n_releases == 1
    assert new.check().holds


def test_keys_that_somebody_put_there_meanwhile_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = Ledger(tmp_path / "old" / "ledger.sqlite")
    released(tmp_path / "one", old)
    back_up_ledger(old, tmp_path / "backup.zip")
    new = Ledger(tmp_path / "new" / "ledger.sqlite")
    looked = ledger_backup._require_free

    def then_another(ledger: Ledger) -> None:
        looked(ledger)
        key_path_of(new.path).parent.mkdir()
        key_path_of(new.path).write_text("another's")

    monkeypatch.setattr(ledger_backup, "_require_free", then_another)
    with pytest.raises(DataError, match=r"There are keys .* already: another has put them there meanwhile"):
        restore_ledger(tmp_path / "backup.zip", new)
    assert key_path_of(new.path).read_text() == "another's"
    assert not new.is_there


def test_a_ledger_that_somebody_entered_meanwhile_keeps_its_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = Ledger(tmp_path / "old" / "ledger.sqlite")
    released(tmp_path / "one", old)
    back_up_ledger(old, tmp_path / "backup.zip")
    new = Ledger(tmp_path / "new" / "ledger.sqlite")
    begin = Ledger.begin_with

    def second(book: Ledger, rows: TableRows) -> None:
        if book is new:
            book.set_limit(1.0)
        begin(book, rows)

    monkeypatch.setattr(Ledger, "begin_with", second)
    with pytest.raises(DataError, match="There is something in the ledger already"):
        restore_ledger(tmp_path / "backup.zip", new)
    assert new.limit() == 1.0
    assert new.check().holds


def test_what_no_backup_holds_is_left_in_it_and_runs_that_are_there_stay(tmp_path: Path) -> None:
    """A page beside a release's files, a folder that is no entry's number, and a file of another name: none is unpacked."""
    book, runs = Ledger(tmp_path / "ledger.sqlite"), tmp_path / "runs.sqlite"
    released(tmp_path / "one", book)
    with closing(sqlite3.connect(runs)) as made:
        made.execute("CREATE TABLE run (key TEXT)")
    backup = tmp_path / "b.zip"
    back_up_ledger(book, backup, runs=runs)
    with zipfile.ZipFile(backup, "a") as archive:
        for name in ("releases/1/more.html", "releases/abc/README.txt", "releases/01/README.txt", "more.txt"):
            archive.writestr(name, "somebody else's")
    back, there = Ledger(tmp_path / "elsewhere" / "ledger.sqlite"), tmp_path / "there.sqlite"
    there.write_bytes(b"runs of another day")
    with pytest.raises(DataError, match=r"The ledger is put back, but there are runs .* already"):
        restore_ledger(backup, back, runs=there)
    assert there.read_bytes() == b"runs of another day"
    assert back.record() == book.record()
    assert not [
        path for path in (tmp_path / "elsewhere").rglob("*") if path.name in ("more.html", "more.txt")
    ]
    ((entry,),) = [account.entries for account in back.accounts()]
    own = kept_release(book, entry)
    put_back = kept_release(back, entry)
    assert own is not None
    assert put_back is not None
    assert sorted(path.name for path in put_back.iterdir()) == sorted(path.name for path in own.iterdir())


def test_a_backup_counts_the_releases_that_have_their_files_and_leaves_nothing_where_it_cannot_be_written_iv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = Ledger(tmp_path / "ledger.sqlite")
    released(tmp_path / "one", book)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    ((entry,),) = [account.entries for account in book.accounts()]
    place = kept_release(book, entry)
    assert place is not None
    shutil.rmtree(place)  # a steward may take away what is kept of a release
    assert back_up_ledger(book, tmp_path / "without.zip").n_releases == 0
    out = tmp_path / "out"
    out.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(ledger_backup.os, "replace", full)
        with pytest.raises(DataError, match=r"Could not write .*b\.zip: No space left on device"):
            back_up_ledger(book, out / "b.zip")
    assert list(out.iterdir()) == []


def test_the_commands(cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVLAB_RUNS", str(tmp_path / "no-runs.sqlite"))
    book = Ledger(tmp_path / "ledger.sqlite")
    released(tmp_path / "one", book)
    code, out, err = cli("ledger", "backup", tmp_path / "b.zip", "--ledger", book.path)
    assert (code, err) == (0, "")
    assert book.check().head in out
    code, out, err = cli(
        "ledger", "restore", tmp_path / "b.zip", "--ledger", tmp_path / "new.sqlite", "--no-runs"
    )
    assert (code, err) == (0, f"A new ledger was begun: {tmp_path / 'new.sqlite'}.\n")
    assert book.check().head in out
    code, out, err = cli("ledger", "restore", tmp_path / "b.zip", "--ledger", tmp_path / "new.sqlite")
    assert (code, out, err.count("\n")) == (2, "", 1)
