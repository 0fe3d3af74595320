"""The frontier of releases as a figure: where the names of single releases stand."""

from dataclasses import replace
from itertools import pairwise

import pytest

from privlab.figures.drawing import LIGHT
from privlab.figures.planning import plan_figure
from privlab.od.planning import MECHANISM_NAMES, PlanPoint, PlanRequest
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
        ((point(0.52, 0.5), point(0.55, 0.85)), ["recommended"]),
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


def test_what_is_accepted_is_named_and_the_claim_s_colour_is_left_to_claims() -> None:
    found = [point(0.55, 0.85), point(0.52, 0.82)]
    figure = plan_figure(
        advice_from_points(tuple(found), PlanRequest(max_accuracy=0.6, min_utility=0.8)), LIGHT
    )
    (named,) = (one for one in figure.layout.annotations if one.text == "accepted")
    (box,) = figure.layout.shapes
    assert (named.x, named.y) == (box.x0, box.y1)
    assert LIGHT.claim not in [one.marker.color for one in figure.data]


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
    bottom, top = figure.layout.yaxis.range
    pixels = (420 - figure.layout.margin.t - figure.layout.margin.b) / (top - bottom)
    heights = sorted(
        one.y * pixels - one.ay for one in figure.layout.annotations if one.text in MECHANISM_NAMES.values()
    )
    assert len(heights) == len(lines)
    assert all(after - before >= 15 for before, after in pairwise(heights)), heights
