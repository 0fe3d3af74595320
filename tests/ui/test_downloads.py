"""What leaves a page as a file: by one door, at an address of its own, and never as a formula."""

import ast
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit.runtime.dataframe_source_manager import DataframeSourceError, DataframeSourceManager
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileKind, MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from privlab.ui.sessions import sessions
from privlab.ui.sessions.downloads import download

ROOT = Path(__file__).parents[2]
# Each of these hands bytes or cells to the browser: who may call it.
ONLY = {
    "download_button": ("privlab/ui/sessions/downloads.py",),
    "dataframe": ("privlab/ui/shell/parts.py",),
    "table": ("privlab/ui/shell/parts.py",),
    "data_editor": (),
    "image": (),
    "audio": (),
    "video": (),
    "logo": (),
    "pdf": (),
    "iframe": (),
}


def calls() -> Iterator[tuple[str, str, str]]:
    """Yield (file, of what, name) of every call of an attribute in pages and what they are made of."""
    for path in [*ROOT.glob("privlab/ui/**/*.py"), *ROOT.glob("pages/*.py"), ROOT / "app.py"]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                yield path.relative_to(ROOT).as_posix(), ast.unparse(node.func.value), node.func.attr


def test_files_and_tables_leave_by_one_door_each() -> None:
    found = set()
    for file, of, name in calls():
        if name in ONLY and of != "parts":
            found.add(name)
            assert file in ONLY[name], (
                f"{file} calls {of}.{name}: use privlab.ui.sessions.downloads or privlab.ui.shell.parts"
            )
    assert found == {"download_button", "dataframe", "table"}  # the walk sees them


class Shown:
    """Stands in for streamlit's button and keeps what it was given."""

    def __init__(self) -> None:
        self.buttons: list[dict[str, Any]] = []

    def __call__(self, label: str, **given: Any) -> None:
        self.buttons.append(given)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    """Return what keeps the buttons shown; no session is known of before."""
    monkeypatch.setattr(sessions, "_marks", {})
    monkeypatch.setattr(sessions, "_gone_since", {})
    buttons = Shown()
    monkeypatch.setattr(st, "download_button", buttons)
    return buttons


def as_session(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    class Context:
        session_id = name

    monkeypatch.setattr(sessions, "get_script_run_ctx", Context)
    sessions.note()


def report(secret: bytes) -> bytes:
    """Return 2 MB: only what lies between the pieces that streamlit looks at is secret."""
    body = bytearray(b"x" * 2_000_000)
    body[200_000 : 200_000 + len(secret)] = secret
    return bytes(body)


def clicked(files: MediaFileManager, button: dict[str, Any]) -> str:
    """Click as streamlit does: the file is made, and its address is returned."""
    return files.execute_deferred(
        files.add_deferred(button["data"], button["mime"], "here", button["file_name"])
    )


def test_two_reports_alike_at_head_middle_and_end_have_two_addresses(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = MemoryMediaFileStorage("/media")
    files = MediaFileManager(held)
    # What the download is for: without a word of its own streamlit hands the first file to the second session.
    same = [
        held.load_and_get_id(report(who), "text/html", MediaFileKind.DOWNLOADABLE, "a.html")
        for who in (b"alpha", b"bravo")
    ]
    assert same[0] == same[1]
    addresses = []
    for session, who in (("1", b"alpha"), ("2", b"bravo"), ("2", b"later")):
        as_session(monkeypatch, session)
        download("HTML", data=report(who), file_name="a.html", mime="text/html", key="k", meaning="m")
        addresses.append(clicked(files, shown.buttons[-1]))
        name = addresses[-1].rpartition("/")[2].partition(".")[0]
        assert held.get_file(name).content == report(who)
        assert held.get_file(name).filename == "a.html"
    assert len(set(addresses)) == 3


def test_small_files_too_have_addresses_that_nobody_can_work_out(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = MediaFileManager(MemoryMediaFileStorage("/media"))
    addresses = set()
    for session in ("1", "2", "2"):
        as_session(monkeypatch, session)
        download(
            "Numbers", data=lambda: b"a,b\n1,2\n", file_name="n.csv", mime="text/csv", key="k", meaning="m"
        )
        addresses.add(clicked(files, shown.buttons[-1]))
    assert len(addresses) == 3


@pytest.mark.parametrize("data", [b"now", lambda: b"now"])
def test_nothing_is_kept_before_a_click(
    shown: Shown, monkeypatch: pytest.MonkeyPatch, data: bytes | Callable[[], bytes]
) -> None:
    as_session(monkeypatch, "1")
    download("HTML", data=data, file_name="a.html", mime="text/html", key="k", meaning="m")
    assert callable(shown.buttons[0]["data"])
    assert shown.buttons[0]["data"]() == b"now"
    assert shown.buttons[0]["on_click"] == "ignore"


def test_addresses_end_with_their_session_and_no_other_s(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = MemoryMediaFileStorage("/media")
    files = MediaFileManager(held)
    names = {}
    for session in ("1", "2"):
        as_session(monkeypatch, session)
        download("CSV", data=b"a\n", file_name="a.csv", mime="text/csv", key="k", meaning="m")
        names[session] = clicked(files, shown.buttons[-1]).rpartition("/")[2]
    stray = held.load_and_get_id(b"?", "text/csv", MediaFileKind.DOWNLOADABLE, "not by the door.csv")
    sessions.drop_downloads(files)
    assert held.get_file(names["1"]).content == held.get_file(names["2"]).content == b"a\n"
    with pytest.raises(MediaFileStorageError):
        held.get_file(stray)
    del sessions._gone_since["1"]  # as at its end
    sessions.drop_downloads(files)
    with pytest.raises(MediaFileStorageError):
        held.get_file(names["1"])
    assert held.get_file(names["2"]).content == b"a\n"
    # A run that outlives its session can hand out nothing that lasts.
    monkeypatch.setattr(sessions, "get_script_run_ctx", lambda: type("Late", (), {"session_id": "1"}))
    download("CSV", data=b"late\n", file_name="a.csv", mime="text/csv", key="k", meaning="m")
    late = clicked(files, shown.buttons[-1]).rpartition("/")[2]
    sessions.drop_downloads(files)
    with pytest.raises(MediaFileStorageError):
        held.get_file(late)
    assert set(sessions._marks) == {"2"}


def test_whoever_forgets_their_data_ends_the_addresses_of_what_they_were_handed_at_once(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not only when the server next looks, some seconds later: the button says that it is gone."""
    held = MemoryMediaFileStorage("/media")
    files = MediaFileManager(held)
    names = {}
    for session in ("2", "1"):
        as_session(monkeypatch, session)
        download("CSV", data=b"a\n", file_name="a.csv", mime="text/csv", key="k", meaning="m")
        names[session] = clicked(files, shown.buttons[-1]).rpartition("/")[2]
    server = SimpleNamespace(exists=lambda: True, get_instance=lambda: SimpleNamespace(media_file_mgr=files))
    monkeypatch.setattr(sessions, "runtime", server)
    sessions.forget_results()  # by the session that was there last
    with pytest.raises(MediaFileStorageError):
        held.get_file(names["1"])
    assert held.get_file(names["2"]).content == b"a\n"


def test_a_download_outlasts_the_runs_of_other_sessions_for_a_minute(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamlit lets go of it once two runs have ended, whoever's they are: before a slow browser has fetched it."""
    held = MemoryMediaFileStorage("/media")
    files = MediaFileManager(held)
    as_session(monkeypatch, "1")
    download("CSV", data=b"a\n", file_name="a.csv", mime="text/csv", key="k", meaning="m")
    lost = clicked(files, shown.buttons[-1]).rpartition("/")[2]
    for _ in range(2):
        files.remove_orphaned_files()
    with pytest.raises(MediaFileStorageError):
        held.get_file(lost)
    for _ in range(2):  # said at every run
        sessions.keep_downloads(files)
    name = clicked(files, shown.buttons[-1]).rpartition("/")[2]
    for _ in range(3):
        sessions.drop_downloads(files)
        files.remove_orphaned_files()
    assert held.get_file(name).content == b"a\n"
    sessions.drop_downloads(files, now=time.monotonic() + 61)
    for _ in range(2):
        files.remove_orphaned_files()
    with pytest.raises(MediaFileStorageError):
        held.get_file(name)


class Pushed:
    """A server that has pushed the session out for another, as streamlit does beyond 128 without a browser."""

    def __init__(self) -> None:
        self._session_mgr = self
        self.media_file_mgr = MediaFileManager(MemoryMediaFileStorage("/media"))
        self.uploaded_file_mgr = MemoryUploadedFileManager("/upload")
        self.dataframe_source_mgr = DataframeSourceManager()

    def is_active_session(self, session: str) -> bool:
        return False

    def get_session_info(self, session: str) -> None:
        return None

    def close_session(self, session: str) -> None:
        """Do nothing: streamlit knows no such session."""


def test_a_session_that_was_pushed_out_leaves_nothing_behind(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Pushed()
    files, uploads = server.media_file_mgr, server.uploaded_file_mgr
    monkeypatch.setattr("streamlit.runtime.media_file_manager._get_session_id", lambda: "1")
    as_session(monkeypatch, "1")
    download("CSV", data=b"a\n", file_name="a.csv", mime="text/csv", key="k", meaning="m")
    name = clicked(files, shown.buttons[-1]).rpartition("/")[2]
    uploads.add_file("1", UploadedFileRec(file_id="f", name="mine.csv", type="text/csv", data=b"x"))
    monkeypatch.setattr("streamlit.runtime.dataframe_source_manager._get_session_id", lambda: "1")
    rows: Any = SimpleNamespace(row_count=3)
    shown_rows = server.dataframe_source_mgr.register_source(rows, "here").source_id
    cleared: list[tuple[str, str]] = []
    for kind in ("data", "resource"):
        monkeypatch.setattr(
            sessions.caching,
            f"clear_session_{kind}_cache",
            lambda session, kind=kind: cleared.append((kind, session)),
        )
    for now in (0.0, 200.0):
        sessions.end_sessions(server, now=now, allowed=105.0)  # type: ignore[arg-type]
    assert files._deferred_callables == {}
    assert uploads.get_files("1", ["f"]) == []
    with pytest.raises(MediaFileStorageError):
        files._storage.get_file(name)  # type: ignore[attr-defined]
    with pytest.raises(DataframeSourceError, match="not found"):
        server.dataframe_source_mgr.load_chunk("1", shown_rows, 0, 1, None)
    assert sorted(cleared) == [("data", "1"), ("resource", "1")]
    assert not sessions._gone_since
    assert not sessions._marks
