"""Where zones and a river lie → what is drawn below the trails of a person, in kilometres from home, and which zone a sample is near."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.datasets.zones import ZoneMap
from privlab.figures.drawing.palette import Palette, rgba
from privlab.fingerprints import Fingerprints, metres_from_degrees
from privlab.safe_text import figure_text, label

Floats = npt.NDArray[np.float64]
View = tuple[list[float], list[float]]  # the ends of both axes, km from home

_WATER = "rgba(86, 180, 233, 0.3)"
_MOST_OUTLINES = 1_500  # in view; of more, and of zones without an outline, the middles are marked
_MOST_MIDDLES = 3_000
_CROSS = 0.0025  # of the width in view: half an arm of the mark of a middle


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ground:
    """Where zones lie, in degrees, and GeoJSON that helps the eye (a river), or None."""

    zones: ZoneMap
    decoration: dict[str, Any] | None = None


class PlacedGround:
    """The same in km east and north of a person's home, so that each sample lies in the middle of its cell."""

    def __init__(self, ground: Ground, fingerprints: Fingerprints, home: tuple[int, int]) -> None:
        """Take places in degrees; those of fingerprints in metres of their own are not known, and nothing is drawn."""
        self._ground, self._centre = ground, fingerprints.centre
        self._home = [(at + 0.5) * fingerprints.cell_m / 1000 for at in home]
        zones = ground.zones
        self._named = np.flatnonzero(np.isfinite(zones.lat))
        self._middles = self._km(zones.lon[self._named], zones.lat[self._named])

    def near(self, km: Floats) -> list[str]:
        """Return ", near ZONE" for each place, shape (2, n), by the zone whose middle is nearest; empty texts where no zone has a place."""
        if not self._middles.size:
            return [""] * km.shape[1]
        from scipy.spatial import cKDTree

        _, found = cKDTree(self._middles.T).query(km.T)
        names = self._ground.zones.names
        return [f", near {figure_text(label(names[one]))}" for one in self._named[found].tolist()]

    def shapes(self, view: View, palette: Palette) -> list[dict[str, Any]]:
        """Return what a layout draws below the trails in the `view`: water, and outlines of zones, or a cross for each middle."""
        drawn: list[dict[str, Any]] = []
        below: dict[str, Any] = {"type": "path", "layer": "below", "xref": "x", "yref": "y"}
        river = [self._km(*_columns(ring)) for ring in _rings(self._ground.decoration)]
        if river:
            path = " ".join(_path(part) for part in river)
            drawn.append({**below, "path": path, "fillcolor": _WATER, "line": {"width": 0}, "name": "water"})
        inside = _inside(self._middles, view)
        parts = [part for part in self._outlines() if _touches(part, view)]
        # Dotted, and named: where a zone is larger than the view its lone border would be read as an axis.
        line = {"width": 1, "color": rgba(palette.muted, 0.8), "dash": "dot"}
        if 0 < len(parts) <= _MOST_OUTLINES:
            path = " ".join(_path(part) for part in parts)
            drawn.append(
                {**below, "path": path, "line": line, "name": "borders of zones", "showlegend": True}
            )
        elif 0 < inside.sum() <= _MOST_MIDDLES:
            arm = _CROSS * (view[0][1] - view[0][0])
            path = " ".join(_cross(x, y, arm) for x, y in self._middles[:, inside].T.tolist())
            line |= {"dash": "solid"}
            drawn.append({**below, "path": path, "line": line, "name": "middles of zones"})
        return drawn

    def _outlines(self) -> list[Floats]:
        """Return the rings of all zones, shape (2, n) each."""
        rings = [ring for rings in self._ground.zones.outlines for ring in rings or ()]
        if not rings or self._centre is None:
            return []
        ends = np.cumsum([len(ring) for ring in rings])[:-1]
        return np.split(self._km(*_columns([point for ring in rings for point in ring])), ends, axis=1)

    def _km(self, lon: Floats, lat: Floats) -> Floats:
        if self._centre is None or not lon.size:
            return np.zeros((2, 0))
        metres = metres_from_degrees(self._centre, lat, lon)
        return np.stack([one / 1000 - at for one, at in zip(metres, self._home, strict=True)])


def _inside(km: Floats, view: View) -> npt.NDArray[np.bool_]:
    (west, east), (south, north) = view
    return np.asarray((km[0] >= west) & (km[0] <= east) & (km[1] >= south) & (km[1] <= north))


def _touches(part: Floats, view: View) -> bool:
    """Return whether the box around a ring lies partly in the view: a zone may be larger than what is seen."""
    return all(axis.min() <= high and axis.max() >= low for axis, (low, high) in zip(part, view, strict=True))


def _columns(ring: Any) -> tuple[Floats, Floats]:
    lon, lat = np.asarray(ring, dtype=np.float64)[:, :2].T
    return lon, lat


def _path(km: Floats) -> str:
    points = " L ".join(f"{x:.3f},{y:.3f}" for x, y in km.T.tolist())
    return f"M {points} Z" if points else ""


def _cross(x: float, y: float, arm: float) -> str:
    return f"M {x - arm:.3f},{y:.3f} L {x + arm:.3f},{y:.3f} M {x:.3f},{y - arm:.3f} L {x:.3f},{y + arm:.3f}"


def _rings(decoration: dict[str, Any] | None) -> Iterator[Any]:
    """Yield the rings of all polygons, as lists of (lon, lat)."""
    for feature in (decoration or {}).get("features", ()):
        shape = feature["geometry"]
        polygons = {"Polygon": [shape["coordinates"]], "MultiPolygon": shape["coordinates"]}
        for polygon in polygons.get(shape["type"], ()):
            yield from polygon
