"""The recovery page's views: how much is right beside what takes no attack, and one trail beside the true one."""

import streamlit as st

from privlab.aggregates.recovery import Recovery
from privlab.figures.groups import recovered_trail_figure, recovery_figure
from privlab.figures.groups import recovery_words as words
from privlab.reports import Option
from privlab.ui.report.report_state import add_button
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette


def accuracy_view(found: Recovery) -> None:
    """Show how many steps are right, by the attack and by the baselines, and what it rests on."""
    sentence = words.finding(found)
    parts.chart(
        recovery_figure(found, palette()),
        key="recovery_chart",
        alt=sentence,
        exhibit="recovery",
        options=options_of(found),
        about="data",
    )
    parts.table(words.rows(found), key="recovery_table")
    st.caption(words.account(found))


def person_view(found: Recovery) -> None:
    """Show one person's trail beside the one put together, by place in the order of how much is right; no id is shown."""
    n_people, n_days = found.followed.n_people, found.followed.n_steps // found.followed.steps_a_day
    controls = st.container(horizontal=True, vertical_alignment="bottom")
    with controls:
        place = st.number_input(
            f"Which of {n_people:,} people",
            1,
            n_people,
            found.telling_place,
            key="recovered_person",
            bind="query-params",
            width=220,
            help=f"1: whose trail came out best, {n_people:,}: worst.",
        )
        days = n_days
        if n_days > 1:
            days = st.slider(
                f"Days shown, of {n_days}",
                1,
                n_days,
                n_days,
                key="recovered_days",
                persist_state="session",
                width=360,
                help="Follow both trails day by day, by hand here or with Play in the picture.",
            )
    place = min(int(place or 1), n_people)
    person = int(found.ranked[place - 1])
    sentence = words.person_words(found, person)
    st.markdown(sentence)
    parts.chart(
        recovered_trail_figure(found, person, palette(), days=min(days, n_days)),
        key="recovered_trail",
        alt=sentence,
        about="data",
        exhibit="recovered_trail",
        options=options_of(found) | {"person": place, "days_shown": days},
    )


def uniqueness_view(found: Recovery) -> None:
    """Show how many trails their most visited zones single out, recovered and true."""
    st.markdown("**Alone in their most visited zones**")
    parts.table(words.uniqueness_rows(found), key="recovered_unique")
    st.caption(words.UNIQUE_MEANS)
    add_button("recovered_unique", **options_of(found))


def options_of(found: Recovery) -> dict[str, Option]:
    """Return the page's own parameters as a report keeps them."""
    parameters = found.parameters
    return {
        "people": parameters.users,
        "days": parameters.days,
        "step": parameters.step_min,
        "defence": parameters.defence,
        "epsilon": parameters.epsilon,
        **({"improve": ",".join(parameters.improvements)} if parameters.improvements else {}),
    }
