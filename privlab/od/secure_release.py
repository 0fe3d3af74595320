"""Unique trips → a secure release: bounded counts with OpenDP's integer noise, without a seed.

Not a simulation and never mixed with one: its parameters, its type and its files are its own.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from privlab.checks import ParameterError
from privlab.dp.guarantees import Guarantee, GuaranteeParameters, guarantee_from_parameters
from privlab.dp.secure_noise import SecureNoise, noisy_counts_from_counts, secure_noise_from_mechanism
from privlab.limits import MAX_SECURE_CELLS, MAX_SEED
from privlab.od.matrix import Ints, ODMatrix, UniqueTrips, od_matrix_from_unique_trips, week_slice


@dataclass(frozen=True, slots=True, kw_only=True)
class SecureReleaseParameters:
    """How counts are published for good: ε for everything a user does in a week, always under a bound.

    `cells` is "public" (every ordered pair of the zoning's zones) or "discovered" (only those in the
    data, with δ). Noisy counts below `threshold` are not published; 0 publishes every public cell.
    """

    epsilon: float
    max_trips_per_user: int
    threshold: int = 100
    cells: str = "public"

    def __post_init__(self) -> None:
        """Check every field; a release without a bound promises nothing to a person and is refused."""
        if self.max_trips_per_user is None:
            raise ParameterError("max_trips_per_user must be given for a secure release, got none.")
        self.guarantee_parameters(1)

    def guarantee_parameters(self, n_weeks: int) -> GuaranteeParameters:
        """Return what the guarantee of so many weekly releases is computed from."""
        return GuaranteeParameters(
            epsilon=self.epsilon,
            max_trips_per_user=self.max_trips_per_user,
            weeks=n_weeks,
            threshold=self.threshold,
            cells=self.cells,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasePlan:
    """All that is decided before a secure release, and what it will cost; nothing of it is true data.

    `zones` are the public zone ids, None where cells are discovered. `epsilon` and `delta` are what one
    user in all `weeks` loses by basic composition.
    """

    parameters: SecureReleaseParameters
    weeks: tuple[str, ...]
    zones_spec: str
    zones: tuple[Any, ...] | None
    guarantee: Guarantee

    @property
    def epsilon(self) -> float:
        """What a ledger adds for this release."""
        return self.parameters.epsilon * len(self.weeks)

    @property
    def delta(self) -> float:
        """What a ledger adds for this release; 0 for public cells."""
        assert self.guarantee.user is not None
        return self.guarantee.user.delta

    @property
    def n_cells(self) -> int | None:
        """Number of public cells in each week, or None where they are discovered."""
        return None if self.zones is None else len(self.zones) * (len(self.zones) - 1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SecureRelease:
    """Published counts, whole numbers. Per published cell, shape (P,): `week`, `origin`, `destination`, `count`."""

    plan: ReleasePlan
    week: npt.NDArray[np.str_]
    origin: npt.NDArray[Any]
    destination: npt.NDArray[Any]
    count: Ints
    scale: float
    proven_epsilon: float
    library: str


def release_plan_from_parameters(
    parameters: SecureReleaseParameters,
    *,
    weeks: Sequence[str],
    zones_spec: str,
    public_zones: Sequence[Any] | None,
) -> ReleasePlan:
    """Return the plan of a secure release, before any count is looked at.

    Raises ParameterError if no week is named, if the zones depend on the data, or if there are too many cells.
    """
    if not weeks or len(set(weeks)) != len(weeks):
        raise ParameterError(
            f"week must be named, each once: which weeks have trips is itself true data, got {list(weeks)}."
        )
    if zones_spec.startswith("grid:"):
        raise ParameterError(
            f"zones must not depend on the data, but a grid is laid around its middle; got {zones_spec!r}. "
            "Use a box, H3 or a zone file."
        )
    zones: tuple[Any, ...] | None = None
    if parameters.cells == "public":
        if not public_zones:
            raise ParameterError(
                "cells must be discovered, or the zones named by a box, a GeoJSON file or zone positions: "
                f"the zones of {zones_spec!r} are known from the data only, got 'public'."
            )
        zones = tuple(sorted(public_zones))
        if len(zones) * (len(zones) - 1) * len(weeks) > MAX_SECURE_CELLS:
            raise ParameterError(
                f"zones must make at most {MAX_SECURE_CELLS:,} cells over all weeks, got "
                f"{len(zones) * (len(zones) - 1) * len(weeks):,}."
            )
    return ReleasePlan(
        parameters=parameters,
        weeks=tuple(weeks),
        zones_spec=zones_spec,
        zones=zones,
        guarantee=guarantee_from_parameters(parameters.guarantee_parameters(len(weeks))),
    )


USERS_NOT_APART = (
    "percentile and sample_users must be left out of a secure release: what they keep of one user depends on "
    "the others, and the guarantee would fail."
)
NO_USERS = (
    "The file does not say whose trips it counts, so that nothing can be promised to a person. "
    "Is there a file of records or trips with a user in each row?"
)


def freshly_ranked_from_unique_trips(trips: UniqueTrips) -> UniqueTrips:
    """Return the trips with each user's trips of a week in a new random order, from the system's own source.

    Which trips a bound keeps of one user then tells nothing of another, and no seed could bring it back.
    """
    week = np.repeat(np.arange(len(trips.weeks)), np.diff(trips.week_starts))
    key = np.frombuffer(secrets.token_bytes(8 * trips.user.size), dtype=np.uint64)
    order = np.lexsort((key, trips.user, week))
    first = np.ones(order.size, dtype=bool)
    first[1:] = (np.diff(trips.user[order]) != 0) | (np.diff(week[order]) != 0)
    place = np.arange(order.size)
    rank = np.empty(order.size, dtype=np.int32)
    rank[order] = place - np.maximum.accumulate(np.where(first, place, 0))
    return replace(trips, trip_rank=rank)


def require_weeks(trips: UniqueTrips, plan: ReleasePlan) -> None:
    """Raise DataError for a week without trips: to be called before the ledger is charged for it."""
    for week in plan.weeks:
        week_slice(trips, week)


def release_seed() -> int:
    """Return a fresh secret seed for which trips a bound keeps; it is kept nowhere."""
    return secrets.randbelow(MAX_SEED)


def secure_release_from_unique_trips(trips: UniqueTrips, plan: ReleasePlan) -> SecureRelease:
    """Return the published counts. `trips` must be freshly ranked:
    by `release_seed()` in the database, or by `freshly_ranked_from_unique_trips`.

    Trips with an end outside the public zones are not counted. Raises DataError for a week without trips.
    """
    parameters = plan.parameters
    require_weeks(trips, plan)
    noise = secure_noise_from_mechanism(parameters.guarantee_parameters(1).mechanism)
    ids = trips.zones if plan.zones is None else np.asarray(pd.Index(list(plan.zones)))
    parts = []
    for week in plan.weeks:
        matrix = od_matrix_from_unique_trips(
            trips, week=week, max_trips_per_user=parameters.max_trips_per_user
        )
        parts.append(_published(matrix, plan, noise, ids))
    origin, destination, count = (np.concatenate([part[i] for part in parts]) for i in range(3))
    return SecureRelease(
        plan=plan,
        week=np.repeat(np.asarray(plan.weeks), [part[2].size for part in parts]),
        origin=ids[origin],
        destination=ids[destination],
        count=count,
        scale=noise.scale,
        proven_epsilon=noise.proven_epsilon,
        library=noise.library,
    )


def _published(
    matrix: ODMatrix, plan: ReleasePlan, noise: SecureNoise, ids: npt.NDArray[Any]
) -> tuple[Ints, Ints, Ints]:
    """Return origin and destination as positions in `ids`, and the noisy counts that are published."""
    if plan.zones is None:
        cells, true = matrix.flow, matrix.count
    else:
        known = pd.Index(ids)
        place = known.get_indexer(pd.Index(matrix.zones))
        origin, destination = place[matrix.origin], place[matrix.destination]
        inside = (origin >= 0) & (destination >= 0)
        everywhere = np.zeros(ids.size * ids.size, dtype=np.int64)
        everywhere[origin[inside] * ids.size + destination[inside]] = matrix.count[inside]
        cells = np.flatnonzero(np.arange(everywhere.size) % (ids.size + 1) != 0)
        true = everywhere[cells]
    noisy = noisy_counts_from_counts(true.astype(np.int64), noise)
    threshold = plan.parameters.threshold
    keep = noisy >= threshold if threshold else np.ones(noisy.size, dtype=bool)
    n_zones = ids.size
    return cells[keep] // n_zones, cells[keep] % n_zones, noisy[keep]
