"""The data page's own controls: samples, and everything needed to load data of the user's own."""

from contextlib import nullcontext
from dataclasses import dataclass, replace

import streamlit as st

from privlab.checks import DataError, ParameterError
from privlab.datasets import SAMPLES
from privlab.datasets.columns import ColumnMapping
from privlab.figures.wording import plain
from privlab.lab.proposing import PROPOSED, PlanProposal
from privlab.od.planning import PlanPoint
from privlab.ui.data.cleaning_controls import cleaning_controls
from privlab.ui.data.column_controls import (
    UnreadableError,
    as_positions,
    format_control,
    lookup_controls,
    mapping_controls,
    preview_of,
    show_outlook,
    show_preview,
    system_control,
    time_controls,
)
from privlab.ui.data.data_report import few_trips_words
from privlab.ui.data.own_file import (
    LoadRequest,
    OwnFile,
    forget_everything,
    has_other_sizes,
    is_brought_in,
    is_loaded,
    loaded_request,
    remembered_file,
    running_load,
    set_aside,
    start_load,
)
from privlab.ui.data.own_rows import own_rows
from privlab.ui.data.source_controls import data_source, second_file
from privlab.ui.data.zone_controls import zone_controls
from privlab.ui.data.zone_view import show_zones
from privlab.ui.settings_of_release import choose_paper, choose_point, is_taken
from privlab.ui.shell import page_top, parts
from privlab.ui.shell.command_line import command_from_request
from privlab.ui.state import OWN, PAPERS, Plan, choose_data


def sample_cards() -> None:
    """Show the samples, each with a button that chooses it."""
    st.markdown("**Or look at a sample**")
    for column, sample in zip(st.columns(len(SAMPLES)), SAMPLES.values(), strict=True):
        with column.container(border=True, height="stretch"):
            st.markdown(f"**{sample.title}**")
            st.caption(sample.sentence)
            st.button(
                f"Use {sample.name}",
                key=f"use_{sample.name}",
                on_click=_use_sample,
                args=(sample.name,),
                width="stretch",
                help="All pages then show this sample. What you chose on them stays.",
            )


# What is recognised fills screens: the button that loads stays at the lower edge of the window meanwhile.
_IN_REACH = """<style>
.st-key-load { position: sticky; bottom: 1rem; z-index: 10; align-self: flex-end; }
</style>"""


def _use_sample(name: str) -> None:
    set_aside()
    choose_data(name)


def upload() -> str | None:
    """Show where data can come from and, with data in hand, everything needed to load it; return why it cannot be loaded.

    What is loaded, or set aside, is folded away.
    """
    try:
        own = data_source()
        with st.sidebar:
            page_top.watch_what_is_held("data")
        if own is None:
            return None
        new = is_brought_in()
        with nullcontext() if new else st.expander(f"{plain(own.called)}: how it is read"):
            try:
                reading = _reading_form(own)
            except UnreadableError as error:
                _cannot_be_read(error)
                return str(error)
        with (
            nullcontext()
            if new
            else st.expander(
                "Other zones, without another upload"
                if is_loaded()
                else f"{plain(own.called)}: its zones, and its load",
                icon=":material/grid_on:",
            )
        ):
            _zone_form(reading)
    except (DataError, ParameterError) as error:
        st.error(plain(str(error)))
        return str(error)
    return None


def _cannot_be_read(error: UnreadableError) -> None:
    """Say why a file is no table, and offer another."""
    st.error(plain(str(error)))
    st.button(
        "Take another file",
        key="another_file",
        icon=":material/undo:",
        on_click=forget_everything,
        help="Removes this file from memory and disk, so that another can be brought.",
    )


def proposal_note(plan: Plan) -> None:
    """Say which zones and which plan were proposed for own data, and offer the paper's settings instead."""
    proposal: PlanProposal | None = st.session_state.get("own_proposal")
    if plan.data != OWN or proposal is None:
        return
    with st.container(border=True):
        spec = plan.prepared.zones_spec
        zones = (
            "The zones are those of the file." if spec == "column" else f"Cut into {_zones_in_words(spec)}."
        )
        taken = proposal.point is not None and is_taken(plan.release, proposal.point)
        words = ""
        if taken and proposal.point is not None:
            words = _proposed_in_words(proposal.point, does_what_is_wished=proposal.does_what_is_wished)
        st.markdown(f"{zones} {words}{plain(proposal.says)}")
        if few := few_trips_words(plan.prepared):
            st.markdown(few)
        if proposal.point is None and plan.prepared.has_users:
            larger = (
                "Try larger zones on the page Plan"
                if has_other_sizes(plan)
                else "See the nearest misses on the page Plan"
            )
            if plan.prepared.no_trips:
                parts.way_on("anonymizability", "See how hard its people are to hide")
            else:
                parts.way_on("plan", larger)
            if spec == "column":
                st.markdown(_larger_of_ids(located=plan.prepared.zone_map.located))
        if plan.release != PAPERS:
            with st.container(horizontal=True):
                if taken and not proposal.does_what_is_wished:
                    parts.way_on("plan", _other_way(plan))
                if taken:
                    parts.way_on("publish", "Make this release for good")
                st.button(
                    "Use the paper's settings", key="use_paper", on_click=choose_paper,
                    help="ε = 0.66, threshold 100, no bound: the release that the paper of 2022 attacks.",
                )  # fmt: skip
        elif proposal.point is not None:
            st.button(
                "Use the proposed plan",
                key="use_proposal",
                on_click=choose_point,
                args=(proposal.point,),
                help="Sets ε, threshold, bound and noise to the plan, on every page. Each can be moved afterwards.",
            )


def _proposed_in_words(point: PlanPoint, *, does_what_is_wished: bool) -> str:
    """Say what the plan on the left is: of the release that is proposed, before anything is said of others."""
    if does_what_is_wished:
        return "The plan in the settings is a proposal for this data. "
    return (
        "The plan in the settings is a proposal for this data, the most useful within the risk that the lab accepts unless you say otherwise: "
        f"nobody is guessed right in more than {point.risk_words} of cases (a coin: 50%), and {point.use_words} of all trips are expected "
        "near the truth. "
        "It falls short of what the lab wishes: "
    )


def _larger_of_ids(*, located: bool) -> str:
    """Return how the file's own zones become larger ones, in a sentence.

    >>> _larger_of_ids(located=True)
    'Larger zones: choose squares or hexagons under “Other zones, without another upload”.'
    """
    bring = "" if located else "bring a table of where the zones lie, and "
    return f"Larger zones: {bring}choose squares or hexagons under “Other zones, without another upload”."


def _other_way(plan: Plan) -> str:
    return "Try larger zones on the page Plan" if has_other_sizes(plan) else "Find another on the page Plan"


def _zones_in_words(spec: str) -> str:
    """Return zones as a reader calls them, with what the command line calls them.

    >>> _zones_in_words("grid:4000:59.28,17.93,59.39,18.17")
    'squares of 4,000 m over a box (`grid:4000:59.28,17.93,59.39,18.17`)'
    """
    kind, _, rest = spec.partition(":")
    size = rest.partition(":")[0]
    if kind == "grid" and size.replace(".", "", 1).isdigit():
        return f"squares of {float(size):,g} m{' over a box' if ':' in rest else ''} (`{spec}`)"
    return f"`{spec}`"


def nobody_moves(plan: Plan) -> str:
    """Return what can be known of data in which nobody made a trip, in a sentence or two; nothing of other data."""
    if not plan.prepared.no_trips:
        return ""
    return (
        f"Nobody in {plain(plan.prepared.name)} made a trip between zones, so that no flow can be counted. How hard its people are to hide, "
        f"and how many are where, can be told all the same. {plain(plan.prepared.no_trips)}"
    )


def not_loaded_yet(trouble: str | None) -> str:
    """Return what to do with data that is in hand but not loaded, in a sentence; `trouble` is why it cannot be, which is said below."""
    own = remembered_file()
    name = "Your file" if own is None else plain(own.called)
    if trouble is not None:
        return f"{name} cannot be loaded as it is. What is wrong, and what to do, stands below."
    return f"{name} is not loaded yet. Below stands what was recognised, and what is still to be said."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """How a file is to be read, but for its zones; what its columns were taken for, and where its zones may lie."""

    request: LoadRequest
    guess: ColumnMapping
    n_bytes: int
    positions: OwnFile | None


def _reading_form(own: OwnFile) -> _Reading:
    """Show what the data is and means; raises DataError or ParameterError for what does not fit."""
    format = format_control(own)
    second = second_file()
    positions = as_positions(own, second, format)
    lookup = lookup_controls(own, None if positions else second, format)
    preview = preview_of(own, format, lookup)
    show_preview(preview)
    key = f"{own.id}_{format}" + (f"_{second.id}" if second and lookup else "")
    mapping = mapping_controls(preview, own, format, key)
    mapping = system_control(mapping, key)
    mapping, timezone = time_controls(mapping, key)
    mapping.require_complete(preview.all_columns)
    cleaning = cleaning_controls(mapping)
    request = LoadRequest(
        own=own,
        format=format,
        mapping=mapping,
        lookup=lookup,
        timezone=timezone,
        cleaning=cleaning,
        zones=PROPOSED,
        geography=None,
    )
    return _Reading(request=request, guess=preview.mapping, n_bytes=preview.n_bytes, positions=positions)


def _zone_form(reading: "_Reading") -> None:
    """Show how the rows are cut into zones, how that looks, and the button that does it; raises as `_reading_form`."""
    mapping = reading.request.mapping
    rows = own_rows(reading.request.source, reading.n_bytes)
    zoned = zone_controls(reading.request.source, reading.positions, None if rows is None else rows.proposed)
    if zoned is None:
        return
    zones, geography, zone_file = zoned
    request = replace(
        reading.request,
        zones=zones,
        geography=geography,
        zone_file=zone_file.path if zone_file and mapping.place == "zone" else None,
        zone_layer=zone_file.layer if zone_file and mapping.place == "zone" else "",
        kept=None if rows is None else rows.kept,
    )
    loaded = loaded_request()
    if rows is not None and (is_brought_in() or loaded is None or loaded.zones != zones):
        show_zones(rows, zones, geography, "" if zone_file is None else zone_file.id)
    own, format = request.own, request.format
    show_outlook(own, format, mapping, zone_file if mapping.place == "zone" else None)
    job = running_load()
    busy = job is not None and not job.done
    label = "Recut" if is_loaded() else "Load"
    if is_brought_in():
        st.html(_IN_REACH)
    meaning = "Reads all rows into this session alone. It shows its progress and can be stopped."
    if st.button(label, type="primary", key="load", icon=":material/upload:", disabled=busy, help=meaning):
        start_load(request)
        st.rerun()
    with st.expander("The same on the command line"):
        st.code(command_from_request(request, reading.guess), language=None, wrap_lines=True)
