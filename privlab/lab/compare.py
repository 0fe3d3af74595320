"""Rows in zones → what each mechanism that keeps one promise leaves of the flows: one way for pages and commands."""

from typing import TYPE_CHECKING

import numpy as np

from privlab.checks import DataError
from privlab.datasets.zones import ZoneMap, Zoning
from privlab.lab.load import ORDER_SEED, trips_from_rows
from privlab.progress import UNHEARD, Progress
from privlab.seeds import generator

if TYPE_CHECKING:
    from privlab.datasets import Dataset
    from privlab.od.comparing import ComparedMechanism, ComparisonParameters
    from privlab.od.counting import FlowCounts, UniqueTrips

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
    from privlab.od.counting import UniqueTrips

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
    from privlab.od.comparing import comparison_from_unique_trips
    from privlab.od.counting import UniqueTrips
    from privlab.od.planning import great_circle_km

    if not isinstance(trips, UniqueTrips):
        raise DataError(NO_COMPARISON)
    lat, lon = np.asarray(where.lat), np.asarray(where.lon)
    return comparison_from_unique_trips(
        trips,
        parameters,
        week=week,
        group_size=group_size,
        distance_km=great_circle_km(lat[:, None], lon[:, None], lat[None, :], lon[None, :]),
        rng=generator(seed, "comparison"),
        progress=progress,
    )
