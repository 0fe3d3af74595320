"""What noisy sums of districts are worth: error of sums and of flows with and without levels, for one promise to a person's week.

`python -m bench.levels [sample …] [--levels blocks:3] [--draws 3]`. Gaussian noise, L2 clip and a total in both; real draws.
"""

import argparse

import numpy as np

from privlab.datasets.engines import Workspace
from privlab.lab.loading import prepared_trips_from_rows
from privlab.lab.loading.load import sample_rows
from privlab.lab.publishing import levels_from_zone_map, release_parameters_from_wishes
from privlab.od import UniqueTrips
from privlab.od.levels import agreed_weeks, pairs_of_cells
from privlab.od.releases import ReleasePlan, release_plan_from_parameters, secure_release_from_settled_trips
from privlab.od.settled import SettledCells
from privlab.od.trips import PreparedTrips, od_matrix_from_prepared_trips
from privlab.od.usefulness import (
    FlowComparison,
    analyses_from_flow_comparison,
    clip_ratio,
    flow_comparison_from_published_counts,
)

EPSILONS = (0.1, 0.3, 0.66, 1.0)
BOUNDS = (3, 7, 14)


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("samples", nargs="*", default=["city"])
    arguments.add_argument("--levels", default="blocks:3")
    arguments.add_argument("--draws", type=int, default=3)
    chosen = arguments.parse_args()
    for sample in chosen.samples:
        with Workspace() as workspace:
            prepared = prepared_trips_from_rows(*sample_rows(sample, workspace))
        measured(sample, prepared, chosen.levels.split(","), chosen.draws)


def measured(sample: str, prepared: PreparedTrips, specs: list[str], draws: int) -> None:
    trips = prepared.trips
    assert isinstance(trips, UniqueTrips)
    settled = SettledCells(
        zones=trips.zones,
        weeks=trips.weeks,
        week_starts=trips.week_starts,
        user=trips.user,
        flow=trips.flow,
    )
    zones = trips.zones.tolist()
    for epsilon in EPSILONS:
        for bound in BOUNDS:
            print(f"{sample}, ε = {epsilon:g}, L = {bound}")
            for names in ([], specs):
                parameters = release_parameters_from_wishes(
                    epsilon=epsilon,
                    max_trips_per_user=bound,
                    threshold=0,
                    cells="public",
                    noise="gaussian",
                    unbiased=True,
                    levels=len(names),
                )
                plan = release_plan_from_parameters(
                    parameters,
                    weeks=[trips.weeks[trips.busiest_week]],
                    zones_spec="column",
                    public_zones=zones,
                    levels=levels_from_zone_map(names, zones, prepared.zone_map),
                )
                found = np.mean([figures(prepared, settled, plan) for _ in range(draws)], axis=0)
                print(
                    f"  {','.join(names) or 'no levels':12} by origin {found[0]:6.2%}  district to district {found[1]:6.2%}  "
                    f"largest 50 lost {found[2]:4.0%}  epidemic {found[8]:5.1%}  within 10% {found[9]:5.1%}  RMSE {found[10]:6.1f}"
                )


def figures(prepared: PreparedTrips, trips: SettledCells, plan: ReleasePlan) -> list[float]:
    """Return the errors of all analyses, the share of trips in flows within 10%, and the RMSE, of one draw."""
    (week,) = plan.weeks
    made = secure_release_from_settled_trips(trips, plan)
    ratio = clip_ratio(plan.parameters, made.totals[week])
    zones = prepared.trips.zones
    ends = [np.searchsorted(zones, end) for end in (made.cell["origin"], made.cell["destination"])]
    count = made.count * ratio
    if made.levels is not None:
        agreed = agreed_weeks(made.levels, made.mechanism["scale"], {week: ratio})[week]
        count = count + agreed.added[pairs_of_cells(plan.levels[0], *ends)]
    flows: FlowComparison = flow_comparison_from_published_counts(
        od_matrix_from_prepared_trips(prepared, week=week),
        zones,
        origin=ends[0],
        destination=ends[1],
        count=count,
    )
    analyses = analyses_from_flow_comparison(flows, prepared.zone_map.lat, prepared.zone_map.lon)
    off = np.abs(flows.published - flows.true)
    within = float(flows.true[off <= 0.1 * flows.true].sum() / flows.true.sum())
    return [*(one.error for one in analyses), within, float(np.sqrt(np.mean(off**2)))]


if __name__ == "__main__":
    main()
