"""What else a page needs of the data in use, made from its rows when first asked for: fingerprints, traces.

Of samples once for all sessions; of a file of the user's own in its session, from the rows that were kept when it was read.
"""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import streamlit as st

from privlab.checks import DataError, ParameterError
from privlab.figures.wording import plain
from privlab.lab.loading import Making, kept_of_sample
from privlab.lab.proposing import made_from_source
from privlab.progress import Progress
from privlab.ui.data.own_file import LoadRequest
from privlab.ui.samples import has_stopped, job_of_session, show_wait
from privlab.ui.state import OWN, SAMPLE_JOBS, Plan
from privlab.ui.work.waiting import awaited, is_running, is_stopped

Made = TypeVar("Made")

_AT_ONCE_S = (
    1.5  # so long a page waits for what is nearly there, before it shows progress and asks again and again
)

_worked_out: dict[tuple[str, Hashable], Any] = {}


def derived(plan: Plan, what: str, making: Making[Made]) -> Made | None:
    """Return what `making` makes of the rows of the plan's data; None while it is made, or if it cannot be.

    `what` names it. Progress, or the reason why there is nothing, is shown.
    """
    if plan.data != OWN:
        return ready_of_sample(plan.data, what, making)
    request: LoadRequest | None = st.session_state.get("own_request")
    if request is None:
        st.info("The rows of this data are no longer at hand. Load the file again on the Data page.")
        return None
    work = made_from_source(request.source, request.zones, request.geography, request.kept, making)
    return awaited(what, plan.prepared.key, work, stop=work.stop)


def underway(plan: Plan, what: str) -> bool:
    """Return whether it is still being made, or will be once the reader, who has stopped it, starts it again."""
    if plan.data == OWN:
        return is_running(what) or is_stopped(what)
    job = SAMPLE_JOBS.known((plan.data, what))
    return has_stopped(plan.data, what) or (job is not None and not job.done)


def once_of_sample(
    name: str, what: Hashable, work: Callable[[Progress], Made], *, keep: str | None = None
) -> Callable[[Progress], Made]:
    """Return work on a sample that is done once for all sessions: whoever asks again gets the same result.

    With `keep`, which names it in a file, its result is kept on disk too, and the next server has it at once. For the settings
    that a page opens with and the few that the tour offers: nobody chose those by looking at a file.
    """

    def done_once(progress: Progress) -> Made:
        if (name, what) not in _worked_out:
            _worked_out[name, what] = (
                work(progress) if keep is None else kept_of_sample(name, keep, lambda: work(progress))
            )
        found: Made = _worked_out[name, what]
        return found

    return done_once


def once_as_it_opens(
    plan: Plan,
    what: Hashable,
    work: Callable[[Progress], Made],
    *,
    opens: bool,
    keep: str | None = None,
    brief: Callable[[Progress], Made] | None = None,
) -> Callable[[Progress], Made]:
    """Return work on the plan's data: on a sample, at the settings that the page opens with (`opens`), done once for all.

    `brief`, where given, is the same work done without a process of its own, and takes its place there. On a file, or as soon as anything
    was chosen, it is the session's own.
    """
    return once_of_sample(plan.data, what, brief or work, keep=keep) if opens and plan.data != OWN else work


def opens_with_week(plan: Plan) -> bool:
    """Return whether everyone is in it, in the week that the lab opens with."""
    trips = plan.prepared.trips
    return plan.group_size is None and plan.week == trips.weeks[trips.busiest_week]


def ready_of_sample(name: str, what: str, making: Making[Made]) -> Made | None:
    """Return what is made of a sample's rows; None while it is made, where it was stopped or if it failed, and say so."""
    job = job_of_session(name, what, making)
    if job is None or not job.wait(_AT_ONCE_S - job.seconds):
        show_wait(job, name, what)
        return None
    if isinstance(job.error, DataError | ParameterError):
        st.warning(plain(str(job.error)))
        return None
    if job.error is not None:
        SAMPLE_JOBS.forget((name, what))  # a fault of the moment is none of the next visitor's
    return job.result()
