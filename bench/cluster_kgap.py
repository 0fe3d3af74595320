"""The k-gap of generated subscribers on a real local Spark cluster: one worker, two workers, and one machine, in one run.

`python -m bench.cluster_kgap --users 41000`; all must find the same. Each worker has one core. The time of the tasks, from the
first that begins to the last that ends, is read from Spark's own log; starting Java and reading the file are not in it.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.kgap import write_subscribers
from tests.datasets.engines.spark_cluster import WORKERS, running_cluster

ASKED = ("--level", "0.1-1", "--json")


def search_told(events: list[dict[str, Any]]) -> dict[str, float]:
    """Return what the tasks of the longest stage took: seconds by the clock and on the processor, and how many there were."""
    stages: dict[int, list[dict[str, Any]]] = {}
    for event in events:
        if "Task Metrics" in event:
            stages.setdefault(event["Stage ID"], []).append(event)
    longest = max(stages.values(), key=lambda tasks: sum(_ran(one) for one in tasks))
    begun = min(one["Task Info"]["Launch Time"] for one in longest)
    ended = max(one["Task Info"]["Finish Time"] for one in longest)
    return {
        "clock s": (ended - begun) / 1e3,
        "tasks' s": sum(_ran(one) for one in longest),
        "longest task s": max(_ran(one) for one in longest),
        "tasks": len(longest),
    }


def _ran(event: dict[str, Any]) -> float:
    return float(event["Task Metrics"]["Executor Run Time"]) / 1e3


def without_parts(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without what hangs on how people are cut into parts."""
    for told in answer["levels"]:
        del told["share_compared"]
    return answer


def main() -> None:
    """Print one line for each cluster, and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=41_000)
    parser.add_argument("--k", default="2,100")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-cluster-kgap-") as name:
        path = Path(name) / "people.parquet"
        write_subscribers(path, asked.users)
        words = ("kgap", str(path), *ASKED, "--k", asked.k)
        began = time.perf_counter()
        alone = json.loads(
            subprocess.run(
                [sys.executable, "-m", "privlab", *words], capture_output=True, text=True, check=True
            ).stdout
        )
        print(
            f"{asked.users:,} users, k {asked.k}: one machine {time.perf_counter() - began:.1f} s, reading included",
            flush=True,
        )
        alone, clock = without_parts(alone), {}
        for n_workers in range(1, len(WORKERS) + 1):
            folder = Path(name) / f"spark-{n_workers}"
            folder.mkdir()
            with running_cluster(folder, WORKERS[:n_workers]) as cluster, cluster.commands() as run:
                code, out, err = run(*words)
                if code:
                    raise SystemExit(err)
                if without_parts(json.loads(out)) != alone:
                    raise SystemExit(f"{n_workers} workers find something else than one machine")
                told = search_told(cluster.events("SparkListenerTaskEnd"))
            clock[n_workers] = told["clock s"]
            print(
                f"{n_workers} worker(s): "
                + ", ".join(f"{what} {value:,.1f}" for what, value in told.items()),
                flush=True,
            )
        print(f"speed-up over workers: {clock[1] / clock[2]:.2f}")


if __name__ == "__main__":
    main()
