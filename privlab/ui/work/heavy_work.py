"""Heavy work of a session, in a process of its own wherever a server keeps one ready: other sessions have their answers meanwhile.

In the server's own threads it would have Python's lock, and its libraries both cores, where sliders wait for them. Where no
process is kept ready (PRIVLAB_APART=off, a test of one page) the job's thread does the work: the result is the same.
"""

import atexit
import logging
import os
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from privlab.checks import DataError
from privlab.datasets.processes import (
    READY,
    OwnProcess,
    OwnProgress,
    ProcessEnded,
    own_processes,
    words_of_end,
)
from privlab.progress import Progress

Result = TypeVar("Result")
Say = Callable[[Any], None]

APART_VARIABLE = "PRIVLAB_APART"
_log = logging.getLogger(__name__)
_IDLE_S = 60.0  # so long a process that began beside work waits before it compiles anything: the work has the cores, and may compile it
_GRACE_S = 10.0  # so long work that was stopped may take to say what it has finished


def work_apart() -> None:
    """Have heavy work done in processes of their own from now on, unless the operator wants none; what is not “off” is said in the log."""
    named = os.environ.get(APART_VARIABLE, "").strip()
    if named not in ("", "off"):
        _log.warning(
            "%s must be off, or not be set, got %r: heavy work is done in processes of its own.",
            APART_VARIABLE,
            named[:40],
        )
    if named != "off":
        READY.keep(partial(_load, compile_after_s=_IDLE_S))
        atexit.register(READY.end)


def is_apart() -> bool:
    """Return whether heavy work is done in processes of their own."""
    return READY.is_kept


def begin_process() -> None:
    """Begin the process that waits for the first heavy work; without one, load here what games learn with."""
    if READY.is_kept:
        if not own_processes()[0]:  # nobody's work is under way
            READY.keep(_load)
        READY.begin()
        READY.keep(partial(_load, compile_after_s=_IDLE_S))
        return
    from privlab.aggregates.game import load_game

    load_game()


def _load(compile_after_s: float = 0.0) -> None:
    """Load what heavy work needs: games and searches, most of all; compile searches so many seconds later, if they never were here."""
    from privlab.aggregates.game import load_game
    from privlab.lab.attacking import play_game  # noqa: F401
    from privlab.lab.fingerprints import compile_measures

    load_game()
    compiling = threading.Timer(compile_after_s, compile_measures)
    compiling.daemon = True
    compiling.start()


def apart(work: Callable[..., Result], *things: Any, **named: Any) -> Callable[[Progress], Result]:
    """Return what does `work(*things, **named, progress=…)`; work, things and result must be picklable.

    Raises what the work raises, and DataError if its process ends before it.
    """
    given = partial(work, *things, **named)
    return partial(_done, partial(_working, work=given))


def briefly(work: Callable[..., Result], *things: Any, **named: Any) -> Callable[[Progress], Result]:
    """Return what does `work(*things, **named, progress=…)` in the server: for what a page opens with on a sample, and a second suffices.

    A process takes longer than that to begin, on a server that has just been started most of all; it is done once for all sessions.
    """
    given = partial(work, *things, **named)
    return lambda progress: given(progress=progress)


def apart_and_heard(
    work: Callable[..., Result], heard: Callable[..., None], *things: Any, **named: Any
) -> Callable[[Progress], Result]:
    """Return what does `work(*things, **named, progress=…, heard=…)` as `apart` does: `heard` is given what it says on the way.

    Work that was stopped may still say what it has finished, within some seconds.
    """
    given = partial(work, *things, **named)
    return partial(_done, partial(_saying, work=given), hear=lambda said: heard(*said), grace_s=_GRACE_S)


def _done(
    work: Callable[[Progress, Say], Result],
    progress: Progress,
    *,
    hear: Say = lambda said: None,
    grace_s: float = 0.0,
) -> Result:
    if not READY.is_kept:
        return work(progress, hear)
    try:
        return OwnProcess(partial(_in_process, work=work), hear=hear, grace_s=grace_s).result(progress)
    except ProcessEnded as ended:
        raise DataError(words_of_end(ended)) from None


def _in_process(own: OwnProgress, work: Callable[[Progress, Say], Result]) -> Result:
    return work(own, own.say)


def _working(progress: Progress, say: Say, work: Callable[..., Result]) -> Result:
    return work(progress=progress)


def _saying(progress: Progress, say: Say, work: Callable[..., Result]) -> Result:
    return work(progress=progress, heard=lambda *what: say(what))
