"""Guarantee: what the release promises a trip and a person, and the exact risk of each person loaded."""

import streamlit as st

from privlab.ui import audit_parts, cached, exposure_parts, guarantee_parts, parts
from privlab.ui.state import current_plan

plan = current_plan()
finding = st.container()
parameters = guarantee_parts.parameters_control(plan)
if parameters is not None:
    guarantee = cached.guarantee(parameters)
    with finding:
        parts.finding(guarantee_parts.finding(guarantee))
    st.subheader("What the publisher may honestly say")
    guarantee_parts.statement(guarantee)
    st.subheader("The same noise is three promises")
    guarantee_parts.units_table(guarantee)
st.subheader("The people in the loaded data")
if not guarantee_parts.nothing_is_published(plan):
    guarantee_parts.person_risks(plan)
    exposure_parts.exposed_map(plan)
exposure_parts.risk_moves(plan)
st.subheader("Is the mechanism what it is said to be?")
audit_parts.audit(plan)
st.subheader("Making the release")
guarantee_parts.how_to_release()
