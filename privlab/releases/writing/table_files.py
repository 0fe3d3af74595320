"""Tables -> the bytes of files that someone downloads; a simulated release says in its first line what it is."""

import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from privlab.od.simulating import SimulatedRelease
from privlab.od.trips import UNDATED
from privlab.safe_text import csv_text, file_word


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


def csv_from_simulated_release(release: SimulatedRelease, *, name: str, parameters: str) -> bytes:
    """Return a simulated release of the data `name` as CSV; ids that a spreadsheet would run get a ' before them."""
    zones, note = release.zones, ""
    if not pd.api.types.is_numeric_dtype(zones):
        ids = [str(zone) for zone in zones.tolist()]
        zones = np.array([csv_text(zone) for zone in ids], dtype=object)
        if any(safe.startswith("'") for safe in zones):
            note = " A quote (') stands before ids that a spreadsheet would take for formulas."
    frame = pd.DataFrame(
        {
            "week": "" if release.week == UNDATED else release.week,
            "origin": zones[release.origin],
            "destination": zones[release.destination],
            "simulated_count": release.count.round(3),
        }
    )
    text = io.StringIO()
    # A name with separators in it would begin cells of its own in a spreadsheet.
    line = f"{file_word(name)}, {parameters}.{note}"
    text.write(f"# Simulation, not a release: seeded floating-point noise. {line}\n")
    frame.to_csv(text, index=False)
    return text.getvalue().encode()
