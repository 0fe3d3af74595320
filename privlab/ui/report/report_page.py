"""The report page's own controls: title, kind, parts in order with their notes, and the plan as a file."""

from dataclasses import replace

import streamlit as st

from privlab.checks import DataError, ParameterError
from privlab.figures.drawing import marked_name
from privlab.figures.wording import plain
from privlab.lab.reporting import reference_from_prepared_trips
from privlab.reports import (
    KINDS,
    Option,
    ReportItem,
    ReportPlan,
    json_from_report_plan,
    report_plan_from_json,
)
from privlab.reports.exhibits import (
    EXHIBITS,
    Exhibit,
    mixed_plans,
    plan_words,
    reason_against_exhibit,
    without_wishes,
)
from privlab.safe_text import file_word
from privlab.ui.report.part_settings import as_set_now
from privlab.ui.report.report_state import OF_RELEASE, keep_report, report_plan, view_from_plan
from privlab.ui.sessions.downloads import download
from privlab.ui.shell.assistive import name_and_focus
from privlab.ui.state import OWN, Plan

_KIND_WORDS = {
    "internal": "internal: true data may be shown",
    "external": "external: only what a release makes public",
}
_SHARED = {"weekly_releases": "releases"}  # an exhibit's option → the control of all pages
_OF_PART = {"up": "Up", "down": "Down", "out": "Take out", "now": "Bring up to date"}
_FOCUS = "part_focus"


def heading() -> ReportPlan:
    """Show title, kind and note; return the report with them."""
    plan = report_plan()
    if st.session_state.pop("plan_to_show", False):
        _fill_fields(plan)
    title = st.text_input(
        "Title",
        plan.title,
        key="report_title",
        max_chars=200,
        help="Stands at the top of the report and names its files.",
    )
    kind = st.segmented_control(
        "Kind",
        KINDS,
        default=plan.kind,
        key="report_kind",
        required=True,
        format_func=_KIND_WORDS.__getitem__,
        on_change=_leave_names_out,
        help="An external report holds nothing that a release does not publish; parts with true data are refused.",
    )
    note = st.text_area(
        "Note at the top",
        plan.note,
        key="report_note",
        max_chars=5000,
        height=80,
        help="Words of your own before the first part: for whom it is, and why.",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        author = st.text_input(
            "Author",
            plan.author,
            key="report_author",
            max_chars=200,
            help="Who answers for it. Empty: not said.",
        )
        date = st.text_input(
            "Date",
            plan.date,
            key="report_date",
            max_chars=40,
            help="As it shall stand in the report. Empty: not said.",
        )
        summary = st.toggle(
            "Summary on page one",
            plan.summary,
            key="report_summary",
            help="Promise, risk, usefulness and limits in red, amber and green, one sentence each: of those that the "
            "report has parts for.",
        )
    plan = replace(
        plan, title=title, kind=kind or KINDS[0], note=note, author=author, date=date, summary=summary
    )
    keep_report(plan)
    return plan


def _leave_names_out() -> None:
    """Leave the name of one's own file out of a title that was made for an internal report, where it becomes an external one."""
    state = st.session_state
    if state.get("report_kind") != "external":
        return
    for item in report_plan().items:
        if item.data is not None and not item.data.sample:
            for before in (" of ", " on "):
                state["report_title"] = state["report_title"].replace(f"{before}{item.data.name}", "")


def _names_data(plan: ReportPlan) -> bool:
    return any(item.data is not None and not item.data.sample for item in plan.items)


def items(plan: ReportPlan) -> None:
    """Show every part with its plan and note, and let it be moved, brought up to date and taken out."""
    mixed = mixed_plans(plan, EXHIBITS)
    if mixed:
        st.warning(plain(mixed))
    heard: dict[str, str] = {}
    for number, item in enumerate(plan.items):
        with st.container(border=True, key=f"part_{number}"):
            known = EXHIBITS.get(item.exhibit)
            title = item.exhibit if known is None else known.title
            st.markdown(f"**{number + 1}. {plain(title)}**{_of_data(item, known)}")
            heard |= {
                f"{key}_{number}": f"{label}, part {number + 1}: {title}" for key, label in _OF_PART.items()
            }
            words = str(item.view) if known is None else plan_words(without_wishes(item), known)
            st.caption(f"Plan: {plain(words)}")
            now = _as_of_now(item)
            if now is not None and known is not None and _differ(item, now, known):
                st.info(
                    f"Stale: the plan is now {plain(plan_words(without_wishes(now), known))}{_of_data(now, known)}"
                )
            else:
                now = None
            if known is None:
                st.warning("This lab knows no such part; the report cannot be made with it.")
            elif reason := reason_against_exhibit(plan.kind, known):
                st.warning(plain(reason))
            note = st.text_input(
                f"Note on part {number + 1}",
                item.note,
                key=f"note_{number}_{item.exhibit}",
                max_chars=5000,
                help="Words of your own above this part.",
            )
            if note != item.note:
                _replace(number, replace(item, note=note))
            with st.container(horizontal=True):
                st.button(
                    _OF_PART["up"],
                    key=f"up_{number}",
                    on_click=_move,
                    args=(number, -1),
                    disabled=number == 0,
                    help="Moves this part before the one above it.",
                )
                st.button(
                    _OF_PART["down"],
                    key=f"down_{number}",
                    on_click=_move,
                    args=(number, 1),
                    disabled=number == len(plan.items) - 1,
                    help="Moves this part behind the one below it.",
                )
                st.button(
                    _OF_PART["out"],
                    key=f"out_{number}",
                    on_click=_take_out,
                    args=(number,),
                    help="Removes this part from the report. It can be added again on its page.",
                )
                if now is not None:
                    st.button(
                        _OF_PART["now"],
                        key=f"now_{number}",
                        on_click=_replace,
                        args=(number, now),
                        help="Makes this part with the settings of now instead of those it was added with.",
                    )
    if heard:
        name_and_focus("report_parts", heard, st.session_state.pop(_FOCUS, None))


def take_out_true_data(plan: ReportPlan) -> None:
    """Offer to take out at once all that an external report may not hold."""
    refused = [
        item
        for item in plan.items
        if item.exhibit in EXHIBITS and reason_against_exhibit(plan.kind, EXHIBITS[item.exhibit])
    ]
    if refused:
        st.button(
            f"Take out the {len(refused)} part{'s' if len(refused) > 1 else ''} with true data",
            key="only_public",
            icon=":material/visibility_off:",
            on_click=_keep_others,
            args=(refused,),
            help="An external report holds nothing that a release does not publish.",
        )


def _keep_others(refused: list[ReportItem]) -> None:
    plan = report_plan()
    _keep_with_notes(replace(plan, items=tuple(one for one in plan.items if one not in refused)))


def _of_data(item: ReportItem, known: Exhibit | None) -> str:
    shown = item.data is not None and known is not None and known.needs_data
    return f": {plain(item.data.name)}" if shown and item.data else ""


def _differ(one: ReportItem, other: ReportItem, exhibit: Exhibit) -> bool:
    about_data = exhibit.needs_data and one.data != other.data
    return about_data or plan_words(one, exhibit) != plan_words(other, exhibit)


def _as_of_now(item: ReportItem) -> ReportItem | None:
    """Return the same part under the plan and the data in use now, None while there is no plan."""
    plan: Plan | None = st.session_state.get("plan")
    if plan is None:
        return None
    if (
        item.release is not None or item.view.option(OF_RELEASE) is not None
    ):  # a release that was made stays as it is
        return None
    data = reference_from_prepared_trips(plan.prepared, sample=plan.data != OWN)
    options = tuple((name, _as_chosen_now(name, value)) for name, value in item.view.options)
    options = as_set_now(item.exhibit, options, plan)
    return replace(item, view=view_from_plan(plan, options), data=data if item.data else None)


def _as_chosen_now(name: str, value: Option) -> Option:
    """Return a setting that several pages share as it is chosen now; any other as it was."""
    shared = _SHARED.get(name)
    chosen = None if shared is None else st.session_state.get(shared)
    return value if chosen is None else chosen


def _replace(number: int, item: ReportItem) -> None:
    plan = report_plan()
    changed = [item if at == number else one for at, one in enumerate(plan.items)]
    keep_report(replace(plan, items=tuple(changed)))


def _move(number: int, by: int) -> None:
    plan = report_plan()
    moved = list(plan.items)
    moved[number], moved[number + by] = moved[number + by], moved[number]
    _keep_with_notes(replace(plan, items=tuple(moved)))
    at, last = number + by, len(moved) - 1
    goes_on = at < last if by > 0 else at > 0
    _focus("down" if goes_on == (by > 0) else "up", at)


def _focus(key: str, number: int) -> None:
    """Let the focus go along with a part that was moved, or to the part in the place of one that is gone."""
    state = st.session_state
    state[f"{_FOCUS}_turns"] = state.get(f"{_FOCUS}_turns", 0) + 1
    state[_FOCUS] = f"{key}_{number}", state[f"{_FOCUS}_turns"]


def _keep_with_notes(plan: ReportPlan) -> None:
    """Keep a report whose parts have changed places, and write each note into the field that is now its own.

    A field that is only forgotten keeps its text in the browser, and hands it to whatever part comes there.
    """
    for key in [str(key) for key in st.session_state if str(key).startswith("note_")]:
        del st.session_state[key]
    for number, item in enumerate(plan.items):
        st.session_state[f"note_{number}_{item.exhibit}"] = item.note
    keep_report(plan)


def _fill_fields(plan: ReportPlan) -> None:
    """Write a report that was loaded into its fields, before they are drawn."""
    st.session_state["report_title"] = plan.title
    st.session_state["report_kind"] = plan.kind
    st.session_state["report_note"] = plan.note
    st.session_state["report_author"] = plan.author
    st.session_state["report_date"] = plan.date
    st.session_state["report_summary"] = plan.summary
    _keep_with_notes(plan)


def _take_out(number: int) -> None:
    plan = report_plan()
    _keep_with_notes(replace(plan, items=tuple(one for at, one in enumerate(plan.items) if at != number)))
    _focus("out", min(number, len(plan.items) - 2))


def plan_file(plan: ReportPlan) -> None:
    """Let the plan be saved and loaded; the command line makes the same report from it."""
    with st.expander("The plan of this report, and the same on the command line"):
        download(
            "Save the plan (JSON)",
            data=json_from_report_plan(plan).encode(),
            file_name=marked_name(f"{file_word(plan.title)}_plan.json", true_data=_names_data(plan)),
            mime="application/json",
            key="save_plan",
            meaning="Parts, notes and settings of this report, to go on with it later. Of its data it holds the name, the digest and the week: for "
            "you alone, unless all parts with true data are taken out.",
        )
        file = st.file_uploader(
            "Load a plan",
            type=["json"],
            key="load_plan",
            max_upload_size=5,
            help="Takes up a report that was saved as JSON, with its parts and notes.",
        )
        if file is not None and st.session_state.get("plan_loaded") != file.file_id:
            try:
                loaded = report_plan_from_json(file.getvalue().decode("utf-8", "replace"))
            except (DataError, ParameterError) as error:
                st.error(plain(str(error)))
            else:
                st.session_state["plan_loaded"] = file.file_id
                keep_report(loaded)
                st.session_state["plan_to_show"] = True  # the fields are drawn already in this run
                st.rerun()
        st.code("python -m privlab report PLAN.json --out report.html --pdf", language=None, wrap_lines=True)
