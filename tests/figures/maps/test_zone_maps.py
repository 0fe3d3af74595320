"""Maps as they are given to the browser."""

import html
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from privlab.datasets.zones import ZoneMap
from privlab.figures.drawing.palette import LIGHT, rgb
from privlab.figures.maps.map_ground import shown_bounds
from privlab.figures.maps.printed_maps import _widths, flow_maps_figure, visit_maps_figure
from privlab.figures.maps.zone_maps import exposed_map_from_flows, places_map, zone_map_from_values
from privlab.od.risks import ExposedFlows
from tests.figures.maps.test_flow_map import NAN, flows, unpacked, zones


def zone_map(places: ZoneMap, values: list[float]) -> dict[str, Any]:
    return zone_map_from_values(
        places, np.array(values), LIGHT, title="Trips", unit="trips leave", alt="A map.", dark=False
    )


def test_a_map_of_zones_is_given_their_values_and_what_they_are_by_hand() -> None:
    one = zone_map(zones(), [1234, 5, 0])
    (pane,) = one["panes"]
    assert unpacked(pane["totals"]) == [1234, 5, 0]
    assert (pane["filled"], one["apart"], pane["n_flows"]) == (True, True, 0)
    assert one["words"]["there"].replace("{n}", "1,234") == "1,234 trips leave"
    assert one["colours"]["true"] == rgb(LIGHT.true)
    assert [unpacked(one["flows"][end]) for end in ("origin", "destination")] == [[], []]
    assert one["digest"] != zone_map(zones(), [1234, 6, 0])["digest"]
    assert json.loads(json.dumps(one)) == one


def test_zones_without_outlines_are_circles_that_are_added_up_from_afar() -> None:
    one = zone_map(replace(zones(), outlines=(None, None, None)), [5, 1, 0])
    assert (one["panes"][0]["filled"], one["apart"]) == (False, False)


def test_places_lie_under_their_zones_and_not_under_too_many_by_hand() -> None:
    lat, lon = np.array([48.05, 48.1]), np.array([2.05, 2.1])
    one = places_map(zones(), lat, lon, LIGHT, title="Places", alt="A map.", dark=False)
    assert (unpacked(one["places"]["lat"]), unpacked(one["places"]["lon"])) == (lat.tolist(), lon.tolist())
    assert one["ground"]["names"] == ["a", "b", "c"]
    n = 5_001  # squares of a hundredth of a degree, in one row
    starts = (np.arange(n) / 100).tolist()
    fine = replace(
        zones(),
        zones=np.arange(n),
        names=tuple(map(str, range(n))),
        lat=np.full(n, 48.005),
        lon=np.array(starts) + 0.005,
        outlines=tuple([[(x, 48.0), (x + 0.01, 48.0), (x + 0.01, 48.01), (x, 48.0)]] for x in starts),
    )
    many = places_map(fine, lat, lon, LIGHT, title="Places", alt="A map.", dark=False)
    assert (many["ground"]["names"], unpacked(many["ground"]["points"])) == ([], [])
    assert many["ground"]["bounds"] == pytest.approx([0, 48, 50.01, 48.01])


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


def test_flows_that_give_people_away_are_given_with_the_people_and_never_added_up_by_hand() -> None:
    exposed = ExposedFlows(
        n_people=6,
        n_without=0,
        least_accuracy=0.6,
        flow=np.array([1, 3]),
        people=np.array([5, 1]),
        alone=np.array([0.6, 0.6]),
    )
    one = exposed_map_from_flows(exposed, zones(), LIGHT, n_top=5, alt="A map.", dark=False)
    assert unpacked(one["flows"]["true"]) == [5, 1]
    assert (one["panes"][0]["n_flows"], one["panes"][0]["totals"]) == (2, None)
    assert one["apart"] is True  # one person may be told of by both
    assert one["words"]["flow"].replace("{n}", "5") == "tells of 5 of the 6 most exposed people"
    assert one["colours"]["true"] == rgb(LIGHT.claim)


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
def test_every_zone_is_whole_in_its_map(values: np.ndarray | None) -> None:
    """The one in the east too, in which next to nothing is counted, or nothing."""
    places = beside(2.7)
    west, south, east, north = shown_bounds(places, values)
    for ring in (*places.outlines[0], *places.outlines[2]):  # type: ignore[misc]
        for lon, lat in ring:
            assert west <= lon <= east
            assert south <= lat <= north


def test_a_zone_far_away_with_next_to_nothing_shrinks_no_map() -> None:
    values = np.array([1000.0, 1000.0, 1.0])
    near, far = (
        shown_bounds(one, values) for one in (replace(zones(), lat=np.array([48.1, 48.5, NAN])), beside(12.0))
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
