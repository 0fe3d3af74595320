"""Zones a file brings along: its own zone ids, with or without positions, and polygons.

Knows how rows find their zones; what a zone file may look like is in polygons and zone_readers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ibis.expr.datatypes as dt
import ibis.expr.types as ir
import numpy as np
import pyarrow as pa
import shapely

from privlab.datasets.zone_files.geography import Geography
from privlab.datasets.zones.geographer import database_function
from privlab.datasets.zones.zone_maps import Floats, Ring, ZoneMap

_UNKNOWN = (float("nan"), float("nan"))
_PAIRS_AT_ONCE = 4_000_000  # places × polygons, at the most


@dataclass(frozen=True, kw_only=True)
class ColumnZoning:
    """The file's own zone ids; `geography`, where given, says where they lie.

    With `as_text` the ids of a file that are all whole numbers are taken as the texts they were written as.
    """

    geography: Geography | None = None
    as_text: bool = False

    places = ("zone",)
    outside = None
    spec = "column"

    def zone_from_place(self, first: ir.Value, second: ir.Value | None) -> ir.Value:
        """Return the ids as they are, or as texts."""
        return first.cast(dt.string) if self.as_text else first

    def public_zones(self) -> list[Any] | None:
        """Return the zones of the geography, or None without one."""
        return None if self.geography is None else self.geography.zones

    def zone_map(self, zones: Sequence[Any]) -> ZoneMap:
        """Return the geography's centres, outlines and names; NaN where it knows nothing."""
        return zone_map_from_geography(self.geography or Geography(zones=[]), zones)


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
        zones = self.geography.zones
        shapes = np.array([self.geography.shapes[zone] for zone in zones])
        shapely.prepare(shapes)  # which is lost on the way to a cluster, and costs nothing a second time
        position = np.full(lat.size, len(zones))
        at_once = max(1, _PAIRS_AT_ONCE // len(zones))
        for first in range(0, lat.size, at_once):
            part = slice(first, first + at_once)
            point, shape = self._tree.query(shapely.points(lon[part], lat[part]))
            point = point + first
            inside = shapely.intersects_xy(shapes[shape], lon[point], lat[point])
            np.minimum.at(position, point[inside], shape[inside])
        return pa.array(zones).take(pa.array(position, mask=position == len(zones)))

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


def _rings(shape: shapely.Geometry | None) -> list[Ring] | None:
    if shape is None:
        return None
    parts = [part for part in shapely.get_parts(shape) if part.geom_type == "Polygon"]
    return [[(x, y) for x, y in part.exterior.coords] for part in parts]
