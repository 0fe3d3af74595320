"""The numbers of a printed map: their headings say what places are in. By hand: at 60° north a degree of longitude is half one of latitude."""

import csv
import io
import math

import numpy as np
import plotly.graph_objects as go
import pytest

from privlab.figures.drawing import csv_from_figure
from privlab.figures.drawing.palette import LIGHT
from privlab.figures.maps import flow_maps_figure, visit_maps_figure
from privlab.od.usefulness import FlowComparison

LAT, LON = np.array([60.0, 60.0]), np.array([10.0, 20.0])


def _of_flows() -> go.Figure:
    counts = np.array([5.0])
    flows = FlowComparison(flow=np.array([1]), true=counts, bounded=counts, published=counts)
    return flow_maps_figure(flows, lat=LAT, lon=LON, outlines=[None, None], palette=LIGHT)


def _of_visits() -> go.Figure:
    people = np.array([3.0, 4.0])
    return visit_maps_figure(
        people, people, lat=LAT, lon=LON, outlines=[None, None], palette=LIGHT, names=["a", "b"]
    )


@pytest.mark.parametrize("figure", [_of_flows, _of_visits])
def test_headings_say_what_places_are_in_by_hand(figure) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_from_figure(figure()).decode())))
    x, y = "longitude (degrees, times 0.5000 as drawn)", "latitude (degrees)"
    assert {"x", "y"} & set(rows[0]) == set()
    ends = {(float(row[x]), float(row[y])) for row in rows if row[x] and math.isclose(float(row[y]), 60)}
    assert {(5.0, 60.0), (10.0, 60.0)} <= {(round(one, 9), round(other, 9)) for one, other in ends}
