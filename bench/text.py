"""Text tables → checked rows: rows per second of one file, of a folder of files, and of GeoLife-like folders.

`python -m bench.text --kind folder --files 10000 --rows 10000`; what is written is invented, and removed in the end.
"""

import argparse
import itertools
import json
import resource
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

DAYS = 14
BEGIN = datetime(2026, 3, 2)
PLT = "Geolife trajectory\r\nWGS 84\r\nAltitude is in Feet\r\nReserved 3\r\n0,2,255,My Track,0,0,2,8421376\r\n0\r\n"
GEOLIFE_USERS = 182


def write_trips(folder: Path, n_files: int, n_rows: int) -> None:
    """Write tables of user, time, origin and destination in random order, one user with 100 rows; the database makes it all up."""
    import duckdb

    users = max(1, n_files * n_rows // 100)
    with duckdb.connect(config={"memory_limit": "2GB"}) as connection:
        connection.execute("SET preserve_insertion_order = false")
        for number in range(n_files):
            first = number * n_rows
            connection.execute(f"""
                COPY (
                    SELECT hash(i) % {users} AS user_id, hash(i + 1) % 400 AS origin, hash(i + 2) % 400 AS destination,
                        TIMESTAMP '{BEGIN}' + INTERVAL 1 SECOND * (hash(i + 3) % {DAYS * 86_400})::BIGINT AS timestamp
                    FROM range({first}, {first + n_rows}) AS numbers(i)
                ) TO '{folder}/part-{number:05d}.csv' (FORMAT csv, HEADER)
            """)


def write_trails(folder: Path, n_files: int, n_rows: int) -> None:
    """Write trails as GeoLife has them, a point every five seconds, one folder for each of 182 people."""
    import numpy as np

    rng = np.random.default_rng(1)
    for number in range(n_files):
        person = folder / f"{number % GEOLIFE_USERS:03d}" / "Trajectory"
        person.mkdir(parents=True, exist_ok=True)
        n_here = int(rng.integers(n_rows // 2, n_rows * 3 // 2))
        begin = BEGIN + timedelta(days=number // GEOLIFE_USERS, seconds=int(rng.integers(0, 40_000)))
        places = np.array([39.9, 116.3]) + np.cumsum(rng.normal(0, 1e-4, (n_here, 2)), axis=0)
        days = (begin - datetime(1899, 12, 30)) / timedelta(days=1)
        lines = (
            f"{lat:.6f},{lon:.6f},0,{100 + step % 90},{days + step / 17_280:.10f},{begin + timedelta(seconds=5 * step):%Y-%m-%d,%H:%M:%S}"
            for step, (lat, lon) in enumerate(places.tolist())
        )
        (person / f"{begin:%Y%m%d%H%M%S}-{number}.plt").write_text(
            PLT + "\r\n".join(lines) + "\r\n", newline=""
        )


def read(path: Path) -> None:
    """Read a file or a folder and print what it took, step by step, as JSON."""
    from privlab.datasets.engines.workspace import Workspace
    from privlab.datasets.read import read_dataset
    from privlab.progress import Progress

    marks: list[tuple[str, float, float]] = []

    def heard(share: float, words: str) -> None:
        marks.append((words, time.perf_counter(), time.process_time()))

    with Workspace() as workspace:
        heard(0.0, "Recognising the files")
        report = read_dataset(path, workspace=workspace, progress=Progress(heard)).report
        heard(1.0, "")
    steps = {
        words: [round(after[1] - clock, 2), round(after[2] - processor, 2)]
        for (words, clock, processor), after in itertools.pairwise(marks)
    }
    clock, processor = (marks[-1][n] - marks[0][n] for n in (1, 2))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000
    told = {
        "rows": report.rows,
        "kept": report.kept,
        "seconds": round(clock, 2),
        "processor": round(processor, 2),
    }
    told |= {"rows_per_s": round(report.rows / clock), "peak_MB": round(peak), "steps": steps}
    print(json.dumps(told))


def main() -> None:
    """Write the files, read them in a process of their own, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=["folder", "plt"], default="folder")
    parser.add_argument("--files", type=int, default=1)
    parser.add_argument("--rows", type=int, default=1_000_000, help="of each file")
    parser.add_argument("--read", type=Path, help="read what is there instead")
    args = parser.parse_args()
    if args.read:
        read(args.read)
        return
    with tempfile.TemporaryDirectory() as folder:
        (write_trips if args.kind == "folder" else write_trails)(Path(folder), args.files, args.rows)
        size = sum(file.stat().st_size for file in Path(folder).rglob("*.*"))
        found = next(Path(folder).glob("*.csv")) if args.files == 1 else Path(folder)
        print(f"{args.files:,} files of {args.rows:,} rows, {size / 1e6:,.0f} MB", flush=True)
        subprocess.run([sys.executable, "-m", "bench.text", "--read", str(found)], check=True)


if __name__ == "__main__":
    main()
