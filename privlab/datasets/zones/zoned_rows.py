"""Rows of a dataset → the same rows with zones in the place of coordinates, and all the zones there are."""

from collections.abc import Sequence
from typing import Any

import ibis.expr.types as ir
import numpy as np
import numpy.typing as npt
import pandas as pd

from privlab.checks import DataError
from privlab.datasets.records import Dataset
from privlab.datasets.zones.geographer import Placing
from privlab.datasets.zones.zone_maps import Zoning
from privlab.progress import UNHEARD, Progress

RECORD_PLACES: dict[str, tuple[str, str | None]] = {
    "latlon": ("lat", "lon"),
    "xy": ("x", "y"),
    "zone": ("zone", None),
}
TRIP_PLACES: dict[str, dict[str, tuple[str, str | None]]] = {
    "latlon": {
        "origin": ("origin_lat", "origin_lon"),
        "destination": ("destination_lat", "destination_lon"),
    },
    "xy": {
        "origin": ("origin_x", "origin_y"),
        "destination": ("destination_x", "destination_y"),
    },
    "zone": {"origin": ("origin", None), "destination": ("destination", None)},
}


def zoned_records_from_records(records: ir.Table, place: str, zoning: Zoning) -> ir.Table:
    """Return user_id, time, zone of every record; zone is NULL outside the zones."""
    return records.select("user_id", "time", zone=_zone(records, RECORD_PLACES[place], zoning))


def zoned_trips_from_trips(trips: ir.Table, place: str, zoning: Zoning) -> ir.Table:
    """Return user_id, time, origin, destination of every trip; NULL for an end outside the zones."""
    ends = {name: _zone(trips, columns, zoning) for name, columns in TRIP_PLACES[place].items()}
    return trips.select("user_id", "time", **ends)


def zoned_rows_from_dataset(dataset: Dataset, zoning: Zoning, *, progress: Progress = UNHEARD) -> ir.Table:
    """Return the rows with zones for places: an expression, or stored where zones are found outside.

    `progress` is told how many rows are placed, where they are stored.
    """
    rows, outside = dataset.table, zoning.outside
    by_records = dataset.kind == "records"
    if outside is None:
        place = zoned_records_from_records if by_records else zoned_trips_from_trips
        return place(rows, dataset.place, zoning)
    ends = {"zone": RECORD_PLACES[dataset.place]} if by_records else TRIP_PLACES[dataset.place]
    return dataset.workspace.mapped(
        "zoned", rows, Placing(outside, ends), n_rows=dataset.report.kept, progress=progress
    )


def all_zones(seen: "pd.Series[Any]", public_zones: Sequence[Any] | None) -> npt.NDArray[Any]:
    """Return the ids of the public zones and of those seen in trips, ascending and each once.

    Raises DataError if the ones are numbers and the others text.
    """
    index = pd.Index(seen.unique())
    if public_zones is None or not len(public_zones):
        return np.asarray(index.sort_values())
    known = pd.Index(list(public_zones))
    if not len(index):
        return np.asarray(known.sort_values())
    if pd.api.types.is_numeric_dtype(known) != pd.api.types.is_numeric_dtype(index):
        raise DataError(
            f"The zone ids of the data (such as {index[0]}) and those of the zone file (such as {known[0]}) "
            "are of different kinds, numbers and text. Is it the right zone file?"
        )
    return np.asarray(known.union(index).sort_values())


def _zone(table: ir.Table, columns: tuple[str, str | None], zoning: Zoning) -> ir.Value:
    first, second = columns
    return zoning.zone_from_place(table[first], None if second is None else table[second])
