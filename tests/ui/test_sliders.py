"""Marks below a slider lie where its steps are, and between two steps by their logarithm."""

import math

import pytest
from streamlit.testing.v1 import AppTest

from privlab.dp.promise import STATED_PRACTICE
from privlab.ui.shared_controls import _EPSILONS
from privlab.ui.sliders import share_along


def test_a_mark_on_a_step_lies_at_that_step() -> None:
    for place, step in enumerate(_EPSILONS):
        assert share_along(_EPSILONS, float(step)) == pytest.approx(place / (len(_EPSILONS) - 1))


def test_between_steps_a_mark_lies_by_the_logarithm_and_all_published_ones_are_on_the_slider() -> None:
    assert share_along(["1", "4", "8"], 2) == pytest.approx(0.25)
    assert share_along(["1", "4", "8"], math.sqrt(32)) == pytest.approx(0.75)
    assert all(float(_EPSILONS[0]) <= epsilon <= float(_EPSILONS[-1]) for _, epsilon in STATED_PRACTICE)


def _following() -> None:
    import streamlit as st

    from privlab.ui.sliders import follow

    options, default = ["a", "b", "c"], st.session_state["now"]
    follow("chosen", default)
    st.selectbox("one", options, index=options.index(default), key="chosen", bind="query-params")


@pytest.mark.parametrize(("address", "seen"), [({}, "abab"), ({"chosen": "c"}, "cccc")])
def test_a_control_follows_its_default_until_it_is_moved(address: dict[str, str], seen: str) -> None:
    at = AppTest.from_function(_following, default_timeout=900)
    at.query_params.update(address)
    for default, shown in zip("abab", seen, strict=True):
        at.session_state["now"] = default
        assert at.run().selectbox(key="chosen").value == shown
    at.selectbox(key="chosen").set_value("c").run()
    at.session_state["now"] = "a"
    assert at.run().selectbox(key="chosen").value == "c"
