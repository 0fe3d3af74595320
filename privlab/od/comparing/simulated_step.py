"""One step of the search for the best release, drawn once with a seed: its published column, beside what was expected of it.

A simulation by the very steps of a release, only that chance comes from a generator. docs/science.md, section 5.10.
"""

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_between
from privlab.defaults import CLOSE, USUAL_DELTA
from privlab.dp.gaussian import GaussianParameters
from privlab.dp.noise import half_width
from privlab.dp.promise import guarantee_from_gaussian_parameters, guarantee_from_parameters
from privlab.od.combining.combinations import Combination, combination_of_parameters
from privlab.od.levels.levels import Level
from privlab.od.levels.trip_weights import districts_of_zones
from privlab.od.matrix import Ints, ODMatrix, UniqueTrips, kept_under_bound, od_matrix_from_unique_trips
from privlab.od.products import FLOWS
from privlab.od.releases.rehearsed_release import seeded_steps
from privlab.od.releases.release_noise import published_variance
from privlab.od.releases.release_plan import SecureReleaseParameters
from privlab.od.releases.secure_release import WeekTotal, published_cells
from privlab.od.simulating.simulated_release import NOISE_OF_ONE_WEEK, ReleaseParameters, SimulatedRelease
from privlab.od.simulating.simulated_review import ReleaseReview
from privlab.od.simulating.week_draw import WeekDraw, drawn_week
from privlab.od.smoothing.margins import ZonePositions, margins_of_cells
from privlab.od.smoothing.week_model import smoothed_counts
from privlab.od.usefulness.utility import (
    FlowComparison,
    distance_decay_from_flow_comparison,
    utility_from_flow_comparison,
)
from privlab.od.weighing.mechanism_steps import AGREED, SMOOTHED, TOTAL, parameters_of_step
from privlab.od.weighing.weighed_week import WeighedWeek, weighed_week_from_unique_trips
from privlab.od.weighing.weighted_counts import trips_of_group
from privlab.seeds import generator

Floats = npt.NDArray[np.float64]

_WEEK = "week"  # the one that is drawn
_COLUMNS = {
    TOTAL: "unbiased_count",
    AGREED: "agreed_count",
    SMOOTHED: "smoothed_count",
}  # as a release calls them


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRequest:
    """A step by its `name`, one of STEPS, at this bound and threshold: (`epsilon`, `delta`) to all that a person does in a week.

    `tolerance` is the share by which a published flow may be off and still be near the truth. With `cells` "discovered" noise goes to the
    flows found in the data alone; then the threshold is at least 1.
    """

    name: str
    epsilon: float
    max_trips_per_user: int
    threshold: int
    delta: float = USUAL_DELTA
    tolerance: float = CLOSE
    cells: str = "public"

    def __post_init__(self) -> None:
        """Check every field, by the release that the step stands for."""
        require_between("tolerance", self.tolerance, 0, 1)
        self.parameters  # noqa: B018

    @property
    def parameters(self) -> SecureReleaseParameters:
        """The release that the step stands for."""
        found = parameters_of_step(
            self.name,
            epsilon=self.epsilon,
            delta=self.delta,
            bound=self.max_trips_per_user,
            threshold=self.threshold,
        )
        return replace(found, cells=self.cells)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimulatedStep:
    """What one draw of a step publishes, in the column that it is judged by, and what was `expected` of it before.

    `review` compares that column with the truth; what the limit leaves is there multiplied by what a total gives back. `within`
    is the share of all trips that this draw has in flows within the tolerance; `total` the noisy total, None without one.
    """

    expected: Combination
    review: ReleaseReview
    within: float
    total: WeekTotal | None

    @property
    def delta(self) -> float:
        """The δ beside ε of a person's week: of Gaussian noise, and of flows that nobody knew without the data."""
        promise = self.expected.parameters.guarantee_parameters(1)
        week = (
            guarantee_from_gaussian_parameters(promise)
            if isinstance(promise, GaussianParameters)
            else guarantee_from_parameters(promise)
        ).user_week
        assert week is not None  # there is a limit
        return week.delta

    @property
    def half_width(self) -> int:
        """Trips by which a published count is off by noise at most, 95% of the time: of integer noise by its own law, which has wider tails."""
        promise = self.expected.parameters.guarantee_parameters(1)
        if not isinstance(promise, GaussianParameters):
            return half_width(promise.mechanism.scale)
        return math.ceil(NormalDist().inv_cdf(0.975) * self.expected.noise_deviation)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountedStep:
    """What a step counts of a week before any noise: the same for every ε and threshold. Raw counts of true data.

    `found` (C,) are the cells with a counted trip, `raw` (C,) what the noise goes to, as bounded_counts_from_week returns both; `weighed`
    is the week as it is expected to be left, `true` its counts. `chance` stands where the noise is drawn from next.
    """

    weighed: WeighedWeek
    found: Ints
    raw: Ints
    true: ODMatrix
    districts: tuple[Ints, ...]
    chance: np.random.Generator


def counted_step_from_unique_trips(
    trips: UniqueTrips,
    request: StepRequest,
    *,
    week: str,
    group_size: int | None = None,
    levels: Sequence[Level] = (),
    positions: ZonePositions | None = None,
    seed: int,
) -> CountedStep:
    """Return what a step counts, for a group or everybody. Of the request its name, limit and cells matter, nothing else.

    Arguments and errors are those of simulated_step_from_unique_trips.
    """
    parameters = request.parameters
    used = tuple(levels[: parameters.levels])
    if len(used) < parameters.levels:
        raise ParameterError(
            f"mechanism must be one without sums of districts where zones are few or have no positions, got {request.name!r}."
        )
    weighed = weighed_week_from_unique_trips(
        trips,
        week=week,
        group_size=group_size,
        levels=used,
        positions=positions,
        bounds=[request.max_trips_per_user],
    )
    promise, rng = _promise(parameters), generator(seed, NOISE_OF_ONE_WEEK)
    user, flow, rank = trips_of_group(trips, week=week, group_size=group_size)
    most = promise.most_trips if isinstance(promise, GaussianParameters) else parameters.max_trips_per_user
    kept = kept_under_bound(rank, most)
    districts = tuple(districts_of_zones(used, tuple(trips.zones.tolist()), trips.zones))
    steps = seeded_steps(parameters, rng, districts)
    found, raw = steps.bounded(user[kept].astype(np.int32), flow[kept], trips.zones.size, parameters)
    return CountedStep(
        weighed=replace(weighed, only_found=parameters.cells == "discovered"),
        found=found,
        raw=raw,
        true=od_matrix_from_unique_trips(trips, week=week, group_size=group_size),
        districts=districts,
        chance=rng,
    )


def simulated_step_from_unique_trips(
    trips: UniqueTrips,
    request: StepRequest,
    *,
    week: str,
    group_size: int | None = None,
    levels: Sequence[Level] = (),
    positions: ZonePositions | None = None,
    lat: Floats,
    lon: Floats,
    seed: int,
) -> SimulatedStep:
    """Return one draw of a step for a group or everybody; `lat`, `lon` (Z,) in degrees are those of the trips' zones, NaN where unknown.

    `positions` are those a release would publish, by which smoothed counts know the distance between zones; None leaves it out.

    Raises DataError where nobody in the group made a trip, ParameterError for too many cells, or for sums of districts without
    `levels`.
    """
    counted = counted_step_from_unique_trips(
        trips, request, week=week, group_size=group_size, levels=levels, positions=positions, seed=seed
    )
    return simulated_step_from_counted_step(counted, request, trips.zones, week=week, lat=lat, lon=lon)


def simulated_step_from_counted_step(
    counted: CountedStep,
    request: StepRequest,
    zones: npt.NDArray[Any],
    *,
    week: str,
    lat: Floats,
    lon: Floats,
) -> SimulatedStep:
    """Return one draw of a step whose trips are counted, over the `zones` (Z,) of these; `lat`, `lon` (Z,) in degrees, NaN where unknown."""
    parameters = request.parameters
    draw, left = _drawn(counted, zones, parameters)
    shown = published_cells(draw.noisy, request.threshold)
    published = _column(request.name, draw, shown, parameters, counted.weighed.positions)
    flows = _compared(draw, left, counted.true, shown, published)
    release = SimulatedRelease(
        zones=zones,
        week=week,
        parameters=_promise(parameters),
        flow=draw.cells[shown],
        count=published,
        n_cells=draw.cells.size,
        noisy=draw.noisy[shown].astype(np.float64) if request.name in _COLUMNS else None,
        column=_COLUMNS.get(request.name, ""),
    )
    return SimulatedStep(
        expected=combination_of_parameters(
            counted.weighed, request.name, parameters, tolerance=request.tolerance
        ),
        review=ReleaseReview(
            release=release,
            flows=flows,
            utility=utility_from_flow_comparison(flows),
            decay=distance_decay_from_flow_comparison(flows, lat, lon),
            n_users=counted.true.n_users,
        ),
        within=flows.share_within(request.tolerance),
        total=draw.total,
    )


def _promise(parameters: SecureReleaseParameters) -> ReleaseParameters | GaussianParameters:
    promise = parameters.guarantee_parameters(1)
    if isinstance(promise, GaussianParameters):
        return promise
    return ReleaseParameters(
        epsilon=parameters.epsilon,
        threshold=parameters.threshold,
        max_trips_per_user=parameters.max_trips_per_user,
        noise="integer",
    )


def _drawn(
    counted: CountedStep, zones: npt.NDArray[Any], parameters: SecureReleaseParameters
) -> tuple[WeekDraw, Floats]:
    """Draw the noise once, and say what the limit left of each cell, in trips; which trips it keeps goes by the random order of all pages."""
    noise = seeded_steps(parameters, copy.deepcopy(counted.chance), counted.districts).noise
    cells = counted.found if parameters.cells == "discovered" else FLOWS.all_cells(zones.size)
    units = np.zeros(cells.size, dtype=np.int64)
    units[np.searchsorted(cells, counted.found)] = counted.raw
    draw = drawn_week(
        _WEEK,
        cells,
        units,
        noise,
        zones,
        bound=parameters.max_trips_per_user,
        levels=counted.weighed.levels,
        capped_total=counted.weighed.capped_total,
    )
    return draw, units / noise.units


def _column(
    name: str,
    draw: WeekDraw,
    shown: npt.NDArray[np.bool_],
    parameters: SecureReleaseParameters,
    positions: ZonePositions | None,
) -> Floats:
    """Return what a step is judged by, of the published cells: beside the noisy counts stands what is made of them."""
    if draw.levels is not None:
        return draw.agreed(shown)
    if name != SMOOTHED:
        return np.asarray(draw.noisy[shown] * draw.ratio, dtype=np.float64)
    variance = published_variance(parameters.noise, draw.scale)
    margins = margins_of_cells(FLOWS, draw.n_zones, positions)
    return smoothed_counts(draw.noisy, margins, variance, shown)[shown] * draw.ratio


def _compared(
    draw: WeekDraw, left: Floats, true: ODMatrix, shown: npt.NDArray[np.bool_], published: Floats
) -> FlowComparison:
    """Return the counts of every cell that has a true flow or is published.

    Where noise goes to found cells alone, those whose every trip the limit takes are none of them.
    """
    cells = np.union1d(draw.cells, true.flow)
    drawn = np.searchsorted(cells, draw.cells)
    people, bounded, read = np.zeros(cells.size), np.zeros(cells.size), np.full(cells.size, np.nan)
    people[np.searchsorted(cells, true.flow)] = true.count
    bounded[drawn] = left * draw.ratio
    read[drawn[shown]] = published
    there = np.isfinite(read) | (people > 0)
    return FlowComparison(
        flow=cells[there], true=people[there], bounded=bounded[there], published=read[there]
    )
