"""What a steward accepts → ε, contribution bound and threshold of a secure release, with what they cost.

Chooses among the releases of plan_points.py. The advice looks at true data: it is for the steward and not
for publication.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from privlab.dp.certainty import greatest_chance_above
from privlab.dp.statements import certain_words
from privlab.od.flow_counts import FlowCounts
from privlab.od.matrix import UniqueTrips
from privlab.od.plan_points import PlanPoint, PlanRequest, points_from_unique_trips

_CERTAINTIES = (0.75, 0.95)  # said of a plan when no wish names one


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """All points that keep made-up cells rare, those nobody beats, and what is recommended, None if nothing is.

    `frontier` ascends in accuracy and in utility. `recommended` is the feasible point with the least
    accuracy; `neighbours` are one step away in ε or in the bound. `best_allowed` is the most useful point
    within the accepted accuracy, `least_risky` the least accurate of sufficient utility; None if there is none.
    """

    request: PlanRequest
    points: tuple[PlanPoint, ...]
    frontier: tuple[PlanPoint, ...]
    recommended: PlanPoint | None
    neighbours: tuple[PlanPoint, ...]
    best_allowed: PlanPoint | None
    least_risky: PlanPoint | None

    @property
    def feasible(self) -> tuple[PlanPoint, ...]:
        """The points that satisfy both wishes."""
        return tuple(
            point for point in self.points if _allowed(point, self.request) and _useful(point, self.request)
        )

    @property
    def statement(self) -> str:
        """What to do, or why nothing can be done, in a sentence."""
        wish, best, least = self.request, self.best_allowed, self.least_risky
        if self.recommended is not None:
            one = self.recommended
            return (
                f"With ε = {one.epsilon:g}, at most {one.max_trips_per_user:,} trips per user and week and the "
                f"threshold {one.threshold:,}, nobody is guessed right in more than {_up(one.accuracy)} of cases "
                f"(a coin: 50), and {_down(one.utility)} of all trips are expected in flows within "
                f"{wish.tolerance * 100:g} % of the truth. {certainty_sentence(one, wish)}{_delta_sentence(one, wish)}"
            )
        words = (
            "Nothing satisfies both wishes." if wish.max_cases is None else "Nothing satisfies all wishes."
        )
        if best is not None:
            at_most = f"{_up(wish.max_accuracy)} accuracy"
            if wish.max_certainty is not None and wish.max_cases is not None:
                at_most += f", and more than {100 * wish.max_certainty:g} % certain in {_up(wish.max_cases)} of cases,"
            words += f" With at most {at_most} the utility reaches {_down(best.utility)}."
        else:
            words += f" With at most {_up(wish.max_accuracy)} accuracy nothing useful is left of any release tried."
        if least is not None:
            words += f" A utility of {_down(wish.min_utility)} costs an accuracy of {_up(least.accuracy)}."
            words += f" {certainty_sentence(least, wish)}"
        return words


def certainty_sentence(point: PlanPoint, request: PlanRequest) -> str:
    """Return how certain an attacker becomes of anybody under a release: the mean accuracy does not tell it."""
    levels = _CERTAINTIES if request.max_certainty is None else (request.max_certainty,)
    said = [certain_words(certain_share(point, request.weeks, above), above) for above in levels]
    return f"An attacker {', and '.join(said)} of someone who is in and whose flows are all published."


def _delta_sentence(point: PlanPoint, request: PlanRequest) -> str:
    """Return what flows found in the data cost; empty for public cells."""
    if request.cells == "public":
        return ""
    return (
        f" Only flows found in the data are published: with a chance of {point.delta:.1g} (δ) whatever is promised does "
        "not hold."
    )


def certain_share(point: PlanPoint, weeks: int, above: float) -> float:
    """Return how often, at most, an attacker ends more than `above` certain of someone who is in."""
    bound = point.max_trips_per_user
    return min(
        greatest_chance_above("integer", point.epsilon / bound, bound * weeks, above) + point.delta, 1.0
    )


def _up(share: float) -> str:
    """Say a risk in per cent, never rounded down."""
    return f"{math.ceil(share * 1000 - 1e-9) / 10:.1f} %"


def _down(share: float) -> str:
    """Say a utility in per cent, never rounded up."""
    return f"{math.floor(share * 1000 + 1e-9) / 10:.1f} %"


def advice_from_unique_trips(
    trips: UniqueTrips | FlowCounts, request: PlanRequest, *, week: str, group_size: int | None = None
) -> Advice:
    """Return what to publish so that both wishes hold, from the data of one week.

    Raises DataError if the data names no users or has no trip in the week.
    """
    return advice_from_points(
        points_from_unique_trips(trips, request, week=week, group_size=group_size), request
    )


def _allowed(point: PlanPoint, request: PlanRequest) -> bool:
    return point.accuracy <= request.max_accuracy and not too_certain(point, request)


def too_certain(point: PlanPoint, request: PlanRequest) -> bool:
    """Return whether a release makes an attacker certain more often than is accepted."""
    if request.max_certainty is None or request.max_cases is None:
        return False
    return certain_share(point, request.weeks, request.max_certainty) > request.max_cases


def _useful(point: PlanPoint, request: PlanRequest) -> bool:
    return point.utility >= request.min_utility


def advice_from_points(points: tuple[PlanPoint, ...], request: PlanRequest) -> Advice:
    """Return which of the points satisfy both wishes and which of these is recommended."""
    allowed = [point for point in points if _allowed(point, request)]
    useful = [point for point in points if _useful(point, request)]
    both = [point for point in allowed if _useful(point, request)]
    recommended = min(both, key=lambda point: (point.accuracy, -point.utility), default=None)
    return Advice(
        request=request,
        points=points,
        frontier=frontier_from_points(points),
        recommended=recommended,
        neighbours=() if recommended is None else _neighbours(recommended, points),
        best_allowed=max(
            (point for point in allowed if point.utility > 0),
            key=lambda point: (point.utility, -point.accuracy),
            default=None,
        ),
        least_risky=min(useful, key=lambda point: (point.accuracy, -point.utility), default=None),
    )


def frontier_from_points(points: Sequence[PlanPoint]) -> tuple[PlanPoint, ...]:
    """Return the points that no other beats in accuracy and utility at once, ascending in both."""
    best, frontier = -1.0, []
    for point in sorted(points, key=lambda one: (one.accuracy, -one.utility)):
        if point.utility > best:
            best = point.utility
            frontier.append(point)
    return tuple(frontier)


def _neighbours(point: PlanPoint, points: Sequence[PlanPoint]) -> tuple[PlanPoint, ...]:
    """Return the points one step away: the next lower and higher ε, and the next lower and higher bound."""
    same_bound = [one for one in points if one.max_trips_per_user == point.max_trips_per_user]
    same_epsilon = [one for one in points if one.epsilon == point.epsilon]
    found = []
    for line in (same_bound, same_epsilon):
        at = line.index(point)
        found += line[max(at - 1, 0) : at] + line[at + 1 : at + 2]
    return tuple(found)
