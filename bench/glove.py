"""GLOVE and unicity on generated subscribers: seconds, processor seconds, and how they grow with the users.

Each time is the best of `--repeat`. The exponent is the slope of log(processor seconds) against log(users).
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.datasets.synthetic.sample_files import write_sample
from privlab.fingerprints.fingerprints import Fingerprints, fingerprints_from_dataset, fingerprints_of_users
from privlab.fingerprints.glove.glove_result import GloveParameters, accuracy_from_hidden_groups
from privlab.fingerprints.glove.hiding import hidden_groups_from_fingerprints
from privlab.fingerprints.singling_out.unicity import unicity_from_fingerprints


def generated(n_users: int) -> Fingerprints:
    with tempfile.TemporaryDirectory() as folder, Workspace() as workspace:
        path = Path(folder) / "subscribers.parquet"
        write_sample("subscribers", path, n_users=n_users, seed=1)
        return fingerprints_from_dataset(read_dataset(path, workspace=workspace))


def timed(work: Callable[[], object], repeat: int) -> tuple[float, float]:
    walls, processors = [], []
    for _ in range(repeat):
        wall, processor = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    return min(walls), min(processors)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", type=int, nargs="+", default=[1_250, 2_500, 5_000, 10_000])
    parser.add_argument("--k", type=int, nargs="+", default=[2, 5])
    parser.add_argument("--repeat", type=int, default=1)
    asked = parser.parse_args()
    everybody = generated(max(asked.users))
    few = fingerprints_of_users(everybody, np.arange(20))
    hidden_groups_from_fingerprints(few, GloveParameters(k=3))  # compiles
    unicity_from_fingerprints(few, rng=np.random.default_rng(1))
    for k in asked.k:
        spent = []
        for n_users in asked.users:
            people = fingerprints_of_users(everybody, np.arange(n_users))
            wall, processor = timed(
                lambda people=people, k=k: hidden_groups_from_fingerprints(people, GloveParameters(k=k)),
                asked.repeat,
            )
            spent.append(processor)
            print(f"GLOVE, k {k}, {n_users:,} users: {wall:.1f} s, {processor:.1f} CPU s", flush=True)
        if len(spent) > 1:
            slope = np.polyfit(np.log(asked.users), np.log(spent), 1)[0]
            print(f"GLOVE, k {k}: grows as users to the power {slope:.2f}")
    people = fingerprints_of_users(everybody, np.arange(asked.users[-1]))
    wall, _ = timed(
        lambda: unicity_from_fingerprints(people, draws=10**7, rng=np.random.default_rng(1)), asked.repeat
    )
    print(f"unicity of all {people.n_users:,} users, 1 to 10 samples: {wall:.2f} s")
    sample = fingerprints_of_users(everybody, np.arange(min(5_000, max(asked.users))))
    for k, km, minutes in ((2, None, None), (2, 15, 360), (5, None, None), (5, 15, 360)):
        parameters = GloveParameters(k=k, suppress_km=km, suppress_min=minutes)
        groups = hidden_groups_from_fingerprints(sample, parameters)
        left = accuracy_from_hidden_groups(groups)
        print(
            f"k {k}, limits {km} km {minutes} min: {groups.n_suppressed / groups.home.size:.1%} suppressed, "
            f"{groups.n_discarded_users} users discarded; of the rest within 2 km {left.within_km(2):.1%}, "
            f"2 h {left.within_min(120):.1%}"
        )


if __name__ == "__main__":
    main()
