"""Files that last, as they are begun: what a killed process left is taken away, and what another still writes is not."""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from privlab.checks import DataError
from privlab.kept.databases import path_from_setting, put_in_place
from privlab.kept.kept_places import CACHE_VARIABLE, RUNS_VARIABLE, cache_folder, runs_path_from_environment
from privlab.kept.runs import Runs
from privlab.releases.ledger.ledger_places import (
    FOLDER_VARIABLE,
    LEDGER_VARIABLE,
    LedgerServer,
    ledger_place_from_environment,
    ledger_place_from_text,
)


def test_what_a_killed_process_left_goes_and_what_is_being_written_stays(tmp_path: Path) -> None:
    """A process that began keys an hour and more ago, in a folder whose other files are none of ours."""
    left = [tmp_path / f".l[1].sqlite.{'5c97387d5dc9'}.new{end}" for end in ("", "-journal")]
    young = tmp_path / ".l[1].sqlite.0123456789ab.new"
    others = [tmp_path / name for name in (".l2.sqlite.5c97387d5dc9.new", "l[1].sqlite.new", "notes.txt")]
    for path in (*left, young, *others):
        path.write_bytes(b"x")
    for path in (*left, *others):
        os.utime(path, (time.time() - 4_000,) * 2)
    assert put_in_place(tmp_path / "l[1].sqlite", b"whole")
    assert {path.name for path in tmp_path.iterdir()} == {
        "l[1].sqlite",
        young.name,
        *(one.name for one in others),
    }
    assert (tmp_path / "l[1].sqlite").read_bytes() == b"whole"


def test_a_path_that_sqlite_does_not_open_is_said_to_be_too_long(tmp_path: Path) -> None:
    """SQLite itself opens the longest that is taken, and not one of a byte more."""
    folder = tmp_path.resolve()
    while len(os.fsencode(folder)) < 504 - 201:
        folder /= "x" * 60
    folder.mkdir(parents=True)
    at = 504 - len(os.fsencode(folder)) - 1
    longest, beyond = folder / ("y" * at), folder / ("y" * (at + 1))
    assert Runs(longest).all() == []
    with closing(sqlite3.connect(longest)) as connection:
        assert connection.execute("SELECT count(*) FROM run").fetchone() == (0,)
    with pytest.raises(sqlite3.OperationalError), closing(sqlite3.connect(beyond)) as connection:
        connection.execute("CREATE TABLE t (x)")
    with pytest.raises(DataError) as error:
        Runs(beyond).all()
    assert str(error.value).endswith(
        " is too long a name, with its folders: 505 bytes, and a database may have 504. Name another place."
    )
    assert [path.name for path in folder.iterdir()] == [longest.name]


def test_the_home_folder_may_be_written_short_in_every_setting(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in (LEDGER_VARIABLE, RUNS_VARIABLE, CACHE_VARIABLE, FOLDER_VARIABLE):
        monkeypatch.setenv(variable, "~/of/mine")
    mine = tmp_path / "of" / "mine"
    assert (ledger_place_from_environment(), runs_path_from_environment(), cache_folder()) == (
        mine,
        mine,
        mine,
    )
    assert ledger_place_from_text(" ~/of/mine ") == mine
    assert ledger_place_from_text("~") == tmp_path
    server = ledger_place_from_text("postgresql://me@host/db")
    assert isinstance(server, LedgerServer)
    assert server.folder == mine


@pytest.mark.parametrize("text", ["~nobody-of-this-name/x", "a/~/x", "x~", "./~/x"])
def test_what_names_no_home_stays_as_it_is(text: str) -> None:
    assert path_from_setting(text) == Path(text)
