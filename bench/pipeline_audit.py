"""The audit of the whole way: how often it convicts honest releases, how often half the noise, and which broken ways.

python -m bench.pipeline_audit [--audits 300] [--trials 500] [--power 20] [--levels 0.95] [--kinds slot sums]

Trips are made by hand, so that nothing is read; bounding, noise, threshold and the published table are run as always. Each
audit has a seed of its own.
"""

import argparse
import time
from typing import Any

import numpy as np

from privlab.dp.gaussian import TOTAL_SHARE
from privlab.od import Product
from privlab.od.auditing import (
    BROKEN_PIPELINES,
    AuditedWorlds,
    PipelineAudit,
    PipelineAuditParameters,
    canaries_from_used_cells,
    companions_of,
    pipeline_audit_from_worlds,
)
from privlab.od.levels import Level
from privlab.od.releases import SecureReleaseParameters, release_plan_from_parameters
from privlab.od.settled import SettledCells
from privlab.releases.writing import counts_as_published

WEEK = "2026-03-02"
HONEST: dict[str, dict[str, Any]] = {
    "integer noise, public flows": {},
    "Gaussian noise, L2 clip": {"noise": "gaussian", "clip": "l2", "delta": 1e-6},
    "integer noise, discovered flows": {"cells": "discovered", "threshold": 12},
    "Gaussian noise, a noisy total": {
        "noise": "gaussian",
        "clip": "l2",
        "delta": 1e-6,
        "total_share": TOTAL_SHARE,
    },
    "integer noise, visits": {"product": "visits"},
    "Gaussian noise, visits": {"noise": "gaussian", "clip": "l2", "delta": 1e-6, "product": "visits"},
    "integer noise, flows by slot": {"product": "flows-by-slot"},
    "Gaussian noise, flows by slot": {
        "noise": "gaussian",
        "clip": "l2",
        "delta": 1e-6,
        "product": "flows-by-slot",
    },
    "Gaussian noise, sums of districts": {"noise": "gaussian", "clip": "l2", "delta": 1e-6, "levels": 1},
}


def settled(people: list[np.ndarray[Any, Any]], n_zones: int, product: Product) -> SettledCells:
    """Return the trips of people, each given by their cells."""
    return SettledCells(
        zones=np.arange(n_zones),
        weeks=(WEEK,),
        week_starts=np.array([0, sum(cells.size for cells in people)]),
        user=np.repeat(np.arange(len(people)), [cells.size for cells in people]).astype(np.int32),
        flow=np.concatenate(people).astype(np.int64),
        product=product,
    )


def audit(n_zones: int, said: dict[str, Any], **asked: Any) -> PipelineAudit:
    """Return one audit of people who are all added, in `n_zones` zones."""
    release = SecureReleaseParameters(**({"epsilon": 1.0, "max_trips_per_user": 3, "threshold": 5} | said))
    public = list(range(n_zones)) if release.cells == "public" else None
    # All zones but one are a district: most trips are then in one place, where sums of districts cost most.
    levels = (Level(name="districts", of=("a",) * (n_zones - 1) + ("b",)),) * release.levels
    plan = release_plan_from_parameters(
        release, weeks=[WEEK], zones_spec="column", public_zones=public, levels=levels
    )
    product = plan.product
    shape = (n_zones,) * product.n_ends + ((product.n_slots,) if product.n_slots > 1 else ())
    used = np.zeros(shape, dtype=np.int64)
    canaries = canaries_from_used_cells(used, release)
    people = [*companions_of(canaries, release.max_trips_per_user), product.all_cells(n_zones)[-1:]]
    return pipeline_audit_from_worlds(
        AuditedWorlds(
            without=settled(people, n_zones, product),
            inside={one.name: settled([*people, one.cells], n_zones, product) for one in canaries},
        ),
        plan,
        PipelineAuditParameters(release=release, **asked),
        asked={one.name: one.cells.size for one in canaries},
        others={one.name: one.others for one in canaries},
        n_added=len(people),
        published=counts_as_published,
    )


def main() -> None:
    """Print how many audits convict."""
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--audits", type=int, default=300)
    words.add_argument("--trials", type=int, default=500)
    words.add_argument("--power", type=int, default=20)
    words.add_argument("--levels", type=float, nargs="+", default=[0.95])
    words.add_argument("--kinds", nargs="+", default=[""], help="words of the honest ones to run")
    given = words.parse_args()
    began = time.perf_counter()
    kinds = {name: said for name, said in HONEST.items() if any(word in name for word in given.kinds)}
    each = given.audits // len(kinds)
    for level in given.levels:
        wrong = {
            name: sum(
                audit(9, said, trials=given.trials, level=level, seed=seed).convicted for seed in range(each)
            )
            for name, said in kinds.items()
        }
        print(
            f"honest, level {level:g}: {sum(wrong.values())} of {each * len(kinds)} convicted {wrong}",
            flush=True,
        )
    twenty = {"max_trips_per_user": 20, "threshold": 5}
    for level in (0.95, 0.999) if given.power else ():
        caught = sum(
            audit(16, twenty, pipeline="half-the-noise", trials=2_000, level=level, seed=seed).convicted
            for seed in range(given.power)
        )
        print(
            f"half the noise, L = 20, ε = 1, 2,000 runs, level {level:g}: {caught} of {given.power}",
            flush=True,
        )
    for broken in BROKEN_PIPELINES:
        for name, said in kinds.items():
            if broken.startswith("sums-") and "levels" not in said:
                continue
            if broken == "no-noise-on-empty-flows" and "cells" in said:
                continue  # where cells are discovered, that is the honest way
            if broken == "total-without-noise" and "total_share" not in said:
                continue
            found = audit(9, said, pipeline=broken)
            print(f"{broken}, {name}, as set: {'caught' if found.convicted else 'not caught'}", flush=True)
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
