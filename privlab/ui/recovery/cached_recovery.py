"""What the recovery page asks for besides its recoveries, cached for each browser session by itself, as in privlab.ui.cached."""

from datetime import date

import numpy as np
import numpy.typing as npt
import streamlit as st

from privlab.aggregates import Traces
from privlab.aggregates.recovery import busiest_first_day_from_traces, people_seen_from_traces


@st.cache_data(scope="session", max_entries=4, show_spinner=False)
def people_seen(key: str, _traces: Traces, first_day: date | None) -> npt.NDArray[np.int64]:
    """Return how many people are seen in the first day, the first two days and so on, (D,), from a day on."""
    return people_seen_from_traces(_traces, first_day)


@st.cache_data(scope="session", max_entries=4, show_spinner=False)
def busiest_first_day(key: str, _traces: Traces, days: int) -> date:
    """Return from which day on so many days have the most hours in which somebody is seen."""
    return busiest_first_day_from_traces(_traces, days)
