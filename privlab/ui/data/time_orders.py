"""What a steward is asked where every time of a file can be read day first and month first: one button for each."""

import streamlit as st

from privlab.checks import DataError
from privlab.figures.wording import plain
from privlab.ui.shell import parts

_ORDERS = {"%d": "Day first", "%m": "Month first", "%y": "Year first"}  # by what a format begins with


def ways_to_read_times(error: BaseException | None, *, place: str) -> None:
    """Show a button for each way in which the times of a file can be read, if that is why it could not be."""
    if not isinstance(error, DataError) or not error.readings:
        return
    with st.container(horizontal=True):
        for number, (formats, example) in enumerate(error.readings):
            parts.setting_button(
                plain(f"{_ORDERS[formats[:2]]}: {example}"),
                key=f"time_order_{place}_{number}",
                own_time_format=formats,
            )
