"""Work on a page that may take longer than a slider may: its result at once if it is quick, else its progress.

One piece of work per name and session; work with other parameters takes its place and stops it.
"""

import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import streamlit as st

from privlab.checks import BoundViolation, DataError, ParameterError, UnfitDataError
from privlab.datasets.engines import Interrupted
from privlab.figures.wording import plain
from privlab.progress import Cancelled, Progress
from privlab.ui.sessions.sessions import browser_gone
from privlab.ui.work.fair_turns import HEAVY
from privlab.ui.work.jobs import Job, follow

Result = TypeVar("Result")

_SLOT = "work of "
_RESULTS = "results of "
KEPT_RESULTS = f"{_RESULTS}kept "  # what begins so is gone with all other results
_KEPT = 12  # results of one name, the latest


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True, eq=False)
class Held:
    """A job and what it depends on. When the session that holds it ends, the job is stopped."""

    key: Hashable
    job: Job[Any]

    def __post_init__(self) -> None:
        """Tie the job's life to this object's."""
        weakref.finalize(self, _stop_unless_done, self.job)


def _stop_unless_done(job: Job[Any]) -> None:
    if not job.done:
        job.cancel()


def start_work(
    name: str, key: Hashable, work: Callable[[Progress], Any], stop: Callable[[], None] | None = None
) -> None:
    """Start work, stopping what runs under the same name. `stop` ends it where its reports cannot."""
    stop_work(name)
    job = Job(
        work, stop=stop, turns=HEAVY, away=browser_gone(), keeping=st.session_state.get("session_folder")
    )
    st.session_state[_SLOT + name] = Held(key=key, job=job)


def stop_work(name: str, *, forget: bool = False) -> None:
    """Stop the work of a name and let go of it, if there is any; `forget` its results too."""
    if forget:
        st.session_state.pop(_RESULTS + name, None)
    held: Held | None = st.session_state.pop(_SLOT + name, None)
    if held is not None:
        _stop_unless_done(held.job)


def held_job(name: str, key: Hashable) -> Job[Any] | None:
    """Return the work of a name, done or not, if it is the one with this key."""
    held: Held | None = st.session_state.get(_SLOT + name)
    return held.job if held is not None and held.key == key else None


def forget_work() -> None:
    """Stop all work of this session and let go of its results."""
    for slot in [str(slot) for slot in st.session_state]:
        if slot.startswith(_SLOT):
            stop_work(slot.removeprefix(_SLOT))
        elif slot.startswith(_RESULTS):
            del st.session_state[slot]


def is_running(name: str) -> bool:
    """Return whether the work of a name is under way."""
    held: Held | None = st.session_state.get(_SLOT + name)
    return held is not None and not held.job.done


def is_stopped(name: str) -> bool:
    """Return whether the latest work of a name was stopped, and can be started again."""
    held: Held | None = st.session_state.get(_SLOT + name)
    return held is not None and held.job.done and (held.job.cancelled or _was_ended(held.job))


def any_is_running() -> bool:
    """Return whether any work of this session is under way."""
    slots = [str(slot) for slot in st.session_state if str(slot).startswith(_SLOT)]
    return any(not st.session_state[slot].job.done for slot in slots)


def begun_ahead(name: str, key: Hashable, work: Callable[[Progress], Any]) -> None:
    """Begin work that is soon to be awaited by this name and key, unless its result is there or it has been begun."""
    if key not in st.session_state.get(_RESULTS + name, {}) and held_job(name, key) is None:
        start_work(name, key, work)


def awaited(
    name: str,
    key: Hashable,
    work: Callable[[Progress], Result],
    *,
    seconds: float = 1.5,
    stop: Callable[[], None] | None = None,
    kept: int = _KEPT,
) -> Result | None:
    """Return the result of work, started if it was not yet with this key.

    What takes longer than so many seconds shows its progress, with a button that stops it; None until it is
    done, and where it was stopped or failed, which is said. So many of the latest results of a name are kept.
    """
    results = st.session_state.setdefault(_RESULTS + name, {})
    if key in results:
        return results[key]  # type: ignore[no-any-return]
    held: Held | None = st.session_state.get(_SLOT + name)
    if held is None or held.key != key or _was_let_down(held.job):
        start_work(name, key, work, stop)
        st.session_state[_SLOT + name].job.wait(seconds)
    result: Result | None = outcome(name)
    if result is not None:
        while len(results) >= kept:
            results.pop(next(iter(results)))
        results[key] = result
    return result


def results_of(name: str) -> dict[Any, Any]:
    """Return the latest results of a name by what they depend on, the oldest first."""
    return dict(st.session_state.get(_RESULTS + name, {}))


def unfinished_of(name: str) -> dict[Any, Any]:
    """Return where work that is stopped leaves what it had finished, by what it depends on: gone with all other results."""
    held: dict[Any, Any] = st.session_state.setdefault(_RESULTS + "stopped " + name, {})
    return held


def show_violation(error: BoundViolation) -> NoReturn:
    """Say that a check failed, and end the page with it: nothing of the result is shown."""
    st.error(
        f"{plain(str(error))} This is a fault in this program, not in the data. Nothing of it is shown; please "
        "report it with the parameters on this page."
    )
    raise error


def two_readings(error: DataError) -> str:
    """Return the question that a file asks whose times can all be read in two ways, or in three."""
    ways = "three" if len(error.readings) > 2 else "two"
    return plain(f"Every time in the column “{error.column}” can be read in {ways} ways. Which is right?")


def error_of(name: str) -> BaseException | None:
    """Return why the latest work of a name failed, None if it did not, or is not done."""
    held: Held | None = st.session_state.get(_SLOT + name)
    return held.job.error if held is not None and held.job.done else None


def outcome(name: str) -> Any:
    """Return the result of the work of a name; None, with its progress or what became of it, if there is none."""
    held: Held | None = st.session_state.get(_SLOT + name)
    if held is None:
        return None
    job = held.job
    if not job.done:
        follow(job, cancel=f"cancel_{name}")
    elif job.cancelled or _was_ended(job):
        st.info("Stopped.")
        st.button(
            "Start again",
            key=f"again_{name}",
            on_click=stop_work,
            args=(name,),
            help="Starts the same work anew.",
        )
    elif isinstance(job.error, DataError) and job.error.readings:
        st.warning(two_readings(job.error))  # whoever asked for the work offers a button for each
    elif isinstance(job.error, UnfitDataError):
        st.warning(plain(str(job.error)))  # whoever asked for the work leads on: trying again would not help
    elif isinstance(job.error, DataError | ParameterError):
        st.error(plain(str(job.error)))
        st.button(
            "Try again",
            key=f"again_{name}",
            on_click=stop_work,
            args=(name,),
            help="Starts the same work anew.",
        )
    elif isinstance(job.error, BoundViolation):
        show_violation(job.error)
    else:
        return job.result()
    return None


def _was_ended(job: Job[Any]) -> bool:
    return isinstance(job.error, Cancelled | Interrupted)


def _was_let_down(job: Job[Any]) -> bool:
    """Return whether a job ended without being stopped itself: what it waited for was, when nobody needed that any more."""
    return job.done and not job.cancelled and _was_ended(job)
