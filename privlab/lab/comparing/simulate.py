"""Trips and one mechanism → what a release by it would leave, drawn with a seed and expected: one way for the page Release and `od`."""

from typing import TYPE_CHECKING

import numpy as np

from privlab.checks import DataError
from privlab.lab.comparing.compare import NO_COMPARISON, levels_over_zones, reason_against_combinations
from privlab.lab.loading.load import ORDER_SEED, prepared_trips_from_rows

if TYPE_CHECKING:
    from privlab.datasets import Dataset
    from privlab.datasets.zones import Zoning
    from privlab.od.comparing import ComparedMechanism, CountedStep, SimulatedStep, StepRequest
    from privlab.od.trips import PreparedTrips


def steps_of_trips(prepared: "PreparedTrips", cells: str = "public") -> tuple[str, ...]:
    """Return the mechanisms that can be simulated of some trips; none where `reason_against_combinations` has a reason.

    Sums of districts need public zones with positions. Of `cells` "discovered", flows found in the data, there is no total and no sums.
    """
    from privlab.od import UniqueTrips
    from privlab.od.weighing import AGREED, FOUND_STEPS, STEPS

    trips = prepared.trips
    if cells == "discovered":
        return FOUND_STEPS if isinstance(trips, UniqueTrips) else ()
    if reason_against_combinations(trips, prepared.public_zones) or not isinstance(trips, UniqueTrips):
        return ()
    levels = levels_over_zones(trips, prepared.zone_map, prepared.public_zones)
    return tuple(name for name in STEPS if levels or name != AGREED)


def counted_step_from_trips(
    prepared: "PreparedTrips",
    request: "StepRequest",
    *,
    week: str,
    group_size: int | None = None,
    seed: int = 1,
) -> "CountedStep":
    """Return what a mechanism counts before any noise; of the request its name, limit and cells matter, nothing else.

    Raises DataError without users, for public cells of zones that are known from the data only, or where nobody in the group made a trip.
    """
    from privlab.lab.publishing import positions_from_zone_map
    from privlab.od import UniqueTrips
    from privlab.od.comparing import counted_step_from_unique_trips

    trips, where = prepared.trips, prepared.zone_map
    reason = None
    if request.cells == "public":
        reason = reason_against_combinations(trips, prepared.public_zones)
    if reason is not None or not isinstance(trips, UniqueTrips):
        raise DataError(reason or NO_COMPARISON)
    return counted_step_from_unique_trips(
        trips,
        request,
        week=week,
        group_size=group_size,
        levels=levels_over_zones(trips, where, prepared.public_zones),
        positions=positions_from_zone_map(trips.zones.tolist(), where),
        seed=seed,
    )


def simulated_step_from_trips(
    prepared: "PreparedTrips",
    request: "StepRequest",
    *,
    week: str,
    group_size: int | None = None,
    seed: int = 1,
    counted: "CountedStep | None" = None,
) -> "SimulatedStep":
    """Return one draw of a mechanism at its bound and threshold, and what was expected of it.

    `counted` is what counted_step_from_trips returns for these arguments, where that is known already. Raises what it raises.
    """
    from privlab.od.comparing import simulated_step_from_counted_step

    if counted is None:
        counted = counted_step_from_trips(prepared, request, week=week, group_size=group_size, seed=seed)
    where = prepared.zone_map
    return simulated_step_from_counted_step(
        counted,
        request,
        prepared.trips.zones,
        week=week,
        lat=np.asarray(where.lat),
        lon=np.asarray(where.lon),
    )


def compared_step_from_rows(
    dataset: "Dataset",
    zoning: "Zoning",
    request: "StepRequest",
    *,
    week: str | None = None,
    group_size: int | None = None,
    seed: int = ORDER_SEED,
    draws: int = 1,
) -> "tuple[str, ComparedMechanism]":
    """Return the week, by default the busiest, and one mechanism as it was asked for: the means of its draws.

    The first draw is that of the page Release, from `seed`; each further one is from the next number.
    """
    from privlab.od.comparing import compared_mechanism_from_draws

    prepared = prepared_trips_from_rows(dataset, zoning)
    trips = prepared.trips
    week = trips.weeks[trips.busiest_week] if week is None else week
    drawn = [
        simulated_step_from_trips(prepared, request, week=week, group_size=group_size, seed=seed + i)
        for i in range(draws)
    ]
    return week, compared_mechanism_from_draws(drawn)
