"""Games of one session: played in a job that grows, shown while they do, kept to be compared."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privlab.aggregates import Traces
from privlab.aggregates.findings import GameResult
from privlab.aggregates.game_rules import GameParameters
from privlab.checks import BoundViolation, DataError, ParameterError
from privlab.kept import Runs
from privlab.lab.attacking import play_games_in_turns, runs_of_data
from privlab.progress import Cancelled, Progress
from privlab.ui.data.own_file import session_folder
from privlab.ui.derived import once_as_it_opens
from privlab.ui.groups import cached_games
from privlab.ui.groups.groups_page import opens_with, refused
from privlab.ui.shell import page_top
from privlab.ui.state import OWN, Plan
from privlab.ui.work.heavy_work import apart_and_heard
from privlab.ui.work.jobs import Job, time_left
from privlab.ui.work.waiting import held_job, show_violation, start_work, stop_work

_FIRST_LOOK_S = 4.0  # how long a page waits for the first figures before it shows progress alone


@dataclass(slots=True, kw_only=True)
class Play:
    """Games that are being played: their results so far, by number. Written by the job, read by the page."""

    games: tuple[GameParameters, ...]
    results: dict[int, GameResult] = field(default_factory=dict)
    begun: threading.Event = field(default_factory=threading.Event)

    def heard(self, number: int, result: GameResult) -> None:
        """Take a result that has grown."""
        self.results = {**self.results, number: result}
        self.begun.set()


def runs_of(plan: Plan) -> Runs:
    """Return where the runs of the plan's data are kept: those of own data in the session, gone with it."""
    return runs_of_data(session_folder().path if plan.data == OWN else None)


def watched_games(
    name: str,
    plan: Plan,
    traces: Traces,
    games: Sequence[GameParameters],
    show: Callable[[list[GameResult]], None],
    finding: DeltaGenerator,
) -> None:
    """Play games, or go on with them, and show their results so far with `show`, which writes to `finding` too, until all is played."""
    try:
        cached_games.fitting_games(plan.prepared.key, traces, tuple(games))
    except (DataError, ParameterError) as error:  # said at once, without a game that is begun only to say it
        stop_work(name)
        refused(plan, traces, games, error)
        return
    play, job = _playing(name, plan, traces, tuple(games))
    if not job.done and not play.results:
        with st.spinner("The first targets are being played …"):
            play.begun.wait(_FIRST_LOOK_S)

    @st.fragment(run_every=None if job.done else 2.0)
    def live() -> None:
        if job.done and st.session_state.get(f"live_{name}"):
            st.session_state[f"live_{name}"] = False
            st.rerun()
        if not job.done:
            st.session_state[f"live_{name}"] = True
            left = f", {job.words}" if job.words != "Starting" else ""
            with st.container(horizontal=True, vertical_alignment="center"):
                st.progress(
                    min(job.share, 1.0), text=f"Playing{left} …{time_left(job)}; the figures below refine"
                )
                st.button(
                    "Stop here",
                    key=f"cancel_{name}",
                    on_click=job.cancel,
                    help="Keeps what was played; the figures are of those targets.",
                )
        results = [play.results[number] for number in sorted(play.results)]
        if results:
            show(results)
        else:  # a part of a page that is run by itself writes only where it wrote when all of the page was run
            finding.empty()
        page_top.watch_what_is_held(name)  # the figures' buttons run this part of the page alone

    live()
    _ended(name, job, plan, traces, games)


def _playing(
    name: str, plan: Plan, traces: Traces, games: tuple[GameParameters, ...]
) -> tuple[Play, Job[list[GameResult]]]:
    key = (plan.prepared.key, games)
    held = held_job(name, key)
    if held is None:
        play = Play(games=games)
        work = apart_and_heard(play_games_in_turns, play.heard, traces, games, runs=runs_of(plan))
        opens = opens_with(traces, games)
        work = partial(_heard_again, play, once_as_it_opens(plan, ("first games", games), work, opens=opens))
        start_work(name, key, work)
        st.session_state[f"play_{name}"] = play
        held = held_job(name, key)
    assert held is not None
    found: Play = st.session_state[f"play_{name}"]
    return found, held


def _heard_again(
    play: Play, games: Callable[[Progress], list[GameResult]], progress: Progress
) -> list[GameResult]:
    """Return the results of games that may have been played for another session, and have the page hear them."""
    results = games(progress)
    for number, result in enumerate(results):
        play.heard(number, result)
    return results


def _ended(
    name: str, job: Job[list[GameResult]], plan: Plan, traces: Traces, games: Sequence[GameParameters]
) -> None:
    if not job.done or job.error is None:
        return
    if isinstance(job.error, Cancelled):
        st.info("Stopped. What was played is kept; the figures are of those targets.")
        st.button(
            "Go on",
            key=f"again_{name}",
            on_click=stop_work,
            args=(name,),
            help="Plays the targets that are left. What was played stays.",
        )
    elif isinstance(job.error, DataError | ParameterError):
        refused(plan, traces, games, job.error)
    elif isinstance(job.error, BoundViolation):
        show_violation(job.error)
    else:
        raise job.error
