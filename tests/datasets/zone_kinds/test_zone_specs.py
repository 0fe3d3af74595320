"""Zones as the command line spells them, and the centre of a grid that is not given one."""

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.checks import ParameterError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.zone_files.geography import Geography
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning
from privlab.datasets.zone_kinds.regular_zones import BoxZoning, GridZoning, H3Zoning
from privlab.datasets.zone_kinds.zoning import median_place, zoning_from_spec
from tests.datasets.zones.zones_by_hand import geography, places, square


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=4) as opened:
        yield opened


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
    zoning = zoning_from_spec(spec, place=place, table=None)
    assert type(zoning) is kind
    again = zoning_from_spec(zoning.spec, place=place, table=None)
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
    assert zoning_from_spec(grid.spec, place="xy", table=None) == grid


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
    with pytest.raises(ParameterError, match=rf"^zones '.*' need {needs}.*, but the data has {has}\."):
        zoning_from_spec(spec, place=place, table=LATLON)


def test_polygons_for_zone_ids_iv():
    with pytest.raises(
        ParameterError,
        match=r"^zones 'a\.geojson' need latitude and longitude, but the data has a zone id\. Take zones column;",
    ):
        zoning_from_spec("a.geojson", place="zone", table=LATLON, geography=geography(square(1, 0, 0)))


@pytest.mark.parametrize("spec", ["h3:6", "grid:5000", "box:0,0,1,1:2x2"])
def test_zone_ids_with_positions_lack_a_box_and_that_is_said_iv(spec):
    stations = Geography(zones=["a", "b"], centres={"a": (0.1, 0.1), "b": (0.2, 0.2)})
    with pytest.raises(
        ParameterError,
        match=r"^zones .* but the data has a zone id\. What is missing is a box: with --box S,W,N,E ",
    ):
        zoning_from_spec(spec, place="zone", table=None, geography=stations)
    with pytest.raises(ParameterError, match=r"named beside it \(--zone-positions\)\.$"):
        zoning_from_spec(spec, place="zone", table=None)


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
