"""Zones → what a map of them lies on: outlines and names as compact arrays, what is seen at first, and the colours.

Maps need no tiles: zones are drawn from their own outlines, and no request leaves the machine. Names are text for labels, never code.
"""

import base64
import hashlib
import json
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from privlab.datasets.zones import ZoneMap
from privlab.figures.drawing.palette import Palette, rgb
from privlab.safe_text import label

Floats = npt.NDArray[np.float64]
Bounds = tuple[float, float, float, float]
_GROWN = 1.6  # times as wide or high as the middle: so much may zones far from it make the map show


def map_ground(
    zones: ZoneMap, bounds: Bounds, *, decoration: dict[str, Any] | None = None, tiles: bool = False
) -> dict[str, Any]:
    """Return the zones as the map is given them; `bounds`, in degrees, is what it shows at first.

    Under places on earth without a `decoration` of their own it draws land and borders, or streets with `tiles`.
    """
    points: list[tuple[float, float]] = []
    starts, owners = [0], []
    for zone, rings in enumerate(zones.outlines):
        for ring in rings or ():
            points += ring
            starts.append(len(points))
            owners.append(zone)
    ground = {
        "lon": packed(zones.lon, "f8"),
        "lat": packed(zones.lat, "f8"),
        "names": [label(name) for name in zones.names],
        "points": packed(np.array(points, dtype=np.float64).reshape(-1), "f8"),
        "starts": packed(np.array(starts), "u4"),
        "ring_zone": packed(np.array(owners, dtype=np.int64), "u4"),
        "decoration": decoration,
    }
    return {
        **ground,
        "digest": digest_of(ground),
        "bounds": list(bounds),
        "world": decoration is None and zones.on_earth,
        "tiles": tiles and zones.on_earth,
    }


def shown_bounds(zones: ZoneMap, weights: Floats | None) -> Bounds:
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


def map_colours(palette: Palette, dark: bool, *, on_earth: bool) -> dict[str, list[int]]:
    """Return the colours of a map; below places that are nowhere on earth there is no water, but land alone."""
    land = [36, 37, 38] if dark else [251, 250, 247]
    return {
        "true": rgb(palette.true),
        "published": rgb(palette.attack),
        "changed": rgb(palette.attack),
        "lost": rgb(palette.claim),
        "false": rgb(palette.spurious),
        "ink": [236, 240, 244] if dark else [28, 35, 43],
        "ground": [26, 27, 29] if dark else [255, 255, 255],
        "water": land if not on_earth else [22, 27, 34] if dark else [232, 240, 246],
        "land": land,
        "border": [70, 78, 90] if dark else [186, 190, 196],
        "zone": [*rgb(palette.muted), 16],
        "outline": [*rgb(palette.muted), 90],
        "line": [60, 68, 80] if dark else [208, 214, 221],
        "river": [86, 180, 233, 110],
    }


def packed(values: npt.NDArray[Any], kind: Literal["f8", "f4", "u4"]) -> dict[str, str]:
    """Return numbers as the map unpacks them: their bytes, in base64."""
    content = np.ascontiguousarray(values, dtype=f"<{kind}").tobytes()
    return {"kind": kind, "base64": base64.b64encode(content).decode()}


def digest_of(content: dict[str, Any]) -> str:
    """Return what tells one map from another: it is drawn anew only where this differs."""
    return hashlib.blake2b(json.dumps(content).encode(), digest_size=8).hexdigest()
