"""Peak memory and time of records → OD counts in a process of its own, box and grid zoning."""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.od_counts import write_records

ZONES = {"box": "box:48,2,49,3.5:30x30", "grid": "grid:3000"}


def measure(path, spec):
    """Run the pipeline here and print what it took as JSON."""
    from privlab.datasets.readers import read_dataset
    from privlab.datasets.zoning import zoning_from_spec
    from privlab.od.simulation import od_simulation_from_trip_tables
    from privlab.od.tables import trip_tables_from_dataset

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    dataset = read_dataset(path)
    zoning = zoning_from_spec(spec, place=dataset.place, table=dataset.table)
    tables = trip_tables_from_dataset(dataset, zoning)
    simulation = od_simulation_from_trip_tables(tables, None, group_size=None, seed=1)
    taken = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    flows = sum(matrix.count.size for matrix in simulation.matrices.values())
    dataset.workspace.close()
    print(json.dumps({"seconds": taken, "peak_mb": peak / 1024, "imports_mb": before / 1024, "flows": flows}))


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--records", type=int, default=20_000_000)
    options.add_argument("--measure", nargs=2, metavar=("FILE", "ZONES"), help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.measure:
        measure(*chosen.measure)
        return
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path = Path(folder) / "records.parquet"
        write_records(path, chosen.records)
        size = path.stat().st_size / 2**20
        print(f"{chosen.records:,} records, {size:,.0f} MB of Parquet")
        for name, spec in ZONES.items():
            command = [sys.executable, "-m", "bench.memory", "--measure", str(path), spec]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            took = json.loads(done.stdout)
            print(
                f"{name}: {took['seconds']:.1f} s, peak {took['peak_mb']:,.0f} MB "
                f"(imports {took['imports_mb']:,.0f} MB), peak / file {took['peak_mb'] / size:.2f}, "
                f"{took['flows']:,} flows"
            )


if __name__ == "__main__":
    main()
