"""Zone files, and where zones lie."""

import contextlib
import gzip
import json
import math
import signal
import subprocess
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely
import shapely.geometry
from pyproj import Geod

from privlab.checks import DataError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.processes import own_process
from privlab.datasets.read import read_dataset
from privlab.datasets.zone_files import polygons, zone_readers
from privlab.datasets.zone_files.geography import Geography
from privlab.datasets.zone_files.zone_process import geography_from_process
from privlab.datasets.zone_files.zone_readers import geography_from_path
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning, PolygonZoning
from privlab.datasets.zone_kinds.regular_zones import GridZoning, H3Zoning
from privlab.datasets.zone_kinds.zoning import dataset_in_zones, zoning_from_spec
from privlab.datasets.zones.zoned_rows import all_zones, zoned_records_from_records
from privlab.progress import Progress
from tests.datasets.columns.test_projected_systems import utm
from tests.datasets.zones.zones_by_hand import BOXES, HALF, collection, geography, square, zones_of


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


# Written by hand: what a spreadsheet of another country, a database or an old program makes of the same two stations.
WRITTEN_OTHERWISE = {
    "semicolons": ("stations.csv", "station;lat;lon;name\nS00;48.5;2.5;Gare\nS01;48.0;2.0;Châtelet\n", "utf-8"),
    "decimal commas": ("stations.csv", "station;lat;lon;name\nS00;48,5;2,5;Gare\nS01;48,0;2,0;Châtelet\n", "utf-8"),
    "a mark of UTF-8": ("stations.csv", "station;lat;lon;name\nS00;48.5;2.5;Gare\nS01;48.0;2.0;Châtelet\n", "utf-8-sig"),
    "tabs": ("stations.tsv", "station\tlat\tlon\tname\nS00\t48.5\t2.5\tGare\nS01\t48.0\t2.0\tChâtelet\n", "utf-8"),
    "bars": ("stations.psv", "station|lat|lon|name\nS00|48.5|2.5|Gare\nS01|48.0|2.0|Châtelet\n", "utf-8"),
    "Windows-1252": ("stations.csv", "station;lat;lon;name\nS00;48.5;2.5;Gare\nS01;48.0;2.0;Châtelet\n", "cp1252"),
    "UTF-16": ("stations.txt", "station\tlat\tlon\tname\nS00\t48,5\t2,5\tGare\nS01\t48,0\t2,0\tChâtelet\n", "utf-16"),
    "UTF-16 from its high end": ("s.csv", "\ufeffstation;lat;lon;name\nS00;48.5;2.5;Gare\nS01;48.0;2.0;Châtelet\n", "utf-16-be"),
    "blank lines, ends of rows": ("stations.csv", "\nstation;lat;lon;name\r\nS00;48.5;2.5;Gare;\r\n\r\nS01;48.0;2.0;Châtelet;\r\n", "utf-8"),
    "quotes": ("stations.csv", '"station";"lat";"lon";"name"\n"S00";"48,5";"2,5";"Gare"\n"S01";"48,0";"2,0";"Châtelet"\n', "utf-8-sig"),
}  # fmt: skip


@pytest.mark.parametrize("how", WRITTEN_OTHERWISE)
def test_a_table_of_positions_is_read_however_data_may_be_written_by_hand(tmp_path, how):
    name, text, encoding = WRITTEN_OTHERWISE[how]
    data = text.encode(encoding)
    plain, packed = tmp_path / name, tmp_path / f"{name}.gz"
    plain.write_bytes(data)
    packed.write_bytes(gzip.compress(data))
    for path in (plain, packed):
        zones = geography_from_path(path)
        assert zones.zones == ["S00", "S01"]
        assert zones.centres == {"S00": (48.5, 2.5), "S01": (48.0, 2.0)}
        assert zones.names == {"S00": "Gare", "S01": "Châtelet"}


GTFS_STOPS = """stop_id,stop_name,stop_lat,stop_lon,zone_id,location_type,parent_station
S1,Market,53.05,8.8,A,1,
S1_1,Market platform 1,53.0501,8.8,A,0,S1
S2,Harbour,53.1,8.75,B,1,
"""


def test_stops_of_a_timetable_by_the_columns_of_the_gtfs_reference(tmp_path):
    """Places are called by stop_id; zone_id is the zone of fares, which many stops share."""
    path = tmp_path / "stops.txt"
    path.write_text(GTFS_STOPS)
    found = geography_from_path(path)
    assert found.centres == {"S1": (53.05, 8.8), "S1_1": (53.0501, 8.8), "S2": (53.1, 8.75)}
    assert found.names["S2"] == "Harbour"
    assert found.columns["zone_id"] == {"S1": "A", "S1_1": "A", "S2": "B"}
    path.write_text(GTFS_STOPS.replace("stop_lat,stop_lon", "lat,lon"))
    assert geography_from_path(path).centres["S2"] == (53.1, 8.75)
    assert zone_readers.is_table_of_positions(GTFS_STOPS.splitlines()[0].split(","))


def test_what_is_no_stop_of_a_timetable_is_no_zone(tmp_path):
    """The GTFS reference: 2 is an entrance, 3 a node, 4 a place to board; of the last two latitude and longitude are optional."""
    path = tmp_path / "stops.txt"
    path.write_text(
        GTFS_STOPS
        + "E1,Market north,53.0502,8.81,,2,S1\nN1,Market stairs,,,,3,S1\nB1,Market front,,,,4,S1_1\n"
        + "S3,Mill,53.2,8.7,C,,\n"
    )
    assert geography_from_path(path).zones == ["S1", "S1_1", "S2", "S3"]
    table = pa.table(
        {"stop_id": ["S1", "N1"], "lat": [53.05, None], "lon": [8.8, None], "location_type": [0.0, 3.0]}
    )
    pq.write_table(table, tmp_path / "stops.parquet")
    assert geography_from_path(tmp_path / "stops.parquet").zones == ["S1"]
    path.write_text(GTFS_STOPS + "S3,Mill,,8.7,C,0,\n")
    with pytest.raises(
        DataError, match=r"^stops.txt: row 5 has no position. Give it one, or leave the row out.$"
    ):
        geography_from_path(path)
    # A column of that name beside other ids is one like others.
    path.write_text("zone,lat,lon,location_type\nS1,53.05,8.8,0\nS2,53.1,8.75,3\n")
    assert geography_from_path(path).columns == {"location_type": {"S1": "0", "S2": "3"}}


def test_a_table_of_positions_in_arrow(tmp_path):
    path = tmp_path / "stations.feather"
    table = pa.table({"station": ["b", "a"], "lat": [48.5, 48.0], "lon": [2.5, 2.0]})
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    assert geography_from_path(path).centres == {"a": (48.0, 2.0), "b": (48.5, 2.5)}


def test_geojson_without_an_ending_is_known_by_how_it_begins(tmp_path):
    path = tmp_path / "zones"
    path.write_text(json.dumps(collection(square(3, 1, 0))), encoding="utf-8-sig")
    assert geography_from_path(path).zones == [3]


@pytest.mark.parametrize("name", ["urn:ogc:def:crs:EPSG::32632", "EPSG:32632"])
def test_polygons_in_a_system_that_their_file_names(tmp_path, name):
    """A square of 2,000 m around a place, as map programs write it."""
    east, north = utm(48.137, 11.575, 32)
    document = collection(square("m", east - 1000, north - 1000, 2000))
    document["crs"] = {"type": "name", "properties": {"name": name}}
    (tmp_path / "z.geojson").write_text(json.dumps(document))
    found = geography_from_path(tmp_path / "z.geojson")
    assert found.centres["m"] == pytest.approx((48.137, 11.575), abs=1e-4)
    lon, lat = shapely.get_coordinates(found.shapes["m"]).T
    *_, sides = Geod(ellps="WGS84").inv(lon[:-1], lat[:-1], lon[1:], lat[1:])
    assert (
        np.abs(np.array(sides) - 2000).max() < 2
    )  # its scale is 0.9996 in the middle of the zone, and 1.001 at its edge


@pytest.mark.parametrize("name", ["urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326", "mine", 7])
def test_polygons_in_degrees_whatever_their_file_calls_them(tmp_path, name):
    document = collection(square("m", 2, 48))
    document["crs"] = {"type": "name", "properties": {"name": name}}
    (tmp_path / "z.geojson").write_text(json.dumps(document))
    assert geography_from_path(tmp_path / "z.geojson").shapes["m"].bounds == (2, 48, 3, 49)


def test_positions_in_metres_are_told_from_swapped_ones(tmp_path):
    (tmp_path / "z.csv").write_text("zone,x,y\nS00,691607,5334764\n")
    with pytest.raises(
        DataError,
        match=r"^z\.csv: row 2 has no position in degrees\. Are they metres of a projected system\?",
    ):
        geography_from_path(tmp_path / "z.csv")


def test_a_comma_in_a_file_of_commas_is_no_decimal_one_iv(tmp_path):
    path = tmp_path / "z.csv"
    path.write_text('zone,lat,lon\nS00,"48,5","2,5"\n')
    with pytest.raises(DataError, match=r"^z\.csv: row 2 has no position in degrees"):
        geography_from_path(path)


def test_a_packed_table_that_grows_too_large_is_refused_iv(tmp_path, monkeypatch):
    monkeypatch.setattr(zone_readers, "MAX_ZONE_FILE_MB", 1)
    path = tmp_path / "z.csv.gz"
    path.write_bytes(gzip.compress(b"zone,lat,lon\n" + b"1,2,3\n" * 200_000))
    with pytest.raises(DataError, match=r"^z\.csv\.gz is larger than 1 MB once it is unpacked\."):
        geography_from_path(path)


def nested(depth):
    found = []
    for _ in range(depth):
        found = [found]
    return found


BAD_FILES = {
    "text.geojson": ("no json", "text.geojson is not readable as GeoJSON"),
    "binary.geojson": (b"\xff\xfe\x00\x80", "binary.geojson is not readable as GeoJSON"),
    "deep.geojson": ("[" * 100_000, "deep.geojson is nested deeper than any GeoJSON"),
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
        "short.geojson: feature 1 has no area. Are its corners all on one line?",
    ),
    "digits.geojson": (
        '{"features": [{"properties": {"zone": ' + "7" * 5000 + "}}]}",
        "digits.geojson holds a number of thousands of digits. Is it an id? Write it as text.",
    ),
    "nineteen.geojson": (collection(square(10**19, 0, 0)), "nineteen.geojson has a number of more than 18 digits as an id"),
    "nan.geojson": (
        json.dumps(collection(square(1, 0, 0))).replace("[1.0, 1.0]", "[1.0, NaN]"),
        "nan.geojson: feature 1 has a corner that is no number.",
    ),
    "endless.geojson": (
        json.dumps(collection(square(1, 0, 0))).replace("[1.0, 1.0]", "[1.0, 1e400]"),
        "endless.geojson: feature 1 has a corner that is no number.",
    ),
    "words.geojson": (
        json.dumps(collection(square(1, 0, 0))).replace("[1.0, 1.0]", '["1", "1"]'),
        "words.geojson: feature 1 has no readable geometry.",
    ),
    "nested.geojson": (
        collection({"properties": {}, "geometry": {"type": "Polygon", "coordinates": nested(900)}}),
        "nested.geojson: feature 1 has no readable geometry.",
    ),
    "nestedid.geojson": (
        collection(square(nested(900), 0, 0)),
        "nestedid.geojson: the id of feature 1 must be a whole number or text, got a list.",
    ),
    "nestedname.geojson": (collection(square(1, 0, 0, name=nested(900))), None),
    "halfid.geojson": (
        collection(square("a\ud800", 0, 0)),
        "halfid.geojson: the id of feature 1 holds half a character. Write it anew.",
    ),
    "halfname.geojson": (
        collection(square(1, 0, 0, name="a\udfff")),
        "halfname.geojson: the name of feature 1 holds half a character. Write it anew.",
    ),
    "line.geojson": (
        collection({"properties": {}, "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [1, 0], [0, 0]]]}}),
        "line.geojson: feature 1 has no area. Are its corners all on one line?",
    ),
    "properties.geojson": (collection(square(1, 0, 0) | {"properties": [1]}), None),
    "nolat.csv": ("zone,lon\n1,2\n", "nolat.csv has no column for lat; it needs zone, lat and lon. It has the columns 'zone' and 'lon'."),
    "blank.csv": ("zone lat lon\n1 2 3\n", "blank.csv has no column for zone, lat, lon; it needs zone, lat and lon. It has a single column, 'zone "),
    "nothing.csv": ("", "nothing.csv is empty."),
    "headonly.csv": ("zone,lat,lon\n", "headonly.csv"),
    "swapped.csv": ("zone,lat,lon\n1,2.3,48\n2,148.1,2.3\n", "swapped.csv: row 3 has no position in degrees."),
    "gap.csv": ("zone,lat,lon\n1,2.3,48\n2,,2.3\n", "gap.csv: row 3 has no position. Give it one, or leave the row out."),
    "words.csv": ("zone,lat,lon\n1,north,48\n", "words.csv: row 2 has no position in degrees."),
    "double.csv": ("zone,lat,lon\n1,2.3,48\n1,2.4,48\n", "double.csv lists a zone more than once"),
    "nozone.csv": ("zone,lat,lon\n1,2.3,48\n,2.4,48\n", "nozone.csv"),
    "ragged.csv": ("zone,lat,lon\n1,2,3\n1,2,3,4,5\n", "ragged.csv: row 3 has 5 fields, the header 3."),
    "open.csv": ('zone,lat,lon\n"1,2,3\n', "open.csv is not readable as a table of zone, lat, lon."),
    "binary.csv": (b"zone\x00\x01\x02\xff,lat", "binary.csv is not a text file: it holds binary data. Save its table as CSV."),
    "text.parquet": ("zone,lat,lon\n1,2,3\n", "text.parquet is not a Parquet file, or a damaged one."),
    "garbage.arrow": (b"ARROW1garbage", "garbage.arrow is not readable as a table of zone, lat, lon."),
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


def parquet_of(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


NO_IDS = {
    "lists": (
        pa.array([[1], [2]]),
        r"column 'zone' holds list<.*>, not ids; write them as text or whole numbers\.",
    ),
    "bytes": (pa.array([b"\xff", b"b"]), r"column 'zone' holds binary, not ids"),
    "flags": (pa.array([True, False]), r"column 'zone' holds bool, not ids"),
    "times": (pa.array([1, 2], pa.timestamp("s")), r"column 'zone' holds timestamp\[ms\], not ids"),
    "halves": (pa.array([1.0, 1.5]), r"row 3 has the zone id 1\.5; write ids as text or whole numbers\."),
    "missing": (pa.array(["a", None]), r"row 3 has no zone id\."),
    "no number": (pa.array([1.0, math.nan]), r"row 3 has no zone id\."),
    "endless": (pa.array([1.0, math.inf]), r"row 3 has the zone id inf; write ids"),
}


@pytest.mark.parametrize("name", NO_IDS)
def test_what_is_no_id_iv(tmp_path, name):
    ids, words = NO_IDS[name]
    path = parquet_of(tmp_path / "z.parquet", zone=ids, lat=[1.0, 2.0], lon=[3.0, 4.0])
    with pytest.raises(DataError, match=f"^z.parquet: {words}"):
        geography_from_path(path)


def test_an_id_is_what_is_written(tmp_path):
    """Leading zeros, NA and the like are ids; all whole numbers, and only they, are numbers."""
    path = tmp_path / "z.csv"
    for ids, zones in [
        (["01001", "01002"], ["01001", "01002"]),
        (["NA", "null", "nan"], ["NA", "nan", "null"]),
        (["10", "9", "-3"], [-3, 9, 10]),
        (["10", "9.0"], ["10", "9.0"]),
        (["1_000", "7"], ["1_000", "7"]),
        ([" 7", "8 "], [7, 8]),
        (["9" * 19, "1"], ["1", "9" * 19]),
        (["ä", '"b"'], ["b", "ä"]),
    ]:
        rows = "".join(f"{zone},48.{number},2\n" for number, zone in enumerate(ids))
        path.write_text("zone,lat,lon\n" + rows, encoding="utf-8")
        assert geography_from_path(path).zones == zones
    for column in (["01001", "7"], pa.array(["01001", "7"]).dictionary_encode()):
        table = parquet_of(tmp_path / "z.parquet", zone=column, lat=[1.0, 2.0], lon=[3.0, 4.0])
        assert geography_from_path(table).zones == ["01001", "7"]
    for column in ([7, 8], [7.0, 8.0], ["7", "8"], [Decimal("7"), Decimal("8")]):
        table = parquet_of(tmp_path / "z.parquet", zone=column, lat=[1.0, 2.0], lon=[3.0, 4.0])
        assert geography_from_path(table).zones == [7, 8]


# zones of the data, zones of the zone file, as written; the zones that are found in both
WRITTEN = [
    (["01001", "01002"], ["01001", "01002"], ["01001", "01002"]),
    (["1", "2"], ["1", "2"], [1, 2]),
    (["1", "2"], ["1", "2", "A"], ["1", "2"]),
    (["1", "A"], ["1", "2"], ["1"]),
    (["1", "01"], ["1", "2"], ["1"]),
    (["NA", "B"], ["NA", "B"], ["B", "NA"]),
]


@pytest.mark.parametrize(("data", "known", "both"), WRITTEN)
def test_ids_of_data_and_zone_file_agree_if_they_are_written_alike(tmp_path, workspace, data, known, both):
    rows, file = tmp_path / "rows.csv", tmp_path / "zones.csv"
    rows.write_text(
        "user_id,timestamp,zone\n"
        + "".join(f"u,2026-03-02 08:{n:02},{zone}\n" for n, zone in enumerate(data))
        + f"u,2026-03-02 09:00,{data[0]}\n"
    )
    file.write_text("zone,lat,lon\n" + "".join(f"{zone},48.{n},2\n" for n, zone in enumerate(known)))
    dataset = read_dataset(rows, workspace=workspace)
    zoning = zoning_from_spec(
        "column", place="zone", table=dataset.table, geography=geography_from_path(file)
    )
    dataset = dataset_in_zones(dataset, zoning)
    seen = zoned_records_from_records(dataset.table, "zone", zoning).to_pyarrow()["zone"].to_pylist()
    assert sorted(set(seen)) == sorted(set(data), key=str) or sorted(set(seen)) == sorted(map(int, set(data)))
    assert sorted(set(seen) & set(zoning.public_zones())) == both
    assert np.isfinite(zoning.zone_map(both).lat).all()
    assert len(all_zones(pd.Series(seen), zoning.public_zones())) == len(set(data) | set(known))


# --- polygons that take long -----------------------------------------------------------------------


def ring_feature(zone, corners):
    return {
        "properties": {"zone": zone},
        "geometry": {"type": "Polygon", "coordinates": [[*corners, corners[0]]]},
    }


def tangle(n, seed=1):
    return np.random.default_rng(seed).uniform(0, 1, (n, 2)).tolist()


def comb(n_teeth):
    """A valid polygon of long thin teeth, all slanting one way: no two sides meet, nearly all their boxes do."""
    corners = []
    for at in range(n_teeth):
        x, half = at / n_teeth, 0.5 / n_teeth
        corners += [[x, 0], [x + 1, 1], [x + 1 + half, 1], [x + half, 1e-5]]
    return [*corners, [1.0001, -0.1], [0, -0.1]]


def test_a_border_in_no_order_is_an_area_or_a_sentence_iv():
    """What 450 corners drawn at random enclose is known from a count of the points on either side."""
    corners = tangle(450)
    shape = geography(ring_feature(1, corners)).shapes[1]
    assert shape.geom_type in ("Polygon", "MultiPolygon")
    draw = np.random.default_rng(2).uniform(0, 1, (400, 2))
    inside = shapely.contains_xy(shape, draw[:, 0], draw[:, 1])
    edges = list(zip(corners, [*corners[1:], corners[0]], strict=True))
    for (x, y), found in zip(draw.tolist(), inside.tolist(), strict=True):
        ahead = [
            (a, b)
            for a, b in edges
            if (a[1] > y) != (b[1] > y) and x < a[0] + (y - a[1]) * (b[0] - a[0]) / (b[1] - a[1])
        ]
        assert found or len(ahead) % 2 == 0  # an odd number of sides ahead: inside by any rule
    with pytest.raises(
        DataError,
        match=r"^zones\.geojson: with feature 2 its polygons cross themselves more than 100,000 times\. Are the corners",
    ):
        geography(ring_feature(1, corners), ring_feature(2, tangle(5000)))


def test_a_border_that_runs_beside_itself_all_over_iv():
    assert geography(ring_feature(1, comb(300))).shapes[1].is_valid
    with pytest.raises(
        DataError,
        match=r"^zones\.geojson: the sides of feature 2 run across or beside each other in too many places\. Simp",
    ):
        geography(ring_feature(1, comb(300)), ring_feature(2, comb(5000)))


def test_more_corners_than_there_is_room_for_iv(monkeypatch):
    circle = [[math.cos(a), math.sin(a)] for a in np.linspace(0, 6, 300).tolist()]
    monkeypatch.setattr(polygons, "MAX_RING_CORNERS", 301)
    assert geography(ring_feature(1, circle)).shapes[1].is_valid
    with pytest.raises(
        DataError, match=r"feature 1 has a ring of 302 corners, more than 301\. Simplify it\."
    ):
        geography(ring_feature(1, [*circle, [1, -0.1]]))
    monkeypatch.setattr(polygons, "MAX_ZONE_CORNERS", 600)
    with pytest.raises(
        DataError, match=r"^zones\.geojson has more than 600 corners \(at feature 2\)\. Simplify the"
    ):
        geography(ring_feature(1, circle), ring_feature(2, circle))
    monkeypatch.setattr(polygons, "MAX_ZONES", 1)
    with pytest.raises(
        DataError, match=r"^zones\.geojson holds 2 features, more than 1\. Join some of them\."
    ):
        geography(square(1, 0, 0), square(2, 1, 0))


def test_a_real_border_of_many_corners_is_read():
    """Two districts of 100,000 corners with a border in common, one with a bow in it: their areas by the trapezoid rule."""
    y = np.linspace(0, 1, 100_000)
    x = 1 + 0.05 * np.sin(40 * y) + 0.001 * np.sin(9_000 * y)
    border = np.column_stack([x, y]).tolist()
    left, right = [*border, [0, 1], [0, 0]], [*border, [2, 1], [2, 0]]
    left.insert(50_000, left.pop(49_999))  # two corners in the wrong order
    zones = geography(ring_feature("l", left), ring_feature("r", right))
    area = float(np.trapezoid(x, y))
    assert zones.shapes["l"].area == pytest.approx(area, abs=1e-6)
    assert zones.shapes["r"].area == pytest.approx(2 - area, abs=1e-6)


def test_a_bow_tie_is_both_its_halves_by_hand():
    zones = geography(ring_feature(1, [[0, 0], [1, 1], [1, 0], [0, 1]]))
    assert zones.shapes[1].area == pytest.approx(0.5)
    assert len(ColumnZoning(geography=zones).zone_map([1]).outlines[0]) == 2


# --- a process of its own --------------------------------------------------------------------------


def test_a_process_reads_what_is_read_here(tmp_path):
    path = tmp_path / "zones.geojson"
    path.write_text(
        json.dumps(collection(square(20, 0, 0, name="Östlich"), square(3, 1, 0))), encoding="utf-8"
    )
    here, there = geography_from_path(path), geography_from_process(path)
    assert (here.zones, here.centres, here.names) == (there.zones, there.centres, there.names)
    assert all(here.shapes[zone].equals(there.shapes[zone]) for zone in here.zones)
    path.write_text("[]")
    with pytest.raises(
        DataError, match=r"^zones\.geojson is not a GeoJSON FeatureCollection with at least one"
    ):
        geography_from_process(path)


def test_work_that_is_given_up_ends_its_process(tmp_path, monkeypatch):
    started = []
    begin = subprocess.Popen

    def noted(*args, **options):
        started.append(begin(*args, **options))
        return started[-1]

    class GivenUp(Exception):
        pass

    def give_up(share, words):
        if started:
            raise GivenUp

    monkeypatch.setattr(own_process.subprocess, "Popen", noted)
    path = tmp_path / "zones.geojson"
    path.write_text(json.dumps(collection(*(square(n, 0, 0) for n in range(20_000)))))
    with pytest.raises(GivenUp):
        geography_from_process(path, progress=Progress(give_up))
    assert started[0].returncode == -signal.SIGKILL


def test_a_process_that_dies_is_one_sentence_iv(tmp_path, monkeypatch):
    path = tmp_path / "zones.geojson"
    path.write_text(json.dumps(collection(square(1, 0, 0))))
    monkeypatch.setattr(own_process.sys, "executable", "/bin/false")
    with pytest.raises(
        DataError, match=r"^zones\.geojson could not be read: its process ended \(code 1\)\. Is it"
    ):
        geography_from_process(path)


def test_missing_file_iv(tmp_path):
    for path in (tmp_path / "no.geojson", tmp_path):
        with pytest.raises(
            DataError, match=r"is not a file; give a file of polygons or a table of zone, lat, lon\.$"
        ):
            geography_from_path(path)


def test_geography_without_positions():
    where = ColumnZoning(geography=Geography(zones=[1, 2])).zone_map([2])
    assert not where.located
