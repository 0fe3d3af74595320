"""A Google Timeline export -> the normalised table of one person, in memory."""

import hashlib
from typing import Any

import pyarrow as pa

from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.memory_workspace import MemoryWorkspace
from privlab.datasets.files.timelines import TimelineExport
from privlab.datasets.records import DataReport, Dataset

_TIME = pa.timestamp("us")
_ENDS = ("origin_lat", "origin_lon", "destination_lat", "destination_lon")


def dataset_from_timeline_export(export: TimelineExport, workspace: MemoryWorkspace) -> Dataset:
    """Return the moves of an export as trips, dated by their arrival, or its points as records, of one person."""
    if export.moves:
        ends: dict[str, Any] = dict(zip(_ENDS, _ENDS, strict=True))
        mapping = ColumnMapping(user_id="user_id", timestamp="time", **ends)
        times = [move[1] for move in export.moves]
        columns = {name: [move[2 + n] for move in export.moves] for n, name in enumerate(_ENDS)}
    else:
        mapping = ColumnMapping(user_id="user_id", timestamp="time", lat="lat", lon="lon")
        times = [point[0] for point in export.points]
        columns = {name: [point[1 + n] for point in export.points] for n, name in enumerate(("lat", "lon"))}
    rows = pa.table(
        {"user_id": pa.array([1] * len(times), pa.int64()), "time": pa.array(times, _TIME)}
        | {name: pa.array(values, pa.float64()) for name, values in columns.items()}
    )
    return Dataset(
        name="the timeline",
        kind=mapping.kind,
        place=mapping.place,
        table=workspace.table_from_arrow("timeline", rows),
        report=DataReport(
            rows=len(times),
            kept=len(times),
            dropped={},
            users=1,
            first=min(times),
            last=max(times),
            timezone=export.clock,
            notes=(),
        ),
        digest=hashlib.blake2b(repr(rows.to_pydict()).encode(), digest_size=16).hexdigest(),
        workspace=workspace,
        mapping=mapping,
    )
