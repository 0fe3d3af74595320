"""A file that lasts, of a kind made for the test: whose it must be, how it is brought up to date, and what is written how."""

import os
import sqlite3
import stat
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from privlab.checks import DataError
from privlab.kept import databases
from privlab.kept.databases import DatabaseKind, opened_database, private_folder_made, put_in_place
from privlab.kept.databases_to_read import connected_to_read, copy_database


def first(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE IF NOT EXISTS note (text TEXT)")


def second(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE note ADD COLUMN who TEXT")


def fails(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO note VALUES ('half', 'done')")
    raise sqlite3.OperationalError("no room")


KIND = DatabaseKind(
    name="notes", application_id=0x7072414E, unmarked=frozenset({"note"}), steps=(first, second)
)


def raw(path: Path, *statements: str) -> list[object]:
    with closing(sqlite3.connect(path)) as connection:
        found = [connection.execute(one).fetchall() for one in statements]
        connection.commit()
    return found


def test_a_new_file_takes_all_steps_is_its_owner_s_alone_and_writes_each_commit_to_the_disk(
    tmp_path: Path,
) -> None:
    path, told = tmp_path / "of" / "one" / "notes.sqlite", list[str]()
    with opened_database(path, KIND, told.append) as connection:
        settings = [
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "secure_delete", "user_version", "application_id")
        ]
        connection.execute("INSERT INTO note VALUES ('a', 'anna')")
    assert settings == ["wal", 2, 1, 2, 0x7072414E]  # 2 is FULL
    assert told == [f"A new notes was begun: {path}."]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {stat.S_IMODE(one.stat().st_mode) for one in (path.parent, path.parent.parent)} == {0o700}
    path.chmod(0o644)
    with opened_database(path, KIND, told.append) as connection:
        assert connection.execute("SELECT * FROM note").fetchall() == [("a", "anna")]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(told) == 1


def test_of_a_file_that_is_refused_nothing_is_changed_its_rights_neither(tmp_path: Path) -> None:
    """A slip in a setting that names a file of the system, or of another program, must not lock others out of it."""
    words, other = tmp_path / "passwd", tmp_path / "others.sqlite"
    words.write_text("root:x:0:0:root:/root:/bin/bash\n" * 40)
    raw(other, "CREATE TABLE theirs (text TEXT)", "PRAGMA application_id = 7")
    unmarked = tmp_path / "unmarked.sqlite"
    raw(unmarked, "CREATE TABLE theirs (text TEXT)")
    for path in (words, other, unmarked):
        path.chmod(0o644)
        before = path.read_bytes()
        with pytest.raises(DataError), opened_database(path, KIND):
            pass
        assert stat.S_IMODE(path.stat().st_mode) == 0o644
        assert path.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"passwd", "others.sqlite", "unmarked.sqlite"}


def test_a_file_of_before_there_was_a_mark_is_brought_up_to_date_and_no_other_is(tmp_path: Path) -> None:
    old, foreign, later, empty = (tmp_path / name for name in ("old", "foreign", "later", "empty"))
    raw(old, "CREATE TABLE note (text TEXT)", "INSERT INTO note VALUES ('a')")
    with opened_database(old, KIND) as connection:
        assert connection.execute("SELECT * FROM note").fetchall() == [("a", None)]
    assert raw(old, "PRAGMA user_version", "PRAGMA application_id") == [[(2,)], [(0x7072414E,)]]
    raw(foreign, "CREATE TABLE note (text TEXT)", "CREATE TABLE accounts (who TEXT)")
    with opened_database(later, replace(KIND, steps=(first, second, lambda connection: None))):
        pass
    empty.touch()
    nothing = tmp_path / "nothing"
    raw(nothing, "PRAGMA user_version = 0", "CREATE TABLE t (x)", "DROP TABLE t")
    other_kind = replace(KIND, name="other", application_id=7)
    for path, kind, words in (
        (foreign, KIND, "is not a notes of privlab"),
        (nothing, KIND, "is not a notes of privlab"),
        (old, other_kind, "is not a other of privlab"),
        (later, KIND, "was written by a later version of privlab"),
        (empty, KIND, "is empty: something has removed what it held"),
        (tmp_path, KIND, "is no file"),
    ):
        with pytest.raises(DataError, match=words), opened_database(path, kind):
            pass
    assert raw(foreign, "SELECT name FROM sqlite_master") == [[("note",), ("accounts",)]]


def test_of_steps_that_fail_none_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    raw(path, "CREATE TABLE note (text TEXT)")
    with (
        pytest.raises(DataError, match="could not be read or written: no room"),
        opened_database(path, replace(KIND, steps=(first, second, fails))),
    ):
        pass
    assert raw(path, "PRAGMA user_version", "SELECT * FROM note") == [[(0,)], []]
    assert raw(path, "SELECT count(*) FROM pragma_table_info('note')") == [[(1,)]]


def test_what_is_there_is_replaced_only_where_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    assert put_in_place(path, b"first")
    assert not put_in_place(path, b"second")
    assert path.read_bytes() == b"first"
    assert put_in_place(path, b"third", over=True)
    assert path.read_bytes() == b"third"
    assert os.listdir(tmp_path) == ["keys"]
    private_folder_made(tmp_path / "a" / "b")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700


def test_rows_that_still_lie_beside_a_file_are_read_and_copied_with_it(tmp_path: Path) -> None:
    """A writer that lives has committed a row that stands in the file of what is written ahead, not yet in the database."""
    path = tmp_path / "notes"
    with opened_database(path, KIND) as writer:
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute("INSERT INTO note VALUES ('a', 'anna')")
        assert (tmp_path / "notes-wal").stat().st_size > 0
        with connected_to_read(path) as reader:
            assert reader.execute("SELECT * FROM note").fetchall() == [("a", "anna")]
        copy_database(path, tmp_path / "copy")
    assert raw(tmp_path / "copy", "SELECT * FROM note") == [[("a", "anna")]]
    with connected_to_read(tmp_path / "copy", 3) as other_version:  # a copy, which may be brought up to date
        other_version.execute("INSERT INTO note VALUES ('b', 'ben')")
    assert raw(tmp_path / "copy", "SELECT count(*) FROM note") == [[(1,)]]


def test_whatever_a_library_is_built_with_what_is_deleted_is_overwritten_and_commits_reach_the_disk(
    tmp_path: Path,
) -> None:
    """SQLite is built with either as its own choice: here with neither."""
    with closing(sqlite3.connect(tmp_path / "notes", isolation_level=None)) as connection:
        for name in ("synchronous", "secure_delete"):
            connection.execute(f"PRAGMA {name} = OFF")
        databases._prepare(connection)
        assert [
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("synchronous", "secure_delete")
        ] == [2, 1]
