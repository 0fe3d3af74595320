"""Zone files, and where zones lie."""

import contextlib
import json
import math

import numpy as np
import pandas as pd
import pytest
import shapely
import shapely.geometry

from privlab.checks import DataError
from privlab.datasets.engine import Workspace
from privlab.datasets.polygon_zones import ColumnZoning, Geography, PolygonZoning
from privlab.datasets.regular_zones import GridZoning, H3Zoning
from privlab.datasets.zone_readers import geography_from_path
from tests.datasets.zones_by_hand import BOXES, HALF, collection, geography, square, zones_of


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=4) as opened:
        yield opened


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
