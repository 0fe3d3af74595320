"""What was read of the data, what was dropped and why, as the data page shows it."""

import numpy as np
import numpy.typing as npt
import streamlit as st

from privlab.od.tables import PreparedTrips
from privlab.ui import parts
from privlab.ui.own_file import remembered_file, running_load


def upload_is_open() -> bool:
    """Return whether the upload should stand open: a file is in hand, or a load is under way."""
    return remembered_file() is not None or running_load() is not None


def metrics(prepared: PreparedTrips, people: npt.NDArray[np.int64]) -> None:
    """Show how much data there is."""
    with st.container(horizontal=True):
        st.metric("users", f"{prepared.trips.n_users:,}")
        st.metric("records" if prepared.kind == "records" else "trip rows", f"{prepared.n_records:,}")
        st.metric("trips", f"{prepared.trips.n_trips:,}")
        st.metric(
            "unique trips", f"{prepared.trips.flow.size:,}", help="Each pair of zones once per user and week."
        )
        st.metric("zones", f"{prepared.trips.zones.size:,}")
        st.metric("weeks", f"{len(prepared.trips.weeks):,}")
        if people.size:
            st.metric("most unique trips of one person", f"{int(people.max()):,}")


def reading(prepared: PreparedTrips) -> None:
    """Show what was kept and dropped, the period, and what was assumed."""
    report = prepared.data_report
    st.subheader("How the file was read")
    lost = sum(prepared.dropped.values())
    st.markdown(
        f"Of {prepared.rows:,} rows, {prepared.n_records:,} are used"
        + (f" and {lost:,} are not:" if lost else "; none was dropped.")
    )
    if lost:
        rows = [
            {"reason": reason, "rows": count, "share": f"{count / prepared.rows:.2%}"}
            for reason, count in prepared.dropped.items()
        ]
        parts.table(rows, key="dropped")
    if report.first is not None and report.last is not None:
        st.markdown(f"From {report.first:%Y-%m-%d %H:%M} to {report.last:%Y-%m-%d %H:%M}. {report.timezone}")
    st.markdown(f"Zones: `{prepared.zones_spec}`. Weeks begin on Monday at 00:00.")
    for note in report.notes:
        st.warning(note)
    with st.expander("How records become trips, and after whom"):
        st.markdown(
            """
Per user and wall-clock hour, the zone with most records counts (among equals the smallest zone id). A trip is a change of
zone between two consecutive hours in which the user was seen; an hour without a record breaks the chain. A trip belongs to
the week of its second hour. Each ordered pair of zones counts once per user and week: a *unique trip*. Files that already
hold trips enter at that last step, dated by arrival where the file has it.

Houssiau, Rocher, de Montjoye, *On the difficulty of achieving differential privacy in practice: user-level guarantees in
aggregate location data*, Nature Communications 2022. What they leave open is decided in docs/decisions/0002.
"""
        )
