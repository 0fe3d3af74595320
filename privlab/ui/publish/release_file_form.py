"""How the file of a release is written: shown, and for own data confirmed, before anything is made of it."""

import hashlib

import streamlit as st

from privlab.datasets.columns import ID_KINDS, of_whom_in_words
from privlab.datasets.layouts import HEADERLESS, ISO, TABLE, FileForm
from privlab.datasets.times import slot_min_from_format
from privlab.datasets.zone_files import Geography, odd_ids
from privlab.figures.wording import plain
from privlab.lab.publishing import ReleaseData, form_with_ids, release_data_of_sample
from privlab.ui.data.own_file import LoadRequest, box_of_zones, loaded_request
from privlab.ui.shell import parts
from privlab.ui.state import OWN, Plan

TAB = "\t"
WRITTEN_LIKE_THIS = "The file is written like this. That does not depend on who is in it."
AND_THIS_AREA = (
    "The file is written like this, and this is the outline of my area. Neither depends on who is in it."
)
_SHOWN_IDS = 3
_MOST_LETTERS = 40  # of an id
_IDS = {"number": "whole numbers", "text": "text"}


def form_control(plan: Plan) -> ReleaseData | None:
    """Show how the file is read for a release, to be confirmed for own data; return what is read, or say what is missing."""
    form = plan.prepared.form
    if plan.data != OWN:
        return None if form is None else release_data_of_sample(plan.data, form)
    request = loaded_request()
    if form is None or request is None:
        st.warning("The file of this data is no longer at hand. Load it again on the page Data.")
        parts.way_on("data", "Load it again")
        return None
    with st.container(border=True):
        st.markdown(
            "**How the file is written.** A release guesses nothing from its rows: one person's row could "
            "change how everybody else's are read."
        )
        ids = form.ids
        if ids is not None:
            ids = st.segmented_control(
                "Zone ids are", _kinds_offered(request), key=_said_ids(request), persist_state="session",
                format_func=_IDS.__getitem__,
                help="An id that is no whole number is dropped where ids are numbers; as text, 7 and 07 are two zones.",
            )  # fmt: skip
            if such := ids_in_words(request.geography):
                st.caption(such)
        st.caption(plain(form_words(form)))
        if area := area_words(
            request.zones, by_zone_file=form.mapping.place == "zone", in_metres=form.mapping.place == "xy"
        ):
            st.markdown(area)
        if unlisted := plan.prepared.unlisted:
            st.markdown(
                f":material/wrong_location: **{unlisted}.** Bring a zone file that lists them all on the page Data, or choose "
                "“only those in the data” among the flows considered."
            )
        if not st.checkbox(
            _to_confirm(request), key=_confirmed(request), persist_state="session",
            help="Rows that are written otherwise are left out of the release. If something is wrong, load the file "
            "again on the page Data and say there how it is written.",
        ):  # fmt: skip
            return None
        if form.ids is not None and ids is None:
            return None  # `still_to_say` says so beside the button that waits for it
    return release_data_of_request(request, form_with_ids(form, ids))


def still_to_say(plan: Plan) -> None:
    """Show, above a button that waits for the form of the file, what of it is not said yet, and say it by a button."""
    form, request = plan.prepared.form, loaded_request()
    if plan.data != OWN or form is None or request is None:
        return
    ids, written = _said_ids(request), _confirmed(request)
    if form.ids is not None and st.session_state.get(ids) is None:
        st.markdown("It cannot be made yet: what the zone ids of the file are is not said.")
        with st.container(horizontal=True):
            for kind in _kinds_offered(request):
                parts.setting_button(f"Zone ids are {_IDS[kind]}", key=f"say_ids_{kind}", **{ids: kind})
    if not st.session_state.get(written):
        st.markdown("It cannot be made yet: look above at how the file is written, and confirm it.")
        parts.setting_button(_to_confirm(request), key="say_form", **{written: True})


def read_ids_as_text(data: ReleaseData, *, of_rows: bool = False) -> None:
    """Show the way on where ids were said to be whole numbers and those of the zone file are not, or, `of_rows`, the rows cannot be read."""
    request = loaded_request()
    is_odd = of_rows or bool(data.geography and odd_ids(data.geography))
    if request is not None and data.form.ids == "number" and is_odd:
        parts.setting_button("Read ids as text", key="say_ids_as_text", **{_said_ids(request): "text"})


def _said_ids(request: LoadRequest) -> str:
    """Return the key of what the ids of just this file were said to be."""
    return f"publish_ids_{request.own.id}"


def _kinds_offered(request: LoadRequest) -> tuple[str, ...]:
    """Return what ids can be said to be, the likelier first: by the zone file, which is public, and by nobody's row."""
    is_text = request.geography is not None and bool(odd_ids(request.geography))
    return tuple(sorted(ID_KINDS, key=lambda kind: (kind == "text") != is_text))


def ids_in_words(geography: Geography | None) -> str:
    """Return what ids the zone file has, in a sentence, those that are no whole numbers first; nothing without a zone file.

    >>> ids_in_words(Geography(zones=["10", "S00", "S01"])), ids_in_words(Geography(zones=[5, 9])), ids_in_words(None)
    ("The zone file's ids are such as S00, S01, 10.", "The zone file's ids are such as 5, 9.", '')
    """
    if geography is None or not geography.zones:
        return ""
    odd = odd_ids(geography)[:_SHOWN_IDS]
    others = [one for one in geography.zones[:_SHOWN_IDS] if one not in odd]
    shown = [plain(str(one)[:_MOST_LETTERS]) for one in (*odd, *others)[:_SHOWN_IDS]]
    return f"The zone file's ids are such as {', '.join(shown)}."


def _to_confirm(request: LoadRequest) -> str:
    return AND_THIS_AREA if area_words(request.zones) else WRITTEN_LIKE_THIS


def _confirmed(request: LoadRequest) -> str:
    """Return the key of what is confirmed: of just this file in just these zones."""
    zones = hashlib.blake2b(request.zones.encode(), digest_size=4).hexdigest()
    return f"publish_form_{request.own.id}_{zones}"


def area_words(zones: str, *, by_zone_file: bool = False, in_metres: bool = False) -> str:
    """Return over which box zones lie, and what that says of the data, in a few sentences; nothing of zones without a box.

    `by_zone_file` says that a proposed one was drawn around the positions of a zone file.

    >>> area_words("grid:4000:59.28,17.93,59.39,18.17").split(". ")[0]
    '**The area.** The zones lie over a box from 59.28 to 59.39 (south to north) and from 17.93 to 18.17 (west to east)'
    >>> area_words("grid:4000:0,0,8000,4000", in_metres=True).split(". ")[0]
    '**The area.** The zones lie over a box from 0 to 8000 m (south to north) and from 0 to 4000 m (west to east)'
    >>> area_words("column"), area_words("grid:500")
    ('', '')
    """
    box = box_of_zones(zones)
    if box is None:
        return ""
    south, west, north, east = box
    drawn = (
        "the lab proposed it from where most of the rows lie, and no ε covers that: take the outline of a city or a region that was "
        "there before the data."
    )
    if by_zone_file:
        drawn = "it lies around all positions in the zone file: name another if the list of them hangs on who is in the data."
    metres = " m" if in_metres else ""
    return (
        f"**The area.** The zones lie over a box from {south} to {north}{metres} (south to north) and from {west} to {east}{metres} (west to "
        f"east). Whoever has the release can read it there. Unless you named it, {drawn} "
        "Another box is named on the page Data, under “Other zones”."
    )


def form_words(form: FileForm) -> str:
    """Return how a file is written, in one sentence.

    >>> from privlab.datasets.columns.mapping import ColumnMapping
    >>> form_words(FileForm(mapping=ColumnMapping(user_id="phone", timestamp="t", zone="cell")))
    'Columns by the header line: user_id is phone, timestamp is t, zone is cell. Times are ISO 8601 where they are text.'
    >>> form_words(FileForm(mapping=ColumnMapping(user_id="bike_id", timestamp="t", zone="stop"))).split(". ")[-1]
    'By its name bike_id holds vehicles: what is promised to a person is promised to one of these.'
    """
    mapping = form.mapping
    columns = ", ".join(f"{field} is {getattr(mapping, field)}" for field in mapping.fields_used)
    where = {TABLE: "by the header line", HEADERLESS: "by their place"}.get(
        form.format, "of a published layout"
    )
    cut = (
        ""
        if form.delimiter is None
        else f", separated by {'a tab' if form.delimiter == TAB else form.delimiter!r}"
    )
    text = "" if form.encoding == "utf-8" else f", text in {form.encoding}"
    times = "ISO 8601 where they are text" if mapping.time_format in (None, ISO) else str(mapping.time_format)
    if slot_min := slot_min_from_format(mapping.time_format):
        times = f"days and slots of {slot_min} minutes, counted from 0"
    clock = "" if mapping.recorded_in is None else f", by the clock of {mapping.recorded_in}"
    system = "" if mapping.crs is None else f" x and y are of {mapping.crs}."
    system += "" if mapping.step_m is None else f" x and y number cells of {mapping.step_m:,g} m."
    of_whom = of_whom_in_words(mapping.user_id or "")
    return f"Columns {where}{cut}{text}: {columns}. Times are {times}{clock}.{system} {of_whom}".rstrip()


def release_data_of_request(request: LoadRequest, form: FileForm) -> ReleaseData:
    """Return what a release of own data reads: the file that was loaded, in its settled form."""
    return ReleaseData(
        path=request.own.path,
        form=form,
        zones=request.zones,
        geography=request.geography,
        lookup=request.lookup,
        timezone=request.timezone,
        cleaning=request.cleaning,
        within=request.own.within,
    )
