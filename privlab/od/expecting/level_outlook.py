"""True trips and the plan of a release with levels → what its sums of districts are worth, before any noise is drawn."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.dp.gaussian import UNITS
from privlab.od.levels.levels import variances_of_levels
from privlab.od.levels.trip_weights import districts_of_zones, weights_of_week
from privlab.od.matrix import Ints
from privlab.od.releases.release_plan import ReleasePlan

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelOutlook:
    """How far off sums from district to district are to be expected: Σ|published − true|/Σtrue, as `judge` says it.

    Noise and what weights take unevenly, both after all counts are multiplied so that their sum is the true one. `error` is
    of a release with levels, `without_levels` of cells added up in one for the same promise without.
    """

    name: str
    error: float
    without_levels: float


def level_outlooks(
    weeks: Sequence[tuple[npt.NDArray[np.int32], Ints]],
    zones: npt.NDArray[np.object_],
    plan: ReleasePlan,
    scale: float,
) -> tuple[tuple[LevelOutlook, ...], float]:
    """Return what is expected of each level, and by how much noise on a cell, over the share of trips left, is wider for them.

    `weeks` are the user and the flow of each trip, over `zones`; `scale` σ in units.
    """
    bound = plan.parameters.max_trips_per_user
    groups = districts_of_zones(plan.levels, plan.zones, zones)
    off, n_trips = np.zeros((len(plan.levels), 2)), 0
    left = np.zeros(2)
    spreads = variances_of_levels(plan.levels, scale)
    for user, flow in weeks:
        weights = [weights_of_week(user, flow, zones.size, bound, some) / UNITS for some in (groups, ())]
        origin, destination = np.divmod(flow, zones.size)
        inside = (groups[0][origin] >= 0) & (groups[0][destination] >= 0)
        left += [weight[inside].sum() for weight in weights]
        for i, (level, group) in enumerate(zip(plan.levels, groups, strict=True)):
            pair = (group[origin] * len(level.districts) + group[destination])[inside]
            true = np.bincount(pair, minlength=level.n_pairs)
            n_cells, agreed, alone = spreads[i]
            for j, (weight, noise) in enumerate(zip(weights, (agreed, alone), strict=True)):
                counted = np.bincount(pair, weights=weight[inside], minlength=level.n_pairs).astype(
                    np.float64
                )
                by = float(true.sum() / counted.sum()) if counted.any() else 1.0
                some = n_cells > 0
                off[i, j] += _mean_distance((by * counted - true)[some], by * np.sqrt(noise[some])).sum()
        n_trips += int(inside.sum())
    found = tuple(
        LevelOutlook(name=level.name, error=one, without_levels=other)
        for level, (one, other) in zip(plan.levels, (off / max(n_trips, 1)).tolist(), strict=True)
    )
    return found, float(left[1] / left[0]) if left[0] else 1.0


def _mean_distance(mean: Floats, deviation: Floats) -> Floats:
    """Return E|x| of normal x, elementwise."""
    z = mean / deviation
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return np.asarray(2 * deviation * density + mean * (1 - 2 * scipy.special.ndtr(-z)))
