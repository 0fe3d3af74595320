"""A release on a real local Spark cluster of two workers, against the same release on one machine, up to the noise.

`python -m bench.cluster_release --records 1000000 3000000`; both must expect the same of the release. What tasks took on the
processor, moved and sent back is read from Spark's own log. Machine by the clock is for the reader's own figures.
"""

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.scale import write_records
from tests.datasets.engines.spark_cluster import running_cluster

ZONES = "box:48,2,49,3.5:30x30"
ASKED = (
    "--epsilon",
    "2",
    "--max-trips-per-user",
    "10",
    "--week",
    "2026-03-02",
    "--threshold",
    "20",
    "--preview",
    "--json",
)


def on_one_machine(words: tuple[str, ...]) -> tuple[float, float, dict[str, Any]]:
    """Run the command in a process of its own; return its seconds, those on the processor, and its answer."""
    before, ended = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "privlab", *words], capture_output=True, text=True, check=True
    )
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = now.ru_utime + now.ru_stime - ended.ru_utime - ended.ru_stime
    return time.perf_counter() - before, cpu, json.loads(done.stdout)


def tasks_told(events: list[dict[str, Any]]) -> dict[str, float]:
    """Return what all tasks together took and moved: seconds on the processor, megabytes."""
    told = [event["Task Metrics"] for event in events if "Task Metrics" in event]
    return {
        "processor s": sum(one["Executor CPU Time"] for one in told) / 1e9,
        "run s": sum(one["Executor Run Time"] for one in told) / 1e3,
        "shuffled MB": sum(one["Shuffle Write Metrics"]["Shuffle Bytes Written"] for one in told) / 1e6,
        "sent back MB": sum(one["Result Size"] for one in told) / 1e6,
    }


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def main() -> None:
    """Print one line for each size and noise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--noise", nargs="+", default=["integer", "gaussian"])
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as name,
        running_cluster(_made(Path(name) / "spark")) as cluster,
        cluster.commands() as run,
    ):
        for n_records in asked.records:
            path = Path(name) / "records.parquet"
            write_records(path, n_records, "sparse")
            for noise in asked.noise:
                words = ("release", str(path), "--zones", ZONES, *ASKED, "--noise", noise)
                before = time.perf_counter()
                code, out, err = run(*words)
                seconds = time.perf_counter() - before
                if code:
                    raise SystemExit(err)
                there = json.loads(out)["outlook"]
                alone, cpu, here = on_one_machine(words)
                for what, expected in here["outlook"].items():
                    same = (
                        math.isclose(there[what], expected, rel_tol=1e-6)
                        if isinstance(expected, float)
                        else there[what] == expected
                    )
                    if not same:
                        raise SystemExit(f"{what}: {there[what]} on the cluster, {expected} on one machine")
                told = tasks_told(cluster.events("SparkListenerTaskEnd"))
                figures = ", ".join(f"{name} {value:,.1f}" for name, value in told.items())
                print(
                    f"{n_records:,} records, {noise}: cluster {seconds:.1f} s, one machine {alone:.1f} s, "
                    f"ratio {seconds / alone:.1f}, processor s of one machine {cpu:.1f}; {here['outlook']['n_true_flows']:,} flows; {figures}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
