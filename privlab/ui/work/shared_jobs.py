"""Work that is done once for all sessions: shown to all who wait for it, and stopped when nobody does any more."""

import threading
import weakref
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

from privlab.ui.work.jobs import Job

Begin = Callable[[], Job[Any]]


class Waiting:
    """What a session holds while it waits for a job. When it is let go of, or the session ends, one fewer waits."""

    def __init__(self, job: Job[Any], leave: Callable[[], None]) -> None:
        self.job = job
        self.leave = weakref.finalize(self, leave)


class SharedJobs:
    """Jobs of all sessions, by what they do. What nobody waits for any more is stopped, and begun anew by whoever asks next."""

    def __init__(self) -> None:
        self._jobs: dict[Hashable, Job[Any]] = {}
        self._n_waiting: Counter[Job[Any]] = Counter()
        # A session may be let go of by the collector, in a thread that is here already: the lock is reentrant.
        self._lock = threading.RLock()

    def job(self, key: Hashable, begin: Begin) -> Job[Any]:
        """Return the job with this key, begun if there is none. Whoever asks in this way does not count as waiting."""
        with self._lock:
            if key not in self._jobs:
                self._jobs[key] = begin()
            return self._jobs[key]

    def known(self, key: Hashable) -> Job[Any] | None:
        """Return the job with this key, if there is one."""
        return self._jobs.get(key)

    def waiting(self, key: Hashable, begin: Begin) -> Waiting:
        """Return a place among those who wait for the job with this key, begun if there is none."""
        with self._lock:
            job = self.job(key, begin)
            self._n_waiting[job] += 1
            return Waiting(job, lambda: self._leave(key, job))

    def forget(self, key: Hashable) -> None:
        """Let go of a job, so that whoever asks next begins it anew."""
        with self._lock:
            self._jobs.pop(key, None)

    def _leave(self, key: Hashable, job: Job[Any]) -> None:
        with self._lock:
            self._n_waiting[job] -= 1
            if self._n_waiting[job] > 0:
                return
            del self._n_waiting[job]
            if job.done:
                return
            if self._jobs.get(key) is job:
                del self._jobs[key]
        job.cancel()
