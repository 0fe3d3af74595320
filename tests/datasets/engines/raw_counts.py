"""What no command tells: the counts of a release before its noise, under a named secret, for tests of the engines."""

import json
import sys
from dataclasses import asdict
from typing import Any

from privlab.cli.options.common_options import engine_from_spec
from privlab.datasets import people_digests_from_dataset
from privlab.datasets.cleaning import Cleaning
from privlab.datasets.columns import ColumnMapping
from privlab.datasets.engines import SparkWorkspace
from privlab.datasets.layouts import FileForm
from privlab.datasets.read import read_dataset
from privlab.datasets.zone_kinds import zoning_from_spec
from privlab.dp.gaussian import TOTAL_CAP
from privlab.lab.publishing.publish import ReleaseData
from privlab.lab.publishing.publish_on_cluster import settled_counts_from_release_data
from privlab.od.releases import ReleasePlan, release_plan_from_parameters, trip_law_from_parameters
from privlab.od.releases.release_plan import SecureReleaseParameters
from privlab.od.settled import SettledCounts, settled_counts_from_dataset

SECRET = "fedcba9876543210" * 4
WEEKS = ("2026-03-02", "2026-03-09")
N_ZONES, BOUND = 5, 2
FORM = FileForm(mapping=ColumnMapping(user_id="user_id", timestamp="time", zone="zone"), ids="number")
PLANS: dict[str, dict[str, Any]] = {
    "keep": {"noise": "integer"},
    "l2": {"noise": "gaussian", "clip": "l2", "delta": 1e-6, "total_share": 0.03},
}


def plan_of(name: str) -> ReleasePlan:
    """Return one of the plans."""
    return release_plan_from_parameters(
        SecureReleaseParameters(epsilon=1.0, max_trips_per_user=BOUND, threshold=0, **PLANS[name]),
        weeks=WEEKS,
        zones_spec="column",
        public_zones=tuple(range(N_ZONES)),
    )


def raw_counts(path: str, name: str, engine: str) -> dict[str, Any]:
    """Return all that leaves an engine for a release of a file, as lists, with the digest of the data."""
    plan = plan_of(name)
    with engine_from_spec(engine) as workspace:
        if isinstance(workspace, SparkWorkspace):
            data = ReleaseData(
                path=path,  # type: ignore[arg-type]
                form=FORM,
                zones="column",
                geography=None,
                lookup=None,
                timezone=None,
                cleaning=Cleaning(),
                location=path,
            )
            counts, dataset = settled_counts_from_release_data(data, plan, workspace, secret=SECRET)
        else:
            dataset = read_dataset(path, form=FORM, workspace=workspace)
            counts = _counted(dataset, plan)
        people = people_digests_from_dataset(dataset, SECRET)
    arrays = {
        "zones": counts.zones,
        "week_starts": counts.week_starts,
        "cell": counts.cell,
        "people": counts.people,
        "raw": counts.raw,
        "totals": counts.totals,
        **counts.sums,
    }
    return {key: value.tolist() for key, value in arrays.items()} | {
        "n_users": counts.n_users,
        "digest": dataset.source_digest,
        "people": json.loads(json.dumps(asdict(people))),
    }


def _counted(dataset: Any, plan: ReleasePlan) -> SettledCounts:
    return settled_counts_from_dataset(
        dataset,
        zoning_from_spec("column", place="zone", table=None),
        weeks=WEEKS,
        law_of=lambda most: trip_law_from_parameters(plan.parameters, most),
        secret=SECRET,
        total_cap=TOTAL_CAP if plan.parameters.total_share else None,
        public=plan.zones,
    )


def main(words: list[str]) -> None:
    """Print the raw counts of FILE under PLAN; the engine comes last, as commands are given it."""
    path, name, _, engine = words
    json.dump(raw_counts(path, name, engine), sys.stdout)
