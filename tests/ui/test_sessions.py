"""The end of a session: what it held is let go of, though the server still holds the session."""

import asyncio
import gc
import weakref
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.state import SessionState

from privlab.ui.sessions import sessions


class Held:
    """Something that a session holds."""


class Server:
    """As much of streamlit's runtime as the end of sessions needs; it never forgets a session by itself."""

    def __init__(self, state: SessionState) -> None:
        self.closed: list[str] = []
        self.active = False
        self.info = SimpleNamespace(session=SimpleNamespace(session_state=state))
        self.media_file_mgr = MediaFileManager(MemoryMediaFileStorage("/media"))
        self._session_mgr = SimpleNamespace(get_session_info=lambda session: self.info)

    def is_active_session(self, session: str) -> bool:
        return self.active

    def close_session(self, session: str) -> None:
        self.closed.append(session)


def test_what_an_ended_session_held_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_gone_since", {"one": None})
    state, held = SessionState(), Held()
    state["own_prepared"] = held
    gone = weakref.ref(held)
    del held
    server: Any = Server(state)
    sessions.end_sessions(server, now=100.0, allowed=60.0)
    sessions.end_sessions(server, now=150.0, allowed=60.0)
    assert server.closed == []
    assert gone() is not None
    sessions.end_sessions(server, now=161.0, allowed=60.0)
    assert server.closed == ["one"]
    gc.collect()
    assert gone() is None


def test_a_session_whose_browser_came_back_has_all_its_time_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gone from 100 on, back at 150, gone from 170 on: it ends once it is gone for more than 60 seconds on end."""
    monkeypatch.setattr(sessions, "_gone_since", {"one": None})
    server: Any = Server(SessionState())
    for now, active in ((100.0, False), (150.0, True), (170.0, False), (225.0, False), (230.0, False)):
        server.active = active
        sessions.end_sessions(server, now=now, allowed=60.0)
        assert server.closed == []
    sessions.end_sessions(server, now=231.0, allowed=60.0)
    assert server.closed == ["one"]


def test_of_a_session_that_others_pushed_out_its_uploads_and_results_go_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The server no longer knows it, and by itself would keep what it had for good."""
    monkeypatch.setattr(sessions, "_gone_since", {"one": 100.0})
    server: Any = Server(SessionState())
    server.info, let_go = None, []
    server.uploaded_file_mgr = SimpleNamespace(
        remove_session_files=lambda one: let_go.append(("uploads", one))
    )
    server.dataframe_source_mgr = SimpleNamespace(
        clear_all_for_session=lambda one: let_go.append(("tables", one))
    )
    for kind in ("data", "resource"):
        clear = partial(lambda kind, one: let_go.append((kind, one)), kind)
        monkeypatch.setattr(sessions.caching, f"clear_session_{kind}_cache", clear)
    sessions.end_sessions(server, now=161.0, allowed=60.0)
    assert sorted(let_go) == [(kind, "one") for kind in ("data", "resource", "tables", "uploads")]
    assert sessions.n_sessions() == 0


@pytest.mark.parametrize(
    ("visitors", "passed_over"),
    [([0, 0, 0, 0, 1, 0], 1), ([0, 1, 0, 0, 0, 0], 0), ([1, 1, 1, 1, 1, 1], 0)],
)
def test_only_what_is_there_before_any_visitor_is_passed_over(
    visitors: list[int], passed_over: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else circles of what a visitor brought would stay for good."""
    clock, done = [0.0], []

    async def sleep(seconds: float) -> None:
        clock[0] += seconds
        if clock[0] > len(visitors) * seconds:
            raise asyncio.CancelledError

    server: Any = Server(SessionState())
    server._session_mgr.num_active_sessions = lambda: visitors[round(clock[0] / 5) - 1]
    monkeypatch.setattr(sessions, "_gone_since", {})
    monkeypatch.setattr(sessions, "asyncio", SimpleNamespace(sleep=sleep))
    monkeypatch.setattr(sessions, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(
        sessions, "runtime", SimpleNamespace(exists=lambda: True, get_instance=lambda: server)
    )
    monkeypatch.setattr(sessions.gc, "freeze", lambda: done.append(clock[0]))
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(sessions._end_sessions())
    assert len(done) == passed_over


def test_a_server_keeps_data_out_of_its_logs_and_removes_what_was_left_before_anybody_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever is wrong with what was set: the log says so. What ends sessions goes on while the server runs, and no longer."""
    done: list[str] = []

    def wrong() -> tuple[str, ...]:
        done.append("settings")
        return ("The ledger is damaged.",)

    async def ending() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            done.append("ended")

    monkeypatch.setattr(sessions, "keep_data_out_of_logs", lambda: done.append("logs"))
    monkeypatch.setattr(sessions, "remove_left_behind", lambda: done.append("left behind"))
    monkeypatch.setattr(sessions, "wrong_settings", wrong)
    monkeypatch.setattr(sessions, "_end_sessions", ending)
    heard: list[object] = []

    async def served() -> None:
        app: Any = None
        async with sessions.tidy(app):
            heard.append(asyncio.get_running_loop().get_exception_handler())
            await asyncio.sleep(0)
            assert done == ["logs", "left behind", "settings"]

    asyncio.run(served())
    assert heard == [sessions.tell_of_loop]
    assert done[-1] == "ended"
