"""Data: choose a sample or bring a file; who is in it, how much they move, and where."""

import streamlit as st

from privlab.datasets.catalog import sample_decoration
from privlab.figures.maps import zones_deck
from privlab.od.attack import AttackParameters
from privlab.ui import cached, data_parts, data_report, load_progress, own_file, parts, people_parts
from privlab.ui.parts import palette
from privlab.ui.state import current_plan

finding = st.container()
load_progress.watch_load()
data_parts.sample_cards()
with st.expander("Bring your own data", icon=":material/upload_file:", expanded=own_file.upload_is_open()):
    data_parts.upload()

plan = current_plan()
prepared = plan.prepared
people = people_parts.people_of(plan)
curve = cached.attack_curve(
    AttackParameters(epsilon=plan.release.epsilon, noise=plan.release.noise), plan.seed
)
sentence = people_parts.sentence(plan, people, curve)
with finding:
    parts.finding(sentence)
    parts.true_data()
data_report.metrics(plan, people)
left, right = st.columns(2, gap="large")
with left:
    st.markdown("**Unique trips per user in the week**" if prepared.has_users else "**Per person: unknown**")
    people_parts.histogram(people, curve, key="data_people", alt=sentence, height=380)
with right:
    st.markdown(f"**{'Unique trips' if prepared.has_users else 'Trips'} that leave each zone**")
    if prepared.zone_map.located:
        departures = cached.departures(prepared.key, prepared, plan.week, plan.group_size)
        parts.deck(
            zones_deck(
                prepared.zone_map,
                palette(),
                values=departures,
                unit="unique trips leave" if prepared.has_users else "trips leave",
                decoration=sample_decoration(plan.data),
            ),
            key="data_zones",
            alt="Map of the zones, darker where more trips begin.",
        )
    else:
        st.info("No map: the zones have no positions. Load the file with a table of zone, lat, lon.")
data_report.reading(prepared)
