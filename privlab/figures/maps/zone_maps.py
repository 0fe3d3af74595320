"""Zones → maps of what is counted in each, and of the flows that give people away. Computes no statistics."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.datasets.zones import ZoneMap
from privlab.figures.drawing.palette import Palette, rgb
from privlab.figures.maps.flow_map import MapLook, flow_map_from_comparison
from privlab.figures.maps.map_ground import digest_of, map_colours, map_ground, packed, shown_bounds
from privlab.od.risks import ExposedFlows
from privlab.od.usefulness import FlowComparison
from privlab.safe_text import label

Floats = npt.NDArray[np.float64]
_MOST_ZONES = 5_000  # over places: of a finer grid nothing is to be seen


def zone_map_from_values(
    zones: ZoneMap,
    values: Floats,
    palette: Palette,
    *,
    title: str,
    unit: str,
    alt: str,
    dark: bool,
    decoration: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a map of zones filled by `values`, shape (Z,), none below 0: darker where there are more; circles of zones without outlines.

    `unit` follows a number, as in "9 trips leave".
    """
    filled = any(rings is not None for rings in zones.outlines)
    pane = {"what": "true", "title": title, "short": title, "n_flows": 0, "filled": filled}
    sent = {
        **_without_flows(zones, palette, dark=dark),
        "panes": [{**pane, "totals": packed(values, "f4")}],
        "legend": [],
        "ground": map_ground(zones, shown_bounds(zones, values), decoration=decoration),
        "apart": filled,  # each zone has its own value, from however far it is seen
        "words": {"there": f"{{n}} {unit}"},
        "alt": alt,
    }
    return {**sent, "digest": digest_of(sent)}


def places_map(
    zones: ZoneMap, lat: Floats, lon: Floats, palette: Palette, *, title: str, alt: str, dark: bool
) -> dict[str, Any]:
    """Return a map of places as points with the zones over them; too many zones are left out."""
    drawn = zones if zones.zones.size <= _MOST_ZONES else _none_of(zones)
    sent = {
        **_without_flows(zones, palette, dark=dark),
        "panes": [{"what": "true", "title": title, "short": title, "n_flows": 0, "totals": None}],
        "legend": [{"kind": "true", "words": "a place in the data"}],
        "ground": map_ground(drawn, shown_bounds(zones, None)),
        "places": {"lat": packed(lat, "f8"), "lon": packed(lon, "f8")},
        "words": {},
        "alt": alt,
    }
    return {**sent, "digest": digest_of(sent)}


def _none_of(zones: ZoneMap) -> ZoneMap:
    return replace(zones, zones=zones.zones[:0], names=(), lat=zones.lat[:0], lon=zones.lon[:0], outlines=())


def _without_flows(zones: ZoneMap, palette: Palette, *, dark: bool) -> dict[str, Any]:
    none = packed(np.empty(0), "u4")
    return {
        "flows": {"origin": none, "destination": none, "true": None, "published": None},
        "n_top": 0,
        "colours": map_colours(palette, dark, on_earth=zones.on_earth),
        "dark": dark,
        "selected": None,
        "low": None,
    }


def exposed_map_from_flows(
    exposed: ExposedFlows,
    zones: ZoneMap,
    palette: Palette,
    *,
    n_top: int,
    alt: str,
    dark: bool,
    decoration: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a map of the flows that give most exposed people away, the wider the more people."""
    people = exposed.people.astype(np.float64)
    flows = FlowComparison(
        flow=exposed.flow, true=people, bounded=people, published=np.full(people.size, np.nan)
    )
    look = MapLook(view="before", n_top=n_top, dark=dark, decoration=decoration)
    sent = flow_map_from_comparison(flows, zones, palette, look, alt=alt)
    title = "Flows that give people away (internal)"
    sent["panes"][0] |= {"title": title, "short": "", "totals": None}
    sent["legend"] = [{"kind": "true", "words": "a flow, and how many of these people it tells of"}]
    sent["colours"]["true"] = rgb(palette.claim)
    sent["apart"] = True  # one person may be told of by several flows: they are never added up
    sent["words"] = {
        "flow": f"tells of {{n}} of the {exposed.n_people:,} most exposed people",
        "legend": ["{n} person", "{n} people"],
    }
    return {**sent, "digest": digest_of(sent)}


def flow_label(zones: ZoneMap, origin: int, destination: int) -> str:
    """Return a flow by the names of its ends."""
    return f"{label(zones.names[origin])} → {label(zones.names[destination])}"
