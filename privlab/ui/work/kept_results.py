"""What a page made of the same things at its last run, handed out again: one result of each name and session."""

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from privlab.ui.work.waiting import KEPT_RESULTS

Result = TypeVar("Result")


def kept(name: str, made_of: tuple[Any, ...], make: Callable[[], Result]) -> Result:
    """Return what was made of things equal to `made_of` under this name at last, else make it; nobody may change it.

    It is gone with the session's other results.
    """
    slot = KEPT_RESULTS + name
    held: tuple[tuple[Any, ...], Result] | None = st.session_state.get(slot)
    if held is not None and held[0] == made_of:
        return held[1]
    made = make()
    st.session_state[slot] = made_of, made
    return made
