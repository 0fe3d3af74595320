"""One recovery → others like it over people, steps or defences, and what of each is kept to compare them by."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from privlab.aggregates.defences.named_defences import takes_epsilon
from privlab.aggregates.recovery.recovery_parameters import STEPS_MIN, RecoveryParameters
from privlab.aggregates.recovery.trails_from_counts import Recovery
from privlab.checks import require_choice

OVER = ("people", "steps", "defences")
"""What recoveries are compared over."""
COMPARED_DEFENCES = (
    "none", "lpa", "lpa-event", "gaussian", "fpa", "efpag", "release:20", "suppress:5", "sample:0.5", "generalise:hours=24",
)  # fmt: skip
_PEOPLE = (20, 50, 100, 200, 500)
_EPSILON = 1.0  # of defences that need one, where neither the recovery at hand has one nor another is given


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryPoint:
    """How much of one recovery is right, in shares of people and steps, with its 95% interval; `baselines` are shares by name."""

    parameters: RecoveryParameters
    accuracy: float
    low: float
    high: float
    error_km: float
    baselines: dict[str, float]

    @property
    def best_baseline(self) -> str:
        """The name of the baseline that gets most steps right, the first of equals."""
        return max(self.baselines, key=lambda name: self.baselines[name])


def recoveries_over(
    parameters: RecoveryParameters, over: str, *, n_users: int, epsilon: float | None = None
) -> tuple[RecoveryParameters, ...]:
    """Return the recoveries to compare: all as the one at hand but for what they are compared over.

    `epsilon` is that of defences that add noise, where the recovery at hand has none; 1 unless it is given.

    >>> [one.users for one in recoveries_over(RecoveryParameters(users=30), "people", n_users=120)]
    [20, 30, 50, 100]
    """
    require_choice("over", over, OVER)
    if over == "people":
        numbers = sorted({*_PEOPLE, parameters.users})
        return tuple(replace(parameters, users=n) for n in numbers if n <= n_users)
    if over == "steps":
        return tuple(replace(parameters, step_min=step) for step in STEPS_MIN)
    names = dict.fromkeys((*COMPARED_DEFENCES, parameters.defence))
    epsilon = next(one for one in (parameters.epsilon, epsilon, _EPSILON) if one is not None)
    return tuple(
        replace(parameters, defence=name, epsilon=epsilon if takes_epsilon(name) else None) for name in names
    )


def point_from_recovery(found: Recovery) -> RecoveryPoint:
    """Return what is compared of a recovery."""
    low, high = found.score.accuracy_interval
    return RecoveryPoint(
        parameters=found.parameters,
        accuracy=found.score.accuracy,
        low=low,
        high=high,
        error_km=found.score.mean_error_km,
        baselines={name: one.accuracy for name, one in found.baselines.items()},
    )


def over_of_points(points: Sequence[RecoveryPoint]) -> str:
    """Return what points differ in.

    >>> one = RecoveryPoint(parameters=RecoveryParameters(), accuracy=1, low=1, high=1, error_km=0, baselines={})
    >>> over_of_points([one, replace(one, parameters=RecoveryParameters(step_min=120))])
    'steps'
    """
    if len({one.parameters.step_min for one in points}) > 1:
        return "steps"
    return "people" if len({one.parameters.users for one in points}) > 1 else "defences"
