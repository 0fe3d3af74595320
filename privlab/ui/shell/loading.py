"""The libraries of the pages, loaded in the background while the first visitor reads.

Loads nothing itself but streamlit: it is what the first page stands on until the rest is there. Loading keeps
the interpreter from all else, and a server that loads answers late: so the first words go out before it begins.
"""

import importlib
import threading
import time

import streamlit as st

from privlab.ui.work.heavy_work import begin_process, work_apart

_PARTS = (
    "privlab.ui.shared_controls",
    "privlab.ui.shell.presentation",
    "privlab.ui.attack.attack_page",
    "privlab.ui.cached",
)
_LATER = ("scipy.stats",)  # what the first figure of several pages stands on, more than half a second's work
_WORDS = (
    "What does publishing mobility data cost the people in it? Load a dataset or pick a sample, move the "
    "sliders, and see what an attacker would learn and what a release would still be good for."
)
_QUIET_S = 5.0  # so long a server that nobody visits waits for the first visitor
_READING_S = 0.5  # so long the first words are on their way
_LOOKING_S = 2.0  # so long the second page is on its way
_shown = threading.Event()
_thread: threading.Thread | None = None
_game: threading.Thread | None = None


def begin() -> None:
    """Begin to load, once per process: when the first visitor has something to read, or nobody comes."""
    global _thread
    if _thread is None:
        work_apart()
        _thread = threading.Thread(target=_load, name="privlab-loading", daemon=True)
        _thread.start()


def wait() -> None:
    """Wait until all is loaded; until then the page says what the lab is for."""
    place = st.empty()  # in every run, so that the page below stands where it stood
    if _thread is None:
        return
    if not _thread.is_alive():
        _begin_game()
        return
    with place.container():
        st.title("privlab")
        st.markdown(_WORDS)
        st.caption("The lab has just been started; the rest of the page follows in some seconds.")
    _shown.set()
    _thread.join()
    place.empty()


def _load() -> None:
    if _shown.wait(_QUIET_S):
        time.sleep(_READING_S)
    for part in _PARTS:
        importlib.import_module(part)


def _begin_game() -> None:
    """Begin to load, once per process, what games and first figures need: when all else is there and a visitor looks around."""
    global _game
    if _game is None:
        _game = threading.Thread(target=_load_game, name="privlab-game", daemon=True)
        _game.start()


def _load_game() -> None:
    time.sleep(_LOOKING_S)
    for part in _LATER:
        importlib.import_module(part)
    from privlab.ui.state import is_preparing

    while is_preparing():  # whoever waits for that has the cores, and the memory, first
        time.sleep(_LOOKING_S)
    begin_process()
