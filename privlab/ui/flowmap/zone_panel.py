"""The flows of one zone beside what is published of them: chosen in the map by a click, or in a box by name."""

from typing import Any

import streamlit as st

from privlab.figures.maps import ZoneFlow, flows_of_zone
from privlab.od.usefulness import FlowComparison
from privlab.safe_text import label
from privlab.ui.shell import parts
from privlab.ui.state import Plan

_TABLES = {True: "release_zone_in", False: "release_zone_out"}


def zone_panel(plan: Plan, flows: FlowComparison, wide: int) -> None:
    """Show the flows into and out of the chosen zone, true and published; nothing without one.

    The noise on a count is within `wide` trips 95% of the time.
    """
    zones = plan.prepared.zone_map
    zone = st.selectbox(
        "Flows of one zone",
        range(zones.lat.size),
        index=None,
        format_func=lambda position: label(zones.names[position]),
        placeholder="Click a zone in the map, or choose one here",
        key="release_zone",
        persist_state="session",
        help="A click on the zone again, Escape in the map, or the cross here clears the choice.",
    )
    if zone is None:
        return
    parts.true_data()
    limited = plan.release.max_trips_per_user is not None
    st.caption(
        "A flow without a published count is lost; one without a true trip is false. In 95 of 100 releases the noise moves a count by at "
        f"most {wide:,} trips: the last column says between which numbers a count lies that gives the published one. "
        + (
            "It is about the trips that the limit lets count, not about all of them: the true number is mostly higher."
            if limited
            else ""
        )
    )
    for column, inwards in zip(st.columns(2, gap="large"), (False, True), strict=True):
        with column:
            st.markdown("**Flows into the zone**" if inwards else "**Flows out of the zone**")
            rows = flows_of_zone(flows, zones, zone, inwards=inwards, half_width=wide)
            if rows:
                parts.table([_row(row, inwards) for row in rows], key=_TABLES[inwards])
            else:
                st.caption("No flow, true or published.")


def _row(row: ZoneFlow, inwards: bool) -> dict[str, Any]:
    published = "lost" if row.published is None else f"{row.published:z,.0f}"
    return {
        "from" if inwards else "to": row.other,
        "true": f"{row.true:z,.0f}",
        "published": f"{published} (false)" if not row.true else published,
        "likely": "" if row.low is None else f"{row.low:z,.0f} to {row.high:z,.0f}",
    }
