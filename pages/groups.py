"""Groups: would someone be recognised in counts of a group, and does noise help?"""

import streamlit as st

from privlab.ui import defence_parts, groups_parts, groups_views, parts
from privlab.ui.game_play import watched_games
from privlab.ui.state import current_plan

plan = current_plan()
traces = groups_parts.traces_of(plan)
if traces is None:
    st.stop()
choice = groups_parts.game_controls(traces, plan.seed)
if choice is None:
    st.stop()
view = groups_parts.view_control()
parts.true_data()
if view == "one aggregate":
    groups_views.example_view(plan, traces, choice)
elif view == "defences":
    defence_parts.defences_view(plan, traces, choice)
else:
    watched_games(
        "groups", plan, traces, choice.games, lambda results: groups_views.show_results(view, results, plan)
    )
