"""Zones a file brings along: its own zone ids, with or without positions, and polygons.

Knows parsed tables and GeoJSON; opens no file.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import ibis.expr.datatypes as dt
import ibis.expr.types as ir
import numpy as np
import pyarrow as pa
import shapely
import shapely.geometry

from privlab.checks import DataError
from privlab.datasets.geographer import database_function
from privlab.datasets.ids import TEXT
from privlab.datasets.zone_maps import Floats, Ring, ZoneMap

_ID_PROPERTIES = ("zone", "zone_id", "id", "code", "name")
_UNKNOWN = (float("nan"), float("nan"))


@dataclass(frozen=True, kw_only=True)
class ColumnZoning:
    """The file's own zone ids; `geography`, where given, says where they lie."""

    geography: "Geography | None" = None

    places = ("zone",)
    outside = None
    spec = "column"

    def zone_from_place(self, first: ir.Value, second: ir.Value | None) -> ir.Value:
        """Return the ids as they are."""
        return first

    def public_zones(self) -> list[Any] | None:
        """Return the zones of the geography, or None without one."""
        return None if self.geography is None else self.geography.zones

    def zone_map(self, zones: Sequence[Any]) -> ZoneMap:
        """Return the geography's centres, outlines and names; NaN where it knows nothing."""
        return zone_map_from_geography(self.geography or Geography(zones=[]), zones)


@dataclass(frozen=True, kw_only=True)
class Geography:
    """Positions, names and outlines of zones by id."""

    zones: list[Any]
    centres: Mapping[Any, tuple[float, float]] = field(default_factory=dict)  # latitude, longitude
    names: Mapping[Any, str] = field(default_factory=dict)
    shapes: Mapping[Any, shapely.Geometry] = field(default_factory=dict)


def geography_of_kind(geography: Geography, kind: str) -> Geography:
    """Return a geography with ids of one kind, "number" or "text", as the data's are read.

    Raises DataError if numbers are wanted and an id is none.
    """

    def of_kind(zone: Any) -> Any:
        if kind == TEXT:
            return str(zone)
        if isinstance(zone, str) and re.fullmatch(r"0|-?[1-9]\d{0,17}", zone):
            return int(zone)
        if isinstance(zone, int):
            return zone
        raise DataError(f"The zone file has the id {zone!r}, which is no whole number. Read ids as text.")

    return Geography(
        zones=sorted(of_kind(zone) for zone in geography.zones),
        centres={of_kind(zone): place for zone, place in geography.centres.items()},
        names={of_kind(zone): name for zone, name in geography.names.items()},
        shapes={of_kind(zone): shape for zone, shape in geography.shapes.items()},
    )


@dataclass(frozen=True, kw_only=True)
class PolygonZoning:
    """Polygons; a place on a shared border belongs to the first of them in ascending id."""

    geography: Geography
    spec: str

    places = ("latlon",)

    def zone_from_place(self, first: ir.Value, second: ir.Value | None) -> ir.Value:
        """Return the id of the polygon that holds a latitude and longitude; NULL outside all."""
        kind = dt.string if isinstance(self.geography.zones[0], str) else dt.int64
        return database_function(self.outside, f"polygons_{id(self)}", kind)(first, second)

    @cached_property
    def _tree(self) -> shapely.STRtree:
        return shapely.STRtree([self.geography.shapes[zone] for zone in self.geography.zones])

    def outside(self, lat: Floats, lon: Floats) -> pa.Array:
        """Return the ids of the polygons that hold a block of latitudes and longitudes."""
        nowhere = len(self.geography.zones)
        position = np.full(lat.size, nowhere)
        point, shape = self._tree.query(shapely.points(lon, lat), predicate="intersects")
        np.minimum.at(position, point, shape)
        return pa.array(self.geography.zones).take(pa.array(position, mask=position == nowhere))

    def public_zones(self) -> list[Any]:
        """Return the ids of all polygons."""
        return self.geography.zones

    def zone_map(self, zones: Sequence[Any]) -> ZoneMap:
        """Return centres, outlines and names of the given polygons."""
        return zone_map_from_geography(self.geography, zones)


def zone_map_from_geography(geography: Geography, zones: Sequence[Any]) -> ZoneMap:
    """Return what a geography knows of the given zones: NaN, None and the id itself where nothing."""
    centres = np.array([geography.centres.get(zone, _UNKNOWN) for zone in zones]).reshape(-1, 2)
    return ZoneMap(
        zones=np.asarray(zones),
        lat=centres[:, 0],
        lon=centres[:, 1],
        outlines=tuple(_rings(geography.shapes.get(zone)) for zone in zones),
        names=tuple(str(geography.names.get(zone, zone)) for zone in zones),
    )


def geography_from_geojson(document: Any, source: str) -> Geography:
    """Return the polygons of a parsed GeoJSON FeatureCollection, ids from zone, zone_id, id, code or name.

    Raises DataError, naming `source`, if it is no collection of polygons with distinct ids.
    """
    features = document.get("features") if isinstance(document, dict) else None
    if not isinstance(features, list) or not features:
        raise DataError(f"{source} is not a GeoJSON FeatureCollection with at least one polygon.")
    shapes: dict[Any, shapely.Geometry] = {}
    names: dict[Any, str] = {}
    for number, feature in enumerate(features, start=1):
        shape = _polygon(feature, number, source)
        zone, names_of = _identity(feature, number, source)
        if zone in shapes:
            raise DataError(
                f"{source} has two polygons with the id {zone!r} (feature {number}); give each its own."
            )
        shapes[zone] = shape
        names[zone] = names_of
    if len({isinstance(zone, str) for zone in shapes}) > 1:
        raise DataError(f"{source} mixes numbers and text as polygon ids; use one kind.")
    points = {zone: shape.representative_point() for zone, shape in shapes.items()}
    return Geography(
        zones=sorted(shapes),
        centres={zone: (point.y, point.x) for zone, point in points.items()},
        names=names,
        shapes=shapes,
    )


def _identity(feature: Any, number: int, source: str) -> tuple[int | str, str]:
    """Return the id and the name of a feature; without an id, its place in the file counted from 0."""
    properties = feature.get("properties") or {}
    if not isinstance(properties, dict):
        raise DataError(f"{source}: the properties of feature {number} are no table of names and values.")
    own = properties | ({"id": feature["id"]} if "id" in feature and "id" not in properties else {})
    zone = next((own[key] for key in _ID_PROPERTIES if key in own), number - 1)
    if isinstance(zone, float) and zone.is_integer():
        zone = int(zone)
    if (
        not isinstance(zone, int | str)
        or isinstance(zone, bool)
        or (isinstance(zone, int) and abs(zone) >= 2**63)
    ):
        raise DataError(f"{source}: the id of feature {number} must be a whole number or text, got {zone!r}.")
    return zone, str(properties.get("name", zone))


def _polygon(feature: Any, number: int, source: str) -> shapely.Geometry:
    try:
        shape = shapely.geometry.shape(feature["geometry"])
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, shapely.errors.ShapelyError):
        raise DataError(f"{source}: feature {number} has no readable geometry.") from None
    if shape.geom_type not in ("Polygon", "MultiPolygon") or shape.is_empty:
        raise DataError(f"{source}: feature {number} is a {shape.geom_type}, not a polygon.")
    west, south, east, north = shape.bounds
    if not (-180 <= west <= east <= 180 and -90 <= south <= north <= 90):
        raise DataError(
            f"{source}: feature {number} lies outside degrees; GeoJSON needs WGS 84 longitude, latitude."
        )
    return shape if shape.is_valid else shapely.make_valid(shape)


def _rings(shape: shapely.Geometry | None) -> list[Ring] | None:
    if shape is None:
        return None
    parts = [part for part in shapely.get_parts(shape) if part.geom_type == "Polygon"]
    return [[(x, y) for x, y in part.exterior.coords] for part in parts]
