"""The list of pages, and the plan in the sidebar that all of them share."""

from typing import TYPE_CHECKING

import streamlit as st

from privlab import __version__
from privlab.ui.sessions import access, sessions
from privlab.ui.shell import assistive, colour_scheme, loading, page_top, presentation, steps
from privlab.ui.shell.addresses import (
    Asked,
    asked_by_address,
    drop_endless_numbers,
    not_taken_in_words,
    note_what_is_not_taken,
)
from privlab.ui.shell.glossary_button import glossary_button
from privlab.ui.shell.page_list import DOORS, GROUPS, HOME, Door

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from privlab.ui.state import Plan


_WITHOUT_DATA = ("", "tour", "data")  # Data says itself what is loaded
_OF_TRIPS = ("attack", "plan", "release", "guarantee")


def main() -> None:
    """Run the lab: once per interaction of one browser."""
    st.set_page_config(page_title="privlab", page_icon="🧭", layout="wide")
    sessions.note()
    if not access.granted():
        presentation.legible()
        return
    loading.wait()
    drop_endless_numbers()
    page = st.navigation(
        {group: [_page(door) for door in (HOME, *DOORS) if door.group == group] for group in GROUPS},
        expanded=True,
    )
    if page.url_path:
        st.set_page_config(page_title=f"{page.title} · privlab")
    asked = asked_by_address(page.url_path)
    with st.sidebar:
        with st.container():  # which is there in each run, so that nothing below it moves
            _loading_beside(page.url_path)
        st.session_state["plan"] = _plan(page.url_path)
        presentation.switch()
        glossary_button()
        st.caption(f"privlab {__version__}. {_who_is_told()}")
        access.log_out_control()
        assistive.mark_groups()
        page_top.watch_page(page.url_path)
        colour_scheme.watch_scheme()
    presentation.legible()
    presentation.way_back()
    steps.strip(page.url_path)
    st.title(page.title if page.url_path else "privlab")
    with st.container():
        steps.say_where_own_data_is(page.url_path)
        _say_what_is_not_loaded(page.url_path)
    # By its key it stays the same where what stands above it goes: its controls would lose their place in the address.
    said, body = st.empty(), st.container(key="page_body")
    steps.next_step(page.url_path)  # before the page, which may end its run where it has nothing to show
    _say_what_is_not_taken(said, asked)
    try:
        with body:
            if page.url_path not in _OF_TRIPS or not _says_there_are_no_trips():
                page.run()
    finally:
        _say_what_is_not_taken(said, asked)  # its own controls are there now


def _say_what_is_not_taken(said: "DeltaGenerator", asked: Asked) -> None:
    """Say what the address names and the controls shown so far did not take."""
    note_what_is_not_taken(asked)
    if words := not_taken_in_words():
        from privlab.figures.wording import plain

        said.info(plain(words), icon=":material/link_off:")


def _says_there_are_no_trips() -> bool:
    """Return whether nobody in the data made a trip; say so then."""
    plan: Plan | None = st.session_state["plan"]
    if plan is None or not plan.prepared.no_trips:
        return False
    from privlab.ui.shell import parts

    parts.without_trips(plan)
    return True


def _page(door: Door) -> st.Page:
    icon = f":material/{door.icon}:"
    if door == HOME:
        return st.Page(door.file, title=door.title, icon=icon, default=True)
    return st.Page(door.file, title=door.title, icon=icon, url_path=door.page)


def _loading_beside(page: str) -> None:
    """Show the progress of a load on every page but that of data, which shows it itself."""
    if page != "data" and "own_job" in st.session_state:
        from privlab.ui.data import load_watch

        load_watch.watch_load_beside()


def _say_what_is_not_loaded(page: str) -> None:
    """Say on the pages that show data that a file was brought and never loaded: what they show is not of it."""
    if "own_file_data" not in st.session_state or "own_job" in st.session_state or page in _WITHOUT_DATA:
        return
    from privlab.ui.data import own_file

    own_file.say_what_is_not_loaded()


def _who_is_told() -> str:
    if st.session_state.get("tiles"):
        return "The street map is on: a tile server is told the area you look at."
    return "Nothing leaves the machine that runs this lab."


def _plan(page: str) -> "Plan | None":
    """Show the controls of the plan that act on the page; return the plan, or None while its data is prepared."""
    from privlab.ui import shared_controls
    from privlab.ui.samples import leave_other_samples, trips_of_session
    from privlab.ui.settings_of_release import carry_mechanism, say_what_is_planned
    from privlab.ui.state import OWN, Plan, own_data, take_up_release

    data = shared_controls.data_choice()
    leave_other_samples(data, touring=page == "tour")
    take_up_release()  # with its mechanism, which then stands in the address
    carry_mechanism(page)
    if data == OWN:
        prepared = own_data()
    else:
        job = trips_of_session(data)
        prepared = job.result() if job is not None and job.done and not job.error else None
    place = shared_controls.places(page)
    release = st.session_state["release"] = shared_controls.release_controls(prepared, place, page)
    with st.container(
        key="planned_noise"
    ):  # there on every page, so that what stands below it keeps its place
        say_what_is_planned(page)
    with place("group"):
        group_size = shared_controls.group_control(prepared)
    with place("week"):
        week = shared_controls.week_control(prepared)
    with place("seed"):
        seed = shared_controls.seed_control()
    if prepared is None:
        return None
    return Plan(data=data, prepared=prepared, release=release, group_size=group_size, week=week, seed=seed)


main()
