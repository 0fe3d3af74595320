"""Records → OD counts: the pipeline on DuckDB against a plain vectorised pandas one, in one run."""

import argparse
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

from privlab.datasets.readers import read_dataset
from privlab.datasets.regular_zones import BoxZoning
from privlab.od.simulation import od_simulation_from_trip_tables
from privlab.od.tables import trip_tables_from_dataset

BOX = BoxZoning(south=48.0, west=2.0, north=49.0, east=3.5, n_rows=30, n_columns=30)


def write_records(path: Path, n_records: int) -> None:
    """Write a Parquet file of user_id, timestamp, lat, lon: two weeks, 200 records per user.

    Users sit near four places of their own and move by the hour; the database makes it all up.
    """
    n_users = max(1, n_records // 200)
    query = f"""
        COPY (
            SELECT user_id, timestamp,
                48.05 + (hash(user_id * 7 + place) % 9000) / 10000.0 + jitter / 500 AS lat,
                2.05 + (hash(user_id * 7 + place + 1000003) % 14000) / 10000.0 + jitter / 300 AS lon
            FROM (
                SELECT user_id, jitter, timestamp, (hash(user_id, date_trunc('hour', timestamp)) % 4)::BIGINT AS place
                FROM (
                    SELECT (hash(i) % {n_users})::BIGINT AS user_id,
                        (hash(i + 17) % 1000) / 1000.0 AS jitter,
                        TIMESTAMP '2026-03-02' + INTERVAL 1 SECOND * ((hash(i + 99) % (14 * 86400))::BIGINT) AS timestamp
                    FROM range({n_records}) AS numbers(i)
                )
            )
        ) TO '{path}' (FORMAT parquet)
    """
    with duckdb.connect(config={"memory_limit": "2GB"}) as connection:
        connection.execute(query)


def ours(path):
    """(week, origin, destination) → count, as a sorted array, from the file on."""
    dataset = read_dataset(path)
    try:
        tables = trip_tables_from_dataset(dataset, BOX)
        matrices = od_simulation_from_trip_tables(tables, None, group_size=None, seed=1).matrices
    finally:
        dataset.workspace.close()
    return {
        week: pd.Series(m.count, index=m.zones[m.origin].astype(np.int64) * 900 + m.zones[m.destination])
        for week, m in matrices.items()
    }


def plain(path):
    """What an able analyst writes: whole columns, no Python loop."""
    frame = pd.read_parquet(path)
    row = np.minimum(np.floor((frame["lat"] - 48.0) / 1.0 * 30), 29)
    column = np.minimum(np.floor((frame["lon"] - 2.0) / 1.5 * 30), 29)
    inside = frame["lat"].between(48.0, 49.0) & frame["lon"].between(2.0, 3.5)
    frame = pd.DataFrame(
        {
            "user": frame["user_id"],
            "hour": frame["timestamp"].to_numpy().astype("datetime64[h]").astype(np.int64),
            "zone": (row * 30 + column).astype(np.int64),
        }
    )[inside]
    votes = frame.groupby(["user", "hour", "zone"], sort=False).size().rename("n").reset_index()
    votes = votes.sort_values(["user", "hour", "n", "zone"], ascending=[True, True, False, True])
    hours = votes.drop_duplicates(["user", "hour"])
    before = hours.shift()
    moved = (hours["user"] == before["user"]) & (hours["hour"] - 1 == before["hour"])
    moved &= hours["zone"] != before["zone"]
    trips = pd.DataFrame(
        {
            "user": hours["user"][moved],
            "week": (hours["hour"][moved] // 24 + 3) // 7,  # 1970-01-01 was a Thursday
            "flow": before["zone"][moved].astype(np.int64) * 900 + hours["zone"][moved],
        }
    ).drop_duplicates()
    return trips.groupby(["week", "flow"]).size()


def brute_force(path):
    """The definition of the tests: every record of every user in plain Python, from a data frame."""
    frame = pd.read_parquet(path)
    inside = frame["lat"].between(48.0, 49.0) & frame["lon"].between(2.0, 3.5)
    frame = frame[inside]
    row = np.minimum(np.floor((frame["lat"] - 48.0) / 1.0 * 30), 29)
    column = np.minimum(np.floor((frame["lon"] - 2.0) / 1.5 * 30), 29)
    hour = frame["timestamp"].to_numpy().astype("datetime64[h]").astype(np.int64)
    zone = (row * 30 + column).astype(np.int64)
    votes = defaultdict(Counter)
    for user, at, where in zip(frame["user_id"].tolist(), hour.tolist(), zone.tolist(), strict=True):
        votes[user, at][where] += 1
    hours = {key: min(zones, key=lambda zone: (-zones[zone], zone)) for key, zones in votes.items()}
    unique = set()
    for (user, at), where in hours.items():
        before = hours.get((user, at - 1))
        if before is not None and before != where:
            unique.add((user, (at // 24 + 3) // 7, before, where))
    return Counter((week, origin * 900 + destination) for _, week, origin, destination in unique)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--records", type=int, default=5_000_000)
    n_records = options.parse_args().records
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path = Path(folder) / "records.parquet"
        write_records(path, n_records)
        start = time.perf_counter()
        mine = ours(path)
        between = time.perf_counter()
        theirs = plain(path)
        end = time.perf_counter()
        slowest = brute_force(path)
        last = time.perf_counter()
    assert dict(slowest) == theirs.to_dict(), "the brute force differs"
    for (_, peer), (_, counts) in zip(theirs.groupby(level=0), sorted(mine.items()), strict=True):
        peer = peer.droplevel(0).sort_index()
        assert peer.index.equals(counts.index), "the flows differ"
        assert (peer.to_numpy() == counts.to_numpy()).all(), "the counts differ"
    print(f"{n_records:,} records, {theirs.size:,} flows, {theirs.sum():,} unique trips: results equal")
    print(f"privlab on DuckDB {between - start:.1f} s, plain pandas {end - between:.1f} s")
    print(f"brute force {last - end:.1f} s")
    print(f"ratio pandas / privlab {(end - between) / (between - start):.2f}")
    print(f"ratio brute force / privlab {(last - end) / (between - start):.1f}")


if __name__ == "__main__":
    main()
