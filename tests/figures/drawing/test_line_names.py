"""Names beside lines: held against the lines' own points, in pixels, in figures of several widths."""

import itertools

import numpy as np
import plotly.graph_objects as go
import pytest

from privlab.figures.drawing.line_names import name_lines

HEIGHT, WIDTHS = 300, (285, 520, 1100)
X = np.linspace(0, 10, 60)


def figure_of(lines: dict[str, np.ndarray]) -> go.Figure:
    figure = go.Figure()
    for name, y in lines.items():
        figure.add_scatter(x=X, y=y, name=name, mode="lines", line={"color": "#000000"})
    figure.update_layout(
        height=HEIGHT, margin={"t": 0, "b": 0}, xaxis={"range": [0, 10]}, yaxis={"range": [0, 1]}
    )
    return figure


def boxes(figure: go.Figure, width: int) -> dict[str, tuple[float, float, float, float]]:
    """Return where each name is written: left, right, bottom, top in pixels of the drawing area."""
    found = {}
    for one in figure.layout.annotations:
        wide, high = 6 * len(one.text), 13
        left = one.x * width + one.xshift - {"left": 0, "center": 0.5, "right": 1}[one.xanchor] * wide
        bottom = one.y * HEIGHT - {"bottom": 0, "middle": 0.5, "top": 1}[one.yanchor] * high
        found[one.text] = (left, left + wide, bottom, bottom + high)
    return found


def distance(box: tuple[float, float, float, float], y: np.ndarray, width: int) -> float:
    """Return how far a line stays from a box, in pixels: 0 where it crosses it."""
    x = np.linspace(0, 10, 5000)
    px, py = x / 10 * width, np.interp(x, X, y) * HEIGHT
    aside = np.maximum(np.maximum(box[0] - px, px - box[1]), 0)
    above = np.maximum(np.maximum(box[2] - py, py - box[3]), 0)
    return float(np.hypot(aside, above).min())


LINES = {
    "apart": {"low": 0.1 + 0 * X, "middle": 0.5 + 0 * X, "high": 0.9 + 0 * X},
    "crossing": {"up": X / 10, "down": 1 - X / 10},
    "steep": {f"k = {k}": 1 / (1 + np.exp(-4 * (X - m))) for k, m in ((2, 2), (5, 4), (10, 6), (25, 8))},
}


@pytest.mark.parametrize("towards_end", [True, False])
@pytest.mark.parametrize("name", LINES)
def test_a_name_lies_beside_its_own_line_and_on_no_other(name: str, towards_end: bool) -> None:
    lines = LINES[name]
    figure = figure_of(lines)
    name_lines(figure, towards_end=towards_end)
    assert figure.layout.showlegend is False
    for width in WIDTHS:
        found = boxes(figure, width)
        assert len(found) == len(lines)
        for (_, y), (text, box) in zip(lines.items(), found.items(), strict=True):
            assert min(box[0], width - box[1], box[2], HEIGHT - box[3]) >= 0, text
            crossed = [other for other, along in lines.items() if distance(box, along, width) == 0]
            assert not crossed, (text, width)
            assert distance(box, y, width) < 20, (text, width)
        for one, other in itertools.combinations(found.values(), 2):
            assert one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]


def test_names_that_begin_alike_are_shortened_where_they_do_not_fit_in_full() -> None:
    figure = figure_of(
        {f"groups of {m}": 1 / (1 + np.exp(-6 * (X - at))) for m, at in ((10, 3), (100, 4.5), (500, 6))}
    )
    name_lines(figure, towards_end=False)
    texts = {one.text for one in figure.layout.annotations}
    assert texts in ({"groups of 10", "100", "500"}, {"groups of 10", "groups of 100", "groups of 500"})


@pytest.mark.parametrize("n_lines", [4, 6])
def test_where_there_is_no_room_or_there_are_many_lines_the_legend_stays(n_lines: int) -> None:
    crowded = figure_of({f"a name that is long {n}": (0.5 + n / 100) + 0 * X for n in range(n_lines)})
    name_lines(crowded)
    assert not crowded.layout.annotations
    assert crowded.layout.showlegend is not False


def test_a_figure_with_a_cloud_keeps_its_legend() -> None:
    figure = figure_of({"line": X / 10})
    figure.add_scatter(x=[1, 2], y=[0.1, 0.2], mode="markers", name="cloud")
    name_lines(figure)
    assert not figure.layout.annotations
    assert figure.layout.showlegend is not False
