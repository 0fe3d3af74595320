"""Records → OD counts on one machine: speed, peak memory and peak disk, each in a process of its own.

`python -m bench.scale --records 1000000 10000000 --repeat 3`; the results of all peers must be equal.
"""

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

LIMIT_GB = 2.0  # the memory limit of a Workspace unless told otherwise
DAYS = 14
WORKLOADS = {
    # About one record per user and hour in which there is any, in random order: call records.
    "sparse": (200, "hash(i)% {users}", "hash(i + 99) % 1209600"),
    # One record per user every three minutes, as they come in: positions of vehicles or phones.
    "dense": (6720, "i % {users}", "(i // {users}) * 180 + hash(i + 99) % 180"),
}
PEERS = ("sql window", "sql join", "pandas", "pandas mode", "python")
FITS = {"pandas": 10_000_000, "pandas mode": 1_000_000, "python": 1_000_000}  # most records tried


def write_records(path: Path, n_records: int, workload: str) -> None:
    """Write a Parquet file of user_id, timestamp, lat, lon over two weeks; the database makes it all up.

    Users sit near four places of their own and move by the hour.
    """
    import duckdb

    per_user, who, when = WORKLOADS[workload]
    users = max(1, n_records // per_user)
    query = f"""
        COPY (
            SELECT user_id, timestamp,
                48.05 + (hash(user_id * 7 + place) % 9000) / 10000.0 + jitter / 500 AS lat,
                2.05 + (hash(user_id * 7 + place + 1000003) % 14000) / 10000.0 + jitter / 300 AS lon
            FROM (
                SELECT *, (hash(user_id, date_trunc('hour', timestamp)) % 4)::BIGINT AS place
                FROM (
                    SELECT ({who.format(users=users)})::BIGINT AS user_id,
                        (hash(i + 17) % 1000) / 1000.0 AS jitter,
                        TIMESTAMP '2026-03-02' + INTERVAL 1 SECOND * ({when.format(users=users)})::BIGINT AS timestamp
                    FROM range({n_records}) AS numbers(i)
                )
            )
        ) TO '{path}' (FORMAT parquet)
    """
    with duckdb.connect(config={"memory_limit": f"{LIMIT_GB}GB"}) as connection:
        connection.execute("SET preserve_insertion_order = false")
        connection.execute(query)


def privlab_counts(path: Path, spec: str):
    """The pipeline as the command line runs it; the same array as the peers' where zones are whole numbers."""
    import numpy as np

    from privlab.datasets.read import read_dataset
    from privlab.datasets.zone_kinds.zoning import zoning_from_spec
    from privlab.od.simulating.weekly_simulation import od_simulation_from_trip_tables
    from privlab.od.trips.trip_tables import trip_tables_from_dataset

    dataset = read_dataset(path)
    try:
        zoning = zoning_from_spec(spec, place=dataset.place, table=dataset.table)
        tables = trip_tables_from_dataset(dataset, zoning)
        matrices = od_simulation_from_trip_tables(tables, None, group_size=None, seed=1).matrices
    finally:
        dataset.workspace.close()
    parts = []
    for week, matrix in matrices.items():
        number = (np.datetime64(week).astype("datetime64[D]").astype(np.int64) + 3) // 7
        ends = matrix.zones[matrix.origin], matrix.zones[matrix.destination]
        parts.append(np.stack([np.full(matrix.count.size, number), *ends, matrix.count], 1))
    return np.concatenate(parts).astype(np.int64)


def measure(method: str, path: Path, spec: str, folder: Path) -> dict[str, object]:
    """Run one method here and return what it took."""
    import numpy as np

    from bench import peers

    import_everything(method)
    before, start, start_cpu = peak_mb(), time.perf_counter(), time.process_time()
    if method == "privlab":
        counts = privlab_counts(path, spec)
    elif method.startswith("sql"):
        trips = peers.BY_JOIN if method == "sql join" else peers.BY_WINDOW
        counts = peers.sql(path, trips, folder, LIMIT_GB)
    else:
        by_hand = {"pandas": peers.plain, "pandas mode": peers.literal, "python": peers.brute_force}
        counts = by_hand[method](path)
    seconds, cpu, peak = time.perf_counter() - start, time.process_time() - start_cpu, peak_mb()
    counts = counts[np.lexsort(counts.T[::-1])]
    return {
        "seconds": seconds,
        "cpu": cpu,
        "peak_mb": peak,
        "imports_mb": before,
        "flows": len(counts),
        "total": int(counts[:, 3].sum()),
        "digest": hashlib.sha256(counts.tobytes()).hexdigest(),
    }


def import_everything(method: str) -> None:
    """Import what a method needs, so that its clock does not count it."""
    if method == "privlab":
        import privlab.datasets.zone_kinds.zoning
        import privlab.od.simulating.weekly_simulation  # noqa: F401
    elif method.startswith("sql"):
        import duckdb  # noqa: F401
    else:
        import pandas
        import pyarrow.parquet  # noqa: F401

        pandas.DataFrame({"x": [0]}).groupby("x").size()


def peak_mb() -> float:
    """Return the most memory that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(method: str, path: Path, spec: str) -> dict[str, object]:
    """Run one method in a process of its own; add the most disk that its temporary folder took."""
    with tempfile.TemporaryDirectory(prefix="bench-run-", dir=path.parent) as name:
        folder, most, ended = Path(name), 0.0, threading.Event()

        def watch() -> None:
            nonlocal most
            while not ended.wait(0.1):
                most = max(most, size_mb(folder))

        watcher = threading.Thread(target=watch)
        watcher.start()
        command = [sys.executable, "-m", "bench.scale", "--measure", method, str(path), spec, name]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        finally:
            ended.set()
            watcher.join()
    took: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return took | {"disk_mb": most}


def size_mb(folder: Path) -> float:
    """Return what the files under a folder take, whatever vanishes meanwhile."""
    total = 0
    for file in folder.rglob("*"):
        try:
            total += file.stat().st_blocks * 512
        except FileNotFoundError:
            continue
    return total / 2**20


def compare(path: Path, n_records: int, workload: str, spec: str, peers: list[str], repeat: int) -> None:
    """Measure the pipeline and every peer that fits, best of some repeats, and print figures and ratios."""
    from bench.peers import BOX

    methods = ["privlab"]
    if spec == BOX:
        methods += [peer for peer in peers if n_records <= FITS.get(peer, n_records)]
    best: dict[str, dict[str, object]] = {}
    for _ in range(repeat):
        for method in methods:
            took = measured(method, path, spec)
            print(f"{workload} {n_records:,} {line(method, took, n_records)}", file=sys.stderr, flush=True)
            if method not in best or took["seconds"] < best[method]["seconds"]:
                best[method] = took
    assert len({took["digest"] for took in best.values()}) == 1, "the results differ"
    mine = best["privlab"]
    print(
        f"\n{workload}, {n_records:,} records, {path.stat().st_size / 2**20:,.0f} MB of Parquet, {spec}: "
        f"{mine['flows']:,} flows, {mine['total']:,} unique trips, all results equal"
    )
    for method, took in best.items():
        ratios = f"× privlab {took['seconds'] / mine['seconds']:.2f} (CPU {took['cpu'] / mine['cpu']:.2f})"
        print(f"{line(method, took, n_records)}  {ratios}", flush=True)


def line(method: str, took: dict[str, object], n_records: int) -> str:
    """Return what one run took, in words."""
    return (
        f"{method:11} {took['seconds']:8.2f} s  CPU {took['cpu']:7.2f} s  "
        f"{n_records / took['seconds']:12,.0f} records/s  "
        f"peak {took['peak_mb']:6,.0f} MB (imports {took['imports_mb']:,.0f})  disk {took['disk_mb']:6,.0f} MB"
    )


def main() -> None:
    from bench.peers import BOX

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--records", type=int, nargs="+", default=[1_000_000, 10_000_000])
    options.add_argument("--workloads", nargs="+", choices=WORKLOADS, default=list(WORKLOADS))
    options.add_argument("--zones", nargs="+", default=[BOX], help="a box, or for example grid:1000")
    options.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS))
    options.add_argument("--repeat", type=int, default=1)
    options.add_argument("--folder", help="where the records are made up and tables spill")
    options.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    options.add_argument("--write", nargs=3, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.measure:
        method, path, spec, folder = chosen.measure
        tempfile.tempdir = folder
        print(json.dumps(measure(method, Path(path), spec, Path(folder))))
        return
    if chosen.write:
        write_records(Path(chosen.write[0]), int(chosen.write[1]), chosen.write[2])
        return
    for n_records in chosen.records:
        for workload in chosen.workloads:
            with tempfile.TemporaryDirectory(prefix="bench-", dir=chosen.folder) as folder:
                path = Path(folder) / "records.parquet"
                order = ["--write", str(path), str(n_records), workload]
                subprocess.run([sys.executable, "-m", "bench.scale", *order], check=True)
                for spec in chosen.zones:
                    compare(path, n_records, workload, spec, chosen.peers, chosen.repeat)


if __name__ == "__main__":
    main()
