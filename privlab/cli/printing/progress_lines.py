"""How far long work is, on standard error: one line rewritten on a terminal, else a line now and then."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from privlab.progress import UNHEARD, Progress

_TERMINAL_S, _LOG_S = 0.2, 10.0
_QUICK_S = 2.0  # work that ends within so long writes nothing
_LOOK_S = 1.0  # between two looks at how far a step is
_STEP = 0.2  # of the work, that a step is taken to be at most, as on pages
_WIDE = 79  # characters that a line is written over, on a terminal that does not say how wide it is


def progress_lines(prefix: str = "") -> Progress:
    """Return a progress that writes share and words with an estimate of the time left.

    Work that ends within seconds writes nothing. On a terminal the line ends with the work.
    """
    terminal = sys.stderr.isatty()
    began = last = time.monotonic()
    least = _TERMINAL_S if terminal else _LOG_S
    begun = False

    def heard(share: float, words: str) -> None:
        nonlocal last, begun
        now = time.monotonic()
        ends = terminal and begun and share >= 1  # what follows begins a line of its own
        if not ends and (now - began < _QUICK_S or now - last < least):
            return
        last, begun = now, share < 1
        line = prefix + _line(share, words, now - began)
        print(
            _over_the_last(line) if terminal else line,
            end="" if terminal else "\n",
            file=sys.stderr,
            flush=True,
        )
        if terminal and share >= 1:
            print(file=sys.stderr)

    return Progress(heard)


def _line(share: float, words: str, seconds: float) -> str:
    left = f", {seconds * (1 - share) / share:,.0f} s left" if share > 0.02 else ""
    return f"{words}: {share:.0%}{left}"


def _over_the_last(line: str) -> str:
    """Return what writes a line over the last one: cut where the terminal is narrower, for what goes on in a row below stays there."""
    try:
        room = os.get_terminal_size(sys.stderr.fileno()).columns - 1
    except OSError:  # what only says that it is a terminal
        room = 0
    return f"\r{line[:room]:<{room}}" if room > 0 else f"\r{line:<{_WIDE}}"


@contextmanager
def lines_of_steps(within: Callable[[], float] = float) -> Iterator[Progress]:
    """Yield a progress for work of few steps, each of them long: on a terminal one line says how far it is, and goes when it ends.

    While a step goes on, a thread asks `within()` what share of it is done. On anything but a terminal nothing is written.
    """
    if not sys.stderr.isatty():
        yield UNHEARD
        return
    began, lock, ended = time.monotonic(), threading.Lock(), threading.Event()
    told, words, seen, written = 0.0, "", 0.0, False

    def write(inside: float) -> None:
        nonlocal seen, written
        seen, seconds = max(seen, min(0.99, told + _STEP * inside)), time.monotonic() - began
        if words and seconds >= _QUICK_S:
            written = True
            print(_over_the_last(_line(seen, words, seconds)), end="", file=sys.stderr, flush=True)

    def heard(share: float, said: str) -> None:
        nonlocal told, words
        with lock:
            told, words = share, said
            write(0.0)

    def look() -> None:
        while not ended.wait(_LOOK_S):
            with lock:
                write(within())

    looking = threading.Thread(target=look, name="privlab-progress", daemon=True)
    looking.start()
    try:
        yield Progress(heard)
    finally:
        ended.set()
        looking.join()
        if written:  # what follows, a refusal too, begins at the beginning
            print(f"{_over_the_last('')}\r", end="", file=sys.stderr, flush=True)


def terminal_line(line: Callable[[float, str], str]) -> Progress:
    """Return a progress that puts a line made of share and words in the place of the last.

    The line ends with the work; on anything but a terminal nothing is written.
    """

    def heard(share: float, words: str) -> None:
        if sys.stderr.isatty():
            text = _over_the_last(line(share, words))
            print(text, end="\n" if share >= 1 else "", file=sys.stderr, flush=True)

    return Progress(heard)
