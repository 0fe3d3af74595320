"""Trips and a release, made or simulated → what analyses of it would find, before and after: one way for pages and commands."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privlab.checks import DataError
from privlab.od.usefulness import Analysis, FlowComparison, analyses_from_flow_comparison

if TYPE_CHECKING:
    from privlab.dp.gaussian import GaussianParameters
    from privlab.od.comparing import StepRequest
    from privlab.od.simulating import ReleaseParameters, ReleaseReview
    from privlab.od.trips import PreparedTrips
    from privlab.releases.reading import ReleasedCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysedWeek:
    """What analyses find in one week's counts; `counts` is "simulated", "published", "unbiased", "agreed" or "smoothed"."""

    week: str
    counts: str
    analyses: tuple[Analysis, ...]


def simulated_analyses_from_trips(
    prepared: "PreparedTrips",
    parameters: "ReleaseParameters | StepRequest | GaussianParameters",
    *,
    week: str,
    group_size: int | None = None,
    seed: int = 1,
) -> AnalysedWeek:
    """Return what analyses would find in a simulated release of one week, that of the page Release: as set, or by a mechanism.

    Gaussian parameters are drawn as by `od`, with zones from the data too; where a total is paid for, in the counts that it gives back.
    Raises DataError with Gaussian noise where nobody is named, and for levels, of which no analyses are simulated.
    """
    from privlab.dp.gaussian import GaussianParameters
    from privlab.lab.comparing.simulate import simulated_step_from_trips
    from privlab.od.comparing import StepRequest
    from privlab.od.simulating import release_review_from_prepared_trips

    if isinstance(parameters, StepRequest):
        review = simulated_step_from_trips(
            prepared, parameters, week=week, group_size=group_size, seed=seed
        ).review
    elif isinstance(parameters, GaussianParameters):
        review = _gaussian_review(prepared, parameters, week=week, group_size=group_size, seed=seed)
    else:
        review = release_review_from_prepared_trips(
            prepared, parameters, week=week, group_size=group_size, seed=seed
        )
    zones = prepared.zone_map
    return AnalysedWeek(
        week=week,
        counts="simulated",
        analyses=analyses_from_flow_comparison(review.flows, zones.lat, zones.lon),
    )


def _gaussian_review(
    prepared: "PreparedTrips",
    parameters: "GaussianParameters",
    *,
    week: str,
    group_size: int | None,
    seed: int,
) -> "ReleaseReview":
    from privlab.od import UniqueTrips
    from privlab.od.comparing import StepRequest, simulated_step_from_unique_trips
    from privlab.od.weighing import GAUSSIAN, TOTAL, WEIGHTED

    if not isinstance(prepared.trips, UniqueTrips):
        raise DataError("noise must be laplace or integer for counts that name no users, got gaussian.")
    if parameters.levels or parameters.cells != "public":
        raise DataError("levels and discovered cells must be left out where analyses are simulated.")
    request = StepRequest(
        name=GAUSSIAN if parameters.clip == "keep" else TOTAL if parameters.total_share else WEIGHTED,
        epsilon=parameters.epsilon,
        delta=parameters.delta,
        max_trips_per_user=parameters.max_trips_per_user,
        threshold=parameters.threshold,
    )
    zones = prepared.zone_map
    return simulated_step_from_unique_trips(
        prepared.trips,
        request,
        week=week,
        group_size=group_size,
        lat=np.asarray(zones.lat),
        lon=np.asarray(zones.lon),
        seed=seed,
    ).review


def analyses_from_released_counts(
    prepared: "PreparedTrips", released: "ReleasedCounts"
) -> tuple[AnalysedWeek, ...]:
    """Return what analyses find in each week of a release, in its unbiased counts where a total was published, in those that agree with
    sums of districts, and in the smoothed ones.

    Raises DataError if not one zone of the release is in the data, or if it is not of flows of whole weeks.
    """
    from privlab.releases.reading import released_flows_from_counts

    found = []
    for one in released_flows_from_counts(prepared, released):
        kinds: list[tuple[str, FlowComparison | None]] = [
            ("published", one.flows),
            ("unbiased", one.unbiased),
            ("agreed", one.agreed),
            ("smoothed", one.smoothed),
        ]
        found += [
            AnalysedWeek(
                week=one.week,
                counts=name,
                analyses=analyses_from_flow_comparison(flows, one.places.lat, one.places.lon),
            )
            for name, flows in kinds
            if flows is not None
        ]
    return tuple(found)
