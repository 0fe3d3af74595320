"""Where one is on the way from data to report, at the top of each page, and the next step at its end."""

from typing import TYPE_CHECKING

import streamlit as st

from privlab.ui.shell.page_list import door_of

if TYPE_CHECKING:
    from privlab.ui.state import Plan

_STYLE = """<style>
.st-key-strip { border-bottom: 1px solid rgba(128, 128, 128, 0.35); padding-bottom: 0.3rem; }
/* The page one is on has a ground around its sign and its words; the sign stays where the lines below it begin. */
.st-key-strip [data-testid="stPageLink"] a { padding: 0.1rem 0.4rem; position: relative; left: -0.4rem; }
.st-key-strip [data-testid="stPageLink"] p { font-size: 0.875rem; }
.st-key-next_step { border-top: 1px solid rgba(128, 128, 128, 0.35); padding-top: 1rem; margin-top: 1.5rem; }
.st-key-next_step [data-testid="stPageLink"] a {
    border: 1px solid rgba(128, 128, 128, 0.7); border-radius: 0.5rem; padding: 0.4rem 0.9rem;
}
/* Choices in one row with others go on in a second line where the first is full: unseen ones would be found by nobody. */
[data-testid="stButtonGroup"] [role="radiogroup"] { flex-wrap: wrap; overflow-x: visible; row-gap: 0.25rem; }
/* Choices beside the chosen one have an edge of their own, below its: without one they are open where a line begins or ends between them. */
[role="radiogroup"] > [aria-checked="true"] + :not([data-hovered]) { border-left-color: rgba(128, 128, 128, 0.4) !important; }
[role="radiogroup"] > :not([data-hovered]):has(+ [aria-checked="true"]) { border-right-color: rgba(128, 128, 128, 0.4) !important; }
/* Where the keyboard is: a faint grey behind a name is not seen. */
:is([data-testid="stSidebarNavLink"], [data-testid="stPageLink"] a):focus-visible { outline: 2px solid currentColor; outline-offset: -2px; }
/* Streamlit shows the tools of a table or map to a mouse alone, though the keyboard comes by them. */
[data-testid="stElementToolbar"]:has(:focus-visible) { opacity: 1 !important; }
[data-testid="stElementToolbar"] button:focus-visible { outline: 2px solid currentColor; outline-offset: -2px; }
[data-testid="stMainBlockContainer"] { padding-top: 4.2rem; padding-bottom: 4rem; }
[data-testid="stMain"] h1 { padding: 0 0 0.3rem; font-size: 2.2rem; }
[data-testid="stSidebarHeader"] { height: 2.5rem; margin-bottom: 0; padding-bottom: 0; }
[data-testid="stSidebarNavLink"] { min-height: 1.6rem; padding-top: 0; padding-bottom: 0; }
/* Where the settings are that pages name, while the sidebar is closed, as on a telephone. */
[data-testid="stExpandSidebarButton"]:after { content: "Pages and settings"; font-size: 0.875rem; white-space: nowrap; }
[data-testid="stNavSectionHeader"] { padding-top: 0; padding-bottom: 0; margin-bottom: 0; }
[data-testid="stSidebarNavItems"] section, [data-testid="stSidebarNavItems"] > * { margin-bottom: 0.2rem; }
</style>"""
_DONE, _OPEN = ":material/check_circle:", ":material/radio_button_unchecked:"


def strip(page: str) -> None:
    """Show, at the top of a page, which data is loaded, whether a plan is chosen, and what has been made."""
    plan: Plan | None = st.session_state.get("plan")
    data: str = st.session_state.get("data", "")
    n_parts = _n_parts()
    made = 0 if plan is None else _n_released(plan)
    chosen = None if plan is None else _chosen(plan, page)
    st.html(_STYLE)
    with st.container(key="strip", horizontal=True, gap="xsmall"):
        _place(
            "data",
            f"Data: {data if plan is None else _short(plan)}",
            done=plan is not None,
            help_text="The data that all pages speak of. Other data is chosen or loaded on the page Data.",
        )
        _place(
            "plan",
            f"Plan: {chosen or 'none yet'}",
            done=chosen is not None,
            help_text="A plan is chosen once a person's trips are bounded: only then can a person be promised anything. "
            "The page Plan finds one.",
        )
        _place(
            "publish",
            f"Released: {made or 'not yet'} in this session",
            done=made > 0,
            help_text="Releases for good of this data in this session. The page Publish makes one, and lists those of before.",
        )
        _place(
            "report",
            f"Report: {n_parts} {'part' if n_parts == 1 else 'parts'}" if n_parts else "Report: empty",
            done=n_parts > 0,
            help_text="What has been added to the report. The page Report makes one file of it.",
        )


def _place(page: str, words: str, *, done: bool, help_text: str) -> None:
    st.page_link(door_of(page).file, label=words, icon=_DONE if done else _OPEN, help=help_text)


def _short(plan: "Plan") -> str:
    """Return the name of the data, cut where it is long."""
    from privlab.figures.wording import plain

    name = plan.prepared.name
    return plain(name if len(name) <= 24 else f"{name[:23]}…")


def _chosen(plan: "Plan", page: str) -> str | None:
    """Return the settings in use if they bound a person's trips, or visits on a page that counts them, else None."""
    bound = plan.release.max_trips_per_user
    if bound is None:
        return None
    from privlab.ui.settings_of_release import chosen_mechanism, weighs_trips
    from privlab.ui.shared_controls import counted_on

    mechanism = chosen_mechanism()
    what = counted_on(page).split()[-1]
    most = f"1 {what.removesuffix('s')}" if bound == 1 else f"{bound:,} {what}"
    limit = f"limit {most}" if weighs_trips(mechanism) else f"≤ {most}"
    return f"ε {plan.release.epsilon:g}, {limit}{'' if mechanism is None else ', Gaussian'}"


def _n_released(plan: "Plan") -> int:
    return sum(one.name == plan.prepared.name for one in st.session_state.get("released", []))


def _n_parts() -> int:
    from privlab.ui.report.report_state import report_plan

    return len(report_plan().items)


def next_step(page: str) -> None:
    """Show, at the end of a page, where to go on and why. The settings go along, in the session and the address."""
    here = door_of(page)
    there = door_of(here.next)
    with st.container(key="next_step", horizontal=True, vertical_alignment="center"):
        st.page_link(
            there.file,
            label=f"**Next: {there.title}**",
            icon=":material/arrow_forward:",
            icon_position="right",
        )
        st.markdown(here.why, width="content")


def say_where_own_data_is(page: str) -> None:
    """Say above a page whose address names the visitor's own data that the session has none, and what is shown for it."""
    from privlab.ui.shell import parts
    from privlab.ui.state import OWN

    data = st.session_state["data"]
    if not st.session_state.get("own_is_elsewhere") or data == OWN:
        return
    st.warning(
        f"This session has no data of your own: it goes with the session it was loaded in. Shown is the sample {data}, with the "
        "settings of the address."
    )
    if page != "data":
        parts.way_on("data", "Load my data again")
