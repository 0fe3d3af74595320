"""The end of a command by a signal: Ctrl-C, the system or an operator (SIGTERM), a terminal that is closed (SIGHUP).

Each is raised where the command is, so that all it has on disk goes as it does at any other end.
"""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from privlab.cli.printing.output import say

_WORDS = {
    "SIGINT": "Ctrl-C",
    "SIGTERM": "the system (SIGTERM)",
    "SIGHUP": "its terminal, which was closed (SIGHUP)",
}
_STOPPED = "Stopped by {}. What was under way is cleared; a cost that a ledger has written down counts."


@contextmanager
def stopped_in_one_sentence() -> Iterator[list[int]]:
    """Yield the signals that have stopped the block, empty until then; say so and end with exit code 128 and the first one's number.

    SIGTERM and SIGHUP are left alone where somebody has settled already what they do, as nohup has.
    """
    stopped: list[int] = []

    def stop(number: int, frame: object) -> None:
        stopped.append(number)
        raise KeyboardInterrupt

    before = {}
    for name in _WORDS:
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number == signal.SIGINT or (number is not None and signal.getsignal(number) is signal.SIG_DFL):
            before[number] = signal.signal(number, stop)
    try:
        yield stopped
    finally:
        for number, was in before.items():
            signal.signal(number, was)
        if stopped:  # whatever the code that it met made of it
            say(_STOPPED.format(_WORDS[signal.Signals(stopped[0]).name]))
            sys.exit(128 + stopped[0])
