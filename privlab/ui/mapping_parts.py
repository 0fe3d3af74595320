"""What the columns of the user's own data mean: format, second file, columns, times."""

from dataclasses import replace
from pathlib import Path

import streamlit as st

from privlab.checks import DataError
from privlab.datasets.columns import FILE_NAME, FOLDER_NAME, ColumnMapping
from privlab.datasets.known_layouts import FORMATS
from privlab.datasets.lookups import Lookup, guessed_lookup
from privlab.datasets.previews import FilePreview, preview_from_path, source_of_path
from privlab.datasets.sources import source_from_path
from privlab.figures.words import plain
from privlab.ui import parts
from privlab.ui.own_file import OwnFile

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
    "count": "count (of a table without users)",
    "occupied": "occupied flag (its runs are trips)",
}
_FORMAT_NAMES = {"parquet": "Parquet", "arrow": "Arrow", **FORMATS}


@st.cache_data(scope="session", max_entries=16, show_spinner=False)
def _preview(id: str, path: Path, format: str, lookup: Lookup | None, within: Path | None) -> FilePreview:
    return preview_from_path(path, format=format, lookup=lookup, within=within)


@st.cache_data(scope="session", max_entries=16, show_spinner=False)
def _guess(
    id: str, path: Path, second: Path, format: str, within: Path | None
) -> tuple[Lookup, list[str], list[str]]:
    with source_of_path(path, format, within=within) as main:
        found = guessed_lookup(main, second)
        return found, list(main.columns), list(source_from_path(second).columns)


def format_control(own: OwnFile) -> str:
    """Show the choice of format; return it."""
    return st.selectbox(
        "Format",
        list(FORMATS),
        format_func=lambda name: FORMATS[name],
        key=f"format_{own.id}",
        persist_state="session",
    )


def preview_of(own: OwnFile, format: str, lookup: Lookup | None) -> FilePreview:
    """Show the first rows of a file and what it was recognised as. Raises DataError if it is no table."""
    preview = _preview(own.id, own.path, format, lookup, own.within)
    files = "" if preview.n_files == 1 else f"{preview.n_files:,} files, "
    seen = f"{files}{preview.n_bytes:,} bytes, {len(preview.columns)} columns"
    kind = _FORMAT_NAMES[preview.format]
    st.markdown(f"**{plain(preview.name)}**: {seen}. Read as {kind}. First rows:")
    rows = [dict(zip(preview.columns, row, strict=False)) for row in preview.rows]
    parts.table(rows, key="preview")
    return preview


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
    )
    other = right.selectbox(
        f"Column of {second.path.name} it is matched with",
        there,
        index=there.index(guess.key),
        key=f"lookup_key_{key}",
        persist_state="session",
    )
    return Lookup(path=second.path, on=on, key=other)


def mapping_controls(preview: FilePreview, key: str) -> ColumnMapping:
    """Show which column means what; return the mapping, with what the format says besides."""
    guess, chosen = preview.mapping, {}
    options = [_NONE, *(name for name in preview.all_columns if name), FILE_NAME, FOLDER_NAME]
    with st.expander("Which column is what", expanded=not _complete(guess, preview)):
        boxes = st.columns(4)
        for number, (name, label) in enumerate(LABELS.items()):
            guessed = getattr(guess, name)
            choice = boxes[number % 4].selectbox(
                label,
                options,
                index=options.index(guessed) if guessed in options else 0,
                key=f"column_{name}_{key}",
                persist_state="session",
            )
            chosen[name] = None if choice == _NONE else choice
    return replace(guess, **chosen)


def _complete(mapping: ColumnMapping, preview: FilePreview) -> bool:
    try:
        mapping.require_complete(preview.all_columns)
    except DataError:
        return False
    return True


def time_controls(mapping: ColumnMapping, key: str) -> tuple[ColumnMapping, str | None]:
    """Show how times are read; return the mapping with it, and the zone whose wall clock counts."""
    left, middle, right = st.columns(3)
    timezone = left.text_input(
        "Time zone (for times with an offset, and unix times)",
        "UTC",
        key="own_timezone",
        persist_state="session",
        help="A name like Europe/Paris. Times without an offset are wall-clock time and stay as they are.",
    )
    time_format = middle.text_input(
        "How times are written (empty: recognise)",
        "",
        key="own_time_format",
        persist_state="session",
        help="A strptime format such as %m/%d/%Y %H:%M, or seconds, milliseconds, microseconds, nanoseconds.",
    )
    recorded_in = right.text_input(
        "Zone that times without an offset were written in (empty: as they are)",
        mapping.recorded_in or "",
        key=f"own_recorded_in_{key}",
        persist_state="session",
        help="For example UTC, if a logger wrote UTC without saying so: they are then converted.",
    )
    times = {"time_format": time_format.strip() or None, "recorded_in": recorded_in.strip() or None}
    return replace(mapping, **times), timezone.strip() or None
