"""Samples as a session waits for them: their trips, and what else is made of their rows, once for all sessions.

A session waits for the sample it has chosen, and, while it reads the tour, for what the tour shows. What nobody waits for any more stops.
"""

from functools import partial
from typing import Any, TypeVar

import streamlit as st

from privlab.checks import DataError, ParameterError
from privlab.datasets import SAMPLES
from privlab.lab.loading import Making, prepared_trips_from_rows
from privlab.od.trips import PreparedTrips
from privlab.ui.state import SAMPLE_JOBS, TOURED, TRIPS, Plan, begun_of_sample, choose_data, forget_sample
from privlab.ui.work.jobs import Job, follow
from privlab.ui.work.shared_jobs import Waiting

Made = TypeVar("Made")

_WAITED_FOR = "samples waited for"


def job_of_session(name: str, what: str, making: Making[Made]) -> Job[Made] | None:
    """Return the job that makes something of a sample's rows, for which this session waits from now on.

    None where its reader has stopped to wait, unless it is done all the same, for another session.
    """
    held, key = _waited_for(), (name, what)
    if key in held and held[key] is None:
        known = SAMPLE_JOBS.known(key)
        return known if known is not None and known.done and known.error is None else None
    waiting = held.get(key)
    if waiting is None or waiting.job is not SAMPLE_JOBS.known(key):
        waiting = held[key] = SAMPLE_JOBS.waiting(key, partial(begun_of_sample, name, what, making))
    return waiting.job


def trips_of_session(name: str) -> Job[PreparedTrips] | None:
    """Return the job that prepares a sample, as `job_of_session` does."""
    return job_of_session(name, TRIPS, prepared_trips_from_rows)


def leave_other_samples(data: str, *, touring: bool) -> None:
    """Wait no longer for samples that are not chosen; `touring` for the tour's own all the same."""
    held = _waited_for()
    for name, what in list(held):
        if name != data and not (touring and (what != TRIPS or name == TOURED)):
            _leave(held.pop((name, what)))


def has_stopped(name: str, what: str) -> bool:
    """Return whether the reader of this session has stopped to wait for something of a sample."""
    held = _waited_for()
    return (name, what) in held and held[name, what] is None


def show_wait(job: Job[Any] | None, name: str, what: str) -> None:
    """Show how far a job is, with a button that stops it; where it was stopped, how it is taken up again."""
    own = f"{what}_{name}"
    if job is not None:
        follow(
            job,
            about=f" ({SAMPLES[name].title})" if what == TRIPS else "",
            cancel=f"cancel_{own}",
            stop=partial(_stop, (name, what)),
        )
        return
    st.info(f"Stopped. The sample {name} is not made ready.")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Start again",
            key=f"again_{own}",
            on_click=_take_up,
            args=((name, what),),
            help="Makes the sample ready.",
        )
        if what == TRIPS and name == st.session_state.get("data"):
            for other in SAMPLES:
                if other != name:
                    st.button(
                        f"Use {other} instead",
                        key=f"other_{other}",
                        on_click=choose_data,
                        args=(other,),
                        help="All pages then show this sample. What you chose on them stays.",
                    )


def current_plan() -> Plan:
    """Return the plan, or show why there is none yet and end this run of the page."""
    plan: Plan | None = st.session_state.get("plan")
    if plan is None:
        wait_for_sample(st.session_state["data"])
        st.stop()
    return plan


def wait_for_sample(name: str) -> None:
    """Show the progress of a sample's preparation; start over when it is ready."""
    job = trips_of_session(name)
    if job is not None and isinstance(job.error, DataError | ParameterError):
        st.error(f"The sample {name} cannot be read: {job.error}")
        st.button(
            "Try again", key="again", on_click=forget_sample, args=(name,), help="Starts the same work anew."
        )
        return
    if job is not None and job.error is not None:
        forget_sample(name)  # a fault of the moment is none of the next visitor's
        raise job.error
    show_wait(job, name, TRIPS)
    if job is not None:
        st.caption(
            "Each sample is made ready once after a start, for all who come. The tour can be read meanwhile."
        )


def _waited_for() -> dict[tuple[str, str], Waiting | None]:
    """Return what this session waits for, by sample and what is made of it; None where its reader has stopped."""
    held: dict[tuple[str, str], Waiting | None] = st.session_state.setdefault(_WAITED_FOR, {})
    return held


def _stop(key: tuple[str, str]) -> None:
    held = _waited_for()
    _leave(held.get(key))
    held[key] = None


def _take_up(key: tuple[str, str]) -> None:
    _waited_for().pop(key, None)


def _leave(waiting: Waiting | None) -> None:
    if waiting is not None:
        waiting.leave()
