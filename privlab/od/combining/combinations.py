"""One promise and a week of true counts → the releases that keep it, each at the bound and threshold that serve best.

Law, clip, bound, threshold, a noisy total and sums of districts are searched by expected use, worked out from the laws of the
noise without drawing any. Figures of true data: the choice was made by looking at it. docs/science.md, section 5.10.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_between, require_whole
from privlab.defaults import CLOSE, USUAL_DELTA
from privlab.limits import MAX_EPSILON, MAX_TARGET_DELTA, MAX_THRESHOLD, MIN_EPSILON, MIN_TARGET_DELTA
from privlab.od.planning.planner import EPSILONS
from privlab.od.releases.release_plan import SecureReleaseParameters
from privlab.od.weighing.expected_counts import (
    Law,
    agreed_use,
    expected_within,
    law_of_parameters,
    rarest_threshold,
    scaled_use,
    with_threshold,
)
from privlab.od.weighing.expected_smoothed import smoothed_use
from privlab.od.weighing.mechanism_steps import AGREED, SMOOTHED, STEPS, parameters_of_step
from privlab.od.weighing.weighed_week import WeighedWeek
from privlab.progress import UNHEARD, Progress

Floats = npt.NDArray[np.float64]

_TOTALS = 7  # noises on a total that bounds are compared with
_LARGER = 2  # further bounds that are looked at for smoothed counts
_APART = 3  # places between the bounds that are looked at first


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinationRequest:
    """One promise, (`epsilon`, `delta`) to all that a person does in a week, and what counts as of use.

    Counts within `tolerance` of the truth do; of published cells at most `max_made_up` may be expected to have no true trip, which
    sets the threshold unless `threshold` does (0 publishes all).
    """

    epsilon: float
    delta: float = USUAL_DELTA
    tolerance: float = CLOSE
    max_made_up: float = 0.01
    threshold: int | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        require_between("epsilon", self.epsilon, MIN_EPSILON, MAX_EPSILON)
        require_between("delta", self.delta, MIN_TARGET_DELTA, MAX_TARGET_DELTA)
        require_between("tolerance", self.tolerance, 0, 1)
        require_between("max_made_up", self.max_made_up, 1e-6, 1)
        if self.threshold is not None:
            require_whole("threshold", self.threshold, 0, MAX_THRESHOLD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """A release, and which of its columns is judged: `name` says the step, `parameters` all that is decided.

    `within` is the expected share of all trips in flows that are published within the tolerance of the truth; `rmse` (trips) the
    root of the mean square error expected over true and published flows, one that is not published read as 0; `made_up_share`
    the expected share of published flows without a true trip; `noise_deviation` the standard deviation of the noise on a
    flow, in trips, times what a total gives back.
    """

    name: str
    parameters: SecureReleaseParameters
    within: float
    rmse: float
    made_up_share: float
    noise_deviation: float

    @property
    def epsilon(self) -> float:
        """What is promised to a person's week."""
        return self.parameters.epsilon

    @property
    def delta(self) -> float:
        """The δ beside it; 0 for integer noise."""
        return self.parameters.delta

    @property
    def max_trips_per_user(self) -> int:
        """The bound L."""
        return self.parameters.max_trips_per_user

    @property
    def threshold(self) -> int:
        """Noisy counts below it are not published."""
        return self.parameters.threshold

    def as_dict(self) -> dict[str, Any]:
        """Return name, parameters and figures, flat."""
        figures = asdict(self)
        return {"name": figures.pop("name"), **figures.pop("parameters"), **figures}


def combinations_from_weighed_week(
    week: WeighedWeek, request: CombinationRequest, *, progress: Progress = UNHEARD
) -> tuple[Combination, ...]:
    """Return the steps from today's release on, each at the bound and threshold expected to serve best under the promise.

    A step that no threshold keeps free of made-up cells is left out, the levels' where the week has none.
    """
    found: list[Combination] = []
    for i, step in enumerate(STEPS):
        progress.tell(i / len(STEPS), "Looking for the best release")
        best = _best(week, request, step)
        if best is not None:
            found.append(best)
    return tuple(found)


USELESS = 0.01  # share of all trips: a release that leaves less of them near the truth is of no use to anyone


def best_combination(combinations: Sequence[Combination]) -> Combination | None:
    """Return the release expected to leave most trips near the truth; of equals the first, which is the plainest. None of none.

    The smoothed counts are a column of a release that stands before them.
    """
    releases = [one for one in combinations if one.name != SMOOTHED]
    return max(releases, key=lambda one: one.within, default=None)


def combinations_of_least_epsilon(
    week: WeighedWeek, request: CombinationRequest, min_utility: float, *, progress: Progress = UNHEARD
) -> tuple[Combination, ...]:
    """Return the steps at the least ε of the planner's with which the best of them leaves so large a share near the truth.

    None if no ε does. What is expected grows with ε, so that halving the steps finds it. `request.epsilon` is not used.
    """
    require_between("min_utility", min_utility, 0, 1)
    low, high = -1, len(EPSILONS)
    best: tuple[Combination, ...] = ()
    tries = math.ceil(math.log2(high + 1))
    while high - low > 1:
        middle = (low + high) // 2
        progress.tell(1 - math.log2(high - low) / tries, "Looking for the least ε")
        found = combinations_from_weighed_week(week, replace(request, epsilon=EPSILONS[middle]))
        most = best_combination(found)
        if most is not None and most.within >= min_utility:
            high, best = middle, found
        else:
            low = middle
    return best


def _best(week: WeighedWeek, request: CombinationRequest, step: str) -> Combination | None:
    """Return a step at the bound that serves best, judged by the counts or, with a total, by those times it.

    What is expected rises with the bound and falls again: every third is looked at, and what lies about the best of them.
    """
    if step == AGREED and week.with_levels is None:
        return None
    laws: dict[int, tuple[float, Law]] = {}

    def look_at(rows: Iterable[int]) -> int | None:
        for row in rows:
            law = None if row in laws else _law(week, request, step, row)
            if law is not None:
                laws[row] = (expected_within(week.people, law, request.tolerance, n_totals=_TOTALS), law)
        return max(laws, key=lambda row: laws[row][0], default=None)

    last = len(week.bounds) - 1
    near = look_at(sorted({*range(0, last, _APART), last}))
    best = look_at(
        range(len(week.bounds)) if near is None else range(max(near - 2, 0), min(near + 2, last) + 1)
    )
    if best is None:
        return None
    if step == SMOOTHED:  # noise costs smoothed counts less: a larger bound may serve them better
        look_at(range(best, min(best + _LARGER, last) + 1))
        best = max(
            (row for row in laws if best <= row <= best + _LARGER),
            key=lambda row: smoothed_use(week, laws[row][1], request.tolerance)[0],
        )
    law = laws[best][1]
    parameters = replace(_parameters(week, request, step, best), threshold=law.threshold)
    return _judged(week, law, step, parameters, request.tolerance)


def combination_of_parameters(
    week: WeighedWeek, name: str, parameters: SecureReleaseParameters, *, tolerance: float
) -> Combination:
    """Return what a step with these very parameters is expected to leave; the week is weighed under its bound, and with its levels.

    Raises ParameterError where it is not.
    """
    if parameters.max_trips_per_user not in week.bounds:
        raise ParameterError(
            f"max_trips_per_user must be a bound that the week was weighed under, got {parameters.max_trips_per_user}."
        )
    row = week.bounds.index(parameters.max_trips_per_user)
    law = with_threshold(week, _law_of_row(week, parameters, row), parameters.threshold)
    return _judged(week, law, name, parameters, tolerance)


def _judged(
    week: WeighedWeek, law: Law, step: str, parameters: SecureReleaseParameters, tolerance: float
) -> Combination:
    """Return a release with what is expected of the column that the step is judged by."""
    of = {AGREED: agreed_use, SMOOTHED: smoothed_use}.get(step, scaled_use)
    within, rmse = of(week, law, tolerance)
    return Combination(
        name=step,
        parameters=parameters,
        within=within,
        rmse=rmse,
        made_up_share=law.made_up_share,
        noise_deviation=law.deviation * law.mean_ratio,
    )


def _parameters(
    week: WeighedWeek, request: CombinationRequest, step: str, row: int
) -> SecureReleaseParameters:
    return parameters_of_step(
        step,
        epsilon=request.epsilon,
        delta=request.delta,
        bound=week.bounds[row],
        threshold=request.threshold or 0,
    )


def step_law(
    week: WeighedWeek, request: CombinationRequest, step: str, row: int
) -> tuple[SecureReleaseParameters, Law] | None:
    """Return a step under the bound of a row, and how it publishes the counts; None where no threshold keeps made-up cells rare."""
    law = _law(week, request, step, row)
    if law is None:
        return None
    return replace(_parameters(week, request, step, row), threshold=law.threshold), law


def _law(week: WeighedWeek, request: CombinationRequest, step: str, row: int) -> Law | None:
    law = _law_of_row(week, _parameters(week, request, step, row), row)
    if request.threshold is None:
        return rarest_threshold(week, law, request.max_made_up)
    return with_threshold(week, law, request.threshold)


def _law_of_row(week: WeighedWeek, parameters: SecureReleaseParameters, row: int) -> Law:
    mean, spread = week.weighted[row], None
    if parameters.clip == "keep":
        mean, spread = week.kept[row], week.spread[row]
    elif parameters.levels:
        if week.with_levels is None:
            raise ParameterError("levels must be divided before sums of them can be planned, got none.")
        mean = week.with_levels[row]
    wide = np.zeros(mean.size) if spread is None else spread.astype(np.float64)
    return law_of_parameters(week, parameters, mean.astype(np.float64), wide)
