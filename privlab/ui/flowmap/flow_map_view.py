"""Maps on a page: flows in one view, or before and after side by side; what leaves each zone."""

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

from privlab.datasets import sample_decoration
from privlab.datasets.zones import ZoneMap
from privlab.figures.drawing import marked_csv, marked_name
from privlab.figures.maps import VIEWS_IN_WORDS, MapLook, View, flow_map_from_comparison, zone_map_from_values
from privlab.od.usefulness import FlowComparison
from privlab.safe_text import csv_text, readable_csv
from privlab.ui import cached
from privlab.ui.flowmap.component import picked_zone, show_flow_map
from privlab.ui.sessions.downloads import download
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


def departures_map(plan: Plan) -> None:
    """Show how many true trips leave each zone in the plan's week, or say what is missing for a map; hand out the numbers."""
    prepared = plan.prepared
    zones = prepared.zone_map
    departures = cached.departures(prepared.key, prepared, plan.week, plan.group_size)
    trips = "unique trips" if prepared.has_users else "trips"
    title = f"{trips.capitalize()} that leave each zone"
    if zones.located:
        show_flow_map(
            zone_map_from_values(
                zones,
                departures,
                palette(),
                title=f"{title} (internal)",
                unit=f"{trips} leave",
                alt=f"Map of the zones, darker where more {trips} begin.",
                dark=st.context.theme.type == "dark",
                decoration=sample_decoration(plan.data),
            ),
            key="data_zones",
        )
    else:
        st.markdown(f"**{title}**")
        st.info("No map: the zones have no positions. Load the file with a table of zone, lat, lon.")
    about = (title, f"{prepared.name}: {plan.who}")
    download(
        "Numbers (CSV)",
        data=lambda: _numbers(zones, departures, f"{trips} that leave", about),
        file_name=marked_name("privlab_data_zones.csv", true_data=True),
        mime="text/csv",
        key="data_zones_numbers",
        meaning="What is counted in each zone, as a table.",
        type="tertiary",
    )


def _numbers(zones: ZoneMap, counts: npt.NDArray[np.float64], column: str, about: tuple[str, ...]) -> bytes:
    names = [csv_text(str(name)) for name in zones.names]
    table = pd.DataFrame({"zone": names, column: counts}).to_csv(index=False, float_format="%.12g")
    return readable_csv(marked_csv(table.encode(), true_data=True, about=about))


def _chosen(zone_key: str | None, n_zones: int) -> int | None:
    """Return the position of the chosen zone; a choice made of other data is forgotten."""
    zone: int | None = st.session_state.get(zone_key) if zone_key else None
    if zone_key and zone is not None and zone >= n_zones:
        st.session_state[zone_key] = zone = None
    return zone
