"""Data: choose a sample or bring a file; who is in it, how much they move, and where."""

import streamlit as st

from privlab.datasets.catalog import sample_decoration
from privlab.figures.attack import trips_histogram
from privlab.figures.maps import zones_deck
from privlab.od.attack import AttackParameters, share_above_claim
from privlab.ui import cached, data_parts, data_report, load_progress, parts, words
from privlab.ui.parts import palette
from privlab.ui.state import current_plan

finding = st.container()
load_progress.watch_load()
data_parts.sample_cards()
with st.expander("Bring your own file", icon=":material/upload_file:", expanded=data_report.upload_is_open()):
    data_parts.upload()

plan = current_plan()
prepared = plan.prepared
people = cached.trips_per_user(prepared.key, prepared.trips, plan.week, plan.group_size)
curve = cached.attack_curve(
    AttackParameters(epsilon=plan.release.epsilon, noise=plan.release.noise), plan.seed
)
first = curve.first_trips_above_claim
sentence = words.people_finding(people, first, share_above_claim(people, curve), plan.release)
with finding:
    parts.finding(sentence)
    parts.true_data()
data_report.metrics(prepared, people)
left, right = st.columns(2, gap="large")
with left:
    st.markdown("**Unique trips per user in the week**")
    parts.chart(
        trips_histogram(people, palette(), first_above=first, height=380), key="data_people", alt=sentence
    )
with right:
    st.markdown("**Unique trips that leave each zone**")
    if prepared.zone_map.located:
        departures = cached.departures(prepared.key, prepared.trips, plan.week)
        parts.deck(
            zones_deck(
                prepared.zone_map,
                palette(),
                values=departures,
                unit="unique trips leave",
                decoration=sample_decoration(plan.data),
            ),
            key="data_zones",
            alt="Map of the zones, darker where more unique trips begin.",
        )
    else:
        st.info("No map: the zones have no positions. Load the file with a table of zone, lat, lon.")
data_report.reading(prepared)
