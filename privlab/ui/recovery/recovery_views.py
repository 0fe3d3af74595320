"""The recovery page's views: how much is right beside what takes no attack, and one trail beside the true one."""

import streamlit as st

from privlab.aggregates import Traces
from privlab.aggregates.recovery import OVER, Recovery, RecoveryParameters, RecoveryPoint, recoveries_over
from privlab.datasets.zones import ZoneMap
from privlab.figures.groups import compared_recoveries_figure, recovered_trail_figure, recovery_figure
from privlab.figures.groups import recovery_words as words
from privlab.reports import Option
from privlab.ui.recovery.cached_recovery import people_seen
from privlab.ui.recovery.recovery_work import compare
from privlab.ui.report.report_state import add_button
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette
from privlab.ui.sliders import days_slider, follow
from privlab.ui.state import Plan
from privlab.ui.work.heavy_work import apart_and_heard
from privlab.ui.work.waiting import held_job, is_running, outcome, start_work, unfinished_of


def accuracy_view(found: Recovery) -> None:
    """Show how many steps are right, by the attack and by the baselines, and what it rests on."""
    sentence = words.finding(found)
    parts.chart(
        recovery_figure(found, palette()),
        key="recovery_chart",
        alt=sentence,
        exhibit="recovery",
        options=options_of(found.parameters),
        about="data",
    )
    parts.table(words.rows(found), key="recovery_table")
    st.caption(words.account(found))


def person_view(found: Recovery) -> None:
    """Show one person's trail beside the one put together, by place in the order of how much is right; no id is shown."""
    n_people, n_days = found.followed.n_people, found.followed.n_steps // found.followed.steps_a_day
    controls = st.container(horizontal=True, vertical_alignment="bottom")
    follow("recovered_person", found.telling_place)
    with controls:
        place = st.number_input(
            f"Which of {n_people:,} people",
            1,
            n_people,
            found.telling_place,
            key="recovered_person",
            bind="query-params",
            width=220,
            help=f"1: whose trail came out best, {n_people:,}: worst. It opens with whoever was in the most zones.",
        )
        days = days_slider(
            "recovered_days",
            n_days,
            n_days,
            "Follow both trails day by day, by hand here or with Play in the picture.",
        )
    place = min(int(place or 1), n_people)
    person = int(found.ranked[place - 1])
    sentence = words.person_words(found, person)
    st.markdown(sentence)
    parts.chart(
        recovered_trail_figure(found, person, palette(), days=days),
        key="recovered_trail",
        alt=sentence,
        about="data",
        exhibit="recovered_trail",
        options=options_of(found.parameters) | {"person": place, "days_shown": days},
    )


def uniqueness_view(found: Recovery) -> None:
    """Show how many trails their most visited zones single out, recovered and true."""
    st.markdown("**Alone in their most visited zones**")
    parts.table(words.uniqueness_rows(found), key="recovered_unique")
    st.caption(words.UNIQUE_MEANS)
    add_button("recovered_unique", **options_of(found.parameters))


def compared_view(plan: Plan, placed: tuple[Traces, ZoneMap], parameters: RecoveryParameters) -> None:
    """Offer the same recovery over people, steps or defences, and show what was found; it can be stopped."""
    st.markdown("**The same with other people, steps or defences**")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        over = st.segmented_control(
            "Compare over",
            OVER,
            default=OVER[0],
            key="recover_over",
            bind="query-params",
            required=True,
            help="people: 20 to 500 of them. steps: 1 to 6 hours. defences: each of the page Groups, with the ε above, or 1. All else stays "
            "as it is set above.",
        )
        n_seen = int(people_seen(plan.prepared.key, placed[0], parameters.first_day)[parameters.days - 1])
        settings = recoveries_over(parameters, over or OVER[0], n_users=n_seen)
        key, stopped = (plan.prepared.key, settings), unfinished_of("recoveries")
        if st.button(
            f"Put trails together {'once' if len(settings) == 1 else f'{len(settings)} times'}",
            key="run_recoveries",
            icon=":material/stacked_bar_chart:",
            disabled=is_running("recoveries"),
            help="Once for each. It shows its progress, and can be stopped: what was finished stays.",
        ):
            stopped.clear()

            def heard(points: list[RecoveryPoint]) -> None:
                stopped[key] = points

            start_work("recoveries", key, apart_and_heard(compare, heard, placed, settings))
            st.rerun()
    if held_job("recoveries", key) is None and not is_running("recoveries"):
        return
    found: list[RecoveryPoint] | None = outcome("recoveries")
    if found is None and not is_running("recoveries") and stopped.get(key):
        found = stopped[key]
        st.caption(f"Finished before the stop, and shown here: {len(found)} of {len(settings)}.")
    if not found:
        return
    sentence = words.compared_finding(found)
    st.markdown(sentence)
    parts.chart(
        compared_recoveries_figure(found, palette()),
        key="recoveries_chart",
        alt=sentence,
        about="data",
        exhibit="recovery_over" if len(found) == len(settings) else None,
        options=options_of(parameters) | {"over": over or OVER[0]},
    )
    parts.table(words.compared_rows(found), key="recoveries_table")


def options_of(parameters: RecoveryParameters) -> dict[str, Option]:
    """Return the page's own parameters as a report keeps them."""
    return {
        "people": parameters.users,
        "days": parameters.days,
        "step": parameters.step_min,
        **({} if parameters.first_day is None else {"first_day": str(parameters.first_day)}),
        "defence": parameters.defence,
        "epsilon": parameters.epsilon,
        **({"improve": ",".join(parameters.improvements)} if parameters.improvements else {}),
    }
