"""The frontier of releases as a figure: where the names of single releases stand."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import plotly.graph_objects as go
import pytest

from privlab.figures.drawing import LIGHT
from privlab.figures.planning import clipping_figure, plan_figure
from privlab.od.planning import MECHANISM_NAMES, PlanPoint, PlanRequest
from privlab.od.planning.clipping import clipping_from_unique_trips_per_user
from privlab.od.planning.planner import advice_from_points


def point(accuracy: float, utility: float) -> PlanPoint:
    return PlanPoint(
        epsilon=1.0,
        max_trips_per_user=10,
        threshold=5,
        accuracy=accuracy,
        utility=utility,
        clipped=0.0,
        made_up=0.0,
    )


@pytest.mark.parametrize(
    ("found", "named"),
    [
        (
            (point(0.52, 0.05), point(0.597, 0.315), point(0.75, 0.6), point(0.996, 0.83)),  # far apart
            ["most useful within the risk", "least risk of that use"],
        ),
        (
            (point(0.55, 0.6), point(0.597, 0.733), point(0.638, 0.81)),  # close together
            ["most useful within the risk", "least risk of that use"],
        ),
        ((point(0.52, 0.05), point(0.597, 0.2), point(0.9, 0.4)), ["most useful within the risk"]),
        ((point(0.52, 0.5), point(0.55, 0.85)), ["one step away", "recommended"]),
    ],
)
def test_marked_releases_are_named_below_the_figure_alone(
    found: tuple[PlanPoint, ...], named: list[str]
) -> None:
    """Beside their points both names lay on one another, and one was cut off at the right end: below, a line of names goes on in a second."""
    figure = plan_figure(advice_from_points(found, PlanRequest(max_accuracy=0.6, min_utility=0.8)), LIGHT)
    assert [one.name for one in figure.data if one.showlegend] == named
    assert figure.layout.showlegend
    assert (figure.layout.legend.orientation, figure.layout.legend.yanchor) == ("h", "top")
    assert figure.layout.legend.y < 0
    assert not {one.text for one in figure.layout.annotations} & set(named)
    assert "integer noise" in {one.text for one in figure.layout.annotations}


@pytest.mark.parametrize("accuracy", [0.56, 0.97])
def test_a_release_that_was_made_has_a_mark_of_its_own_in_sight(accuracy: float) -> None:
    """Also where it risks more than any that could be recommended."""
    found = (point(0.52, 0.5), point(0.55, 0.85))
    wish = PlanRequest(max_accuracy=0.6, min_utility=0.8)
    figure = plan_figure(advice_from_points(found, wish), LIGHT, made=(accuracy, 0.4))
    (mark,) = (one for one in figure.data if one.name == "this release")
    assert (mark.x, mark.y, mark.showlegend) == ((accuracy,), (0.4,), True)
    assert "this release" not in {one.text for one in figure.layout.annotations}  # it would lie on dots
    assert figure.layout.xaxis.range[1] > accuracy
    assert "this release" not in [
        one.name for one in plan_figure(advice_from_points(found, wish), LIGHT).data
    ]


def test_what_is_accepted_is_named_and_the_claim_s_colour_is_left_to_claims() -> None:
    found = [point(0.55, 0.85), point(0.52, 0.82)]
    figure = plan_figure(
        advice_from_points(tuple(found), PlanRequest(max_accuracy=0.6, min_utility=0.8)), LIGHT
    )
    (named,) = (one for one in figure.layout.annotations if one.text == "accepted")
    (box,) = figure.layout.shapes
    assert (named.x, named.y) == (box.x0, box.y1)
    assert LIGHT.claim not in [one.marker.color for one in figure.data]


def test_what_is_accepted_lies_left_of_the_risk_and_above_the_use_that_are_wished() -> None:
    """At most 60% guessed right, and 70% near the truth at least."""
    wish = PlanRequest(max_accuracy=0.6, min_utility=0.7)
    figure = plan_figure(advice_from_points((point(0.55, 0.85), point(0.7, 0.6)), wish), LIGHT)
    (box,) = figure.layout.shapes
    assert (box.x0, box.x1, box.y0, box.y1) == (0.5, 0.6, 0.7, 1)
    (recommended,) = (one for one in figure.data if one.name == "recommended")
    assert (recommended.x, recommended.y) == ((0.55,), (0.85,))


@pytest.mark.parametrize("weighted", [False, True])
def test_a_marked_limit_stands_on_the_curve_by_hand(weighted: bool) -> None:
    """Of 0, 2, 2 and 5 trips a limit of 1 leaves out 6 of 9, of 2 three and of 3 two; beyond 5 none."""
    found = clipping_from_unique_trips_per_user([0, 2, 2, 5])
    curve, *marks = clipping_figure(found, LIGHT, marked={"now": 2, "plan": 9}, weighted=weighted).data
    assert [round(9 * share) for share in curve.y] == [6, 3, 2, 1, 0]
    assert curve.customdata[:, 0].tolist() == [6, 3, 2, 1, 0]
    assert curve.customdata[:, 1].tolist() == [3, 1, 1, 1, 0]
    assert [(one.name, one.x, one.y) for one in marks] == [("now", (2,), (3 / 9,)), ("plan", (9,), (0.0,))]


def test_names_of_low_lines_stand_on_lines_of_their_own() -> None:
    """Where two lines end early their names came to one height, and lay on one another on a telephone."""
    lines = (
        [(0.5, 0.0), (0.8, 0.002), (0.97, 0.02), (1.0, 0.21)],
        [(0.5, 0.0), (0.8, 0.005), (0.93, 0.03)],
        [(0.5, 0.0), (0.8, 0.008), (0.93, 0.06)],
    )
    found = tuple(
        replace(point(*at), mechanism=name)
        for name, line in zip(MECHANISM_NAMES, lines, strict=False)
        for at in line
    )
    figure = plan_figure(
        advice_from_points(found, PlanRequest(max_accuracy=0.6, min_utility=0.8)), LIGHT, height=420
    )
    assert_apart(figure, n_lines=3)


def assert_apart(figure: go.Figure, *, n_lines: int) -> None:
    """Hold the names of lines against one another where the figure is as narrow as on a telephone: 285 pixels, 6 for a letter."""
    (left, right), (low, high), margin = (
        figure.layout.xaxis.range,
        figure.layout.yaxis.range,
        figure.layout.margin,
    )
    pixels = (figure.layout.height - margin.t - margin.b) / (high - low)
    boxes = []
    for one in figure.layout.annotations:
        if one.text in MECHANISM_NAMES.values():
            wide = 6 * len(one.text)
            begin = (one.x - left) / (right - left) * 285 - (wide if one.xanchor == "right" else 0)
            bottom = one.y * pixels - one.ay - (13 if one.yanchor == "top" else 0)
            boxes.append((begin, begin + wide, bottom, bottom + 13))
    assert len(boxes) == n_lines
    for (l0, r0, b0, t0), (l1, r1, b1, t1) in combinations(boxes, 2):
        assert r0 <= l1 or r1 <= l0 or t0 <= b1 or t1 <= b0, boxes


def on_three_lines() -> tuple[PlanPoint, ...]:
    """Return releases on two lines that rise at once and run along the top, and on one that rises slowly."""
    lines = (
        [(0.5, 0.0), (0.502, 0.3), (0.507, 0.93), (0.52, 0.999), (0.622, 1.0)],
        [(0.5, 0.0), (0.503, 0.5), (0.51, 0.99), (0.532, 1.0)],
        [(0.5, 0.0), (0.503, 0.5), (0.56, 0.68), (0.64, 0.9), (0.74, 1.0)],
    )
    return tuple(
        replace(point(*at), mechanism=name)
        for name, line in zip(MECHANISM_NAMES, lines, strict=False)
        for at in line
    )


def test_strokes_to_names_are_short_and_grey_where_lines_lie_on_one_another() -> None:
    """Two lines that rise at once and run along the top, one that rises slowly: a long stroke in a line's colour was read as a part of it."""
    found = on_three_lines()
    figure = plan_figure(advice_from_points(found, PlanRequest(max_accuracy=0.6, min_utility=0.8)), LIGHT)
    assert_apart(figure, n_lines=3)
    strokes = [one for one in figure.layout.annotations if one.showarrow]
    assert {one.arrowcolor for one in strokes} == {LIGHT.muted}
    assert max(abs(one.ay) for one in strokes) < 80  # of 480 pixels; one took half of the figure


def test_the_room_of_a_name_is_sought_with_one_reading_of_a_line_for_each_side(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three names, 60 places, a name left or right of each, three lines below it: read at each of nine points of a name, they took most of a move."""
    n_read, read = 0, np.interp

    def counted(*what: object) -> object:
        nonlocal n_read
        n_read += 1
        return read(*what)  # type: ignore[call-overload]

    advice = advice_from_points(on_three_lines(), PlanRequest(max_accuracy=0.6, min_utility=0.8))
    monkeypatch.setattr(np, "interp", counted)
    figure = plan_figure(advice, LIGHT)
    assert sum(one.text in MECHANISM_NAMES.values() for one in figure.layout.annotations) == 3
    assert 3 * 60 <= n_read <= 3 * 60 * (1 + 2 * 3) + 100


def test_a_picture_says_what_each_of_its_marks_is() -> None:
    """In a report no words beside the figure say what grey points, crosses and rings are."""
    found = (point(0.52, 0.5), point(0.55, 0.85), point(0.57, 0.6))
    figure = plan_figure(
        advice_from_points(found, PlanRequest(max_accuracy=0.6, min_utility=0.8)), LIGHT, height=420
    )
    said = {one.name for one in figure.data if one.showlegend}
    assert (
        said
        == {one.name for one in figure.data if one.mode == "markers"}
        >= {
            "another release",
            "recommended",
        }
    )


def test_a_name_of_a_line_keeps_off_the_dots_of_other_releases() -> None:
    """Twelve releases more, all where a name stands below the lines: it moves, and lies on none of them."""
    found = on_three_lines()
    wish = PlanRequest(max_accuracy=0.6, min_utility=0.8)

    def names(points: tuple[PlanPoint, ...]) -> dict[str, tuple[float, float, float, float]]:
        """Return the ends of each name along both axes, where the figure has 285 pixels, and a letter 6."""
        figure = plan_figure(advice_from_points(points, wish), LIGHT)
        (left, right), (low, high) = figure.layout.xaxis.range, figure.layout.yaxis.range
        margin, boxes = figure.layout.margin, {}
        share = 1 / (figure.layout.height - margin.t - margin.b) * (high - low)
        for one in figure.layout.annotations:
            if one.text in MECHANISM_NAMES.values():
                wide = 6 * len(one.text) / 285 * (right - left)
                begin = one.x - (wide if one.xanchor == "right" else 0)
                bottom = one.y - (one.ay + (13 if one.yanchor == "top" else 0)) * share
                boxes[one.text] = begin, begin + wide, bottom, bottom + 13 * share
        return boxes

    before = names(found)
    lowest = min(before, key=lambda name: before[name][2])
    west, east, south, north = before[lowest]
    dots = [
        (west + (east - west) * (n + 0.5) / 6, south + (north - south) * part)
        for n in range(6)
        for part in (0.3, 0.7)
    ]
    west, east, south, north = names(found + tuple(point(*at) for at in dots))[lowest]
    assert [at for at in dots if west <= at[0] <= east and south <= at[1] <= north] == []
