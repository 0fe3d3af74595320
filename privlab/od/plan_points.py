"""One week of true counts → every release that could be made: its risk for anyone and its expected utility.

Risk is that of the worst-placed user of any data; utility is that of the loaded data, expected over the
noise and computed exactly. Figures of true data. What to choose is in planner.py.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from privlab.checks import DataError, ParameterError, require_between, require_choice, require_whole
from privlab.dp.composition import accuracy_from_composed_cells
from privlab.dp.guarantees import CELLS, GuaranteeParameters, log10_discovery_delta
from privlab.dp.least_threshold import least_threshold_for_delta
from privlab.dp.mechanisms import noise_tail
from privlab.limits import MAX_EPSILON, MAX_THRESHOLD, MAX_WEEKS, MIN_EPSILON
from privlab.od.expected_utility import bounded_cells_from_unique_trips, expected_utility
from privlab.od.flow_counts import FlowCounts
from privlab.od.matrix import UniqueTrips
from privlab.progress import Report, silent

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MAX_PLANNED_DELTA = 1e-6  # of discovered cells: a secure release accepts it without a reason in words
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """What the steward accepts.

    No user is guessed right with more than `max_accuracy`, over `weeks` weekly releases; at least
    `min_utility` of all trips lie in flows published within `tolerance` of the truth; at most
    `max_made_up` of the published cells are expected to have no true flow. With `max_certainty` and `max_cases`
    an attacker becomes more certain than that of someone who is in, in at most that share of cases. `cells` are
    "public", or "discovered": then the threshold also keeps δ at MAX_PLANNED_DELTA or less.
    """

    max_accuracy: float
    min_utility: float
    tolerance: float = 0.1
    max_made_up: float = 0.01
    weeks: int = 1
    max_certainty: float | None = None
    max_cases: float | None = None
    cells: str = "public"

    def __post_init__(self) -> None:
        """Check every field."""
        require_between("max_accuracy", self.max_accuracy, 0.5, 1)
        require_between("min_utility", self.min_utility, 0, 1)
        require_between("tolerance", self.tolerance, 0, 1)
        require_between("max_made_up", self.max_made_up, 1e-6, 1)
        require_whole("weeks", self.weeks, 1, MAX_WEEKS)
        require_choice("cells", self.cells, CELLS)
        if (self.max_certainty is None) != (self.max_cases is None):
            given = "max_certainty" if self.max_cases is None else "max_cases"
            raise ParameterError(f"max_certainty and max_cases must be given together, got {given} alone.")
        if self.max_certainty is not None and self.max_cases is not None:
            require_between("max_certainty", self.max_certainty, 0.5, 1)
            require_between("max_cases", self.max_cases, 0, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanPoint:
    """One release that could be made: its parameters, the best attack on anyone, and its expected utility.

    `utility` is the expected share of true trips in flows published within the tolerance; `clipped` the
    share of trips that the bound leaves out; `made_up` the expected number of published cells without a flow.
    `delta` is what discovered cells cost a user over all weeks, 0 for public ones.
    """

    epsilon: float
    max_trips_per_user: int
    threshold: int
    accuracy: float
    utility: float
    clipped: float
    made_up: float
    delta: float = 0.0


def points_from_unique_trips(
    trips: UniqueTrips | FlowCounts,
    request: PlanRequest,
    *,
    week: str,
    group_size: int | None = None,
    report: Report = silent,
) -> tuple[PlanPoint, ...]:
    """Return every release that could be made and keeps made-up cells rare, whatever the two wishes.

    `group_size` users of the random order are in the release, by default all. Raises
    DataError if the data names no users or has no trip in the week.
    """
    if isinstance(trips, FlowCounts):
        raise DataError(NO_BOUND_WITHOUT_USERS)
    report(0.0, "Counting under every bound")
    cells = bounded_cells_from_unique_trips(trips, week=week, group_size=group_size)
    points = []
    for row, bound in enumerate(cells.bounds):
        # Equal pairs of counts are looked at once.
        pairs, times = np.unique(np.stack([cells.true, cells.bounded[row]]), axis=1, return_counts=True)
        for column, epsilon in enumerate(EPSILONS):
            done = (row + column / len(EPSILONS)) / len(cells.bounds)
            report(done, f"Trying every ε with at most {bound:,} trips per user")
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
    )


def _threshold(
    scale: float, bounded: Floats, times: Ints, n_empty: int, max_made_up: float, least: int
) -> tuple[int, float] | None:
    """Return the least readable threshold from `least` on that keeps made-up cells rare, and how many are then expected.

    None where even the largest threshold does not.
    """
    ratio = n_empty / (max_made_up * max(float(times.sum()), 1.0))
    at_least = scale * np.log(ratio * noise_tail("integer", scale, 0)) if ratio > 0 else 0.0
    threshold = _readable(max(float(at_least), float(least)))
    while True:
        made_up = n_empty * float(noise_tail("integer", scale, threshold))
        kept = float(noise_tail("integer", scale, threshold - bounded) @ times)
        if made_up <= max_made_up * (kept + made_up):
            return threshold, made_up
        if threshold >= MAX_THRESHOLD:
            return None
        threshold = min(_readable(threshold * 1.1 + 1), MAX_THRESHOLD)


def _readable(value: float) -> int:
    """Return the next whole number of two significant digits."""
    size = int(10 ** max(len(str(int(value))) - 2, 0))
    return min(math.ceil(value / size - 1e-9) * size, MAX_THRESHOLD)
