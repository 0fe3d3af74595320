"""How far long work is, on standard error: one line rewritten on a terminal, else a line now and then."""

import sys
import time

from privlab.progress import Report

_TERMINAL_S, _LOG_S = 0.2, 10.0


def progress_lines(prefix: str = "") -> Report:
    """Return a report of share and words that writes them with an estimate of the time left.

    Work that ends within seconds writes nothing.
    """
    terminal = sys.stderr.isatty()
    began = last = time.monotonic()
    least = _TERMINAL_S if terminal else _LOG_S

    def report(share: float, words: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - began < 2 or now - last < least:
            return
        last = now
        left = f", {(now - began) * (1 - share) / share:,.0f} s left" if share > 0.02 else ""
        line = f"{prefix}{words}: {share:.0%}{left}"
        print(
            f"\r{line:<79}" if terminal else line, end="" if terminal else "\n", file=sys.stderr, flush=True
        )
        if terminal and share >= 1:
            print(file=sys.stderr)

    return report


def line_on_terminal(line: str, share: float) -> None:
    """Put a line in the place of the last, and end it with the work; on anything but a terminal do nothing."""
    if sys.stderr.isatty():
        print(f"\r{line}".ljust(78), end="\n" if share >= 1 else "", file=sys.stderr, flush=True)
