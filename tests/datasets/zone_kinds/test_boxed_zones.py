"""Zones over a box that someone named: against formulas in numpy, h3, and cases worked by hand."""

import math

import h3
import numpy as np
import pyproj
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.checks import ParameterError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.zone_kinds.boxed_zones import BoxedGridZoning, BoxedH3Zoning
from privlab.datasets.zone_kinds.zoning import spec_in_box, zoning_from_spec
from tests.datasets.zones.zones_by_hand import places, zones_of

ARACAJU = {"south": -11.1, "west": -37.2, "north": -10.8, "east": -37.0}


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=2) as opened:
        yield opened


def by_formula(south, west, north, east, cell_m, lat, lon):
    """Lines at multiples of the side from the equator and Greenwich, counted from the box's corner."""
    high = cell_m / (6_371_008.8 * math.pi / 180)
    wide = high / math.cos(math.radians(min(abs(round((south + north) / 2)), 85)))
    inside = (lat >= south) & (lat <= north) & (lon >= west) & (lon <= east)
    n_rows = max(math.ceil(north / high) - math.floor(south / high), 1)
    n_columns = max(math.ceil(east / wide) - math.floor(west / wide), 1)
    row = np.clip(np.floor(lat / high) - math.floor(south / high), 0, n_rows - 1)
    column = np.clip(np.floor(lon / wide) - math.floor(west / wide), 0, n_columns - 1)
    zones = row * n_columns + column
    return [int(zone) if ok else None for zone, ok in zip(zones, inside, strict=True)]


@pytest.mark.parametrize("cell_m", [500.0, 1234.5])
@pytest.mark.parametrize("box", [ARACAJU, {"south": 59.8, "west": 10.5, "north": 60.1, "east": 11.0}])
def test_boxed_grid_against_numpy(workspace, box, cell_m):
    rng = np.random.default_rng(1)
    lat = rng.uniform(box["south"] - 0.1, box["north"] + 0.1, 5000)
    lon = rng.uniform(box["west"] - 0.1, box["east"] + 0.1, 5000)
    lat[:4], lon[:4] = [box["south"], box["north"]] * 2, [box["west"], box["east"], box["east"], box["west"]]
    got = zones_of(workspace, BoxedGridZoning(cell_m=cell_m, **box), lat, lon)
    assert got == by_formula(**box, cell_m=cell_m, lat=lat, lon=lon)
    assert None in got
    assert None not in got[:4]


def test_boxed_grid_in_metres_by_hand(workspace):
    grid = zoning_from_spec("grid:1000:0,500,3000,2500", place="xy", table=None)
    # Columns [500, 1000), [1000, 2000), [2000, 2500]; rows of 1,000 from 0 to 3,000.
    table = places(
        workspace, [500.0, 999.0, 1000.0, 2500.0, 499.0, 2501.0], [0.0, 0.0, 1000.0, 3000.0, 0.0, 0.0]
    )
    got = table.select("i", zone=grid.zone_from_place(table.lat, table.lon)).order_by("i").to_pyarrow()
    assert got["zone"].to_pylist() == [0, 0, 4, 8, None, None]
    assert grid.public_zones() == list(range(9))


@pytest.mark.parametrize(
    ("x", "y"),
    [(430_000, 5_410_000), (25_495_000, 6_670_000), (-8_240_000, 4_970_000), (15_500_000, 9_000_000), (0, 0)],
    ids=[
        "UTM",
        "Gauss-Kruger with its zone in front",
        "web map",
        "far from any origin",
        "a plan of one's own",
    ],
)
def test_maps_of_metres_keep_distances_wherever_the_origin_lies(workspace, x, y):
    """Twenty by twenty kilometres from (x, y): what a map shows is as far apart as the metres say, along and across."""
    boxed = zoning_from_spec(f"grid:5000:{y},{x},{y + 20_000},{x + 20_000}", place="xy", table=None)
    corners = np.array([(x + 100.0, y + 100.0), (x + 19_900.0, y + 100.0), (x + 100.0, y + 19_900.0)])
    rows = places(workspace, corners[:, 0], corners[:, 1], names=("x", "y"))
    open_ended = zoning_from_spec("grid:5000", place="xy", table=rows)
    for zoning in (boxed, open_ended):
        table = places(workspace, corners[:, 0], corners[:, 1])
        found = table.select("i", zone=zoning.zone_from_place(table.lat, table.lon)).order_by("i")
        shown = zoning.zone_map(found.to_pyarrow()["zone"].to_pylist())
        assert not shown.on_earth
        assert np.hypot(shown.lat, shown.lon).max() < 0.5  # around 0° N 0° E
        geod = pyproj.Geod(ellps="WGS84")
        apart = [geod.inv(shown.lon[0], shown.lat[0], shown.lon[n], shown.lat[n])[2] for n in (1, 2)]
        assert apart == pytest.approx([15_000, 15_000], rel=1e-3)
    assert BoxedGridZoning(cell_m=500.0, **ARACAJU).zone_map([0]).on_earth


@settings(max_examples=60, deadline=None)
@given(
    st.floats(-88, 88), st.floats(-178, 178), st.floats(0.01, 0.5), st.floats(0.01, 0.5), st.floats(300, 5000)
)
def test_every_place_of_the_box_has_one_zone_whose_outline_holds_it(south, west, tall, broad, cell_m):
    grid = BoxedGridZoning(cell_m=cell_m, south=south, west=west, north=south + tall, east=west + broad)
    map_ = grid.zone_map(grid.public_zones())
    rings = np.array([outline[0] for outline in map_.outlines])
    areas = (rings[:, 1, 0] - rings[:, 0, 0]) * (rings[:, 2, 1] - rings[:, 1, 1])
    assert areas.min() >= -1e-12
    assert areas.sum() == pytest.approx(tall * broad, rel=1e-6)  # they fill the box, and do not overlap


@given(st.floats(-60, 60), st.floats(-150, 150))
def test_neighbouring_boxes_share_their_lines_when_the_middle_is_in_the_same_degree(south, west):
    south, west = round(south) - 0.25, round(west, 2)
    near = BoxedGridZoning(cell_m=2000, south=south, west=west, north=south + 0.4, east=west + 0.4)
    far = BoxedGridZoning(cell_m=2000, south=south + 0.1, west=west + 0.1, north=south + 0.5, east=west + 0.9)

    def lines(grid):
        rings = np.array([outline[0] for outline in grid.zone_map(grid.public_zones()).outlines])
        return tuple({round(v, 9) for v in np.unique(rings[:, 0, axis]).tolist()} for axis in (1, 0))

    for mine, other, low, high in zip(
        lines(near), lines(far), (far.south, far.west), (near.north, near.east), strict=True
    ):
        inside = {v for v in mine if low + 1e-6 < v < high - 1e-6}
        assert inside == {v for v in other if low + 1e-6 < v < high - 1e-6}
        assert inside


def test_boxed_hexagons_against_h3(workspace):
    box = BoxedH3Zoning(resolution=8, **ARACAJU)
    rng = np.random.default_rng(1)
    lat, lon = rng.uniform(-11.15, -10.75, 4000), rng.uniform(-37.25, -36.95, 4000)
    inside = (lat >= -11.1) & (lat <= -10.8) & (lon >= -37.2) & (lon <= -37.0)
    expected = [
        h3.latlng_to_cell(a, b, 8) if ok else None
        for a, b, ok in zip(lat.tolist(), lon.tolist(), inside, strict=True)
    ]
    assert zones_of(workspace, box, lat, lon) == expected
    assert {one for one in expected if one} <= set(box.public_zones())
    assert box.public_zones() == sorted(box.public_zones())


@pytest.mark.parametrize("spec", ["grid:1000:-11.1,-37.2,-10.8,-37", "h3:8:-11.1,-37.2,-10.8,-37"])
def test_boxed_specs_come_back_and_need_no_data(spec):
    zoning = zoning_from_spec(spec, place="latlon", table=None)
    assert zoning.spec == spec
    assert zoning_from_spec(zoning.spec, place="latlon", table=None) == zoning
    assert spec_in_box(spec[: spec.rindex(":")], "-11.1, -37.2, -10.8, -37") == spec


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("grid:1000:1,2,3", "box must be four numbers"),
        ("grid:1000:3,2,1,4", "box must run from south-west to north-east"),
        ("grid:1000:-91,2,1,4", "south must"),
        ("grid:10:-80,-170,80,170", "zones of the grid must"),
        ("h3:8:1,2,1,4", "box must run from south-west"),
        ("h3:15:-80,-80,80,80", "hexagons in the box must"),
        ("h3:3:-80,-95,80,95", "less than 180 degrees"),
        ("grid:1000:1,2,3,nan", "east must"),
    ],
)
def test_bad_boxes_iv(spec, words):
    with pytest.raises(ParameterError, match=words):
        zoning_from_spec(spec, place="latlon", table=None)


@pytest.mark.parametrize("spec", [None, "column", "box:1,2,3,4:5x6", "grid:1000:1,2,3,4", "zones.geojson"])
def test_a_box_goes_with_a_grid_or_hexagons_alone_iv(spec):
    got = "no zones" if spec is None else f"'{spec}'"
    with pytest.raises(
        ParameterError, match=f"box must come with zones grid:METRES or h3:RESOLUTION, got {got}"
    ):
        spec_in_box(spec, "1,2,3,4")
