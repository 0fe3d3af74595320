"""The estimates of a release as a file of their own beside its counts, and whether such a file is what it must be.

What stands in it follows from the published counts and the certificate's parameters: whoever has those can work it out.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from privlab.od.releases import SecureReleaseParameters, estimates_from_published_counts
from privlab.safe_text import csv_text

# What each column is, in the words of the certificate.
COLUMNS = {
    "noisy_count": "The published count. All columns after it follow from the published counts and this certificate.",
    "whole_count": "The published count, but 0 where it is below.",
    "at_least_95": "Least count before noise within the 95 % interval that the law of the noise gives. The interval is for the "
    "noise alone: trips that the bound left out, or weighed less, are in no interval. With a threshold, cells that the "
    "noise lifted over it are published more often, so that fewer than 95 % of the small published ones may hold.",
    "at_most_95": "Largest count before noise within the interval.",
    "chance_of_flow": "Chance that the bounded count before noise is at least 1. Prior: one half for no flow; else each doubling "
    "of size (1, 2-3, 4-7, ...) up to that of the largest published count is equally likely, and each size within it.",
    "smoothed_count": "Posterior mean between the published count and a model (origin x destination) fitted to the "
    "published counts of the week. It is pulled towards the model, and with a threshold the model knows published "
    "flows only.",
}
_PLACES = {"chance_of_flow": 4, "smoothed_count": 2}


def csv_table_from_table(table: pa.Table) -> pa.Table:
    """Return the counts as the CSV file holds them: ids that a spreadsheet would run get a ' before them."""
    for name in ("origin", "destination"):
        if not pa.types.is_integer(table.schema.field(name).type):
            ids = pa.array([csv_text(str(one)) for one in table[name].to_pylist()], pa.string())
            table = table.set_column(table.column_names.index(name), name, ids)
    return table


def estimates_table(table: pa.Table, parameters: SecureReleaseParameters, scale: float) -> pa.Table:
    """Return the estimates of a release from the table of its published counts, as the CSV file holds them.

    `scale` is that of the noise, as the certificate says it.
    """
    found = estimates_from_published_counts(
        parameters,
        scale,
        week=_codes(table["week"]),
        origin=_codes(table["origin"]),
        destination=_codes(table["destination"]),
        count=table["count"].to_numpy(),
    )
    values = (
        table["count"].to_numpy(),
        found.whole,
        found.low,
        found.high,
        found.chance.round(_PLACES["chance_of_flow"]),
        found.smoothed.round(_PLACES["smoothed_count"]),
    )
    cells = csv_table_from_table(table).select(["week", "origin", "destination"])
    for name, value in zip(COLUMNS, values, strict=True):
        cells = cells.append_column(name, pa.array(value))
    return cells


def write_estimates(table: pa.Table, parameters: SecureReleaseParameters, scale: float, path: Path) -> None:
    """Write the estimates of a release."""
    pa_csv.write_csv(estimates_table(table, parameters, scale), path)


def follows_from_counts(
    path: Path, table: pa.Table, parameters: SecureReleaseParameters, scale: float
) -> bool:
    """Return whether a file of estimates is what the published counts give, up to rounding in the last place."""
    expected = estimates_table(table, parameters, scale)
    try:
        types = pa_csv.ConvertOptions(column_types=expected.schema)
        said = pa_csv.read_csv(path, convert_options=types)
    except pa.ArrowInvalid:
        return False
    exact = [name for name in expected.column_names if name not in _PLACES]
    if said.schema != expected.schema or not said.select(exact).equals(expected.select(exact)):
        return False
    return all(_close(said[name], expected[name], 1.01 * 10.0**-places) for name, places in _PLACES.items())


def _codes(column: pa.ChunkedArray) -> Any:
    """Return a number for each value of a column, the same for equal ones."""
    return column.combine_chunks().dictionary_encode().indices.to_numpy()


def _close(said: Any, expected: Any, within: float) -> bool:
    one, other = said.to_numpy(), expected.to_numpy()
    return bool(np.allclose(one, other, rtol=1e-9, atol=within))
