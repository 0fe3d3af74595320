"""The flows that a box was drawn around in the figure of published against true counts: the map shows them alone."""

import streamlit as st

from privlab.figures.flows import LEAST_DRAWN
from privlab.figures.wording import words
from privlab.od.usefulness import FlowComparison
from privlab.ui.state import Plan

_KEY = "flow_brush"
_FIGURE = "release_scatter"
Range = tuple[float, float]


def keep_box() -> None:
    """Remember the box that was drawn, or that it was taken back."""
    boxes = st.session_state[_FIGURE]["selection"]["box"]
    plan: Plan = st.session_state["plan"]
    box = tuple(_counts(boxes[0][axis]) for axis in ("x", "y")) if boxes else None
    st.session_state[_KEY] = None if box is None else (plan.prepared.key, box)


def _counts(ends: list[float]) -> Range:
    """Return the counts at both ends of a side of the box, the lesser first; what is drawn at the least is 0."""
    low, high = min(ends), max(ends)
    return (0.0 if low <= LEAST_DRAWN else low), high


def brushed(plan: Plan, flows: FlowComparison, *, as_published: bool) -> FlowComparison:
    """Return the flows in the box, and say so with a button that lets go of it; all flows where there is none on this data.

    What the map shows `as_published` is chosen by published counts alone: it must not tell which flows are true.
    """
    held: tuple[str, tuple[Range, Range]] | None = st.session_state.get(_KEY)
    if held is None or held[0] != plan.prepared.key:
        return flows
    true, published = held[1]
    part = (
        flows.between(published=published) if as_published else flows.between(published=published, true=true)
    )
    said = f"published between {published[0]:,.0f} and {published[1]:,.0f}"
    if not as_published:
        said += f", truly between {true[0]:,.0f} and {true[1]:,.0f}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"Only the {words.number_of('flow', part.flow.size)} of the box drawn in the figure below: {said}."
        )
        st.button(
            "Show all flows",
            key="all_flows",
            icon=":material/select_all:",
            on_click=_let_go,
            help="The map shows all flows again. A double-click in the figure does the same.",
        )
    return part


def _let_go() -> None:
    st.session_state[_KEY] = None
