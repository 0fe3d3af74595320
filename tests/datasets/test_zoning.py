"""Places to zones against numpy, pyproj, h3 and shapely; specs, zone files and where zones lie."""

import contextlib
import json
import math
from concurrent.futures import ThreadPoolExecutor

import h3
import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pyproj
import pytest
import shapely
import shapely.geometry
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.checks import DataError, ParameterError
from privlab.datasets.engine import Workspace
from privlab.datasets.polygon_zones import ColumnZoning, Geography, PolygonZoning, geography_from_geojson
from privlab.datasets.regular_zones import BoxZoning, GridZoning, H3Zoning
from privlab.datasets.zone_readers import geography_from_path
from privlab.datasets.zoning import median_place, zoning_from_spec

BOXES = [
    BoxZoning(south=37.7356, west=-122.444, north=37.797, east=-122.3663, n_rows=10, n_columns=10),
    BoxZoning(south=-0.1, west=-0.3, north=0.7, east=0.2, n_rows=7, n_columns=13),
    BoxZoning(south=-90, west=-180, north=90, east=180, n_rows=1000, n_columns=1000),
    BoxZoning(south=48.0, west=2.0, north=48.1, east=2.3, n_rows=1, n_columns=3),
]
by_box = pytest.mark.parametrize("box", BOXES, ids=lambda box: box.spec)


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=4) as opened:
        yield opened


def places(workspace, first, second=None, names=("lat", "lon")):
    columns = {"i": pa.array(range(len(first)), pa.int64()), names[0]: pa.array(first)}
    if second is not None:
        columns[names[1]] = pa.array(second)
    return workspace.connection.create_table(ibis.util.gen_name("p"), pa.table(columns))


def zones_of(workspace, zoning, first, second=None):
    """The zone of each place, None outside, in the order given."""
    table = places(workspace, first, second)
    zone = zoning.zone_from_place(table.lat, None if second is None else table.lon)
    return table.select("i", zone=zone).order_by("i").to_pyarrow()["zone"].to_pylist()


def around(edges):
    edges = np.asarray(edges, dtype=float)
    return np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)])


# --- boxes -----------------------------------------------------------------------------------------


def box_by_formula(box, lat, lon):
    """SCIENCE 2.1 in numpy float64, in its order of operations."""
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

HALF = 2_000_000


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


def square(zone, west, south, size=1.0, **properties):
    return {
        "type": "Feature",
        "properties": {"zone": zone, **properties},
        "geometry": shapely.geometry.mapping(shapely.box(west, south, west + size, south + size)),
    }


def collection(*features):
    return {"type": "FeatureCollection", "features": list(features)}


def geography(*features):
    return geography_from_geojson(collection(*features), "zones.geojson")


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


# --- where zones lie -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "zoning",
    [
        *BOXES[:2],
        BOXES[3],
        GridZoning(cell_m=1000.0, centre=(48.86, 2.35)),
        GridZoning(cell_m=100_000.0, centre=(-33.9, 151.2)),
        H3Zoning(resolution=6),
        PolygonZoning(geography=geography(square("b", 2, 48), square("a", 3, 48)), spec="x"),
    ],
    ids=lambda zoning: zoning.spec,
)
def test_centres_lie_in_their_own_zones(workspace, zoning):
    rng = np.random.default_rng(7)
    known = zoning.public_zones()
    if known is None:
        centre = getattr(zoning, "centre", (48.86, 2.35))
        lat, lon = rng.normal(centre[0], 0.3, 200), rng.normal(centre[1], 0.3, 200)
        known = sorted({zone for zone in zones_of(workspace, zoning, lat, lon) if zone is not None})
    where = zoning.zone_map(known)
    assert where.zones.tolist() == list(known)
    assert where.located
    assert zones_of(workspace, zoning, where.lat, where.lon) == list(known)
    assert len(where.names) == len(where.outlines) == len(known)
    for lat, lon, rings in zip(where.lat, where.lon, where.outlines, strict=True):
        assert all(ring[0] == ring[-1] for ring in rings)
        assert any(shapely.Polygon(ring).contains(shapely.Point(lon, lat)) for ring in rings)


def test_grid_in_metres_has_a_map(workspace):
    grid = GridZoning(cell_m=1000.0, centre=None)
    zone = (HALF + 2) * 2 * HALF + HALF + 3  # 3 km east, 2 km north of 0° N 0° E
    where = grid.zone_map([zone])
    assert where.lat[0] == pytest.approx(2.5 / 110.574, rel=1e-3)
    assert where.lon[0] == pytest.approx(3.5 / 111.320, rel=1e-3)
    assert where.names == ("3 km east, 2 km north",)


def test_map_of_unknown_zones_degenerate():
    where = ColumnZoning().zone_map(["a", "b"])
    assert not where.located
    assert where.outlines == (None, None)
    assert where.names == ("a", "b")
    for zoning in (
        ColumnZoning(),
        BOXES[0],
        GridZoning(cell_m=1000.0, centre=(48.0, 2.0)),
        H3Zoning(resolution=5),
    ):
        empty = zoning.zone_map([])
        assert empty.lat.shape == empty.lon.shape == (0,)
        assert not empty.located


# --- specs -----------------------------------------------------------------------------------------

LATLON = ibis.table({"lat": "float64", "lon": "float64"}, name="t")


@pytest.mark.parametrize(
    ("spec", "place", "kind"),
    [
        ("box:37.7356,-122.444,37.797,-122.3663:10x10", "latlon", BoxZoning),
        ("box: 1, 2, 3, 4 : 5X6", "latlon", BoxZoning),
        ("h3:8", "latlon", H3Zoning),
        ("grid:500", "xy", GridZoning),
        ("column", "zone", ColumnZoning),
    ],
)
def test_good_specs(spec, place, kind):
    zoning = zoning_from_spec(spec, place=place, table=LATLON)
    assert type(zoning) is kind
    again = zoning_from_spec(zoning.spec, place=place, table=LATLON)
    assert again == zoning


@settings(max_examples=50)
@given(
    st.floats(-90, 89), st.floats(-180, 179), st.floats(0.001, 1), st.integers(1, 1000), st.integers(1, 1000)
)
def test_box_specs_come_back_bit_exact(south, west, size, n_rows, n_columns):
    box = BoxZoning(
        south=south, west=west, north=south + size, east=west + size, n_rows=n_rows, n_columns=n_columns
    )
    assert zoning_from_spec(box.spec, place="latlon", table=LATLON) == box


@pytest.mark.parametrize("cell_m", [1000.0, 123.456789, 100_000.4, 12.5, 199_999.99])
def test_grid_specs_come_back_exact(cell_m):
    grid = GridZoning(cell_m=cell_m, centre=None)
    assert zoning_from_spec(grid.spec, place="xy", table=LATLON) == grid


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("", "zones must be grid:METRES, box:"),
        ("nonsense", "zones must be grid:METRES, box:"),
        ("grid", "zones must be grid:METRES, box:"),
        ("grid:", "zones must be grid:METRES, box:"),
        ("grid:a", "zones must be grid:METRES, box:"),
        ("h3:", "zones must be grid:METRES, box:"),
        ("h3:eight", "zones must be grid:METRES, box:"),
        ("box:1,2,3:4x5", "zones must be grid:METRES, box:"),
        ("box:1,2,3,4,5:4x5", "zones must be grid:METRES, box:"),
        ("box:1,2,3,4", "zones must be grid:METRES, box:"),
        ("box:1,2,3,4:5", "zones must be grid:METRES, box:"),
        ("box:1,2,3,4:5x6x7", "zones must be grid:METRES, box:"),
        ("box:a,2,3,4:5x6", "zones must be grid:METRES, box:"),
        ("zones.geojson", "zones must be grid:METRES, box:"),
        ("h3:16", "H3 resolution must be between 0 and 15, got 16."),
        ("h3:-1", "H3 resolution must be between 0 and 15, got -1."),
        ("box:3,2,1,4:5x6", "box must run from south-west to north-east"),
        ("box:1,4,3,2:5x6", "box must run from south-west to north-east"),
        ("box:1,2,1,4:5x6", "box must run from south-west to north-east"),
        ("box:2.0,48.0,3.0,200.0:5x6", "east must be between -180 and 180, got 200."),
        ("box:-91,2,3,4:5x6", "south must be between -90 and 90, got -91."),
        ("box:nan,2,3,4:5x6", "south must be a finite number, got nan."),
        ("box:1,2,3,inf:5x6", "east must be a finite number, got inf."),
        ("box:1,2,3,4:1000x1001", "rows × columns must be between 1 and 1,000,000, got 1,001,000."),
        ("box:1,2,3,4:0x6", ""),
        ("box:1,2,3,4:-5x-6", ""),
        ("box:1,2,3,4:2.5x6", ""),
        ("box:1,2,3,4:infx6", ""),
        ("box:1,2,3,4:nanx6", ""),
        ("box:1,2,3,4:1e400x6", ""),
        ("h3:8.5", ""),
        ("h3:nan", ""),
        ("h3:inf", ""),
    ],
)
def test_specs_in_degrees_iv(workspace, spec, words):
    table = places(workspace, [48.0], [2.0])
    with pytest.raises(ParameterError) as caught:
        zoning_from_spec(spec, place="latlon", table=table)
    assert str(caught.value).startswith(words)
    assert str(caught.value).endswith((".", "'."))


@pytest.mark.parametrize("metres", ["9", "200001", "0", "-5", "nan", "inf", "1e400"])
def test_grid_specs_iv(metres):
    with pytest.raises(ParameterError, match=r"^grid cell \(metres\) must be .*, got .*\.$"):
        zoning_from_spec(f"grid:{metres}", place="xy", table=LATLON)


@pytest.mark.parametrize(
    ("spec", "place", "needs", "has"),
    [
        ("h3:8", "zone", "latitude and longitude", "a zone id"),
        ("h3:8", "xy", "latitude and longitude", "x and y in metres"),
        ("box:1,2,3,4:5x6", "zone", "latitude and longitude", "a zone id"),
        ("column", "latlon", "a zone id", "latitude and longitude"),
        ("grid:1000", "zone", "", "a zone id"),
    ],
)
def test_place_of_the_wrong_kind_iv(spec, place, needs, has):
    with pytest.raises(ParameterError, match=rf"^zones '.*' need {needs}.*, but the data has {has}\.$"):
        zoning_from_spec(spec, place=place, table=LATLON)


def test_polygons_for_zone_ids_iv():
    with pytest.raises(
        ParameterError, match=r"^zones 'a\.geojson' need latitude and longitude, but the data has a zone id"
    ):
        zoning_from_spec("a.geojson", place="zone", table=LATLON, geography=geography(square(1, 0, 0)))


# --- the centre of a grid --------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1001, 1002])
@pytest.mark.parametrize("seed", range(3))
def test_median_centre_against_numpy(workspace, n, seed):
    rng = np.random.default_rng(seed)
    lat, lon = rng.normal(48.86, 0.7, n), rng.normal(-2.35, 5, n)
    got = median_place(places(workspace, lat, lon))
    for value, column in zip(got, (lat, lon), strict=True):
        # Of two middle values the lower; rounding keeps order, so it may come first.
        assert value == pytest.approx(np.round(np.quantile(column, 0.5, method="inverted_cdf"), 2), abs=1e-9)
        assert value == round(value, 2)


def test_median_centre_of_trips_counts_both_ends(workspace):
    table = workspace.connection.create_table(
        ibis.util.gen_name("p"),
        pa.table(
            {
                "origin_lat": [1.0, 2.0, 3.0], "origin_lon": [10.0, 10.0, 10.0],
                "destination_lat": [4.0, 5.0, 5.0], "destination_lon": [20.0, 20.0, 30.0],
            }
        ),
    )  # fmt: skip
    assert median_place(table) == (3.0, 10.0)
    assert zoning_from_spec("grid:1000", place="latlon", table=table).centre == (3.0, 10.0)


def test_median_centre_of_nobody_iv(workspace):
    empty = places(workspace, pa.array([], pa.float64()), pa.array([], pa.float64()))
    with pytest.raises(ParameterError, match=r"^zones need at least one record with a place\.$"):
        zoning_from_spec("grid:1000", place="latlon", table=empty)


# --- files -----------------------------------------------------------------------------------------


def test_geojson_file(tmp_path):
    path = tmp_path / "zones.geojson"
    features = collection(square(20, 0, 0, name="East"), square(3, 1, 0))
    path.write_text("\ufeff" + json.dumps(features), encoding="utf-8")
    zones = geography_from_path(path)
    assert zones.zones == [3, 20]
    assert zones.names == {20: "East", 3: "3"}
    assert zones.centres[20] == pytest.approx((0.5, 0.5))
    assert zones.shapes[3].equals(shapely.box(1, 0, 2, 1))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_table_of_positions(tmp_path, suffix):
    path = tmp_path / f"stations.{suffix}"
    frame = pd.DataFrame(
        {"Station_ID": ["b", "a"], "LATITUDE": [48.5, 48.0], "lng": [2.5, 2.0], "Name": ["B", "A"]}
    )
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path, index=False)
    zones = geography_from_path(path)
    assert zones.zones == ["a", "b"]
    assert zones.centres == {"a": (48.0, 2.0), "b": (48.5, 2.5)}
    assert zones.names == {"a": "A", "b": "B"}
    where = ColumnZoning(geography=zones).zone_map(["b", "unknown"])
    assert where.lat[0] == 48.5
    assert math.isnan(where.lat[1])


BAD_FILES = {
    "text.geojson": ("no json", "text.geojson is not readable as GeoJSON"),
    "binary.geojson": (b"\xff\xfe\x00\x80", "binary.geojson is not readable as GeoJSON"),
    "deep.geojson": ("[" * 100_000, "deep.geojson is not readable as GeoJSON"),
    "empty.geojson": ("", "empty.geojson is not readable as GeoJSON"),
    "list.geojson": ("[]", "list.geojson is not a GeoJSON FeatureCollection"),
    "none.geojson": (collection(), "none.geojson is not a GeoJSON FeatureCollection with at least one polygon."),
    "twice.geojson": (collection(square(1, 0, 0), square(1, 1, 0)), "twice.geojson has two polygons with the id 1 (feature 2)"),
    "mixed.geojson": (collection(square(1, 0, 0), square("a", 1, 0)), "mixed.geojson mixes numbers and text"),
    "null.geojson": (collection(square(None, 0, 0), square(2, 1, 0)), "null.geojson"),
    "listed.geojson": (collection(square([1], 0, 0)), "listed.geojson"),
    "half.geojson": (collection(square(1.5, 0, 0), square(2, 1, 0)), "half.geojson"),
    "metres.geojson": (collection(square(1, 500_000, 6_000_000, 1000)), "metres.geojson: feature 1 lies outside degrees"),
    "nogeometry.geojson": (collection({"properties": {}}), "nogeometry.geojson: feature 1 has no readable geometry."),
    "nullgeometry.geojson": (collection({"properties": {}, "geometry": None}), "nullgeometry.geojson: feature 1 has no"),
    "number.geojson": (collection(7), "number.geojson: feature 1 has no readable geometry."),
    "point.geojson": (
        collection({"properties": {}, "geometry": {"type": "Point", "coordinates": [1, 2]}}),
        "point.geojson: feature 1 is a Point, not a polygon.",
    ),
    "short.geojson": (
        collection({"properties": {}, "geometry": {"type": "Polygon", "coordinates": [[[1, 2], [3, 4]]]}}),
        "short.geojson: feature 1 has no readable geometry.",
    ),
    "properties.geojson": (collection(square(1, 0, 0) | {"properties": [1]}), None),
    "nolat.csv": ("zone,lon\n1,2\n", "nolat.csv has no column for lat; it needs zone, lat and lon."),
    "nothing.csv": ("", "nothing.csv is not readable as a table of zone, lat, lon."),
    "headonly.csv": ("zone,lat,lon\n", "headonly.csv"),
    "swapped.csv": ("zone,lat,lon\n1,2.3,48\n2,148.1,2.3\n", "swapped.csv: row 3 has no position in degrees."),
    "gap.csv": ("zone,lat,lon\n1,2.3,48\n2,,2.3\n", "gap.csv: row 3 has no position in degrees."),
    "words.csv": ("zone,lat,lon\n1,north,48\n", "words.csv: row 2 has no position in degrees."),
    "double.csv": ("zone,lat,lon\n1,2.3,48\n1,2.4,48\n", "double.csv lists a zone more than once"),
    "nozone.csv": ("zone,lat,lon\n1,2.3,48\n,2.4,48\n", "nozone.csv"),
    "ragged.csv": ("zone,lat,lon\n1,2,3\n1,2,3,4,5\n", "ragged.csv is not readable as a table of zone, lat, lon."),
    "binary.csv": (b"\xff\xfe\x00\x80", "binary.csv is not readable as a table of zone, lat, lon."),
    "garbage.parquet": (b"PAR1garbage", "garbage.parquet is not readable as a table of zone, lat, lon."),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_iv(tmp_path, name):
    content, words = BAD_FILES[name]
    path = tmp_path / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    if words is None:  # either an answer or a sentence will do
        with contextlib.suppress(DataError):
            geography_from_path(path)
        return
    with pytest.raises(DataError) as caught:
        geography_from_path(path)
    assert str(caught.value).startswith(words)


def test_missing_file_iv(tmp_path):
    for path in (tmp_path / "no.geojson", tmp_path):
        with pytest.raises(
            DataError, match=r"is not a file; give a GeoJSON file or a table of zone, lat, lon\.$"
        ):
            geography_from_path(path)


def test_geography_without_positions():
    where = ColumnZoning(geography=Geography(zones=[1, 2])).zone_map([2])
    assert not where.located
