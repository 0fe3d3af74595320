"""What lies below a person's trails, against places that the library of geodesics finds."""

import html
from dataclasses import replace

import numpy as np
import pyproj
import pytest

from privlab.datasets.zones import ZoneMap
from privlab.figures.drawing.palette import LIGHT
from privlab.figures.fingerprints.ground import Ground
from privlab.figures.fingerprints.trails import trails_figure
from privlab.fingerprints import Fingerprints
from privlab.fingerprints.measures.one_person import what_if_from_fingerprints

CENTRE = (45.0, 9.0)
# Home is the cell from (2, 1) to (2.1, 1.1) km of the centre; one more sample 3 km east and 4 km north of it, of another person 1 km south.
PEOPLE = Fingerprints(
    user_ids=np.array([1, 2]),
    offsets=np.array([0, 3, 4]),
    x=np.array([20, 20, 50, 20], dtype=np.int32),
    y=np.array([10, 10, 50, 0], dtype=np.int32),
    t=np.array([480, 1920, 2040, 500], dtype=np.int32),
    cell_m=100,
    centre=CENTRE,
)


def at(east_km: float, north_km: float) -> tuple[float, float]:
    """Return (lon, lat) of a place so far from the middle of the home cell, by the geodesic."""
    away = np.hypot(2.05 + east_km, 1.05 + north_km)
    azimuth = np.degrees(np.arctan2(2.05 + east_km, 1.05 + north_km))
    lon, lat, _ = pyproj.Geod(ellps="WGS84").fwd(CENTRE[1], CENTRE[0], azimuth, away * 1000)
    return lon, lat


def zones_at(*places: tuple[float, float], side: float | None = None) -> ZoneMap:
    middles = [at(*one) for one in places]
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]
    outlines = [
        None if side is None else [[at(east + a * side / 2, north + b * side / 2) for a, b in corners]]
        for east, north in places
    ]
    return ZoneMap(
        zones=np.arange(len(places)),
        lat=np.array([lat for _, lat in middles]),
        lon=np.array([lon for lon, _ in middles]),
        outlines=tuple(outlines),
        names=tuple(f"zone {number}" for number in range(len(places))),
    )


def points(path: str) -> np.ndarray:
    words = path.replace("M", "L").replace("Z", "").split("L")
    return np.array([[float(one) for one in word.split(",")] for word in words if word.strip()])


def figure_on(zones: ZoneMap, people: Fingerprints = PEOPLE, **more: object) -> object:
    found = what_if_from_fingerprints(people, 0, k=2, levels=(), n_workers=1)
    return trails_figure(people, found, LIGHT, days=2, ground=Ground(zones=zones, **more))  # type: ignore[arg-type]


def test_outlines_of_zones_lie_where_their_corners_are_from_home() -> None:
    (shape,) = figure_on(zones_at((3, 4), side=1.0)).layout.shapes  # type: ignore[attr-defined]
    assert shape.layer == "below"
    expected = [[2.5, 3.5], [3.5, 3.5], [3.5, 4.5], [2.5, 4.5], [2.5, 3.5]]
    assert points(shape.path) == pytest.approx(np.array(expected), abs=0.005)


def test_a_zone_larger_than_the_view_is_drawn_too() -> None:
    (shape,) = figure_on(zones_at((30, 30), side=100.0)).layout.shapes  # type: ignore[attr-defined]
    assert points(shape.path)[0] == pytest.approx([-20, -20], abs=0.05)
    # Of such a zone a border or two cross the view: the legend and the stroke say that they are no axes.
    assert (shape.name, shape.showlegend, shape.line.dash) == ("borders of zones", True, "dot")


def test_each_sample_says_the_zone_it_is_near() -> None:
    figure = figure_on(zones_at((0, 0), (2.6, 4), (40, 40)))
    near = {
        trace.name: [row[2] for row in trace.customdata]
        for trace in figure.data  # type: ignore[attr-defined]
        if trace.customdata is not None
    }
    assert near["this person"] == [", near zone 0", ", near zone 0", ", near zone 1"]
    assert near["the nearest other"] == [", near zone 0"]


def test_a_zone_is_named_as_it_is_and_no_tag_in_its_name_is_one() -> None:
    """Figures read <br> and <a href> in what they show; html.unescape is how HTML reads what is escaped."""
    hostile = "<a href='http://e.example'>7</a><br>&lt;8\n" + "x" * 200
    zones = replace(zones_at((0, 0)), names=(hostile,))
    figure = figure_on(zones)
    shown = {row[2] for trace in figure.data if trace.customdata is not None for row in trace.customdata}  # type: ignore[attr-defined]
    (name,) = shown
    assert "<" not in name
    assert html.unescape(name).startswith(", near <a href='http://e.example'>7</a><br>&lt;8␊xxx")
    assert len(html.unescape(name)) == len(", near ") + 120  # as on all maps


def test_zones_without_outlines_are_marked_by_their_middles_and_those_far_away_left_out() -> None:
    (shape,) = figure_on(zones_at((1, 2), (400, 0))).layout.shapes  # type: ignore[attr-defined]
    found = points(shape.path)
    assert found.mean(axis=0) == pytest.approx([1, 2], abs=0.005)
    assert len(found) == 4


def test_water_lies_below_the_trails() -> None:
    ring = [at(*one) for one in ((0, 1), (1, 1), (1, 2), (0, 1))]
    river = {"features": [{"geometry": {"type": "Polygon", "coordinates": [ring]}}]}
    water, _ = figure_on(zones_at((0, 0)), decoration=river).layout.shapes  # type: ignore[attr-defined]
    assert points(water.path) == pytest.approx(np.array([[0, 1], [1, 1], [1, 2], [0, 1]]), abs=0.005)
    assert (water.name, water.layer) == ("water", "below")


@pytest.mark.parametrize(
    ("zones", "people"),
    [
        (zones_at((0, 0)), replace(PEOPLE, centre=None)),  # samples in metres of their own
        (replace(zones_at((0, 0)), lat=np.array([np.nan]), lon=np.array([np.nan])), PEOPLE),
    ],
)
def test_where_places_are_not_known_nothing_is_drawn_and_no_zone_named(
    zones: ZoneMap, people: Fingerprints
) -> None:
    figure = figure_on(zones, people)
    assert not figure.layout.shapes  # type: ignore[attr-defined]
    assert {row[2] for trace in figure.data if trace.customdata is not None for row in trace.customdata} == {
        ""
    }  # type: ignore[attr-defined]
