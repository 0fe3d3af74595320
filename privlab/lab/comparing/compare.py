"""Rows in zones → what each mechanism that keeps one promise leaves of the flows, drawn or expected: one way for pages and commands."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from privlab.checks import DataError
from privlab.datasets.zones import ZoneMap, Zoning
from privlab.lab.loading.load import ORDER_SEED, trips_from_rows
from privlab.progress import UNHEARD, Progress
from privlab.seeds import generator

if TYPE_CHECKING:
    from privlab.datasets import Dataset
    from privlab.od import UniqueTrips
    from privlab.od.combining import Combination, CombinationRequest
    from privlab.od.comparing import ComparedMechanism, ComparisonParameters
    from privlab.od.levels import Level
    from privlab.od.trips import FlowCounts
    from privlab.od.weighing import WeighedWeek

NO_COMPARISON = (
    "The file does not say whose trips it counts, so that no promise to a person can be kept and compared. "
    "Is there a file of records or trips with a user in each row?"
)


def comparison_from_rows(
    dataset: "Dataset",
    zoning: Zoning,
    parameters: "ComparisonParameters",
    *,
    week: str | None = None,
    group_size: int | None = None,
    seed: int = ORDER_SEED,
) -> "tuple[str, tuple[ComparedMechanism, ...]]":
    """Return the week compared, by default the busiest, and the mechanisms. Raises DataError without users."""
    from privlab.od import UniqueTrips

    trips = trips_from_rows(dataset, zoning, seed=seed)
    if not isinstance(trips, UniqueTrips):
        raise DataError(NO_COMPARISON)
    week = trips.weeks[trips.busiest_week] if week is None else week
    where = zoning.zone_map(trips.zones.tolist())
    return week, comparison_from_trips(trips, where, parameters, week=week, group_size=group_size, seed=seed)


def comparison_from_trips(
    trips: "UniqueTrips | FlowCounts",
    where: ZoneMap,
    parameters: "ComparisonParameters",
    *,
    week: str,
    group_size: int | None = None,
    seed: int = ORDER_SEED,
    progress: Progress = UNHEARD,
) -> "tuple[ComparedMechanism, ...]":
    """Return the mechanisms on trips whose zones lie `where` it says. Raises DataError without users."""
    from privlab.lab.publishing import positions_from_zone_map
    from privlab.od import UniqueTrips
    from privlab.od.comparing import comparison_from_unique_trips

    if not isinstance(trips, UniqueTrips):
        raise DataError(NO_COMPARISON)
    return comparison_from_unique_trips(
        trips,
        parameters,
        week=week,
        group_size=group_size,
        positions=positions_from_zone_map(trips.zones.tolist(), where),
        rng=generator(seed, "comparison"),
        progress=progress,
    )


def reason_against_combinations(
    trips: "UniqueTrips | FlowCounts", public_zones: Sequence[Any] | None
) -> str | None:
    """Return why no release with Gaussian noise can be planned of these trips; None if one can be."""
    from privlab.od import UniqueTrips
    from privlab.od.combining import NO_PUBLIC_ZONES

    if not isinstance(trips, UniqueTrips):
        return NO_COMPARISON
    return NO_PUBLIC_ZONES if public_zones is None else None


def weighed_week_from_trips(
    trips: "UniqueTrips | FlowCounts",
    where: ZoneMap,
    public_zones: Sequence[Any] | None,
    *,
    week: str,
    group_size: int | None = None,
    progress: Progress = UNHEARD,
) -> "WeighedWeek":
    """Return what every bound leaves of a week, by each way to clip: what a search for the best release begins with.

    Sums of districts are looked at where public zones lie `where` it says. Raises DataError without users, or for zones that
    are known from the data only: noise has to go to every pair of them.
    """
    from privlab.lab.publishing import positions_from_zone_map
    from privlab.od import UniqueTrips
    from privlab.od.weighing import weighed_week_from_unique_trips

    reason = reason_against_combinations(trips, public_zones)
    if reason is not None or not isinstance(trips, UniqueTrips):
        raise DataError(reason or NO_COMPARISON)
    return weighed_week_from_unique_trips(
        trips,
        week=week,
        group_size=group_size,
        levels=levels_over_zones(trips, where, public_zones),
        positions=positions_from_zone_map(trips.zones.tolist(), where),
        progress=progress,
    )


def levels_over_zones(
    trips: "UniqueTrips", where: ZoneMap, public_zones: Sequence[Any] | None
) -> "tuple[Level, ...]":
    """Return the districts that sums are looked at of; none unless the zones of the trips are just the public ones."""
    from privlab.lab.previewing.noise_offer import offered_levels

    if public_zones is None or sorted(public_zones) != trips.zones.tolist():
        return ()
    return offered_levels(public_zones, where)


def combinations_from_week(
    week: "WeighedWeek",
    request: "CombinationRequest",
    *,
    min_utility: float | None = None,
    progress: Progress = UNHEARD,
) -> "tuple[Combination, ...]":
    """Return the releases that keep a promise, step by step, each at its best; with `min_utility` at the least ε that reaches it.

    Empty where nothing does.
    """
    from privlab.od.combining import combinations_from_weighed_week, combinations_of_least_epsilon

    if min_utility is None:
        return combinations_from_weighed_week(week, request, progress=progress)
    return combinations_of_least_epsilon(week, request, min_utility, progress=progress)
