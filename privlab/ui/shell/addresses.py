"""What an address may hold that no control can take."""

import math
from collections.abc import Mapping, Sequence

import streamlit as st


def drop_endless_numbers() -> None:
    """Take values that are no finite number out of the address: a number's control cannot hold them.

    The page begins anew then, since controls take their first values from the address as it came.
    """
    endless = [
        name for name in st.query_params if any(_is_endless(value) for value in st.query_params.get_all(name))
    ]
    for name in endless:
        del st.query_params[name]
    if endless:
        st.rerun()


def take_up_old_name(old: str, key: str, options: Sequence[str]) -> None:
    """Take the value of a control from the name that it had in addresses before, if it is one of its options.

    The page that reads the old name calls this before the control. The address then shows the new name.
    """
    value = st.query_params.get(old)
    if value in options and key not in st.session_state:
        st.session_state[key] = value
        del st.query_params[old]


def take_up_old_value(key: str, values: Mapping[str, str]) -> None:
    """Give a control the value that an address of before has under another word, once, before it is drawn."""
    value = st.query_params.get(key)
    if value is not None and value in values and key not in st.session_state:
        st.session_state[key] = values[value]
        del st.query_params[key]


def _is_endless(text: str) -> bool:
    try:
        return not math.isfinite(float(text))
    except ValueError:
        return False
