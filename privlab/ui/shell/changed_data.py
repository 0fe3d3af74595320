"""The control that changes the data before an attack or a measure sees them, and the words that say so."""

import streamlit as st

from privlab.controls import control_sentence, controls_from_specs, require_controls_fit
from privlab.figures.wording import plain

CONTROL_LABEL = "As a control, change the data first"
_USUAL = ("thin:0.5", "thin:0.1", "shuffle-hours", "permute-zones", "users:250", "days:7")


def control_choice(*, key: str) -> list[str]:
    """Show how the data may be changed first; return what was chosen or typed."""
    return st.multiselect(
        CONTROL_LABEL,
        _USUAL,
        key=key,
        bind="query-params",
        accept_new_options=True,
        placeholder="none",
        width=240,
        help="Takes one property away, to see whether the result is due to it: thin leaves a share of each person's visits "
        "(is it sparsity?), shuffle-hours puts hours in random order (is it regularity?), permute-zones exchanges places (is it which "
        "places?), users and days leave fewer (is it size?). Or type one, such as thin:0.2.",
    )


def checked_controls(chosen: list[str], *, n_users: int, n_days: int) -> tuple[str, ...]:
    """Return the controls of data of so many users and days.

    Raises ParameterError for what is none, and for more users or days than there are.
    """
    controls = controls_from_specs(chosen)
    require_controls_fit(controls, n_users=n_users, n_days=n_days)
    return controls


def controls_option(controls: tuple[str, ...]) -> str | None:
    """Return controls as a report keeps them, None without any."""
    return "+".join(controls) or None


def say_changed(controls: tuple[str, ...], *, measure: str, more: str = "") -> None:
    """Say that the data shown were changed, how, and what a change of the measure would mean; nothing without controls."""
    if controls:
        sentence = f"{control_sentence(controls, measure=measure)} {more}".strip()
        st.info(plain(sentence), icon=":material/science:")
