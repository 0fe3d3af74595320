"""Shapefiles and GeoPackages: the same zones as in GeoJSON, whatever system they are in; what is none is refused in a sentence."""

import contextlib
import io
import json
import re
import sqlite3
import struct
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyproj
import pytest
import shapefile
import shapely

from privlab.checks import DataError
from privlab.datasets.zone_files import map_files
from privlab.datasets.zone_files.geography import Geography
from privlab.datasets.zone_files.zone_process import geography_from_process, layers_from_process
from privlab.datasets.zone_files.zone_readers import geography_from_path
from tests.datasets.columns.test_projected_systems import utm
from tests.datasets.zones.zones_by_hand import collection, square

EAST, NORTH = utm(48.137, 11.575, 32)
HOLE = shapely.Polygon(
    shapely.box(EAST, NORTH, EAST + 2000, NORTH + 2000).exterior.coords,
    [shapely.box(EAST + 500, NORTH + 500, EAST + 900, NORTH + 900).exterior.coords[::-1]],
)
TWO = shapely.MultiPolygon(
    [shapely.box(EAST + 2000, NORTH, EAST + 3000, NORTH + 1000), shapely.box(EAST + 4000, NORTH, EAST + 5000, NORTH + 1000)]
)  # fmt: skip
SHAPES = {"A1": HOLE, "A2": TWO}
UTM32 = pyproj.CRS.from_epsg(32632)


def shapefile_parts(
    shapes: dict[Any, shapely.Geometry], id_name: str = "ID", prj: str | None = None, encoding: str = "utf-8"
) -> dict[str, bytes]:
    """Return the parts of a Shapefile with an id, a name and a number for each shape."""
    shp, shx, dbf = io.BytesIO(), io.BytesIO(), io.BytesIO()
    with shapefile.Writer(shp=shp, shx=shx, dbf=dbf, encoding=encoding) as writer:
        writer.field("OBJECTID", "N", size=8)
        writer.field(id_name, "C", size=20)
        writer.field("GEN", "C", size=40)
        for number, (zone, shape) in enumerate(shapes.items(), start=1):
            writer.record(number, zone, f"Köln {zone}".strip())
            writer.shape(shapely.geometry.mapping(shape))
    parts = {".shp": shp.getvalue(), ".shx": shx.getvalue(), ".dbf": dbf.getvalue()}
    return parts | ({} if prj is None else {".prj": prj.encode()})


def zipped(path: Path, parts: dict[str, bytes], stem: str = "Bezirke/bezirke") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for suffix, content in parts.items():
            archive.writestr(stem + suffix, content)
    return path


def geopackage(
    path: Path,
    layers: dict[str, dict[Any, shapely.Geometry | None]],
    epsg: int = 32632,
    envelope: int = 0,
    kinds: dict[str, str] | None = None,
) -> Path:
    """Write a GeoPackage by its standard (OGC 12-128r19): what it says of its layers, and geometries after a head of their own."""
    with closing(sqlite3.connect(path)) as package, package:
        package.executescript(
            "CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT, srs_id INTEGER PRIMARY KEY, organization TEXT, "
            "organization_coordsys_id INTEGER, definition TEXT);"
            "CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT, geometry_type_name TEXT, srs_id INTEGER, z INT, m INT);"
        )
        package.execute("INSERT INTO gpkg_spatial_ref_sys VALUES ('x', 7, 'EPSG', ?, 'undefined')", (epsg,))
        for layer, shapes in layers.items():
            package.execute(
                f'CREATE TABLE "{layer}" (fid INTEGER PRIMARY KEY, geom BLOB, zone_id TEXT, name TEXT)'
            )
            package.execute(
                "INSERT INTO gpkg_geometry_columns VALUES (?, 'geom', ?, 7, 0, 0)",
                (layer, (kinds or {}).get(layer, "POLYGON")),
            )
            for number, (zone, shape) in enumerate(shapes.items(), start=1):
                box = (
                    struct.pack("<4d", *np.array(shape.bounds)[[0, 2, 1, 3]])
                    if envelope and shape is not None
                    else b""
                )
                head = b"GP" + bytes([0, 1 | (envelope << 1)]) + struct.pack("<i", 7) + box
                blob = None if shape is None else head + shapely.to_wkb(shape)
                package.execute(
                    f'INSERT INTO "{layer}" VALUES (?, ?, ?, ?)', (number, blob, zone, f"Köln {zone}")
                )
    return path


def in_geojson(path: Path) -> Geography:
    """Return the same zones by way of GeoJSON that names its system."""
    features = [
        {
            "type": "Feature",
            "properties": {"zone": zone, "name": f"Köln {zone}"},
            "geometry": shapely.geometry.mapping(shape),
        }
        for zone, shape in SHAPES.items()
    ]
    document = collection(*features) | {"crs": {"type": "name", "properties": {"name": "EPSG:32632"}}}
    path.write_text(json.dumps(document), encoding="utf-8")
    return geography_from_path(path)


def alike(one: Geography, other: Geography) -> bool:
    return (
        one.zones == other.zones
        and one.names == other.names
        and all(one.shapes[zone].equals_exact(other.shapes[zone], 1e-9, normalize=True) for zone in one.zones)
    )


@pytest.mark.parametrize("way", ["zipped", "beside", "package", "package with boxes", "in a process"])
def test_the_same_zones_as_in_geojson(way: str, tmp_path: Path) -> None:
    expected = in_geojson(tmp_path / "z.geojson")
    assert expected.centres["A1"] == pytest.approx((48.146, 11.588), abs=0.01)
    read = geography_from_path
    if way == "beside":
        for suffix, content in shapefile_parts(SHAPES, prj=UTM32.to_wkt("WKT1_ESRI")).items():
            (tmp_path / f"bezirke{suffix.upper()}").write_bytes(content)
        path = tmp_path / "bezirke.SHP"
    elif way.startswith("package"):
        path = geopackage(tmp_path / "z.gpkg", {"bezirke": SHAPES}, envelope=int("boxes" in way))
    else:
        path = zipped(tmp_path / "z.zip", shapefile_parts(SHAPES, prj=UTM32.to_wkt("WKT1_ESRI")))
        read = geography_from_process if way == "in a process" else read
    assert alike(read(path), expected)


@pytest.mark.parametrize("prj", [None, pyproj.CRS.from_epsg(4326).to_wkt("WKT1_ESRI")])
def test_degrees_stay_as_they_are(prj: str | None, tmp_path: Path) -> None:
    found = geography_from_path(
        zipped(tmp_path / "z.zip", shapefile_parts({"a": shapely.box(2, 48, 3, 49)}, prj=prj))
    )
    assert found.shapes["a"].bounds == (2, 48, 3, 49)


def test_a_system_without_a_number_is_read_by_its_description(tmp_path: Path) -> None:
    """A projection around a place of one's own: its middle is there, by what the words mean."""
    crs = pyproj.CRS.from_proj4("+proj=laea +lat_0=48 +lon_0=11 +datum=WGS84 +units=m")
    assert crs.to_epsg() is None
    parts = shapefile_parts({"a": shapely.box(-1000, -1000, 1000, 1000)}, prj=crs.to_wkt("WKT1_ESRI"))
    found = geography_from_path(zipped(tmp_path / "z.zip", parts))
    assert found.centres["a"] == pytest.approx((48, 11), abs=1e-3)


def test_ids_are_named_or_told_by_what_is_different_for_each(tmp_path: Path) -> None:
    shapes = {"09162": shapely.box(2, 48, 3, 49), "09163": shapely.box(3, 48, 4, 49)}
    found = geography_from_path(zipped(tmp_path / "a.zip", shapefile_parts(shapes, id_name="AGS")))
    assert found.zones == ["09162", "09163"]  # not the numbers of rows, which come first
    assert found.names == {"09162": "Köln 09162", "09163": "Köln 09163"}
    parts = shapefile_parts({"x": shapely.box(2, 48, 3, 49), "": shapely.box(3, 48, 4, 49)}, id_name="AGS")
    assert geography_from_path(zipped(tmp_path / "b.zip", parts)).zones == ["Köln", "Köln x"]


@pytest.mark.parametrize(
    ("encoding", "cpg"), [("utf-8", None), ("cp1252", None), ("cp1252", b"1252"), ("utf-8", b"UTF-8")]
)
def test_letters_are_read_as_they_were_written(encoding: str, cpg: bytes | None, tmp_path: Path) -> None:
    parts = shapefile_parts({"a": shapely.box(2, 48, 3, 49)}, encoding=encoding)
    parts |= {} if cpg is None else {".cpg": cpg}
    assert geography_from_path(zipped(tmp_path / "z.zip", parts)).names == {"a": "Köln a"}


def test_of_several_layers_the_one_of_polygons_is_taken(tmp_path: Path) -> None:
    stops = {"s": shapely.Point(EAST, NORTH)}
    path = geopackage(tmp_path / "z.gpkg", {"stops": stops, "districts": SHAPES}, kinds={"stops": "POINT"})
    assert geography_from_path(path).zones == ["A1", "A2"]


def several(kind: str, folder: Path) -> tuple[Path, str, str]:
    """Return a file of two maps, of SHAPES and of one square, and the names of the two in it."""
    shapes: tuple[dict[Any, Any], ...] = (SHAPES, {"B": shapely.box(EAST, NORTH, EAST + 100, NORTH + 100)})
    if kind == "package":
        stops = {"s": shapely.Point(EAST, NORTH)}
        layers = {"stops": stops, "districts": shapes[0], "wards/2026 new": shapes[1]}
        path = geopackage(folder / "z.gpkg", layers, kinds={"stops": "POINT", "districts": "MULTIPOLYGON"})
        return path, "districts", "wards/2026 new"
    path = folder / "z.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for stem, of_stem in zip(("z/districts", "z/wards"), shapes, strict=True):
            for suffix, content in shapefile_parts(of_stem, prj=UTM32.to_wkt("WKT1_ESRI")).items():
                archive.writestr(stem + suffix, content)
        archive.writestr("__MACOSX/z/._wards.shp", b"")
    return path, "z/districts.shp", "z/wards.shp"


@pytest.mark.parametrize("kind", ["package", "zip"])
def test_of_several_maps_in_a_file_the_one_that_is_named_is_read(kind: str, tmp_path: Path) -> None:
    path, districts, wards = several(kind, tmp_path)
    expected = in_geojson(tmp_path / "z.geojson")
    assert alike(geography_from_path(path, layer=districts), expected)
    assert alike(geography_from_path(path / districts), expected)  # as --zones names it
    assert alike(geography_from_process(path, layer=districts), expected)
    assert (
        geography_from_path(path, layer=wards).zones == geography_from_path(f"{path}/{wards}").zones == ["B"]
    )
    assert layers_from_process(path) == (districts, wards)
    listed = re.escape(f"({districts}, {wards})")
    with pytest.raises(DataError, match=rf"holds no 'parishes' among its \w+ {listed}\. Name one of them\.$"):
        geography_from_path(path / "parishes")
    with pytest.raises(
        DataError, match=rf"holds 2 \w+ {listed}\. Name the one with the zones behind it: {path.name}/"
    ):
        geography_from_path(path)


def test_a_file_of_one_map_is_asked_for_no_name_and_none_leads_out_of_it(tmp_path: Path) -> None:
    square = in_geojson(tmp_path / "z.geojson")
    package = geopackage(tmp_path / "z.gpkg", {"only": SHAPES})
    assert layers_from_process(package) == ("only",)
    assert layers_from_process(tmp_path / "z.geojson") == ()
    assert alike(geography_from_path(package / "only"), square)
    for way_out in ("/etc/hostname", str(tmp_path / "z.geojson"), "../z.geojson"):
        with pytest.raises(DataError, match=r"^z\.gpkg holds no '"):
            geography_from_path(package, layer=way_out)
    for nothing in (tmp_path / "no.gpkg" / "only", tmp_path / "z.geojson" / "only"):
        with pytest.raises(DataError, match=r"^only is not a file"):
            geography_from_path(nothing)


def test_a_package_that_another_program_has_not_written_out_is_refused(tmp_path: Path) -> None:
    path = geopackage(tmp_path / "z.gpkg", {"districts": SHAPES})
    with contextlib.closing(sqlite3.connect(path)) as package:
        package.execute("PRAGMA journal_mode = wal")
        package.execute("UPDATE districts SET zone_id = 'new' WHERE zone_id = 'A1'")
        package.commit()
        with pytest.raises(
            DataError, match=r"^z\.gpkg is open in another program, which has not written all of it\."
        ):
            geography_from_path(path)
    assert geography_from_path(path).zones == ["A2", "new"]


def test_columns_that_are_worked_out_are_left_alone(tmp_path: Path) -> None:
    """One of them is of 300 MB for each row."""
    path = geopackage(tmp_path / "z.gpkg", {"districts": SHAPES})
    with closing(sqlite3.connect(path)) as package, package:
        package.execute("ALTER TABLE districts ADD COLUMN x AS (hex(zeroblob(300000000)))")
        package.execute("UPDATE gpkg_geometry_columns SET table_name = 'Districts', column_name = 'GEOM'")
    assert geography_from_path(path).zones == ["A1", "A2"]


def test_shapefiles_as_they_come(tmp_path: Path) -> None:
    """Brackets in a name, what a Mac puts beside files, one attribute in two spellings."""
    square_of = {"a": shapely.box(2, 48, 3, 49)}
    for suffix, content in shapefile_parts(square_of).items():
        (tmp_path / f"zones[1]{suffix}").write_bytes(content)
    assert geography_from_path(tmp_path / "zones[1].shp").zones == ["a"]
    path = zipped(tmp_path / "z.zip", shapefile_parts(square_of, id_name="id"), stem="z")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("._z.shp", b"of a Mac")
    assert geography_from_path(path).zones == ["a"]


@pytest.mark.parametrize(
    "name", ["http://www.opengis.net/def/crs/EPSG/0/32632", "urn:ogc:def:crs:EPSG:9.9:32632", "EPSG:32632"]
)
def test_a_document_names_its_system_in_one_way_or_another(name: str, tmp_path: Path) -> None:
    feature = {"type": "Feature", "properties": {"zone": "m"}, "geometry": shapely.geometry.mapping(HOLE)}
    document = collection(feature) | {"crs": {"type": "name", "properties": {"name": name}}}
    (tmp_path / "z.geojson").write_text(json.dumps(document))
    assert geography_from_path(tmp_path / "z.geojson").centres["m"] == pytest.approx(
        (48.146, 11.588), abs=0.01
    )


def test_packed_in_ways_that_are_not_read_iv(tmp_path: Path) -> None:
    """With a password, or by a way that is none: by the bits of the heads of its files, which say so."""
    good = zipped(tmp_path / "z.zip", shapefile_parts(SHAPES)).read_bytes()
    for at, value in ((6, 1), (8, 9)):  # the flag of a password; Deflate64
        content = bytearray(good)
        for mark, shift in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
            start = content.find(mark)
            while start >= 0:
                content[start + at + shift] = value
                start = content.find(mark, start + 4)
        (tmp_path / "odd.zip").write_bytes(bytes(content))
        with pytest.raises(DataError, match=r"^odd\.zip is not readable as a Shapefile"):
            geography_from_path(tmp_path / "odd.zip")


def points() -> dict[str, bytes]:
    shp, dbf = io.BytesIO(), io.BytesIO()
    with shapefile.Writer(shp=shp, dbf=dbf) as writer:
        writer.field("ID", "C")
        writer.record("a")
        writer.point(1, 2)
    return {".shp": shp.getvalue(), ".dbf": dbf.getvalue()}


def bad_files(folder: Path) -> dict[str, Path]:
    parts = shapefile_parts(SHAPES)
    two = folder / "two.zip"
    with zipfile.ZipFile(two, "w") as archive:
        for stem in ("a", "b"):
            for suffix, content in parts.items():
                archive.writestr(stem + suffix, content)
    cut = {suffix: content[: len(content) // 2] for suffix, content in parts.items()}
    text, broken, empty = folder / "text.gpkg", folder / "broken.gpkg", folder / "empty.gpkg"
    text.write_text("zone,lat,lon\n1,2,3\n")
    geopackage(broken, {"z": SHAPES})
    broken.write_bytes(broken.read_bytes()[:3000])
    with closing(sqlite3.connect(empty)) as package:
        package.executescript(
            "CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT, srs_id INTEGER, geometry_type_name TEXT);"
        )
    return {
        "metres without a system": zipped(folder / "metres.zip", parts),
        "no dbf": zipped(folder / "bare.zip", {".shp": parts[".shp"]}),
        "two": two,
        "cut": zipped(folder / "cut.zip", cut),
        "points": zipped(folder / "points.zip", points()),
        "a system of no use": zipped(
            folder / "west.zip", parts | {".prj": pyproj.CRS.from_epsg(2296).to_wkt("WKT1_ESRI").encode()}
        ),
        "a height": zipped(folder / "height.zip", parts | {".prj": b"EPSG:5773"}),
        "fewer rows": zipped(folder / "fewer.zip", parts | {".dbf": _with_one_row(parts[".dbf"])}),
        "unknown system": zipped(folder / "odd.zip", parts | {".prj": b"PROJCS[mine]"}),
        "text": text,
        "broken": broken,
        "empty": empty,
        "layers": geopackage(folder / "layers.gpkg", {"districts": SHAPES, "wards": SHAPES}),
        "nothing there": geopackage(folder / "null.gpkg", {"z": {"a": None}}),
        "a view": _with_a_view(folder / "view.gpkg"),
        "no zip": _written(folder / "no.zip", b"PK\x03\x04 and no more"),
        "no shapefile": zipped(folder / "other.zip", {".txt": b"hello"}),
    }  # fmt: skip


def _with_one_row(table: bytes) -> bytes:
    return table[:4] + struct.pack("<I", 1) + table[8:]


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def _with_a_view(path: Path) -> Path:
    """Return a package whose layer is a query without an end."""
    with closing(sqlite3.connect(geopackage(path, {"z": SHAPES}))) as package, package:
        package.execute("ALTER TABLE z RENAME TO real")
        package.execute(
            "CREATE VIEW z AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS geom FROM n"
        )
    return path


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("metres without a system", r"metres\.zip: feature 1 lies outside degrees"),
        ("no dbf", r"bare\.zip is a Shapefile without its \.dbf"),
        ("two", r"two\.zip holds 2 Shapefiles \(a\.shp, b\.shp\)\. Name the one with the zones behind it: two\.zip/a\.shp\.$"),
        ("cut", r"cut\.zip is damaged: a part of it is not as long as it says"),
        ("points", r"points\.zip: feature 1 is a Point, not a polygon\."),
        ("a system of no use", r"The file says that its places are in a system that is not known here\."),
        ("a height", r"The file says that its places are in a system that is not known here\."),
        ("fewer rows", r"fewer\.zip has 2 shapes and 1 rows that say what they are"),
        ("unknown system", r"The file says that its places are in a system that is not known here\."),
        ("text", r"text\.gpkg is not readable"),
        ("broken", r"broken\.gpkg is not readable"),
        ("empty", r"empty\.gpkg holds no layer of features"),
        ("layers", r"layers\.gpkg holds 2 layers \(districts, wards\)\. Name the one with the zones behind it: layers\.gpkg/districts\.$"),
        ("nothing there", r"null\.gpkg: feature 1 has no readable geometry\."),
        ("a view", r"view\.gpkg holds no layer of features"),
        ("no zip", r"no\.zip is not readable"),
        ("no shapefile", r"other\.zip holds no Shapefile\. Zip its parts together"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_so_iv(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"^{said}"):
        geography_from_path(bad_files(tmp_path)[name])


def test_an_archive_that_unpacks_to_too_much_is_refused_iv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(map_files, "MAX_ZONE_FILE_MB", 1)
    path = zipped(tmp_path / "z.zip", shapefile_parts(SHAPES) | {".shp": bytes(2_000_000)})
    assert path.stat().st_size < 100_000
    with pytest.raises(DataError, match=r"^z\.zip holds a file of more than 1 MB"):
        geography_from_path(path)


def test_square_of_geojson_is_read_as_before(tmp_path: Path) -> None:
    (tmp_path / "z.json").write_text(json.dumps(collection(square("b", 2, 48))))
    assert geography_from_path(tmp_path / "z.json").zones == ["b"]
