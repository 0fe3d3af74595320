"""Settled trips → a secure release: bounded counts with OpenDP's integer or Gaussian noise, without a seed.

Not a simulation and never mixed with one: its parameters, its type and its files are its own.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError
from privlab.dp.gaussian import TOTAL_CAP, GaussianParameters
from privlab.od.levels.levels import LevelSums, PublishedLevels, sums_of_week
from privlab.od.levels.trip_weights import districts_of_zones, weights_of_week
from privlab.od.matrix import Ints, cells_and_counts, cells_and_places, kept_under_bound, places_of
from privlab.od.products import FLOWS, Product, product_of
from privlab.od.releases.release_plan import ReleasePlan, SecureReleaseParameters
from privlab.od.smoothing.margins import margins_of_cells
from privlab.od.smoothing.week_model import ModelSums

if TYPE_CHECKING:
    from privlab.od.releases.release_noise import ReleaseNoise
    from privlab.od.settled.settled_counts import SettledCounts
    from privlab.od.settled.settled_trips import CountedCells, SettledCells

NO_LEVELS_FROM_COUNTS = (
    "levels must be left out on a cluster: sums of districts are weighed by each user's own trips, which stay there. "
    "Use the engine duckdb for levels."
)
Keys = Callable[[int], npt.NDArray[np.uint64]]
"""Return so many random numbers, by whose order trips are chosen."""
Heard = Callable[[str, Ints], None]
"""Look at all noisy counts of a week, those below the threshold included: nothing that is not noisy."""


def _unheard(week: str, noisy: Ints) -> None:
    """Look at nothing."""


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
    says of the noise as it ran. `totals`, by week, are empty without a total; `levels` is None without levels. `models`, by week, tell what
    all noisy counts add up to, for a model of every cell; empty where cells are discovered.
    """

    plan: ReleasePlan
    week: npt.NDArray[np.str_]
    cell: dict[str, npt.NDArray[Any]]
    count: Ints
    mechanism: dict[str, Any]
    totals: dict[str, WeekTotal] = field(default_factory=dict)
    levels: PublishedLevels | None = None
    models: dict[str, ModelSums] = field(default_factory=dict)


def secure_release_from_settled_trips(trips: "SettledCells", plan: ReleasePlan) -> SecureRelease:
    """Return the published counts: bounded by a fresh choice of each user's trips, with noise on every cell.

    With an L2 clip the trips of whoever has more than the bound weigh less instead, and only those beyond
    MOST_TRIPS are left to the choice. Trips with an end outside the public zones are not counted, nor against the bound. In a
    week without trips public cells hold noise alone: whether anybody moved in it must not decide whether it is published.
    """
    from privlab.od.releases.release_noise import release_noise_from_parameters

    noise = release_noise_from_parameters(plan.parameters)
    groups = districts_of_zones(plan.levels, plan.zones, trips.zones)
    models: dict[str, ModelSums] = {}
    rows = rows_of_weeks(
        trips,
        plan,
        partial(bounded_counts_from_week, groups=groups),
        noise,
        heard=_models_of(plan, noise.record["scale"], models),
    )
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
        models=models,
    )


def _models_of(plan: ReleasePlan, scale: float, into: dict[str, ModelSums]) -> Heard:
    """Return what looks at all noisy counts of a week and keeps what a model of every public cell needs of them."""
    from privlab.od.releases.release_noise import published_variance

    if plan.zones is None:
        return _unheard
    margins = margins_of_cells(plan.product, len(plan.zones), plan.positions)
    variance = published_variance(plan.parameters.noise, scale)

    def heard(week: str, noisy: Ints) -> None:
        into[week] = ModelSums.from_noisy_counts(noisy, margins, variance)

    return heard


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
    trips: "CountedCells",
    plan: ReleasePlan,
    bounded: Bounded,
    noise: "ReleaseNoise",
    *,
    heard: Heard = _unheard,
) -> WeeksRows:
    """Return every published cell of all weeks. A release hands over its own way to bound and its own noise.

    Trips with an end in a zone of no list are left out before the bound, so that nobody's limit is spent on what is not counted.
    """
    trips = trips.between(plan.zones)

    def counted(week: str) -> tuple[Ints, Ints]:
        return bounded(*trips.week_of(week), trips.zones.size, plan.parameters)

    def total(week: str, public: npt.NDArray[Any]) -> int:
        return trips_in_total(trips.zones, *trips.week_of(week), public, plan.product)

    return _noisy_rows(trips, plan, counted, total, noise, heard)


def secure_release_from_settled_counts(counts: "SettledCounts", plan: ReleasePlan) -> SecureRelease:
    """Return the published counts of what was bounded and counted on a cluster, with noise on every cell.

    The noise is that of secure_release_from_settled_trips. Raises ParameterError for levels.
    """
    from privlab.od.releases.release_noise import release_noise_from_parameters

    if plan.levels:
        raise ParameterError(NO_LEVELS_FROM_COUNTS)
    noise = release_noise_from_parameters(plan.parameters)

    def counted(week: str) -> tuple[Ints, Ints]:
        part = counts.part(week)
        return counts.cell[part], counts.raw[part]

    def total(week: str, public: npt.NDArray[Any]) -> int:
        return int(counts.totals[counts.weeks.index(week)])

    models: dict[str, ModelSums] = {}
    rows = _noisy_rows(counts, plan, counted, total, noise, _models_of(plan, noise.record["scale"], models))
    return SecureRelease(
        plan=plan,
        week=rows.week,
        cell=rows.cell,
        count=rows.count,
        mechanism=noise.record,
        totals=rows.totals,
        models=models,
    )


def _noisy_rows(
    data: "CountedCells | SettledCounts",
    plan: ReleasePlan,
    counted: Callable[[str], tuple[Ints, Ints]],
    total: Callable[[str, npt.NDArray[Any]], int],
    noise: "ReleaseNoise",
    heard: Heard,
) -> WeeksRows:
    """Return every published cell of all weeks, from the bounded counts of each week and its trips in all."""
    ids = data.zones if plan.zones is None else _as_array(plan.zones)
    if data.product is not plan.product:
        raise ParameterError(
            f"product must be that of the data, {data.product.name}, got {plan.product.name!r}."
        )
    parts, totals, sums = [], {}, {}
    for week in plan.weeks:
        cells, raw = _everywhere(data.zones, *counted(week), plan, ids)
        noisy = noise.noisy(raw)
        heard(week, noisy)
        if plan.levels:
            sums[week] = sums_of_week(plan.levels, *np.divmod(cells, ids.size), raw, noisy, noise.noisy_sums)
        keep = published_cells(noisy, plan.parameters.threshold)
        parts.append((cells[keep], noisy[keep]))
        if noise.noisy_total is not None:
            totals[week] = WeekTotal(trips=noise.noisy_total(total(week, ids)), counted=int(noisy.sum()))
    cell, count = (np.concatenate([part[i] for part in parts]) for i in range(2))
    return WeeksRows(
        week=np.repeat(np.asarray(plan.weeks), [part[1].size for part in parts]),
        cell=plan.product.named(cell, ids),
        count=count,
        totals=totals,
        sums=sums,
    )


def _as_array(zones: tuple[Any, ...]) -> npt.NDArray[Any]:
    """Return the ids of a plan's zones, all texts or all numbers, as columns hold them."""
    return np.asarray(zones, dtype=object if any(isinstance(one, str) for one in zones[:1]) else None)


def published_cells(noisy: Ints | npt.NDArray[np.float64], threshold: int) -> npt.NDArray[np.bool_]:
    """Return which noisy counts are published: those not below the threshold, all of them for 0."""
    return np.asarray(noisy >= threshold) if threshold else np.ones(noisy.size, dtype=bool)


def trips_in_total(
    zones: npt.NDArray[Any],
    user: npt.NDArray[np.int32],
    flow: Ints,
    public: npt.NDArray[Any],
    product: Product = FLOWS,
) -> int:
    """Return the trips of a week between public zones, of each user at most TOTAL_CAP. A raw count.

    `flow` is as in SettledCells, over `zones`, cells of the `product`. A user more or less changes it by at most TOTAL_CAP.
    """
    import pandas as pd

    known = np.asarray(pd.Index(zones).isin(public))
    inside = product.inside(flow, zones.size, known)
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
    promise, n_numbers = parameters.guarantee_parameters(1), product_of(parameters.product).n_numbers(n_zones)
    if not isinstance(promise, GaussianParameters):
        counted = flow[_fresh_choice(user, parameters.max_trips_per_user, keys)]
        return cells_and_counts(counted, n_numbers)
    kept = _fresh_choice(user, promise.most_trips, keys)
    user, flow = user[kept], flow[kept]
    cells, cell = cells_and_places(flow, n_numbers)
    units = np.zeros(cells.size, dtype=np.int64)
    np.add.at(units, cell, weights_of_week(user, flow, n_zones, parameters.max_trips_per_user, groups))
    return cells, units


def _fresh_choice(user: npt.NDArray[np.int32], bound: int, keys: Keys) -> npt.NDArray[np.bool_]:
    """Return which trips of a week are counted: of each user at most `bound`, chosen by the system's own source.

    Which trips are kept of one user then tells nothing of another, and no seed could bring the choice back. Where nobody has more
    than the bound there is nothing to choose.
    """
    chosen, n_of_user = np.ones(user.size, dtype=bool), np.bincount(user)
    if not user.size or n_of_user.max() <= bound:
        return chosen
    random = keys(user.size)
    clipped = np.flatnonzero((n_of_user > bound)[user])  # the trips of whoever has more: the others keep all
    of = user[clipped]
    order = _by_user_and_key(of, random[clipped])
    place = np.arange(order.size)
    first = np.ones(order.size, dtype=bool)
    first[1:] = np.diff(of[order]) != 0
    rank = place - np.maximum.accumulate(np.where(first, place, 0))
    chosen[clipped[order]] = kept_under_bound(rank, bound)
    return chosen


def _by_user_and_key(user: npt.NDArray[np.int32], key: npt.NDArray[np.uint64]) -> npt.NDArray[np.intp]:
    """Return the order of users, and of each user's keys: by one number of both, which sorts four times as fast as two.

    Of a key it takes the bits that the users leave free, 40 where there are 16 million of them.
    """
    bits = int(user.max()).bit_length()
    return np.argsort((user.astype(np.uint64) << np.uint64(64 - bits)) | (key >> np.uint64(bits)))


def _everywhere(
    zones: npt.NDArray[Any], cells: Ints, true: Ints, plan: ReleasePlan, ids: npt.NDArray[Any]
) -> tuple[Ints, Ints]:
    """Return the cells that get noise, and their raw counts: all of the product over `ids`, or those found in the data.

    Found are those alone in which a trip was counted: what the limit left out shows nothing of itself, or one person would add more cells
    than the promise knows of.
    """
    if plan.zones is None:
        found = true > 0
        cells, true = cells[found], true[found]
    else:
        product = plan.product
        place = places_of(zones, ids)
        inside = product.inside(cells, zones.size, place >= 0)
        ends, slot = product.ends_and_slot(cells[inside], zones.size)
        known = product.cell_of(tuple(place[end] for end in ends), slot, ids.size)
        cells = product.all_cells(ids.size)
        everywhere = np.zeros(cells.size, dtype=np.int64)
        everywhere[np.searchsorted(cells, known)] = true[inside]
        true = everywhere
    return cells, true.astype(np.int64)
