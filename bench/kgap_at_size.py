"""Flow C at the paper's own size: k-gaps of 82,000 generated subscribers, beside smaller sets, periods and levels.

`python -m bench.kgap_at_size --out docs/results/kgap_82000.json` works it out and prints the tables of docs/kgap_at_size.md;
`--show FILE` prints them of what is stored. So many users, drawn by the seed, are judged against everybody: each of their
k-gaps is exact, and quantiles over all users come with the 95% interval of the draw (order statistics; Wilson for shares).
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from bench.kgap import write_subscribers

SIZES = (2_500, 5_000, 20_000, 82_000)
KS = (2, 5, 10, 25, 50, 100)
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
PERIODS = ("days:3", "days:7")


def studies(n_users: int, n_query: int) -> list[dict[str, Any]]:
    """Return every study: sizes, then, at the largest, levels, periods and folded weeks."""
    from privlab.fingerprints.levels import DEFAULT_LEVELS

    finest, *coarser = map(str, DEFAULT_LEVELS)
    sizes = [size for size in SIZES if size < n_users] + [n_users]
    asked = [{"axis": "users", "users": size, "level": finest} for size in sizes]
    asked += [{"axis": "level", "users": n_users, "level": level} for level in coarser]
    asked += [{"axis": "days", "users": n_users, "level": finest, "controls": [one]} for one in PERIODS]
    asked += [
        {"axis": "fold", "users": n_users, "level": level, "fold_days": 7} for level in (finest, coarser[-1])
    ]
    return [
        {"controls": [], "fold_days": None, **one, "query_users": min(n_query, one["users"])} for one in asked
    ]


def judged(finest: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """Return what one study finds."""
    from privlab.fingerprints.levels import Level
    from privlab.fingerprints.measures import StudyParameters
    from privlab.lab.fingerprints import kgap_study_from_fingerprints

    parameters = StudyParameters(
        level=Level.from_text(asked["level"]),
        n_query=asked["query_users"],
        fold_days=asked["fold_days"],
        controls=tuple(asked["controls"]),
    )
    study = kgap_study_from_fingerprints(finest, parameters, ks=KS)
    return asked | {
        "mean_samples": round(study.mean_samples, 2),
        "share_equal_length_pairs": round(study.share_equal_length_pairs, 5),
        "k": {str(k): figures(study, k) for k in (KS if asked["axis"] == "users" else (2, 100))},
    }


def figures(study: Any, k: int) -> dict[str, Any]:
    """Return quantiles with their intervals, shares, and medians of what the k-gaps are made of."""
    import numpy as np
    import scipy.stats

    from privlab.fingerprints.measures import summary_from_dispersion
    from privlab.stats import wilson

    gaps = np.sort(study.kgaps.of(k))
    n, found = gaps.size, {}
    for level in QUANTILES:
        low, high = (int(scipy.stats.binom.ppf(p, n, level)) for p in (0.025, 0.975))
        ranks = (int(np.ceil(level * n)) - 1, max(0, low - 1), min(n - 1, high))
        found[f"{level:g}"] = [round(float(gaps[rank]), 4) for rank in ranks]
    parts = summary_from_dispersion(study.dispersion, k)
    shares = study.dispersion.temporal_share[:, study.dispersion.ks.index(k)]
    counts = {"at_zero": int((gaps == 0).sum()), "mostly_temporal": int((shares >= 0.8).sum())}
    judged = {"at_zero": n, "mostly_temporal": int((~np.isnan(shares)).sum())}
    return {
        "least": round(float(gaps[0]), 4),
        "quantiles": found,
        "shares": {
            name: [count, judged[name], *(round(float(end), 5) for end in wilson(count, judged[name]))]
            for name, count in counts.items()
        },
        "medians": {name: round(value, 4) for name, value in parts.median.items()},
    }


def worked_out(n_users: int, n_query: int) -> dict[str, Any]:
    """Return all studies of one run; progress goes to the terminal."""
    from privlab.datasets.engines.workspace import Workspace
    from privlab.datasets.read import read_dataset
    from privlab.fingerprints.fingerprints import fingerprints_from_dataset

    asked, found, known = studies(n_users, n_query), [], 0
    with tempfile.TemporaryDirectory(prefix="bench-kgap-") as folder:
        for one in asked:
            if one["users"] != known:
                known, path = one["users"], Path(folder) / "subscribers.parquet"
                write_subscribers(path, known)
                with Workspace() as workspace:
                    finest = fingerprints_from_dataset(read_dataset(path, workspace=workspace))
            found.append(judged(finest, one))
            print(json.dumps({name: one[name] for name in ("axis", "users", "level")}), flush=True)
    return {"sample": "subscribers", "seed": 1, "users": n_users, "query_users": n_query, "studies": found}


def tables(result: dict[str, Any]) -> dict[str, list[str]]:
    """Return the rows of every table in Markdown, by axis."""
    rows: dict[str, list[str]] = {"users": [], "k": [], "level": [], "days": [], "fold": [], "why": []}
    largest = next(
        one for one in result["studies"] if one["axis"] == "users" and one["users"] == result["users"]
    )
    for one in result["studies"]:
        what = {
            "users": f"{one['users']:,}",
            "level": one["level"],
            "days": f"{one['controls'][0].removeprefix('days:')}" if one["controls"] else "14",
            "fold": f"{one['level']}, 14 days laid onto one week",
        }[one["axis"]]
        rows[one["axis"]].append(_row(what, one))
    rows["level"].insert(0, _row(largest["level"], largest))
    rows["days"].append(_row("14", largest))
    coarsest = [one for one in result["studies"] if one["axis"] == "level"][-1]
    rows["fold"] += [_row(f"{one['level']}, as they are", one) for one in (largest, coarsest)]
    for k, found in largest["k"].items():
        ends = [f"{middle:.3f} [{low:.3f}, {high:.3f}]" for middle, low, high in found["quantiles"].values()]
        rows["k"].append(f"| {k} | " + " | ".join(ends) + " |")
        medians = found["medians"]
        rows["why"].append(
            f"| {k} | {medians['temporal_share']:.2f} | {_share(found['shares']['mostly_temporal'])} | {medians['gini']:.2f} | "
            f"{medians['gini_spatial']:.2f} | {medians['gini_temporal']:.2f} | {medians['tail_weight_spatial']:.2f} | "
            f"{medians['tail_weight_temporal']:.2f} | {medians['mean_km']:.2f} | {medians['mean_min']:.0f} |"
        )
    return rows


def _row(what: str, one: dict[str, Any]) -> str:
    nearest, hundred = (one["k"][k]["quantiles"]["0.5"] for k in ("2", "100"))
    ends = [f"{middle:.3f} [{low:.3f}, {high:.3f}]" for middle, low, high in (nearest, hundred)]
    found = one["k"]["2"]
    return (
        f"| {what} | {one['mean_samples']:.1f} | {ends[0]} | {ends[1]} | {_share(found['shares']['at_zero'])} | "
        f"{found['medians']['temporal_share']:.2f} |"
    )


def _share(counted: list[float]) -> str:
    count, n, low, high = counted
    return f"{count / n:.2%} [{low:.2%}, {high:.2%}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=82_000)
    parser.add_argument("--query-users", type=int, default=4_000)
    parser.add_argument("--out", type=Path, help="JSON file for what is found")
    parser.add_argument("--show", type=Path, help="print the tables of such a file and work out nothing")
    asked = parser.parse_args()
    if asked.show:
        result = json.loads(asked.show.read_text(encoding="utf-8"))
    else:
        result = worked_out(asked.users, asked.query_users)
    if asked.out:
        asked.out.parent.mkdir(parents=True, exist_ok=True)
        asked.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for name, rows in tables(result).items():
        print(name, *rows, sep="\n")


if __name__ == "__main__":
    main()
