"""The end of a browser's session: closed for good some time after its browser went, and all that was its own with it.

By itself streamlit lets go of a session that ended when the next one ends, and of its memory some time later.
"""

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import streamlit as st
from streamlit import config, runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from privlab.checks import DataError
from privlab.datasets.private_folders import remove_left_behind
from privlab.reports.release_folders import clear_left_overs
from privlab.store import Ledger, ledger_path_from_environment

_MOST_S = 5.0  # between two looks
_gone_since: dict[str, float | None] = {}
"""Sessions by id, and since when their browsers are gone; None while they are there."""


def note() -> None:
    """Note that the session of this run is there."""
    context = get_script_run_ctx()
    if context is not None:
        _gone_since[context.session_id] = None


@asynccontextmanager
async def tidy(app: st.App) -> AsyncIterator[None]:
    """Remove what a killed server left, and end sessions while the server runs."""
    remove_left_behind()
    with suppress(DataError):  # the page Publish says what is wrong with the ledger
        clear_left_overs(Ledger(ledger_path_from_environment()))
    looking = asyncio.get_running_loop().create_task(_end_sessions())
    yield
    looking.cancel()
    with suppress(asyncio.CancelledError):
        await looking


async def _end_sessions() -> None:
    # A session can be taken up again until its time is over; it has to be closed a little before, while
    # streamlit still knows it.
    allowed = float(config.get_option("server.disconnectedSessionTTL"))
    pause = min(_MOST_S, allowed / 4)
    while True:
        await asyncio.sleep(pause)
        if runtime.exists():
            end_sessions(runtime.get_instance(), now=time.monotonic(), allowed=allowed - 3 * pause)


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
            if found is not None:  # the server's loop holds the last session it served, closed or not
                found.session.session_state.clear()
                del found
            server.close_session(session)
            del _gone_since[session]
            ended = True
    if ended:
        gc.collect()  # what a session holds refers to itself in circles
