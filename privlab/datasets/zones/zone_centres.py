"""Rows at zone ids, and trips → records at coordinates; where zones lie a zone file says."""

from dataclasses import replace

import ibis
import ibis.expr.types as ir
import numpy as np
import pyarrow as pa

from privlab.datasets.columns.mapping import Place
from privlab.datasets.records import Dataset
from privlab.datasets.zones.zone_maps import Zoning

_PLACE = ("lat", "lon")


def located_dataset(dataset: Dataset, zoning: Zoning | None) -> Dataset:
    """Return records with coordinates, those of the data or latitude and longitude of zone ids: centres of zones, and both ends of each trip.

    Both ends of a trip have its time. Rows in zones without a position are left out; `report` still counts them
    as kept, an end of a trip as a row of its own. Records that have coordinates, counts, and data of which no
    zone has a position, are returned as they are; so are zone ids without a zoning.
    """
    if dataset.kind == "counts" or (dataset.kind == "records" and dataset.place != "zone"):
        return dataset
    place: Place = "latlon"
    if dataset.place == "zone":
        own = getattr(zoning, "own", zoning)  # of ids that are joined to larger zones
        centres = None if own is None else _centres(own)
        if centres is None:
            return dataset
        names = ("zone",) if dataset.kind == "records" else ("origin", "destination")
        ends = [dataset.table.select("user_id", "time", zone=dataset.table[name]) for name in names]
        joined = _one(ends).inner_join(ibis.memtable(centres), "zone").select("user_id", "time", *_PLACE)
    else:
        table = dataset.table
        place, axes = dataset.place, ("x", "y") if dataset.place == "xy" else _PLACE  # in metres
        joined = _one(
            [
                table.select("user_id", "time", **{axis: table[f"{end}_{axis}"] for axis in axes})
                for end in ("origin", "destination")
            ]
        )
    stored = dataset.workspace.materialise("located", joined)
    located = replace(dataset, table=stored, kind="records", place=place)
    if dataset.kind == "records":
        return located
    report = dataset.report
    return replace(located, report=replace(report, rows=report.rows + report.kept, kept=2 * report.kept))


def _centres(zoning: Zoning) -> pa.Table | None:
    """Return zone, lat, lon of the zones with a position; None if there are none."""
    zones = zoning.public_zones()
    where = zoning.zone_map(zones) if zones else None
    if where is None or not where.located:
        return None
    known = np.isfinite(where.lat) & np.isfinite(where.lon)
    return pa.table(
        {
            "zone": pa.array(zones).filter(pa.array(known)),
            "lat": where.lat[known],
            "lon": where.lon[known],
        }
    )


def _one(tables: list[ir.Table]) -> ir.Table:
    return tables[0] if len(tables) == 1 else ibis.union(*tables)
