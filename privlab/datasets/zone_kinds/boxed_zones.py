"""Zones that are known without the data: a grid of fixed lines, or hexagons, over a box that someone named.

The lines of the grid are multiples of its side from the equator and from Greenwich: no row of the data moves them.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import h3
import ibis.expr.datatypes as dt
import ibis.expr.types as ir
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from privlab.checks import ParameterError, require_between, require_whole
from privlab.datasets.cleaning.earth import EARTH_RADIUS_M
from privlab.datasets.zone_kinds.regular_zones import H3Zoning, degrees_from_metres, stripe_of_lines
from privlab.datasets.zones.geographer import database_function
from privlab.datasets.zones.zone_maps import Floats, ZoneMap
from privlab.limits import MAX_BOX_ZONES, MAX_CELL_M, MIN_CELL_M

Ints = npt.NDArray[np.int64]
M_PER_DEGREE = EARTH_RADIUS_M * math.pi / 180
_STEEPEST = 85  # beyond this latitude squares stay as narrow as there
_MOST_M = 1e8  # of a coordinate in metres
_CORNERS = ("south", "west", "north", "east")


@dataclass(frozen=True, kw_only=True)
class BoxedGridZoning:
    """About square zones of `cell_m` metres over a box in degrees, or in metres (x east, y north) with `in_metres`.

    A row is `cell_m` of a meridian high. A column is `cell_m` wide at the whole degree of latitude nearest to the
    box's middle. Rows count from the equator, columns from Greenwich; zone = row·n_columns + column, from the
    south-west corner of the box. Zones at the edge end with the box; its northern and eastern edges belong to it.
    """

    cell_m: float
    south: float
    west: float
    north: float
    east: float
    in_metres: bool = False

    def __post_init__(self) -> None:
        """Check the side, the box, and that there are not too many zones."""
        require_between("grid cell (metres)", self.cell_m, MIN_CELL_M, MAX_CELL_M)
        _require_box(self.box, _MOST_M if self.in_metres else None)
        require_whole("zones of the grid", self.n_rows * self.n_columns, 1, MAX_BOX_ZONES)

    outside = None

    @property
    def places(self) -> tuple[str, ...]:
        """Return the kind of place that is divided: degrees or metres."""
        return ("xy",) if self.in_metres else ("latlon",)

    @property
    def box(self) -> tuple[float, float, float, float]:
        """South, west, north and east."""
        return self.south, self.west, self.north, self.east

    @property
    def spec(self) -> str:
        """Return `grid:METRES:S,W,N,E`."""
        return f"grid:{_number(self.cell_m)}:{box_in_spec(self.box)}"

    @cached_property
    def _steps(self) -> tuple[float, float]:
        """How far apart rows and columns are."""
        if self.in_metres:
            return float(self.cell_m), float(self.cell_m)
        middle = min(abs(round((self.south + self.north) / 2)), _STEEPEST)
        high = self.cell_m / M_PER_DEGREE
        return high, high / math.cos(math.radians(middle))

    @property
    def _first(self) -> tuple[int, int]:
        return math.floor(self.south / self._steps[0]), math.floor(self.west / self._steps[1])

    @property
    def n_rows(self) -> int:
        """Rows that the box touches."""
        return max(math.ceil(self.north / self._steps[0]) - self._first[0], 1)

    @property
    def n_columns(self) -> int:
        """Columns that the box touches."""
        return max(math.ceil(self.east / self._steps[1]) - self._first[1], 1)

    def zone_from_place(self, first: ir.Value, second: ir.Value | None) -> ir.Value:
        """Return the zone of (lat, lon), or of (x, y) in metres; NULL outside the box."""
        lat, lon = (second, first) if self.in_metres else (first, second)
        (high, wide), (low, left) = self._steps, self._first
        row = stripe_of_lines(lat, self.south, self.north, high, low, self.n_rows)
        column = stripe_of_lines(lon, self.west, self.east, wide, left, self.n_columns)
        return row.cast("int64") * self.n_columns + column

    def zones_at(self, lat: Floats, lon: Floats) -> list[int | None]:
        """Return the zones of some places in degrees, as `zone_from_place` gives them in the database."""
        (high, wide), (low, left) = self._steps, self._first
        inside = (lat >= self.south) & (lat <= self.north) & (lon >= self.west) & (lon <= self.east)
        row, column = (
            np.clip(np.floor(np.where(inside, at, 0.0) / step) - first, 0, n - 1).astype(np.int64)
            for at, step, first, n in ((lat, high, low, self.n_rows), (lon, wide, left, self.n_columns))
        )
        zones = (row * self.n_columns + column).tolist()
        return [zone if here else None for zone, here in zip(zones, inside.tolist(), strict=True)]

    def public_zones(self) -> list[int]:
        """Return 0 … rows·columns − 1."""
        return list(range(self.n_rows * self.n_columns))

    def zone_map(self, zones: Sequence[Any]) -> ZoneMap:
        """Return centres and outlines of what lies in the box; the middle of a box in metres is drawn at 0° N 0° E."""
        row, column = np.divmod(np.asarray(zones, dtype=np.int64), self.n_columns)
        south, west, north, east = self.edges(zones)
        corners = [(west, south), (east, south), (east, north), (west, north), (west, south)]
        rings = np.stack([np.stack(self._degrees(*corner), axis=1) for corner in corners], axis=1).tolist()
        lon, lat = self._degrees(*self.middles(zones))
        return ZoneMap(
            zones=np.asarray(zones),
            lat=lat,
            lon=lon,
            outlines=tuple([[tuple(corner) for corner in ring]] for ring in rings),
            names=tuple(
                f"zone {zone} (row {r}, column {c})" for zone, r, c in zip(zones, row, column, strict=True)
            ),
            on_earth=not self.in_metres,
        )

    def middles(self, zones: Sequence[Any]) -> tuple[Floats, Floats]:
        """Return the middles of zones on the grid's own axes: x and y in metres, or longitude and latitude."""
        south, west, north, east = self.edges(zones)
        return (west + east) / 2, (south + north) / 2

    def edges(self, zones: Sequence[Any]) -> tuple[Floats, Floats, Floats, Floats]:
        """Return south, west, north and east of what of zones lies in the box, on the grid's own axes."""
        row, column = np.divmod(np.asarray(zones, dtype=np.int64), self.n_columns)
        (high, wide), (low, left) = self._steps, self._first
        south, north = (np.clip((row + low + at) * high, self.south, self.north) for at in (0, 1))
        west, east = (np.clip((column + left + at) * wide, self.west, self.east) for at in (0, 1))
        return south, west, north, east

    def _degrees(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Return longitude and latitude of positions on the grid's own axes."""
        if not self.in_metres:
            return x, y
        return degrees_from_metres(x - (self.west + self.east) / 2, y - (self.south + self.north) / 2)


@dataclass(frozen=True, kw_only=True)
class BoxedH3Zoning:
    """The H3 hexagons that a box in degrees touches; the zone id is the H3 cell as text. The rest is outside."""

    resolution: int
    south: float
    west: float
    north: float
    east: float

    def __post_init__(self) -> None:
        """Check the resolution, the box, and that there are not too many hexagons."""
        require_whole("H3 resolution", self.resolution, 0, 15)
        _require_box(self.box)
        if self.east - self.west >= 180:
            raise ParameterError(
                "box must be less than 180 degrees wide for hexagons; use grid or box zones."
            )
        size = h3.average_hexagon_area(self.resolution, "m^2")
        require_whole("hexagons in the box", math.ceil(_area_m2(self.box) / size), 1, MAX_BOX_ZONES)

    places = ("latlon",)

    @property
    def box(self) -> tuple[float, float, float, float]:
        """South, west, north and east."""
        return self.south, self.west, self.north, self.east

    @property
    def spec(self) -> str:
        """Return `h3:RESOLUTION:S,W,N,E`."""
        return f"h3:{self.resolution}:{box_in_spec(self.box)}"

    @cached_property
    def _zones(self) -> list[str]:
        south, west, north, east = self.box
        shape = h3.LatLngPoly([(south, west), (south, east), (north, east), (north, west)])
        found = h3.h3shape_to_cells_experimental(shape, self.resolution, "overlap")
        middle = h3.latlng_to_cell((south + north) / 2, (west + east) / 2, self.resolution)
        return sorted({*found, middle})

    def zone_from_place(self, first: ir.Value, second: ir.Value | None) -> ir.Value:
        """Return the H3 cell of latitude and longitude columns; NULL outside the box."""
        return database_function(self.outside, self.spec, dt.string)(first, second)

    def outside(self, lat: Floats, lon: Floats) -> pa.Array:
        """Return the H3 cells of a block of latitudes and longitudes, NULL outside the box."""
        south, west, north, east = self.box
        inside = (lat >= south) & (lat <= north) & (lon >= west) & (lon <= east)
        known = set(self._zones)
        cells = H3Zoning(resolution=self.resolution).outside(
            np.where(inside, lat, np.nan), np.where(inside, lon, np.nan)
        )
        return pa.array([cell if cell in known else None for cell in cells.to_pylist()], pa.string())

    def zones_at(self, lat: Floats, lon: Floats) -> list[str | None]:
        """Return the hexagons of some places, None outside the box."""
        found: list[str | None] = self.outside(lat, lon).to_pylist()
        return found

    def public_zones(self) -> list[str]:
        """Return the hexagons that the box touches."""
        return list(self._zones)

    def zone_map(self, zones: Sequence[Any]) -> ZoneMap:
        """Return centres and hexagons."""
        return H3Zoning(resolution=self.resolution).zone_map(zones)


def _require_box(box: tuple[float, float, float, float], most: float | None = None) -> None:
    for name, value, limit in zip(_CORNERS, box, (90, 180, 90, 180), strict=True):
        require_between(name, value, -(most or limit), most or limit)
    south, west, north, east = box
    if not (south < north and west < east):
        raise ParameterError(
            f"box must run from south-west to north-east, as S,W,N,E with S<N and W<E, got {box_in_spec(box)}."
        )


def _area_m2(box: tuple[float, float, float, float]) -> float:
    south, west, north, east = box
    bands = math.sin(math.radians(north)) - math.sin(math.radians(south))
    return EARTH_RADIUS_M**2 * bands * math.radians(east - west)


def box_in_spec(box: Iterable[float]) -> str:
    """Return the edges of a box as a spec has them, as exact as they are.

    >>> box_in_spec((-33.9, 151.20735, -33.0, 152))
    '-33.9,151.20735,-33,152'
    """
    return ",".join(_number(edge) for edge in box)


def _number(value: float) -> str:
    return f"{float(value)!r}".removesuffix(".0")
