"""The attack on a target in given flows, suppression included: counts typed in, or flows of the file itself."""

import streamlit as st

from privlab.checks import DataError, ParameterError, counts_from_text
from privlab.figures.labels import label
from privlab.figures.maps import flow_label
from privlab.figures.words import plain
from privlab.od.matrix import ODMatrix
from privlab.ui import cached, parts
from privlab.ui.state import Plan

_EXAMPLE = "1000, 99, 95, 40"


def counts_control() -> str:
    """Show the counts of a target's flows; return them as written."""
    return st.text_input(
        "How many other people make each of the target's trips",
        _EXAMPLE,
        key="cells",
        bind="query-params",
        help="Whole numbers, separated by commas: one for each unique trip of the target.",
    )


def attack_on_counts(plan: Plan, text: str) -> None:
    """Show the exact accuracy against a target in flows of the given counts."""
    try:
        counts = tuple(counts_from_text(text))
    except ParameterError as error:
        st.error(plain(str(error)))
        return
    bound = plan.release.max_trips_per_user
    if bound is not None and len(counts) > bound:
        st.info(f"Only {bound} of these {len(counts)} trips are counted; below, those most people make.")
        counts = tuple(sorted(counts, reverse=True)[:bound])
    _accuracy(plan, counts, source="")
    st.caption(
        "A threshold hides only trips that few others make: a flow shared by as many people as the threshold, or more, "
        "exposes the target exactly as much as without one."
    )


def attack_on_chosen_flows(plan: Plan) -> None:
    """Show flows of the file to choose from, and the exact accuracy against someone who makes them."""
    matrix = cached.true_matrix(plan.prepared.key, plan.prepared, plan.week, plan.group_size)
    chosen = _flows_control(plan, matrix)
    if not chosen:
        st.info("Choose at least one flow.")
        return
    # The target is one of those counted: all but one of the count are others.
    _accuracy(
        plan, tuple(int(matrix.count[flow]) - 1 for flow in chosen), source=" in these flows of the file"
    )
    st.caption(
        "The target is taken to be counted once in each chosen flow, so that one less than its count are others."
    )


def _flows_control(plan: Plan, matrix: ODMatrix) -> list[int]:
    """Show a zone, and the flows that begin or end there; return positions of the chosen ones."""
    parts.true_data()
    names = plan.prepared.zone_map
    left, right = st.columns([1, 3])
    with left:
        zone = st.selectbox(
            "A zone the target goes to",
            matrix.busiest_zones.tolist(),
            format_func=lambda position: label(names.names[position]),
            key=f"target_zone {plan.prepared.key} {plan.week}",
            persist_state="session",
        )
    flows = matrix.flows_at(zone)
    with right:
        return st.multiselect(
            "Flows the target makes, with their counts in the file",
            flows.tolist(),
            default=flows[:3].tolist(),
            format_func=lambda flow: (
                f"{flow_label(names, int(matrix.origin[flow]), int(matrix.destination[flow]))}: "
                f"{matrix.count[flow]:,}"
            ),
            key=f"target_flows {plan.prepared.key} {plan.week} {zone}",
            persist_state="session",
        )


def _accuracy(plan: Plan, counts: tuple[int, ...], *, source: str) -> None:
    epsilon, threshold = plan.release.mechanism.epsilon_per_cell, plan.release.threshold
    noise = plan.release.noise
    try:
        shown, bare = (cached.cell_accuracy(noise, epsilon, least, counts) for least in (threshold, 0))
    except (DataError, ParameterError) as error:
        st.error(str(error))
        return
    with st.container(horizontal=True):
        st.metric(
            f"guessed right{source} (a coin: 50 %), counts below {threshold} suppressed", f"{shown:.2%}"
        )
        st.metric(f"guessed right{source} (a coin: 50 %), nothing suppressed", f"{bare:.2%}")
