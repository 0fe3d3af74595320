"""Zones of a regular shape: a box cut into rows and columns, a square grid, H3 hexagons.

Each says as a database expression in which zone a place lies, and where its zones are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import h3
import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir
import numpy as np
import pyarrow as pa
import pyproj

from privlab.checks import ParameterError, require_between, require_whole
from privlab.datasets.zones.geographer import NOWHERE, database_function, integer_zones
from privlab.datasets.zones.zone_maps import Floats, ZoneMap
from privlab.limits import MAX_BOX_ZONES, MAX_CELL_M, MIN_CELL_M

_GRID_HALF = 2_000_000  # grid rows and columns counted from the centre stay below this
_GRID_SPAN = 2 * _GRID_HALF


def _exact(value: float) -> ir.Value:
    # Through text: a plain literal would become a decimal and could lose the last bit.
    return ibis.literal(repr(float(value))).cast("float64")


def _stripe(place: ir.Value, low: float, high: float, n_stripes: int) -> ir.Value:
    """Return min(floor((place − low)/(high − low)·n), n − 1), the floor of a float64; NULL outside."""
    stripe = ((place - _exact(low)) / _exact(high - low) * _exact(n_stripes)).floor().cast("int32")
    inside = (place >= _exact(low)) & (place <= _exact(high))
    return ibis.ifelse(inside, ibis.least(stripe, ibis.literal(n_stripes - 1, "int32")), ibis.null("int32"))


def stripe_of_lines(
    place: ir.Value, low: float, high: float, step: float, first: int, n_stripes: int
) -> ir.Value:
    """Return min(max(floor(place/step) − first, 0), n − 1), the floor of a float64; NULL outside [low, high]."""
    stripe = ((place / _exact(step)).floor() - _exact(first)).cast("int32")
    inside = (place >= _exact(low)) & (place <= _exact(high))
    held = ibis.greatest(ibis.least(stripe, ibis.literal(n_stripes - 1, "int32")), ibis.literal(0, "int32"))
    return ibis.ifelse(inside, held, ibis.null("int32"))


@dataclass(frozen=True, kw_only=True)
class BoxZoning:
    """A latitude/longitude box cut into rows (from the south) × columns (from the west).

    zone = row·n_columns + column; the northern and eastern edges belong to the last row and column.
    """

    south: float
    west: float
    north: float
    east: float
    n_rows: int
    n_columns: int

    def __post_init__(self) -> None:
        """Check that the box lies on Earth and has an inside."""
        for name in ("south", "north"):
            require_between(name, getattr(self, name), -90, 90)
        for name in ("west", "east"):
            require_between(name, getattr(self, name), -180, 180)
        if not (self.south < self.north and self.west < self.east):
            raise ParameterError(
                "box must run from south-west to north-east: box:S,W,N,E:RxC with S<N and W<E."
            )
        require_whole("rows", self.n_rows, 1, MAX_BOX_ZONES)
        require_whole("columns", self.n_columns, 1, MAX_BOX_ZONES)
        require_whole("rows × columns", self.n_rows * self.n_columns, 1, MAX_BOX_ZONES)

    places = ("latlon",)
    outside = None

    @property
    def spec(self) -> str:
        """Return `box:S,W,N,E:RxC`."""
        return f"box:{self.south!r},{self.west!r},{self.north!r},{self.east!r}:{self.n_rows}x{self.n_columns}"

    def zone_from_place(self, first: ir.Value, second: ir.Value | None) -> ir.Value:
        """Return the zone of latitude and longitude columns; NULL outside the box."""
        row = _stripe(first, self.south, self.north, self.n_rows)
        column = _stripe(second, self.west, self.east, self.n_columns)
        return row.cast("int64") * self.n_columns + column

    def public_zones(self) -> list[int]:
        """Return 0 … rows·columns − 1."""
        return list(range(self.n_rows * self.n_columns))

    def zone_map(self, zones: Sequence[Any]) -> ZoneMap:
        """Return centres and rectangles."""
        row, column = np.divmod(np.asarray(zones, dtype=np.int64), self.n_columns)
        height = (self.north - self.south) / self.n_rows
        width = (self.east - self.west) / self.n_columns
        south, west = self.south + row * height, self.west + column * width
        corners = np.stack([south, west, south + height, west + width], axis=1)
        return ZoneMap(
            zones=np.asarray(zones),
            lat=south + height / 2,
            lon=west + width / 2,
            outlines=tuple([[(w, s), (e, s), (e, n), (w, n), (w, s)]] for s, w, n, e in corners.tolist()),
            names=tuple(
                f"zone {zone} (row {r}, column {c})" for zone, r, c in zip(zones, row, column, strict=True)
            ),
        )


def _equal_area(lat: float, lon: float) -> pyproj.Transformer:
    """Return the Lambert azimuthal equal-area projection around a place, from longitude and latitude to metres."""
    return pyproj.Transformer.from_crs(
        "EPSG:4326", f"+proj=laea +lat_0={lat} +lon_0={lon} +datum=WGS84 +units=m", always_xy=True
    )


@cache
def _around_zero() -> pyproj.Transformer:
    """Return the same around 0° N 0° E."""
    return _equal_area(0.0, 0.0)


def degrees_from_metres(east: Floats, north: Floats) -> tuple[Floats, Floats]:
    """Return longitude and latitude, around 0° N 0° E, at which metres from a middle are drawn; NaN beyond half the earth.

    >>> lon, lat = degrees_from_metres(np.array([10_000.0]), np.array([-10_000.0]))
    >>> np.round([lon, lat], 4).tolist()
    [[0.0898], [-0.0904]]
    """
    lon, lat = _around_zero().transform(east, north, direction="INVERSE", errcheck=False)
    there = np.isfinite(lon) & np.isfinite(lat)
    return np.where(there, lon, np.nan), np.where(there, lat, np.nan)


@dataclass(frozen=True, kw_only=True)
class GridZoning:
    """Squares of `cell_m` metres in the Lambert azimuthal equal-area projection around a centre.

    Without a centre the places already are metres (x east, y north); `middle` is then what maps show at 0° N 0° E. The zone id is
    row·4,000,000 + column, both counted from the centre and shifted to be positive.
    """

    cell_m: float
    centre: tuple[float, float] | None  # latitude, longitude
    middle: tuple[float, float] = (0.0, 0.0)  # x, y in metres

    def __post_init__(self) -> None:
        """Check the side of the squares."""
        require_between("grid cell (metres)", self.cell_m, MIN_CELL_M, MAX_CELL_M)

    @property
    def places(self) -> tuple[str, ...]:
        """Return what the centre allows: degrees with one, metres without."""
        return ("xy",) if self.centre is None else ("latlon",)

    @property
    def spec(self) -> str:
        """Return `grid:METRES`."""
        return f"grid:{float(self.cell_m)!r}".removesuffix(".0")

    @cached_property
    def _projection(self) -> pyproj.Transformer:
        assert self.centre is not None
        return _equal_area(*self.centre)

    def zone_from_place(self, first: ir.Value, second: ir.Value | None) -> ir.Value:
        """Return the zone of (lat, lon) columns, or of (x, y) columns in metres without a centre."""

        return database_function(self.outside, f"{self.spec}:{self.centre}", dt.int64)(first, second)

    def outside(self, a: Floats, b: Floats) -> pa.Array:
        """Return the zones of a block of latitudes and longitudes, or of x and y in metres."""
        x, y = (a, b) if self.centre is None else self._projection.transform(b, a)
        row = np.floor(np.asarray(y) / self.cell_m) + _GRID_HALF
        column = np.floor(np.asarray(x) / self.cell_m) + _GRID_HALF
        inside = (row >= 0) & (row < _GRID_SPAN) & (column >= 0) & (column < _GRID_SPAN)
        zones = np.where(inside, row, 0) * _GRID_SPAN + np.where(inside, column, 0)
        return integer_zones(np.where(inside, zones, NOWHERE).astype(np.int64))

    def _degrees(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Return longitude and latitude of positions in the grid's metres."""
        if self.centre is None:
            return degrees_from_metres(x - self.middle[0], y - self.middle[1])
        lon, lat = self._projection.transform(x, y, direction="INVERSE")
        return np.asarray(lon), np.asarray(lat)

    def public_zones(self) -> None:
        """Return None: a grid has no end."""
        return None

    def zone_map(self, zones: Sequence[Any]) -> ZoneMap:
        """Return centres and squares; the middle of places given in metres is drawn at 0° N 0° E."""
        row, column = np.divmod(np.asarray(zones, dtype=np.int64), _GRID_SPAN)
        x, y = (column - _GRID_HALF) * self.cell_m, (row - _GRID_HALF) * self.cell_m
        offsets = ((0.5, 0.5), (0, 0), (1, 0), (1, 1), (0, 1), (0, 0))
        places = [self._degrees(x + dx * self.cell_m, y + dy * self.cell_m) for dx, dy in offsets]
        rings = np.stack([np.stack(place, axis=1) for place in places[1:]], axis=1).tolist()
        lon, lat = places[0]
        return ZoneMap(
            zones=np.asarray(zones),
            lat=np.asarray(lat),
            lon=np.asarray(lon),
            outlines=tuple([[tuple(corner) for corner in ring]] for ring in rings),
            names=tuple(
                f"{a / 1000:.4g} km east, {b / 1000:.4g} km north" for a, b in zip(x, y, strict=True)
            ),
            on_earth=self.centre is not None,
        )


@dataclass(frozen=True, kw_only=True)
class H3Zoning:
    """Hexagons of the H3 index at one resolution (0 to 15); the zone id is the H3 cell as text."""

    resolution: int

    def __post_init__(self) -> None:
        """Check the resolution."""
        require_whole("H3 resolution", self.resolution, 0, 15)

    places = ("latlon",)

    @property
    def spec(self) -> str:
        """Return `h3:RESOLUTION`."""
        return f"h3:{self.resolution}"

    def zone_from_place(self, first: ir.Value, second: ir.Value | None) -> ir.Value:
        """Return the H3 cell of latitude and longitude columns."""

        return database_function(self.outside, self.spec, dt.string)(first, second)

    def outside(self, lat: Floats, lon: Floats) -> pa.Array:
        """Return the H3 cells of a block of latitudes and longitudes."""
        pairs = zip(lat.tolist(), lon.tolist(), strict=True)
        known = np.isfinite(lat) & np.isfinite(lon)
        cells = [
            h3.latlng_to_cell(a, b, self.resolution) if here else None
            for (a, b), here in zip(pairs, known.tolist(), strict=True)
        ]
        return pa.array(cells, pa.string())

    def public_zones(self) -> None:
        """Return None: only the data tells which hexagons matter."""
        return None

    def zone_map(self, zones: Sequence[Any]) -> ZoneMap:
        """Return centres and hexagons."""
        centres = np.array([h3.cell_to_latlng(zone) for zone in zones]).reshape(-1, 2)
        rings = ([(lon, lat) for lat, lon in h3.cell_to_boundary(zone)] for zone in zones)
        return ZoneMap(
            zones=np.asarray(zones),
            lat=centres[:, 0],
            lon=centres[:, 1],
            outlines=tuple([[*ring, ring[0]]] for ring in rings),
            names=tuple(str(zone) for zone in zones),
        )
