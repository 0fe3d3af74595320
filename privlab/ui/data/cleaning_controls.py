"""What may be taken out of the user's own data on purpose: nothing, unless it is asked for."""

from datetime import date

import streamlit as st

from privlab.datasets.cleaning import Cleaning, box_from_text
from privlab.datasets.columns import ColumnMapping
from privlab.limits import MAX_EVERY_MIN, MAX_MIN_RECORDS, MAX_SPEED_KM_H, MAX_USERS_GENERATED


def cleaning_controls(mapping: ColumnMapping) -> Cleaning:
    """Show the steps that go with the data; return what is asked for. Raises ParameterError."""
    has_users, is_records = mapping.kind != "counts", mapping.kind == "records" and not mapping.occupied
    located = mapping.place != "zone"
    with st.expander("Clean it first (optional: nothing is taken out unless you say so)"):
        left, middle, right = st.columns(3)
        first = _day(
            left, "From this day on", "clean_first", "Earlier rows are left out and counted. Empty: none is."
        )
        last = _day(
            middle, "Up to this day", "clean_last", "Later rows are left out and counted. Empty: none is."
        )
        duplicates = has_users and right.checkbox(
            "Keep one of rows that are alike",
            key="clean_duplicates",
            persist_state="session",
            help="Rows that agree in user, time and place count once. Tick it if the file was written twice.",
        )
        box, percentile, speed = None, 100.0, None
        if mapping.place == "latlon":
            box = box_from_text(
                left.text_input(
                    "Box: south, west, north, east",
                    "",
                    key="clean_box",
                    persist_state="session",
                    help="Four numbers in degrees, such as 48.8, 2.2, 48.9, 2.5. Rows outside are left out and counted.",
                )
            )
        if located:
            percentile = middle.number_input(
                "Middle per cent of latitudes and longitudes",
                50.0,
                100.0,
                100.0,
                0.5,
                key="clean_percentile",
                persist_state="session",
                help="100 keeps all. 99 leaves out the outermost half per cent on each side, where stray positions lie.",
            )
        if located and is_records:
            speed = _number(
                right,
                "Fastest plausible speed, km/h",
                MAX_SPEED_KM_H,
                "clean_speed",
                "Records that could only be reached faster are left out: 300 keeps trains, 1000 aeroplanes.",
            )
        every = (
            _number(
                left,
                "One record per user and … minutes",
                MAX_EVERY_MIN,
                "clean_every",
                "Thins dense tracks: the first record of each span stays. Empty: all stay.",
            )
            if is_records
            else None
        )
        few = (
            _number(
                middle,
                "Minimum records per user",
                MAX_MIN_RECORDS,
                "clean_min",
                "Users with fewer rows are left out and counted. Empty: all stay.",
            )
            if has_users
            else None
        )
        users = (
            _number(
                right,
                "Sample so many users",
                MAX_USERS_GENERATED,
                "clean_users",
                "Draws so many users at random and leaves the others out. Empty: all stay.",
            )
            if has_users
            else None
        )
        return Cleaning(
            drop_duplicates=duplicates,
            first_day=first,
            last_day=last,
            box=box,
            percentile=percentile,
            max_speed_km_h=None if speed is None else float(speed),
            every_min=every,
            min_records=few or 1,
            n_users=users,
        )


def _day(column: st.delta_generator.DeltaGenerator, label: str, key: str, meaning: str) -> date | None:
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


def _number(
    column: st.delta_generator.DeltaGenerator, label: str, most: float, key: str, meaning: str
) -> int | None:
    value: int | None = column.number_input(
        label, 1, int(most), None, 1, key=key, persist_state="session", placeholder="no limit", help=meaning
    )
    return value
