"""What a steward accepts -> every release that could be made, and the best of them: noise, ε, contribution bound, threshold.

Each has its exact risk for anyone and its expected utility on one week of true counts. Those with integer noise are made here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from privlab.checks import DataError
from privlab.defaults import USUAL_DELTA
from privlab.dp.attack import accuracy_from_composed_cells
from privlab.dp.certainty import greatest_chance_above
from privlab.dp.gaussian import chance_above_at_most
from privlab.dp.noise import noise_tail
from privlab.dp.promise import (
    LEAST_SAID,
    GuaranteeParameters,
    certain_words,
    delta_words,
    least_threshold_for_delta,
    log10_discovery_delta,
)
from privlab.limits import MAX_EPSILON, MIN_EPSILON
from privlab.od.matrix import UniqueTrips
from privlab.od.planning.expected_utility import (
    BoundedCells,
    bounded_cells_from_unique_trips,
    expected_utility,
)
from privlab.od.planning.mechanism_names import MECHANISM_NAMES
from privlab.od.planning.rare_thresholds import least_rare_threshold
from privlab.od.planning.wishes_and_points import (
    PlanPoint,
    PlanRequest,
    gaussian_parameters_of_point,
    risk_words,
    use_words,
)
from privlab.od.trips.flow_counts import FlowCounts
from privlab.progress import UNHEARD, Progress

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_PRINTED = 4  # decimals of accuracy and utility in a table: hundredths of a per cent
MAX_PLANNED_DELTA = USUAL_DELTA  # of discovered cells: a secure release accepts it without a reason in words
_DIGITS = (1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 4, 4.7, 5.6, 6.8, 8.2)  # near-equal steps, easy to read
EPSILONS = tuple(
    float(f"{digit * 10**power:.2g}")
    for power in (-2, -1, 0, 1)
    for digit in _DIGITS
    if MIN_EPSILON <= digit * 10**power <= MAX_EPSILON
)
NO_BOUND_WITHOUT_USERS = (
    "The file does not say whose trips it counts, so that no bound per user can be planned. "
    "Is there a file of records or trips with a user in each row?"
)


def points_from_unique_trips(
    trips: UniqueTrips | FlowCounts,
    request: PlanRequest,
    *,
    week: str,
    group_size: int | None = None,
    progress: Progress = UNHEARD,
) -> tuple[PlanPoint, ...]:
    """Return every release with integer noise that could be made and keeps made-up cells rare, whatever the two wishes.

    `group_size` users of the random order are in the release, by default all. Raises
    DataError if the data names no users or has no trip in the week.
    """
    if isinstance(trips, FlowCounts):
        raise DataError(NO_BOUND_WITHOUT_USERS)
    progress.tell(0.0, "Counting under every bound")
    cells = bounded_cells_from_unique_trips(trips, week=week, group_size=group_size)
    return points_from_bounded_cells(cells, request, progress=progress)


def points_from_bounded_cells(
    cells: BoundedCells, request: PlanRequest, *, progress: Progress = UNHEARD
) -> tuple[PlanPoint, ...]:
    """Return the same from the counts of one week under every bound."""
    points = []
    for row, bound in enumerate(cells.bounds):
        # Equal pairs of counts are looked at once.
        pairs, times = np.unique(np.stack([cells.true, cells.bounded[row]]), axis=1, return_counts=True)
        for column, epsilon in enumerate(EPSILONS):
            done = (row + column / len(EPSILONS)) / len(cells.bounds)
            progress.tell(done, f"Trying every ε with a limit on trips per user of {bound:,}")
            n_empty = cells.n_empty if request.cells == "public" else 0
            points.append(_point(epsilon, bound, pairs[0], pairs[1], times, n_empty, request))
    return tuple(point for point in points if point is not None)


def _point(
    epsilon: float, bound: int, true: Floats, bounded: Floats, times: Ints, n_empty: int, request: PlanRequest
) -> PlanPoint | None:
    """Return one release, or None where no threshold keeps made-up cells rare and δ small."""
    scale = bound / epsilon
    least, delta = 1, 0.0
    if request.cells == "discovered":
        promise = GuaranteeParameters(
            epsilon=epsilon, max_trips_per_user=bound, weeks=request.weeks, cells="discovered"
        )
        keeping = least_threshold_for_delta(promise, bound * request.weeks, MAX_PLANNED_DELTA)
        if keeping is None:
            return None
        least = keeping
    found = _threshold(scale, bounded, times, n_empty, request.max_made_up, least)
    if found is None:
        return None
    threshold, made_up = found
    if request.cells == "discovered":
        log10 = log10_discovery_delta(replace(promise, threshold=threshold), bound * request.weeks)
        delta = 0.0 if log10 is None else 10**log10
    attack = accuracy_from_composed_cells("integer", epsilon / bound, bound * request.weeks)
    return PlanPoint(
        epsilon=epsilon,
        max_trips_per_user=bound,
        threshold=threshold,
        accuracy=min(attack + delta / 2, 1.0),
        utility=expected_utility(scale, threshold, true, bounded, times, request.tolerance),
        clipped=float(1 - bounded @ times / (true @ times)),
        made_up=made_up,
        delta=delta,
        cells=request.cells,
    )


def _threshold(
    scale: float, bounded: Floats, times: Ints, n_empty: int, max_made_up: float, least: int
) -> tuple[int, float] | None:
    """Return the least readable threshold from `least` on that keeps made-up cells rare, and how many are then expected.

    None where even the largest threshold does not.
    """
    ratio = n_empty / (max_made_up * max(float(times.sum()), 1.0))
    at_least = scale * np.log(ratio * noise_tail("integer", scale, 0)) if ratio > 0 else 0.0
    return least_rare_threshold(
        n_empty,
        max_made_up,
        empty_passes=lambda threshold: float(noise_tail("integer", scale, threshold)),
        expected_kept=lambda threshold: float(noise_tail("integer", scale, threshold - bounded) @ times),
        at_least=max(float(at_least), float(least)),
    )


_CERTAINTIES = (0.75, 0.95)  # said of a plan when no wish names one


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """All points that keep made-up cells rare, those nobody beats, and what is recommended, None if nothing is.

    `frontier` ascends in accuracy and in utility, both as they are printed. `recommended` is the feasible point with the least
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
        wish, one = self.request, self.recommended
        if one is not None:
            return (
                f"Nobody is guessed right in more than {one.risk_words} of cases (a coin: 50%), and {one.use_words} of all "
                f"trips are expected in flows within {wish.tolerance * 100:g}% of the truth. The release: {one.noise_words}ε = "
                f"{one.epsilon:g}, {one.limit_words} per user and week{_weighed_words(one)} and the threshold {one.threshold:,}. "
                f"{certainty_sentence(one, wish)}{_delta_sentence(one, wish)}"
            )
        return self._nothing_in_words()

    @property
    def recommendation(self) -> str:
        """The same for a place that also speaks of another release: it speaks of a plan, never of something that was made."""
        wish, one = self.request, self.recommended
        if one is None:
            return f"No plan that the lab could recommend: {_lowered(self._nothing_in_words())}"
        return (
            f"The plan that the lab would recommend: {MECHANISM_NAMES[one.mechanism]}, ε = {one.epsilon:g}, {one.limit_words} per user and "
            f"week{_weighed_words(one)} and the threshold {one.threshold:,}. Under that plan nobody would be guessed right in more than "
            f"{one.risk_words} of cases (a coin: 50%), and {one.use_words} of all trips would be expected in flows within "
            f"{wish.tolerance * 100:g}% of the truth; {_lowered(certainty_sentence(one, wish))}{_delta_sentence(one, wish)}"
        )

    def _nothing_in_words(self) -> str:
        wish, best, least = self.request, self.best_allowed, self.least_risky
        words = (
            "Nothing satisfies both wishes." if wish.max_cases is None else "Nothing satisfies all wishes."
        )
        risk = f"Where nobody is guessed right in more than {risk_words(wish.max_accuracy)} of cases (a coin: 50%)"
        if best is not None:
            if wish.max_certainty is not None and wish.max_cases is not None:
                risk += (
                    f", nor known with more than {100 * wish.max_certainty:g}% certainty in more than {risk_words(wish.max_cases)} "
                    "of cases,"
                )
            words += f" {risk} at most {best.use_words} of all trips are expected in flows within {wish.tolerance * 100:g}% of the truth."
        else:
            words += f" {risk}, nothing useful is left of any release tried."
        if least is not None:
            kept = (
                "of them there"
                if best is not None
                else f"of all trips in flows within {wish.tolerance * 100:g}% of the truth"
            )
            words += (
                f" Another release does keep {use_words(wish.min_utility)} {kept}: under it someone is guessed right in "
                f"{least.risk_words} of cases, and an attacker {_certain_words(least, wish)}."
            )
        return words


def certainty_sentence(point: PlanPoint, request: PlanRequest) -> str:
    """Return how certain an attacker becomes of anybody under a release: the mean accuracy does not tell it."""
    return f"An attacker {_certain_words(point, request)} of someone who is in and whose flows are all published."


def _certain_words(point: PlanPoint, request: PlanRequest) -> str:
    levels = _CERTAINTIES if request.max_certainty is None else (request.max_certainty,)
    least = LEAST_SAID if point.noise == "gaussian" else 0.0
    shares = {above: max(certain_share(point, request.weeks, above), least) for above in levels}
    never = [above for above in levels if not shares[above]]  # who is never so certain is never more certain
    return ", and ".join(certain_words(shares[above], above) for above in levels if above not in never[1:])


def _lowered(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _weighed_words(point: PlanPoint) -> str:
    """Return what a limit does to trips that it does not leave out; empty where it leaves them out."""
    return " (all trips of whoever makes more count, with less weight each)" if point.clip == "l2" else ""


def _delta_sentence(point: PlanPoint, request: PlanRequest) -> str:
    """Return the δ beside ε with Gaussian noise, or what flows found in the data cost; empty for integer noise on public cells."""
    if point.noise == "gaussian" and request.cells == "public":
        return f" ε of a user's week has δ = {delta_words(point.delta)} beside it."
    if point.noise == "gaussian":
        return (
            f" ε of a user's week has δ = {delta_words(point.delta)} beside it, and with this threshold nothing more for publishing "
            "only flows found in the data."
        )
    if request.cells == "public":
        return ""
    return (
        f" Only flows found in the data are published: with a chance of δ = {delta_words(point.delta)} whatever is promised does "
        "not hold."
    )


def certain_share(point: PlanPoint, weeks: int, above: float) -> float:
    """Return how often, at most, an attacker ends more than `above` certain of someone who is in."""
    bound = point.max_trips_per_user
    if point.noise == "gaussian":
        return chance_above_at_most(gaussian_parameters_of_point(point, weeks), above, sigma=point.sigma)
    return min(
        greatest_chance_above("integer", point.epsilon / bound, bound * weeks, above) + point.delta, 1.0
    )


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
    recommended = _least_risky(both)
    return Advice(
        request=request,
        points=points,
        frontier=frontier_from_points(points, as_printed=True),
        recommended=recommended,
        neighbours=() if recommended is None else _neighbours(recommended, points),
        best_allowed=max(
            (point for point in allowed if point.utility > 0),
            key=lambda point: (point.utility, -point.accuracy),
            default=None,
        ),
        least_risky=_least_risky(useful),
    )


def _least_risky(points: Sequence[PlanPoint]) -> PlanPoint | None:
    """Return the point with the least accuracy, and of those the most useful; None of none.

    Gaussian noise gives one ε nearly one accuracy under every bound: the most useful bound is taken.
    """
    least = min(points, key=lambda point: (point.accuracy, -point.utility), default=None)
    if least is None or least.noise == "integer":
        return least
    alike = [one for one in points if (one.mechanism, one.epsilon) == (least.mechanism, least.epsilon)]
    return max(alike, key=lambda point: point.utility)


def frontier_from_points(points: Sequence[PlanPoint], *, as_printed: bool = False) -> tuple[PlanPoint, ...]:
    """Return the points that no other beats in accuracy and utility at once, ascending in both.

    `as_printed` compares hundredths of a per cent, as tables show them: of points that look alike one is left, the most useful.
    """
    seen = {
        point: (round(point.accuracy, _PRINTED), round(point.utility, _PRINTED))
        if as_printed
        else (point.accuracy, point.utility)
        for point in points
    }
    best, frontier = -1.0, []
    for point in sorted(points, key=lambda one: (seen[one][0], -seen[one][1], -one.utility, one.accuracy)):
        if seen[point][1] > best:
            best = seen[point][1]
            frontier.append(point)
    return tuple(frontier)


def _neighbours(point: PlanPoint, points: Sequence[PlanPoint]) -> tuple[PlanPoint, ...]:
    """Return the points of the same mechanism one step away: the next lower and higher ε, and the next lower and higher bound."""
    alike = sorted(
        (one for one in points if one.mechanism == point.mechanism),
        key=lambda one: (one.max_trips_per_user, one.epsilon),
    )
    same_bound = [one for one in alike if one.max_trips_per_user == point.max_trips_per_user]
    same_epsilon = [one for one in alike if one.epsilon == point.epsilon]
    found = []
    for line in (same_bound, same_epsilon):
        at = line.index(point)
        found += line[max(at - 1, 0) : at] + line[at + 1 : at + 2]
    return tuple(found)
