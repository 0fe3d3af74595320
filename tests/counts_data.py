"""Counts that name no users, as the reader returns them: a file worked by hand, and any other."""

import datetime as dt
import random

import pyarrow as pa

from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.records import DataReport, Dataset

# Two weeks; Sunday 2026-03-08 ends the first. A→B is there twice in it: 3 + 4. C→C stays, D→E is 0.
BY_HAND = [
    ("2026-03-02 08:00", "A", "B", 3),
    ("2026-03-08 23:59", "A", "B", 4),
    ("2026-03-04 00:00", "B", "A", 1),
    ("2026-03-09 00:00", "A", "B", 5),
    ("2026-03-04 00:00", "C", "C", 9),
    ("2026-03-04 00:00", "D", "E", 0),
]


def counts_dataset(workspace, rows, names=("origin", "destination"), place="zone", name="flows.csv"):
    """A dataset as the reader of counts returns it: time (or None), places, count."""
    times, *places, counts = zip(*rows, strict=True)
    stored = pa.table(
        {
            "time": pa.array(
                [dt.datetime.fromisoformat(str(time)) if time else None for time in times], pa.timestamp("us")
            ),
            **{name: pa.array(list(place)) for name, place in zip(names, places, strict=True)},
            "count": pa.array(list(counts), pa.int64()),
        }
    )
    table = workspace.connection.create_table(f"counts_{random.getrandbits(64)}", stored)
    report = DataReport(
        rows=len(rows) + 2,
        kept=len(rows),
        dropped={"malformed row": 2},
        users=0,
        first=None,
        last=None,
        timezone="",
        notes=(),
    )
    return Dataset(
        name=name,
        kind="counts",
        place=place,
        table=table,
        report=report,
        digest="0",
        workspace=workspace,
        mapping=ColumnMapping(origin="origin", destination="destination"),
    )
