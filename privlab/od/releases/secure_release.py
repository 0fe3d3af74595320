"""Settled trips → a secure release: bounded counts with OpenDP's integer noise, without a seed.

Not a simulation and never mixed with one: its parameters, its type and its files are its own.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError
from privlab.dp.promise import Guarantee, GuaranteeParameters, guarantee_from_parameters
from privlab.limits import MAX_SECURE_CELLS
from privlab.od.counting.matrix import Ints, cells_and_counts, kept_under_bound

if TYPE_CHECKING:
    from privlab.od.counting.settled_trips import SettledTrips

if TYPE_CHECKING:
    from privlab.dp import Mechanism, SecureNoise


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

    @property
    def mechanism(self) -> "Mechanism":
        """The noise that keeps the promise."""
        return self.guarantee_parameters(1).mechanism

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
    for week in weeks:
        _require_monday(week)
    require_zones_apart(zones_spec)
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


def require_zones_apart(zones_spec: str) -> None:
    """Raise ParameterError for zones that are laid by the data."""
    spec = zones_spec.strip()
    if spec.startswith("grid:") and spec.count(":") == 1:
        raise ParameterError(
            "zones must not depend on the data, but a grid is laid around its middle where no box is named; got "
            f"{zones_spec!r}. Name a box: --box SOUTH,WEST,NORTH,EAST in degrees, as the page Data proposes it, or "
            "use a zone file."
        )


def _require_monday(week: str) -> None:
    from privlab.datasets.times import FIRST_TIME, LAST_TIME

    try:
        day = date.fromisoformat(week)
    except ValueError:
        raise ParameterError(f"week must be a Monday such as 2026-03-02, got {week!r}.") from None
    monday = day - timedelta(days=day.weekday())
    if week != monday.isoformat():
        raise ParameterError(f"week must be named by its Monday, {monday}, got {week!r}.")
    if not FIRST_TIME.date() <= day <= LAST_TIME.date():
        raise ParameterError(
            f"week must be between {FIRST_TIME.date()} and {LAST_TIME.date()}, got {week!r}."
        )


def secure_release_from_settled_trips(trips: "SettledTrips", plan: ReleasePlan) -> SecureRelease:
    """Return the published counts: bounded by a fresh choice of each user's trips, with noise on every cell.

    Trips with an end outside the public zones are not counted. In a week without trips public cells
    hold noise alone: whether anybody moved in it must not decide whether it is published.
    """
    import pandas as pd

    from privlab.dp import secure_noise_from_mechanism

    parameters = plan.parameters
    noise = secure_noise_from_mechanism(parameters.mechanism)
    ids = trips.zones if plan.zones is None else np.asarray(pd.Index(list(plan.zones)))
    parts = []
    for week in plan.weeks:
        user, flow = trips.week_of(week)
        kept = flow[_fresh_choice(user, parameters.max_trips_per_user)]
        cells, count = cells_and_counts(kept, trips.zones.size)
        parts.append(_published(trips.zones, cells, count, plan, noise, ids))
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


def _fresh_choice(user: npt.NDArray[np.int32], bound: int) -> npt.NDArray[np.bool_]:
    """Return which trips of a week are counted: of each user at most `bound`, chosen by the system's own source.

    Which trips are kept of one user then tells nothing of another, and no seed could bring the choice back.
    """
    key = np.frombuffer(secrets.token_bytes(8 * user.size), dtype=np.uint64)
    order = np.lexsort((key, user))
    place = np.arange(order.size)
    first = np.ones(order.size, dtype=bool)
    first[1:] = np.diff(user[order]) != 0
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = place - np.maximum.accumulate(np.where(first, place, 0))
    return np.asarray(kept_under_bound(rank, bound))


def _published(
    zones: npt.NDArray[Any],
    cells: Ints,
    true: Ints,
    plan: ReleasePlan,
    noise: "SecureNoise",
    ids: npt.NDArray[Any],
) -> tuple[Ints, Ints, Ints]:
    """Return origin and destination as positions in `ids`, and the noisy counts that are published."""
    import pandas as pd

    from privlab.dp import noisy_counts_from_counts

    if plan.zones is not None:
        place = pd.Index(ids).get_indexer(pd.Index(zones))
        origin, destination = (place[end] for end in np.divmod(cells, zones.size))
        inside = (origin >= 0) & (destination >= 0)
        everywhere = np.zeros(ids.size * ids.size, dtype=np.int64)
        everywhere[origin[inside] * ids.size + destination[inside]] = true[inside]
        cells = np.flatnonzero(np.arange(everywhere.size) % (ids.size + 1) != 0)
        true = everywhere[cells]
    noisy = noisy_counts_from_counts(true.astype(np.int64), noise)
    threshold = plan.parameters.threshold
    keep = noisy >= threshold if threshold else np.ones(noisy.size, dtype=bool)
    n_zones = ids.size
    return cells[keep] // n_zones, cells[keep] % n_zones, noisy[keep]
