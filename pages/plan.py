"""Plan: which ε, bound and threshold satisfy what a steward accepts, and what a bound leaves uncounted."""

import streamlit as st

from privlab.ui import clipping_parts, parts, plan_parts
from privlab.ui.state import current_plan

plan = current_plan()
finding = st.container()
request = plan_parts.wishes(plan)
parts.true_data()
advice = plan_parts.advice_of(plan, request)
if advice is None:
    st.stop()
with finding:
    parts.finding(advice.statement)
plan_parts.adopt_button(plan, advice)
left, right = st.columns([3, 2], gap="large")
with left:
    plan_parts.figure(advice)
with right:
    plan_parts.neighbours(advice)
    plan_parts.frontier_table(plan, advice)
st.subheader("What the bound leaves uncounted")
clipping_parts.clipping(plan, advice)
plan_parts.on_the_command_line(plan, request)
plan_parts.formula()
