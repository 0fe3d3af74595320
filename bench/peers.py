"""Peers of the pipeline from a Parquet file to OD counts in one box: SQL by hand, pandas, plain Python.

Each returns an int64 array of (weeks since 1970, origin, destination, count), in that order.
"""

from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

SOUTH, WEST, NORTH, EAST, SIDE = 48.0, 2.0, 49.0, 3.5, 30
BOX = f"box:{SOUTH},{WEST},{NORTH},{EAST}:{SIDE}x{SIDE}"

# Zone and number of votes in one integer, so that one aggregate finds the winner and the smallest of equals.
HOURS = f"""
    SELECT user_id, hour, (min(zone - n * 65536) & 65535)::INTEGER AS zone
    FROM (
        SELECT user_id, hour, zone, count(*) AS n
        FROM (
            SELECT user_id, (epoch_us(timestamp) // 3600000000)::INTEGER AS hour,
                CASE WHEN lat BETWEEN {SOUTH} AND {NORTH} AND lon BETWEEN {WEST} AND {EAST} THEN
                    least(floor((lat - {SOUTH}::DOUBLE) / {NORTH - SOUTH}::DOUBLE * {SIDE}), {SIDE - 1})::INTEGER * {SIDE}
                    + least(floor((lon - {WEST}::DOUBLE) / {EAST - WEST}::DOUBLE * {SIDE}), {SIDE - 1})::INTEGER
                END AS zone
            FROM read_parquet('PATH')
        )
        GROUP BY ALL
    )
    WHERE zone IS NOT NULL
    GROUP BY ALL
"""
BY_WINDOW = f"""
    SELECT user_id, hour, origin, zone AS destination
    FROM (
        SELECT *, lag(zone) OVER chain AS origin, lag(hour) OVER chain AS before
        FROM ({HOURS}) WINDOW chain AS (PARTITION BY user_id ORDER BY hour)
    )
    WHERE before + 1 = hour AND origin <> zone
"""
BY_JOIN = f"""
    WITH hours AS MATERIALIZED ({HOURS})
    SELECT b.user_id, b.hour, a.zone AS origin, b.zone AS destination
    FROM hours a JOIN hours b ON a.user_id = b.user_id AND b.hour = a.hour + 1
    WHERE a.zone <> b.zone
"""


def sql(path: Path, trips: str, folder: Path, memory_limit_gb: float):
    """What DuckDB does with one query written for it alone, within the same memory."""
    import duckdb

    query = f"""
        SELECT week, origin, destination, count(*) AS n
        FROM (SELECT DISTINCT user_id, (hour // 24 + 3) // 7 AS week, origin, destination FROM ({trips}))
        GROUP BY ALL
    """.replace("PATH", str(path))
    limits = {"memory_limit": f"{memory_limit_gb}GB", "temp_directory": str(folder / "spill")}
    with duckdb.connect(config=limits) as connection:
        connection.execute("SET preserve_insertion_order = false")
        columns = connection.execute(query).fetchnumpy()
    return np.stack([columns[name].astype(np.int64) for name in ("week", "origin", "destination", "n")], 1)


def plain(path: Path):
    """What an able analyst writes in pandas: whole columns, no Python loop, no function per group."""
    import pandas as pd

    inside = _placed(pd.read_parquet(path))
    votes = inside.groupby(["user", "hour", "zone"], sort=False).size().rename("n").reset_index()
    votes = votes.sort_values(["user", "hour", "n", "zone"], ascending=[True, True, False, True])
    hours = votes.drop_duplicates(["user", "hour"])
    before = hours.shift()
    moved = (hours["user"] == before["user"]) & (hours["hour"] - 1 == before["hour"])
    moved &= hours["zone"] != before["zone"]
    trips = pd.DataFrame(
        {
            "user": hours["user"][moved],
            "week": (hours["hour"][moved] // 24 + 3) // 7,  # 1970-01-01 was a Thursday
            "origin": before["zone"][moved].astype(np.int64),
            "destination": hours["zone"][moved],
        }
    ).drop_duplicates()
    return trips.groupby(["week", "origin", "destination"]).size().reset_index().to_numpy(np.int64)


def literal(path: Path):
    """The definition word by word in pandas: the mode of each user's hour, then each user's steps."""
    import pandas as pd

    inside = _placed(pd.read_parquet(path))
    hours = inside.groupby(["user", "hour"])["zone"].agg(lambda zones: zones.mode().iloc[0]).reset_index()
    before = hours.groupby("user")[["hour", "zone"]].shift()
    moved = (before["hour"] + 1 == hours["hour"]) & (before["zone"] != hours["zone"])
    trips = pd.DataFrame(
        {
            "user": hours["user"][moved],
            "week": (hours["hour"][moved] // 24 + 3) // 7,
            "origin": before["zone"][moved].astype(np.int64),
            "destination": hours["zone"][moved],
        }
    ).drop_duplicates()
    return trips.groupby(["week", "origin", "destination"]).size().reset_index().to_numpy(np.int64)


def brute_force(path: Path):
    """The definition of the tests: every record of every user in plain Python, from a data frame."""
    import pandas as pd

    inside = _placed(pd.read_parquet(path))
    votes = defaultdict(Counter)
    for user, at, where in zip(*(inside[name].tolist() for name in ("user", "hour", "zone")), strict=True):
        votes[user, at][where] += 1
    hours = {key: min(zones, key=lambda zone: (-zones[zone], zone)) for key, zones in votes.items()}
    unique = set()
    for (user, at), where in hours.items():
        before = hours.get((user, at - 1))
        if before is not None and before != where:
            unique.add((user, (at // 24 + 3) // 7, before, where))
    counts = Counter(trip[1:] for trip in unique)
    return np.array([(*flow, n) for flow, n in counts.items()], dtype=np.int64)


def _placed(frame):
    import pandas as pd

    row = np.minimum(np.floor((frame["lat"] - SOUTH) / (NORTH - SOUTH) * SIDE), SIDE - 1)
    column = np.minimum(np.floor((frame["lon"] - WEST) / (EAST - WEST) * SIDE), SIDE - 1)
    inside = frame["lat"].between(SOUTH, NORTH) & frame["lon"].between(WEST, EAST)
    hour = frame["timestamp"].to_numpy().astype("datetime64[h]").astype(np.int64)
    zone = (row * SIDE + column).astype(np.int64)
    return pd.DataFrame({"user": frame["user_id"], "hour": hour, "zone": zone})[inside]
