"""True trips and the plan of a release -> what it can be expected to hold, before any noise is drawn."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.dp.gaussian import TOTAL_CAP, UNITS, GaussianParameters
from privlab.dp.noise import log_noise_tail, noise_tail
from privlab.limits import MAX_MADE_UP_SHARE
from privlab.od.expecting.closeness import integer_counts_above
from privlab.od.expecting.closeness_with_total import close_trips_of_plan
from privlab.od.expecting.level_outlook import LevelOutlook, level_outlooks
from privlab.od.levels.trip_weights import districts_of_zones, weights_of_week
from privlab.od.matrix import (
    ODMatrix,
    UniqueTrips,
    cells_and_places,
    chance_under_bound,
    od_matrix_from_unique_trips,
)
from privlab.od.products import FLOWS
from privlab.od.releases.release_noise import published_half_width, published_noise_tail
from privlab.od.releases.release_plan import ReleasePlan
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.od.trips.flow_counts import FlowCounts, od_matrix_from_flow_counts
from privlab.od.usefulness.estimates import given_back_half_width

if TYPE_CHECKING:
    from privlab.od.settled.settled_counts import SettledCounts
    from privlab.od.settled.settled_trips import SettledCells

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

WORTH_LEVELS = 0.8  # of the error of a sum of cells, below which noise of its own is worth its price
MOST_NOISE_FOR_LEVELS = 1.1
_ALL = 9.0  # standard deviations that no draw is beyond
_RARELY = 0.05  # fewer published flows are expected: in 95 of 100 releases there is none


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseOutlook:
    """What a release is expected to hold, over the noise and the choice under the bound; all weeks together.

    `published` and `made_up` are flows listed, and those of them without a true trip; `published_trips` the
    sum of what is listed, against `true_trips`, the unique trips of the weeks before the bound.
    `largest_true` is the most people in one flow, `half_width` what 95 of 100 draws of noise stay within.
    `complete` says that every public cell is listed, so that none is picked by its noise (threshold 0).
    `counted_trips` is what the limit on trips leaves of the true ones before any noise; `n_weeks` the number of weeks;
    `given_back_half_width` is what 95 of 100 draws of noise move what a week's total gives back by at most, None without a total.
    `product` is what is counted; of visits a "flow" is a zone in an hour, and a "trip" a visit.
    `levels` say what sums of districts are worth, from the lowest up; `noise_of_cells` by how much the noise on a cell, over the
    share of trips that is left, is wider than without levels. `close_trips` is how many true trips lie in counts that are
    published within CLOSE of the truth; with a total, in counts times what gives back what the limit takes.
    """

    threshold: int
    complete: bool
    n_true_flows: int
    published: float
    made_up: float
    true_trips: int
    published_trips: float
    largest_true: int
    half_width: int
    weeks_without_trips: tuple[str, ...]
    counted_trips: float
    n_weeks: int
    given_back_half_width: int | None = None
    product: str = FLOWS.name
    levels: tuple[LevelOutlook, ...] = ()
    noise_of_cells: float = 1.0
    close_trips: float = 0.0

    @property
    def levels_are_worth_it(self) -> bool:
        """Whether sums of some level come at least a fifth nearer the truth, and no flow gets a tenth more noise; False without."""
        nearer = any(one.error < WORTH_LEVELS * one.without_levels for one in self.levels)
        return nearer and self.noise_of_cells < MOST_NOISE_FOR_LEVELS

    @property
    def share_close(self) -> float:
        """Share of the true trips in counts that are published within CLOSE of the truth; 0 without trips."""
        return self.close_trips / self.true_trips if self.true_trips else 0.0

    @property
    def share_taken(self) -> float:
        """Share of the true trips that the limit on trips takes away, before any noise; 0 without trips."""
        return 1 - self.counted_trips / self.true_trips if self.true_trips else 0.0

    @property
    def used_half_width(self) -> int:
        """What 95 of 100 draws of noise stay within on a count as one counts with it: with a total, on the unbiased one."""
        if self.given_back_half_width is None or not self.counted_trips:
            return self.half_width
        return math.ceil(self.half_width * self.true_trips / self.counted_trips)

    @property
    def made_up_share(self) -> float:
        """Share of made-up flows among those listed, by their expected numbers; NaN where none is expected."""
        return self.made_up / self.published if self.published > 0 else float("nan")

    @property
    def nothing_is_published(self) -> bool:
        """Whether hardly anything can be expected to be listed."""
        return self.published <= _RARELY

    @property
    def is_noise(self) -> bool:
        """Whether the release is not worth having: mostly made up, nothing above the noise, or a week without trips."""
        if self.weeks_without_trips:
            return True
        if self.complete:  # nothing is picked by its noise: what matters is whether anything stands out
            return self.largest_true <= self.half_width
        return not self.nothing_is_published and self.made_up_share > MAX_MADE_UP_SHARE


def release_outlook_from_trips(trips: "UniqueTrips | SettledCells", plan: ReleasePlan) -> ReleaseOutlook:
    """Return what a release of these trips is expected to hold.

    Exact where nobody has more trips than the bound, and in every flow of fewer people than the threshold.
    In larger flows of people who do have more, the number that the bound leaves is taken to have a law of its mean and variance.
    """
    scale = _scale(plan)
    groups = districts_of_zones(plan.levels, plan.zones, trips.zones)
    weeks = [
        _week_outlook(*_trips_of(trips, week, plan), trips.zones.size, plan, scale, groups)
        for week in plan.weeks
    ]
    levels: tuple[LevelOutlook, ...] = ()
    wider = 1.0
    if plan.levels:
        levels, wider = level_outlooks(
            [_trips_of(trips, week, plan) for week in plan.weeks], trips.zones, plan, scale
        )
    return _outlook_of_weeks(weeks, plan, levels, wider)


def release_outlook_from_settled_counts(counts: "SettledCounts", plan: ReleasePlan) -> ReleaseOutlook:
    """Return the same from counts of a cluster, made under the law that trip_law_from_parameters gives for this plan.

    It differs from the outlook of the trips by what sums in steps of 1 / FIXED round.
    """
    from privlab.od.settled.settled_counts import FIXED

    known, scale, weeks = _places(counts.zones, plan.zones), _scale(plan), []
    for week in plan.weeks:
        part = counts.part(week)
        inside = plan.product.inside(counts.cell[part], counts.zones.size, known)
        sums = (counts.sums[name][part][inside] / FIXED for name in ("mean", "spread", "growth"))
        total = int(counts.totals[counts.weeks.index(week)])
        weeks.append(_cells_outlook(plan, scale, counts.people[part][inside], *sums, capped_total=total))
    return _outlook_of_weeks(weeks, plan, (), 1.0)


def _scale(plan: ReleasePlan) -> float:
    promise = plan.parameters.guarantee_parameters(1)
    return promise.sigma if isinstance(promise, GaussianParameters) else promise.mechanism.scale


def _outlook_of_weeks(
    weeks: "list[_WeekOutlook]", plan: ReleasePlan, levels: tuple[LevelOutlook, ...], wider: float
) -> ReleaseOutlook:
    parameters, scale = plan.parameters, _scale(plan)
    return ReleaseOutlook(
        threshold=parameters.threshold,
        complete=not parameters.threshold,
        n_true_flows=sum(week.people.size for week in weeks),
        published=sum(week.published for week in weeks),
        made_up=sum(week.made_up for week in weeks),
        true_trips=sum(int(week.people.sum()) for week in weeks),
        published_trips=sum(week.trips for week in weeks),
        largest_true=max(int(week.people.max(initial=0)) for week in weeks),
        half_width=published_half_width(parameters.noise, scale),
        weeks_without_trips=tuple(
            name for name, week in zip(plan.weeks, weeks, strict=True) if not week.people.size
        ),
        counted_trips=sum(week.counted for week in weeks),
        n_weeks=len(plan.weeks),
        given_back_half_width=_given_back_half_width(plan),
        product=plan.product.name,
        levels=levels,
        noise_of_cells=wider,
        close_trips=sum(week.close for week in weeks),
    )


def _given_back_half_width(plan: ReleasePlan) -> int | None:
    promise = plan.parameters.guarantee_parameters(1)
    if not isinstance(promise, GaussianParameters) or not promise.total_units:
        return None
    return given_back_half_width(promise.sigma, promise.total_units, plan.n_cells or 0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _WeekOutlook:
    """One week: the people in each true flow and how many of them count, and the expected numbers of flows, made-up
    ones and trips listed.
    """

    people: Ints
    counted: float
    published: float
    made_up: float
    trips: float
    close: float


def _week_outlook(
    user: npt.NDArray[np.int32],
    flow: Ints,
    n_zones: int,
    plan: ReleasePlan,
    scale: float,
    groups: Sequence[Ints],
) -> _WeekOutlook:
    bound, weighted = plan.parameters.max_trips_per_user, plan.parameters.clip == "l2"
    n_of_user = np.bincount(user)[user] if user.size else user
    counted = (
        weights_of_week(user, flow, n_zones, bound, groups) / UNITS
        if weighted
        else chance_under_bound(n_of_user, bound)
    )
    _, cell = cells_and_places(flow, plan.product.n_numbers(n_zones))
    spread = np.zeros(counted.size) if weighted else counted * (1 - counted)
    growth = (
        np.zeros(counted.size)
        if plan.parameters.noise == "gaussian"
        else np.log1p(counted * np.expm1(1 / scale))
    )
    return _cells_outlook(
        plan,
        scale,
        np.bincount(cell),
        *(_sums(cell, of) for of in (counted, spread, growth)),
        capped_total=int(np.minimum(np.bincount(user), TOTAL_CAP).sum()),
    )


def _cells_outlook(
    plan: ReleasePlan,
    scale: float,
    people: Ints,
    mean: Floats,
    spread: Floats,
    growth: Floats,
    *,
    capped_total: int,
) -> _WeekOutlook:
    """Return the outlook of a week from its true flows, shape (C,): people, and mean, variance and growth of what counts.

    `capped_total` is what a noisy total of the week counts.
    """
    threshold, gaussian = plan.parameters.threshold, plan.parameters.noise == "gaussian"
    n_empty = 0 if plan.n_cells is None else plan.n_cells - people.size
    close = close_trips_of_plan(plan, scale, people, mean, spread, capped_total=capped_total)
    if not threshold:
        return _WeekOutlook(
            people=people,
            counted=float(mean.sum()),
            published=people.size + n_empty,
            made_up=n_empty,
            trips=float(mean.sum()),
            close=close,
        )
    if gaussian:
        found = _gaussian_outlook(people, mean, spread, n_empty, threshold, scale)
        return replace(found, close=close)
    passes, sums = _listed(people, mean, spread, growth, threshold, scale)
    made_up = n_empty * float(noise_tail("integer", scale, threshold))
    return _WeekOutlook(
        people=people,
        counted=float(mean.sum()),
        published=float(passes.sum()) + made_up,
        made_up=made_up,
        trips=float(sums.sum()) + made_up * (threshold + _overshoot(scale)),
        close=close,
    )


def _gaussian_outlook(
    people: Ints, mean: Floats, spread: Floats, n_empty: int, threshold: int, sigma: float
) -> _WeekOutlook:
    """Return the same for Gaussian noise of `sigma` units; counts with noise are taken to be normal."""
    passes, sums = _normal_above(mean, np.sqrt(spread + (sigma / UNITS) ** 2), threshold)
    made_up = n_empty * float(published_noise_tail("gaussian", sigma, threshold))
    _, empty = _normal_above(np.zeros(1), np.full(1, sigma / UNITS), threshold)
    return _WeekOutlook(
        people=people,
        counted=float(mean.sum()),
        published=float(passes.sum()) + made_up,
        made_up=made_up,
        trips=float(sums.sum() + n_empty * empty.sum()),
        close=0.0,
    )


def _normal_above(mean: Floats, deviation: Floats, threshold: int) -> tuple[Floats, Floats]:
    """Return P(k ≥ threshold) and E[k; k ≥ threshold] for k, a normal number rounded to a whole one, elementwise.

    By Euler and Maclaurin; where less than a trip of noise is left, count by count up to where all counts pass.
    """
    z = (threshold - 0.5 - mean) / deviation
    passes = scipy.special.ndtr(-z)
    density = np.exp(-z * z / 2) / (math.sqrt(2 * math.pi) * deviation)
    rounding = 1 / 12 - (z * z - 1) / (720 * deviation**2)
    above = mean * passes + (deviation**2 + rounding) * density
    narrow = (deviation < 1) & (z > -_ALL)
    if narrow.any():
        far = mean[narrow] + 0.5 - threshold
        tails = sum(scipy.special.ndtr((far - j) / deviation[narrow]) for j in range(1, 2 * int(_ALL) + 2))
        above[narrow] = threshold * passes[narrow] + tails
    return passes, above


def _sums(cell: Ints, of: npt.NDArray[np.float64]) -> Floats:
    return np.bincount(cell, weights=of).astype(np.float64)


def _trips_of(
    trips: "UniqueTrips | SettledCells", week: str, plan: ReleasePlan
) -> tuple[npt.NDArray[np.int32], Ints]:
    """Return user and flow of what a release of the plan counts in a week: what a list of zones leaves out, it does before the bound."""
    if week not in trips.weeks:
        return trips.user[:0], trips.flow[:0]
    index = trips.weeks.index(week)
    part = slice(int(trips.week_starts[index]), int(trips.week_starts[index + 1]))
    user, flow = trips.user[part], trips.flow[part]
    keep = plan.product.between(flow, trips.zones, plan.zones)
    return (user, flow) if keep.all() else (user[keep], flow[keep])


def _places(zones: npt.NDArray[Any], public: Sequence[Any] | None) -> npt.NDArray[np.bool_]:
    """Return which zones are counted, shape (Z,)."""
    import pandas as pd

    if public is None:
        return np.ones(zones.size, dtype=bool)
    return np.asarray(pd.Index(zones).isin(list(public)))


def _overshoot(scale: float) -> float:
    """Return by how much noise that reaches a value from 1 on passes it on average: a/(1 − a), a = e^{−1/scale}."""
    return float(1 / np.expm1(1 / scale))


def _listed(
    people: Ints, mean: Floats, spread: Floats, growth: Floats, threshold: int, scale: float
) -> tuple[Floats, Floats]:
    """Return for each flow the chance that it is listed, and the expected count that it adds.

    Below the threshold the chance is E[a^(τ−B)]/(1+a) for the number B that the bound leaves, and E[a^(−B)] is
    a product over the people: `growth` is its logarithm. There the count exceeds τ by `_overshoot`.
    """
    chance = np.exp(np.minimum(growth - threshold / scale, 0)) * noise_tail("integer", scale, 0)
    sums = chance * (threshold + _overshoot(scale))
    large = people >= threshold
    chance[large], sums[large] = integer_counts_above(
        people[large], mean[large], spread[large], scale=scale, threshold=threshold
    )
    return chance, sums


def largest_flow_if_nothing_is_published(
    trips: UniqueTrips | FlowCounts, parameters: ReleaseParameters, *, week: str, group_size: int | None
) -> int | None:
    """Return the people in the largest true flow if nothing of the data would be published, else None."""
    counted = _counts(trips, week, group_size, parameters.max_trips_per_user)
    true = _counts(trips, week, group_size, None)
    return largest_if_nothing_is_published(true.count, counted.count, parameters)


def largest_if_nothing_is_published(people: Ints, counted: Ints, parameters: ReleaseParameters) -> int | None:
    """Return the same from the people in each flow, and those of them whom the bound counts."""
    largest, times = np.unique(counted, return_counts=True)
    if largest.size and largest[-1] >= parameters.threshold:
        return None
    scale = parameters.mechanism.scale
    expected = sum(
        n * math.exp(log_noise_tail(parameters.noise, scale, parameters.threshold - int(count)))
        for count, n in zip(largest, times.tolist(), strict=True)
    )
    if expected > _RARELY:
        return None
    return int(people.max(initial=0))


def _counts(
    trips: UniqueTrips | FlowCounts, week: str, group_size: int | None, bound: int | None
) -> ODMatrix:
    if isinstance(trips, FlowCounts):  # names nobody: there is no group and no bound
        return od_matrix_from_flow_counts(trips, week=week)
    return od_matrix_from_unique_trips(trips, week=week, group_size=group_size, max_trips_per_user=bound)
