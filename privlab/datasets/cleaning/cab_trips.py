"""Records of cabs -> trips: each run of records with a passenger is one trip with both ends.

Knows records with a flag; knows no files.
"""

from dataclasses import replace

import ibis

from privlab.checks import DataError
from privlab.datasets.columns.ids import id_order
from privlab.datasets.engines.workspace import row_count
from privlab.datasets.records import Dataset

VACANT, INSIDE = "vacant", "within a run (its ends are the trip)"


def trips_from_occupied_records(dataset: Dataset) -> Dataset:
    """Return the trips in records with the column `occupied`: user, time of arrival, both ends.

    A run is a maximal stretch of occupied records of one user in the order of time (of records at one
    time, vacant before occupied, then by place). Its first record is the origin, its last the
    destination; in a settled form a run ends with its week. The report then counts records that became a trip, and says what became of the others.
    Raises a DataError if no record is occupied.
    """
    records, store = dataset.table, dataset.workspace.materialise
    place = [name for name in records.columns if name not in ("user_id", "time", "occupied")]
    apart = ["user_id"]
    if dataset.is_settled:
        records = records.mutate(trace_week=records.time.truncate("W"))
        apart = ["user_id", "trace_week"]
    order = ["time", "occupied", *(key for name in place for key in id_order(records[name]))]
    in_turn = ibis.window(group_by=apart, order_by=order)
    flagged = records.mutate(before=records.occupied.lag().over(in_turn))
    started = flagged.mutate(begins=(flagged.occupied & ~flagged.before.fill_null(False)).cast("int64"))
    until_now = ibis.window(group_by=apart, order_by=order, preceding=None, following=0)
    runs = started.mutate(run=started.begins.sum().over(until_now)).filter(started.occupied)
    key = runs.time  # the ends by time; ties as in the order above
    ends = {}
    in_run = [runs.time, runs.occupied, *(key for name in place for key in id_order(runs[name]))]
    for column in place:
        name = "" if column == "zone" else f"_{column}"
        ends[f"origin{name}"] = runs[column].first(order_by=in_run)
        ends[f"destination{name}"] = runs[column].last(order_by=in_run)
    named = runs.group_by(*apart, "run").agg(time=key.max(), n_records=runs.count(), **ends)
    trips = store("runs", named)
    n_trips, n_occupied = row_count(trips), int(trips.n_records.sum().to_pyarrow().as_py() or 0)
    if not n_trips:
        raise DataError(f"No record of {dataset.name} is occupied, so there is no trip in it.")
    report = dataset.report
    dropped = {VACANT: report.kept - n_occupied, INSIDE: n_occupied - n_trips}
    note = f"Trips found: {n_trips:,}, runs of occupied records, {n_occupied:,} of {report.kept:,} records."
    ordered = (
        ["origin", "destination"]
        if "zone" in place
        else [f"{end}_{axis}" for end in ("origin", "destination") for axis in place]
    )
    return replace(
        dataset,
        kind="trips",
        table=trips.select("user_id", "time", *ordered),
        report=replace(
            report,
            kept=n_trips,
            dropped=report.dropped | {reason: count for reason, count in dropped.items() if count},
            notes=(*report.notes, note),
        ),
    )
