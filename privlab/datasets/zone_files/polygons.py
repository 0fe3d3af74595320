"""Parsed GeoJSON → polygons with ids, each sound, in a time that grows with their corners alone.

Knows what a polygon may look like; opens no file. What shapely does to a polygon whose sides run across
each other takes long out of all proportion, so how often they do is counted first, and limited.
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import shapely

from privlab.checks import DataError
from privlab.datasets.columns.projected_systems import crs_from_wkt, degrees_from_projected
from privlab.datasets.zone_files.geography import FurtherColumns, Geography, are_numbers
from privlab.limits import (
    MAX_CROSSINGS,
    MAX_RING_CORNERS,
    MAX_SIDE_PAIRS,
    MAX_ZONE_CORNERS,
    MAX_ZONES,
)
from privlab.progress import UNHEARD, Progress

_EPSG = re.compile(r"(?:.*\bEPSG[:/][\d.]*[:/])?(?:EPSG:)?(\d{4,6})", re.IGNORECASE)
_ID_PROPERTIES = ("zone", "zone_id", "id", "code", "name")
_PAIRS_AT_ONCE = 20_000_000  # at the most, if every side lies near every other
_REPORTED = 500  # features between two reports
_FEW = 100  # corners of a polygon that is looked at as it is: that takes a thousandth of a second at most

Corners = npt.NDArray[np.float64]


@dataclass(slots=True)
class _Allowance:
    """What the polygons of one file have used up so far."""

    source: str
    crs: str | None = None
    n_corners: int = 0
    n_pairs: int = 0
    n_crossings: int = 0


def geography_from_geojson(
    document: Any, source: str, *, crs: str | None = None, progress: Progress = UNHEARD
) -> Geography:
    """Return the polygons of a parsed GeoJSON FeatureCollection, ids from zone, zone_id, id, code or name.

    Corners are longitude and latitude, or, where the file names a projected system as its `crs`, as map programs write it, east and north
    in that system; `crs` is that of a document which has not named it.

    Raises DataError, naming `source`, if it is no collection of polygons with distinct ids, or one of
    more corners, or with more crossings, than can be worked with.
    """
    features = document.get("features") if isinstance(document, dict) else None
    if not isinstance(features, list) or not features:
        raise DataError(f"{source} is not a GeoJSON FeatureCollection with at least one polygon.")
    if len(features) > MAX_ZONES:
        raise DataError(
            f"{source} holds {len(features):,} features, more than {MAX_ZONES:,}. Join some of them."
        )
    used = _Allowance(source, crs=crs or _named_crs(document))
    shapes: dict[int | str, shapely.Geometry] = {}
    names: dict[int | str, str] = {}
    columns = FurtherColumns()
    for number, feature in enumerate(features, start=1):
        if number % _REPORTED == 1:
            progress.tell(number / len(features), "Looking at every polygon")
        shape = _polygon(feature, number, used)
        zone, name = _identity(feature, number, source)
        if zone in shapes:
            raise DataError(
                f"{source} has two polygons with the id {zone!r} (feature {number}); give each its own."
            )
        shapes[zone] = shape
        names[zone] = name
        for column, said in (feature.get("properties") or {}).items():
            if column not in _ID_PROPERTIES and isinstance(said, str | int):
                columns.keep(column, zone, str(said))
    if len({isinstance(zone, str) for zone in shapes}) > 1:
        raise DataError(f"{source} mixes numbers and text as polygon ids; use one kind.")
    if are_numbers(shapes) and any(abs(int(zone)) >= 2**63 for zone in shapes):
        raise DataError(f"{source} has a number of more than 18 digits as an id; write the ids as text.")
    points = shapely.point_on_surface(list(shapes.values()))
    return Geography(
        zones=sorted(shapes),
        centres={zone: (point.y, point.x) for zone, point in zip(shapes, points, strict=True)},
        names=names,
        shapes=shapes,
        columns=columns.found,
    )


def _named_crs(document: dict[str, Any]) -> str | None:
    """Return the system that a document names by its EPSG number; None where it names none, or plain degrees, as GeoJSON has it."""
    said = document.get("crs")
    properties = said.get("properties") if isinstance(said, dict) else None
    named = properties.get("name", properties.get("code")) if isinstance(properties, dict) else None
    found = None if isinstance(named, bool) else _EPSG.fullmatch(str(named))
    try:
        return None if found is None else crs_from_wkt(f"EPSG:{found[1]}")
    except DataError:
        return None


def _identity(feature: Any, number: int, source: str) -> tuple[int | str, str]:
    """Return the id and the name of a feature; without an id, its place in the file counted from 0."""
    properties = feature.get("properties") or {}
    if not isinstance(properties, dict):
        raise DataError(f"{source}: the properties of feature {number} are no table of names and values.")
    own = properties | ({"id": feature["id"]} if "id" in feature and "id" not in properties else {})
    zone = next((own[key] for key in _ID_PROPERTIES if key in own), number - 1)
    if isinstance(zone, float) and zone.is_integer():
        zone = int(zone)
    if not isinstance(zone, int | str) or isinstance(zone, bool):
        got = f"{zone!r}" if zone is None or isinstance(zone, float | bool) else f"a {type(zone).__name__}"
        raise DataError(f"{source}: the id of feature {number} must be a whole number or text, got {got}.")
    name = properties.get("name", zone)
    name = str(name) if isinstance(name, str | int | float) else str(zone)
    for what, text in (("id", str(zone)), ("name", name)):
        if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise DataError(
                f"{source}: the {what} of feature {number} holds half a character. Write it anew."
            )
    return zone, name


def _polygon(feature: Any, number: int, used: _Allowance) -> shapely.Geometry:
    source, geometry = used.source, feature.get("geometry") if isinstance(feature, dict) else None
    if not isinstance(geometry, dict) or not isinstance(geometry.get("type"), str):
        raise DataError(f"{source}: feature {number} has no readable geometry.")
    kind: str = geometry["type"]
    coordinates: Any = geometry.get("coordinates")
    if kind not in ("Polygon", "MultiPolygon"):
        raise DataError(f"{source}: feature {number} is a {kind[:40]}, not a polygon.")
    try:
        parts = [
            [_corners(ring, used.crs) for ring in part]
            for part in ([coordinates] if kind == "Polygon" else coordinates)
        ]
        if not parts or not all(parts):
            raise ValueError("a polygon without a ring")
        rings = [ring for part in parts for ring in part]
        _require_room(rings, number, used)
        shape = shapely.multipolygons([shapely.Polygon(part[0], part[1:]) for part in parts])
    except (TypeError, ValueError, KeyError, OverflowError, shapely.errors.ShapelyError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{source}: feature {number} has no readable geometry.") from None
    shape = _sound(shape, rings, number, used)
    polygons = shapely.get_parts(shape)
    return shape if len(polygons) > 1 else polygons[0]


def _sound(shape: shapely.Geometry, rings: list[Corners], number: int, used: _Allowance) -> shapely.Geometry:
    """Return a shape, made valid if it is not; raise DataError if that would take too long, or nothing is left."""
    is_small = sum(map(len, rings)) <= _FEW
    if is_small and shapely.is_valid(shape):
        return shape
    _count_crossings(rings, number, used)
    if not is_small and shapely.is_valid(shape):
        return shape
    # What lies within a border that overlaps itself belongs to it.
    whole = shapely.make_valid(shape, method="structure", keep_collapsed=False)
    if whole.is_empty:
        raise DataError(f"{used.source}: feature {number} has no area. Are its corners all on one line?")
    return whole


def _corners(ring: Any, crs: str | None) -> Corners:
    """Return the corners of a ring in degrees, shape (n, 2), the first again as the last."""
    found = np.array([position[:2] for position in ring])
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iuf":
        raise ValueError("no list of positions")
    corners = np.vstack([found, found[:1]]).astype(np.float64)
    if crs is not None:
        lat, lon = degrees_from_projected(crs, corners[:, 0], corners[:, 1])
        corners = np.stack([lon, lat], axis=1)
    moves = np.ones(len(corners), bool)
    moves[1:] = (corners[1:] != corners[:-1]).any(axis=1)
    return corners[moves]  # no corner twice in a row


def _require_room(rings: list[Corners], number: int, used: _Allowance) -> None:
    """Raise DataError for corners that are no places, or too many."""
    source, corners = used.source, np.vstack(rings)
    if not np.isfinite(corners).all():
        or_place = "" if used.crs is None else ", or no place in its system"
        raise DataError(f"{source}: feature {number} has a corner that is no number{or_place}.")
    if (np.abs(corners) > (180, 90)).any():
        raise DataError(
            f"{source}: feature {number} lies outside degrees. Longitude and latitude are wanted (WGS 84), or a file that names its "
            "system as map programs write it: a Shapefile by its .prj, GeoJSON as crs."
        )
    if (longest := max(len(ring) for ring in rings)) > MAX_RING_CORNERS:
        raise DataError(
            f"{source}: feature {number} has a ring of {longest:,} corners, more than {MAX_RING_CORNERS:,}. "
            "Simplify it."
        )
    used.n_corners += len(corners)
    if used.n_corners > MAX_ZONE_CORNERS:
        raise DataError(
            f"{source} has more than {MAX_ZONE_CORNERS:,} corners (at feature {number}). Simplify the polygons."
        )


def _count_crossings(rings: list[Corners], number: int, used: _Allowance) -> None:
    """Add up the pairs of sides near each other and those that meet; raise DataError beyond the limits."""
    start, end = np.vstack([ring[:-1] for ring in rings]), np.vstack([ring[1:] for ring in rings])
    following = np.concatenate(_followers(rings))
    sides = shapely.box(*np.minimum(start, end).T, *np.maximum(start, end).T)
    tree = shapely.STRtree(sides)
    at_once = max(1, _PAIRS_AT_ONCE // len(sides))
    for first in range(0, len(sides), at_once):
        one, other = tree.query(sides[first : first + at_once])
        one = one + first
        apart = (one < other) & (following[one] != other) & (following[other] != one)
        one, other = one[apart], other[apart]
        used.n_pairs += one.size
        if used.n_pairs > MAX_SIDE_PAIRS:
            raise DataError(
                f"{used.source}: the sides of feature {number} run across or beside each other in too many places. "
                "Simplify the polygon."
            )
        used.n_crossings += int(_meet(start[one], end[one], start[other], end[other]).sum())
        if used.n_crossings > MAX_CROSSINGS:
            raise DataError(
                f"{used.source}: with feature {number} its polygons cross themselves more than "
                f"{MAX_CROSSINGS:,} times. Are the corners in another order than along the border?"
            )


def _followers(rings: list[Corners]) -> list[npt.NDArray[np.int64]]:
    """Return, for every side, the one that goes on where it ends."""
    found, first = [], 0
    for ring in rings:
        n = len(ring) - 1
        found.append(first + (np.arange(n) + 1) % max(1, n))
        first += n
    return found


def _meet(a: Corners, b: Corners, c: Corners, d: Corners) -> npt.NDArray[np.bool_]:
    """Return whether the sides a–b and c–d, whose boxes overlap, cross or touch."""
    meet: npt.NDArray[np.bool_] = (_turn(a, b, c) * _turn(a, b, d) <= 0) & (
        _turn(c, d, a) * _turn(c, d, b) <= 0
    )
    return meet


def _turn(a: Corners, b: Corners, c: Corners) -> npt.NDArray[np.float64]:
    """Return on which side of a → b the points c lie: above 0 on the left."""
    turn: npt.NDArray[np.float64] = np.sign(
        (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    )
    return turn
