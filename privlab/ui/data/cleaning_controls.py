"""What may be taken out of the user's own data on purpose: nothing, unless it is asked for."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import streamlit as st

from privlab.datasets.cleaning import Cleaning, box_from_text
from privlab.datasets.columns import ColumnMapping
from privlab.figures.wording import plain
from privlab.limits import MAX_EVERY_MIN, MAX_MIN_RECORDS, MAX_SPEED_KM_H, MAX_USERS_GENERATED
from privlab.releases.writing import cleaning_in_words
from privlab.ui.shell import parts

_NOTHING: dict[str, object] = {
    **dict.fromkeys(
        (
            "clean_first",
            "clean_last",
            "clean_speed",
            "clean_every",
            "clean_min",
            "clean_users",
        )
    ),
    "clean_percentile": 100.0,
    "clean_box": "",
    "clean_duplicates": False,
}
_Column = st.delta_generator.DeltaGenerator


def cleaning_controls(mapping: ColumnMapping) -> Cleaning:
    """Show the steps that go with the data; return what is asked for. Raises ParameterError."""
    with st.expander("Clean it first (optional: nothing is taken out unless you say so)"):
        columns = st.columns(3)
        cleaning = Cleaning(
            **_when(columns, mapping) | _where(columns, mapping) | _how_many(columns, mapping)
        )
    with st.container(key="cleaned"):
        if cleaning != Cleaning():  # it may have been asked for of another file, and the fold is closed
            st.warning(
                f"Taken out before anything is counted: {plain(cleaning_in_words(cleaning.as_texts()))}.",
                icon=":material/filter_alt:",
            )
            parts.setting_button("Take nothing out", key="clean_nothing", **_NOTHING)
    return cleaning


def _when(columns: Sequence[_Column], mapping: ColumnMapping) -> dict[str, Any]:
    """Ask which days count; of data without times nothing."""
    left, middle, _ = columns
    if mapping.timestamp is None:
        return {}
    return {
        "first_day": _day(
            left, "From this day on", "clean_first", "Earlier rows are left out and counted. Empty: none is."
        ),
        "last_day": _day(
            middle, "Up to this day", "clean_last", "Later rows are left out and counted. Empty: none is."
        ),
    }


def _where(columns: Sequence[_Column], mapping: ColumnMapping) -> dict[str, Any]:
    """Ask which places count, and how fast one may come to them; of data without coordinates nothing."""
    left, middle, right = columns
    wanted: dict[str, Any] = {}
    if mapping.place == "latlon":
        said = left.text_input(
            "Box: south, west, north, east",
            "",
            key="clean_box",
            persist_state="session",
            help="Four numbers in degrees, such as 48.8, 2.2, 48.9, 2.5. Rows outside are left out and counted.",
        )
        wanted["box"] = box_from_text(said)
    if mapping.place == "zone":
        return wanted
    wanted["percentile"] = middle.number_input(
        f"Middle per cent of {'latitudes and longitudes' if mapping.place == 'latlon' else 'x and y'}",
        50.0,
        100.0,
        100.0,
        0.5,
        key="clean_percentile",
        persist_state="session",
        help="100 keeps all. 99 leaves out the outermost half per cent on each side, where stray positions lie.",
    )
    if _is_records(mapping):
        speed = _number(
            right,
            "Fastest plausible speed, km/h",
            MAX_SPEED_KM_H,
            "clean_speed",
            "Records both reached and left faster than this are left out, the ends of a trace never: 300 keeps trains, 1000 aeroplanes.",
        )
        wanted["max_speed_km_h"] = None if speed is None else float(speed)
    return wanted


def _how_many(columns: Sequence[_Column], mapping: ColumnMapping) -> dict[str, Any]:
    """Ask which rows of a user count, and which users; of counts nothing."""
    left, middle, right = columns
    wanted: dict[str, Any] = {}
    if _is_records(mapping):
        wanted["every_min"] = _number(
            left,
            "One record per user and … minutes",
            MAX_EVERY_MIN,
            "clean_every",
            "Thins dense tracks: the first record of each span stays. Empty: all stay.",
        )
    if mapping.kind == "counts":
        return wanted
    few = _number(
        middle,
        "Minimum records per user",
        MAX_MIN_RECORDS,
        "clean_min",
        "Users with fewer rows are left out and counted. Empty: all stay.",
    )
    wanted["min_records"] = few or 1
    wanted["drop_duplicates"] = right.checkbox(
        "Keep one of rows that are alike",
        key="clean_duplicates",
        persist_state="session",
        help="Rows that agree in user, time and place count once. Tick it if the file was written twice.",
    )
    wanted["n_users"] = _number(
        right,
        "Sample so many users",
        MAX_USERS_GENERATED,
        "clean_users",
        "Draws so many users at random and leaves the others out. Empty: all stay.",
    )
    return wanted


def _is_records(mapping: ColumnMapping) -> bool:
    """Return whether each row is somebody at a place, and not a trip or part of one."""
    return mapping.kind == "records" and not mapping.occupied


def _day(column: _Column, label: str, key: str, meaning: str) -> date | None:
    day: date | None = column.date_input(
        label,
        None,
        min_value=date(1900, 1, 1),
        max_value=date(2199, 12, 31),
        help=meaning,
        key=key,
        persist_state="session",
    )
    return day


def _number(column: _Column, label: str, most: float, key: str, meaning: str) -> int | None:
    value: int | None = column.number_input(
        label, 1, int(most), None, 1, key=key, persist_state="session", placeholder="no limit", help=meaning
    )
    return value
