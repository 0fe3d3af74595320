"""Stored unique trips → what a limit on trips leaves of every flow and week, in units of 1/1024 of a trip, and trips in all.

As a release with Gaussian noise counts them, without holding the trips in memory. Raw: nothing here is noisy.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import ibis
import ibis.expr.types as ir
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from privlab.checks import ParameterError
from privlab.dp.gaussian import TOTAL_CAP, UNITS, GaussianParameters, weight_of_trips, weight_with_levels
from privlab.od.levels.levels import Level, require_sound_levels
from privlab.od.trips.unique_trips import bounded_trips_from_unique_trips, od_counts_from_unique_trips


def require_levels_of_zones(
    levels: Sequence[Level], zones: npt.NDArray[Any], public: Sequence[Any] | None, *, n_weeks: int
) -> None:
    """Raise ParameterError unless sums of districts, where there are any, are of just the zones that get noise, and sound."""
    if not levels:
        return
    require_sound_levels(levels, len(levels[0].of), n_weeks)
    if sorted(public or ()) != zones.tolist():
        raise ParameterError(
            "levels must be of the zones that are known without the data, but trips begin or end in others; a zone file that "
            "names all of them helps."
        )


def clipped_units(
    trips: ir.Table,
    parameters: GaussianParameters,
    levels: Sequence[Level],
    zones: npt.NDArray[Any],
    seed: int,
) -> pd.DataFrame:
    """Return week, origin, destination and `count`, in units: what a clip leaves of each flow of `zones`.

    With `levels`, which divide these zones, trips of whoever has many between the same districts weigh less.
    """
    kept = bounded_trips_from_unique_trips(trips, max_trips_per_user=parameters.most_trips, seed=seed)
    if parameters.clip == "keep":
        counted = od_counts_from_unique_trips(kept).to_pyarrow().to_pandas(date_as_object=False)
        counted["count"] *= UNITS
        return _by_flow(counted)
    of_user, names = _trips_of_users(kept, levels, zones)
    kinds = kept.join(of_user, ["user_id", "week"]).group_by(
        "week", "origin", "destination", "n_of_user", *names
    )
    found: pd.DataFrame = kinds.agg(count=ibis._.count()).to_pyarrow().to_pandas(date_as_object=False)
    n_of_user = found["n_of_user"].to_numpy()
    found["count"] *= (
        weight_with_levels(
            n_of_user, [found[name].to_numpy() for name in names], parameters.max_trips_per_user
        )
        if names
        else weight_of_trips(n_of_user, parameters.max_trips_per_user)
    )
    return _by_flow(found)


def capped_totals(trips: ir.Table) -> Mapping[str, int]:
    """Return the number of trips of each week, of each user at most TOTAL_CAP."""
    of_user = trips.group_by("user_id", "week").agg(n_of_user=ibis._.count())
    totals = of_user.group_by("week").agg(n=ibis.least(of_user.n_of_user, TOTAL_CAP).sum())
    found = totals.to_pyarrow().to_pandas(date_as_object=False)
    weeks = found["week"].to_numpy(dtype="datetime64[D]")
    return dict(zip(map(str, weeks), found["n"].astype(int).tolist(), strict=True))


def _trips_of_users(
    kept: ir.Table, levels: Sequence[Level], zones: npt.NDArray[Any]
) -> tuple[ir.Table, list[str]]:
    """Return per user and week `n_of_user`, and for each level a column with Σn², n the trips between two districts; their names."""
    of_user = kept.group_by("user_id", "week").agg(n_of_user=ibis._.count())
    names = [f"square_{place}" for place in range(len(levels))]
    for name, level in zip(names, levels, strict=True):
        district = level.numbers.astype(np.int64)
        ends = {
            end: ibis.memtable(pa.table({end: pa.array(zones.tolist()), f"district_of_{end}": district}))
            for end in ("origin", "destination")
        }
        placed = kept.select("user_id", "week", "origin", "destination")
        for end, districts in ends.items():
            placed = placed.inner_join(districts, end)
        pairs = placed.group_by("user_id", "week", *(f"district_of_{end}" for end in ends)).agg(
            n=ibis._.count()
        )
        squares = pairs.group_by("user_id", "week").agg((pairs.n * pairs.n).sum().name(name))
        of_user = of_user.join(squares, ["user_id", "week"])
    return of_user, names


def _by_flow(counted: pd.DataFrame) -> pd.DataFrame:
    by_flow = counted.groupby(["week", "origin", "destination"], as_index=False, sort=True)
    return by_flow.agg({"count": "sum"})
