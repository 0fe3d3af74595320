"""Trips and what a steward accepts → what to publish, and why. True data: for the steward alone.

The page Plan and the command `plan` come through here.
"""

from collections.abc import Mapping, Sequence

from privlab.checks import DataError
from privlab.defaults import USUAL_BOUND
from privlab.dp.composing import WeeklyNoise, weekly_noises
from privlab.lab.loading.load import ORDER_SEED
from privlab.limits import MAX_PUBLISHED_CELLS
from privlab.od import UniqueTrips
from privlab.od.planning import (
    NO_BOUND_WITHOUT_USERS,
    Advice,
    PlanPoint,
    PlanRequest,
    advice_from_points,
    bounded_cells_from_trip_tables,
    points_from_bounded_cells,
)
from privlab.od.trips import FlowCounts, TripTables, busiest_week_of_tables
from privlab.progress import UNHEARD, Progress

NO_GAUSSIAN_ON_CLUSTER = (
    "On a cluster releases with integer noise are planned, none with Gaussian noise yet. "
    "Take noise integer, or the engine duckdb."
)


def reason_against_plan(trips: UniqueTrips | FlowCounts) -> str | None:
    """Return why no release can be planned of these trips, whatever is wished; None if one can be."""
    return NO_BOUND_WITHOUT_USERS if isinstance(trips, FlowCounts) else None


def plan_points_from_trips(
    trips: UniqueTrips | FlowCounts | TripTables,
    request: PlanRequest,
    *,
    is_public: bool,
    week: str | None = None,
    group_size: int | None = None,
    progress: Progress = UNHEARD,
) -> tuple[PlanPoint, ...]:
    """Return every release that could be made of a week, by default the busiest, whatever the wishes.

    `is_public` says that the zones are known without the data. Tables are counted where they
    are stored, as on a cluster, with integer noise only. Raises DataError if the data names no users, has no trip in the week,
    or if Gaussian noise was asked for and cannot be had.
    """
    if isinstance(trips, TripTables):
        if request.noise == "gaussian":
            raise DataError(NO_GAUSSIAN_ON_CLUSTER)
        progress.tell(0.0, "Counting under every bound")
        cells = bounded_cells_from_trip_tables(
            trips, week=week or busiest_week(trips), group_size=group_size, seed=ORDER_SEED
        )
        return points_from_bounded_cells(cells, request, progress=progress)
    from privlab.od.combining import planned_points_from_unique_trips

    return planned_points_from_unique_trips(
        trips,
        request,
        week=week or busiest_week(trips),
        is_public=is_public,
        group_size=group_size,
        progress=progress,
    )


def most_useful_point(points: Sequence[PlanPoint], epsilon: float) -> PlanPoint | None:
    """Return the release of most expected use among those at the ε that lies next below, or at the least; None if none is of any use.

    Next below, since its limit and threshold keep false flows as rare and δ as small at the larger ε, which has less noise.
    Of no use is one that is expected to leave less than USELESS of all trips near the truth.
    """
    from privlab.od.combining import USELESS

    tried = sorted({point.epsilon for point in points})
    if not tried:
        return None
    below = max((one for one in tried if one <= epsilon), default=tried[0])
    best = max((point for point in points if point.epsilon == below), key=lambda point: point.utility)
    return best if best.utility >= USELESS else None


def advice_from_plan_points(points: tuple[PlanPoint, ...], request: PlanRequest) -> Advice:
    """Return which of the releases satisfy the wishes, and which of these is recommended."""
    return advice_from_points(points, request)


def busiest_week(trips: UniqueTrips | FlowCounts | TripTables) -> str:
    """Return the Monday of the week with most trips."""
    if isinstance(trips, TripTables):
        return busiest_week_of_tables(trips)
    return trips.weeks[trips.busiest_week]


def noises_of_year(
    bounds: Mapping[str, int], total_epsilon: float, *, delta: float, weeks: int
) -> tuple[WeeklyNoise, ...]:
    """Return the noise of each of many weekly releases that together may cost a person so much, most noise first.

    By each law under its bound in `bounds`, as `bounds_of_year` finds them.
    """
    found = [
        one
        for law, bound in bounds.items()
        for one in weekly_noises(total_epsilon, delta, max_trips_per_user=bound, weeks=weeks)
        if one.noise == law
    ]
    return tuple(sorted(found, key=lambda one: -one.deviation))


def bounds_of_year(advice: Advice) -> dict[str, int]:
    """Return the bound L that a year of releases is worked out for, by the law of the noise.

    A law of which nothing was planned has the other's.
    """
    found = {law: _bound_of_law(advice, law) for law in ("integer", "gaussian")}
    usual = next((bound for bound in found.values() if bound is not None), USUAL_BOUND)
    return {law: usual if bound is None else bound for law, bound in found.items()}


def _bound_of_law(advice: Advice, law: str) -> int | None:
    alone = advice_from_points(tuple(one for one in advice.points if one.noise == law), advice.request)
    best = alone.recommended or alone.best_allowed or alone.least_risky
    return None if best is None else best.max_trips_per_user


def use_of_year(
    trips: UniqueTrips | FlowCounts,
    noises: Sequence[WeeklyNoise],
    *,
    week: str,
    group_size: int | None = None,
    max_made_up: float,
) -> tuple[float, ...]:
    """Return what each week of a year ahead would leave, if it were like this week: one share of trips for each noise.

    False flows are kept to `max_made_up` of those published, as in the plan of one week. Nothing is returned where it is not worked
    out: for counts without users, and for more than MAX_PUBLISHED_CELLS flows.
    """
    from privlab.od.comparing import use_of_weekly_noises

    if isinstance(trips, FlowCounts) or trips.zones.size * (trips.zones.size - 1) > MAX_PUBLISHED_CELLS:
        return ()
    return use_of_weekly_noises(trips, noises, week=week, group_size=group_size, max_made_up=max_made_up)
