"""Maps as they are given to the browser."""

import json

import pydeck
import pytest

from privlab.figures.drawing.palette import LIGHT
from privlab.figures.maps.maps import zones_deck
from tests.figures.maps.test_flow_map_data import zones


@pytest.mark.parametrize("tiles", [False, True])
def test_a_map_says_in_one_line_what_pydeck_says_against_pydeck(tiles: bool) -> None:
    deck = zones_deck(zones(), LIGHT, tiles=tiles)
    told, usual = deck.to_json(), pydeck.Deck.to_json(deck)
    assert json.loads(told) == json.loads(usual)
    assert "\n" not in told
    assert len(told) < len(usual)
