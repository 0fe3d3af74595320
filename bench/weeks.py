"""Simulated releases of many weeks: empty cells drawn one by one against those that pass the threshold alone.

`python -m bench.weeks --zones 400 --weeks 280`; the ratio is what the law of the number that passes saves.
"""

import argparse
import time

import numpy as np

from privlab.od.matrix import ODMatrix
from privlab.od.simulating.simulated_release import ReleaseParameters, simulated_release_from_od_matrix

N_FLOWS = 20_000


def matrix_of(n_zones: int, week: int, rng: np.random.Generator) -> ODMatrix:
    """Return counts of one to nine people in some of the flows."""
    flow = np.unique(rng.integers(0, n_zones**2, min(N_FLOWS, n_zones**2 // 4)))
    flow = flow[flow % (n_zones + 1) != 0]
    origin, destination = np.divmod(flow, n_zones)
    return ODMatrix(
        zones=np.arange(n_zones),
        week=str(np.datetime64("2015-01-05") + 7 * week),
        origin=origin,
        destination=destination,
        count=rng.integers(1, 10, flow.size),
        n_users=1_000,
        max_trips_per_user=None,
    )


def main() -> None:
    """Print both times on the processor and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--zones", type=int, nargs="+", default=[100, 400, 1_000])
    parser.add_argument("--weeks", type=int, default=280)
    asked = parser.parse_args()
    parameters = ReleaseParameters(epsilon=0.66, threshold=10)
    for n_zones in asked.zones:
        matrices = [matrix_of(n_zones, week, np.random.default_rng(week)) for week in range(asked.weeks)]
        seconds = []
        for n_weeks in (1, asked.weeks):
            before, rng = time.process_time(), np.random.default_rng(1)
            for matrix in matrices:
                simulated_release_from_od_matrix(matrix, parameters, rng, n_weeks=n_weeks)
            seconds.append(time.process_time() - before)
        print(
            f"{n_zones} zones, {asked.weeks} weeks: every cell {seconds[0]:.2f} s, those that pass {seconds[1]:.2f} s, "
            f"ratio {seconds[0] / seconds[1]:.1f}"
        )


if __name__ == "__main__":
    main()
