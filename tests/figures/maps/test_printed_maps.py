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


def _between(west: float, east: float, south: float, north: float) -> go.Figure:
    people = np.array([4.0, 1.0, np.nan])
    return visit_maps_figure(
        np.array([4.0, 1.0, 9.0]), people, lat=np.array([south, north, np.nan]), lon=np.array([west, east, 0.0]),
        outlines=[None, None, None], palette=LIGHT, names=["a", "b", "nowhere"],
    )  # fmt: skip


def test_dots_of_visits_are_drawn_to_scale_and_none_is_cut_by_hand() -> None:
    """Of fixed pixels they covered one another on a telephone. Four times the people are twice as wide; zones alone are the whole map."""
    figure = _between(0.0, 0.1, 0.0, 0.06)
    west, east = figure.layout.xaxis.range
    south, north = figure.layout.yaxis.range
    circles = [one for one in figure.data if one.fill == "toself" and len(one.x)]
    assert len(circles) == 2
    for one in circles:
        x, y = (np.array(along, dtype=float) for along in (one.x, one.y))
        apart = np.split(np.arange(x.size), np.flatnonzero(np.isnan(x)))
        across = [float(np.ptp(part[np.isfinite(part)])) for part in (x[at] for at in apart) if part.size > 1]
        assert across[0] == pytest.approx(2 * across[1])
        assert across[0] == pytest.approx(
            float(np.nanmax(y[: apart[0].size]) - np.nanmin(y[: apart[0].size]))
        )
        assert 0.03 * (east - west) < across[0] < 0.12 * (east - west)
        assert west < np.nanmin(x)
        assert np.nanmax(x) < east
        assert south < np.nanmin(y)
        assert np.nanmax(y) < north
    # Nothing else has a size in pixels that is seen.
    assert {
        one.marker.opacity for one in figure.data if one.mode == "markers" and one.showlegend is False
    } == {0}


def test_a_map_is_as_high_as_it_needs_to_be_by_hand() -> None:
    """With 0.07° around, twice as wide as high is 1.14 to 0.64: maps 385 pixels wide on paper are then 216 high."""
    wide, high = (_between(*ends).layout.height for ends in ((0, 1, 0, 0.5), (0, 0.5, 0, 1)))
    assert 0 < wide - 216 < 120  # the names above and the legend below
    assert high == 520
    flat = _between(0, 1, 0, 0).layout.height
    assert 200 < flat <= wide
