"""Unique trips and counts of one week, written down cell by cell."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from privlab.od.matrix import UniqueTrips
from privlab.od.settled.settled_trips import SettledCells
from privlab.od.trips.flow_counts import FlowCounts

WEEK = "2026-03-02"


def trips_of(people: Sequence[Sequence[int]], zones: Sequence[Any] = range(5)) -> UniqueTrips:
    """Return unique trips: for each person the cells, as positions in `zones`; trips and people ranked as they stand."""
    user = np.repeat(np.arange(len(people)), [len(cells) for cells in people])
    return UniqueTrips(
        zones=np.asarray(zones),
        weeks=(WEEK,),
        week_starts=np.array([0, user.size]),
        user=user.astype(np.int32),
        flow=np.array([cell for cells in people for cell in cells], dtype=np.int64),
        trip_rank=np.array([i for cells in people for i in range(len(cells))], dtype=np.int32),
        user_rank=np.arange(len(people), dtype=np.int32),
        n_trips=user.size,
    )


def settled(trips: UniqueTrips) -> SettledCells:
    """Return unique trips as a secure release takes them."""
    return SettledCells(
        zones=trips.zones, weeks=trips.weeks, week_starts=trips.week_starts, user=trips.user, flow=trips.flow
    )


def nobody_named() -> FlowCounts:
    """Return counts that name nobody, without a flow."""
    nothing = np.zeros(0, dtype=np.int64)
    return FlowCounts(
        zones=np.arange(2),
        weeks=(WEEK,),
        week_starts=nothing,
        flow=nothing,
        count=nothing,
        n_records=0,
        dropped={},
    )
