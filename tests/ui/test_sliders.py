"""Marks below a slider lie where its steps are, and between two steps by their logarithm."""

import math

import pytest

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
