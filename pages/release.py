"""Release: what would be published, what suppressed, what made up, and how far off."""

import streamlit as st

from privlab.figures.flows import decay_figure, error_figure, scatter_figure
from privlab.figures.wording import words
from privlab.ui import current_plan
from privlab.ui.flows import release_page
from privlab.ui.report import report_state
from privlab.ui.shell import palette, parts

plan = current_plan()
view = release_page.view_of(plan)
if view is None:
    st.stop()
parts.finding(words.release_finding(view.utility, view.n_users, plan.release))
release_page.nothing_is_published(view)
parts.true_data()
release_page.utility_metrics(view.utility)
if not plan.prepared.has_users:
    st.caption(words.PERHAPS_TRIPS)

maps = st.container()
parts.true_data()
error, scatter = st.columns(2, gap="large")
with error:
    parts.chart(
        error_figure(view.utility, palette()),
        key="release_error",
        alt=words.error_in_words(view.utility),
        exhibit="error",
    )
    if view.decay is not None:
        parts.chart(
            decay_figure(view.decay, palette()),
            key="release_decay",
            alt="Share of trips by distance, true and published.",
            exhibit="decay",
        )
with scatter:
    parts.chart(
        scatter_figure(view.flows, palette(), threshold=plan.release.threshold, height=460),
        key="release_scatter",
        alt="Published against true counts of each flow; the closer to the diagonal, the smaller the error.",
        exhibit="scatter",
    )
release_page.utility_table(view.utility)
release_page.analyses_table(plan)
release_page.download(plan, view.release)
release_page.formula()
with maps:  # filled last: drawing it takes longest, and nothing else should wait for it
    release_page.maps(plan, view)
    report_state.add_button("flow_maps")
