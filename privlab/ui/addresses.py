"""What an address may hold that no control can take."""

import math

import streamlit as st


def drop_endless_numbers() -> None:
    """Take values that are no finite number out of the address: a number's control cannot hold them."""
    for name in list(st.query_params):
        if any(_is_endless(value) for value in st.query_params.get_all(name)):
            del st.query_params[name]


def _is_endless(text: str) -> bool:
    try:
        return not math.isfinite(float(text))
    except ValueError:
        return False
