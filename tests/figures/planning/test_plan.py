"""The frontier of releases as a figure: where the names of single releases stand."""

import pytest

from privlab.figures.drawing import LIGHT
from privlab.figures.planning import plan_figure
from privlab.od.planning import PlanPoint, PlanRequest
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


@pytest.mark.parametrize("useful", [0.81, 0.85, 0.99])
def test_the_names_of_both_near_misses_stand_in_lines_of_their_own(useful: float) -> None:
    """Heights from the axis: what stands y above a share is y pixels higher; a line of 12 pixels' type needs 16."""
    found = [point(0.55, 0.6), point(0.597, 0.733), point(0.638, useful), point(0.9, 1.0)]
    advice = advice_from_points(tuple(found), PlanRequest(max_accuracy=0.6, min_utility=0.8))
    figure = plan_figure(advice, LIGHT)
    bottom, top = figure.layout.yaxis.range
    inside = figure.layout.height - figure.layout.margin.t - figure.layout.margin.b
    names = ("most useful within the risk", "least risk of that use")
    heights = [
        inside * (one.y - bottom) / (top - bottom) - one.ay
        for one in figure.layout.annotations
        if one.text in names
    ]
    assert len(heights) == 2
    assert abs(heights[0] - heights[1]) > 16


def test_what_is_accepted_is_named_and_the_claim_s_colour_is_left_to_claims() -> None:
    found = [point(0.55, 0.85), point(0.52, 0.82)]
    figure = plan_figure(
        advice_from_points(tuple(found), PlanRequest(max_accuracy=0.6, min_utility=0.8)), LIGHT
    )
    (named,) = (one for one in figure.layout.annotations if one.text == "accepted")
    (box,) = figure.layout.shapes
    assert (named.x, named.y) == (box.x0, box.y1)
    assert LIGHT.claim not in [one.marker.color for one in figure.data]
