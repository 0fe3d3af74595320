"""Cumulative distributions with lines to compare with: names stand where no curve runs through them, by hand."""

import pytest

from privlab.figures.drawing.distributions import cumulative_figure
from privlab.figures.drawing.palette import LIGHT


@pytest.mark.parametrize(
    ("curves", "side"),
    [
        (
            {"a": [0.4, 0.7, 0.8, 0.9, 0.9]},
            "top",
        ),  # a fifth lies below the line: the curve crosses it near its foot
        # Two fifths below, three above: there is more room above, and the curve rises through the name below.
        ({"a": [0.4, 0.45, 0.7, 0.8, 0.9]}, "top"),
        ({"a": [0.6, 0.7]}, "bottom"),  # the curve begins to its right
        ({"a": [0.1, 0.2]}, "bottom"),  # the curve has ended
        ({"a": [0.4, 0.7, 0.8, 0.9, 0.9], "b": [0.1, 0.2]}, "bottom"),  # both ends are taken
        ({"a": [0.4, 0.7, 0.8, 0.9, 0.9], "b": [0.1, 0.9]}, "top"),
    ],
)
def test_the_name_of_a_line_stands_clear_of_the_curves(curves: dict[str, list[float]], side: str) -> None:
    figure = cumulative_figure(curves, LIGHT, x_title="x", x_range=(0, 1), references={"a blind guess": 0.5})
    (named,) = (one for one in figure.layout.annotations if one.text == "a blind guess")
    assert named.yanchor == side
