"""Home: three doors, true flows beside published ones and the slider that moves them, and the claim it all began with."""

import streamlit as st

from privlab.figures.risks import attack_figure
from privlab.figures.wording import words
from privlab.od.attack import AttackParameters
from privlab.ui import cached, home_page, inputs, wait_for_sample
from privlab.ui.attack import attack_page, gaussian_attack_view
from privlab.ui.shell import page_list, palette, parts

plan, release = st.session_state["plan"], st.session_state["release"]

home_page.lead()
home_page.three_doors()
inputs.epsilon_slider()
if plan is None:
    wait_for_sample(st.session_state["data"])
else:
    home_page.picture(plan)

st.subheader("The claim it began with")
curve = cached.attack_curve(AttackParameters(epsilon=release.epsilon, noise=release.noise), seed=1)
st.markdown(words.claim_finding(curve))
st.caption(
    "The claim: Bassolas et al., *Hierarchical organization of urban mobility*, Nature Communications 2019, who published "
    "with ε = 0.66 and said that an attacker gains at most 16%. The attack: Houssiau, Rocher and de Montjoye, Nature "
    "Communications 2022."
)
bounded = home_page.attack_under_limit(plan, release)
parts.chart(
    attack_figure(curve, palette(), your_trips=12, bounded=bounded, height=400),
    key="home_attack",
    alt=attack_page.curve_in_words(curve),
    exhibit="attack" if plan is None or gaussian_attack_view.gaussian_planned(plan) is None else None,
    options={"k": 12, "simulated_games": 0},
    about="noise",
)
attack_page.formula()
st.subheader("All pages")
page_list.all_doors()
st.caption(
    "What the pages draw of a release is a simulation; only Publish makes one for good. What you load stays "
    "in your session and goes with it."
)
