"""Home: what the lab answers, one live figure, a door to each page."""

import streamlit as st

from privlab.figures import attack_figure, words
from privlab.od.risks import AttackParameters
from privlab.ui import cached
from privlab.ui.flows import attack_page
from privlab.ui.shell import page_list, palette, parts

plan, release = st.session_state["plan"], st.session_state["release"]
curve = cached.attack_curve(AttackParameters(epsilon=release.epsilon, noise=release.noise), seed=1)

parts.finding(words.claim_finding(curve))
st.markdown(
    "What does publishing mobility data cost the people in it? Load a dataset or pick a sample, move the "
    "sliders on the left, and see what an attacker would learn and what a release would still be good for."
)
parts.chart(
    attack_figure(curve, palette(), your_trips=12, bounded=cached.bounded_attack(release), height=460),
    key="home_attack",
    alt=attack_page.curve_in_words(curve),
    exhibit="attack",
    options={"k": 12, "simulated_games": 0},
    about="noise",
)
st.caption(
    "Best attack on noisy origin–destination counts, after Houssiau, Rocher and de Montjoye, "
    "Nature Communications 2022. Move *Privacy loss ε* on the left: the curve follows."
)
page_list.all_doors()
if plan is not None:
    st.caption(f"Now loaded: {plan.provenance}.")
st.caption(
    "What the pages draw of a release is a simulation; only Publish makes one for good. What you load stays "
    "in your session and goes with it."
)
attack_page.formula()
