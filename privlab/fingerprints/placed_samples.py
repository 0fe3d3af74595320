"""Records with coordinates → one row per user, minute and cell, in order, as arrays.

Knows where cells lie; knows nothing of what is done with them.
"""

from dataclasses import dataclass
from typing import Any

import ibis
import ibis.expr.types as ir
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyproj

from privlab.checks import DataError, UnfitDataError, require_between
from privlab.datasets import Dataset
from privlab.datasets.engines import Workspace, row_count
from privlab.datasets.zone_kinds import median_place
from privlab.progress import Progress

CELL_M = 100
_FARTHEST_CELL = 2**28  # 26.8 million km: two such cells differ by less than an int32 holds, both axes added
_FARTHEST_MIN = 2**29  # 1,021 years before or after 1970

Int32s = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedSamples:
    """Every user's samples without duplicates, by user, then t, x, y.

    `user_ids` (U,) ascend, numbers by value and text by code point; user u has the samples
    `offsets[u]` to `offsets[u + 1]` (int64). Per sample, int32: `x` and `y`, cells of 100 m east and
    north, and `t`, minutes of the wall clock since 1970-01-01 00:00. `centre` is the latitude and
    longitude that the cells count from, None where the file says metres itself. `n_records` rows
    took part; `n_left_out` have no place in the projection or a time a thousand years away, and
    `n_empty_users` have no other.
    """

    user_ids: npt.NDArray[Any]
    offsets: npt.NDArray[np.int64]
    x: Int32s
    y: Int32s
    t: Int32s
    centre: tuple[float, float] | None
    n_records: int
    n_left_out: int
    n_empty_users: int


def placed_samples_from_dataset(
    dataset: Dataset, *, centre: tuple[float, float] | None, progress: Progress
) -> PlacedSamples:
    """Return the samples of every user, placed and sorted in the database, out of core.

    `centre` is where the plane touches the globe, latitude and longitude; None for the data's median.
    Raises DataError unless the dataset holds records with coordinates, and if no row has a place.
    """
    require_coordinates(dataset)
    workspace: Any = dataset.workspace
    if dataset.place == "latlon":
        centre = median_place(dataset.table) if centre is None else require_centre(centre)
    elif centre is not None:
        raise DataError(f"{dataset.name} is in metres already; a centre of the projection is for degrees.")
    placing = _CellPlacing(centre)
    columns = ("lat", "lon") if dataset.place == "latlon" else ("x", "y")
    progress.tell(0.0, "Placing every record in its cell")
    rows = dataset.table.select("user_id", "time", *columns)
    placed = workspace.mapped(
        "cells", rows, placing, n_rows=dataset.report.kept, progress=progress.part(0.0, 0.6)
    )
    progress.tell(0.6, "Sorting every user's samples")
    known = placed.filter(placed.x.notnull())
    users = workspace.materialise("numbered_users", _numbered(known))
    samples = workspace.materialise(
        "samples",
        known.inner_join(users, "user_id").select("number", "t", "x", "y").distinct(),
    )
    n_known, n_seen = row_count(known), int(placed.user_id.nunique().to_pyarrow().as_py())
    if not n_known:
        raise DataError(f"No record of {dataset.name} has a place that can be projected.")
    progress.tell(0.8, "Fetching the samples")
    offsets, x, y, t = _arrays(workspace, samples, row_count(users))
    ids = users.order_by("number").to_pyarrow()["user_id"].to_numpy(zero_copy_only=False)
    for table in (samples, users, placed):
        workspace.forget(table)
    return PlacedSamples(
        user_ids=ids,
        offsets=offsets,
        x=x,
        y=y,
        t=t,
        centre=placing.centre,
        n_records=n_known,
        n_left_out=dataset.report.kept - n_known,
        n_empty_users=n_seen - ids.size,
    )


def require_centre(centre: tuple[float, float]) -> tuple[float, float]:
    """Return latitude and longitude of a centre; ParameterError if there is no such place."""
    return (
        require_between("latitude of the centre", centre[0], -90, 90),
        require_between("longitude of the centre", centre[1], -180, 180),
    )


def require_coordinates(dataset: Dataset) -> None:
    """Raise DataError unless the dataset holds records of users with coordinates."""
    if dataset.kind == "counts":
        raise UnfitDataError(
            f"{dataset.name} counts trips and names nobody; fingerprints need a user in each row. "
            "Is there a file of records or trips with a user?"
        )
    if dataset.place == "zone":
        raise UnfitDataError(
            f"{dataset.name} has zone ids and no coordinates; fingerprints need distances. Say where the zones lie: "
            "with a table of zone, lat, lon, beside the file on the page Data, or with --join on the command line."
        )


@dataclass(frozen=True, slots=True)
class _CellPlacing:
    """What makes of a block of records user_id, t, x, y; NULL for what cannot be placed.

    It holds nothing of the process it was made in, so that it can travel to the workers of a cluster.
    """

    centre: tuple[float, float] | None

    def __call__(self, block: pa.RecordBatch) -> pa.Table:
        first, second = (block[name].to_numpy(zero_copy_only=False) for name in block.schema.names[2:])
        metres = (first, second)
        if self.centre is not None:
            metres = _projection(*self.centre).transform(second, first)
        x, y = (np.floor(np.asarray(axis, dtype=np.float64) / CELL_M) for axis in metres)
        time = block["time"].cast(pa.timestamp("us")).to_numpy(zero_copy_only=False)
        t = time.astype("datetime64[us]").astype(np.int64) // 60_000_000
        known = (np.abs(x) < _FARTHEST_CELL) & (np.abs(y) < _FARTHEST_CELL) & (np.abs(t) < _FARTHEST_MIN)
        cells = {
            name: pa.array(np.where(known, axis, 0).astype(np.int32), pa.int32(), mask=~known)
            for name, axis in (("t", t), ("x", x), ("y", y))
        }
        return pa.table({"user_id": block["user_id"], **cells})


def metres_from_degrees(
    centre: tuple[float, float], lat: npt.NDArray[np.float64], lon: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return where places lie in the projection that samples are placed by, in metres east and north of its centre; infinite where nowhere."""
    x, y = _projection(*centre).transform(lon, lat)
    return x, y


def _projection(lat: float, lon: float) -> pyproj.Transformer:
    return pyproj.Transformer.from_crs("EPSG:4326", projection_around(lat, lon), always_xy=True)


def projection_around(lat: float, lon: float) -> str:
    """Return as PROJ text the projection whose origin is a centre.

    >>> projection_around(45.5, 9.0)
    '+proj=laea +lat_0=45.5 +lon_0=9.0 +datum=WGS84 +units=m'
    """
    return f"+proj=laea +lat_0={lat} +lon_0={lon} +datum=WGS84 +units=m"


def _numbered(samples: ir.Table) -> ir.Table:
    """Return user_id and number: 0 for the least id, text compared by code point."""
    ids = samples.select("user_id").distinct()
    return ids.mutate(number=ibis.row_number().over(ibis.window(order_by=ids.user_id)).cast("int32"))


def _arrays(
    workspace: Workspace, samples: ir.Table, n_users: int
) -> tuple[npt.NDArray[np.int64], Int32s, Int32s, Int32s]:
    n_samples = row_count(samples)
    columns = {name: np.empty(n_samples, dtype=np.int32) for name in ("x", "y", "t")}
    counts, at = np.zeros(n_users, dtype=np.int64), 0
    for block in workspace.blocks(samples.order_by("number", "t", "x", "y")):
        workspace.require_running()
        for name, column in columns.items():
            column[at : at + block.num_rows] = block[name].to_numpy(zero_copy_only=False)
        counts += np.bincount(block["number"].to_numpy(zero_copy_only=False), minlength=n_users)
        at += block.num_rows
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return offsets, columns["x"], columns["y"], columns["t"]
