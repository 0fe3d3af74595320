"""Tables -> the bytes of files that someone downloads; a simulated release says in its first line what it is."""

import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from privlab.od.simulating import SimulatedRelease
from privlab.od.trips import UNDATED
from privlab.safe_text import csv_text, file_word, visible


def parquet_from_table(table: pa.Table) -> bytes:
    """Return the table as a Parquet file, notes included."""
    held = io.BytesIO()
    pq.write_table(table, held)
    return held.getvalue()


def csv_from_table(table: pa.Table) -> bytes:
    """Return a table of numbers and times as CSV, after comment lines with what its metadata say, which has no place in the rows."""
    held = io.BytesIO()
    for name, words in (table.schema.metadata or {}).items():
        held.write(b"# " + name + b": " + words + b"\n")
    pa_csv.write_csv(table, held)
    return held.getvalue()


_NOISES = {
    "laplace": "Laplace noise in floating-point numbers",
    "integer": "noise in whole numbers",
    "gaussian": "Gaussian noise in whole numbers",
}
_OF_ESTIMATES = "as estimates.csv of a release holds it and the page judges it"
_MADE = {
    "unbiased_count": f"the same times what a noisy total gives back {_OF_ESTIMATES}",
    "agreed_count": f"made to agree with noisy sums of districts and times what a noisy total gives back {_OF_ESTIMATES}",
    "smoothed_count": f"drawn towards a model of all counts and times what a noisy total gives back {_OF_ESTIMATES}",
}


def csv_from_simulated_release(release: SimulatedRelease, *, name: str, parameters: str) -> bytes:
    """Return a simulated release of the data `name` as CSV; ids that a spreadsheet would run get a ' before them."""
    zones, note = release.zones, ""
    if not pd.api.types.is_numeric_dtype(zones):
        ids = [str(zone) for zone in zones.tolist()]
        zones = np.array([csv_text(zone) for zone in ids], dtype=object)
        if any(safe != visible(one) for safe, one in zip(zones, ids, strict=True)):
            note = " A quote (') stands before ids that a spreadsheet would take for formulas."
    frame = pd.DataFrame(
        {
            "week": "" if release.week == UNDATED else release.week,
            "origin": zones[release.origin],
            "destination": zones[release.destination],
            "simulated_count": (release.count if release.noisy is None else release.noisy).round(3),
        }
    )
    text = io.StringIO()
    # A name with separators in it would begin cells of its own in a spreadsheet.
    line = f"{file_word(name)}, {parameters}.{note}"
    text.write(
        f"# Simulation, not a release: seeded {_NOISES[getattr(release.parameters, 'noise', 'gaussian')]}. {line}\n"
    )
    if release.noisy is not None:
        frame[release.column] = release.count.round(3)
        text.write(
            f"# simulated_count: as release.csv of a release holds it. {release.column}: {_MADE[release.column]}.\n"
        )
    frame.to_csv(text, index=False)
    return text.getvalue().encode()
