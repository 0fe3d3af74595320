"""The maps of the walk: the sample's flows, true beside published or what differs, and one person's trips."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privlab.datasets import sample_decoration
from privlab.figures.maps import (
    VIEWS_IN_WORDS,
    MapLook,
    View,
    flow_map_from_comparison,
    person_map_from_flows,
)
from privlab.lab.loading import prepared_trips_from_rows
from privlab.od import UniqueTrips, person_flows_from_unique_trips
from privlab.od.simulating import ReleaseParameters
from privlab.od.trips import PreparedTrips
from privlab.ui import cached
from privlab.ui.derived import ready_of_sample
from privlab.ui.flowmap.component import show_flow_map
from privlab.ui.shell.parts import palette
from privlab.ui.state import TOURED, TRIPS
from privlab.ui.tour.tour_page import map_height

_SEED = 1
_TOP = 150


def sample() -> PreparedTrips | None:
    """Return the trips of the sample that the walk about counts is on; None while they are read, and say so."""
    return ready_of_sample(TOURED, TRIPS, prepared_trips_from_rows)


def release_map(parameters: ReleaseParameters, *, view: View, key: str, told: DeltaGenerator) -> None:
    """Show the flows of a simulated release of the sample; say in `told` how many are kept, left out and false."""
    prepared = sample()
    if prepared is None:
        return
    review = cached.release_review(prepared.key, prepared, prepared.trips.weeks[0], None, parameters, _SEED)
    use = review.utility
    told.markdown(
        f"**On the map (an invented city):** {use.cells_kept:,} flows are published, with {use.flow_kept:.0%} of the trips; "
        f"{use.cells_lost:,} are left out, {use.cells_spurious:,} are false."
    )
    sent = flow_map_from_comparison(
        review.flows,
        prepared.zone_map,
        palette(),
        _look(view),
        alt=f"Map of the {_TOP} largest {VIEWS_IN_WORDS[view]} between zones.",
    )
    show_flow_map(sent, key=key)


def person_map(n_trips: int, *, key: str) -> None:
    """Show the trips of someone in the sample who made so many."""
    prepared = sample()
    if prepared is None or not isinstance(prepared.trips, UniqueTrips):
        return
    trips = prepared.trips
    flow = person_flows_from_unique_trips(trips, week=trips.weeks[0], n_trips=n_trips)
    show_flow_map(
        person_map_from_flows(flow, prepared.zone_map, palette(), _look("before")),
        key=key,
    )
    st.caption("The trips of an invented person of the sample who makes as many.")


def _look(view: View) -> MapLook:
    return MapLook(
        view=view,
        n_top=_TOP,
        dark=st.context.theme.type == "dark",
        decoration=sample_decoration(TOURED),
        low_px=map_height(),
    )
