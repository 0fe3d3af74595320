"""Stored trips → true matrices and simulated releases of every week, without holding the trips in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import ibis
import ibis.expr.types as ir
import numpy as np
import pandas as pd

from privlab.checks import DataError, ParameterError, require_whole
from privlab.datasets.zones import all_zones
from privlab.dp.gaussian import UNITS, GaussianParameters
from privlab.od.levels.levels import Level, PublishedLevels
from privlab.od.matrix import ODMatrix, od_matrices_from_counts
from privlab.od.simulating.clipped_counts import capped_totals, clipped_units, require_levels_of_zones
from privlab.od.simulating.simulated_release import (
    ReleaseParameters,
    SimulatedRelease,
    noise_stream,
    simulated_release_from_od_matrix,
    simulated_release_from_units,
)
from privlab.od.simulating.simulated_review import flow_comparison_from_release
from privlab.od.trips.flow_counts import FlowCounts, od_matrix_from_flow_counts, require_no_choice_of_users
from privlab.od.trips.trip_tables import TripTables, require_trips
from privlab.od.trips.unique_trips import (
    bounded_trips_from_unique_trips,
    od_counts_from_unique_trips,
    user_order_from_users,
)
from privlab.od.usefulness.utility import FlowComparison, Utility, utility_from_flow_comparison
from privlab.seeds import generator


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ODSimulation:
    """True matrices by week and, where asked for, their simulated releases and utility over all weeks.

    `unbiased` is the utility of the counts times what a noisy total gives back, `agreed` that of the counts that agree with sums of
    districts, times the same; None without a total, or without levels.
    """

    matrices: dict[str, ODMatrix]
    releases: dict[str, SimulatedRelease]
    utility: Utility | None
    n_users: int | None
    unbiased: Utility | None = None
    agreed: Utility | None = None

    @property
    def published_levels(self) -> PublishedLevels | None:
        """The sums of districts of all weeks; None without levels."""
        drawn = [one.levels for one in self.releases.values() if one.levels is not None]
        if not drawn:
            return None
        return replace(drawn[0], sums={week: sums for one in drawn for week, sums in one.sums.items()})


def od_simulation_from_trip_tables(
    tables: TripTables,
    parameters: ReleaseParameters | GaussianParameters | None,
    *,
    group_size: int | None,
    levels: Sequence[Level] = (),
    seed: int,
    order_seed: int | None = None,
) -> ODSimulation:
    """Return the true counts of a group of users, and one simulated release of each week.

    Parameters
    ----------
    tables : TripTables
    parameters : ReleaseParameters, GaussianParameters or None
        How to release; None counts only.
    group_size : int or None
        Users sampled into the aggregate; None takes everyone.
    levels : sequence of Level
        Districts whose sums get noise of their own, as many as Gaussian parameters say.
    seed : int
        Seed of the noise.
    order_seed : int, optional
        Seed of the group and of the trips a bound keeps; default that of the noise.

    Raises
    ------
    DataError
        If nobody made a trip.
    ParameterError
        If levels do not divide just the zones of the trips.
    """
    require_trips(tables)
    trips, n_users = tables.unique_trips, tables.n_users
    order_seed = seed if order_seed is None else order_seed
    if group_size is not None:
        n_users = require_whole("group_size", group_size, 1, tables.n_users)
        order = user_order_from_users(tables.users, seed=order_seed)
        trips = trips.semi_join(order.filter(order.user_rank < n_users), "user_id")
    true_counts = _counted(trips)
    if true_counts.empty:
        raise DataError(
            f"None of the {n_users:,} sampled users made a trip; enlarge the group or change the seed."
        )
    seen = pd.concat([true_counts["origin"], true_counts["destination"]], ignore_index=True)
    zones = all_zones(seen, tables.zoning.public_zones())
    true = od_matrices_from_counts(true_counts, zones, n_users=n_users, max_trips_per_user=None)
    if isinstance(parameters, GaussianParameters):
        require_levels_of_zones(levels, zones, tables.zoning.public_zones(), n_weeks=len(true))
        units = od_matrices_from_counts(
            clipped_units(trips, parameters, levels, zones, order_seed),
            zones,
            n_users=n_users,
            max_trips_per_user=parameters.max_trips_per_user,
        )
        totals = capped_totals(trips) if parameters.total_units else {}
        return _simulation_from_units(true, units, parameters, tuple(levels), totals, seed=seed)
    bound, bounded = None if parameters is None else parameters.max_trips_per_user, true
    if bound is not None:
        kept = bounded_trips_from_unique_trips(trips, max_trips_per_user=bound, seed=order_seed)
        bounded = od_matrices_from_counts(_counted(kept), zones, n_users=n_users, max_trips_per_user=bound)
    return _simulation_from_matrices(true, bounded, parameters, seed=seed, n_users=n_users)


def od_simulation_from_flow_counts(
    counts: FlowCounts,
    parameters: ReleaseParameters | GaussianParameters | None,
    *,
    group_size: int | None = None,
    seed: int,
) -> ODSimulation:
    """Return the counts of a file that names no users, and one simulated release of each week.

    Raises ParameterError if a group or a bound per user is asked for.
    """
    require_no_choice_of_users(group_size, None if parameters is None else parameters.max_trips_per_user)
    if isinstance(parameters, GaussianParameters):
        raise ParameterError("noise must be laplace or integer for counts that name no users, got gaussian.")
    true = {week: od_matrix_from_flow_counts(counts, week=week) for week in counts.weeks}
    return _simulation_from_matrices(true, true, parameters, seed=seed, n_users=None)


def _simulation_from_matrices(
    true: dict[str, ODMatrix],
    bounded: dict[str, ODMatrix],
    parameters: ReleaseParameters | None,
    *,
    seed: int,
    n_users: int | None,
) -> ODSimulation:
    if parameters is None:
        return ODSimulation(matrices=true, releases={}, utility=None, n_users=n_users)
    releases = {
        week: simulated_release_from_od_matrix(
            matrix,
            parameters,
            generator(seed, noise_stream(week, n_weeks=len(bounded))),
            n_weeks=len(bounded),
        )
        for week, matrix in bounded.items()
    }
    flows = [flow_comparison_from_release(true[week], bounded[week], releases[week]) for week in sorted(true)]
    return _judged(true, releases, flows, n_users)


def _simulation_from_units(
    true: dict[str, ODMatrix],
    units: dict[str, ODMatrix],
    parameters: GaussianParameters,
    levels: tuple[Level, ...],
    totals: Mapping[str, int],
    *,
    seed: int,
) -> ODSimulation:
    """Return simulated releases with Gaussian noise of counts that are clipped, in units of 1/1024 of a trip."""
    releases = {
        week: simulated_release_from_units(
            matrix,
            parameters,
            generator(seed, noise_stream(week, n_weeks=len(units))),
            levels=levels,
            capped_total=totals.get(week, 0),
        )
        for week, matrix in units.items()
    }
    flows = [flow_comparison_from_release(true[week], units[week], releases[week]) for week in sorted(true)]
    flows = [replace(one, bounded=one.bounded / UNITS) for one in flows]
    ratios = [releases[week].ratio for week in sorted(true)]
    back = [
        replace(one, bounded=one.bounded * ratio, published=one.published * ratio)
        for one, ratio in zip(flows, ratios, strict=True)
    ]
    simulation = _judged(true, releases, flows, next(iter(true.values())).n_users)
    n_zones = next(iter(true.values())).zones.size
    agreed = [_read_as(one, releases[week]) for week, one in zip(sorted(true), back, strict=True)]
    return replace(
        simulation,
        unbiased=utility_from_flow_comparison(_joined(back, n_zones)) if parameters.total_units else None,
        agreed=utility_from_flow_comparison(_joined(agreed, n_zones)) if levels else None,
    )


def _read_as(flows: FlowComparison, release: SimulatedRelease) -> FlowComparison:
    """Return a comparison in which the counts that agree with sums of districts are read instead of the published ones."""
    if release.agreed is None:
        return flows
    published = flows.published.copy()
    published[np.searchsorted(flows.flow, release.flow)] = release.agreed
    return replace(flows, published=published)


def _judged(
    true: dict[str, ODMatrix],
    releases: dict[str, SimulatedRelease],
    flows: list[FlowComparison],
    n_users: int | None,
) -> ODSimulation:
    n_zones = next(iter(true.values())).zones.size
    utility = utility_from_flow_comparison(_joined(flows, n_zones))
    return ODSimulation(matrices=true, releases=releases, utility=utility, n_users=n_users)


def _counted(trips: ir.Table) -> pd.DataFrame:
    counts = od_counts_from_unique_trips(trips).order_by("week", "origin", "destination")
    frame: pd.DataFrame = counts.to_pyarrow().to_pandas(date_as_object=False)
    return frame


def _joined(flows: list[FlowComparison], n_zones: int) -> FlowComparison:
    """Return the cells of all weeks as one comparison; each week's cells get numbers of their own."""
    return FlowComparison(
        flow=np.concatenate([part.flow + week * n_zones**2 for week, part in enumerate(flows)]),
        true=np.concatenate([part.true for part in flows]),
        bounded=np.concatenate([part.bounded for part in flows]),
        published=np.concatenate([part.published for part in flows]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TripCounts:
    """Unique trips per user and week, over the user-weeks with at least one.

    `quantiles` maps "0.05" … "1" to unique trips; `share_from_three` is the share with three or more.
    """

    user_weeks: int
    mean: float
    quantiles: dict[str, float]
    share_from_three: float


def trip_counts_from_trip_tables(tables: TripTables) -> TripCounts:
    """Return how many unique trips users make in a week. Raises DataError if nobody made a trip."""
    require_trips(tables)
    per_user = tables.unique_trips.group_by("user_id", "week").agg(n=ibis._.count())
    spread = per_user.group_by("n").agg(users=ibis._.count()).order_by("n").to_pyarrow().to_pandas()
    n, users = spread["n"].to_numpy(), spread["users"].to_numpy()
    below = np.cumsum(users)
    levels = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)
    at = [int(np.searchsorted(below, level * below[-1] - 1e-9)) for level in levels]
    return TripCounts(
        user_weeks=int(below[-1]),
        mean=float(np.average(n, weights=users)),
        quantiles={f"{level:g}": float(n[i]) for level, i in zip(levels, at, strict=True)},
        share_from_three=float(users[n >= 3].sum() / below[-1]),
    )
