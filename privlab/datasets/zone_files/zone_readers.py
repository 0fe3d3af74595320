"""Files of zones → geographies: GeoJSON polygons, or a table of positions (zone, lat, lon).

An id is what is written: 01001 and NA are ids like others. Needs no database.
"""

import csv
import json
import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from privlab.checks import DataError
from privlab.datasets.zone_files.geography import MOST_COLUMNS, FurtherColumns, Geography, ids_from_texts
from privlab.datasets.zone_files.polygons import geography_from_geojson
from privlab.limits import MAX_ZONE_FILE_MB, MAX_ZONES
from privlab.progress import UNHEARD, Progress

_COLUMNS = {
    "zone": (
        *("zone", "zone_id", "id", "antenna_id", "station_id", "cell_id", "code"),
        *("station", "stop_id", "stop", "antenna", "cell", "site_id", "site", "station_code"),
    ),
    "lat": ("lat", "latitude", "y"),
    "lon": ("lon", "lng", "long", "longitude", "x"),
    "name": ("name", "label", "title"),
}
_OTHER = "column "  # before the name of a column that is neither id, position nor name
_MAX_EXACT = 2.0**53
Row = tuple[int, dict[str, Any]]
"""A row's number and what stands in its columns."""


def geography_from_path(path: Path | str, *, progress: Progress = UNHEARD) -> Geography:
    """Return the zones of a GeoJSON file, or of a CSV, Parquet or Excel table with zone, lat and lon columns.

    Raises DataError if the file is missing, too large, or not what it should be.
    """
    path = Path(path)
    if not os.path.isfile(path):  # which no name is too long for
        raise DataError(f"{path.name} is not a file; give a GeoJSON file or a table of zone, lat, lon.")
    if path.stat().st_size > MAX_ZONE_FILE_MB * 1_000_000:
        raise DataError(f"{path.name} is larger than {MAX_ZONE_FILE_MB} MB; simplify the polygons first.")
    progress.tell(0.0, "Reading the zone file")
    if path.suffix.lower() in (".csv", ".parquet"):
        rows = _rows_of_parquet(path) if path.suffix.lower() == ".parquet" else _rows_of_text(path)
        return _geography_from_rows(rows, path.name)
    if path.suffix.lower() == ".xlsx":
        return _geography_from_rows(_rows_of_workbook(path), path.name)
    return geography_from_geojson(geojson_from_path(path), path.name, progress=progress)


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
    """Yield the rows of a comma-separated table, its header among them as row 1."""
    refusal = f"{path.name} is not readable as a table of zone, lat, lon."
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file, strict=True)
            header = next(lines, None)
            if header is None:
                raise DataError(refusal)
            columns = _columns(header, path.name)
            for cells in lines:
                if not cells:
                    continue
                if len(cells) != len(header):
                    raise DataError(
                        f"{path.name}: row {lines.line_num:,} has {len(cells)} fields, the header {len(header)}."
                    )
                yield lines.line_num, {role: cells[at].strip() or None for role, at in columns.items()}
    except (OSError, UnicodeDecodeError, csv.Error):
        raise DataError(refusal) from None


def _rows_of_parquet(path: Path) -> Iterator[Row]:
    """Yield the rows of a Parquet table, the first as row 2."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            schema = file.schema_arrow
            columns = _columns(schema.names, path.name)
            _require_ids(schema.field(columns["zone"]), path.name)
            if file.metadata.num_rows > MAX_ZONES:
                raise DataError(_too_many(path.name))
            columns = {
                role: at
                for role, at in columns.items()
                if not role.startswith(_OTHER) or _is_words(schema.field(at).type)
            }
            table = file.read([schema.names[at] for at in columns.values()])
    except (OSError, pa.ArrowException):
        raise DataError(f"{path.name} is not readable as a table of zone, lat, lon.") from None
    lists = {role: table.column(schema.names[at]).to_pylist() for role, at in columns.items()}
    for number in range(table.num_rows):
        yield number + 2, {role: values[number] for role, values in lists.items()}


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
        raise DataError(f"{source} has no column for {', '.join(missing)}; it needs zone, lat and lon.")
    roles = {role: at for role, at in found.items() if at is not None}
    others = [at for name, at in plain.items() if name and at not in roles.values()]
    return roles | {_OTHER + header[at].strip(): at for at in others[:MOST_COLUMNS]}


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
    if not (abs(place[0]) <= 90 and abs(place[1]) <= 180):
        raise DataError(
            f"{source}: row {row:,} has no position in degrees. Is this latitude/longitude swapped?"
        )
    return place


def _too_many(source: str) -> str:
    return f"{source} lists more than {MAX_ZONES:,} zones. Leave out those that the data does not name."
