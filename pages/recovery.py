"""Recovery: can whole trails be put together from counts by zone and hour?"""

import streamlit as st

from privlab.figures.groups import recovery_words
from privlab.ui import current_plan
from privlab.ui.recovery import recovery_page, recovery_views
from privlab.ui.shell import parts

plan = current_plan()
placed = recovery_page.placed_traces_of(plan)
if placed is None:
    st.stop()
finding = st.container()
parameters = recovery_page.recovery_controls(plan, placed[0])
if parameters is None:
    st.stop()
parts.true_data()
found = recovery_page.recovery_of(plan, placed, parameters)
if found is None:
    st.stop()
with finding:
    parts.finding(recovery_words.finding(found))
    recovery_page.busier_days(plan, placed[0], found)
recovery_views.accuracy_view(found)
recovery_views.person_view(found)
recovery_views.uniqueness_view(found)
recovery_views.compared_view(plan, placed, parameters)
