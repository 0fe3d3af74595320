"""What a better mechanism buys on the samples, for one promise to a person's week: six mechanisms in one run.

`python -m bench.release [sample …] [--draws 10] [--threshold 1]`
"""

import argparse
import time

from privlab.datasets import Dataset
from privlab.datasets.engines import Workspace
from privlab.datasets.zones import Zoning
from privlab.lab.comparing import comparison_from_rows
from privlab.lab.loading.load import sample_rows
from privlab.od.comparing import ComparisonParameters

EPSILONS = (0.1, 0.3, 0.66, 1.0)


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("samples", nargs="*", default=["city", "commuters", "cabs"])
    arguments.add_argument("--draws", type=int, default=10)
    arguments.add_argument(
        "--threshold", type=int, default=1, help="on noisy counts; 0 publishes every possible flow"
    )
    chosen = arguments.parse_args()
    for sample in chosen.samples:
        with Workspace() as workspace:
            compared(sample, *sample_rows(sample, workspace), chosen.draws, chosen.threshold)


def compared(sample: str, dataset: Dataset, zoning: Zoning, draws: int, threshold: int) -> None:
    for epsilon in EPSILONS:
        start = time.perf_counter()
        parameters = ComparisonParameters(epsilon=epsilon, draws=draws, threshold=threshold)
        _, found = comparison_from_rows(dataset, zoning, parameters)
        print(f"{sample}, ε = {epsilon} per user-week ({time.perf_counter() - start:.1f} s)")
        for one in found:
            print(
                f"  {one.name:32} L {one.max_trips_per_user:4}  within 10% {one.within:6.1%} "
                f"(expected {one.expected_within:6.1%})  RMSE {one.rmse:7.1f}  false {one.made_up_share:6.2%}  "
                f"total {one.bias:+.1%}  against today {one.rmse / found[0].rmse:.2f}"
            )


if __name__ == "__main__":
    main()
