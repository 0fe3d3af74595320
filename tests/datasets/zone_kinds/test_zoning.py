"""Places to zones against numpy, pyproj, h3 and shapely."""

import math
from concurrent.futures import ThreadPoolExecutor

import h3
import numpy as np
import pyproj
import pytest
import shapely
import shapely.geometry

from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning, PolygonZoning
from privlab.datasets.zone_kinds.regular_zones import BoxZoning, GridZoning, H3Zoning
from tests.datasets.zones.zones_by_hand import BOXES, HALF, geography, places, square, zones_of

by_box = pytest.mark.parametrize("box", BOXES, ids=lambda box: box.spec)


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=4) as opened:
        yield opened


def around(edges):
    edges = np.asarray(edges, dtype=float)
    return np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)])


# --- boxes -----------------------------------------------------------------------------------------


def box_by_formula(box, lat, lon):
    """docs/science.md, section 2.1, in numpy float64, in its order of operations."""
    row = np.minimum(np.floor((lat - box.south) / (box.north - box.south) * box.n_rows), box.n_rows - 1)
    column = np.minimum(np.floor((lon - box.west) / (box.east - box.west) * box.n_columns), box.n_columns - 1)
    inside = (lat >= box.south) & (lat <= box.north) & (lon >= box.west) & (lon <= box.east)
    return [int(r * box.n_columns + c) if ok else None for r, c, ok in zip(row, column, inside, strict=True)]


@by_box
def test_box_against_numpy(workspace, box):
    rng = np.random.default_rng(1)
    high, wide = box.north - box.south, box.east - box.west
    lat = rng.uniform(box.south - 0.1 * high, box.north + 0.1 * high, 20_000)
    lon = rng.uniform(box.west - 0.1 * wide, box.east + 0.1 * wide, 20_000)
    got = zones_of(workspace, box, lat, lon)
    assert got == box_by_formula(box, lat, lon)
    assert None in got


@by_box
def test_box_edges_against_numpy(workspace, box):
    """Every cut of the box and its two neighbours in float64: the last bit decides, and it must be ours."""
    lat = around(box.south + np.arange(min(box.n_rows, 60) + 1) * (box.north - box.south) / box.n_rows)
    lon = around(box.west + np.arange(min(box.n_columns, 60) + 1) * (box.east - box.west) / box.n_columns)
    lat, lon = (np.concatenate([cuts, around(ends)]) for cuts, ends in
                ((lat, [box.south, box.north]), (lon, [box.west, box.east])))  # fmt: skip
    lat, lon = (axis.ravel() for axis in np.meshgrid(lat, lon))
    assert zones_of(workspace, box, lat, lon) == box_by_formula(box, lat, lon)


def test_box_by_hand(workspace):
    box = BoxZoning(south=10.0, west=20.0, north=12.0, east=26.0, n_rows=2, n_columns=3)
    lat = [10.0, 12.0, 10.0, 12.0, 10.999, 11.0, 11.0, 9.999, 12.001, 11, 11, None]
    lon = [20.0, 26.0, 26.0, 20.0, 21.999, 22.0, 23.9, 23.0, 23.0, 19.999, 26.001, 21.0]
    expected = [0, 5, 2, 3, 0, 4, 4, None, None, None, None, None]
    assert zones_of(workspace, box, [None if v is None else float(v) for v in lat], lon) == expected


def test_box_nan_and_infinity_degenerate(workspace):
    bad = [math.nan, math.inf, -math.inf, 11.0, 11.0]
    box = BoxZoning(south=10.0, west=20.0, north=12.0, east=26.0, n_rows=2, n_columns=3)
    assert zones_of(workspace, box, bad, [21.0, 21.0, 21.0, math.nan, math.inf]) == [None] * 5


# --- grids -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 1000])
def test_places_far_from_a_tiny_box_against_numpy(workspace, n):
    """Outside, the stripes of a box of a nanodegree would not fit any whole number."""
    box = BoxZoning(south=1e-9, west=1e-9, north=2e-9, east=2e-9, n_rows=n, n_columns=n)
    lat, lon = map(
        np.array, ([90, -90, 1.5e-9, 1.5e-9, 1.5e-9, 2e-9], [180, 1.5e-9, -180, 180, 1.5e-9, 2e-9])
    )
    assert zones_of(workspace, box, lat, lon) == box_by_formula(box, lat, lon)
    assert zones_of(workspace, box, lat, lon)[:4] == [None] * 4


def grid_by_pyproj(cell_m, centre, lat, lon):
    crs = pyproj.CRS.from_proj4(
        f"+proj=laea +lat_0={centre[0]} +lon_0={centre[1]} +datum=WGS84 +units=m +type=crs"
    )
    x, y = pyproj.Transformer.from_crs("EPSG:4326", crs, always_xy=True).transform(lon, lat)
    row, column = np.floor(np.asarray(y) / cell_m) + HALF, np.floor(np.asarray(x) / cell_m) + HALF
    return [int(r) * 2 * HALF + int(c) for r, c in zip(row, column, strict=True)]


@pytest.mark.parametrize(
    ("cell_m", "centre"),
    [(1000.0, (48.86, 2.35)), (100.0, (-33.87, 151.21)), (250.5, (0.0, 0.0)), (50_000.0, (64.1, -21.9))],
)
def test_grid_against_pyproj(workspace, cell_m, centre):
    rng = np.random.default_rng(2)
    lat, lon = rng.normal(centre[0], 0.5, 20_000), rng.normal(centre[1], 0.5, 20_000)
    grid = GridZoning(cell_m=cell_m, centre=centre)
    assert zones_of(workspace, grid, lat, lon) == grid_by_pyproj(cell_m, centre, lat, lon)


def test_grid_in_metres_by_hand(workspace):
    grid = GridZoning(cell_m=100.0, centre=None)
    x = [0.0, 99.999, 100.0, -0.001, -100.0, 1e12, math.nan, math.inf]
    y = [0.0, 0.0, 250.0, -0.001, 0.0, 0.0, 0.0, 0.0]
    column_row = [(0, 0), (0, 0), (1, 2), (-1, -1), (-1, 0), None, None, None]
    expected = [None if cr is None else (cr[1] + HALF) * 2 * HALF + cr[0] + HALF for cr in column_row]
    assert zones_of(workspace, grid, x, y) == expected


def test_grids_of_nearly_the_same_size_keep_apart(workspace):
    """100,000.4 m and 100,000 m print alike in six digits: they must not share a function."""
    x = np.array([100_000.2, 1_000_001.0])
    fine, coarse = (GridZoning(cell_m=m, centre=None) for m in (100_000.0, 100_000.4))
    one = zones_of(workspace, fine, x, np.zeros(2))
    other = zones_of(workspace, coarse, x, np.zeros(2))
    assert [zone % (2 * HALF) - HALF for zone in one] == [1, 10]
    assert [zone % (2 * HALF) - HALF for zone in other] == [0, 9]


def test_grids_of_two_centres_in_one_query_keep_apart(workspace):
    lat, lon = np.array([48.5, 48.6]), np.array([2.5, 2.6])
    table = places(workspace, lat, lon)
    centres = (48.5, 2.5), (48.6, 2.6)
    grids = [GridZoning(cell_m=1000.0, centre=centre) for centre in centres]
    both = table.select(
        "i", **{f"z{n}": g.zone_from_place(table.lat, table.lon) for n, g in enumerate(grids)}
    )
    rows = both.order_by("i").to_pyarrow()
    for n, centre in enumerate(centres):
        assert rows[f"z{n}"].to_pylist() == grid_by_pyproj(1000.0, centre, lat, lon)


@pytest.mark.parametrize("threads", [1, 8])
def test_many_blocks_and_threads_do_not_crash_against_pyproj(threads):
    rng = np.random.default_rng(3)
    lat, lon = rng.normal(48.86, 0.3, 300_000), rng.normal(2.35, 0.3, 300_000)
    grid = GridZoning(cell_m=1000.0, centre=(48.86, 2.35))
    with Workspace(threads=threads) as opened:
        table = places(opened, lat, lon)
        for _ in range(3):
            zone = grid.zone_from_place(table.lat, table.lon)
            got = table.select("i", zone=zone).order_by("i").to_pyarrow()["zone"].to_numpy()
    assert np.array_equal(got, grid_by_pyproj(1000.0, (48.86, 2.35), lat, lon))


def test_workspaces_side_by_side_do_not_crash_against_pyproj():
    rng = np.random.default_rng(4)
    lat, lon = rng.normal(48.86, 0.3, 50_000), rng.normal(2.35, 0.3, 50_000)

    def run(cell_m):
        with Workspace(threads=2) as opened:
            return zones_of(opened, GridZoning(cell_m=cell_m, centre=(48.86, 2.35)), lat, lon)

    sizes = (500.0, 1000.0, 500.0, 2000.0)
    with ThreadPoolExecutor(4) as pool:
        for cell_m, got in zip(sizes, pool.map(run, sizes), strict=True):
            assert got == grid_by_pyproj(cell_m, (48.86, 2.35), lat, lon)


# --- H3 --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("resolution", [0, 5, 8, 15])
def test_h3_against_h3(workspace, resolution):
    rng = np.random.default_rng(5)
    lat, lon = rng.uniform(-90, 90, 3000), rng.uniform(-180, 180, 3000)
    expected = [h3.latlng_to_cell(a, b, resolution) for a, b in zip(lat, lon, strict=True)]
    assert zones_of(workspace, H3Zoning(resolution=resolution), lat, lon) == expected


def test_h3_missing_places_degenerate(workspace):
    got = zones_of(workspace, H3Zoning(resolution=5), [None, 48.0, 48.0], [2.0, None, 2.0])
    assert got == [None, None, h3.latlng_to_cell(48.0, 2.0, 5)]


# --- polygons --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ids", [(7, 3, 5, 10), ("d", "b", "c", "a"), ("10", "9", "é", "Z")], ids=str)
def test_polygons_against_shapely(workspace, ids):
    """Four squares around a corner, and a triangle across them; borders and corners among the points."""
    corners = [(0, 0), (1, 0), (0, 1), (1, 1)]
    zones = geography(*(square(zone, *corner) for zone, corner in zip(ids, corners, strict=True)))
    rng = np.random.default_rng(6)
    grid = np.linspace(-0.25, 2.25, 11)  # has 0, 1 and 2 in it
    lat = np.concatenate([np.repeat(grid, 11), rng.uniform(-0.2, 2.2, 2000)])
    lon = np.concatenate([np.tile(grid, 11), rng.uniform(-0.2, 2.2, 2000)])
    shapes = {zone: shapely.box(x, y, x + 1, y + 1) for zone, (x, y) in zip(ids, corners, strict=True)}
    expected = [
        min((zone for zone, shape in shapes.items() if shape.intersects(shapely.Point(b, a))), default=None)
        for a, b in zip(lat, lon, strict=True)
    ]
    assert zones_of(workspace, PolygonZoning(geography=zones, spec="zones.geojson"), lat, lon) == expected
    centre = expected[60]
    assert (lat[60], lon[60]) == (1, 1)
    assert centre == min(ids)


def test_polygons_with_holes_and_parts_against_shapely(workspace):
    ring = shapely.Polygon([(0, 0), (4, 0), (4, 4), (0, 4)], [[(1, 1), (3, 1), (3, 3), (1, 3)]])
    parts = shapely.MultiPolygon([shapely.box(1.5, 1.5, 2, 2), shapely.box(6, 6, 7, 7)])
    bow_tie = {"type": "Polygon", "coordinates": [[(8, 0), (10, 2), (10, 0), (8, 2), (8, 0)]]}
    features = [
        {"type": "Feature", "properties": {"id": n}, "geometry": g}
        for n, g in enumerate([shapely.geometry.mapping(ring), shapely.geometry.mapping(parts), bow_tie])
    ]
    zoning = PolygonZoning(geography=geography(*features), spec="x")
    lat, lon = np.array([0.5, 2.5, 1.75, 6.5, 1.0, 1.9, 5.0]), np.array([0.5, 2.5, 1.75, 6.5, 8.2, 9.0, 5.0])
    assert zones_of(workspace, zoning, lat, lon) == [0, None, 1, 1, 2, None, None]
    assert zoning.public_zones() == [0, 1, 2]


def test_polygon_zonings_made_one_after_the_other_keep_apart(workspace):
    """Each new zoning may get the address of the last: its function must be its own."""
    for n in range(30):
        zoning = PolygonZoning(geography=geography(square(n, 0, 0), square(n + 100, n + 1, 0)), spec="x")
        assert zones_of(workspace, zoning, [0.5, 0.5], [0.5, n + 1.5]) == [n, n + 100]


# --- columns ---------------------------------------------------------------------------------------


def test_column_keeps_its_ids(workspace):
    assert zones_of(workspace, ColumnZoning(), [3, None, 1]) == [3, None, 1]
    assert zones_of(workspace, ColumnZoning(), ["b", None, "é"]) == ["b", None, "é"]
    assert ColumnZoning().public_zones() is None
