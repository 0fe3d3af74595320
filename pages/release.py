"""Release: what would be published, what suppressed, what made up, and how far off."""

import streamlit as st

from privlab.figures.flows import decay_figure, error_figure, scatter_figure
from privlab.figures.wording import findings
from privlab.ui import current_plan
from privlab.ui.planning import mechanism_choice, release_page
from privlab.ui.report import report_state
from privlab.ui.shell import palette, parts

plan = current_plan()
# What is said above the map comes and goes, so it has a part of its own: whatever moved the map down would have the browser begin it anew.
finding, above, map_part = st.container(), st.container(), st.container(key="map_part")
with above:
    shown = mechanism_choice.shown_of(plan)
if shown is None:
    st.stop()
view = shown.view
with finding:
    parts.finding(shown.finding)
with above:
    release_page.nothing_is_published(view)
    release_page.little_is_near(view)
    release_page.zones_that_no_list_has(plan)
    parts.true_data()
    if shown.step is not None:
        mechanism_choice.use_metrics(shown.step)
    release_page.utility_metrics(view.utility, near=shown.step is None)
    if not plan.prepared.has_users:
        st.caption(findings.PERHAPS_TRIPS)

# Each figure waits for those sent before it, so that what is looked at first is sent first: where the error comes from, then the map, and the
# two figures that stand lowest at the end.
if plan.prepared.zone_map.located and (maps := shown.exhibit("flow_maps")):
    report_state.add_button(maps, **shown.options)
error, scatter = st.columns(2, gap="large")
with error:
    parts.chart(
        error_figure(view.utility, palette()),
        key="release_error",
        alt=findings.error_in_words(view.utility),
        exhibit=shown.exhibit("error"),
        options=shown.options,
        about=shown.about,
    )
with map_part:
    release_page.maps(plan, view, shown.half_width)
release_page.utility_table(view.utility, shown.exhibit("utility"), shown.options)
release_page.analyses_table(plan, shown.request, shown.exhibit("simulated_analyses"), shown.options)
release_page.download(plan, view.release, shown.parameters)
mechanism_choice.publish_button(shown)
mechanism_choice.where_its_report_is(shown)
release_page.formula()
with error:
    if view.decay is not None:
        parts.chart(
            decay_figure(view.decay, palette()),
            key="release_decay",
            alt="Share of trips by distance, true and published.",
            exhibit=shown.exhibit("decay"),
            options=shown.options,
            about=shown.about,
        )
with scatter:
    parts.chart(
        scatter_figure(view.flows, palette(), threshold=plan.release.threshold, height=460),
        key="release_scatter",
        alt="Published against true counts of each flow; the closer to the diagonal, the smaller the error.",
        exhibit=shown.exhibit("scatter"),
        options=shown.options,
        about=shown.about,
        on_pick=release_page.keep_box,
        brush=True,
    )
