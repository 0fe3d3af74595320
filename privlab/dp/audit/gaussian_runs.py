"""Runs of Gaussian noise on weighted trips, honest or broken: what a person adds, and the published counts that come of it.

The person has four times as many trips as the bound L, and so by the L2 clip a weight of ½ each and a norm of √L, the greatest there is.
docs/science.md, section 5.1. Nothing but the audit may use this.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.dp.gaussian.discrete_gaussian import whole_trips_from_units
from privlab.dp.gaussian.gaussian_parameters import GaussianParameters
from privlab.dp.noise.secure_noise import noisy_counts_from_counts, secure_gaussian_from_sigma

Ints = npt.NDArray[np.int64]

TRIPS_PER_BOUND = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianRuns:
    """A mechanism ready to run: `n_cells` cells that the person adds `weight` units to, and `published`, which turns units into whole trips."""

    n_cells: int
    weight: int
    published: Callable[[Ints], Ints]


def gaussian_runs_from_promise(
    promise: GaussianParameters,
    *,
    sigma: float,
    weight: Callable[[int, int], int],
) -> GaussianRuns:
    """Return noise of that σ on counts to which each trip adds `weight(trips, L)` units, rounded as releases are."""
    noise = secure_gaussian_from_sigma(sigma, promise.norm)
    n_cells = TRIPS_PER_BOUND * promise.max_trips_per_user
    return GaussianRuns(
        n_cells=n_cells,
        weight=weight(n_cells, promise.max_trips_per_user),
        published=lambda units: whole_trips_from_units(noisy_counts_from_counts(units, noise)),
    )
