"""Your own week: a Google Timeline, read in the session's memory, and what the attack makes of its unique trips."""

from dataclasses import dataclass
from math import ceil

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privlab.dp.gaussian import GaussianParameters
from privlab.dp.promise import delta_words
from privlab.figures.wording import words
from privlab.lab.attacking import OwnWeeks, own_weeks_from_timeline
from privlab.limits import MAX_TIMELINE_MB
from privlab.od.attack import (
    AttackParameters,
    bounded_attack_from_gaussian_parameters,
    bounded_attack_from_release_parameters,
)
from privlab.od.simulating import ReleaseParameters
from privlab.progress import Progress
from privlab.ui import cached
from privlab.ui.sessions.sessions import forget_uploads
from privlab.ui.work.waiting import awaited, stop_work

_WORK = "own week"


@dataclass(frozen=True, slots=True)
class OwnTarget:
    """The release that the person's weeks are attacked in, and the slider of k that a week is put on, with its largest value.

    `gaussian` is its promise where the noise is Gaussian instead.
    """

    release: ReleaseParameters
    slider: str
    most: int
    gaussian: GaussianParameters | None = None


def own_week(place: DeltaGenerator, target: OwnTarget) -> int | None:
    """Offer to open one's own Timeline; say how many unique trips a week has and how often the attack is right.

    Return the unique trips of the week that is looked at, None while there is none.
    """
    fold = place.expander(
        "Your own week: open your Google Timeline",
        icon=":material/person_pin_circle:",
        key="own_week",
        bind="query-params",
        on_change="rerun",
    )
    if not fold.open:
        return None
    with fold:
        given = st.file_uploader(
            "Your Google Timeline (JSON)",
            type="json",
            key=f"timeline_{st.session_state.get('forget_uploads', 0)}_{st.session_state.get('own_weeks_forgotten', 0)}",
            max_upload_size=MAX_TIMELINE_MB,
            help="Android: Settings, Location, Location services, Timeline, Export. iPhone: Google Maps, Your Timeline, "
            "Location and privacy settings, Export Timeline data. Records.json and months of Takeout are read too.",
        )
        st.caption("It stays in the memory of this session, is written nowhere, and goes with it.")
        if given is None:
            return None

        home = st.context.timezone  # the browser's, for files with times in UTC alone

        def work(progress: Progress) -> OwnWeeks:
            return own_weeks_from_timeline(given.getvalue(), home_zone=home, progress=progress)

        own = awaited(_WORK, given.file_id, work, kept=1)
        found = None if own is None else _weeks(own, target)
        st.button(
            "Forget it",
            key="forget_own_week",
            icon=":material/delete:",
            on_click=_forget,
            args=(given.file_id,),
            help="Removes the file and what was counted from this session, at once.",
        )
    return found


def _weeks(own: OwnWeeks, target: OwnTarget) -> int:
    """Show the weeks to choose from, the sentence on the chosen one, and put it on the slider; return its unique trips."""
    counts = dict(own.unique_trips)
    if st.session_state.get("timeline_week") not in counts:
        st.session_state["timeline_week"] = own.heaviest
    week = st.selectbox(
        "Week of (Monday)",
        list(reversed(counts)),
        key="timeline_week",
        persist_state="session",
        format_func=lambda monday: f"{monday}: {_trips(counts[monday])}",
        help="The week with most unique trips comes first to mind; choose any other.",
    )
    n = counts[week]
    st.markdown(own_week_in_words(n, target, week))
    if len(counts) > 1:
        st.markdown(f"In half of your {len(counts):,} weeks you made {_trips(ceil(own.median))} or more.")
    st.caption(f"{own.clock} {own.left_out}".strip())
    st.button(
        "Show it on the curve",
        key="show_own_week",
        icon=":material/input:",
        on_click=_show,
        args=(target.slider, min(n, target.most)),
        help="Sets k to this number of unique trips.",
    )
    return n


def own_week_in_words(n: int, target: OwnTarget, week: str) -> str:
    """Return how often the attack is right about someone with so many unique trips in a week, one's own."""
    release = target.release
    bounded = bounded_attack_from_release_parameters(release, n)
    if target.gaussian is not None:
        optimal = bounded_attack_from_gaussian_parameters(target.gaussian, n).optimal
        promised = f"a week, with Gaussian noise and δ = {delta_words(target.gaussian.delta)} beside it"
    elif bounded is None:
        parameters = AttackParameters(epsilon=release.epsilon, noise=release.noise, max_trips=n)
        optimal, promised = cached.attack_curve(parameters, 0).optimal, "a trip"
    else:
        optimal = bounded.optimal
        most = bounded.max_trips_per_user
        promised = f"a week, of which at most {_trips(most)} {'is' if most == 1 else 'are'} counted"
    return (
        f"In the week of {week} you made **{_trips(n)}**: with ε = {release.epsilon:g} for {promised}, an attacker guesses "
        f"right **{words.in_hundred(float(optimal[n]))} times in 100** whether you are in the counts (a coin: 50)."
    )


def _trips(n: int) -> str:
    return f"{n:,} unique trip{'s' if n != 1 else ''}"


def _show(slider: str, n: int) -> None:
    state = st.session_state
    state.setdefault("own_week_before", {}).setdefault(slider, state.get(slider))
    state[slider] = n


def _forget(file_id: str) -> None:
    state = st.session_state
    stop_work(_WORK, forget=True)
    forget_uploads(file_id)
    for slider, before in state.pop("own_week_before", {}).items():
        state[slider] = before  # the address would go on naming one's own number of trips
    state.pop("timeline_week", None)
    state["own_weeks_forgotten"] = state.get("own_weeks_forgotten", 0) + 1
