"""What a bound on trips per user leaves uncounted: sentence, chart, and the flows that lose most."""

import streamlit as st

from privlab.figures.maps import flow_label
from privlab.figures.plan import clipping_figure
from privlab.od.planner import Advice
from privlab.ui import cached, parts
from privlab.ui.parts import palette
from privlab.ui.state import Plan

_FLOWS_SHOWN = 50


def clipping(plan: Plan, advice: Advice) -> None:
    """Show how many trips each bound leaves uncounted, and the flows that lose most to one of them."""
    left_bound, best = plan.release.max_trips_per_user, advice.recommended
    marked = {} if left_bound is None else {f"on the left: {left_bound:,}": left_bound}
    if best is not None and best.max_trips_per_user != left_bound:
        marked[f"recommended: {best.max_trips_per_user:,}"] = best.max_trips_per_user
    found = cached.clipping(plan.prepared.key, plan.prepared, plan.week, plan.group_size)
    if found is None:
        return
    bound = left_bound or (best.max_trips_per_user if best is not None else None)
    if bound is None:
        sentence = f"Choose a bound on the left to see what it takes from {found.n_trips:,} unique trips."
    else:
        trips, people = found.at(bound)
        sentence = (
            f"At most {bound:,} trips per user leave **{trips:,} of {found.n_trips:,} unique trips uncounted "
            f"({trips / max(found.n_trips, 1):.1%})**, of {people:,} of {found.n_people:,} people."
        )
    st.markdown(f"{sentence} Noise comes on top; this loss is the same in every release.")
    figure_, flows = st.columns([3, 2], gap="large")
    with figure_:
        parts.chart(
            clipping_figure(found, palette(), marked=marked),
            key="plan_clipping",
            alt=sentence.replace("*", ""),
            about="people",
        )
    if bound is not None:
        with flows:
            _flows_losing_most(plan, bound)


def _flows_losing_most(plan: Plan, bound: int) -> None:
    bias = cached.flow_bias(plan.prepared.key, plan.prepared, plan.week, plan.group_size, bound)
    if bias is None:
        return
    zones, n_zones = plan.prepared.zone_map, plan.prepared.trips.zones.size
    st.markdown(f"**Flows that lose most to a bound of {bound:,}**, expected over which trips are counted")
    rows = []
    for i in range(min(_FLOWS_SHOWN, bias.flow.size)):
        origin, destination = divmod(int(bias.flow[i]), n_zones)
        rows.append(
            {
                "flow": flow_label(zones, origin, destination),
                "true": f"{bias.true[i]:,}",
                "uncounted": f"{bias.lost[i]:,.1f}",
                "share": f"{bias.share_lost[i]:.1%}",
            }
        )
    parts.table(rows, key="plan_bias")
