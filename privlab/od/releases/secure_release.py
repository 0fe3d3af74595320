"""Settled trips → a secure release: bounded counts with OpenDP's integer or Gaussian noise, without a seed.

Not a simulation and never mixed with one: its parameters, its type and its files are its own.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_choice
from privlab.dp import TOTAL_CAP
from privlab.dp.promise import (
    GaussianParameters,
    Guarantee,
    GuaranteeParameters,
    guarantee_from_gaussian_parameters,
    guarantee_from_parameters,
)
from privlab.limits import MAX_SECURE_CELLS
from privlab.od.counting.matrix import Ints, cells_and_counts, kept_under_bound
from privlab.od.counting.products import FLOWS, Product, product_of
from privlab.od.releases.levels import Level, LevelSums, PublishedLevels, require_sound_levels, sums_of_week
from privlab.od.releases.trip_weights import districts_of_zones, weights_of_week

if TYPE_CHECKING:
    from privlab.od.counting.settled_trips import SettledTrips
    from privlab.od.releases.release_noise import ReleaseNoise

SECURE_NOISES = ("integer", "gaussian")

Keys = Callable[[int], npt.NDArray[np.uint64]]
"""Return so many random numbers, by whose order trips are chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecureReleaseParameters:
    """How counts are published for good: ε for everything a user does in a week, always under a bound.

    `cells` is "public" (every ordered pair of the zoning's zones) or "discovered" (only those in the
    data, with δ). Noisy counts below `threshold` are not published; 0 publishes every public cell.
    `noise` is "integer" (discrete Laplace, trips kept at random, `delta` 0) or "gaussian" (discrete, public cells,
    (ε, `delta`) to a user's week, `clip` "keep" or "l2"). With an L2 clip `total_share` of the squared norm may go to a noisy
    total of each week, by which what the clip took is undone on average. `levels`, with an L2 clip, is how many levels above zones
    have noisy sums of their own, paid from the same promise. `product` says what is counted (products.py); the bound is on its
    trips or visits.
    """

    epsilon: float
    max_trips_per_user: int
    threshold: int = 100
    cells: str = "public"
    noise: str = "integer"
    clip: str = "keep"
    delta: float = 0.0
    total_share: float = 0.0
    levels: int = 0
    product: str = "flows"

    def __post_init__(self) -> None:
        """Check every field; a release without a bound promises nothing to a person and is refused."""
        if self.max_trips_per_user is None:
            raise ParameterError("max_trips_per_user must be given for a secure release, got none.")
        require_choice("noise", self.noise, SECURE_NOISES)
        if self.noise == "gaussian" and self.cells != "public":
            raise ParameterError(
                "cells must be public with noise gaussian: what discovered cells cost is worked out for integer noise "
                f"only, got {self.cells!r}. Name zones that are known without the data (a box, a zone file, positions), "
                "or take noise integer."
            )
        if self.noise == "integer" and self.clip != "keep":
            raise ParameterError(
                f"clip must be keep with noise integer, whose promise counts trips and not their squares, got "
                f"{self.clip!r}. Take noise gaussian for l2."
            )
        if self.noise == "integer" and self.delta:
            raise ParameterError(
                f"delta must be 0 with noise integer, which spends none on public cells and follows from the threshold "
                f"on discovered ones, got {self.delta:g}. Take noise gaussian to spend one."
            )
        if self.noise == "integer" and self.total_share:
            raise ParameterError(
                "total_share must be 0 with noise integer, of which the release publishes no total, got "
                f"{self.total_share:g}. Take noise gaussian for an unbiased release."
            )
        if product_of(self.product) is not FLOWS and (
            self.cells != "public" or self.total_share or self.levels
        ):
            raise ParameterError(
                f"product must be flows with discovered cells, a total or levels, got {self.product!r}. Take public cells, no total "
                "and no levels."
            )
        if self.noise == "integer" and self.levels:
            raise ParameterError(
                f"levels must be 0 with noise integer, whose promise covers cells alone, got {self.levels}. Take noise gaussian for "
                "sums that agree between levels."
            )
        self.guarantee_parameters(1)

    def as_record(self) -> dict[str, Any]:
        """Return the parameters as certificates and ledgers write them; integer noise has no part in what is newer."""
        said = asdict(self)
        newer = [name for name in ("total_share", "levels") if not said[name]]
        for name in newer if self.noise == "gaussian" else ("noise", "clip", "delta", *newer):
            del said[name]
        if self.product == FLOWS.name:
            del said["product"]
        return said

    def guarantee_parameters(self, n_weeks: int) -> GuaranteeParameters | GaussianParameters:
        """Return what the guarantee of so many weekly releases is computed from."""
        if self.noise == "gaussian":
            return GaussianParameters(
                epsilon=self.epsilon,
                delta=self.delta,
                max_trips_per_user=self.max_trips_per_user,
                clip=self.clip,
                weeks=n_weeks,
                threshold=self.threshold,
                total_share=self.total_share,
                counted=product_of(self.product).counted,
                levels=self.levels,
            )
        return GuaranteeParameters(
            epsilon=self.epsilon,
            max_trips_per_user=self.max_trips_per_user,
            weeks=n_weeks,
            threshold=self.threshold,
            cells=self.cells,
            counted=product_of(self.product).counted,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasePlan:
    """All that is decided before a secure release, and what it will cost; nothing of it is true data.

    `zones` are the public zone ids, None where cells are discovered. `epsilon` and `delta` are what one
    user in all `weeks` loses by basic composition. `levels` divide the zones, from the lowest level up.
    """

    parameters: SecureReleaseParameters
    weeks: tuple[str, ...]
    zones_spec: str
    zones: tuple[Any, ...] | None
    guarantee: Guarantee
    levels: tuple[Level, ...] = ()

    @property
    def epsilon(self) -> float:
        """What a ledger adds for this release."""
        return self.parameters.epsilon * len(self.weeks)

    @property
    def delta(self) -> float:
        """What a ledger adds for this release; 0 for public cells with integer noise."""
        assert self.guarantee.user is not None
        return self.guarantee.user.delta

    @property
    def n_cells(self) -> int | None:
        """Number of public cells in each week, or None where they are discovered."""
        return None if self.zones is None else self.product.n_cells(len(self.zones))

    @property
    def product(self) -> Product:
        """What is counted."""
        return product_of(self.parameters.product)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekTotal:
    """What is published of all public cells of a week together, in whole trips.

    `trips` is the number of trips, of each user at most TOTAL_CAP, with noise of its own; `counted` the sum of all
    noisy counts before the threshold, which a clip makes smaller.
    """

    trips: int
    counted: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SecureRelease:
    """Published counts, whole numbers. Per published cell, shape (P,): `week`, `count`, and `cell` by column.

    `cell` names each cell in the columns of its product, of flows `origin` and `destination`. `mechanism` is what a certificate
    says of the noise as it ran. `totals`, by week, are empty without a total; `levels` is None without levels.
    """

    plan: ReleasePlan
    week: npt.NDArray[np.str_]
    cell: dict[str, npt.NDArray[Any]]
    count: Ints
    mechanism: dict[str, Any]
    totals: dict[str, WeekTotal] = field(default_factory=dict)
    levels: PublishedLevels | None = None


def release_plan_from_parameters(
    parameters: SecureReleaseParameters,
    *,
    weeks: Sequence[str],
    zones_spec: str,
    public_zones: Sequence[Any] | None,
    levels: Sequence[Level] = (),
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
        n_cells = product_of(parameters.product).n_cells(len(zones)) * len(weeks)
        if n_cells > MAX_SECURE_CELLS:
            raise ParameterError(
                f"zones must make at most {MAX_SECURE_CELLS:,} cells over all weeks, got {n_cells:,}. Take larger zones, or "
                "fewer weeks in one release."
            )
    if len(levels) != parameters.levels:
        raise ParameterError(
            f"levels must be as many as the parameters pay for, {parameters.levels}, got {len(levels)}."
        )
    require_sound_levels(levels, 0 if zones is None else len(zones), len(weeks))
    return ReleasePlan(
        parameters=parameters,
        weeks=tuple(weeks),
        zones_spec=zones_spec,
        zones=zones,
        guarantee=_guarantee(parameters.guarantee_parameters(len(weeks))),
        levels=tuple(levels),
    )


def _guarantee(parameters: GuaranteeParameters | GaussianParameters) -> Guarantee:
    if isinstance(parameters, GaussianParameters):
        return guarantee_from_gaussian_parameters(parameters)
    return guarantee_from_parameters(parameters)


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

    With an L2 clip the trips of whoever has more than the bound weigh less instead, and only those beyond
    MOST_TRIPS are left to the choice. Trips with an end outside the public zones are not counted. In a week without trips public cells
    hold noise alone: whether anybody moved in it must not decide whether it is published.
    """
    from privlab.od.releases.release_noise import release_noise_from_parameters

    noise = release_noise_from_parameters(plan.parameters)
    groups = districts_of_zones(plan.levels, plan.zones, trips.zones)
    rows = rows_of_weeks(trips, plan, partial(bounded_counts_from_week, groups=groups), noise)
    return SecureRelease(
        plan=plan,
        week=rows.week,
        cell=rows.cell,
        count=rows.count,
        mechanism=noise.record,
        totals=rows.totals,
        levels=PublishedLevels(zones=plan.zones or (), levels=plan.levels, sums=rows.sums)
        if rows.sums
        else None,
    )


class Bounded(Protocol):
    """What counts the trips of a week under the bound, as bounded_counts_from_week does."""

    def __call__(
        self, user: npt.NDArray[np.int32], flow: Ints, n_zones: int, parameters: SecureReleaseParameters
    ) -> tuple[Ints, Ints]:
        """Return the cells with a trip, and what the noise goes to."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeeksRows:
    """What is published of all weeks: rows as in SecureRelease, and by week the totals and the sums of districts, if any."""

    week: npt.NDArray[np.str_]
    cell: dict[str, npt.NDArray[Any]]
    count: Ints
    totals: dict[str, WeekTotal]
    sums: dict[str, tuple[LevelSums, ...]]


def rows_of_weeks(
    trips: "SettledTrips", plan: ReleasePlan, bounded: Bounded, noise: "ReleaseNoise"
) -> WeeksRows:
    """Return every published cell of all weeks. A release hands over its own way to bound and its own noise."""
    import pandas as pd

    ids = trips.zones if plan.zones is None else np.asarray(pd.Index(list(plan.zones)))
    if trips.product is not plan.product:
        raise ParameterError(
            f"product must be that of the data, {trips.product.name}, got {plan.product.name!r}."
        )
    parts, totals, sums = [], {}, {}
    for week in plan.weeks:
        user, flow = trips.week_of(week)
        cells, count = bounded(user, flow, trips.zones.size, plan.parameters)
        cells, raw = _everywhere(trips.zones, cells, count, plan, ids)
        noisy = noise.noisy(raw)
        if plan.levels:
            sums[week] = sums_of_week(plan.levels, *np.divmod(cells, ids.size), raw, noisy, noise)
        keep = (
            noisy >= plan.parameters.threshold
            if plan.parameters.threshold
            else np.ones(noisy.size, dtype=bool)
        )
        parts.append((cells[keep], noisy[keep]))
        if noise.noisy_total is not None:
            known = trips_in_total(trips.zones, user, flow, ids)
            totals[week] = WeekTotal(trips=noise.noisy_total(known), counted=int(noisy.sum()))
    cell, count = (np.concatenate([part[i] for part in parts]) for i in range(2))
    return WeeksRows(
        week=np.repeat(np.asarray(plan.weeks), [part[1].size for part in parts]),
        cell=plan.product.named(cell, ids),
        count=count,
        totals=totals,
        sums=sums,
    )


def trips_in_total(
    zones: npt.NDArray[Any], user: npt.NDArray[np.int32], flow: Ints, public: npt.NDArray[Any]
) -> int:
    """Return the trips of a week between public zones, of each user at most TOTAL_CAP. A raw count.

    `flow` is as in SettledTrips, over `zones`. A user more or less changes it by at most TOTAL_CAP.
    """
    import pandas as pd

    known = np.asarray(pd.Index(zones).isin(public))
    origin, destination = np.divmod(flow, zones.size)
    inside = known[origin] & known[destination]
    return int(np.minimum(np.bincount(user[inside]), TOTAL_CAP).sum())


def system_keys(n: int) -> npt.NDArray[np.uint64]:
    """Return so many random numbers from the system's own source: what a release takes."""
    return np.frombuffer(secrets.token_bytes(8 * n), dtype=np.uint64)


def bounded_counts_from_week(
    user: npt.NDArray[np.int32],
    flow: Ints,
    n_zones: int,
    parameters: SecureReleaseParameters,
    groups: Sequence[Ints] = (),
    *,
    keys: Keys = system_keys,
) -> tuple[Ints, Ints]:
    """Return the cells with a trip, and what the noise goes to: trips, or with Gaussian noise units of 1/1024 of one.

    Raw counts: this is what must not change by more than the promise allows when a user is removed. `groups` are those of
    `districts_of_zones`: sums over districts are made of these counts, and weights make room for them. Only an audit names
    other `keys` than the system's.
    """
    promise = parameters.guarantee_parameters(1)
    if not isinstance(promise, GaussianParameters):
        counted = flow[_fresh_choice(user, parameters.max_trips_per_user, keys)]
        if parameters.product == FLOWS.name:
            return cells_and_counts(counted, n_zones)
        cells, count = np.unique(counted, return_counts=True)
        return cells, count.astype(np.int64)
    kept = _fresh_choice(user, promise.most_trips, keys)
    user, flow = user[kept], flow[kept]
    cells, cell = np.unique(flow, return_inverse=True)
    units = np.zeros(cells.size, dtype=np.int64)
    np.add.at(units, cell, weights_of_week(user, flow, n_zones, parameters.max_trips_per_user, groups))
    return cells, units


def _fresh_choice(user: npt.NDArray[np.int32], bound: int, keys: Keys) -> npt.NDArray[np.bool_]:
    """Return which trips of a week are counted: of each user at most `bound`, chosen by the system's own source.

    Which trips are kept of one user then tells nothing of another, and no seed could bring the choice back.
    """
    order = np.lexsort((keys(user.size), user))
    place = np.arange(order.size)
    first = np.ones(order.size, dtype=bool)
    first[1:] = np.diff(user[order]) != 0
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = place - np.maximum.accumulate(np.where(first, place, 0))
    return np.asarray(kept_under_bound(rank, bound))


def _everywhere(
    zones: npt.NDArray[Any], cells: Ints, true: Ints, plan: ReleasePlan, ids: npt.NDArray[Any]
) -> tuple[Ints, Ints]:
    """Return all cells of the product over `ids`, and their raw counts: nothing is left out yet."""
    import pandas as pd

    if plan.zones is not None:
        product = plan.product
        place = pd.Index(ids).get_indexer(pd.Index(zones))
        inside = product.inside(cells, zones.size, place >= 0)
        ends, slot = product.ends_and_slot(cells[inside], zones.size)
        known = product.cell_of(tuple(place[end] for end in ends), slot, ids.size)
        cells = product.all_cells(ids.size)
        everywhere = np.zeros(cells.size, dtype=np.int64)
        everywhere[np.searchsorted(cells, known)] = true[inside]
        true = everywhere
    return cells, true.astype(np.int64)
