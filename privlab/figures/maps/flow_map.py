"""Flows between zones → what the flow map draws, as compact arrays. Computes no statistics.

The map *after*, where it stands alone, is made from published counts alone. Which flows are true, and their totals, play no part in it, not even in
where it is centred. Beside the true flows it marks which are false.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from privlab.datasets.zones import ZoneMap
from privlab.figures.drawing.palette import Palette
from privlab.figures.maps.map_ground import digest_of, map_colours, map_ground, middle_bounds, packed
from privlab.figures.wording import words
from privlab.od.usefulness import FlowComparison

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
        "origin": packed(flows.flow[kept] // n_zones, "u4"),
        "destination": packed(flows.flow[kept] % n_zones, "u4"),
        "true": packed(flows.true[kept], "f4") if "true" in seen else None,
        "published": packed(flows.published[kept], "f4") if "published" in seen else None,
    }
    sent = {
        "panes": [_pane(pane, flows, sizes, n_zones) for pane in panes],
        "legend": [{"kind": kind, "words": SERIES_IN_WORDS[kind]} for kind in _series_of(panes)],
        "flows": drawn,
        "n_top": look.n_top,
        "ground": map_ground(
            zones,
            middle_bounds(zones, totals_of_zones(flows.flow, np.maximum(weight, 0), n_zones)),
            decoration=look.decoration,
            tiles=look.tiles,
        ),
        "colours": map_colours(palette, look.dark, on_earth=zones.on_earth),
        "dark": look.dark,
        "selected": look.selected,
        "words": {},
        "low": look.low_px,
        "alt": alt,
    }
    return {**sent, "digest": digest_of(sent)}


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
    ground["digest"] = digest_of(
        {"zones": ground["digest"], "bounds": ground["bounds"]}
    )  # another view for each
    sent["legend"] = [{"kind": "true", "words": "a trip of this person"}]
    return {**sent, "digest": digest_of(sent)}


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
        totals = packed(totals_of_zones(flows.flow, np.maximum(sizes[pane], 0), n_zones), "f4")
    return {"what": pane, "title": title, "short": short, "n_flows": counted, "totals": totals}
