"""What the columns of the user's own data mean: format, second file, columns, times."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

import streamlit as st

from privlab.checks import DataError
from privlab.datasets.columns import (
    FILE_NAME,
    FOLDER_NAME,
    PLACE_NAMES,
    STEP_M_RANGE,
    USUAL_SYSTEMS,
    ColumnMapping,
    crs_from_text,
    name_of_crs,
    with_fitting_units,
)
from privlab.datasets.layouts import FORMATS
from privlab.datasets.previews import (
    FilePreview,
    Outlook,
    outlook_from_path,
    preview_from_path,
)
from privlab.datasets.rows import Lookup
from privlab.datasets.zone_files import is_table_of_positions
from privlab.figures.wording import outlook_sentence, plain
from privlab.lab.proposing import columns_from_path, first_look, second_file_from_paths
from privlab.safe_text import masked
from privlab.ui.data.own_file import USUAL_TIMEZONE, OwnFile
from privlab.ui.data.role_chips import role_chips
from privlab.ui.shell import parts
from privlab.ui.work.heavy_work import apart

_NONE = "(none)"
LABELS = {
    "user_id": "user",
    "timestamp": "time",
    "date": "day, if the time is a time of day",
    "utc_offset_min": "minutes ahead of UTC",
    "lat": "latitude",
    "lon": "longitude",
    "x": "x (metres)",
    "y": "y (metres)",
    "zone": "zone id",
    "area": "area that makes a cell id unique (LAC)",
    "origin": "origin zone",
    "destination": "destination zone",
    "origin_lat": "origin latitude",
    "origin_lon": "origin longitude",
    "destination_lat": "destination latitude",
    "destination_lon": "destination longitude",
    "origin_x": "origin x (metres)",
    "origin_y": "origin y (metres)",
    "destination_x": "destination x (metres)",
    "destination_y": "destination y (metres)",
    "count": "count (of a table without users)",
    "occupied": "occupied flag (its runs are trips)",
}
MEANINGS = {
    "user_id": "Whose row it is: any id that stays the same for a person. Without it nothing is said per person.",
    "timestamp": "When it was: date and time in any usual form, or seconds since 1970.",
    "date": "Only where the column of times holds times of day without their day.",
    "utc_offset_min": "Only where each row says how far its clock is ahead of UTC.",
    "lat": "Degrees north, from −90 to 90.",
    "lon": "Degrees east, from −180 to 180.",
    "x": "Metres to the east, in a projected system.",
    "y": "Metres to the north, in a projected system.",
    "zone": "The name of the place, antenna or cell that the row was seen at.",
    "area": "Where ids of cells repeat in each area, the two together name a cell.",
    "origin": "The zone that a trip begins in.",
    "destination": "The zone that a trip ends in.",
    "origin_lat": "Where a trip begins, in degrees north.",
    "origin_lon": "Where a trip begins, in degrees east.",
    "destination_lat": "Where a trip ends, in degrees north.",
    "destination_lon": "Where a trip ends, in degrees east.",
    "origin_x": "Where a trip begins, in metres to the east in a projected system.",
    "origin_y": "Where a trip begins, in metres to the north in a projected system.",
    "destination_x": "Where a trip ends, in metres to the east in a projected system.",
    "destination_y": "Where a trip ends, in metres to the north in a projected system.",
    "count": "How many trips a row stands for, where the file holds counts and not people.",
    "occupied": "1 while a taxi has a guest: each run of ones is a trip.",
}
_WHO_OR_WHERE_BY_ID = ("user_id", "zone", "area", "origin", "destination")
_FORMAT_NAMES = {"parquet": "Parquet", "arrow": "Arrow", "xlsx": "an Excel workbook", **FORMATS}


@st.cache_data(scope="session", max_entries=16, show_spinner=False)
def _preview(id: str, path: Path, format: str, lookup: Lookup | None, within: Path | None) -> FilePreview:
    files = (path,) if lookup is None else (path, lookup.path)
    return first_look(
        preview_from_path, path, format=format, lookup=lookup, within=within, of=files, apart=apart
    )


@st.cache_data(scope="session", max_entries=16, show_spinner=False)
def _guess(
    id: str, path: Path, second: Path, format: str, within: Path | None
) -> tuple[Lookup, list[str], list[str]]:
    return first_look(
        second_file_from_paths, path, second, format=format, within=within, of=(path, second), apart=apart
    )


@st.cache_data(scope="session", max_entries=16, show_spinner=False)
def _columns(id: str, path: Path) -> tuple[str, ...]:
    return first_look(columns_from_path, path, of=(path,), apart=apart)


def format_control(own: OwnFile) -> str:
    """Show the choice of format; return it."""
    return st.selectbox(
        "Format",
        list(FORMATS),
        format_func=lambda name: FORMATS[name],
        key=f"format_{own.id}",
        persist_state="session",
        help="How the file is written. The lab has guessed; change it if the columns below look wrong.",
    )


class UnreadableError(DataError):
    """A file that is no table: nothing said of its columns can help."""


def preview_of(own: OwnFile, format: str, lookup: Lookup | None) -> FilePreview:
    """Return the first rows of a file and what it was recognised as. Raises UnreadableError if it is no table."""
    try:
        return _preview(own.id, own.path, format, lookup, own.within)
    except DataError as error:
        raise UnreadableError(str(error)) from error


def show_preview(preview: FilePreview) -> None:
    """Show what a file was recognised as."""
    files = "" if preview.n_files == 1 else f"{preview.n_files:,} files, "
    seen = f"{files}{preview.n_bytes:,} bytes, {len(preview.columns)} columns"
    kind = _FORMAT_NAMES[preview.format]
    st.markdown(f"**{plain(preview.name)}**: {seen}. Read as {kind}.")
    for note in preview.notes:
        st.info(plain(note))


def _masked_rows(
    columns: Sequence[str], rows: Sequence[Sequence[str]], mapping: ColumnMapping
) -> list[dict[str, str]]:
    """Return first rows by column, without what calls a person or names a place by a long id."""
    plainly_shown = {
        getattr(mapping, name) for name in mapping.fields_used if name not in _WHO_OR_WHERE_BY_ID
    }
    return [
        {
            name: cell if name in plainly_shown else masked(cell)
            for name, cell in zip(columns, row, strict=False)
        }
        for row in rows
    ]


def _previews(preview: FilePreview, mapping: ColumnMapping, said: dict[str, str | None], key: str) -> None:
    files = ((preview.columns, preview.rows), (preview.second_columns, preview.second_rows))
    shown = [_masked_rows(columns, rows, mapping) for columns, rows in files]
    as_written = [[dict(zip(columns, row, strict=False)) for row in rows] for columns, rows in files]
    if shown != as_written:
        st.caption(
            "Phone numbers, mail addresses and long ids are shown by their first and last two characters."
        )
    role_chips(preview, mapping, LABELS, said, key, *shown)


@st.cache_data(scope="session", max_entries=16, show_spinner="Counting the rows")
def _outlook(id: str, path: Path, format: str, mapping: ColumnMapping, within: Path | None) -> Outlook | None:
    return outlook_from_path(path, mapping, format=format, within=within)


def show_outlook(own: OwnFile, format: str, mapping: ColumnMapping, positions: OwnFile | None) -> None:
    """Say in one line what loading will read, before it is loaded."""
    found = _outlook(own.id, own.path, format, mapping, own.within)
    st.markdown(plain(outlook_sentence(mapping, found, None if positions is None else positions.path.name)))


def as_positions(own: OwnFile, second: OwnFile | None, format: str) -> OwnFile | None:
    """Return the second file where it says where the zones of trips lie, both ends of them; else None."""
    if second is None:
        return None
    known = mapping_known(preview_of(own, format, None), own, format)
    if known.kind == "records" or known.place != "zone":
        return None
    if not is_table_of_positions(_columns(second.id, second.path)):
        return None
    st.info(f"{plain(second.path.name)} says where zones lie: both ends of each trip are placed by it.")
    return second


def _by_hand(own: OwnFile, format: str) -> dict[str, str | None]:
    """Return what was mapped by hand for a file, which a second file does not change."""
    chosen: dict[str, str | None] = st.session_state.setdefault(f"mapped_{own.id}_{format}", {})
    return chosen


def _note_choice(own: OwnFile, format: str, name: str, key: str) -> None:
    choice = st.session_state[key]
    _by_hand(own, format)[name] = None if choice == _NONE else choice


def mapping_known(preview: FilePreview, own: OwnFile, format: str) -> ColumnMapping:
    """Return what the columns mean: what was said by hand, and for the rest the guess.

    Once a place was said by hand, no other place is guessed from a second file.
    """
    said, guess = _by_hand(own, format), preview.mapping
    if preview.second_columns and any(name in PLACE_NAMES for name in said):
        alone = preview_of(own, format, None).mapping
        guess = replace(guess, **{name: getattr(alone, name) for name in PLACE_NAMES})
    there = (*preview.all_columns, FILE_NAME, FOLDER_NAME, None)
    still: dict[str, Any] = {name: column for name, column in said.items() if column in there}
    known = replace(guess, **still)
    return with_fitting_units(known, guess)


def lookup_controls(own: OwnFile, second: OwnFile | None, format: str) -> Lookup | None:
    """Show how the second file is matched; return it, None without one. Raises DataError if it is no table."""
    if second is None:
        return None
    key = f"{own.id}_{second.id}"
    guess, here, there = _guess(key, own.path, second.path, format, own.within)
    left, right = st.columns(2)
    on = left.selectbox(
        "Column of the file that names a row of the second",
        here,
        index=here.index(guess.on),
        key=f"lookup_on_{key}",
        persist_state="session",
        help="For instance the antenna of each record, where the second file says where antennas stand.",
    )
    other = right.selectbox(
        f"Column of {second.path.name} it is matched with",
        there,
        index=there.index(guess.key),
        key=f"lookup_key_{key}",
        persist_state="session",
        help="The column of the second file that holds the same names, each once.",
    )
    return Lookup(path=second.path, on=on, key=other)


def mapping_controls(preview: FilePreview, own: OwnFile, format: str, key: str) -> ColumnMapping:
    """Show the first rows below what each column is taken for; return the mapping, with what the format says besides."""
    mapping, said = mapping_known(preview, own, format), _by_hand(own, format)
    st.caption("What each column is: the lab has guessed, change what is wrong.")
    _previews(preview, mapping, said, key)
    options = [_NONE, *(name for name in preview.all_columns if name), FILE_NAME, FOLDER_NAME]
    with st.expander("More settings: a column for each meaning"):
        boxes = st.columns(4)
        for number, (name, label) in enumerate(LABELS.items()):
            known = getattr(mapping, name)
            st.session_state[f"column_{name}_{key}"] = known if known in options else _NONE
            boxes[number % 4].selectbox(
                label,
                options,
                key=f"column_{name}_{key}",
                persist_state="session",
                on_change=_note_choice,
                args=(own, format, name, f"column_{name}_{key}"),
                help=MEANINGS[name],
            )
    unknown = [name for name in LABELS if getattr(mapping, name) not in options]
    return replace(mapping, **dict.fromkeys(unknown))


def system_control(mapping: ColumnMapping, key: str) -> ColumnMapping:
    """Show which projected system x and y are of, where places are such; return the mapping with it. Raises DataError for a number of none."""
    if mapping.place_in_file != "xy":
        return mapping
    box = f"own_crs_{key}"
    typed = st.session_state.get(box)
    said = st.selectbox(
        "Projected system of x and y (EPSG number)",
        [*USUAL_SYSTEMS, *([] if typed is None or typed in USUAL_SYSTEMS else [typed])],
        index=None,
        format_func=_system_in_words,
        key=box,
        persist_state="session",
        accept_new_options=True,
        placeholder="Not said: metres that lie nowhere on earth",
        width=480,
        help="With it places are read as latitude and longitude: maps lie on land, and hexagons and polygons can be zones. Choose one, or type "
        "the number that your map program names, such as 25832.",
    )
    if said is None:
        st.caption("Without a system, distances hold, and maps have no land below them.")
        return _with_step(mapping, key)
    try:
        crs = crs_from_text(said)
    except DataError:
        parts.setting_button("Leave the system out", key="no_crs", **{box: None})
        raise
    st.caption(f"{name_of_crs(crs)}: places are read as latitude and longitude.")
    return replace(mapping, crs=crs, step_m=None)


def _with_step(mapping: ColumnMapping, key: str) -> ColumnMapping:
    """Show how long one step of x and y is; return the mapping with it."""
    step_m = st.number_input(
        "One step of x and y, in metres",
        *STEP_M_RANGE,
        mapping.step_m or 1.0,
        format="%g",
        key=f"own_step_m_{key}",
        persist_state="session",
        width=240,
        help="1 where x and y are metres. Where they number the cells of a grid: how wide a cell is, such as 500. A row then counts in the "
        "middle of its cell.",
    )
    return replace(mapping, step_m=None if step_m == 1.0 else step_m)


def _system_in_words(crs: str) -> str:
    """Return a system as it is offered; what was typed stands as it was typed."""
    return f"{crs} · {name_of_crs(crs)}" if crs in USUAL_SYSTEMS else crs


def time_controls(mapping: ColumnMapping, key: str) -> tuple[ColumnMapping, str | None]:
    """Show how times are read; return the mapping with it, and the zone whose wall clock counts."""
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    timezone = left.text_input(
        "Time zone (for times with an offset, and unix times)",
        USUAL_TIMEZONE,
        key="own_timezone",
        persist_state="session",
        help="A name like Europe/Paris. Times without an offset are wall-clock time and stay as they are.",
    )
    time_format = middle.text_input(
        "How times are written (empty: recognise)",
        "",
        key="own_time_format",
        persist_state="session",
        placeholder=mapping.time_format or "",
        help="A strptime format such as %m/%d/%Y %H:%M, or seconds, milliseconds, microseconds, nanoseconds; slots:30 where the day and the half "
        "hour of the day are numbers.",
    )
    recorded_in = right.text_input(
        "Zone that times without an offset were written in (empty: as they are)",
        mapping.recorded_in or "",
        key=f"own_recorded_in_{key}",
        persist_state="session",
        help="For example UTC, if a logger wrote UTC without saying so: they are then converted.",
    )
    named = timezone.strip()
    if named and (known := available_timezones()) and named not in known:
        parts.setting_button("Take UTC", key="known_timezone", own_timezone=USUAL_TIMEZONE)
    mapping = replace(
        mapping,
        time_format=time_format.strip() or mapping.time_format,
        recorded_in=recorded_in.strip() or None,
    )
    return mapping, None if named in ("", USUAL_TIMEZONE) else named
