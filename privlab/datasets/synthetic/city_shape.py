"""The invented city itself: outline, river, bridges, 100 zones, their people and jobs.

Everything follows from the seed and nothing from the number of users. Lengths are kilometres in a
plane whose origin is the city centre; only the GeoJSON builders know latitude and longitude.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from privlab import seeds
from privlab.datasets.synthetic.draws import FloatArray, IntArray

N_ZONES = 100
CENTRE_LAT, CENTRE_LON = 45.0, -30.0  # open Atlantic: nobody can take it for a real place
KM_PER_DEGREE = 111.195
RIVER_WIDTH_KM = 0.28
BRIDGE_COST_KM = 1.6  # what a crossing costs on top of the way to the bridge and from it
_BRIDGES_X_KM = np.array([-6.2, -2.1, 0.4, 3.4, 7.0])
_FIRST = "Alder Amber Birch Bram Calder Cedar Dun Elder Fern Hazel Heron Larch Linden Marl Oster Quill Rowan"
_LAST = "brook croft dale field ford gate hurst mead moor stead stow thorpe wick wood worth"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CityShape:
    """The city as arrays over its zones.

    Attributes: `polygons` (one array of shape (points, 2) per zone, km), `centres` (zones, 2), `population`
    and `jobs` (shares of all, zones), `distance_km` (zones, zones; the way leads over a bridge where the
    river lies between), `river` (points, 2), `names`.
    """

    polygons: tuple[FloatArray, ...]
    centres: FloatArray
    population: FloatArray
    jobs: FloatArray
    distance_km: FloatArray
    river: FloatArray
    names: tuple[str, ...]


@lru_cache(maxsize=4)
def city_shape(seed: int) -> CityShape:
    """Return the city of this seed."""
    rng = seeds.generator(seed, "city shape")
    outline = _outline(rng)
    phase = rng.uniform(-0.4, 0.4)
    banks = {side: _bank_side(outline, phase, side) for side in (1, -1)}
    n_north = round(N_ZONES * _centroid(banks[1])[1] / sum(_centroid(bank)[1] for bank in banks.values()))
    n_of = {1: n_north, -1: N_ZONES - n_north}
    polygons = [cell for side in (1, -1) for cell in _cells(rng, banks[side], n_of[side], phase, side)]
    sides = np.repeat([1, -1], [n_north, N_ZONES - n_north])
    centres = np.array([_centroid(p)[0] for p in polygons])
    areas = np.array([_centroid(p)[1] for p in polygons])
    order = np.argsort(np.hypot(*centres.T))
    polygons, centres, areas, sides = [polygons[i] for i in order], centres[order], areas[order], sides[order]
    radius = np.hypot(*centres.T)
    population = areas * np.exp(-radius / 4.8) * rng.lognormal(0, 0.35, N_ZONES)
    jobs = areas * (np.exp(-radius / 1.9) + 0.05 * rng.lognormal(0, 1.1, N_ZONES))
    return CityShape(
        polygons=tuple(polygons),
        centres=centres,
        population=population / population.sum(),
        jobs=jobs / jobs.sum(),
        distance_km=_distance_km(centres, sides, phase),
        river=_river(outline, phase),
        names=_names(rng),
    )


def city_zones(seed: int = 1) -> dict[str, Any]:
    """Return the zones as a GeoJSON FeatureCollection with properties `zone` and `name`."""
    shape = city_shape(seed)
    pairs = zip(shape.polygons, shape.names, strict=True)
    features = [_feature(p, {"zone": zone, "name": name}) for zone, (p, name) in enumerate(pairs)]
    return {"type": "FeatureCollection", "features": features}


def city_river(seed: int = 1) -> dict[str, Any]:
    """Return the river as a GeoJSON FeatureCollection of one polygon."""
    return {
        "type": "FeatureCollection",
        "features": [_feature(city_shape(seed).river, {"name": "River Osk"})],
    }


def city_zone_table(seed: int = 1) -> pa.Table:
    """Return the zones as a table: zone, name, lat, lon of the centre."""
    shape = city_shape(seed)
    degrees = np.round(degrees_from_km(shape.centres), 5)
    zones = pa.array(range(N_ZONES), pa.int32())
    return pa.table({"zone": zones, "name": list(shape.names), "lat": degrees[:, 1], "lon": degrees[:, 0]})


def degrees_from_km(points: FloatArray) -> FloatArray:
    """Return (longitude, latitude) of points (x east, y north) in km from the city centre."""
    lon = CENTRE_LON + points[:, 0] / (KM_PER_DEGREE * np.cos(np.radians(CENTRE_LAT)))
    return np.column_stack([lon, CENTRE_LAT + points[:, 1] / KM_PER_DEGREE])


def _feature(polygon: FloatArray, properties: dict[str, Any]) -> dict[str, Any]:
    ring = np.round(degrees_from_km(polygon), 5).tolist()
    geometry = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def _outline(rng: np.random.Generator) -> FloatArray:
    angle = np.linspace(0, 2 * np.pi, 300, endpoint=False)
    radius = np.full(angle.shape, 0.97)
    for n_waves in (2, 3, 5, 8):
        radius += rng.uniform(0.01, 0.035) * np.sin(n_waves * angle + rng.uniform(0, 2 * np.pi))
    outline: FloatArray = np.column_stack([10 * np.cos(angle), 8 * np.sin(angle)]) * radius[:, None]
    return outline


def _river_y(x: FloatArray, phase: float) -> FloatArray:
    bends: FloatArray = -1.3 + 1.1 * np.sin(x / 2.9 + phase) + 0.08 * x
    return bends


def _bank_side(outline: FloatArray, phase: float, side: int) -> FloatArray:
    """Return the part of the city on one side of the river, counter-clockwise."""
    above = side * (outline[:, 1] - _river_y(outline[:, 0], phase)) > RIVER_WIDTH_KM / 2
    # Roll so that the outline's points on this side are one piece.
    start = int(np.flatnonzero(above & ~np.roll(above, 1))[0])
    arc = np.roll(outline, -start, axis=0)[: int(above.sum())]
    x = np.linspace(arc[-1, 0], arc[0, 0], 120)[1:-1]
    return np.vstack([arc, np.column_stack([x, _river_y(x, phase) + side * RIVER_WIDTH_KM / 2])])


def _river(outline: FloatArray, phase: float) -> FloatArray:
    north, south = (_bank_side(outline, phase, side)[-118:] for side in (1, -1))
    return np.vstack([north, south])[::-1]


def _cells(
    rng: np.random.Generator, bank: FloatArray, n_cells: int, phase: float, side: int
) -> list[FloatArray]:
    """Return `n_cells` Voronoi cells of one bank, smaller near the centre."""
    points = rng.normal(0, (4.0, 3.4), (40 * n_cells, 2))
    within = np.hypot(points[:, 0] / 9.2, points[:, 1] / 7.3) < 1
    points = points[within & (side * (points[:, 1] - _river_y(points[:, 0], phase)) > 0.3)][:n_cells]
    for _ in range(2):  # two Lloyd steps take the slivers out and leave the cells irregular
        points = np.array([_centroid(_cell(bank, points, i))[0] for i in range(n_cells)])
    return [_cell(bank, points, i) for i in range(n_cells)]


def _cell(bank: FloatArray, points: FloatArray, i: int) -> FloatArray:
    """Return the part of `bank` nearer to point `i` than to any other point."""
    cell = bank
    for j in np.argsort(np.linalg.norm(points - points[i], axis=1))[1:30]:
        cell = _clip(cell, (points[i] + points[j]) / 2, points[j] - points[i])
    return cell


def _clip(polygon: FloatArray, point: FloatArray, normal: FloatArray) -> FloatArray:
    """Return the part of `polygon` where (x − point)·normal ≤ 0 (Sutherland–Hodgman, one edge)."""
    depth = (polygon - point) @ normal
    inside = depth <= 0
    if inside.all():
        return polygon
    after, depth_after = np.roll(polygon, -1, axis=0), np.roll(depth, -1)
    crosses = inside != np.roll(inside, -1)
    share = np.where(crosses, depth / np.where(crosses, depth - depth_after, 1.0), 0.0)
    both = np.stack([polygon, polygon + share[:, None] * (after - polygon)], axis=1)
    clipped: FloatArray = both[np.column_stack([inside, crosses])]
    return clipped


def _centroid(polygon: FloatArray) -> tuple[FloatArray, float]:
    """Return centroid and area of a counter-clockwise polygon (shoelace formula)."""
    after = np.roll(polygon, -1, axis=0)
    cross = polygon[:, 0] * after[:, 1] - after[:, 0] * polygon[:, 1]
    area = float(cross.sum()) / 2
    return ((polygon + after) * cross[:, None]).sum(axis=0) / (6 * area), area


def _distance_km(centres: FloatArray, sides: IntArray, phase: float) -> FloatArray:
    bridges = np.column_stack([_BRIDGES_X_KM, _river_y(_BRIDGES_X_KM, phase)])
    straight = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    to_bridge = np.linalg.norm(centres[:, None] - bridges[None], axis=2)
    over = (to_bridge[:, None] + to_bridge[None]).min(axis=2) + BRIDGE_COST_KM
    way: FloatArray = np.where(sides[:, None] == sides[None], straight, over)
    return way


def _names(rng: np.random.Generator) -> tuple[str, ...]:
    every = [first + last for first in _FIRST.split() for last in _LAST.split()]
    return tuple(every[i] for i in rng.permutation(len(every))[:N_ZONES])
