"""How far long work is, on standard error: one line rewritten on a terminal, else a line now and then."""

import sys
import time
from collections.abc import Callable

from privlab.progress import Progress

_TERMINAL_S, _LOG_S = 0.2, 10.0


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
        if not ends and (now - began < 2 or now - last < least):
            return
        last, begun = now, share < 1
        left = f", {(now - began) * (1 - share) / share:,.0f} s left" if share > 0.02 else ""
        line = f"{prefix}{words}: {share:.0%}{left}"
        print(
            f"\r{line:<79}" if terminal else line, end="" if terminal else "\n", file=sys.stderr, flush=True
        )
        if terminal and share >= 1:
            print(file=sys.stderr)

    return Progress(heard)


def terminal_line(line: Callable[[float, str], str]) -> Progress:
    """Return a progress that puts a line made of share and words in the place of the last.

    The line ends with the work; on anything but a terminal nothing is written.
    """

    def heard(share: float, words: str) -> None:
        if sys.stderr.isatty():
            text = f"\r{line(share, words)}"
            print(text.ljust(78), end="\n" if share >= 1 else "", file=sys.stderr, flush=True)

    return Progress(heard)
