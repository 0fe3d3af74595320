"""Flows between zones → what the flow map draws, as compact arrays. Computes no statistics.

The map *after*, where it stands alone, is made from published counts alone. Which flows are true, and their totals, play no part in it, not even in
where it is centred. Beside the true flows it marks which are false. Names are text for labels, never code.
"""

import base64
import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from privlab.datasets.zones import ZoneMap
from privlab.figures.drawing.palette import Palette, rgb
from privlab.figures.maps.zone_maps import middle_bounds
from privlab.figures.wording import words
from privlab.od.usefulness import FlowComparison
from privlab.safe_text import label, map_text

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
View = Literal["both", "after", "before", "comparison"]
"""What a flow map shows: true flows beside published ones, one of the two, or what differs."""
VIEWS: tuple[View, ...] = get_args(View)
VIEWS_IN_WORDS: dict[View, str] = {
    "after": "flows as published",
    "before": "true flows",
    "both": "true flows beside the published ones",
    "comparison": "flows that are lost, changed or false",
}
Pane = Literal["true", "published", "difference"]
_PANES: dict[View, tuple[Pane, ...]] = {
    "after": ("published",),
    "before": ("true",),
    "both": ("true", "published"),
    "comparison": ("difference",),
}
_TITLES: dict[Pane, tuple[str, str]] = {
    "true": ("Before: true counts (internal)", "before"),
    "published": ("After: published", "after"),
    "difference": ("What changed (internal)", "differences"),
}
SERIES_IN_WORDS = {  # on maps of pages and of reports
    "true": "true flow",
    "published": "published flow",
    "lost": "lost: true, not published",
    "changed": "changed: by how much",
    "false": "false: published, no true trip",
}
_SERIES: dict[Pane, tuple[str, ...]] = {
    "true": ("true",),
    "published": ("published",),
    "difference": ("lost", "changed", "false"),
}
_SERIES_OF_BOTH = (
    "true",
    "lost",
    "published",
    "false",
)  # beside one another they say of each flow what became of it
MOST_FLOWS = (
    5_000  # flows a map is given, the largest of each pane; it draws fewer, and adds them up from afar
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MapLook:
    """How a map looks: which panes, how many flows each draws, what lies below the zones, and how high a low one is."""

    view: View
    n_top: int
    dark: bool
    decoration: dict[str, Any] | None = None
    tiles: bool = False
    selected: int | None = None
    low_px: int | None = None


def flow_map_from_comparison(
    flows: FlowComparison, zones: ZoneMap, palette: Palette, look: MapLook, *, alt: str
) -> dict[str, Any]:
    """Return what the flow map draws: zones, the panes of the view, and the largest flows of each, as JSON."""
    panes = _PANES[look.view]
    published = np.nan_to_num(flows.published, nan=0.0)
    sizes = {"true": flows.true, "published": published}
    seen: tuple[Literal["true", "published"], ...] = (
        ("published",)
        if panes == ("published",)
        else ("true",)
        if panes == ("true",)
        else ("true", "published")
    )
    kept = _largest([sizes[name] for name in seen], flows.flow, zones)
    n_zones = zones.lat.size
    weight = np.max([sizes[name] for name in seen], axis=0)
    drawn = {
        "origin": _packed(flows.flow[kept] // n_zones, "u4"),
        "destination": _packed(flows.flow[kept] % n_zones, "u4"),
        "true": _packed(flows.true[kept], "f4") if "true" in seen else None,
        "published": _packed(flows.published[kept], "f4") if "published" in seen else None,
    }
    sent = {
        "panes": [_pane(pane, flows, sizes, n_zones) for pane in panes],
        "legend": [{"kind": kind, "words": SERIES_IN_WORDS[kind]} for kind in _series_of(panes)],
        "flows": drawn,
        "n_top": look.n_top,
        "ground": _ground(zones, totals_of_zones(flows.flow, np.maximum(weight, 0), n_zones), look),
        "colours": _colours(palette, look.dark, on_earth=zones.on_earth),
        "dark": look.dark,
        "selected": look.selected,
        "low": look.low_px,
        "alt": alt,
    }
    return {**sent, "digest": _digest(sent)}


def _series_of(panes: tuple[Pane, ...]) -> tuple[str, ...]:
    return _SERIES_OF_BOTH if len(panes) > 1 else _SERIES[panes[0]]


def person_map_from_flows(flow: Ints, zones: ZoneMap, palette: Palette, look: MapLook) -> dict[str, Any]:
    """Return what the flow map draws of one person: a trip for each of the cells `flow`, shape (k,)."""
    once = np.ones(flow.size)
    flows = FlowComparison(flow=flow, true=once, bounded=once, published=np.full(flow.size, np.nan))
    n_trips = words.trips(flow.size)
    sent = flow_map_from_comparison(
        flows,
        zones,
        palette,
        replace(look, view="before"),
        alt=f"Map of one person's {n_trips} of a week.",
    )
    sent["panes"][0] |= {"title": f"One person's {n_trips} (internal)", "short": "this person"}
    ground = sent["ground"]
    ground["digest"] = _digest(
        {"zones": ground["digest"], "bounds": ground["bounds"]}
    )  # another view for each
    sent["legend"] = [{"kind": "true", "words": "a trip of this person"}]
    return {**sent, "digest": _digest(sent)}


def totals_of_zones(flow: Ints, count: Floats, n_zones: int) -> Floats:
    """Return the trips that begin or end in each zone, shape (Z,); those within a zone once."""
    origin, destination = np.divmod(flow, n_zones)
    ends = np.bincount(destination, np.where(origin == destination, 0, count), n_zones)
    return np.asarray(np.bincount(origin, count, n_zones) + ends, dtype=np.float64)


def _largest(sizes: list[Floats], flow: Ints, zones: ZoneMap) -> Ints:
    """Return the positions of the largest flows of each size between zones that have a place, ascending."""
    origin, destination = np.divmod(flow, zones.lat.size)
    located = np.isfinite(zones.lat[origin]) & np.isfinite(zones.lat[destination])
    chosen = []
    for size in sizes:
        there = np.flatnonzero(located & (size > 0))
        chosen.append(there[np.argsort(-size[there], kind="stable")[:MOST_FLOWS]])
    return np.unique(np.concatenate(chosen))


def _pane(pane: Pane, flows: FlowComparison, sizes: dict[str, Floats], n_zones: int) -> dict[str, Any]:
    title, short = _TITLES[pane]
    if pane == "difference":
        counted, totals = flows.flow.size, None
    else:
        counted = int((sizes[pane] > 0).sum())
        totals = _packed(totals_of_zones(flows.flow, np.maximum(sizes[pane], 0), n_zones), "f4")
    return {"what": pane, "title": title, "short": short, "n_flows": counted, "totals": totals}


def _ground(zones: ZoneMap, weights: Floats, look: MapLook) -> dict[str, Any]:
    points: list[tuple[float, float]] = []
    starts, owners = [0], []
    for zone, rings in enumerate(zones.outlines):
        for ring in rings or ():
            points += ring
            starts.append(len(points))
            owners.append(zone)
    ground = {
        "lon": _packed(zones.lon, "f8"),
        "lat": _packed(zones.lat, "f8"),
        "names": [map_text(label(name)) for name in zones.names],
        "points": _packed(np.array(points, dtype=np.float64).reshape(-1), "f8"),
        "starts": _packed(np.array(starts), "u4"),
        "ring_zone": _packed(np.array(owners, dtype=np.int64), "u4"),
        "decoration": look.decoration,
    }
    return {
        **ground,
        "digest": _digest(ground),
        "bounds": list(middle_bounds(zones, weights)),
        "world": look.decoration is None and zones.on_earth,
        "tiles": look.tiles and zones.on_earth,
    }


def _colours(palette: Palette, dark: bool, *, on_earth: bool) -> dict[str, list[int]]:
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


def _packed(values: npt.NDArray[Any], kind: Literal["f8", "f4", "u4"]) -> dict[str, str]:
    content = np.ascontiguousarray(values, dtype=f"<{kind}").tobytes()
    return {"kind": kind, "base64": base64.b64encode(content).decode()}


def _digest(content: dict[str, Any]) -> str:
    return hashlib.blake2b(json.dumps(content).encode(), digest_size=8).hexdigest()
