"""How long OpenDP's noise takes on a million counts, in seconds of processor time and as they pass.

`python -m bench.noise [--counts 1000000]`: all processors draw, each count by itself.
"""

import argparse
import time

import numpy as np

from privlab.dp.gaussian import UNITS, sigma_from_promise
from privlab.dp.noise import (
    Mechanism,
    noisy_counts_from_counts,
    secure_gaussian_from_sigma,
    secure_noise_from_mechanism,
)

EPSILON, BOUND = 0.66, 10


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--counts", type=int, default=1_000_000)
    counts = np.zeros(arguments.parse_args().counts, dtype=np.int64)
    sigma = sigma_from_promise(EPSILON, 1e-6, BOUND, most_trips=1000)
    laws = {
        "integer": secure_noise_from_mechanism(
            Mechanism(noise="integer", epsilon=EPSILON, l1_sensitivity=BOUND)
        ),
        "gaussian": secure_gaussian_from_sigma(sigma, UNITS * BOUND**0.5),
    }
    for name, noise in laws.items():
        start, used = time.perf_counter(), time.process_time()
        noisy_counts_from_counts(counts, noise)
        print(
            f"{name}: {counts.size:,} counts in {time.process_time() - used:.1f} s of processor time, "
            f"{time.perf_counter() - start:.1f} s passed"
        )


if __name__ == "__main__":
    main()
