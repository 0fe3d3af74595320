"""What the flow map is given, against three zones worked by hand."""

import base64
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from privlab.datasets.zones.zone_maps import ZoneMap
from privlab.figures.drawing.palette import DARK, LIGHT
from privlab.figures.maps.flow_map import (
    MOST_FLOWS,
    MapLook,
    flow_map_from_comparison,
    person_map_from_flows,
)
from privlab.figures.maps.zone_flows import flows_of_zone
from privlab.od.usefulness.utility import FlowComparison

TYPES = {"f8": np.float64, "f4": np.float32, "u4": np.uint32}
NAN = float("nan")


def unpacked(packed: dict[str, str]) -> list[float]:
    values: list[float] = np.frombuffer(base64.b64decode(packed["base64"]), TYPES[packed["kind"]]).tolist()
    return values


def zones(names: tuple[str, ...] = ("a", "b", "c")) -> ZoneMap:
    """Return a square, a point, and a zone that lies nowhere."""
    square = [(2.0, 48.0), (2.2, 48.0), (2.2, 48.2), (2.0, 48.2), (2.0, 48.0)]
    return ZoneMap(
        zones=np.array(["a", "b", "c"]),
        names=names,
        lat=np.array([48.1, 48.5, NAN]),
        lon=np.array([2.1, 2.6, NAN]),
        outlines=([square], None, None),
    )


def flows(true: list[float], published: list[float]) -> FlowComparison:
    """Return the flows a → b (cell 1), a → c (cell 2) and b → a (cell 3)."""
    return FlowComparison(
        flow=np.array([1, 2, 3]),
        true=np.array(true),
        bounded=np.array(true),
        published=np.array(published),
    )


def sent(comparison: FlowComparison, view: Any, **given: Any) -> dict[str, Any]:
    look = MapLook(view=view, n_top=10, dark=False, **given)
    return flow_map_from_comparison(comparison, zones(), LIGHT, look, alt="A map.")


def test_flows_directions_and_totals_by_hand() -> None:
    one = sent(flows([6359, 118, 43], [4960, 120, NAN]), "both")
    assert [pane["what"] for pane in one["panes"]] == ["true", "published"]
    # a → c ends nowhere on the map: it is not drawn, and still counts among what begins in a.
    assert unpacked(one["flows"]["origin"]) == [0, 1]
    assert unpacked(one["flows"]["destination"]) == [1, 0]
    assert unpacked(one["flows"]["true"]) == [6359, 43]
    published = unpacked(one["flows"]["published"])
    assert published[0] == 4960
    assert np.isnan(published[1])
    true, after = one["panes"]
    assert unpacked(true["totals"]) == [6359 + 118 + 43, 6359 + 43, 118]
    assert unpacked(after["totals"]) == [4960 + 120, 4960, 120]
    assert (true["n_flows"], after["n_flows"]) == (3, 2)


def test_the_map_of_what_is_published_says_nothing_of_where_true_flows_are() -> None:
    """Between two zones near one another 50 trips are published; whether 9,000 were left out to a third, far away, shows nowhere."""
    near = ZoneMap(
        zones=np.arange(3), names=("a", "b", "c"), lat=np.array([48.0, 48.1, 60.0]), lon=np.array([2.0, 2.1, 30.0]), outlines=(None,) * 3
    )  # fmt: skip
    look = MapLook(view="after", n_top=10, dark=False)
    drawn = [
        flow_map_from_comparison(flows([true, many, 0], [50, NAN, NAN]), near, LIGHT, look, alt="A map.")
        for true, many in ((50, 0), (50, 9000), (0, 0))
    ]
    assert drawn[0] == drawn[1] == drawn[2]
    west, south, east, north = drawn[0]["ground"]["bounds"]
    assert (west, south, east, north) == (2.0, 48.0, 2.1, 48.1)


def test_trips_within_a_zone_count_once_by_hand() -> None:
    comparison = FlowComparison(
        flow=np.array([0]), true=np.array([7.0]), bounded=np.array([7.0]), published=np.array([NAN])
    )
    assert unpacked(sent(comparison, "before")["panes"][0]["totals"]) == [7, 0, 0]


def test_one_persons_trips_by_hand() -> None:
    look = MapLook(view="before", n_top=10, dark=False, low_px=370)
    one = person_map_from_flows(np.array([1, 3]), zones(), LIGHT, look)  # a → b and b → a
    assert one["low"] == 370
    assert one["alt"] == "Map of one person's 2 unique trips of a week."
    assert [pane["title"] for pane in one["panes"]] == ["One person's 2 unique trips (internal)"]
    assert unpacked(one["flows"]["true"]) == [1, 1]
    assert unpacked(one["panes"][0]["totals"]) == [2, 2, 0]
    # Another person is seen from another place, though the zones are the same.
    other = person_map_from_flows(np.array([4]), zones(), LIGHT, look)  # within b
    assert other["ground"]["points"] == one["ground"]["points"]
    assert other["ground"]["digest"] != one["ground"]["digest"]
    assert other["panes"][0]["title"] == "One person's 1 unique trip (internal)"


def test_the_published_map_is_the_same_whatever_the_true_counts_are() -> None:
    published = [4960, NAN, 7]
    one, other = (sent(flows(true, published), "after") for true in ([6359, 118, 0], [1, 3, 900]))
    assert one == other
    assert one["flows"]["true"] is None
    assert [pane["what"] for pane in one["panes"]] == ["published"]


def test_the_true_map_holds_no_published_count() -> None:
    one = sent(flows([6359, 118, 43], [4960, 120, NAN]), "before")
    assert one["flows"]["published"] is None


def test_a_map_is_drawn_anew_only_where_something_differs() -> None:
    one, same, other = (sent(flows([9, 0, 3], [n, NAN, 4]), "both") for n in (8, 8, 7))
    assert one["digest"] == same["digest"] != other["digest"]
    assert one["ground"]["digest"] == other["ground"]["digest"]


def test_the_view_holds_the_outlines_of_the_zones_that_count() -> None:
    west, south, east, north = sent(flows([5, 0, 5], [NAN, NAN, NAN]), "before")["ground"]["bounds"]
    assert (west, south) == (2.0, 48.0)
    assert (east, north) == (2.6, 48.5)


def test_names_are_text_and_no_code() -> None:
    hostile = ("@@=alert(1)", "<img src=x onerror=alert(1)>", "a\u202eb\nc")
    look = MapLook(view="both", n_top=10, dark=True)
    one = flow_map_from_comparison(flows([1, 2, 3], [1, 2, 3]), zones(hostile), DARK, look, alt="A map.")
    assert one["ground"]["names"] == ["@@=alert(1)", "<img src=x onerror=alert(1)>", "a�b␊c"]


def test_the_world_lies_below_real_places_and_not_below_invented_ones() -> None:
    comparison = flows([1, 2, 3], [1, 2, 3])
    river = {"type": "FeatureCollection", "features": []}
    assert sent(comparison, "both")["ground"]["world"] is True
    assert sent(comparison, "both", decoration=river)["ground"]["world"] is False
    nowhere = replace(zones(), on_earth=False)  # data in metres
    look = MapLook(view="both", n_top=10, dark=False, tiles=True)
    one = flow_map_from_comparison(comparison, nowhere, LIGHT, look, alt="A map.")
    assert (one["ground"]["world"], one["ground"]["tiles"]) == (False, False)
    assert one["colours"]["water"] == one["colours"]["land"]
    assert flow_map_from_comparison(comparison, zones(), LIGHT, look, alt="A map.")["ground"]["tiles"] is True


@pytest.mark.parametrize("view", ["before", "both"])
def test_no_more_than_the_largest_flows_are_sent(view: str) -> None:
    n_zones, rng = 120, np.random.default_rng(3)
    cells = np.arange(n_zones * n_zones)
    true = rng.permutation(cells).astype(float)
    comparison = FlowComparison(flow=cells, true=true, bounded=true, published=np.full(cells.size, NAN))
    many = ZoneMap(
        zones=np.arange(n_zones),
        names=tuple(map(str, range(n_zones))),
        lat=np.linspace(48, 49, n_zones),
        lon=np.linspace(2, 3, n_zones),
        outlines=(None,) * n_zones,
    )
    look = MapLook(view=view, n_top=10, dark=False)  # type: ignore[arg-type]
    one = flow_map_from_comparison(comparison, many, LIGHT, look, alt="A map.")
    counts = unpacked(one["flows"]["true"])
    assert sorted(counts) == list(range(cells.size - MOST_FLOWS, cells.size))
    assert json.loads(json.dumps(one)) == one


def test_the_flows_of_a_zone_by_hand() -> None:
    comparison = flows([6359, 118, 0], [4960, NAN, 7])
    out = flows_of_zone(comparison, zones(), 0, inwards=False, half_width=10)
    assert [(one.other, one.true, one.published, one.low, one.high) for one in out] == [
        ("b", 6359, 4960, 4950, 4970),
        ("c", 118, None, None, None),
    ]
    (back,) = flows_of_zone(comparison, zones(), 0, inwards=True, half_width=10)
    assert (back.other, back.true, back.published, back.low, back.high) == ("b", 0, 7, 0, 17)
