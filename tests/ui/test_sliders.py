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


def _days() -> None:
    import streamlit as st

    from privlab.ui.sliders import days_slider

    trail = st.session_state.get("trail")  # days, and how many of them are shown at first
    if trail is not None:
        st.markdown(str(days_slider("shown", *trail, "help")))


@pytest.mark.parametrize("is_waited_for", [True, False])
@pytest.mark.parametrize(
    ("moved_to", "seen"), [(None, ["28", "20", "28"]), (25, ["25", "20", "28"]), (3, ["3"] * 3)]
)
def test_days_shown_are_days_of_the_trail_though_it_was_waited_for(
    is_waited_for: bool, moved_to: int | None, seen: list[str]
) -> None:
    """Of a trail of 28 days, then of one of 20, then of the first again: while a trail is worked out, no slider is drawn.

    Whoever has seen the whole of one trail sees the whole of the next.
    """
    at = AppTest.from_function(_days, default_timeout=900)
    found = []
    for days in (28, 20, 28):
        if is_waited_for:
            at.session_state["trail"] = None
            at.run()
        at.session_state["trail"] = (days, days)
        at.run()
        if moved_to is not None and not found:
            at.slider(key="shown").set_value(moved_to).run()
        assert not at.exception
        found.append(at.markdown[0].value)
    assert found == seen
