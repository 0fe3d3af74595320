"""Plan: which ε, bound and threshold satisfy what a steward accepts, and what the limit on trips takes."""

import streamlit as st

from privlab.ui import current_plan
from privlab.ui.planning import (
    mechanisms_view,
    plan_offer,
    plan_page,
    plan_wishes,
    release_page,
    year_view,
    zone_sizes_view,
)
from privlab.ui.report import part_settings, report_buttons
from privlab.ui.shell import parts

plan = current_plan()
finding = st.container()
request = plan_wishes.wishes(plan)
part_settings.keep_wishes(request)
parts.true_data()
advice = plan_page.advice_of(plan, request)
if advice is None:
    st.stop()
with finding:
    parts.finding(advice.statement)
release_page.zones_that_no_list_has(plan)
plan_page.adopt_button(plan, advice)
left, right = st.columns([3, 2], gap="large")
with left:
    plan_page.figure(plan, advice)
    report_buttons.add_plan_buttons(request)
with right:
    plan_offer.neighbours(plan, advice)
plan_page.frontier_table(plan, advice)
st.subheader("What the limit on trips takes")
plan_page.clipping(plan, advice)
mechanisms_view.mechanisms(plan, advice)
zone_sizes_view.zone_sizes(plan, request)
year_view.year_ahead(plan, advice)
plan_page.on_the_command_line(plan, request)
plan_page.formula()
