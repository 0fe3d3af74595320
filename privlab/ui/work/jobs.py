"""Work that takes longer than a slider may: a thread with progress, time left and a way to stop it, and how a page shows it."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Generic, TypeVar

import streamlit as st

from privlab.progress import Progress
from privlab.ui.work.fair_turns import Turns

Result = TypeVar("Result")

WAITING = "Waiting for others' work"
_STEP = 0.2


class _InTurns(Progress):
    """Told by work that lets others have their turn where it tells how far it is."""

    def __init__(self, turns: Turns | None) -> None:
        super().__init__(words="Starting")
        self.thread, self._turns = 0, turns

    def tell(self, share: float, words: str | None = None, *, until: float | None = None) -> None:
        super().tell(share, words, until=until)
        if self._turns is not None and threading.get_ident() == self.thread:
            self._turns.make_way(self.require_running)


class Job(Generic[Result]):
    """One piece of work in its own thread.

    `work(progress)` runs at once, and tells `progress` how far it is. `stop` is called when the job is
    cancelled and must make the work end with an exception. `within()` returns the share of the present
    step that is done, where the work knows and does not tell `progress` itself. With `turns` the work waits for its turn, and lets others
    have theirs where it tells how far it is; `away` says that nobody looks at it now, so that it pauses while others' goes on. `keeping`
    is held until the work has ended.
    """

    def __init__(
        self,
        work: Callable[[Progress], Result],
        *,
        stop: Callable[[], None] | None = None,
        within: Callable[[], float] | None = None,
        turns: Turns | None = None,
        away: Callable[[], bool] = bool,
        keeping: object = None,
    ) -> None:
        self._progress, self._seen = _InTurns(turns), 0.0
        self._stop, self._within, self._turns, self._away = stop, within, turns, away
        self._began = time.monotonic()
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="privlab-job")
        self._future: Future[Result] = thread.submit(self._run, work, [keeping])
        thread.shutdown(wait=False)

    def _run(self, work: Callable[[Progress], Result], keeping: list[object]) -> Result:
        self._progress.thread = threading.get_ident()
        try:
            if self._turns is None:
                return work(self._progress)
            with self._turns.turn(self._progress.require_running, away=self._away):
                self._began = time.monotonic()
                return work(self._progress)
        finally:
            keeping.clear()  # the error of failed work remembers this frame, and from Python 3.14 on the one that called it

    @property
    def cancelled(self) -> bool:
        """Whether the job was asked to stop."""
        return self._progress.cancelled

    @property
    def words(self) -> str:
        """What is being done."""
        return (
            WAITING
            if self._turns is not None and self._turns.waits(self._progress.thread)
            else self._progress.words
        )

    @property
    def share(self) -> float:
        """The share of the work that is done, in [0, 1]; it never falls."""
        told, until = self._progress.share, self._progress.until
        inside = 0.0 if self.done else (self._within or self._progress.within)()
        # Where the work does not say how far its step goes: it is rarely further than this.
        step = _STEP if until is None else until - told
        self._seen = max(self._seen, told, min(0.99, told + step * inside))
        return self._seen

    def cancel(self) -> None:
        """Ask the work to stop; its result is discarded."""
        self._progress.cancel()
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
        wait([self._future], max(seconds, 0.0))
        return self.done

    @property
    def seconds(self) -> float:
        """How long ago the work began, in seconds."""
        return time.monotonic() - self._began

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds until the end, or None while there is too little to go by."""
        elapsed, share = self.seconds, self.share
        if share < 0.05 or elapsed < 1.0:
            return None
        return elapsed * (1 - share) / share


def follow(
    job: Job[Any], *, about: str = "", cancel: str | None = None, stop: Callable[[], None] | None = None
) -> None:
    """Show a job's progress until it is done, then run the page anew.

    `about` says what it is for; with `cancel`, the key of a button, it can be stopped. With `stop`, of a job that others may wait for
    too, the button calls that in place of ending the job, and this page waits no longer.
    """

    meaning = (
        "Stops the work. What was there before stays."
        if stop is None
        else "Stops the work, unless another visitor waits for it too."
    )

    @st.fragment(run_every=0.4)
    def progress() -> None:
        if job.done:
            st.rerun()
        st.progress(job.share, text=f"{job.words}{about} …{time_left(job)}")
        if cancel is not None:
            asked = st.button("Cancel", key=cancel, on_click=stop or job.cancel, help=meaning)
            if asked and stop is not None:
                st.rerun()

    progress()


def time_left(job: Job[Any]) -> str:
    """Return the estimated time left of a job, in words, or nothing while unknown."""
    seconds = job.seconds_left
    return "" if seconds is None else f" about {max(1, round(seconds))} s left"
