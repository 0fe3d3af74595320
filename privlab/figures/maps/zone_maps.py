"""Zones and flows → maps. Computes no statistics.

Maps need no tiles: zones are drawn from their own outlines, and no request leaves the machine.
"""

import json
from typing import Any

import numpy as np
import numpy.typing as npt
import pydeck
from pydeck.bindings.json_tools import default_serialize

from privlab.datasets.zones import ZoneMap
from privlab.figures.drawing.palette import Palette, rgb, rgba
from privlab.figures.drawing.true_data_marks import MARK
from privlab.od.risks import ExposedFlows
from privlab.safe_text import label, map_text

Floats = npt.NDArray[np.float64]
Bounds = tuple[float, float, float, float]
_FAINTEST, _FULL = 20, 200  # of 255: how dark a zone of 0 is, and how much darker the largest
TELEPHONE_PX = 340  # as wide as a map is on one
_MARGIN = 1.12  # the map is so much larger than what it shows
_GROWN = 1.6  # times as wide or high as the middle: so much may zones far from it make the map show


class Deck(pydeck.Deck):  # type: ignore[misc]  # pydeck has no types
    """A map that is written for the browser without indents, with which pydeck takes seven times as long."""

    def to_json(self) -> str:
        """Return what pydeck writes, in one line."""
        return json.dumps(self, sort_keys=True, default=default_serialize)


def zones_geojson(zones: ZoneMap, values: Floats | None, unit: str) -> dict[str, Any]:
    """Return the outlines as GeoJSON, each with a fill strength in [0, 1] and a line to hover over."""
    top = float(np.nanmax(values)) if values is not None and values.size else 0.0
    features = []
    for index, rings in enumerate(zones.outlines):
        if rings is None:
            continue
        value = 0.0 if values is None else float(values[index])
        text = map_text(label(zones.names[index]) + ("" if values is None else f": {value:,.0f} {unit}"))
        features.append(
            {
                "type": "Feature",
                "properties": {"text": text, "strength": value / top if top else 0.0},
                "geometry": {"type": "MultiPolygon", "coordinates": [[ring] for ring in rings]},
            }
        )
    return {"type": "FeatureCollection", "features": features}


def flow_label(zones: ZoneMap, origin: int, destination: int) -> str:
    """Return a flow by the names of its ends."""
    return f"{label(zones.names[origin])} → {label(zones.names[destination])}"


def zones_deck(
    zones: ZoneMap,
    palette: Palette,
    *,
    values: Floats | None = None,
    unit: str = "",
    decoration: dict[str, Any] | None = None,
    tiles: bool = False,
    room: tuple[int, int] = (TELEPHONE_PX, TELEPHONE_PX),
) -> pydeck.Deck:
    """Return a map of the zones, filled by `values` where given; `room` is how wide and high it is at least, in pixels."""
    ground = _ground(zones, palette, values, unit, decoration)
    return _deck(ground, zones, values, tiles=tiles, pitch=0, room=room)


def zones_scale(zones: ZoneMap, values: Floats, unit: str, palette: Palette) -> str:
    """Return what the colours, or else the circles, of `zones_deck` mean, as HTML to stand below it, with the mark of true data."""
    top = float(np.nanmax(values, initial=0.0))
    most = f"{top:,.0f} {unit}"
    if all(rings is None for rings in zones.outlines):
        scale = f"<span>the largest circle: {most}</span>"
    else:
        ends = ", ".join(rgba(palette.true, alpha / 255) for alpha in (_FAINTEST, _FAINTEST + _FULL))
        bar = f"width:8rem;height:0.8rem;border:1px solid {palette.muted};background:linear-gradient(to right, {ends})"
        scale = f'<span>0</span><span style="{bar}"></span><span>{most}</span>'
    row = "display:flex;flex-wrap:wrap;gap:0.5rem;align-items:center"
    return f'<div style="font-size:0.8rem;color:{palette.true}"><div style="{row}">{scale}</div>{MARK}</div>'


def exposed_deck(
    exposed: ExposedFlows,
    zones: ZoneMap,
    palette: Palette,
    *,
    n_top: int,
    decoration: dict[str, Any] | None = None,
    tiles: bool = False,
    room: tuple[int, int] = (TELEPHONE_PX, TELEPHONE_PX),
) -> pydeck.Deck:
    """Return the flows that give most exposed people away as arcs, the wider the more people."""
    origin, destination = np.divmod(exposed.flow[:n_top], zones.lat.size)
    most = float(exposed.people.max(initial=1))
    located = np.isfinite(zones.lat[origin]) & np.isfinite(zones.lat[destination])
    data = [
        {
            "from": [round(float(zones.lon[origin[i]]), 5), round(float(zones.lat[origin[i]]), 5)],
            "to": [round(float(zones.lon[destination[i]]), 5), round(float(zones.lat[destination[i]]), 5)],
            "width": _arc_width(float(exposed.people[i]), most),
            "colour": [*rgb(palette.claim), 190],
            "text": map_text(
                f"{flow_label(zones, int(origin[i]), int(destination[i]))}: tells of {exposed.people[i]:,} of the "
                f"{exposed.n_people:,} most exposed people"
            ),
        }
        for i in np.flatnonzero(located).tolist()
    ]
    ends = np.concatenate([origin, destination])
    weights = np.bincount(ends, np.tile(exposed.people[:n_top], 2), zones.lat.size).astype(np.float64)
    ground = _ground(zones, palette, None, "", decoration)
    return _deck([*ground, _arcs(data)], zones, weights, tiles=tiles, pitch=35, room=room)


def exposed_scale(exposed: ExposedFlows, palette: Palette) -> str:
    """Return what the arcs of `exposed_deck` mean and how wide they are, as HTML to stand below it."""
    most = int(exposed.people.max(initial=1))
    parts = ["<span>An arc: a flow, and how many of these people it tells of</span>"]
    for people in dict.fromkeys((most, 1)):
        width = _arc_width(people, most)
        line = (
            f"display:inline-block;width:2rem;height:{width:g}px;background:{rgba(palette.claim, 190 / 255)}"
        )
        both = "display:inline-flex;gap:0.4rem;align-items:center"  # a line and its number stay together
        parts.append(f'<span style="{both}"><span style="{line}"></span><span>{people:,}</span></span>')
    row = "display:flex;flex-wrap:wrap;gap:0.5rem;align-items:center"
    return f'<div style="font-size:0.8rem;color:{palette.true};{row}">{"".join(parts)}</div>'


def _arc_width(people: float, most: float) -> float:
    """Return how wide the arc of a flow is, in pixels."""
    return round(1 + 7 * people / most, 2)


def _arcs(data: list[dict[str, Any]]) -> pydeck.Layer:
    return pydeck.Layer(
        "ArcLayer",
        id="arcs",
        data=data,
        get_source_position="from",
        get_target_position="to",
        get_width="width",
        get_source_color="colour",
        get_target_color="colour",
        get_height=0.4,
        pickable=True,
        auto_highlight=True,
    )


def _ground(
    zones: ZoneMap, palette: Palette, values: Floats | None, unit: str, decoration: dict[str, Any] | None
) -> list[pydeck.Layer]:
    if all(rings is None for rings in zones.outlines):
        return [_points(zones, palette, values, unit)]
    red, green, blue = rgb(palette.true)
    fill = f"[{red}, {green}, {blue}, {_FAINTEST} + {_FULL} * properties.strength]"
    layers = [
        pydeck.Layer(
            "GeoJsonLayer",
            id="zones",
            data=zones_geojson(zones, values, unit),
            get_fill_color=fill,
            get_line_color=[*rgb(palette.muted), 140],
            line_width_min_pixels=1,
            pickable=values is not None,
        )
    ]
    if decoration is not None:
        layers.append(
            pydeck.Layer(
                "GeoJsonLayer",
                id="river",
                data=decoration,
                get_fill_color=[86, 180, 233, 110],
                get_line_color=[86, 180, 233, 160],
                line_width_min_pixels=1,
            )
        )
    return layers


def _points(zones: ZoneMap, palette: Palette, values: Floats | None, unit: str) -> pydeck.Layer:
    top = float(np.nanmax(values)) if values is not None and values.size else 1.0
    data = [
        {
            "at": [float(zones.lon[i]), float(zones.lat[i])],
            "radius": 2 if values is None else 2 + 12 * float(np.sqrt(values[i] / (top or 1.0))),
            "text": map_text(
                label(zones.names[i]) + ("" if values is None else f": {values[i]:,.0f} {unit}")
            ),
        }
        for i in np.flatnonzero(np.isfinite(zones.lat)).tolist()
    ]
    return pydeck.Layer(
        "ScatterplotLayer",
        id="points",
        data=data,
        get_position="at",
        get_radius="radius",
        radius_units="'pixels'",
        get_fill_color=[*rgb(palette.true), 150],
        pickable=True,
    )


def _deck(
    layers: list[pydeck.Layer],
    zones: ZoneMap,
    weights: Floats | None,
    *,
    tiles: bool,
    pitch: int,
    room: tuple[int, int],
) -> pydeck.Deck:
    west, south, east, north = _shown_bounds(zones, weights)
    middle = (north + south) / 2
    # Both in degrees of longitude at the middle, for each pixel of room.
    high = (north - south) / max(float(np.cos(np.radians(middle))), 0.1)
    span = max(high / room[1], (east - west) / room[0], 1e-3 / min(room))
    view = pydeck.ViewState(
        latitude=middle,
        longitude=(east + west) / 2,
        # 512 pixels show 360° at zoom 0.
        zoom=float(np.clip(np.log2(360 / (512 * _MARGIN * span)), 1, 16)),
        pitch=pitch,
    )
    tooltip: Any = {"text": "{text}"}
    if tiles:
        return Deck(layers=layers, initial_view_state=view, tooltip=tooltip, map_style="light")
    # map_provider=None and no map_style: the only spelling that fetches no base map.
    return Deck(layers=layers, initial_view_state=view, tooltip=tooltip, map_provider=None)


def _shown_bounds(zones: ZoneMap, weights: Floats | None) -> Bounds:
    """Return the bounds of all zones, else of those with anything, or of the middle alone where it would become too small beside them."""
    middle = middle_bounds(zones, weights)
    located = np.isfinite(zones.lat)
    for which in (located, located if weights is None else located & (weights > 0)):
        if not which.any():
            return middle
        lon, lat = zones.lon[which], zones.lat[which]
        ends = (float(lon.min()), float(lat.min()), float(lon.max()), float(lat.max()))
        whole = _with_outlines(zones, np.flatnonzero(which), ends)
        across, up = (max(middle[n + 2] - middle[n], 1e-9) for n in (0, 1))
        if max((whole[2] - whole[0]) / across, (whole[3] - whole[1]) / up) <= _GROWN:
            return whole
    return middle


def middle_bounds(zones: ZoneMap, weights: Floats | None) -> Bounds:
    """Return west, south, east, north of the zones that hold nearly all of the weight, outlines included."""
    south, north = _middle_span(zones.lat, weights)
    west, east = _middle_span(zones.lon, weights)
    inside = (zones.lat >= south) & (zones.lat <= north) & (zones.lon >= west) & (zones.lon <= east)
    return _with_outlines(zones, np.flatnonzero(inside), (west, south, east, north))


def _with_outlines(zones: ZoneMap, which: npt.NDArray[np.int64], bounds: Bounds) -> Bounds:
    """Return bounds that hold the outlines of some zones too."""
    lon, lat = [bounds[0], bounds[2]], [bounds[1], bounds[3]]
    for zone in which.tolist():
        for ring in zones.outlines[zone] or ():
            xs, ys = zip(*ring, strict=True)
            lon += [min(xs), max(xs)]
            lat += [min(ys), max(ys)]
    return min(lon), min(lat), max(lon), max(lat)


def _middle_span(degrees: Floats, weights: Floats | None) -> tuple[float, float]:
    """Return the span that holds the middle 98% of the weight, so that far-away zones shrink nothing."""
    weight = np.ones(degrees.size) if weights is None or not weights.sum() else weights
    known = np.flatnonzero(np.isfinite(degrees) & (weight > 0))
    if not known.size:
        return 0.0, 1.0
    order = known[np.argsort(degrees[known])]
    share = np.cumsum(weight[order]) / weight[order].sum()
    low, high = np.searchsorted(share, [0.01, 0.99 - 1e-9])
    return float(degrees[order[low]]), float(degrees[order[min(high, order.size - 1)]])
