"""Maps as they are given to the browser."""

import html
import json
from dataclasses import replace

import numpy as np
import pydeck
import pytest

from privlab.datasets.zones import ZoneMap
from privlab.figures.drawing.palette import LIGHT, rgb
from privlab.figures.maps.printed_maps import _widths, flow_maps_figure, visit_maps_figure
from privlab.figures.maps.zone_maps import exposed_deck, exposed_scale, zones_deck, zones_scale
from privlab.od.risks import ExposedFlows
from tests.figures.maps.test_flow_map import NAN, flows, zones


@pytest.mark.parametrize("tiles", [False, True])
def test_a_map_says_in_one_line_what_pydeck_says_against_pydeck(tiles: bool) -> None:
    deck = zones_deck(zones(), LIGHT, tiles=tiles)
    told, usual = deck.to_json(), pydeck.Deck.to_json(deck)
    assert json.loads(told) == json.loads(usual)
    assert "\n" not in told
    assert len(told) < len(usual)


def test_the_scale_of_a_map_of_zones_has_the_colours_and_the_largest_value_of_the_map_by_hand() -> None:
    values = np.array([1234.0, 5.0, 0.0])
    red, green, blue = rgb(LIGHT.true)
    (layer,) = json.loads(zones_deck(zones(), LIGHT, values=values, unit="trips leave").to_json())["layers"]
    assert layer["getFillColor"] == f"@@=[{red}, {green}, {blue}, 20 + 200 * properties.strength]"
    told = zones_scale(zones(), values, "trips leave", LIGHT)
    assert f"rgba({red},{green},{blue},0.0784314), rgba({red},{green},{blue},0.862745)" in told
    assert "1,234 trips leave" in told
    assert "INTERNAL: true data" in told


def test_the_scale_of_zones_without_outlines_names_the_largest_circle_by_hand() -> None:
    points = replace(zones(), outlines=(None, None, None))
    assert "the largest circle: 5 trips leave" in zones_scale(
        points, np.array([5.0, 1.0, 0.0]), "trips leave", LIGHT
    )


@pytest.mark.parametrize(("values", "radii"), [([0.0, 0.0, 0.0], [2, 2]), ([4.0, 1.0, 0.0], [14, 8])])
def test_circles_of_zones_without_outlines_by_hand(values: list[float], radii: list[float]) -> None:
    """2 pixels where nobody travels, 14 for the most, and areas between by the values, but for those 2; JSON has no NaN."""
    points = replace(zones(), outlines=(None, None, None))
    said = zones_deck(points, LIGHT, values=np.array(values), unit="trips leave").to_json()
    (layer,) = json.loads(said, parse_constant=pytest.fail)["layers"]
    assert [one["radius"] for one in layer["data"]] == radii


def test_lines_of_a_printed_map_are_thinner_where_many_meet_by_hand() -> None:
    """All 110 pairs of 11 zones are ten lines a zone; with four a zone or fewer the widest has 7 pixels."""
    pairs = np.array([11 * a + b for a in range(11) for b in range(11) if a != b])
    assert _widths([pairs], 11)[-1] == pytest.approx(7.0 * 4 / 10)
    assert _widths([pairs[:3]], 11)[-1] == 7.0
    assert _widths([np.empty(0, dtype=np.int64)], 11)[-1] == 7.0


@pytest.mark.parametrize(
    ("published", "named"),
    [
        ([6300.0, NAN, 40.0], ["true", "published"]),  # a → c has no place, and is not drawn
        ([6300.0, NAN, NAN], ["true", "lost: true, not published", "published"]),
    ],
)
def test_the_legend_of_a_printed_map_names_what_is_drawn(published: list[float], named: list[str]) -> None:
    places = zones()
    figure = flow_maps_figure(
        flows([6359, 118, 43], published),
        lat=places.lat,
        lon=places.lon,
        outlines=places.outlines,
        palette=LIGHT,
    )
    assert figure is not None
    legend = [one.name for one in figure.data if one.showlegend is not False]
    assert [name for name in legend if not name.startswith("up to")] == named


def test_a_zone_of_a_printed_map_is_named_as_it_is_and_no_tag_in_its_name_is_one() -> None:
    hostile = "<a href='http://e.example'>7</a><br>\u202e" + "x" * 200
    counts, at = np.array([5.0]), np.array([45.0])
    figure = visit_maps_figure(
        counts, counts, lat=at, lon=at, outlines=[None], palette=LIGHT, names=[hostile]
    )
    assert figure is not None
    shown = {text for trace in figure.data for text in trace.text or ()}
    (name,) = shown
    assert "<" not in name
    assert html.unescape(name) == hostile.replace("\u202e", "\ufffd")[:119] + "…"


def test_the_scale_of_what_gives_people_away_has_the_widths_of_the_arcs_by_hand() -> None:
    """Of flows that tell of 5 people and of 1: 8 pixels, and 1 + 7/5."""
    exposed = ExposedFlows(
        n_people=6,
        n_without=0,
        least_accuracy=0.6,
        flow=np.array([1, 3]),
        people=np.array([5, 1]),
        alone=np.array([0.6, 0.6]),
    )
    layers = json.loads(exposed_deck(exposed, zones(), LIGHT, n_top=5).to_json())["layers"]
    (arcs,) = (one for one in layers if one["id"] == "arcs")
    widths = [one["width"] for one in arcs["data"]]
    assert widths == [8.0, 2.4]
    said = exposed_scale(exposed, LIGHT)
    assert all(f"height:{width:g}px" in said for width in widths)
    assert "<span>5</span>" in said
    assert "<span>1</span>" in said


def test_a_map_with_twice_the_room_is_one_zoom_nearer_against_mercator() -> None:
    """Each step of the zoom doubles what a degree takes, and 512 pixels show 360° at 0."""
    small, large = (
        json.loads(zones_deck(zones(), LIGHT, room=room).to_json())["initialViewState"]["zoom"]
        for room in ((300, 300), (600, 600))
    )
    assert large == pytest.approx(small + 1)
    wide = json.loads(zones_deck(zones(), LIGHT, room=(600, 300)).to_json())["initialViewState"]["zoom"]
    assert small <= wide <= large


def pixels_from_the_middle(deck: pydeck.Deck, lon: float, lat: float) -> tuple[float, float]:
    """Return how far right and down of a map's middle a place is drawn, by the projection of Mercator."""
    view = json.loads(deck.to_json())["initialViewState"]

    def world(longitude: float, latitude: float) -> tuple[float, float]:
        size = 512 * 2 ** view["zoom"]
        up = np.log(np.tan(np.pi / 4 + np.radians(latitude) / 2))
        return size * longitude / 360, -size * up / (2 * np.pi)

    at, middle = world(lon, lat), world(view["longitude"], view["latitude"])
    return at[0] - middle[0], at[1] - middle[1]


def beside(lon: float) -> ZoneMap:
    """Return the square and the point, and a second square of a fifth of a degree from `lon` on."""
    third = [(lon, 48.0), (lon + 0.2, 48.0), (lon + 0.2, 48.2), (lon, 48.2), (lon, 48.0)]
    square = zones().outlines[0]
    return replace(
        zones(),
        lat=np.array([48.1, 48.5, 48.1]),
        lon=np.array([2.1, 2.6, lon + 0.1]),
        outlines=(square, None, [third]),
    )


@pytest.mark.parametrize("values", [None, np.array([1000.0, 1000.0, 1.0]), np.array([1000.0, 1000.0, 0.0])])
@pytest.mark.parametrize("room", [(376, 440), (340, 340)])
def test_every_zone_is_whole_in_its_map(values: np.ndarray | None, room: tuple[int, int]) -> None:
    """The one in the east too, in which next to nothing is counted, or nothing."""
    places = beside(2.7)
    deck = zones_deck(places, LIGHT, values=values, room=room)
    for ring in (*places.outlines[0], *places.outlines[2]):  # type: ignore[misc]
        for lon, lat in ring:
            right, down = pixels_from_the_middle(deck, lon, lat)
            assert abs(right) <= room[0] / 2
            assert abs(down) <= room[1] / 2


def test_a_zone_far_away_with_next_to_nothing_shrinks_no_map() -> None:
    values = np.array([1000.0, 1000.0, 1.0])
    near, far = (
        json.loads(zones_deck(one, LIGHT, values=values).to_json())["initialViewState"]
        for one in (replace(zones(), lat=np.array([48.1, 48.5, NAN])), beside(12.0))
    )
    assert far == near


def test_every_zone_is_whole_in_a_printed_map() -> None:
    counts = np.array([5.0, 3.0, 1.0])
    places = beside(2.7)
    figure = visit_maps_figure(
        counts,
        counts,
        lat=places.lat,
        lon=places.lon,
        outlines=places.outlines,
        palette=LIGHT,
        names=list("abc"),
    )
    assert figure is not None
    west, east = figure.layout.xaxis.range
    x = np.concatenate([np.array(trace.x, dtype=float) for trace in figure.data if trace.x is not None])
    assert west <= np.nanmin(x)
    assert np.nanmax(x) <= east
