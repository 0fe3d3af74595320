"""A ledger where nothing can be written is read, checked, exported and backed up there, and left as it is."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from privlab.checks import DataError
from privlab.kept import database_can_be_written
from privlab.releases.copies import restore_ledger
from privlab.releases.ledger.ledger import Ledger
from tests.command_line import Run
from tests.read_only import read_only
from tests.releases.ledger.test_ledger_files import kept_ledger

DIGEST = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A ledger with a budget and an entry, whose release a process was killed at."""
    made = Ledger(tmp_path / "disk" / "ledger.sqlite")
    made.set_budget(DIGEST, epsilon=3, delta=0)
    made.reserve_budget(DIGEST, epsilon=1, delta=0, what="one", folder=tmp_path / "nowhere" / "release")
    return made


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_folder_is_read_only_for_root_too(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("there")
    with read_only(tmp_path):
        assert not database_can_be_written(tmp_path / "file")
        with pytest.raises(PermissionError):
            (tmp_path / "file").write_text("new")
        with pytest.raises(PermissionError):
            (tmp_path / "new").write_text("new")
    assert database_can_be_written(tmp_path / "file")
    (tmp_path / "file").write_text("new")


def test_all_that_reads_works_and_nothing_is_left(ledger: Ledger, cli: Run, tmp_path: Path) -> None:
    head, before, place = ledger.check().head, content(ledger.path.parent), ("--ledger", ledger.path)
    with read_only(ledger.path.parent):
        for words in (
            ("show",),
            ("accounts",),
            ("check", "--head", head),
            ("export", "--out", tmp_path / "all.json"),
            ("backup", tmp_path / "all.zip", "--no-runs"),
            ("public-key",),
        ):
            code, out, err = cli("ledger", *words, *place, "--json")
            assert (code, err) == (0, "")
            assert json.loads(out)
        said = json.loads(cli("health", *place, "--json")[1])["ledger"]
        assert (said["answers"], said["entries"], said["chain_holds"]) == (True, 1, True)
        code, out, err = cli("ledger", "set-limit", "--epsilon", 1, *place)
        refused = (
            f"{ledger.path} cannot be written: its disk, its folder or the file itself may only be read.\n"
        )
        assert (code, out, err) == (2, "", refused)
        with pytest.raises(DataError, match="may only be read"):
            ledger.reserve_budget(DIGEST, epsilon=1, delta=0, what="two")
    assert content(ledger.path.parent) == before
    back = Ledger(tmp_path / "back" / "ledger.sqlite")
    restore_ledger(tmp_path / "all.zip", back)
    assert back.record() == ledger.record()


@pytest.mark.parametrize("sides", [("-wal",), ("-wal", "-shm")])
def test_what_a_killed_process_left_beside_the_file_is_read_too(
    sides: tuple[str, ...], ledger: Ledger, tmp_path: Path
) -> None:
    """The file alone holds one entry, what lies beside it the second: a machine's disk as it was when its power failed."""
    failed = tmp_path / "failed"
    failed.mkdir()
    with closing(sqlite3.connect(ledger.path)) as held:
        held.execute("SELECT count(*) FROM entry").fetchall()
        ledger.reserve_budget(DIGEST, epsilon=0.5, delta=0, what="two")
        for end in ("", ".key", *sides):
            shutil.copyfile(f"{ledger.path}{end}", failed / f"ledger.sqlite{end}")
    before = content(failed)
    with read_only(failed):
        found = Ledger(failed / "ledger.sqlite")
        assert found.account(DIGEST).epsilon == 1.5
        assert found.check() == ledger.check()
        with pytest.raises(DataError, match="may only be read"):
            found.set_limit(1)
    assert content(failed) == before


def test_one_of_an_earlier_version_is_read_as_it_would_be_brought_up_to_date(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "same").mkdir()
    kept, same = (kept_ledger(tmp_path / name / "ledger.sqlite") for name in ("old", "same"))
    before = content(kept.parent)
    with read_only(kept.parent):
        found = Ledger(kept).record()
    assert content(kept.parent) == before
    assert found == Ledger(same).record()


def test_one_that_may_not_even_be_read_is_one_sentence(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file without any right, as root meets it on another machine's disk."""

    def refused(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("privlab.kept.databases_to_read._version", refused)
    with read_only(ledger.path.parent), pytest.raises(DataError) as error:
        ledger.account(DIGEST)
    assert str(error.value) == f"{ledger.path} could not be read: Permission denied."
