"""Files of zones → geographies: GeoJSON polygons, or a table of positions (zone, lat, lon)."""

import json
import os
from pathlib import Path
from typing import Any

import pandas as pd

from privlab.checks import DataError
from privlab.datasets.polygon_zones import Geography, geography_from_geojson

_MAX_BYTES = 100_000_000
_COLUMNS = {
    "zone": ("zone", "zone_id", "id", "antenna_id", "station_id", "cell_id", "code"),
    "lat": ("lat", "latitude", "y"),
    "lon": ("lon", "lng", "long", "longitude", "x"),
    "name": ("name", "label", "title"),
}


def geography_from_path(path: Path | str) -> Geography:
    """Return the zones of a GeoJSON file, or of a CSV or Parquet table with zone, lat and lon columns.

    Raises DataError if the file is missing, too large, or not what it should be.
    """
    path = Path(path)
    if not os.path.isfile(path):  # which no name is too long for
        raise DataError(f"{path.name} is not a file; give a GeoJSON file or a table of zone, lat, lon.")
    if path.stat().st_size > _MAX_BYTES:
        raise DataError(
            f"{path.name} is larger than {_MAX_BYTES // 1_000_000} MB; simplify the polygons first."
        )
    if path.suffix.lower() in (".csv", ".parquet"):
        return _geography_from_table(_table(path), path.name)
    return geography_from_geojson(geojson_from_path(path), path.name)


def geojson_from_path(path: Path | str) -> Any:
    """Return the parsed JSON of a file. Raises DataError if it is none."""
    path = Path(path)
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise DataError(f"{path.name} is not readable as GeoJSON; is it another kind of file?") from None


def _table(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path) if path.suffix.lower() == ".parquet" else pd.read_csv(path)
    except (OSError, ValueError):
        raise DataError(f"{path.name} is not readable as a table of zone, lat, lon.") from None


def _geography_from_table(table: pd.DataFrame, source: str) -> Geography:
    plain = {str(name).strip().lower(): name for name in table.columns}
    found = {
        role: next((plain[name] for name in names if name in plain), None) for role, names in _COLUMNS.items()
    }
    missing = [role for role in ("zone", "lat", "lon") if found[role] is None]
    if missing:
        raise DataError(f"{source} has no column for {', '.join(missing)}; it needs zone, lat and lon.")
    if table.empty:
        raise DataError(f"{source} has a header but no zones.")
    if table[found["zone"]].isna().any():
        row = int(table[found["zone"]].isna().to_numpy().argmax()) + 2
        raise DataError(f"{source}: row {row} has no zone id.")
    lat, lon = (pd.to_numeric(table[found[role]], errors="coerce") for role in ("lat", "lon"))
    if not (lat.between(-90, 90) & lon.between(-180, 180)).all():
        row = int((~(lat.between(-90, 90) & lon.between(-180, 180))).to_numpy().argmax()) + 2
        raise DataError(
            f"{source}: row {row} has no position in degrees. Is this latitude/longitude swapped?"
        )
    zones = table[found["zone"]].tolist()
    if len(set(zones)) != len(zones):
        raise DataError(f"{source} lists a zone more than once; give each one position.")
    names = (
        table[found["name"]].astype(str) if found["name"] is not None else table[found["zone"]].astype(str)
    )
    return Geography(
        zones=sorted(zones),
        centres=dict(zip(zones, zip(lat.tolist(), lon.tolist(), strict=True), strict=True)),
        names=dict(zip(zones, names, strict=True)),
    )
