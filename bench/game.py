"""The game on `cabs` (and, asked for, `commuters`): one target's groups, and the paper's figure of the subset prior.

Part one: 600 groups of 500 users over 101 zones × 168 hours are drawn, added up and summed up, beside the
same counts as one product of dense matrices; seconds of wall clock and of the processor, best of seven.
Part two: 150 targets × 4 group sizes × 4 classifiers on two processes; for `commuters` the paper's six sizes.
"""

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from privlab.aggregates.counting import aggregates_from_groups, statistics_from_aggregates, total_from_window
from privlab.aggregates.findings.summaries import summaries_from_result
from privlab.aggregates.game_rules.game_plan import plan_from_parameters
from privlab.aggregates.game_rules.groups import split_from_traces, targets_from_traces
from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.aggregates.periods import period_from_spec
from privlab.aggregates.traces import Traces, presence_from_window, traces_from_dataset, window_from_traces
from privlab.datasets.catalog import SAMPLES, sample_dataset
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.zone_kinds.zoning import zoning_from_spec
from privlab.lab.attacking.play import play_game


def sample_traces(name: str) -> Traces:
    with Workspace() as workspace:
        dataset = sample_dataset(name, workspace)
        zoning = zoning_from_spec(SAMPLES[name].zones, place=dataset.place, table=dataset.table)
        return traces_from_dataset(dataset, zoning)


def best(work: Callable[[], object], repeat: int = 7) -> tuple[float, float]:
    """Return the least seconds of wall clock and of the processor."""
    work()
    walls, processors = [], []
    for _ in range(repeat):
        wall, processor = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    return min(walls), min(processors)


def one_target(traces: Traces, size: int) -> None:
    parameters = GameParameters(prior="different-groups", group_size=size, train_groups=500)
    plan = plan_from_parameters(parameters, traces)
    target = targets_from_traces(traces, 1, seed=1)[0]
    window = window_from_traces(traces, week=0, period=period_from_spec("week"))
    total = total_from_window(window)

    def work() -> None:
        split = split_from_traces(traces, parameters, plan, target)
        for groups in (split.train, split.test):
            statistics_from_aggregates(aggregates_from_groups(groups.member, window, total=total))

    split = split_from_traces(traces, parameters, plan, target)
    member = np.concatenate([split.train.member, split.test.member])
    dense = np.stack([presence_from_window(window, user).ravel() for user in range(traces.n_users)])
    seen, drawn = dense.astype(np.float32), member.astype(np.float32)
    assert ((drawn @ seen).reshape(600, traces.n_zones, 168) == aggregates_from_groups(member, window)).all()
    with threadpool_limits(1):
        all_of_it, adding, product = (
            best(work),
            best(lambda: aggregates_from_groups(member, window, total=total)),
            best(lambda: drawn @ seen),
        )
    print(
        f"600 groups of {size}: draw, add up, statistics {all_of_it[0]:.3f} s ({all_of_it[1]:.3f} s processor); "
        f"adding up alone {adding[1]:.3f} s, as a dense product {product[1]:.3f} s",
        flush=True,
    )


def figure(traces: Traces, options: argparse.Namespace) -> None:
    began, sizes = time.perf_counter(), [int(size) for size in options.sizes.split(",")]
    for size in sizes:
        parameters = GameParameters(
            prior=options.prior,
            group_size=size,
            targets=options.targets,
            classifiers=tuple(options.classifiers.split(",")),
            arms=tuple(options.arms.split(",")),
            period=options.period,
        )
        result = play_game(traces, parameters, workers=options.workers).result
        for summary in summaries_from_result(result):
            overall = summary.overall
            print(
                f"{traces.name}\t{options.prior}\t{options.period}\t{size}\t{summary.setting.arm}\t"
                f"{summary.setting.classifier}\t{overall.auc_mean:.3f}\t{overall.auc_low:.3f}\t"
                f"{overall.auc_high:.3f}\t{overall.pl_mean:.3f}",
                flush=True,
            )
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    processor = sum(one.ru_utime + one.ru_stime for one in used)
    print(
        f"{traces.name}, {options.prior}, {options.targets} targets, sizes {sizes}: "
        f"{time.perf_counter() - began:.0f} s, {processor:.0f} s processor with reading the sample, "
        f"most memory of a process {max(one.ru_maxrss for one in used) / 1e6:.2f} GB",
        flush=True,
    )


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--sample", default="cabs", choices=["cabs", "commuters"])
    asked.add_argument("--prior", default="subset")
    asked.add_argument("--sizes", default="5,10,50,100")
    asked.add_argument("--classifiers", default="lr,knn,rf,mlp")
    asked.add_argument("--arms", default="statistics")
    asked.add_argument("--period", default="week")
    asked.add_argument("--targets", type=int, default=150)
    asked.add_argument("--workers", type=int, default=2)
    asked.add_argument("--part", default="both", choices=["both", "target", "figure"])
    options = asked.parse_args()
    traces = sample_traces(options.sample)
    if options.part != "figure" and options.sample == "cabs":
        for size in (5, 100, 267, 500):
            one_target(traces, size)
    if options.part != "target":
        figure(traces, options)


if __name__ == "__main__":
    main()
