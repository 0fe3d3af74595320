"""The guided walk: where one is in it, and how to go on, by button or by key."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import streamlit as st

from privlab.lab import handout
from privlab.reports import installed_browser
from privlab.ui.shell.downloads import download


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: what is argued, after whom, what to move and what to see, and what draws it.

    `show()` shows one control and one figure; a text that it returns is the headline in the argument's place.
    """

    title: str
    argument: str
    see: str
    source: str
    show: Callable[[], str | None]
    page: str
    link: str


def place(n_steps: int) -> int:
    """Show where in the walk one is; return the step, from 0. The arrow keys move the slider too."""
    step = st.select_slider(
        "Step",
        [str(number) for number in range(1, n_steps + 1)],
        key="step",
        bind="query-params",
        help="Arrow keys move it when it has the focus; Page Up and Page Down always do.",
    )
    return int(step) - 1


def shown(step: Step, number: int, n_steps: int) -> None:
    """Show one step with its control and figure, and the way back and on."""
    st.markdown(f"### {number + 1}. {step.title}")
    headline = st.container()
    told = step.show()
    headline.markdown(f"#### {told or step.argument}")
    st.markdown(f"**What to see:** {step.see}")
    st.caption(step.source)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Back",
            key="tour_back",
            icon=":material/arrow_back:",
            shortcut="PageUp",
            on_click=_go,
            args=(number,),
            disabled=number == 0,
        )
        st.button(
            "Next",
            key="tour_next",
            icon=":material/arrow_forward:",
            shortcut="PageDown",
            type="primary",
            on_click=_go,
            args=(number + 2,),
            disabled=number == n_steps - 1,
        )
        st.page_link(step.page, label=step.link, icon=":material/open_in_new:")
        _handout_button()


def _handout_button() -> None:
    """Hand out the whole walk on two pages: as PDF where a browser is installed, else as HTML."""
    as_pdf = installed_browser() is not None
    download(
        "Handout (PDF)" if as_pdf else "Handout (HTML)",
        data=partial(handout, pdf=as_pdf),
        file_name=f"privlab_handout.{'pdf' if as_pdf else 'html'}",
        mime="application/pdf" if as_pdf else "text/html",
        key="tour_handout",
        icon=":material/description:",
        type="tertiary",
    )


def _go(step: int) -> None:
    st.session_state["step"] = str(step)
