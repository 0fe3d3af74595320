"""Taking turns: at most so many pieces of heavy work go on at once, and none keeps the others waiting for its end.

Who waits is served in order. Who has had a turn for some seconds makes way, if anyone waits, and queues again.
"""

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TURNS_VARIABLE = "PRIVLAB_JOBS"
_log = logging.getLogger(__name__)
_SECONDS = 5.0  # how long a turn may last while others wait


class Turns:
    """So many turns. Each holder is a thread."""

    def __init__(self, n_turns: int, seconds: float = _SECONDS) -> None:
        self._n_free = n_turns
        self._seconds = seconds
        self._queue: deque[int] = deque()  # threads
        self._since: dict[int, float] = {}
        # Work may be cancelled by the collector, in a thread that is here already: the lock is reentrant.
        self._changed = threading.Condition(threading.RLock())

    def waits(self, thread: int) -> bool:
        """Return whether a thread is waiting for its turn."""
        with self._changed:
            return thread in self._queue

    def counts(self) -> tuple[int, int]:
        """Return how many have a turn, and how many wait for one."""
        with self._changed:
            return len(self._since), len(self._queue)

    @contextmanager
    def turn(self, given_up: Callable[[], None]) -> Iterator[None]:
        """Wait for a turn and have it within the block. `given_up` raises if it is not wanted any more."""
        self._take(given_up)
        try:
            yield
        finally:
            self._give()

    def make_way(self, given_up: Callable[[], None]) -> None:
        """Let others have their turn, if any wait and this thread has had its own for long enough."""
        if self._queue and time.monotonic() - self._since[threading.get_ident()] > self._seconds:
            self._give()
            self._take(given_up)

    def look_again(self) -> None:
        """Have all who wait ask whether they still want to."""
        with self._changed:
            self._changed.notify_all()

    def _take(self, given_up: Callable[[], None]) -> None:
        mine = threading.get_ident()
        with self._changed:
            self._queue.append(mine)
            try:
                while self._n_free == 0 or self._queue[0] != mine:
                    given_up()
                    self._changed.wait()
            finally:
                self._queue.remove(mine)
                self._changed.notify_all()
            self._n_free -= 1
            self._since[mine] = time.monotonic()

    def _give(self) -> None:
        with self._changed:
            if self._since.pop(threading.get_ident(), None) is not None:
                self._n_free += 1
                self._changed.notify_all()


def turns_from_environment() -> Turns:
    """Return as many turns as the variable PRIVLAB_JOBS says, else as there are cores; what is no such number is said in the log."""
    named = os.environ.get(TURNS_VARIABLE, "").strip()
    if named and not (named.isdecimal() and len(named) <= 9 and int(named) > 0):
        _log.warning(
            "%s must be a whole number from 1 on, got %r: as many as there are cores.",
            TURNS_VARIABLE,
            named[:40],
        )
        named = ""
    return Turns(int(named) if named else os.cpu_count() or 1)


HEAVY = turns_from_environment()
"""The turns of this process's heavy work, of all sessions."""
