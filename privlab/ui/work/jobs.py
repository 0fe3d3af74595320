"""Work that takes longer than a slider may: a thread with progress, time left and a way to stop it, and how a page shows it."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Generic, TypeVar

import streamlit as st

from privlab.progress import Report as Report  # for all who hand work to a job
from privlab.ui.work.fair_turns import Turns

Result = TypeVar("Result")

WAITING = "Waiting for others' work"
_STEP = 0.2


def part_of(report: Report, low: float, high: float) -> Report:
    """Return a report for work that is the part from `low` to `high` of a larger one."""
    return lambda share, words: report(low + (high - low) * share, words)


class JobCancelled(Exception):
    """Raised inside the work of a job that was cancelled, at its next report."""


class Job(Generic[Result]):
    """One piece of work in its own thread.

    `work(report)` runs at once; `report(share, words)` tells how far it is. `stop` is called when the
    job is cancelled and must make the work end with an exception. `within()` tells the share of the
    present step that is done, where the work knows. With `turns` the work waits for its turn, and lets
    others have theirs at its reports. `keeping` is held until the work has ended.
    """

    def __init__(
        self,
        work: Callable[[Report], Result],
        *,
        stop: Callable[[], None] | None = None,
        within: Callable[[], float] | None = None,
        turns: Turns | None = None,
        keeping: object = None,
    ) -> None:
        self._share = self._seen = 0.0
        self._within = within
        self._words = "Starting"
        self.cancelled = False
        self._stop, self._turns, self._thread = stop, turns, 0
        self._began = time.monotonic()
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="privlab-job")
        self._future: Future[Result] = thread.submit(self._run, work, keeping)
        thread.shutdown(wait=False)

    def _run(self, work: Callable[[Report], Result], keeping: object) -> Result:
        self._thread = threading.get_ident()
        try:
            if self._turns is None:
                return work(self._report)
            with self._turns.turn(self._given_up):
                self._began = time.monotonic()
                return work(self._report)
        finally:
            del keeping  # the error of failed work remembers this frame

    def _given_up(self) -> None:
        if self.cancelled:
            raise JobCancelled

    def _report(self, share: float, words: str) -> None:
        self._given_up()
        self._share, self._words = share, words
        if self._turns is not None and threading.get_ident() == self._thread:
            self._turns.make_way(self._given_up)

    @property
    def words(self) -> str:
        """What is being done."""
        return WAITING if self._turns is not None and self._turns.waits(self._thread) else self._words

    @property
    def share(self) -> float:
        """The share of the work that is done, in [0, 1]; it never falls."""
        inside = 0.0 if self._within is None or self.done else self._within()
        # What the next step is, the work alone knows; a step is rarely more than this.
        self._seen = max(self._seen, self._share, min(0.99, self._share + _STEP * inside))
        return self._seen

    def cancel(self) -> None:
        """Ask the work to stop; its result is discarded."""
        self.cancelled = True
        if self._turns is not None:
            self._turns.look_again()
        if self._stop is not None:
            self._stop()

    @property
    def done(self) -> bool:
        """Whether the work has ended, well or badly."""
        return self._future.done()

    @property
    def error(self) -> BaseException | None:
        """The exception that ended the work, or None."""
        return self._future.exception() if self.done else None

    def result(self, timeout: float | None = None) -> Result:
        """Return what the work returned, waiting for it; raise what it raised."""
        return self._future.result(timeout)

    def wait(self, seconds: float) -> bool:
        """Wait at most so long for the end; return whether it has come."""
        wait([self._future], seconds)
        return self.done

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds until the end, or None while there is too little to go by."""
        elapsed, share = time.monotonic() - self._began, self.share
        if share < 0.05 or elapsed < 1.0:
            return None
        return elapsed * (1 - share) / share


def follow(job: Job[Any], *, about: str = "", cancel: str | None = None) -> None:
    """Show a job's progress until it is done, then run the page anew.

    `about` says what it is for; with `cancel`, the key of a button, it can be stopped.
    """

    @st.fragment(run_every=0.4)
    def progress() -> None:
        if job.done:
            st.rerun()
        st.progress(job.share, text=f"{job.words}{about} …{time_left(job)}")
        if cancel is not None:
            st.button("Cancel", key=cancel, on_click=job.cancel)

    progress()


def time_left(job: Job[Any]) -> str:
    """Return the estimated time left of a job, in words, or nothing while unknown."""
    seconds = job.seconds_left
    return "" if seconds is None else f" about {max(1, round(seconds))} s left"
