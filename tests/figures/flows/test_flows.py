"""Charts of flows: a name or a legend covers none of what is drawn."""

import numpy as np
import pytest

from privlab.figures.drawing.palette import LIGHT
from privlab.figures.flows import decay_figure, scatter_figure
from privlab.od.usefulness import DistanceDecay, FlowComparison


@pytest.mark.parametrize("n", [3, 16])
def test_where_lines_leave_no_room_the_legend_stands_above_the_plot(n: int) -> None:
    """Two lines that cross at every class leave no room for names beside them."""
    rng = np.random.default_rng(3)
    decay = DistanceDecay(edge_km=np.linspace(0, 9, n + 1), true=rng.random(n), published=rng.random(n))
    figure = decay_figure(decay, LIGHT)
    if figure.layout.showlegend is False:
        assert [one.text for one in figure.layout.annotations] == ["true", "published"]
    else:
        assert figure.layout.legend.y > 1
        assert figure.layout.legend.yanchor == "bottom"
        assert figure.layout.margin.t >= 24  # pixels that a line of type takes


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
