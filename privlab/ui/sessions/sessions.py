"""The end of a browser's session: closed for good some time after its browser went, and all that was its own with it.

By itself streamlit lets go of a session that ended when the next one ends, and of its memory some time later. The
files it hands out it keeps longer still, and those of a session that it pushed out for another, for good.
"""

import asyncio
import gc
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import streamlit as st
from streamlit import config, runtime
from streamlit.runtime import caching
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.scriptrunner import get_script_run_ctx

from privlab.datasets.folders import remove_left_behind
from privlab.lab.ledgers import wrong_settings
from privlab.ui.sessions.logs import keep_data_out_of_logs, tell_of_loop
from privlab.ui.sessions.stopping import leaving_nothing

_log = logging.getLogger(__name__)
_MOST_S = 5.0  # between two looks
_KEPT_S = 60.0  # a download, for the browser to fetch it
_ALONE_S = 15.0  # so long a server that nobody has visited yet is taken to be loading
_HANDED_OUT = "handed out at "
_gone_since: dict[str, float | None] = {}
"""Sessions by id, and since when their browsers are gone; None while they are there."""
_marks: dict[str, str] = {}
"""Sessions by id, and the words that their downloads bear: drawn at random, and known to nobody else."""


def note() -> None:
    """Note that the session of this run is there."""
    context = get_script_run_ctx()
    if context is not None:
        _gone_since[context.session_id] = None
        if runtime.exists():
            keep_downloads(runtime.get_instance().media_file_mgr)


def browser_gone() -> Callable[[], bool]:
    """Return what says, in any thread, whether the browser of this run's session is gone for now, as when its page was loaded anew."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return bool
    session = context.session_id
    return lambda: runtime.exists() and not runtime.get_instance().is_active_session(session)


def n_sessions() -> int:
    """Return how many sessions the server knows, those whose browsers are gone for a moment included."""
    return len(_gone_since)


def download_mark() -> str:
    """Return what the type of one download bears: whose it is, and which; no other's is the same.

    It is part of what streamlit makes the download's address of.
    """
    context = get_script_run_ctx()
    session = "" if context is None else context.session_id
    mark = _marks.setdefault(session, secrets.token_hex(16))
    return f"of={mark}; build={secrets.token_hex(16)}"


def forget_results() -> None:
    """Let go of what the session of this run has had computed, and end the addresses of what it has handed out."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return
    caching.clear_session_data_cache(context.session_id)
    _marks.pop(context.session_id, "")
    drop_downloads(runtime.get_instance().media_file_mgr)


def forget_uploads(file_id: str | None = None) -> None:
    """Let go of what the session of this run has uploaded: of one file, or of all; streamlit would keep it until the session ends."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return
    uploads = runtime.get_instance().uploaded_file_mgr
    remove_file = getattr(uploads, "remove_file", None)
    if file_id is None or remove_file is None:
        uploads.remove_session_files(context.session_id)
    else:
        remove_file(context.session_id, file_id)


def keep_downloads(files: MediaFileManager) -> None:
    """Keep each file that is made at a click for a minute from then on, or until its session ends.

    Streamlit drops it once two runs of any session have ended, which on a busy server comes before the browser has
    fetched it.
    """
    if "execute_deferred" in vars(files):
        return
    made = files.execute_deferred

    def kept(file_id: str) -> str:
        address = made(file_id)
        name = address.rpartition("/")[2].partition(".")[0]
        with files._lock:
            files._files_by_session_and_coord[f"{_HANDED_OUT}{time.monotonic()}"][name] = name
        return address

    vars(files)["execute_deferred"] = kept


def drop_downloads(files: MediaFileManager, *, now: float | None = None) -> None:
    """Remove the files handed out that no session still there answers for; those of a minute ago are kept no longer."""
    now = time.monotonic() if now is None else now
    with files._lock:
        for key in [one for one in files._files_by_session_and_coord if one.startswith(_HANDED_OUT)]:
            if now - float(key.removeprefix(_HANDED_OUT)) > _KEPT_S:
                del files._files_by_session_and_coord[key]
    held = files._storage
    if not isinstance(held, MemoryMediaFileStorage):
        raise TypeError("downloads must be kept in memory, where their session can end them.")
    for gone in set(_marks.copy()) - set(_gone_since.copy()):  # the last run of a session may outlive it
        _marks.pop(gone, "")
    there = set(_marks.copy().values())
    for name, file in held._files_by_id.copy().items():
        _, _, mark = file.mimetype.partition("; of=")
        if mark.partition(";")[0] not in there:
            held.delete_file(name)


@asynccontextmanager
async def tidy(app: st.App) -> AsyncIterator[None]:
    """Remove what a killed server left, and end sessions while the server runs."""
    keep_data_out_of_logs()
    config.set_option("logger.enableRich", False)  # whatever folder the lab is started in
    asyncio.get_running_loop().set_exception_handler(tell_of_loop)
    remove_left_behind()
    for sentence in wrong_settings():  # pages say so as well, to whoever comes upon it
        _log.warning("%s", sentence)
    looking = asyncio.get_running_loop().create_task(_end_sessions())
    with leaving_nothing():
        yield
        looking.cancel()
        with suppress(asyncio.CancelledError):
            await looking


async def _end_sessions() -> None:
    # A session can be taken up again until its time is over; it has to be closed a little before, while
    # streamlit still knows it.
    allowed = float(config.get_option("server.disconnectedSessionTTL"))
    pause = min(_MOST_S, allowed / 4)
    began, nobody_yet = time.monotonic(), True
    while True:
        await asyncio.sleep(pause)
        if runtime.exists():
            server = runtime.get_instance()
            nobody_yet = nobody_yet and not _gone_since and not server._session_mgr.num_active_sessions()
            if nobody_yet and time.monotonic() - began > _ALONE_S:
                pass_over_what_is_loaded()
                nobody_yet = False
            end_sessions(server, now=time.monotonic(), allowed=allowed - 3 * pause)


def pass_over_what_is_loaded() -> None:
    """Have the end of a session look for circles in all but what is there now: libraries, if nobody has visited the server yet.

    To look at them takes a fifth of a second or more, in which the server answers nobody. What a visitor brings comes later, and is looked at.
    """
    gc.collect()
    gc.freeze()


def end_sessions(server: runtime.Runtime, *, now: float, allowed: float) -> None:
    """Close the sessions whose browsers have been gone for longer than allowed, in seconds."""
    ended = False
    for session, since in list(_gone_since.items()):
        if server.is_active_session(session):
            _gone_since[session] = None
        elif since is None:
            _gone_since[session] = now
        elif now - since > allowed:
            found = server._session_mgr.get_session_info(session)
            if found is None:  # pushed out by others, with all that was its own left behind
                _let_go(server, session)
            else:  # the server's loop holds the last session it served, closed or not
                found.session.session_state.clear()
                del found
            server.close_session(session)
            del _gone_since[session]
            ended = True
    # At every look: a file that was being made when its session ended is there only now.
    drop_downloads(server.media_file_mgr)
    if ended:
        gc.collect()  # what a session holds refers to itself in circles


def _let_go(server: runtime.Runtime, session: str) -> None:
    """Let go of what streamlit holds by the id of a session that it no longer knows."""
    server.uploaded_file_mgr.remove_session_files(session)
    server.media_file_mgr.clear_session_refs(session)
    server.media_file_mgr.remove_orphaned_files()
    server.dataframe_source_mgr.clear_all_for_session(session)
    caching.clear_session_data_cache(session)
    caching.clear_session_resource_cache(session)
