"""Settled trips → what a release would publish, run again and again for an audit of the whole way.

A type of its own: nothing here can be written, charged or certified. The steps are those of secure_release.py, and an
audit may hand over other sources of chance, or broken steps for it to catch.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from privlab.dp.gaussian import UNITS, GaussianParameters, rounded_normal, whole_trips_from_units
from privlab.od.levels.levels import LevelSums
from privlab.od.matrix import Ints
from privlab.od.releases.release_noise import ReleaseNoise
from privlab.od.releases.release_plan import ReleasePlan, SecureReleaseParameters
from privlab.od.releases.secure_release import Bounded, WeekTotal, bounded_counts_from_week, rows_of_weeks

if TYPE_CHECKING:
    from privlab.od.settled.settled_trips import CountedCells


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RehearsedCounts:
    """What a release would have published. The arrays and the totals are as in SecureRelease; `sums` of districts by week."""

    week: npt.NDArray[np.str_]
    cell: dict[str, npt.NDArray[Any]]
    count: Ints
    totals: dict[str, WeekTotal] = field(default_factory=dict)
    sums: dict[str, tuple[LevelSums, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RehearsedSteps:
    """The two steps that keep a release's promise: what is counted of each user, and the noise."""

    bounded: Bounded
    noise: ReleaseNoise


def rehearsed_counts_from_settled_trips(
    trips: "CountedCells", plan: ReleasePlan, steps: RehearsedSteps
) -> RehearsedCounts:
    """Return what secure_release_from_settled_trips would publish, by the same code but for these steps."""
    rows = rows_of_weeks(trips, plan, steps.bounded, steps.noise)
    return RehearsedCounts(
        week=rows.week, cell=rows.cell, count=rows.count, totals=rows.totals, sums=rows.sums
    )


def seeded_steps(
    parameters: SecureReleaseParameters, rng: np.random.Generator, groups: Sequence[Ints] = ()
) -> RehearsedSteps:
    """Return the release's own steps, with chance from a generator instead of the system; `groups` as in bounded_counts_from_week.

    The law is the same: the choice goes by 64-bit keys as ever, the discrete Laplace is drawn as the difference of two geometric
    numbers, and the Gaussian, whose σ is hundreds of units, as a normal number rounded to a whole unit, which differs from
    the discrete law by less than one part in a million.
    """

    def bounded(
        user: npt.NDArray[np.int32], flow: Ints, n_zones: int, parameters: SecureReleaseParameters
    ) -> tuple[Ints, Ints]:
        return bounded_counts_from_week(
            user, flow, n_zones, parameters, groups, keys=lambda n: rng.integers(0, 2**64, n, dtype=np.uint64)
        )

    promise = parameters.guarantee_parameters(1)
    if isinstance(promise, GaussianParameters):
        return RehearsedSteps(
            bounded=bounded, noise=seeded_gaussian(promise.sigma, rng, total_units=promise.total_units)
        )
    return RehearsedSteps(bounded=bounded, noise=seeded_laplace(promise.mechanism.scale, rng))


def seeded_laplace(scale: float, rng: np.random.Generator) -> ReleaseNoise:
    """Return discrete Laplace noise of a scale from a generator: P(x) ∝ e^{−|x|/scale}."""
    chance = -np.expm1(-1 / scale)

    def noisy(counts: Ints) -> Ints:
        return np.asarray(
            counts + rng.geometric(chance, counts.shape) - rng.geometric(chance, counts.shape), dtype=np.int64
        )

    return ReleaseNoise(units=1, record={"noise": "discrete Laplace", "scale": scale}, noisy=noisy)


def seeded_gaussian(sigma: float, rng: np.random.Generator, *, total_units: int = 0) -> ReleaseNoise:
    """Return Gaussian noise of σ units of 1/1024 of a trip from a generator; whole trips come out.

    A total of which each trip weighs `total_units` gets noise of its own; 0: there is none.
    """

    def noisy(units: Ints) -> Ints:
        return whole_trips_from_units(units + rounded_normal(sigma, units.size, rng))

    def noisy_total(trips: int) -> int:
        return round((total_units * trips + int(rounded_normal(sigma, 1, rng)[0])) / total_units)

    return ReleaseNoise(
        units=UNITS,
        record={"noise": "discrete Gaussian", "scale": sigma},
        noisy=noisy,
        noisy_total=noisy_total if total_units else None,
        noisy_sums=lambda units, shift: whole_trips_from_units(
            (units + rounded_normal(sigma, units.size, rng)) << shift
        ),
    )
