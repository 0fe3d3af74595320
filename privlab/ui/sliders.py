"""A slider over steps that may hold a number between them, with a box for that number, and choices set aside.

Each is bound to the page's address.
"""

from collections.abc import Sequence
from html import escape

import numpy as np
import streamlit as st

NO_BOUND = "no bound"


def step_slider(key: str, label: str, options: Sequence[str], default: str, help_text: str) -> str:
    """Show a slider over steps; return its value."""
    return st.select_slider(
        label,
        options,
        value=default,
        key=key,
        bind="query-params",
        help=help_text,
        on_change=decide,
        args=(key,),
    )


def slider_and_box(
    key: str,
    label: str,
    options: Sequence[str],
    default: str,
    help_text: str,
    *,
    ends: tuple[str, str],
    limits: tuple[float, float],
) -> str:
    """Show a slider, what its ends mean, and a box for a number between its steps; they move each other."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        chosen = step_slider(key, label, options, default, help_text)
        state, whole = st.session_state, key != "epsilon"
        number = None if chosen == NO_BOUND else int(chosen) if whole else float(chosen)
        low, high = (int(end) if whole else float(end) for end in limits)
        state[f"{key}_box"] = number
        # A box keeps on showing a number that it refuses, whatever its slider then says: it is drawn anew by another key.
        with st.container(key=f"{key}_box_{_n_times_moved(key, chosen)}", width=76):
            st.number_input(
                f"{label}, as a number",
                low,
                high,
                None,
                1 if whole else 0.1,
                key=f"{key}_box",
                persist_state="session",
                label_visibility="collapsed",
                placeholder="none",
                format=None if whole else "%g",
                width=76,
                on_change=_take_box,
                args=(key,),
            )
    show_ends(ends)
    return chosen


def _n_times_moved(key: str, chosen: str) -> int:
    """Return how often in this session anything but its box has moved a slider."""
    n, last = st.session_state.get(f"{key}_moved", (0, chosen))
    n += chosen != last
    st.session_state[f"{key}_moved"] = n, chosen
    return int(n)


def _take_box(key: str) -> None:
    """Put the number of a box where its slider has its value; an emptied box means no bound, elsewhere nothing."""
    state = st.session_state
    number = state[f"{key}_box"]
    if number is not None:
        state[key] = f"{number:.12g}"
    elif key == "bound":
        state[key] = NO_BOUND
    state[f"{key}_moved"] = state[f"{key}_moved"][0], state[key]
    decide(key)


def show_ends(ends: tuple[str, str], between: str = "") -> None:
    """Say below a slider which way is which, and what else is to be said there."""
    left, right = ends
    st.html(
        "<div style='display: flex; justify-content: space-between; gap: 0.8rem; font-size: 0.8rem; margin-top: -0.9rem;'>"
        f"<span style='white-space: nowrap;'>← {left}</span><span>{escape(between)}</span>"
        f"<span style='white-space: nowrap;'>{right} →</span></div>"
    )


def show_marks(steps: Sequence[str], marks: Sequence[tuple[str, float]]) -> None:
    """Show at a slider over rising numbers where others' numbers lie, each by its name on hovering."""
    found = "".join(
        f"<span title='{escape(f'{name}: {number:g}', quote=True)}' aria-hidden='true' style='position: absolute; left: "
        f"{100 * share_along(steps, number):.2f}%; transform: translateX(-50%); cursor: default;'>◆</span>"
        for name, number in marks
    )
    st.html(
        f"<div style='position: relative; height: 0.9rem; font-size: 0.7rem; margin: -1.3rem 0.4rem 0;'>{found}</div>"
    )


def share_along(steps: Sequence[str], number: float) -> float:
    """Return how far along a slider over rising steps a number lies, in [0, 1]; between two steps by its logarithm.

    >>> share_along(["0.1", "1", "10"], 1), share_along(["0.1", "1", "10"], 100)
    (0.5, 1.0)
    """
    values = np.log([float(step) for step in steps])
    return float(np.interp(np.log(number), values, np.linspace(0.0, 1.0, values.size)))


def settle(key: str, options: Sequence[str], default: str) -> None:
    """Set aside a choice that the data does not offer, and take it up again with data that does.

    It is set aside until the control is moved by hand; the address always shows what applies.
    """
    state, aside = st.session_state, f"{key}_set_aside"
    if state.get(aside) in options:
        state[key] = state.pop(aside)
    elif key in state and state[key] not in options:
        state.setdefault(aside, state[key])
        state[key] = default


def decide(key: str) -> None:
    """Forget what was set aside: the control has been moved by hand."""
    st.session_state.pop(f"{key}_set_aside", None)


def follow(key: str, default: object) -> None:
    """Have a control that nobody has moved go with what it begins with, before it is drawn, where that hangs on data or other settings.

    A link does not name what a control begins with: opened anew it would show another value than the page that it was copied from.
    """
    state, begun = st.session_state, f"{key}_begun"
    if key in state and begun in state and state[key] == state[begun]:
        state[key] = default
    state[begun] = default


def days_slider(key: str, n_days: int, at_first: int, help_text: str) -> int:
    """Show a slider over the first days of a trail, unless it has one alone; return how many are shown.

    A trail of fewer days, which may come while the slider is not drawn, takes it back to its own.
    """
    if n_days == 1:
        return n_days
    state = st.session_state
    follow(key, at_first)
    state[key] = min(state.get(key, at_first), n_days)
    return st.slider(
        f"Days shown, of {n_days}",
        1,
        n_days,
        at_first,
        key=key,
        persist_state="session",
        width=360,
        help=help_text,
    )


def clear_address(key: str) -> None:
    """Take a value out of the address whose control is not shown.

    Where the control was shown before in this session, streamlit does so by itself, and keeps the value.
    """
    if key in st.query_params and key not in st.session_state:
        del st.query_params[key]


def with_address(
    options: Sequence[str], key: str, low: float, high: float, *, whole: bool = False
) -> list[str]:
    """Return the options with the values of the address and of this session in their places, if valid."""
    state = st.session_state
    _take_up_other_spelling(key, low, high, whole=whole)
    candidates = (st.query_params.get(key), state.get(key), state.get(f"{key}_set_aside"))
    wanted = {value for value in candidates if isinstance(value, str)} - set(options)
    words = [option for option in options if not option.replace(".", "").isdigit()]
    numbers = [option for option in options if option not in words]
    numbers += [value for value in wanted if _is_number(value, low, high, whole=whole)]
    return [*words, *sorted(numbers, key=float)]


def _take_up_other_spelling(key: str, low: float, high: float, *, whole: bool) -> None:
    """Take a number that the address spells in another way, such as 0.50 or 10.0, once, before its control is drawn."""
    named = st.query_params.get(key)
    if named is None or key in st.session_state:
        return
    try:
        usual = f"{float(named):.12g}"
    except ValueError:
        return
    if usual != named and _is_number(usual, low, high, whole=whole):
        st.session_state[key] = usual
        del st.query_params[key]


def _is_number(text: str, low: float, high: float, *, whole: bool) -> bool:
    try:
        number = float(text)
    except ValueError:
        return False
    return low <= number <= high and not (whole and number != int(number)) and f"{number:.12g}" == text
