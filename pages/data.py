"""Data: choose a sample or bring a file; who is in it, how much they move, and where."""

import streamlit as st

from privlab.od.attack import AttackParameters
from privlab.ui import cached, current_plan
from privlab.ui.attack import people_view
from privlab.ui.data import data_page, data_report, load_watch, own_file
from privlab.ui.flowmap import flow_map_view
from privlab.ui.report import report_state
from privlab.ui.shell import parts

finding = st.container()
load_watch.watch_load()
trouble = data_page.upload()
data_page.sample_cards()
if own_file.is_brought_in():
    with finding:
        parts.finding(data_page.not_loaded_yet(trouble))
    st.stop()  # the figures below are of other data

plan = current_plan()
prepared = plan.prepared
people = people_view.people_of(plan)
curve = cached.attack_curve(
    AttackParameters(epsilon=plan.release.epsilon, noise=plan.release.noise), plan.seed
)
sentence = data_page.nobody_moves(plan) or people_view.sentence(plan, people, curve)
with finding:
    parts.finding(people_view.nothing_published_first(plan) + sentence)
    parts.true_data()
    data_report.said_first(prepared)
    data_page.proposal_note(plan)
data_report.metrics(plan, people)
left, right = st.columns(2, gap="large")
with left:
    if not prepared.has_users:
        st.markdown("**Per person: unknown**")
    people_view.histogram(
        people, curve, key="data_people", alt=sentence, height=380, limit=plan.release.max_trips_per_user
    )
with right:
    flow_map_view.departures_map(plan)
data_report.rhythm(prepared, plan.week)
data_report.reading(prepared)
report_state.add_button("data")
