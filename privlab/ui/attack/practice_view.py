"""What others promised, on the attack page: their ε as marks on the attack over ε, and all of it in one table."""

import streamlit as st

from privlab.dp.promise import PUBLISHED_PRACTICE, STATED_PRACTICE
from privlab.figures.planning import (
    ONLY_WHAT_IS_STATED,
    WIDTHS,
    delta_sentence,
    practice_figure,
    practice_rows,
    practice_sentence,
)
from privlab.od.simulating import ReleaseParameters
from privlab.ui import cached
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette


def practice(release: ReleaseParameters, your_trips: int, *, gaussian: bool) -> None:
    """Show the attack over ε with the ε of others on it, and what each of them says that it protects.

    `gaussian`: the page is on Gaussian noise, whose promise has a δ; then nothing is said of one beside the other noise.
    """
    epsilon, accuracy = cached.attack_over_epsilon(your_trips, release.noise)
    published = tuple(epsilon for _, epsilon in STATED_PRACTICE)
    _, heights = cached.attack_over_epsilon(your_trips, release.noise, published)
    marks = [(one, height) for (one, _), height in zip(STATED_PRACTICE, heights.tolist(), strict=True)]
    sentence = practice_sentence(marks, your_trips)
    st.markdown(sentence)
    parts.chart(
        lambda: practice_figure(epsilon, accuracy, marks, your_trips, palette()),
        key="practice_chart",
        alt=sentence,
        exhibit="practice",
        options={"k": your_trips, "noise": release.noise},
        about="nothing",
        made_of=(your_trips, release.noise),
    )
    if your_trips and not gaussian:
        counted = min(your_trips, release.max_trips_per_user or your_trips)
        week = cached.a_week_with_delta(counted, release.mechanism.epsilon_per_cell, release.noise)
        st.markdown(delta_sentence(week, of=your_trips))
    parts.table(practice_rows(PUBLISHED_PRACTICE), key="practice_table", widths=WIDTHS, high=True)
    st.caption(ONLY_WHAT_IS_STATED)
