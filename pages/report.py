"""Report: what was collected on the other pages, in order, as one file to carry away."""

import streamlit as st

from privlab.ui import parts, report_job, report_parts

finding = st.container()
plan = report_parts.heading()
n = len(plan.items)
with finding:
    parts.finding(
        "Nothing is in the report yet."
        if not n
        else f"{n} part{'s' if n > 1 else ''} in the {plan.kind} report."
    )
report_parts.items(plan)
report_job.making(plan)
report_parts.plan_file(plan)
