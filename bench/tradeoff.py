"""Privacy gain and relative error of the defences on a sample, as a table; minutes per target."""

import argparse
import time

from bench.game import sample_traces
from privlab.aggregates.defences.defence import defence_facts_from_window
from privlab.aggregates.game.play import tradeoff_from_traces
from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.aggregates.periods import period_from_spec
from privlab.aggregates.traces import window_from_traces

DEFENCES = "lpa,lpa-event,gaussian,fpa,efpag,suppress:50,sample:0.5,generalise:hours=24"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sample", default="cabs", choices=["cabs", "commuters"])
    options.add_argument("--targets", type=int, default=9)
    options.add_argument("--classifiers", default="lr,mlp")
    options.add_argument("--defences", default=DEFENCES)
    options.add_argument("--epsilons", default="0.1,1,10")
    options.add_argument("--prior", default="perfect")
    options.add_argument("--group-size", type=int, default=500)
    options.add_argument("--workers", type=int, default=1)
    asked = options.parse_args()
    start = time.perf_counter()
    traces = sample_traces(asked.sample)
    print(defence_facts_from_window(window_from_traces(traces, week=0, period=period_from_spec("week"))))
    parameters = GameParameters(
        prior=asked.prior,
        group_size=asked.group_size,
        targets=asked.targets,
        classifiers=tuple(asked.classifiers.split(",")),
    )
    epsilons = [float(one) for one in asked.epsilons.split(",")]
    print("| defence | ε | adversary | classifier | AUC raw | AUC | PG | PG literal | MRE |")
    for defence in asked.defences.split(","):
        for one in tradeoff_from_traces(traces, parameters, [defence], epsilons, workers=asked.workers):
            setting = one.setting
            print(
                f"| {one.defence} | {setting.epsilon} | {setting.adversary} | {setting.classifier} "
                f"| {one.auc_raw:.3f} | {one.auc:.3f} | {one.pg_mean:.2f} | {one.pg_literal:.2f} | {one.mre:.3g} |",
                flush=True,
            )
    print(f"{asked.targets} targets, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
