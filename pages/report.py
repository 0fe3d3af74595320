"""Report: what was collected on the other pages, in order, as one file to carry away."""

import streamlit as st

from privlab.ui.report import report_buttons, report_downloads, report_page
from privlab.ui.shell import parts

finding = st.container()
report_buttons.offers(st.session_state.get("plan"))
plan = report_page.heading()
n = len(plan.items)
with finding:
    parts.finding(
        "Nothing is in the report yet."
        if not n
        else f"{n} part{'s' if n > 1 else ''} in the {plan.kind} report."
    )
report_downloads.making(plan)
report_page.items(plan)
report_page.plan_file(plan)
