"""The report that a session collects: its parts, in order, with the data they are about."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from privlab.lab.reporting import reference_from_prepared_trips
from privlab.limits import MAX_REPORT_ITEMS
from privlab.od.simulating import ReleaseParameters
from privlab.reports import Option, ReleasesTogether, ReportItem, ReportPlan, View
from privlab.reports.exhibits import EXHIBITS
from privlab.ui.state import OWN, Plan

_KEY = "report_plan"
_TITLE = "What publishing this data would cost"
OF_RELEASE = "release"  # the option that names the release which a part is about

_LABELS = {
    "data": "Add how the data was read to the report",
    "utility": "Add all figures of use to the report",
    "flow_maps": "Add both maps to the report",
    "wishes": "Add the wishes to the report",
    "simulated_analyses": "Add what analyses find to the report",
    "mechanisms": "Add the steps to the report",
    "kgap": "Add the k-gaps to the report",
    "recovered_unique": "Add this to the report",
}  # where the button stands below no chart of its own


def report_plan() -> ReportPlan:
    """Return the session's report, empty at first."""
    plan: ReportPlan = st.session_state.get(_KEY) or ReportPlan(title=_TITLE)
    return plan


def keep_report(plan: ReportPlan) -> None:
    """Keep a report as the session's."""
    st.session_state[_KEY] = plan


def forget_own_parts() -> None:
    """Take out of the session's report all that is about its own data, and the report made before; its title may name the file."""
    state = st.session_state
    plans = [report_plan(), *filter(None, [state.pop("report_before", None)])]
    state.pop("release_folders", None)
    own = {
        item.data.name
        for plan in plans
        for item in plan.items
        if item.data is not None and not item.data.sample
    }
    if not own:
        return
    plan = plans[0]
    items = tuple(
        replace(item, view=replace(item.view, week="", group_size=None)) if item.data is None else item
        for item in plan.items
        if item.data is None or item.data.sample
    )
    named = any(name in plan.title for name in own)
    keep_report(replace(plan, title=_TITLE if named else plan.title, items=items))
    state["plan_to_show"] = True  # its fields are filled before they are drawn


def add_button(exhibit: str, **options: Option) -> None:
    """Show a button that adds an exhibit, as it is now, to the report."""
    plan: Plan | None = st.session_state.get("plan")
    if plan is None and EXHIBITS[exhibit].needs_data:
        return
    st.button(
        _LABELS.get(exhibit, "Add to report"),
        key=f"add_{exhibit}",
        icon=":material/note_add:",
        type="tertiary",
        on_click=_add,
        args=(exhibit, plan, tuple(options.items())),
        help=f"“{EXHIBITS[exhibit].title}”, with these parameters",
    )


def add_release_button(
    entry: int,
    release: ReleaseParameters,
    *,
    weeks: int,
    cells: str,
    together: Callable[[], ReleasesTogether | None],
) -> None:
    """Show a button that adds what a release that was made promises: by its own parameters, not by the plan's.

    `together` says what it and all others of the same people promise, for page one.
    """
    options: tuple[tuple[str, Option], ...] = (
        ("weekly_releases", weeks),
        ("cells", cells),
        (OF_RELEASE, entry),
    )

    def add() -> None:
        said = together()
        others = () if said is None else said.options()
        keep_item(ReportItem(exhibit="guarantee", view=View(release=release, options=(*options, *others))))

    st.button(
        "Add its promise to the report",
        key=f"add_promise_{entry}",
        icon=":material/note_add:",
        type="tertiary",
        on_click=add,
        help="The report then says what this release promises, and to whom.",
    )


def _add(exhibit: str, plan: Plan | None, options: tuple[tuple[str, Option], ...]) -> None:
    from privlab.ui.report.part_settings import (
        as_set_now,  # which uses controls that stand beside such a button
    )

    keep_item(
        ReportItem(
            exhibit=exhibit,
            view=view_from_plan(plan, options if plan is None else as_set_now(exhibit, options, plan)),
            data=None
            if plan is None or not EXHIBITS[exhibit].needs_data
            else reference_from_prepared_trips(plan.prepared, sample=plan.data != OWN),
        )
    )


def keep_item(item: ReportItem) -> None:
    """Put a part at the end of the session's report, and say so; one that is there already is not put there twice."""
    report = report_plan()
    if len(report.items) >= MAX_REPORT_ITEMS:
        st.toast(
            f"The report has {MAX_REPORT_ITEMS} parts already; take one out first.", icon=":material/block:"
        )
        return
    for place, there in enumerate(report.items, 1):
        if replace(there, note=item.note) == item:
            st.toast(
                f"“{EXHIBITS[item.exhibit].title}” is in the report already, with these settings: part {place}.",
                icon=":material/check:",
            )
            return
    keep_report(replace(report, items=(*report.items, item)))
    st.toast(
        f"“{EXHIBITS[item.exhibit].title}” is part {len(report.items) + 1} of the report.",
        icon=":material/note_add:",
    )


def view_from_plan(plan: Plan | None, options: tuple[tuple[str, Option], ...]) -> View:
    """Return the shared plan and a page's own settings as a report keeps them."""
    if plan is None:
        return View(release=st.session_state["release"], options=options)
    return View(
        release=plan.release, week=plan.week, group_size=plan.group_size, seed=plan.seed, options=options
    )
