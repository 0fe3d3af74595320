"""The k-gap of generated subscribers: speed and memory by number of users, beside brute force of the same engine.

`python -m bench.kgap --users 5000 10000 20000`; each run is a process of its own, compiling not counted. The
figures are k-gaps and dispersion for all k. The load is the machine's: seconds count only where it is low. "bounds" is
the same search with a bound for every pair, no tile left out. Brute force works out every distance in full: of all
users up to 5,000, beyond of 200 drawn ones, scaled up. `--blocks N` searches for that many blocks of 256 users, drawn
from all, and scales up; the columns "figures" then say what the preparation takes. `--limit-gb` allows less memory, so
that tables and neighbours lie on disk from fewer users on. "held" is the most memory that was the process's own, without
files mapped into it, which the system may write back at any time.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

FULL_BRUTE_FORCE = 5_000
DRAWN = 200
BLOCK = 256
STEPS = ("pruned", "bounds", "brute")


def write_subscribers(path: Path, n_users: int) -> None:
    import pyarrow.parquet as pq

    from privlab.datasets.synthetic import generators

    blocks = generators.blocks("subscribers", n_users=n_users, seed=1)
    first = next(blocks)
    with pq.ParquetWriter(path, first.schema) as writer:
        writer.write_table(first)
        for block in blocks:
            writer.write_table(block)


class HeldMemory:
    """The most memory without files that this process holds within the block, in GB, looked at ten times a second."""

    def __init__(self) -> None:
        self.most_gb = 0.0
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._watch)

    def _watch(self) -> None:
        while not self._ended.wait(0.1):
            lines = Path("/proc/self/status").read_text().splitlines()
            kB = next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))
            self.most_gb = max(self.most_gb, kB / 1024**2)

    def __enter__(self) -> "HeldMemory":
        self._watcher.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._ended.set()
        self._watcher.join()


def peak_gb() -> float:
    """Return the most memory that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


def measured_blocks(fingerprints: Any, k: int, workers: int, blocks: int) -> dict[str, float]:
    """Return what some blocks of the search take, drawn from all, scaled up, and what it takes to prepare it."""
    import numpy as np

    from privlab.fingerprints.search.neighbours import neighbours_from_fingerprints
    from privlab.fingerprints.search.order import users_in_order

    order, n = users_in_order(fingerprints), fingerprints.n_users
    starts = np.random.default_rng(1).choice(n // BLOCK, blocks, replace=False) * BLOCK
    query = np.concatenate([order[start : start + BLOCK] for start in starts])
    took = []
    for some in (query[:1], query):
        began, cpu = time.perf_counter(), time.process_time()
        found = neighbours_from_fingerprints(fingerprints, k=k, query=some, n_workers=workers, block=BLOCK)
        took.append((time.perf_counter() - began, time.process_time() - cpu))
    scale = n / query.size
    whole = [prepare + (both - prepare) * scale for prepare, both in zip(*took, strict=True)]
    return {
        "users": n,
        "seconds": whole[0],
        "cpu": whole[1],
        "figures": took[0][0],
        "figures_cpu": took[0][1],
        "compared": found.n_compared / found.n_pairs,
        "peak_gb": peak_gb(),
    }


def measure(path: Path, step: str, k: int, workers: int, blocks: int = 0) -> dict[str, float]:
    """Run the search of one kind here and return what it took."""
    import numpy as np

    from privlab.datasets.engines.workspace import Workspace
    from privlab.datasets.read import read_dataset
    from privlab.fingerprints.fingerprints import fingerprints_from_dataset, fingerprints_of_users
    from privlab.fingerprints.measures.dispersion import dispersion_from_neighbours
    from privlab.fingerprints.measures.kgap import kgap_from_neighbours
    from privlab.fingerprints.search import tile_search
    from privlab.fingerprints.search.neighbours import neighbours_from_fingerprints

    if step == "bounds":  # one round that holds everybody
        tile_search._FIRST_TILES = 2**31
    with Workspace() as workspace:
        began = time.perf_counter()
        fingerprints = fingerprints_from_dataset(read_dataset(path, workspace=workspace))
        took = {"read": time.perf_counter() - began}
    few = fingerprints_of_users(fingerprints, np.arange(20))
    ks = [one for one in (2, 5, 10, 25, 50, 100) if one <= k]
    for pruned in (True, False):
        warm = neighbours_from_fingerprints(few, k=k, pruned=pruned)
    dispersion_from_neighbours(few, warm, ks)
    n, scale, query = fingerprints.n_users, 1.0, None
    if blocks:
        return took | measured_blocks(fingerprints, k, workers, blocks)
    if step == "brute" and n > FULL_BRUTE_FORCE:
        query, scale = np.random.default_rng(1).choice(n, DRAWN, replace=False), n / DRAWN
    began, cpu = time.perf_counter(), time.process_time()
    found = neighbours_from_fingerprints(
        fingerprints, k=k, query=query, n_workers=workers, pruned=step != "brute"
    )
    took |= {
        "seconds": (time.perf_counter() - began) * scale,
        "cpu": (time.process_time() - cpu) * scale,
    }
    began, cpu = time.perf_counter(), time.process_time()
    if step == "pruned":
        kgap_from_neighbours(found, ks)
        dispersion_from_neighbours(fingerprints, found, ks, n_workers=workers)
    return took | {
        "users": n,
        "figures": time.perf_counter() - began,
        "figures_cpu": time.process_time() - cpu,
        "compared": found.n_compared / found.n_pairs,
        "peak_gb": peak_gb(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, nargs="+", default=[5_000, 10_000, 20_000])
    parser.add_argument("--k", type=int, nargs="+", default=[2, 100])
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=("pruned", "brute"))
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--blocks", type=int, default=0)
    parser.add_argument("--limit-gb", type=float, default=6.0)
    parser.add_argument("--measure", nargs=3, metavar=("FILE", "STEP", "K"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        path, step, k = asked.measure
        from privlab.fingerprints.search import index

        index.MAX_SEARCH_GB = asked.limit_gb
        with HeldMemory() as held:
            took = measure(Path(path), step, int(k), asked.workers, asked.blocks)
        print(json.dumps(took | {"held_gb": held.most_gb}))
        return
    print("                      search           figures")
    print("users    k  kind    seconds     CPU  seconds     CPU  compared  peak GB  held  load")
    with tempfile.TemporaryDirectory(prefix="bench-kgap-") as name:
        for n_users in asked.users:
            path = Path(name) / f"{n_users}.parquet"
            write_subscribers(path, n_users)
            for step in asked.steps:
                for k in asked.k[-1:] if step == "brute" else asked.k:
                    command = [sys.executable, "-m", "bench.kgap", "--workers", str(asked.workers)]
                    command += ["--blocks", str(asked.blocks), "--limit-gb", str(asked.limit_gb)]
                    command += ["--measure", str(path), step, str(k)]
                    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                    took = json.loads(done.stdout.splitlines()[-1])
                    print(
                        f"{n_users:<7,}{k:>4}  {step:<7}{took['seconds']:>8.2f}{took['cpu']:>8.2f}"
                        f"{took['figures']:>9.2f}{took['figures_cpu']:>8.2f}{took['compared']:>10.2%}"
                        f"{took['peak_gb']:>9.2f}{took['held_gb']:>6.2f}{os.getloadavg()[0]:>6.1f}",
                        flush=True,
                    )
            path.unlink()


if __name__ == "__main__":
    main()
