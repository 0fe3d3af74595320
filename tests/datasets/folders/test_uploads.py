"""Uploads: kept under plain names in a private folder, gone with the session."""

import errno
import gc
import weakref
from pathlib import Path

import pytest

from privlab.checks import DataError
from privlab.datasets.folders import uploads
from privlab.datasets.folders.uploads import SessionFolder


@pytest.mark.parametrize("name", ["a.csv", "../../a.csv", "/etc/a.csv", "b/../../a.csv"])
def test_names_lose_their_folders(name: str) -> None:
    folder = SessionFolder()
    path = folder.saved(name, b"x")
    assert path.parent == folder.path
    assert path.name == "a.csv"
    assert path.read_bytes() == b"x"


@pytest.mark.parametrize("name", ["", "..", "/", "."])
def test_no_name_is_no_harm_degenerate(name: str) -> None:
    folder = SessionFolder()
    assert folder.saved(name, b"x").parent == folder.path


def test_no_file_of_an_upload_takes_the_place_of_another_iv() -> None:
    """Names that look numbered already, that differ in case alone, that are equal, and that are longer than a disk takes."""
    session = SessionFolder()
    folder = session.subfolder("data-1")
    long, wide = "x" * 300 + ".csv", "数" * 100 + ".csv"
    names = ["2-a.csv", "a.csv", "a.csv", "b/a.csv", "A.CSV", "3-a.csv", long, long, wide, wide]
    paths = [folder.saved(name, str(number).encode()) for number, name in enumerate(names)]
    assert [path.read_bytes() for path in paths] == [str(number).encode() for number in range(len(names))]
    assert len({path.name.casefold() for path in paths}) == len(names)
    assert {path.parent for path in paths} == {folder.path}
    assert all(path.suffix.casefold() == ".csv" for path in paths)


def test_the_folder_goes_with_its_session() -> None:
    folder = SessionFolder()
    path = folder.saved("a.csv", b"x")
    assert path.exists()
    del folder
    gc.collect()
    assert not path.exists()
    assert not Path(path.parent).exists()


def test_a_session_holds_no_more_than_its_share_iv(monkeypatch) -> None:
    """Three files of 300 kB in a session that may hold 700 kB: the third is one too many, until one has gone."""
    monkeypatch.setattr(uploads, "MAX_SESSION_UPLOAD_MB", 0.7)
    folder, content = SessionFolder(), bytes(300_000)
    folder.saved("a.csv", content)
    parts = folder.subfolder("data-1")
    parts.saved("b.csv", content)
    with pytest.raises(
        DataError,
        match=r"^The uploads of this session would come to 1 MB, more than .* MB\. Forget your data first, or have the "
        r"operator put the data into a folder of the server \(PRIVLAB_DATA_DIRS\)\.$",
    ):
        parts.saved("c.csv", content)
    assert sum(file.is_file() for file in parts.path.iterdir()) == 1
    folder.subfolder("data-1").saved("c.csv", content)
    assert folder.n_bytes == pytest.approx(600_000, abs=100)  # and the owner's file


def test_all_sessions_together_hold_no_more_than_the_server_has_iv(monkeypatch) -> None:
    gc.collect()
    monkeypatch.setattr(uploads, "_folders", weakref.WeakSet())
    monkeypatch.setattr(uploads, "MAX_SERVER_UPLOAD_MB", 0.7)
    first, second, third = SessionFolder(), SessionFolder(), SessionFolder()
    first.saved("a.csv", bytes(300_000))
    second.saved("a.csv", bytes(300_000))
    with pytest.raises(
        DataError, match=r"^The uploads of all sessions would come to more than .* Try again when others"
    ):
        third.saved("a.csv", bytes(300_000))
    del first
    gc.collect()
    third.saved("a.csv", bytes(300_000))


def test_of_an_upload_that_finds_no_room_nothing_stays_iv(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk takes the first two bytes and then says that it is full."""
    folder, write = SessionFolder(), Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        write(path, content[:2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(DataError, match=r"'a\.csv' could not be kept on the server: No space left on device"):
        folder.saved("a.csv", b"12345")
    assert list(folder.path.glob("*.csv")) == []
    assert folder.n_bytes == 0


def test_rows_that_were_read_are_no_upload_by_hand() -> None:
    """A file of 5 bytes and what a run wrote count; what is kept of the rows does not, and a folder of that name elsewhere does."""
    session = SessionFolder()
    session.saved("a.csv", b"12345")
    session.kept.mkdir()
    (session.kept / "rows.parquet").write_bytes(bytes(1_000))
    (session.path / "runs" / "kept").mkdir(parents=True)
    (session.path / "runs" / "kept" / "one.sqlite").write_bytes(bytes(10))
    assert session.n_bytes == 15
