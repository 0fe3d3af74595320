"""Files of zones → geographies: polygons as GeoJSON, Shapefile or GeoPackage, or a table of positions (zone, lat, lon).

An id is what is written: 01001 and NA are ids like others. Needs no database.
"""

import codecs
import csv
import hashlib
import io
import json
import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from privlab.checks import DataError
from privlab.datasets.files.containers import TEXT_SUFFIXES
from privlab.datasets.files.delimiters import delimiter_from_text
from privlab.datasets.files.file_kinds import (
    HEAD_BYTES,
    complaints,
    decompressed_chunks,
    encoding_from_head,
    format_from_head,
    head_from_path,
    text_from_head,
)
from privlab.datasets.zone_files.geography import MOST_COLUMNS, FurtherColumns, Geography, ids_from_texts
from privlab.datasets.zone_files.map_files import document_from_map_file, is_map_file, map_file_and_layer
from privlab.datasets.zone_files.polygons import geography_from_geojson
from privlab.limits import MAX_ZONE_FILE_MB, MAX_ZONES
from privlab.progress import UNHEARD, Progress

_COLUMNS = {
    "zone": (
        *("zone", "stop_id", "zone_id", "id", "antenna_id", "station_id", "cell_id", "code"),
        *("station", "stop", "antenna", "cell", "site_id", "site", "station_code"),
    ),  # zone_id beside stop_id is the zone of fares that many stops share, as in the stops.txt of GTFS
    "lat": ("lat", "latitude", "stop_lat", "y"),
    "lon": ("lon", "lng", "long", "longitude", "stop_lon", "x"),
    "name": ("name", "label", "title", "stop_name"),
}
_KIND = "location_type"  # of a stop_id, in GTFS
# Entrances, nodes of the ways within a station, places to board: some have no position.
_NO_ZONES = ("2", "3", "4")
_OTHER = "column "  # before the name of a column that is neither id, position nor name
_MAX_EXACT = 2.0**53
_MOST_DEGREES = 360
_MOST_NAMED = 8  # columns in a complaint
_MOST_LETTERS = 60  # of each
Row = tuple[int, dict[str, Any]]
"""A row's number and what stands in its columns."""


def geography_from_path(path: Path | str, *, layer: str = "", progress: Progress = UNHEARD) -> Geography:
    """Return the zones of a GeoJSON file, Shapefile or GeoPackage, or of a table with zone, lat and lon columns: text, Parquet, Arrow or Excel.

    What kind of table it is, and how a text is written, is found as for files of data. `layer` names one of several maps in a file,
    a GeoPackage's layer or a Shapefile of a zip; it may stand behind the path, too: `boundaries.gpkg/communes`.

    Raises DataError if the file is missing, too large, or not what it should be.
    """
    path = Path(path)
    if not layer:
        path, layer = map_file_and_layer(path)
    if not os.path.isfile(path):  # which no name is too long for
        raise DataError(f"{path.name} is not a file; give a file of polygons or a table of zone, lat, lon.")
    if path.stat().st_size > MAX_ZONE_FILE_MB * 1_000_000:
        raise DataError(f"{path.name} is larger than {MAX_ZONE_FILE_MB} MB; simplify the polygons first.")
    progress.tell(0.0, "Reading the zone file")
    if is_map_file(path):
        document, crs = document_from_map_file(path, layer)
        return geography_from_geojson(document, path.name, crs=crs, progress=progress)
    if _is_geojson(path):
        return geography_from_geojson(geojson_from_path(path), path.name, progress=progress)
    head = head_from_path(path)
    format = format_from_head(head, path)
    if format == "csv":
        return _geography_from_rows(_rows_of_text(path), path.name)
    rows = _rows_of_workbook(path) if format == "xlsx" else _rows_of_columns(path, format)
    return _geography_from_rows(rows, path.name)


def _is_geojson(path: Path) -> bool:
    """Return whether a file is GeoJSON: by its name, and under a name that says nothing by how it begins."""
    suffix = path.suffix.lower()
    if suffix in (".geojson", ".json"):
        return True
    with path.open("rb") as file:
        return suffix not in TEXT_SUFFIXES and file.read(100).removeprefix(codecs.BOM_UTF8).lstrip()[:1] in (
            b"{",
            b"[",
        )


def is_table_of_positions(columns: Sequence[str]) -> bool:
    """Return whether a table with these columns says where zones lie: an id, a latitude and a longitude.

    >>> is_table_of_positions(["station", "lat", "lon"]), is_table_of_positions(["user", "lat", "lon"])
    (True, False)
    """
    plain = {name.strip().lower() for name in columns}
    wanted = {role: {*names} - {"x", "y"} for role, names in _COLUMNS.items()}  # x and y may be metres
    return all(wanted[role] & plain for role in ("zone", "lat", "lon"))


def geojson_from_path(path: Path | str) -> Any:
    """Return the parsed JSON of a file. Raises DataError if it is none."""
    path = Path(path)
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError):
        raise DataError(f"{path.name} is not readable as GeoJSON; is it another kind of file?") from None
    except RecursionError:
        raise DataError(
            f"{path.name} is nested deeper than any GeoJSON; is it another kind of file?"
        ) from None
    except ValueError:  # Python reads no whole number of more than 4,300 digits
        raise DataError(
            f"{path.name} holds a number of thousands of digits. Is it an id? Write it as text."
        ) from None


def _rows_of_text(path: Path) -> Iterator[Row]:
    """Yield the rows of a text table, written in any way in which the lab reads one of data.

    No rule of releases is touched: a zone file is public, and says nothing of people.
    """
    data = _unpacked(path)
    encoding = encoding_from_head(data[:HEAD_BYTES], path)
    if encoding == "utf-8" and not _is_utf8(data):  # as files of data are read
        encoding = "cp1252"
    delimiter = delimiter_from_text(text_from_head(data[:HEAD_BYTES], encoding))
    if encoding.startswith("utf"):
        data = data.removeprefix("\ufeff".encode(encoding))
    text = io.TextIOWrapper(io.BytesIO(data), encoding, errors="replace", newline="")
    lines = csv.reader(text, delimiter=delimiter, strict=True)
    try:
        header = next((cells for cells in lines if any(map(str.strip, cells))), None)
        if header is None:
            raise DataError(f"{path.name} is not readable as a table of zone, lat, lon.")
        columns = _columns(header, path.name)
        for cells in lines:
            if not any(map(str.strip, cells)) and len(cells) != len(header):
                continue
            if len(cells) == len(header) + 1 and not cells[-1].strip():
                cells.pop()  # every row ends in a delimiter, the header does not
            if len(cells) != len(header):
                raise DataError(
                    f"{path.name}: row {lines.line_num:,} has {len(cells)} fields, the header {len(header)}."
                )
            row: dict[str, Any] = {role: cells[at].strip() or None for role, at in columns.items()}
            if delimiter != ",":  # a comma inside a number can only be a decimal one
                row |= {role: row[role].replace(",", ".") for role in ("lat", "lon") if row[role]}
            yield lines.line_num, row
    except csv.Error:
        raise DataError(f"{path.name} is not readable as a table of zone, lat, lon.") from None


def _unpacked(path: Path) -> bytes:
    """Return the bytes of a text table, decompressed."""
    found = bytearray()
    with complaints(path), path.open("rb") as file:
        for chunk in decompressed_chunks(file, hashlib.blake2b(), path):
            found += chunk
            if len(found) > MAX_ZONE_FILE_MB * 1_000_000:
                raise DataError(
                    f"{path.name} is larger than {MAX_ZONE_FILE_MB} MB once it is unpacked. Leave out what is no zone."
                )
    return bytes(found)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _rows_of_columns(path: Path, format: str) -> Iterator[Row]:
    """Yield the rows of a Parquet or an Arrow table, the first as row 2."""
    import pyarrow as pa

    try:
        table = _table_of_columns(path, format)
    except (OSError, pa.ArrowException):
        raise DataError(f"{path.name} is not readable as a table of zone, lat, lon.") from None
    lists = {role: column.to_pylist() for role, column in table.items()}
    for number in range(len(lists["zone"])):
        yield number + 2, {role: values[number] for role, values in lists.items()}


def _table_of_columns(path: Path, format: str) -> dict[str, Any]:
    """Return the columns of a Parquet or an Arrow table that mean something, by their role."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def wanted(schema: Any, n_rows: int) -> dict[str, int]:
        columns = _columns(schema.names, path.name)
        _require_ids(schema.field(columns["zone"]), path.name)
        if n_rows > MAX_ZONES:
            raise DataError(_too_many(path.name))
        return {
            role: at
            for role, at in columns.items()
            if not role.startswith(_OTHER) or _is_words(schema.field(at).type)
        }

    if format == "arrow":
        with pa.OSFile(str(path)) as file:
            table = pa.ipc.open_file(file).read_all()
            table.validate(full=True)  # offsets that lead out of a damaged file would end the process
        return {role: table.column(at) for role, at in wanted(table.schema, table.num_rows).items()}
    with pq.ParquetFile(path) as parquet:
        schema = parquet.schema_arrow
        roles = wanted(schema, parquet.metadata.num_rows)
        table = parquet.read([schema.names[at] for at in roles.values()])
    return {role: table.column(schema.names[at]) for role, at in roles.items()}


def _rows_of_workbook(path: Path) -> Iterator[Row]:
    """Yield the rows of the first sheet with a table, by the number they have there where none is empty."""
    from privlab.datasets.files.workbooks import rows_from_workbook, sheet_from_path

    sheet = sheet_from_path(path)
    columns = _columns(sheet.columns, path.name)
    for number, cells in enumerate(rows_from_workbook(path, sheet), sheet.skip + 1):
        yield number, {role: cells[at] or None for role, at in columns.items()}


def _columns(header: Sequence[str], source: str) -> dict[str, int]:
    """Return where the columns stand that mean something; of two with one name the last."""
    plain = {name.strip().lower(): at for at, name in enumerate(header)}
    found = {
        role: next((plain[name] for name in names if name in plain), None) for role, names in _COLUMNS.items()
    }
    missing = [role for role in ("zone", "lat", "lon") if found[role] is None]
    if missing:
        raise DataError(
            f"{source} has no column for {', '.join(missing)}; it needs zone, lat and lon. {_found(header)}"
        )
    roles = {role: at for role, at in found.items() if at is not None}
    if "stop_id" in plain and _KIND in plain:
        roles[_KIND] = plain[_KIND]
    others = [at for name, at in plain.items() if name and at not in roles.values()]
    return roles | {_OTHER + header[at].strip(): at for at in others[:MOST_COLUMNS]}


def _found(header: Sequence[str]) -> str:
    """Return which columns there are, in a sentence; of a single one, what may be wrong with it.

    >>> _found(["id", "north"])
    "It has the columns 'id' and 'north'."
    """
    shown = [repr(name.strip()[:_MOST_LETTERS]) for name in header[:_MOST_NAMED]]
    if len(header) == 1:
        return f"It has a single column, {shown[0]}. Are the columns separated by a comma, semicolon, tab or bar?"
    if len(header) > len(shown):
        return f"It has the columns {', '.join(shown)} and {len(header) - len(shown):,} more."
    return f"It has the columns {', '.join(shown[:-1])} and {shown[-1]}."


def _is_words(kind: Any) -> bool:
    import pyarrow.types as kinds

    return bool(kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_integer(kind))


def _require_ids(field: Any, source: str) -> None:
    import pyarrow.types as kinds

    kind = field.type.value_type if kinds.is_dictionary(field.type) else field.type
    texts = kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind)
    if not (texts or kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind)):
        raise DataError(
            f"{source}: column {field.name!r} holds {kind}, not ids; write them as text or whole numbers.",
            column=field.name,
        )


def _geography_from_rows(rows: Iterator[Row], source: str) -> Geography:
    texts: list[str] = []
    places: list[tuple[float, float]] = []
    names: list[str] = []
    known: set[str] = set()
    columns = FurtherColumns()
    for row, cells in rows:
        if _words(cells.get(_KIND)) in _NO_ZONES:
            continue
        zone = _id(cells["zone"], row, source)
        if zone in known:
            raise DataError(
                f"{source} lists a zone more than once (row {row:,}: {zone!r}); give each one position."
            )
        known.add(zone)
        texts.append(zone)
        places.append(_place(cells["lat"], cells["lon"], row, source))
        names.append(zone if cells.get("name") is None else str(cells["name"]))
        for role, said in cells.items():
            if role.startswith(_OTHER) and said is not None:
                columns.keep(role.removeprefix(_OTHER), zone, _words(said))
        if len(texts) > MAX_ZONES:
            raise DataError(_too_many(source))
    if not texts:
        raise DataError(f"{source} has a header but no zones.")
    zones = ids_from_texts(texts)
    of_text = dict(zip(texts, zones, strict=True))
    return Geography(
        zones=sorted(zones),
        centres=dict(zip(zones, places, strict=True)),
        names=dict(zip(zones, names, strict=True)),
        columns={
            name: {of_text[zone]: said for zone, said in column.items()}
            for name, column in columns.found.items()
        },
    )


def _words(said: Any) -> str:
    """Return what stands in a cell as text; a whole number without its decimals."""
    return str(int(said)) if isinstance(said, float) and said.is_integer() else str(said)


def _id(value: Any, row: int, source: str) -> str:
    """Return an id as it is written; a number without its decimals, which must be none."""
    text = value.strip() if isinstance(value, str) else value
    if text is None or text == "" or (isinstance(text, float) and math.isnan(text)):
        raise DataError(f"{source}: row {row:,} has no zone id.")
    if not isinstance(text, str | int):
        if not (math.isfinite(text) and text == int(text) and abs(text) < _MAX_EXACT):
            raise DataError(
                f"{source}: row {row:,} has the zone id {text}; write ids as text or whole numbers."
            )
        text = int(text)
    return str(text)


def _place(lat: Any, lon: Any, row: int, source: str) -> tuple[float, float]:
    try:
        place = float(lat), float(lon)
    except (TypeError, ValueError, OverflowError):
        place = math.nan, math.nan
    if None in (lat, lon) or "" in (lat, lon):
        raise DataError(f"{source}: row {row:,} has no position. Give it one, or leave the row out.")
    if not (abs(place[0]) <= 90 and abs(place[1]) <= 180):
        asked = (
            "Are they metres of a projected system? Let a map program write them in degrees."
            if max(abs(place[0]), abs(place[1])) > _MOST_DEGREES
            else "Is this latitude/longitude swapped?"
        )
        raise DataError(f"{source}: row {row:,} has no position in degrees. {asked}")
    return place


def _too_many(source: str) -> str:
    return f"{source} lists more than {MAX_ZONES:,} zones. Leave out those that the data does not name."
