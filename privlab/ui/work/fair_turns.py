"""Taking turns: at most so many pieces of heavy work go on at once, and none keeps the others waiting for its end.

Who waits is served in order. Who has had a turn for some seconds makes way, if anyone waits, and queues again. Work of a session whose
browser is gone, as of a page that was loaded anew, pauses while there is any work that somebody looks at.
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
_LOOK_S = 1.0  # between two looks of who waits at which browsers are there


class Turns:
    """So many turns. Each holder is a thread."""

    def __init__(self, n_turns: int, seconds: float = _SECONDS) -> None:
        self._n_free = n_turns
        self._seconds = seconds
        self._queue: deque[int] = deque()  # threads
        self._since: dict[int, float] = {}
        self._away: dict[int, Callable[[], bool]] = {}
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
    def turn(self, given_up: Callable[[], None], *, away: Callable[[], bool] = bool) -> Iterator[None]:
        """Wait for a turn and have it within the block. `given_up` raises if it is not wanted any more; `away` says that nobody looks at it now."""
        mine = threading.get_ident()
        self._away[mine] = away
        try:
            self._take(given_up)
            try:
                yield
            finally:
                self._give()
        finally:
            del self._away[mine]

    def make_way(self, given_up: Callable[[], None]) -> None:
        """Let others have their turn, if any wait and this thread has had its own for long enough, or if nobody looks at its work."""
        mine = threading.get_ident()
        with self._changed:
            if self._is_away(mine):
                makes_way = self._others_are_there(mine)
            else:
                had = time.monotonic() - self._since[mine]
                makes_way = had > self._seconds and any(not self._is_away(one) for one in self._queue)
        if makes_way:
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
                while self._n_free == 0 or not self._is_next(mine):
                    given_up()
                    self._changed.wait(_LOOK_S)
            finally:
                self._queue.remove(mine)
                self._changed.notify_all()
            self._n_free -= 1
            self._since[mine] = time.monotonic()

    def _is_away(self, thread: int) -> bool:
        return self._away[thread]()

    def _others_are_there(self, mine: int) -> bool:
        """Return whether somebody looks at other work that is under way or waits."""
        return any(one != mine and not self._is_away(one) for one in (*self._since, *self._queue))

    def _is_next(self, mine: int) -> bool:
        if self._is_away(mine):
            return self._queue[0] == mine and not self._others_are_there(mine)
        return next(one for one in self._queue if one == mine or not self._is_away(one)) == mine

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
