"""The progress of a load of the user's own file, and what becomes of it."""

import streamlit as st

from privlab.checks import DataError, ParameterError
from privlab.datasets.engines import Interrupted
from privlab.figures.wording import plain
from privlab.lab.proposing import OwnData
from privlab.progress import Cancelled
from privlab.ui.data.own_file import adopt, running_load
from privlab.ui.data.time_orders import ways_to_read_times
from privlab.ui.shell import parts
from privlab.ui.work.jobs import Job, follow
from privlab.ui.work.waiting import two_readings


def watch_load() -> None:
    """Show the progress of a running load and nothing else, adopt its result, or say why it failed."""
    job = running_load()
    if job is None:
        return
    if job.done:
        _finish(job)
        return
    follow(job, cancel="cancel_load")
    st.stop()  # the rest of the page would only be drawn to be drawn again


def watch_load_beside() -> None:
    """Show the progress of a running load beside a page, which stays in use; adopt its result, or say why it failed."""
    job = running_load()
    if job is None:
        return
    if job.done:
        _finish(job)
        parts.way_on("data", "Look at how it is read")
        return
    follow(job, about=" (your data)", cancel="cancel_load_beside")


def _finish(job: Job[OwnData]) -> None:
    error = job.error
    if error is None and not job.cancelled:
        adopt(job.result())
        st.rerun()
    st.session_state.pop("own_job", None)
    if job.cancelled or isinstance(error, Cancelled | Interrupted):
        st.info("Loading was cancelled; the data in use is unchanged.")
    elif isinstance(error, DataError) and error.readings:
        st.warning(f"{two_readings(error)} The data in use is unchanged.")
        ways_to_read_times(error, place="load")
    elif isinstance(error, DataError | ParameterError):
        st.error(plain(f"{error} The data in use is unchanged."))
    elif error is not None:
        raise error
