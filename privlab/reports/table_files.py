"""A table → the bytes of a file that someone downloads."""

import io

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq


def parquet_from_table(table: pa.Table) -> bytes:
    """Return the table as a Parquet file, notes included."""
    held = io.BytesIO()
    pq.write_table(table, held)
    return held.getvalue()


def csv_from_table(table: pa.Table) -> bytes:
    """Return a table of numbers and times as CSV."""
    held = io.BytesIO()
    pa_csv.write_csv(table, held)
    return held.getvalue()
