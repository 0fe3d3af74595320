"""Shapefiles and GeoPackages → the features in them, as a GeoJSON document has them, and the system that they are in.

Knows how the two are laid out, by pyshp, SQLite and shapely; what a polygon may look like is checked with those of GeoJSON.
"""

import glob
import io
import lzma
import os
import sqlite3
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import shapefile
import shapely
import shapely.geometry

from privlab.checks import DataError
from privlab.datasets.columns.projected_systems import crs_from_wkt
from privlab.limits import MAX_ZONE_CORNERS, MAX_ZONE_FILE_MB, MAX_ZONES

shapefile.VERBOSE = False  # what it would warn of goes by the checks of polygons
MAP_SUFFIXES = (".shp", ".zip", ".gpkg")
_OF_SEVERAL = (".zip", ".gpkg")  # these may hold several maps
_ID_NAMES = ("zone", "zone_id", "id", "code")
_NAME_NAMES = ("name", "gen", "nom", "nombre", "naam", "nome", "namn", "label", "title", "bezeichnung", "bez")
_ROW_NUMBERS = ("fid", "ogc_fid", "objectid", "object_id", "gid", "shape_leng", "shape_area", "oid")
_SHP, _DBF, _PRJ, _CPG = ".shp", ".dbf", ".prj", ".cpg"
_NO_SYSTEM = (0, -1)  # what a GeoPackage calls a system that nobody named
_CORNER_BYTES = 16
_AREAS = ("POLYGON", "MULTIPOLYGON")
_ENVELOPE_BYTES = (0, 32, 48, 48, 64)  # of the head of a geometry in a GeoPackage, by its kind
_FAULTS = (
    shapefile.ShapefileException,
    shapefile.GeoJSON_Error,
    shapefile.RingSamplingError,
    shapely.errors.ShapelyError,
    sqlite3.Error,
    struct.error,
    zlib.error,
    zipfile.BadZipFile,
    lzma.LZMAError,
    RuntimeError,  # of a zip with a password, or packed in a way that is not read here
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    OverflowError,
    EOFError,
)
Document = dict[str, Any]
"""A parsed GeoJSON FeatureCollection."""


def document_from_map_file(path: Path, layer: str = "") -> tuple[Document, str | None]:
    """Return the features of a zipped Shapefile, of one with its parts beside it, or of a layer of a GeoPackage, and their system.

    `layer` says which map is meant, by a name of `layers_from_map_file`, and must where there are several. The system is None where
    places are degrees, as in GeoJSON. An id is the attribute zone, zone_id, id or code, in small or capital letters, or else the
    first attribute that is different for every feature. Raises DataError if the file is none of these.
    """
    with _unreadable(path):
        is_package = path.suffix.lower() == ".gpkg"
        rows, crs = (
            _of_geopackage(path, layer) if is_package else _of_shapefile(_parts(path, layer), path.name)
        )
    if not rows:
        raise DataError(f"{path.name} holds no features. Save the zones in it anew.")
    return _document(rows), crs


def layers_from_map_file(path: Path) -> tuple[str, ...]:
    """Return the names of the maps in a file: the Shapefiles of a zip, or a GeoPackage's layers of polygons, for want of these all.

    None of a file that holds one at most by its kind. Raises DataError if the file is not what its name says.
    """
    with _unreadable(path):
        if path.suffix.lower() == ".zip":
            with zipfile.ZipFile(path) as archive:
                return tuple(_shapefiles(archive))
        if path.suffix.lower() == ".gpkg":
            with _opened(path) as package:
                return tuple(str(one[0]) for one in _layers(package))
    return ()


def map_file_and_layer(path: Path) -> tuple[Path, str]:
    """Return a zone file and the map in it that a path names behind it, as in `boundaries.gpkg/communes`; "" where it names none."""
    if not os.path.isfile(path):  # which no name is too long for
        for file in path.parents:
            if file.suffix.lower() in _OF_SEVERAL and os.path.isfile(file):
                return file, "/".join(path.relative_to(file).parts)
    return path, ""


def is_map_file(path: Path) -> bool:
    """Return whether a file is a Shapefile, zipped or not, or a GeoPackage, by its name."""
    return path.suffix.lower() in MAP_SUFFIXES


@contextmanager
def _unreadable(path: Path) -> Iterator[None]:
    try:
        yield
    except DataError:
        raise
    except _FAULTS as fault:
        raise DataError(
            f"{path.name} is not readable as a Shapefile or a GeoPackage. Let a map program write it anew, as GeoJSON if need be."
        ) from fault


# --- Shapefiles ------------------------------------------------------------------------------------


def _parts(path: Path, layer: str) -> dict[str, bytes]:
    """Return the parts of a Shapefile by their endings: those in an archive, of the one that `layer` names, or those beside it under its name."""
    if path.suffix.lower() != ".zip":
        beside = {
            one.suffix.lower(): one
            for one in path.parent.glob(f"{glob.escape(path.stem)}.*")
            if one.stem == path.stem
        }
        return {
            suffix: beside[suffix].read_bytes() for suffix in (_SHP, _DBF, _PRJ, _CPG) if suffix in beside
        }
    with zipfile.ZipFile(path) as archive:
        shapes = _shapefiles(archive)
        if not shapes:
            raise DataError(
                f"{path.name} holds no Shapefile. Zip its parts together (.shp, .dbf, .prj), or give the file of polygons itself."
            )
        chosen = shapes[_chosen(shapes, layer, path, "Shapefiles")]
        stem = chosen[: -len(_SHP)].lower()
        wanted = {stem + suffix: suffix for suffix in (_SHP, _DBF, _PRJ, _CPG)}
        return {
            wanted[info.filename.lower()]: _unpacked(archive, info, path)
            for info in archive.infolist()
            if info.filename.lower() in wanted
        }


def _shapefiles(archive: zipfile.ZipFile) -> list[str]:
    return [name for name in archive.namelist() if name.lower().endswith(_SHP) and not _of_a_mac(name)]


def _of_a_mac(name: str) -> bool:
    """Return whether a file is one that a Mac puts beside others in an archive."""
    return "__MACOSX" in name or name.rpartition("/")[2].startswith("._")


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> bytes:
    most = MAX_ZONE_FILE_MB * 1_000_000
    try:
        with archive.open(info) as member:
            content = member.read(most + 1)
    except OSError as fault:  # of damaged bzip2
        raise zipfile.BadZipFile(info.filename) from fault
    if len(content) > most:
        raise DataError(
            f"{path.name} holds a file of more than {MAX_ZONE_FILE_MB} MB; simplify the polygons first."
        )
    return content


Rows = list[tuple[dict[str, Any], Any]]
"""Features: what is said of each, and its geometry as GeoJSON has it."""


def _of_shapefile(parts: dict[str, bytes], source: str) -> tuple[Rows, str | None]:
    if _DBF not in parts:
        raise DataError(
            f"{source} is a Shapefile without its .dbf, which says what its zones are called. Zip all its parts together."
        )
    _require_whole(parts, source)
    reader = shapefile.Reader(
        shp=io.BytesIO(parts[_SHP]), dbf=io.BytesIO(parts[_DBF]), encoding=_encoding(parts)
    )
    _require_few(reader.numRecords, source)
    shapes, records = list(reader.iterShapes()), list(reader.iterRecords())
    if len(shapes) != len(records):
        raise DataError(
            f"{source} has {len(shapes):,} shapes and {len(records):,} rows that say what they are. Let a map program write it anew."
        )
    rows = [
        (_in_small_letters(record.as_dict()), shape.__geo_interface__ if shape.shapeType else None)
        for record, shape in zip(records, shapes, strict=True)
    ]
    return rows, None if _PRJ not in parts else crs_from_wkt(parts[_PRJ].decode("utf-8", "replace"))


def _require_whole(parts: dict[str, bytes], source: str) -> None:
    """Raise DataError if the parts are shorter than their heads say, or of more corners than can be worked with."""
    shp, dbf = parts[_SHP], parts[_DBF]
    (words,) = struct.unpack(">i", shp[24:28])
    n_rows, head, width = struct.unpack("<IHH", dbf[4:12])
    if 2 * words > len(shp) or head + n_rows * width > len(dbf):
        raise DataError(
            f"{source} is damaged: a part of it is not as long as it says. Let a map program write it anew."
        )
    if len(shp) // _CORNER_BYTES > MAX_ZONE_CORNERS:
        raise DataError(f"{source} has more than {MAX_ZONE_CORNERS:,} corners. Simplify the polygons.")


def _in_small_letters(said: dict[str, Any]) -> dict[str, Any]:
    """Return attributes by their names in small letters, of two that differ in nothing else the first."""
    small: dict[str, Any] = {}
    for name, value in said.items():
        small.setdefault(name.lower(), value)
    return small


def _encoding(parts: dict[str, bytes]) -> str:
    """Return how the texts of a Shapefile are written: as its .cpg says, else as they can be read."""
    said = parts.get(_CPG, b"").decode("ascii", "replace").strip().lower()
    if said.isdigit():
        said = f"cp{said}" if len(said) > 3 else said
    table = parts[_DBF]
    head = int.from_bytes(table[8:10], "little")  # of whose bytes many are no letters
    texts = table[head:]
    for one in (said, "utf-8"):
        try:
            if one:
                texts.decode(one)
                return one
        except (LookupError, UnicodeDecodeError):
            continue
    return "latin-1"


# --- GeoPackages -----------------------------------------------------------------------------------


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a GeoPackage to read it alone."""
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    beside = path.with_name(f"{path.name}-wal")
    if beside.exists() and beside.stat().st_size:
        raise DataError(
            f"{path.name} is open in another program, which has not written all of it. Close it there first."
        )
    with closing(sqlite3.connect(address, uri=True)) as package:
        package.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_ZONE_FILE_MB * 1_000_000)
        yield package


def _layers(package: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """Return table, column, system and kind of each layer of polygons, and where there is none of any layer of features."""
    layers = package.execute(
        "SELECT g.table_name, g.column_name, g.srs_id, g.geometry_type_name FROM gpkg_geometry_columns g JOIN sqlite_master m "
        "ON lower(m.name) = lower(g.table_name) AND m.type = 'table'"
    ).fetchall()
    return [layer for layer in layers if str(layer[3]).upper() in _AREAS] or layers


def _chosen(names: Sequence[str], wanted: str, path: Path, what: str) -> int:
    """Return the place of the map that is wanted among those of a file, by its name; of a single one it need not be named."""
    if wanted in names:
        return names.index(wanted)
    if wanted:
        raise DataError(
            f"{path.name} holds no {wanted!r} among its {what} ({_listed(names)}). Name one of them."
        )
    if len(names) > 1:
        raise DataError(
            f"{path.name} holds {len(names)} {what} ({_listed(names)}). Name the one with the zones behind it: {path.name}/{names[0]}."
        )
    return 0


def _of_geopackage(path: Path, wanted: str) -> tuple[Rows, str | None]:
    with _opened(path) as package:
        layers = _layers(package)
        if not layers:
            raise DataError(
                f"{path.name} holds no layer of features. Save the one with the zones as a GeoPackage."
            )
        table, column, srs, _ = layers[_chosen([str(one[0]) for one in layers], wanted, path, "layers")]
        quoted = '"' + str(table).replace('"', '""') + '"'
        _require_few(int(package.execute(f"SELECT count(*) FROM {quoted}").fetchone()[0]), path.name)
        # Columns that are worked out may be of any length.
        kept = [str(one[1]) for one in package.execute(f"PRAGMA table_xinfo({quoted})") if not one[6]]
        listed = ", ".join('"' + name.replace('"', '""') + '"' for name in kept)
        found = package.execute(f"SELECT {listed} FROM {quoted}")
        names = [name.lower() for name in kept]
        at = names.index(str(column).lower())
        rows = [
            (
                {
                    name: value
                    for place, (name, value) in enumerate(zip(names, row, strict=True))
                    if place != at
                },
                _geometry(row[at]),
            )
            for row in found
        ]
        return rows, _system(package, srs)


def _system(package: sqlite3.Connection, srs: Any) -> str | None:
    if srs in _NO_SYSTEM:
        return None
    said = package.execute(
        "SELECT organization, organization_coordsys_id, definition FROM gpkg_spatial_ref_sys WHERE srs_id = ?",
        (srs,),
    ).fetchone()
    if said is None:
        return None
    organization, number, definition = said
    return crs_from_wkt(f"EPSG:{number}" if str(organization).upper() == "EPSG" else str(definition))


def _geometry(blob: Any) -> Any:
    """Return a geometry of a GeoPackage as GeoJSON has it: after a head of its own it is well-known binary."""
    if not isinstance(blob, bytes) or blob[:2] != b"GP":
        return None
    start = 8 + _ENVELOPE_BYTES[(blob[3] >> 1) & 7]
    return shapely.geometry.mapping(shapely.from_wkb(blob[start:]))


# --- both ------------------------------------------------------------------------------------------


def _require_few(n: int, source: str) -> None:
    if n > MAX_ZONES:
        raise DataError(f"{source} holds {n:,} features, more than {MAX_ZONES:,}. Join some of them.")


def _document(rows: Rows) -> Document:
    """Return features with ids: those that their attributes name, else the first attribute that is different for each."""
    names = list(rows[0][0])
    zone = next((name for name in _ID_NAMES if name in names), None) or _telling(names, rows)
    name = next((one for one in _NAME_NAMES if one in names), None)
    features = []
    for said, geometry in rows:
        properties = {one: value for one, value in said.items() if one not in (zone, "zone", "name")}
        if zone is not None:
            properties["zone"] = said[zone]
        if name is not None and said[name] is not None:
            properties["name"] = str(said[name])
        features.append({"type": "Feature", "properties": properties, "geometry": geometry})
    return {"type": "FeatureCollection", "features": features}


def _telling(names: Sequence[str], rows: Rows) -> str | None:
    """Return the first attribute that is different for every feature, the numbers of rows last."""
    for name in sorted(names, key=lambda one: one in _ROW_NUMBERS):
        values = [said[name] for said, _ in rows]
        if all(
            isinstance(one, int | str) and not isinstance(one, bool) and one != "" for one in values
        ) and len({*values}) == len(values):
            return name
    return None


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 4 else ""
    return ", ".join(names if len(names) < 5 else names[:3]) + more
