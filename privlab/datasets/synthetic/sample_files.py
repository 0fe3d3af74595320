"""Writing the samples: fixed Parquet options, so that one command gives one file, byte for byte.

The same bytes need the same versions of numpy and pyarrow; another version gives an equal table.
"""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from privlab.datasets.synthetic.generators import DEFAULT_USERS, blocks, city_river, city_zones, zones_of

# Numbers that grow by small steps compress best as differences, all others as a dictionary.
_AS_DIFFERENCES = {"cabs": ("user_id", "timestamp")}


def write_sample(name: str, path: Path | str, *, n_users: int | None = None, seed: int = 1) -> int:
    """Return the number of rows written to the Parquet file at `path`, one row group per block of users."""
    tables = blocks(name, n_users=DEFAULT_USERS.get(name, 1) if n_users is None else n_users, seed=seed)
    first = next(tables)
    n_rows = int(first.num_rows)
    differences = _AS_DIFFERENCES.get(name, ("user_id",))
    with pq.ParquetWriter(
        path,
        first.schema,
        compression="zstd",
        compression_level=19,
        use_dictionary=[column for column in first.column_names if column not in differences],
        column_encoding=dict.fromkeys(differences, "DELTA_BINARY_PACKED"),
    ) as writer:
        writer.write_table(first, row_group_size=max(first.num_rows, 1))
        for table in tables:
            writer.write_table(table, row_group_size=max(table.num_rows, 1))
            n_rows += table.num_rows
    return n_rows


def write_places(folder: Path | str, *, seed: int = 1) -> list[Path]:
    """Return the files written to `folder`: the city's zones and river (GeoJSON), the stations (Parquet)."""
    folder = Path(folder)
    zones, river = folder / "city_zones.geojson", folder / "city_river.geojson"
    stations = folder / "commuter_stations.parquet"
    zones.write_text(json.dumps(city_zones(seed)) + "\n", encoding="utf-8")
    river.write_text(json.dumps(city_river(seed)) + "\n", encoding="utf-8")
    table: pa.Table = zones_of("commuters", seed=seed)
    pq.write_table(table, stations, compression="zstd", compression_level=19)
    return [zones, river, stations]
