"""How chosen zones look over the data, before it is loaded."""

import streamlit as st

from privlab.datasets.zone_files import Geography
from privlab.figures.maps import places_map, zones_in_words
from privlab.figures.wording import plain
from privlab.lab.proposing import PROPOSED, ZonePreview, proposed_zones_from_positions
from privlab.ui.data.own_file import box_of_zones
from privlab.ui.data.own_rows import OwnRows, zone_preview
from privlab.ui.flowmap.component import show_flow_map
from privlab.ui.shell import parts

_MUCH_OUTSIDE = 0.05  # of the rows
_MOST_SMALL = 0.8  # of the flows, with fewer than ten people


def show_zones(rows: OwnRows, zones: str, geography: Geography | None, key: str) -> None:
    """Show points and zones, how many they are, and whether a release can be made on them."""
    if zones == PROPOSED:
        return
    found = zone_preview(rows, zones, geography, key)
    if found is None:
        return
    words = zones_in_words(
        n_zones=found.n_zones,
        n_rows=found.n_rows,
        n_outside=found.n_outside,
        n_users_outside=found.n_users_outside,
        n_flows=found.n_flows,
        share_small=found.share_small,
    )
    if found.lat.size:
        show_flow_map(
            places_map(
                found.zone_map,
                found.lat,
                found.lon,
                parts.palette(),
                title="Places and zones (internal)",
                alt=f"Map of the places in the data with the zones. {words}",
                dark=st.context.theme.type == "dark",
            ),
            key="zones_preview",
        )
        if found.lat.size < found.n_places:
            st.caption(
                f"Drawn are {found.lat.size:,} of {found.n_places:,} different places, taken at random."
            )
    st.markdown(f"**{words}**")
    parts.true_data()
    if found.n_outside > _MUCH_OUTSIDE * found.n_rows or found.n_users_outside:
        larger = "A larger box would count them." if box_of_zones(zones) else "Other zones would count them."
        st.markdown(
            f":orange[:material/warning:] What lies outside is in no figure and in no release. {larger}"
        )
    _say_what_can_be_released(found, rows, zones, geography)


def _say_what_can_be_released(
    found: ZonePreview, rows: OwnRows, zones: str, geography: Geography | None
) -> None:
    """Say whether a release can be made on zones, of which flows, and what would make one possible."""
    if found.refusal is not None:
        st.warning(f"No release can be made on these zones. {plain(found.refusal)}", icon=":material/block:")
        proposed = rows.proposed
        if proposed is None and geography is not None and box_of_zones(zones) is not None:  # joins ids
            proposed = proposed_zones_from_positions(geography)
        if proposed is not None:
            parts.setting_button(
                "Take the proposed grid", key="proposed_grid", zoning="square grid", zones_begun=None
            )
    elif found.n_small is None:
        st.warning(
            "No release can be made of this file, whatever its zones: it does not say whose trips these are, so that nobody in it can be promised "
            "anything. Name the column of users above, or bring a file that has one.",
            icon=":material/block:",
        )
    elif found.unlisted:
        st.warning(
            f"{found.unlisted}. Bring a zone file that lists them all, or publish flows found in the data alone, at the price of δ.",
            icon=":material/wrong_location:",
        )
    elif found.is_public:
        known = "they are known without the data."
        if box_of_zones(zones) is not None:
            known = "their box is yours to name. Publish asks you to confirm that it does not depend on the people in the data."
        if (found.share_small or 0) > _MOST_SMALL:
            st.warning(
                f"A release can be made on these zones: {known} But {found.share_small:.0%} of the flows have fewer than ten people, of which "
                "hardly anything is left under noise. Larger zones leave more.",
                icon=":material/warning:",
            )
        else:
            st.success(f"A release can be made on these zones: {known}", icon=":material/check:")
    else:
        remedy = "Upload where the zones lie." if zones == "column" else "Name a box around them."
        st.info(
            "A release can be made on these zones, but only of flows found in the data, at the price of δ: which zones there "
            f"are is known from the data only. {remedy}",
            icon=":material/help:",
        )
