"""What others promised, on the attack page: their ε as marks on the attack over ε, and all of it in one table."""

import streamlit as st

from privlab.dp.promise import PUBLISHED_PRACTICE, STATED_PRACTICE
from privlab.figures.planning import delta_sentence, practice_figure, practice_rows
from privlab.od.simulating import ReleaseParameters
from privlab.ui import cached
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette


def practice(release: ReleaseParameters, your_trips: int) -> None:
    """Show the attack over ε with the ε of others on it, and what each of them says that it protects."""
    epsilon, accuracy = cached.attack_over_epsilon(your_trips, release.noise)
    published = tuple(epsilon for _, epsilon in STATED_PRACTICE)
    _, heights = cached.attack_over_epsilon(your_trips, release.noise, published)
    marks = [(one, height) for (one, _), height in zip(STATED_PRACTICE, heights.tolist(), strict=True)]
    bassolas = heights[0]
    sentence = (
        f"An ε says nothing without its unit. If ε protected one trip of a week, as the 0.66 of {PUBLISHED_PRACTICE[0].name} does, "
        f"someone with {your_trips} unique trips would be guessed right in {bassolas:.1%} of cases at 0.66 (a coin: 50%). "
        "Each diamond is an ε that others published or tried; the table below names them."
    )
    st.markdown(sentence)
    parts.chart(
        lambda: practice_figure(epsilon, accuracy, marks, your_trips, palette()),
        key="practice_chart",
        alt=sentence,
        options={"k": your_trips, "noise": release.noise},
        about="nothing",
        made_of=(your_trips, release.noise),
    )
    if your_trips:
        st.markdown(delta_sentence(cached.a_week_with_delta(your_trips, release.epsilon, release.noise)))
    parts.table(practice_rows(PUBLISHED_PRACTICE), key="practice_table")
    st.caption(
        "Only what a source states; “added up” is the sum over days or weeks (basic composition), which no source states. Where "
        "what could be read of a source states no ε, none is quoted from elsewhere."
    )
