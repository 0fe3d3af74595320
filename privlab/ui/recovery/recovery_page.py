"""The recovery page's own controls and its work: which people are counted how, and what is put together."""

from datetime import date

import numpy as np
import numpy.typing as npt
import streamlit as st

from privlab.aggregates import Traces
from privlab.aggregates.defences import takes_epsilon
from privlab.aggregates.recovery import (
    IMPROVEMENTS,
    LEAST_PEOPLE,
    NOWHERE,
    STEPS_MIN,
    Recovery,
    RecoveryParameters,
    usual_first_day,
)
from privlab.checks import ParameterError, day_from_text, number_from_text
from privlab.datasets.zones import ZoneMap
from privlab.figures.groups import defence_words, recovery_words
from privlab.figures.wording import people, plain, words
from privlab.lab.attacking import placed_traces_from_rows
from privlab.limits import MAX_RECOVERED_DAYS
from privlab.ui.derived import derived, once_as_it_opens, underway
from privlab.ui.recovery.cached_recovery import busiest_first_day, people_seen
from privlab.ui.recovery.recovery_work import put_together
from privlab.ui.shell import parts
from privlab.ui.state import Plan
from privlab.ui.work.heavy_work import apart_and_heard, briefly
from privlab.ui.work.waiting import awaited, is_running, unfinished_of

_PEOPLE = ("20", "50", "100", "200", "500", "1000", "2000")
_EPSILONS = ("0.1", "1", "10")
_NO_DEFENCE = "none"


def placed_traces_of(plan: Plan) -> tuple[Traces, ZoneMap] | None:
    """Return the traces in the plan's data and where their zones lie; None, and why, while or where there are none."""
    found = derived(plan, "placed_traces", placed_traces_from_rows)
    if found is None and not underway(plan, "placed_traces"):
        if not plan.prepared.zone_map.located:
            parts.way_on("data", "Say on the page Data where the zones lie")
        parts.other_data("Load data with records of people", sample="subscribers")
    if found is not None and not found[1].located:
        st.warning(plain(NOWHERE))
        parts.way_on("data", "Say on the page Data where the zones lie")
        parts.other_data("Load other data", sample="subscribers")
        return None
    return found


def recovery_controls(plan: Plan, traces: Traces) -> RecoveryParameters | None:
    """Show who is counted, how long, by which step and under which defence; return it, or say what cannot be."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        users = st.select_slider(
            "People counted, at most",
            _PEOPLE,
            value="100",
            key="recover_users",
            bind="query-params",
            width=180,
            help="Drawn by the seed among those seen; all of them where fewer are. More people in the same zones are harder to keep apart.",
        )
        days = st.number_input(
            "Days",
            1,
            MAX_RECOVERED_DAYS,
            7,
            key="recover_days",
            bind="query-params",
            width=90,
            help="How many days are followed. They are put together one by one, then linked.",
        )
        begin = st.text_input(
            "First day",
            key="recover_from",
            bind="query-params",
            placeholder=str(usual_first_day(traces)),
            width=130,
            help="Written as 2026-03-02. Empty: the data's first Monday, or its first day where it has none.",
        )
        step = st.selectbox(
            "Step (min)",
            [str(one) for one in STEPS_MIN],
            key="recover_step",
            bind="query-params",
            width=100,
            help="How often people are counted. The longer a step, the further people may have gone.",
        )
        improvements = st.multiselect(
            "Improvements",
            IMPROVEMENTS,
            default=[],
            key="recover_improve",
            bind="query-params",
            placeholder="none: as first published",
            width=300,
            help=f"What an open re-evaluation added to the attack; none of it needs more than the counts. {recovery_words.IMPROVEMENTS}",
        )
        defence, epsilon = _defence_controls()
    try:
        first = _first_day(traces, begin)
    except ParameterError as error:
        st.warning(plain(str(error)))
        parts.setting_button("Begin where the data does", key="first_of_days", recover_from="")
        return None
    seen, n_days = (
        people_seen(plan.prepared.key, traces, first),
        min(int(days or 1), _days_ahead(traces, first)),
    )
    n_seen = int(seen[n_days - 1])
    if n_seen < LEAST_PEOPLE:
        _too_few_seen(plan, traces, seen, n_days, first)
        return None
    if n_seen < int(users):
        st.caption(f"All {people(n_seen)} who are seen in {_period(traces, n_days, first)} are followed.")
    try:
        return RecoveryParameters(
            users=min(int(users), n_seen),
            days=n_days,
            step_min=int(step or STEPS_MIN[0]),
            first_day=first,
            defence=defence,
            epsilon=None if epsilon is None else number_from_text("epsilon", epsilon),
            improvements=tuple(improvements),
            seed=plan.seed,
        )
    except ParameterError as error:
        st.warning(plain(str(error)))
        _undefended("first_recovery", seen)
        return None


def recovery_of(
    plan: Plan, placed: tuple[Traces, ZoneMap], parameters: RecoveryParameters
) -> Recovery | None:
    """Return what is put together, or show its progress; None while it is, and where it cannot be, which is said."""

    key, stopped = (plan.prepared.key, parameters), unfinished_of("recovery")

    def heard(so_far: Recovery | None) -> None:
        stopped.clear()
        if so_far is not None:
            stopped[key] = so_far

    found = awaited(
        "recovery",
        key,
        once_as_it_opens(
            plan,
            ("first recovery", parameters),
            apart_and_heard(put_together, heard, placed, parameters),
            opens=parameters == RecoveryParameters(),
            brief=briefly(put_together, placed, parameters, heard=heard),
        ),
        kept=4,
    )
    if found is None and not is_running("recovery") and key in stopped:
        so_far: Recovery = stopped[key]
        st.caption(
            f"Put together before the stop, and shown here: {so_far.parameters.days} of {parameters.days} days."
        )
        return so_far
    if found is None and not is_running("recovery"):
        _undefended("small_recovery", people_seen(plan.prepared.key, placed[0], parameters.first_day))
        parts.other_data("Load other data, or say where its zones lie", sample="subscribers")
    return found


def busier_days(plan: Plan, traces: Traces, found: Recovery) -> None:
    """Lead on from days on which hardly anybody is seen to those of the data on which people are seen most."""
    if recovery_words.hardly_seen(found):
        _to_busier_days(plan, traces, found.parameters.days, found.followed.first_day)


def _to_busier_days(plan: Plan, traces: Traces, days: int, first: date) -> None:
    busiest = busiest_first_day(plan.prepared.key, traces, days)
    n_seen = people_seen(plan.prepared.key, traces, busiest)[:days]
    if busiest != first and n_seen[-1] >= LEAST_PEOPLE:
        parts.setting_button(
            f"Begin on {busiest}: the {'day' if days == 1 else f'{days} days'} with the most records",
            key="busier_days",
            recover_from=str(busiest),
        )


def _first_day(traces: Traces, text: str | None) -> date | None:
    """Return the day that is asked for, None where none is. Raises ParameterError for one that the data does not have."""
    day = day_from_text("first day", text or None)
    if day is not None and not traces.first_day <= day <= traces.last_day:
        raise ParameterError(f"first day must be from {traces.first_day} to {traces.last_day}, got {day}.")
    return day


def _defence_controls() -> tuple[str, str | None]:
    defence = st.selectbox(
        "Defence",
        [_NO_DEFENCE, *defence_words.DEFENCES],
        key="recover_defence",
        bind="query-params",
        format_func=lambda name: (
            "none: true counts" if name == _NO_DEFENCE else defence_words.DEFENCES.get(name, name)
        ),
        accept_new_options=True,
        width=250,
        help="What is done to the counts before they are published, as on Groups. Or type one: suppress:3, gaussian:1e-6.",
    )
    name = defence or _NO_DEFENCE
    text = st.selectbox(
        "ε",
        _EPSILONS,
        index=1,
        key="recover_epsilon",
        bind="query-params",
        accept_new_options=True,
        disabled=not takes_epsilon(name),
        width=90,
        help="How much the defended counts may give away. Smaller defends more and distorts more.",
    )
    return name, (text or "1") if takes_epsilon(name) else None


def _days_ahead(traces: Traces, first: date | None) -> int:
    return (traces.last_day - (first or usual_first_day(traces))).days + 1


def _period(traces: Traces, n_days: int, first: date | None) -> str:
    """Return which days are put together."""
    first = first or usual_first_day(traces)
    return f"the day of {first}" if n_days == 1 else f"the {n_days:,} days that begin on {first}"


def _too_few_seen(
    plan: Plan, traces: Traces, seen: npt.NDArray[np.int64], n_days: int, first: date | None
) -> None:
    """Say how many people are seen in the days asked for, and lead on to more days where more are, or to other data."""
    st.warning(
        f"In {_period(traces, n_days, first)}, {'nobody is' if not seen[n_days - 1] else '1 person is'} seen. A recovery needs at least "
        f"{LEAST_PEOPLE} people, whose trails could be taken for one another."
    )
    enough = np.flatnonzero(seen >= LEAST_PEOPLE)
    if enough.size:
        days = int(enough[0]) + 1
        parts.setting_button(
            f"Follow {people(int(seen[days - 1]))} for {words.number_of('day', days)}",
            key="more_days",
            recover_days=days,
        )
    else:
        most = int(seen.max(initial=0))
        st.markdown(
            f"However many days are taken from then on, {'nobody is' if not most else 'no more than 1 person is'} seen."
        )
    _to_busier_days(plan, traces, n_days, first or usual_first_day(traces))
    parts.other_data("Load data of more people and days", sample="subscribers")


def _undefended(key: str, seen: npt.NDArray[np.int64]) -> None:
    """Lead back to counts as they are, of few people on as few days as show two."""
    days = int(np.argmax(seen >= LEAST_PEOPLE)) + 1
    n_people = min(int(_PEOPLE[0]), int(seen[days - 1]))
    parts.setting_button(
        f"Follow {people(n_people)} for {'one day' if days == 1 else f'{days} days'}, counts as they are",
        key=key,
        recover_users=_PEOPLE[0],
        recover_days=days,
        recover_defence=_NO_DEFENCE,
        recover_epsilon="1",
    )
