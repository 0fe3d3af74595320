"""Charts of flows: a name or a legend covers none of what is drawn."""

import numpy as np
import pytest

from privlab.figures.drawing.palette import LIGHT
from privlab.figures.flows import decay_figure, error_figure, scatter_figure
from privlab.od.usefulness import DistanceDecay, FlowComparison
from privlab.od.usefulness.utility import utility_from_flow_comparison


def test_where_lines_leave_no_room_the_legend_stands_above_the_plot() -> None:
    """Two lines that go from bottom to top and back at every class, against one another, fill the plot."""
    up = (np.arange(80) % 2).astype(float)
    figure = decay_figure(DistanceDecay(edge_km=np.linspace(0, 9, 81), true=up, published=1 - up), LIGHT)
    assert not figure.layout.annotations
    assert figure.layout.showlegend is not False
    assert figure.layout.legend.y > 1
    assert figure.layout.legend.yanchor == "bottom"
    assert figure.layout.margin.t >= 24  # pixels that a line of type takes


def test_where_there_is_room_lines_are_named_and_there_is_no_legend() -> None:
    down = np.array([0.6, 0.3, 0.1])
    figure = decay_figure(DistanceDecay(edge_km=np.arange(4.0), true=down, published=down[::-1]), LIGHT)
    assert [one.text for one in figure.layout.annotations] == ["true", "published (simulated)"]
    assert figure.layout.showlegend is False


def test_the_threshold_is_named_where_nothing_is_published() -> None:
    flows = FlowComparison(
        flow=np.array([1, 2]),
        true=np.array([15.0, 16.0]),
        bounded=np.array([15.0, 16.0]),
        published=np.array([16.0, np.nan]),
    )
    (name,) = [
        one
        for one in scatter_figure(flows, LIGHT, threshold=14).layout.annotations
        if one.text == "threshold"
    ]
    assert (name.y, name.yanchor) == (pytest.approx(np.log10(14)), "top")


def test_of_too_many_flows_it_is_said_which_part_is_drawn_by_hand() -> None:
    """Of 700 flows 300 at most are drawn: each third one, 234."""
    counts = np.arange(20.0, 720.0)
    flows = FlowComparison(flow=np.arange(700), true=counts, bounded=counts, published=counts)
    kept = next(
        one for one in scatter_figure(flows, LIGHT, threshold=14).data if str(one.name).startswith("kept")
    )
    assert (kept.name, len(kept.x)) == ("kept, one flow in 3", 234)


def test_points_say_the_counts_that_they_are_drawn_at() -> None:
    """A true flow of 200 is published as 150, and what nobody made as 20: where it stands there is no 0 on the axis."""
    flows = FlowComparison(
        flow=np.array([1, 2]),
        true=np.array([200.0, 0.0]),
        bounded=np.array([120.0, 0.0]),
        published=np.array([150.0, 20.0]),
    )
    drawn = {one.name: one for one in scatter_figure(flows, LIGHT, threshold=0).data}
    kept, false = drawn["kept"], drawn["false flows (true 0)"]
    assert (kept.x.tolist(), kept.y.tolist(), kept.customdata.tolist()) == ([200], [150], [[200, 150]])
    assert (false.y.tolist(), false.customdata.tolist()) == ([20], [[0, 20]])
    assert 0 < false.x[0] < 1


def test_where_the_error_comes_from_is_said_of_each_part_by_hand() -> None:
    """Of 200 trips a limit takes 20 of the first flow, noise of 5 stays there, 30 are left out, and 10 are made up."""
    flows = FlowComparison(
        flow=np.array([1, 2, 3]),
        true=np.array([170.0, 30.0, 0.0]),
        bounded=np.array([150.0, 30.0, 0.0]),
        published=np.array([155.0, np.nan, 10.0]),
    )
    (bars,) = error_figure(utility_from_flow_comparison(flows), LIGHT).data
    assert {text[0] for text in bars.text} == {"\u00a0"}, "a figure does not touch its bar"
    assert {name: text.strip() for name, text in zip(bars.y, bars.text, strict=True)} == {
        "trips over the limit": "10.0%",
        "noise": "2.5%",
        "suppression": "15.0%",
        "false flows": "5.0%",
    }


def test_a_class_of_distances_is_drawn_in_its_middle() -> None:
    down = np.array([0.6, 0.3, 0.1])
    figure = decay_figure(
        DistanceDecay(edge_km=np.array([0.0, 2, 4, 6]), true=down, published=down[::-1]), LIGHT
    )
    assert [one.x.tolist() for one in figure.data] == [[1, 3, 5]] * 2
    assert [one.y.tolist() for one in figure.data] == [[0.6, 0.3, 0.1], [0.1, 0.3, 0.6]]
    assert tuple(figure.layout.xaxis.range) == (0, 6)
