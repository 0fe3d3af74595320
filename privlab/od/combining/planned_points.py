"""Unique trips of a week and what a steward accepts → every release worth looking at, by each kind of noise.

Integer noise as in planning; Gaussian noise on weighted trips, with a noisy total and without. Figures of true data: the choice is
made by looking at it. Of flows found in the data the threshold is one that costs no δ beyond that of the noise.
docs/science.md, section 5.12.
"""

from dataclasses import replace

from privlab.checks import DataError
from privlab.dp.gaussian import GaussianParameters, accuracy_at_most, least_threshold
from privlab.limits import MAX_SECURE_CELLS
from privlab.od.combining.combinations import CombinationRequest, step_law
from privlab.od.matrix import UniqueTrips
from privlab.od.planning.planner import (
    EPSILONS,
    MAX_PLANNED_DELTA,
    NO_BOUND_WITHOUT_USERS,
    points_from_unique_trips,
)
from privlab.od.planning.wishes_and_points import ANY_NOISE, PlanPoint, PlanRequest
from privlab.od.trips.flow_counts import FlowCounts
from privlab.od.weighing.expected_counts import (
    expected_made_up,
    expected_within,
    totals_needed,
    with_threshold,
)
from privlab.od.weighing.mechanism_steps import TOTAL, WEIGHTED
from privlab.od.weighing.weighed_week import WeighedWeek, week_with_like_cells, weighed_week_from_unique_trips
from privlab.progress import UNHEARD, Progress

NO_PUBLIC_ZONES = (
    "The zones are known from the data only, and Gaussian noise has to go to every pair of zones that was known without it. "
    "Is there a box, a zone file or a list of zone positions?"
)
TOO_MANY_ZONES = f"{{n_zones:,}} zones have more than the {MAX_SECURE_CELLS:,} pairs that get noise one by one. Take larger zones, or integer noise."
# All trips weighted leave more of each flow than L of them at random, for the same noise: those are not looked at. Sums of districts
# cost the flows a little, and serve other questions.
SEARCHED = (WEIGHTED, TOTAL)


def reason_against_gaussian_plan(request: PlanRequest, *, is_public: bool, n_zones: int) -> str | None:
    """Return why no release with Gaussian noise can be planned; None if one can be. `is_public`: zones are known without the data."""
    if request.cells != "public":
        return None
    if n_zones * (n_zones - 1) > MAX_SECURE_CELLS:
        return TOO_MANY_ZONES.format(n_zones=n_zones)
    return None if is_public else NO_PUBLIC_ZONES


def planned_points_from_unique_trips(
    trips: UniqueTrips | FlowCounts,
    request: PlanRequest,
    *,
    week: str,
    is_public: bool,
    group_size: int | None = None,
    progress: Progress = UNHEARD,
) -> tuple[PlanPoint, ...]:
    """Return every release that keeps made-up cells rare, whatever the other wishes: all with integer noise, and with Gaussian
    noise for each ε those about the bound that serves best.

    Parameters
    ----------
    request : PlanRequest
        With noise "any", Gaussian noise is left out where it cannot be had.
    week : str
        Its Monday.
    is_public : bool
        Whether the zones are known without the data.
    group_size : int, optional
        So many users of the random order are in the release, by default all.

    Raises
    ------
    DataError
        If the data names no users or has no trip in the week, or Gaussian noise was asked for and cannot be had.
    """
    if isinstance(trips, FlowCounts):
        raise DataError(NO_BOUND_WITHOUT_USERS)
    reason = reason_against_gaussian_plan(request, is_public=is_public, n_zones=trips.zones.size)
    if request.noise == "integer" or (request.noise == ANY_NOISE and reason is not None):
        return points_from_unique_trips(trips, request, week=week, group_size=group_size, progress=progress)
    if reason is not None:
        raise DataError(reason)
    points: tuple[PlanPoint, ...] = ()
    if request.noise == ANY_NOISE:
        points = points_from_unique_trips(
            trips, request, week=week, group_size=group_size, progress=progress.part(0.0, 0.3)
        )
    weighed = weighed_week_from_unique_trips(
        trips, week=week, group_size=group_size, progress=progress.part(0.3, 0.6)
    )
    if request.cells != "public":
        weighed = replace(weighed, only_found=True)
    return points + gaussian_points_from_weighed_week(weighed, request, progress=progress.part(0.6, 1.0))


def gaussian_points_from_weighed_week(
    week: WeighedWeek, request: PlanRequest, *, progress: Progress = UNHEARD
) -> tuple[PlanPoint, ...]:
    """Return releases with Gaussian noise, at every ε those about the bound that serves best."""
    points = []
    weeks = _WeeksByBound(week)
    searched = SEARCHED if request.cells == "public" else (WEIGHTED,)  # a total is one of public cells
    for i, name in enumerate(searched):
        row = len(week.bounds) // 2
        for column, epsilon in enumerate(EPSILONS):
            done = (i + column / len(EPSILONS)) / len(searched)
            progress.tell(done, "Trying every ε with Gaussian noise")
            found = _about_best(weeks, request, name, epsilon, row)
            row = max(found, key=lambda one: found[one].utility, default=row)
            points += [found[one] for one in sorted(found)]
    return tuple(points)


class _WeeksByBound:
    """A week under each of its bounds, like cells put together, made when it is asked for."""

    def __init__(self, week: WeighedWeek) -> None:
        self.n_bounds = len(week.bounds)
        self._week, self._made = week, dict[int, WeighedWeek]()

    def __getitem__(self, row: int) -> WeighedWeek:
        if row not in self._made:
            self._made[row] = week_with_like_cells(self._week, row)
        return self._made[row]


def _about_best(
    weeks: _WeeksByBound, request: PlanRequest, name: str, epsilon: float, start: int
) -> dict[int, PlanPoint]:
    """Return releases by the row of their bound: from the best bound of the ε before, uphill. Use rises with the bound and falls again.

    None with bounds for which no threshold keeps made-up cells rare.
    """
    tried: dict[int, PlanPoint | None] = {}

    def use(row: int) -> float:
        if row not in tried:
            tried[row] = _point(weeks[row], request, name, epsilon)
        point = tried[row]
        return -1.0 if point is None else point.utility

    best = start
    while True:
        around = [row for row in (best, best - 1, best + 1) if 0 <= row < weeks.n_bounds]
        higher = max(around, key=use)
        if use(higher) <= use(best):
            break
        best = higher
    return {row: point for row, point in tried.items() if point is not None}


def _point(week: WeighedWeek, request: PlanRequest, name: str, epsilon: float) -> PlanPoint | None:
    """Return a release under the only bound of a week; None where no threshold keeps made-up cells rare."""
    asked = CombinationRequest(
        epsilon=epsilon,
        delta=MAX_PLANNED_DELTA,
        tolerance=request.tolerance,
        max_made_up=request.max_made_up,
    )
    found = step_law(week, asked, name, 0)
    if found is None:
        return None
    parameters, law = found
    if request.cells != "public":
        promise = parameters.guarantee_parameters(request.weeks)
        assert isinstance(promise, GaussianParameters)
        least = least_threshold(promise, sigma=law.scale)
        if least is None:
            return None
        law = with_threshold(week, law, max(law.threshold, least))
        parameters = replace(parameters, threshold=law.threshold, cells=request.cells)
    promise = parameters.guarantee_parameters(request.weeks)
    assert isinstance(promise, GaussianParameters)
    return PlanPoint(
        epsilon=epsilon,
        max_trips_per_user=parameters.max_trips_per_user,
        threshold=law.threshold,
        accuracy=accuracy_at_most(promise, sigma=law.scale),
        utility=expected_within(
            week.people, law, request.tolerance, n_totals=totals_needed(law, request.tolerance)
        ),
        clipped=max(1 - law.counted / law.sum_of(week.people), 0.0),
        made_up=expected_made_up(week, law, law.threshold),
        delta=parameters.delta,
        mechanism=name,
        noise=parameters.noise,
        clip=parameters.clip,
        total_share=parameters.total_share,
        sigma=law.scale,
        cells=request.cells,
    )
