"""What the recovery page asks for besides its recoveries, cached for each browser session by itself, as in privlab.ui.cached."""

import numpy as np
import numpy.typing as npt
import streamlit as st

from privlab.aggregates import Traces
from privlab.aggregates.recovery import people_seen_from_traces


@st.cache_data(scope="session", max_entries=4, show_spinner=False)
def people_seen(key: str, _traces: Traces) -> npt.NDArray[np.int64]:
    """Return how many people are seen in the first day, the first two days and so on, (D,)."""
    return people_seen_from_traces(_traces)
