"""A release of a million cells as a whole, from the file to the certificate: processor time, clock and peak memory.

`python -m bench.million_cells [integer gaussian total] [--users 200000] [--threshold 0]`: 1,000 zones in a box, 999,000 flows, by the command
`release` in a process of its own: with integer noise, with Gaussian noise, and with a noisy total too. With threshold 0 every cell is a row of
the files.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ZONES = "box:48,2,49,3.6:25x40"
WEEK = "2026-03-02"
EPSILON, BOUND = "0.66", "10"
WAYS = {
    "integer": ("--noise", "integer"),
    "gaussian": ("--noise", "gaussian"),
    "total": ("--noise", "gaussian", "--unbiased"),
}


def write_trips(path: Path, n_users: int) -> None:
    """Write a Parquet file of trips by coordinates, eleven to twelve of each user in one week, near a place of the user's own."""
    import duckdb

    point = "{least} + {span} * ((hash(user_id, {salt}) % 1000000 + hash(i, {salt} + 1) % 300000) % 1000000) / 1000000.0"
    columns = ", ".join(
        f"{point.format(least=least, span=span, salt=salt)} AS {name}"
        for name, least, span, salt in (
            ("origin_lat", 48.0, 1.0, 10),
            ("origin_lon", 2.0, 1.6, 20),
            ("destination_lat", 48.0, 1.0, 30),
            ("destination_lon", 2.0, 1.6, 40),
        )
    )
    query = f"""
        COPY (
            SELECT user_id, TIMESTAMP '{WEEK}' + INTERVAL 1 SECOND * (hash(i + 5) % 604800)::BIGINT AS timestamp, {columns}
            FROM (SELECT i, (i % {n_users})::BIGINT AS user_id FROM range({n_users * 12}) AS numbers(i))
        ) TO '{path}' (FORMAT parquet)
    """
    with duckdb.connect() as connection:
        connection.execute(query)


def released(path: Path, folder: Path, threshold: int, words: tuple[str, ...]) -> tuple[float, float, float]:
    """Run the command; return its seconds, those on the processors, and the most memory it held, in GB."""
    command = ("release", str(path), "--zones", ZONES, "--week", WEEK, "--epsilon", EPSILON)
    command += (
        "--max-trips-per-user",
        BOUND,
        "--threshold",
        str(threshold),
        "--ledger",
        str(folder / "ledger.sqlite"),
    )
    command += (
        "--accept-made-up",
        "a bench",
        "--new-account",
        "--account",
        words[-1],
        "--out",
        str(folder / "out"),
        "--json",
    )
    before = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", "privlab", *command, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert child.stderr is not None
    said = child.stderr.read().decode()
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(said)
    return time.perf_counter() - before, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6


def main() -> None:
    """Print one line for each kind of noise."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("ways", nargs="*", default=list(WAYS))
    arguments.add_argument("--users", type=int, default=200_000)
    arguments.add_argument("--threshold", type=int, default=0)
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "trips.parquet"
        write_trips(path, chosen.users)
        for way in chosen.ways:
            words, folder = WAYS[way], Path(name) / way
            folder.mkdir()
            seconds, cpu, memory = released(path, folder, chosen.threshold, words)
            size = sum(one.stat().st_size for one in (folder / "out").iterdir()) / 1e6
            print(
                f"{way}: {chosen.users * 12:,} trips, 999,000 cells, threshold {chosen.threshold}: {cpu:.1f} s of processor time, "
                f"{seconds:.1f} s passed, at most {memory:.2f} GB, {size:.0f} MB of files",
                flush=True,
            )


if __name__ == "__main__":
    main()
