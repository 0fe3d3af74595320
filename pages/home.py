"""Home: three doors, true flows beside published ones and the slider that moves them, and the claim it all began with."""

import streamlit as st

from privlab.ui import home_page, shared_controls, wait_for_sample
from privlab.ui.attack import attack_page
from privlab.ui.shell import page_list

plan, release = st.session_state["plan"], st.session_state["release"]

home_page.lead()
home_page.three_doors()
shared_controls.epsilon_slider()
if plan is None:
    wait_for_sample(st.session_state["data"])
else:
    home_page.picture(plan)

home_page.claim(plan, release)
attack_page.formula()
st.subheader("All pages")
page_list.all_doors()
st.caption(
    "What the pages draw of a release is a simulation; only Publish makes one for good. What you load stays "
    "in your session and goes with it."
)
