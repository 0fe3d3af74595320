"""The flow map on a page: one view, or before and after side by side."""

import streamlit as st

from privlab.datasets import sample_decoration
from privlab.figures.maps import VIEWS_IN_WORDS, MapLook, View, flow_map_from_comparison
from privlab.od.usefulness import FlowComparison
from privlab.ui.flowmap.component import picked_zone, show_flow_map
from privlab.ui.shell import palette
from privlab.ui.state import Plan


def before_and_after(plan: Plan, flows: FlowComparison, *, key: str, n_top: int = 100) -> None:
    """Show true flows beside published ones, in two panes that move together; one above the other where it is narrow."""
    flow_map(plan, flows, view="both", n_top=n_top, key=key)


def flow_map(
    plan: Plan,
    flows: FlowComparison,
    *,
    view: View,
    n_top: int,
    key: str,
    tiles: bool = False,
    zone_key: str | None = None,
) -> None:
    """Show flows between zones on a map; a zone that is clicked is kept under `zone_key`, where one is given."""
    zones = plan.prepared.zone_map

    def keep() -> None:
        if zone_key:
            st.session_state[zone_key] = picked_zone(key)

    show_flow_map(
        flow_map_from_comparison(
            flows,
            zones,
            palette(),
            MapLook(
                view=view,
                n_top=n_top,
                dark=st.context.theme.type == "dark",
                decoration=sample_decoration(plan.data),
                tiles=tiles,
                selected=_chosen(zone_key, zones.lat.size),
            ),
            alt=f"Map of the {n_top} largest {VIEWS_IN_WORDS[view]} between zones.",
        ),
        key=key,
        on_picked=keep,
    )


def _chosen(zone_key: str | None, n_zones: int) -> int | None:
    """Return the position of the chosen zone; a choice made of other data is forgotten."""
    zone: int | None = st.session_state.get(zone_key) if zone_key else None
    if zone_key and zone is not None and zone >= n_zones:
        st.session_state[zone_key] = zone = None
    return zone
