"""Guarantee: what the release promises a trip and a person, and the exact risk of each person loaded."""

import streamlit as st

from privlab.ui import cached, current_plan
from privlab.ui.guarantee import audit_view, exposure_view, guarantee_page, pipeline_view
from privlab.ui.shell import parts

plan = current_plan()
finding = st.container()
# Each part is there in each run, so that no control moves up when a sentence above it goes.
with st.container():
    parameters = guarantee_page.parameters_control(plan)
with st.container():
    if parameters is not None:
        guarantee = cached.guarantee(parameters)
        with finding:
            parts.finding(guarantee_page.finding(guarantee))
        st.subheader("What the publisher may honestly say")
        guarantee_page.statement(guarantee, plan)
        st.subheader("What this noise protects: a trip, a week, a person")
        guarantee_page.units_table(guarantee)
        guarantee_page.for_experts(guarantee)
with st.container():
    st.subheader("The people in the loaded data")
    gaussian = guarantee_page.gaussian_of(parameters)
    if gaussian is not None:
        guarantee_page.gaussian_risks(plan, gaussian)
    elif not guarantee_page.nothing_is_published(plan):
        guarantee_page.person_risks(plan)
        exposure_view.exposed_map(plan)
    if gaussian is None:
        exposure_view.risk_moves(plan)
with st.container():
    st.subheader("Is the mechanism what it is said to be?")
    audit_view.audit(plan)
with st.container():
    st.subheader("The whole way, from file to file")
    pipeline_view.whole_way(plan)
st.subheader("Making the release")
guarantee_page.how_to_release()
