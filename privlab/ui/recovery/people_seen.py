"""How many people are seen in the days that a recovery takes, from which all its limits on people follow."""

import numpy as np
import numpy.typing as npt
import streamlit as st

from privlab.aggregates import Traces
from privlab.limits import MAX_RECOVERED_DAYS

LEAST_PEOPLE = 2
"""Fewer cannot be taken for one another."""


@st.cache_data(scope="session", max_entries=4, show_spinner=False)
def people_seen(key: str, _traces: Traces) -> npt.NDArray[np.int64]:
    """Return how many people are seen in the first day, the first two days and so on, (D,): from the first Monday on if there is one."""
    return seen_so_far(_traces)


def seen_so_far(traces: Traces) -> npt.NDArray[np.int64]:
    """Return the same, worked out anew."""
    first = traces.mondays[0] if traces.mondays else traces.first_day
    low = (first - traces.first_day).days * 24
    n_days = min(MAX_RECOVERED_DAYS, (traces.last_day - first).days + 1)
    user = np.repeat(np.arange(traces.n_users), np.diff(traces.starts))
    inside = traces.epoch >= low
    _, begin = np.unique(user[inside], return_index=True)
    day = (traces.epoch[inside][begin] - low) // 24  # reports of a person are sorted by epoch
    return np.cumsum(np.bincount(day[day < n_days], minlength=n_days)).astype(np.int64)
