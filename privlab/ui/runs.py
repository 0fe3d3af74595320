"""Longer computations of one session: started when asked for, watched, cancelled, and kept while they are of use."""

from collections.abc import Callable, Hashable
from concurrent.futures import TimeoutError as NotYet
from typing import Any, TypeVar

import streamlit as st

from privlab.checks import DataError, ParameterError
from privlab.datasets.engine import Interrupted
from privlab.ui.jobs import Job, JobCancelled, Report
from privlab.ui.state import time_left
from privlab.ui.words import plain

Result = TypeVar("Result")

_KEPT = 12  # finished results of one slot
_PATIENCE_S = 0.3  # what ends sooner shows no progress


def run(
    slot: str,
    key: Hashable,
    work: Callable[[Report], Result],
    *,
    stop: Callable[[], None] | None = None,
) -> Result | None:
    """Return the result of `work`, or show its progress (or why it failed) and return None.

    `key` says what the result depends on. Asking a slot for something else cancels what it was at.
    """
    jobs: dict[Hashable, Job[Any]] = st.session_state.setdefault(f"runs_{slot}", {})
    for other in [one for one in jobs if one != key and not jobs[one].done]:
        jobs.pop(other).cancel()
    if key not in jobs:
        while len(jobs) >= _KEPT:
            jobs.pop(next(iter(jobs)))
        jobs[key] = Job(work, stop=stop)
    job: Job[Result] = jobs[key]
    try:
        return job.result(timeout=_PATIENCE_S)
    except NotYet:
        _watch(slot, job)
    except (DataError, ParameterError) as error:
        st.warning(plain(str(error)))
    except (JobCancelled, Interrupted):
        st.info("Cancelled.")
        st.button("Start again", key=f"again_{slot}", on_click=_forget, args=(jobs, key))
    return None


def finished(slot: str) -> dict[Hashable, Any]:
    """Return the results of a slot that are kept, by key, the oldest first."""
    jobs: dict[Hashable, Job[Any]] = st.session_state.get(f"runs_{slot}", {})
    return {key: job.result() for key, job in jobs.items() if job.done and job.error is None}


def _forget(jobs: dict[Hashable, Job[Any]], key: Hashable) -> None:
    jobs.pop(key, None)


def _watch(slot: str, job: Job[Any]) -> None:
    @st.fragment(run_every=0.4)
    def progress() -> None:
        if job.done:
            st.rerun()
        st.progress(min(job.share, 1.0), text=f"{job.words} …{time_left(job)}")
        st.button("Cancel", key=f"cancel_{slot}", on_click=job.cancel)

    progress()
