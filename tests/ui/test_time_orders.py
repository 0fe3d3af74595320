"""Dates that can be read in several ways: one button for each, which sets how times are written."""

from streamlit.testing.v1 import AppTest


def _page() -> None:
    import streamlit as st

    from privlab.checks import DataError
    from privlab.ui.data.time_orders import ways_to_read_times
    from privlab.ui.work.waiting import two_readings

    readings = (
        ("%y/%m/%d", "26/03/02 is 02 March 2026"),
        ("%d/%m/%Y", "01/02/2014 is 01 February 2014"),
        ("%m/%d/%Y", "01/02/2014 is 02 January 2014"),
    )
    error = DataError("It can be read in several ways.", column="day", readings=readings)
    st.warning(two_readings(error))
    st.warning(two_readings(DataError("", column="day", readings=readings[1:])))
    ways_to_read_times(error, place="load")
    ways_to_read_times(DataError("It cannot be read."), place="rows")
    ways_to_read_times(None, place="rows")


def test_each_way_is_a_button_that_sets_the_format() -> None:
    at = AppTest.from_function(_page).run()
    assert not at.exception
    assert [one.value for one in at.warning] == [
        "Every time in the column “day” can be read in three ways. Which is right?",
        "Every time in the column “day” can be read in two ways. Which is right?",
    ]
    assert [one.label for one in at.button] == [
        "Year first: 26/03/02 is 02 March 2026",
        "Day first: 01/02/2014 is 01 February 2014",
        "Month first: 01/02/2014 is 02 January 2014",
    ]
    at.button[2].click().run()
    assert at.session_state["own_time_format"] == "%m/%d/%Y"
