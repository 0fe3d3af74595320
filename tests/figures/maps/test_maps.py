"""Maps as they are given to the browser."""

import json

import numpy as np
import pydeck
import pytest

from privlab.figures.drawing.palette import LIGHT
from privlab.figures.maps.maps import zones_deck
from privlab.figures.maps.printed_maps import _widths
from tests.figures.maps.test_flow_map_data import zones


@pytest.mark.parametrize("tiles", [False, True])
def test_a_map_says_in_one_line_what_pydeck_says_against_pydeck(tiles: bool) -> None:
    deck = zones_deck(zones(), LIGHT, tiles=tiles)
    told, usual = deck.to_json(), pydeck.Deck.to_json(deck)
    assert json.loads(told) == json.loads(usual)
    assert "\n" not in told
    assert len(told) < len(usual)


def test_lines_of_a_printed_map_are_thinner_where_many_meet_by_hand() -> None:
    """All 110 pairs of 11 zones are ten lines a zone; with four a zone or fewer the widest has 7 pixels."""
    pairs = np.array([11 * a + b for a in range(11) for b in range(11) if a != b])
    assert _widths([pairs], 11)[-1] == pytest.approx(7.0 * 4 / 10)
    assert _widths([pairs[:3]], 11)[-1] == 7.0
    assert _widths([np.empty(0, dtype=np.int64)], 11)[-1] == 7.0
