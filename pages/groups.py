"""Groups: would someone be recognised in counts of a group, and does noise help?"""

import streamlit as st

from privlab.ui import current_plan
from privlab.ui.groups import defence_view, groups_page, groups_views, watched_games
from privlab.ui.shell import parts

plan = current_plan()
traces = groups_page.traces_of(plan)
if traces is None:
    st.stop()
finding = st.empty()  # one element, so that what is said of games that go on replaces what was said before
choice = groups_page.game_controls(plan, traces)
if choice is None:
    st.stop()
view = groups_page.view_control()
parts.true_data()
choice = groups_page.fitting(choice, plan.prepared.key, traces)
with st.container():  # there in each run, so that no control below moves up when nothing is said in it
    groups_views.say_what_was_changed(choice)
if view == "one aggregate":
    groups_views.example_view(plan, traces, choice, finding)
elif view == "defences":
    defence_view.defences_view(plan, traces, choice, finding)
else:
    watched_games(
        "groups",
        plan,
        traces,
        choice.games,
        lambda results: groups_views.show_results(view, results, plan, traces, finding),
        finding,
    )
