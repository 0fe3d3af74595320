"""What analyses would find in a release of each sample: in noisy counts, in those a total gives back, in smoothed ones, and in
those that agree with sums of districts.

`python -m bench.uses [sample …] [--epsilons 0.3 1] [--draws 3]`: real draws, at the bounds that `od --compare` finds best; every cell is published
but for integer noise, which is published from 1 on as today's release.
"""

import argparse

import numpy as np

from privlab.datasets.engines import Workspace
from privlab.lab.comparing.compare import comparison_from_trips
from privlab.lab.loading import prepared_trips_from_rows
from privlab.lab.loading.load import sample_rows
from privlab.lab.publishing import (
    levels_from_zone_map,
    positions_from_zone_map,
    release_parameters_from_wishes,
)
from privlab.od import FLOWS, UniqueTrips
from privlab.od.comparing import ComparisonParameters
from privlab.od.levels import agreed_weeks, pairs_of_cells
from privlab.od.releases import (
    ReleasePlan,
    published_variance,
    release_plan_from_parameters,
    secure_release_from_settled_trips,
)
from privlab.od.settled import SettledCells
from privlab.od.smoothing import margins_of_cells
from privlab.od.trips import PreparedTrips, od_matrix_from_prepared_trips
from privlab.od.usefulness import (
    analyses_from_flow_comparison,
    clip_ratio,
    flow_comparison_from_published_counts,
)


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("samples", nargs="*", default=["city", "cabs", "commuters"])
    arguments.add_argument("--epsilons", type=float, nargs="*", default=[0.3, 1.0])
    arguments.add_argument("--draws", type=int, default=3)
    chosen = arguments.parse_args()
    for sample in chosen.samples:
        with Workspace() as workspace:
            prepared = prepared_trips_from_rows(*sample_rows(sample, workspace))
        for epsilon in chosen.epsilons:
            measured(sample, prepared, epsilon, chosen.draws)


def measured(sample: str, prepared: PreparedTrips, epsilon: float, draws: int) -> None:
    trips = prepared.trips
    assert isinstance(trips, UniqueTrips)
    week = trips.weeks[trips.busiest_week]
    settled = SettledCells(
        zones=trips.zones, weeks=trips.weeks, week_starts=trips.week_starts, user=trips.user, flow=trips.flow
    )
    compared = comparison_from_trips(
        trips, prepared.zone_map, ComparisonParameters(epsilon=epsilon, draws=1), week=week
    )
    bounds = {one.name: one.max_trips_per_user for one in compared}
    print(f"{sample}, ε = {epsilon:g}")
    smoothed = "gaussian, l2, unbiased, smoothed"
    zones = trips.zones.tolist()
    for noise, name, specs in (
        ("integer", "integer", []),
        ("gaussian", smoothed, []),
        ("gaussian", smoothed, ["blocks:3"]),
    ):
        plan = release_plan_from_parameters(
            release_parameters_from_wishes(
                epsilon=epsilon,
                max_trips_per_user=bounds[name],
                threshold=1 if noise == "integer" else 0,
                cells="public",
                noise=noise,
                unbiased=noise == "gaussian",
                levels=len(specs),
            ),
            weeks=[week],
            zones_spec="column",
            public_zones=zones,
            levels=levels_from_zone_map(specs, zones, prepared.zone_map),
            positions=positions_from_zone_map(zones, prepared.zone_map),
        )
        drawn = [columns(prepared, settled, plan) for _ in range(draws)]
        for column in drawn[0]:
            errors = np.mean([[error for _, error in one[column]] for one in drawn], axis=0)
            named = zip((label for label, _ in drawn[0][column]), errors, strict=True)
            said = "  ".join(f"{label} {error:.1%}" for label, error in named)
            print(f"  {noise:9} L {bounds[name]:3} {column:22} {said}", flush=True)


def columns(
    prepared: PreparedTrips, settled: SettledCells, plan: ReleasePlan
) -> dict[str, list[tuple[str, float]]]:
    """Return the error of every analysis by name, of each column of one release."""
    (week,) = plan.weeks
    made = secure_release_from_settled_trips(settled, plan)
    zones, scale = prepared.trips.zones, made.mechanism["scale"]
    ends = [np.searchsorted(zones, made.cell[end]) for end in ("origin", "destination")]
    margins = margins_of_cells(FLOWS, zones.size, plan.positions)
    variance = published_variance(plan.parameters.noise, scale)
    place = np.searchsorted(FLOWS.all_cells(zones.size), FLOWS.cell_of((ends[0], ends[1]), 0, zones.size))
    noisy = np.full(margins.n_cells, np.nan)
    noisy[place] = made.count
    smoothed = made.models[week].smoothed(noisy, margins, variance)[place]
    ratio = clip_ratio(plan.parameters, made.totals[week]) if made.totals else 1.0
    found = {}
    read = {"counts": made.count * ratio, "smoothed": smoothed * ratio}
    if made.levels is not None:
        agreed = agreed_weeks(made.levels, scale, {week: ratio})[week].added
        read = {"with sums of districts": made.count * ratio + agreed[pairs_of_cells(plan.levels[0], *ends)]}
    for name, count in read.items():
        flows = flow_comparison_from_published_counts(
            od_matrix_from_prepared_trips(prepared, week=week),
            zones,
            origin=ends[0],
            destination=ends[1],
            count=count,
        )
        analyses = analyses_from_flow_comparison(flows, prepared.zone_map.lat, prepared.zone_map.lon)
        found[name] = [(one.name, one.error) for one in analyses]
    return found


if __name__ == "__main__":
    main()
