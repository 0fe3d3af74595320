"""Maps as they are given to the browser."""

import json
from dataclasses import replace

import numpy as np
import pydeck
import pytest

from privlab.figures.drawing.palette import LIGHT, rgb
from privlab.figures.maps.printed_maps import _widths
from privlab.figures.maps.zone_maps import zones_deck, zones_scale
from tests.figures.maps.test_flow_map import zones


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
