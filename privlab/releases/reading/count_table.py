"""The Parquet file of a release → its counts, if it can be a release at all: no file is read that could be larger than one.

Knows columns, types and sizes; what the counts must be is asked elsewhere.
"""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from privlab.checks import DataError
from privlab.datasets.files import parquet_bytes
from privlab.limits import MAX_SECURE_CELLS
from privlab.od import Product
from privlab.releases.folders.release_folders import CSV, ESTIMATES, LEVELS, PARQUET

_FEW_ROWS = 10_000  # that are read whatever a certificate says of them: what is wrong with them can be told
_MOST_BYTES = 1_000_000_000  # of all values of MAX_SECURE_CELLS cells, with ids of some hundred letters
_LARGEST_FILE = 4_000_000_000  # bytes: the same in words, with intervals and what else stands beside each


def require_ordinary_files(folder: Path) -> None:
    """Raise a DataError if a file that a certificate is checked against is a pipe or a device, which may never end, or far too large.

    A file of terabytes with nothing in it takes no room on a disk, but hours to be read.
    """
    for name in (CSV, PARQUET, ESTIMATES, LEVELS):
        path = folder / name
        require_ordinary(path)
        if path.exists() and (n_bytes := path.stat().st_size) > _LARGEST_FILE:
            raise DataError(
                f"{name} has {n_bytes / 1e9:,.0f} GB, more than a file of any release: it is not the one certified. Ask the publisher for it."
            )


def require_ordinary(path: Path) -> None:
    """Raise a DataError if there is something else than a file at a path; links to files are files."""
    if path.exists() and not path.is_file():
        raise DataError(f"{path.name} is no ordinary file.")


def table_of_counts(path: Path) -> pa.Table:
    """Return the counts of a release that was found sound."""
    with path.open("rb") as file, pq.ParquetFile(file) as parquet:
        return parquet.read()


def table_of_release(
    path: Path, certificate: dict[str, Any], product: Product
) -> tuple[pa.Table | None, bool]:
    """Return the counts beside a certificate, None if they are not those of a release, and whether that is because they are too many.

    Too many are more rows than the certificate says, or larger values than a release has: of these nothing is read. Raises OSError or
    ArrowException where the file cannot be read.
    """
    with path.open("rb") as file, pq.ParquetFile(file) as parquet:
        about = parquet.metadata
        if not _is_of_release(parquet.schema_arrow, product):
            return None, False
        n_rows = max(about.num_rows, sum(about.row_group(n).num_rows for n in range(about.num_row_groups)))
        stated = max(certificate["utility"]["published_cells"], _FEW_ROWS)
        if n_rows > min(stated, MAX_SECURE_CELLS) or parquet_bytes(path, parquet, _MOST_BYTES) > _MOST_BYTES:
            return None, True
        table = parquet.read()
    return (None if any(column.null_count for column in table.columns) else table), False


def _is_of_release(schema: pa.Schema, product: Product) -> bool:
    """Whether a table has the columns of a release."""
    if schema.names != ["week", *product.columns, "count"]:
        return False
    week, *cell, count = schema.types
    zones, slots = cell[: product.n_ends], cell[product.n_ends :]
    ids = pa.types.is_int64(zones[0]) or pa.types.is_string(zones[0]) or pa.types.is_large_string(zones[0])
    whens = all(
        pa.types.is_string(one) if product.name == "flows-by-slot" else pa.types.is_int64(one)
        for one in slots
    )
    return bool(
        pa.types.is_date32(week) and ids and zones[0] == zones[-1] and whens and pa.types.is_int64(count)
    )
