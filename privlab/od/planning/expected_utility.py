"""True and bounded counts → the utility to be expected of integer noise and a threshold, without drawing any.

Figures of true data. Exact for each cell; the mean over the noise is a difference of two tails.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from privlab.od.expecting.closeness import chance_close
from privlab.od.matrix import UniqueTrips, cells_and_places, n_users_of_group, nobody_moved, week_slice

if TYPE_CHECKING:
    from privlab.od.trips.trip_tables import TripTables

Floats = npt.NDArray[np.float64]

BOUNDS = (1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoundedCells:
    """Cells with a true flow: `true` (C,) counts, `bounded` (B, C) under each of `bounds`, `n_empty` others."""

    bounds: tuple[int, ...]
    true: Floats
    bounded: Floats
    n_empty: int


def bounded_cells_from_unique_trips(
    trips: UniqueTrips, *, week: str, group_size: int | None = None
) -> BoundedCells:
    """Return the true counts of a week and those under every bound that clips anyone, and one that does not.

    Raises DataError if nobody in the group made a trip.
    """
    part, n_users = week_slice(trips, week), n_users_of_group(trips, group_size)
    flow, rank = trips.flow[part], trips.trip_rank[part]
    if n_users < trips.n_users:
        inside = trips.user_rank[trips.user[part]] < n_users
        flow, rank = flow[inside], rank[inside]
    if not flow.size:
        raise nobody_moved(n_users, week)
    n_zones = trips.zones.size
    seen, cell = cells_and_places(flow, n_zones**2)
    bounds = bounds_up_to(int(rank.max()) + 1)
    layer = np.searchsorted(bounds, rank, side="right")  # how many of the bounds leave this trip out
    layers = np.bincount(layer * seen.size + cell, minlength=(len(bounds) + 1) * seen.size)
    bounded = layers.reshape(-1, seen.size).cumsum(axis=0).astype(np.float64)
    return BoundedCells(
        bounds=bounds,
        true=bounded[-1],
        bounded=bounded[: len(bounds)],
        n_empty=n_zones * (n_zones - 1) - seen.size,
    )


def bounded_cells_from_trip_tables(
    tables: "TripTables", *, week: str, group_size: int | None, seed: int
) -> BoundedCells:
    """Return the same of trips that stay where they are stored, as on a cluster. Raises DataError likewise."""
    from privlab.od.trips.tables_counted import Asked, people_under_bounds, zones_of_tables

    asked = Asked(tables=tables, weeks=(week,), group_size=group_size, seed=seed)
    people, bounded, most = people_under_bounds(asked, BOUNDS)
    bounds, n_zones = bounds_up_to(most), zones_of_tables(tables).size
    return BoundedCells(
        bounds=bounds,
        true=people.astype(np.float64),
        bounded=bounded[: len(bounds)].astype(np.float64),
        n_empty=n_zones * (n_zones - 1) - people.size,
    )


def bounds_up_to(most: int) -> tuple[int, ...]:
    """Return the bounds that clip someone whose `most` trips are the most of all, and one that does not."""
    return tuple(bound for i, bound in enumerate(BOUNDS) if not i or BOUNDS[i - 1] < most)


def expected_utility(
    scale: float, threshold: int, true: Floats, bounded: Floats, times: npt.ArrayLike, tolerance: float
) -> float:
    """Return the expected share of trips in flows published within `tolerance`, with integer noise of `scale`."""
    chance = chance_close(
        true, bounded, None, noise="integer", scale=scale, threshold=threshold, tolerance=tolerance
    )
    weight = true * np.asarray(times)
    return float(weight @ chance / weight.sum())
