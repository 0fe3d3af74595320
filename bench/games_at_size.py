"""Flow B at the paper's own size: what defences stop in groups of 9,500 of 10,000 commuters, and a neural network over group sizes.

`python -m bench.games_at_size defences --out FILE` plays the paper's five mechanisms at each of its ε against both attackers,
`sizes` the neural network under each prior in groups of each size; both print the tables of docs/knock_knock.md, and `--show FILE`
prints them of what is stored. Each target is kept in `--runs`: who stops it goes on from there.
"""

import argparse
import json
import resource
from dataclasses import asdict
from pathlib import Path
from typing import Any

DEFENCES = {
    "lpa": "LPA(Δ/ε)",
    "lpa-event": "LPA(1/ε)",
    "gaussian": "Gaussian",
    "fpa": "FPA",
    "efpag": "EFPAG",
}
EPSILONS = (0.01, 0.1, 1.0, 10.0)
ERROR_AT = 1.0  # the ε whose error a table shows
PRIORS = ("different-groups", "same-groups")  # of the subset prior the network is in the page's first table
SIZES = (5, 10, 50, 100, 500, 1_000)
TARGETS = 30


def defences(runs: Path, group_size: int, targets: int, classifiers: tuple[str, ...]) -> dict[str, Any]:
    """Return privacy gain and AUC of every mechanism, ε, attacker and classifier under the perfect prior."""
    from bench.game import sample_traces
    from privlab.aggregates.findings import published_shapes_from_points, tradeoff_from_result
    from privlab.aggregates.game_rules import GameParameters
    from privlab.kept import Runs
    from privlab.lab.attacking import play_game

    traces, points = sample_traces("commuters"), []
    for name in DEFENCES:
        game = GameParameters(
            prior="perfect",
            group_size=group_size,
            targets=targets,
            classifiers=classifiers,
            defence=name,
            epsilons=EPSILONS,
        )
        points += tradeoff_from_result(play_game(traces, game, runs=Runs(runs)).result)
        print(f"{name}: {processor_seconds():.0f} s of processor time", flush=True)
    shapes = {
        classifier: {
            one.name: {"measured": round(one.measured, 4), "holds": one.holds}
            for one in published_shapes_from_points(
                [one for one in points if one.setting.classifier == classifier]
            )
        }
        for classifier in classifiers
    }
    return {
        "study": "defences",
        "sample": "commuters",
        "users": traces.n_users,
        "group_size": group_size,
        "targets": targets,
        "seed": 1,
        "points": [_rounded(asdict(one)) for one in points],
        "published": shapes,
    }


def sizes(runs: Path, targets: int, priors: tuple[str, ...], group_sizes: tuple[int, ...]) -> dict[str, Any]:
    """Return the neural network's AUC and privacy loss under every prior in groups of every size."""
    from bench.game import sample_traces
    from privlab.aggregates.findings import summaries_from_result
    from privlab.aggregates.game_rules import GameParameters
    from privlab.kept import Runs
    from privlab.lab.attacking import play_game

    traces, found = sample_traces("commuters"), []
    for prior in priors:
        for size in group_sizes:
            game = GameParameters(prior=prior, group_size=size, targets=targets, classifiers=("mlp",))
            (one,) = summaries_from_result(play_game(traces, game, runs=Runs(runs)).result)
            overall = one.overall
            auc = [overall.auc_mean, overall.auc_low, overall.auc_high]
            found.append(
                {"prior": prior, "group_size": size}
                | _rounded({"auc": auc, "pl": overall.pl_mean, "pl_baseline": one.pl_baseline})
            )
            print(f"{prior}, {size}: {processor_seconds():.0f} s of processor time", flush=True)
    return {
        "study": "sizes",
        "sample": "commuters",
        "users": traces.n_users,
        "classifier": "mlp",
        "targets": targets,
        "seed": 1,
        "points": found,
    }


def tables(result: dict[str, Any]) -> dict[str, list[str]]:
    """Return the rows of every table of a study in Markdown."""
    if result["study"] == "sizes":
        shown: dict[str, list[str]] = {}
        for one in result["points"]:
            cell = f"{_interval(one['auc'], 3)}, {one['pl']:.2f}"
            shown.setdefault(one["prior"], []).append(cell)
        words = {prior: prior.replace("-", " ") for prior in shown}
        return {
            "sizes": [f"| {words[prior]} | " + " | ".join(cells) + " |" for prior, cells in shown.items()]
        }
    rows = {}
    points = result["points"]
    for classifier in dict.fromkeys(one["setting"]["classifier"] for one in points):
        own = [one for one in points if one["setting"]["classifier"] == classifier]
        rows[classifier] = [_defence_row(name, own) for name in dict.fromkeys(one["defence"] for one in own)]
    return rows


def _defence_row(name: str, points: list[dict[str, Any]]) -> str:
    own = {
        (one["setting"]["epsilon"], one["setting"]["adversary"]): one
        for one in points
        if one["defence"] == name
    }
    cells = []
    for epsilon in sorted({epsilon for epsilon, _ in own}):
        both = (own[epsilon, who] for who in ("passive", "strategic"))
        cells.append(
            " / ".join(_interval([one["pg_mean"], one["pg_low"], one["pg_high"]], 2) for one in both)
        )
    error = own[ERROR_AT, "passive"]["mre"]
    return f"| {DEFENCES[name]} | " + " | ".join(cells) + f" | {error:.3g} |"


def _interval(found: list[float], digits: int) -> str:
    middle, low, high = (f"{value:.{digits}f}" for value in found)
    return f"{middle} [{low}, {high}]"


def _rounded(found: Any) -> Any:
    if isinstance(found, float):
        return float(f"{found:.6g}")
    if isinstance(found, dict):
        return {name: _rounded(value) for name, value in found.items()}
    return [_rounded(one) for one in found] if isinstance(found, list) else found


def processor_seconds() -> float:
    """Return the processor time of this process and of those it started, in seconds."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", choices=["defences", "sizes"])
    parser.add_argument("--group-size", type=int, default=9_500, help="of the study defences")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="of the study sizes")
    parser.add_argument("--priors", default=",".join(PRIORS), help="of the study sizes")
    parser.add_argument("--targets", type=int, default=TARGETS)
    parser.add_argument("--classifiers", default="lr,mlp", help="of the study defences")
    parser.add_argument("--runs", type=Path, default=Path("games_at_size.sqlite"), help="keeps each target")
    parser.add_argument("--out", type=Path, help="JSON file for what is found")
    parser.add_argument("--show", type=Path, help="print the tables of such a file and work out nothing")
    asked = parser.parse_args()
    if asked.show:
        result = json.loads(asked.show.read_text(encoding="utf-8"))
    elif asked.study == "defences":
        classifiers = tuple(asked.classifiers.split(","))
        result = defences(asked.runs, asked.group_size, asked.targets, classifiers)
    else:
        group_sizes = tuple(int(one) for one in asked.sizes.split(","))
        result = sizes(asked.runs, asked.targets, tuple(asked.priors.split(",")), group_sizes)
    if asked.out:
        asked.out.parent.mkdir(parents=True, exist_ok=True)
        asked.out.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for name, rows in tables(result).items():
        print(name, *rows, sep="\n")


if __name__ == "__main__":
    main()
