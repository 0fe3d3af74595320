"""Parameters of a release → what it promises a trip, a user's week and a user, in numbers and in words.

The same noise is a different promise to each privacy unit; both are stated side by side, so that the
promise to a trip cannot pass for one to a person. The sentence itself is in statements.py.
"""

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from privlab.checks import ParameterError, require_between, require_choice, require_whole
from privlab.defaults import USUAL_DELTA, USUAL_THRESHOLD
from privlab.dp.attack.any_number_of_entries import accuracy_from_promise
from privlab.dp.attack.composition import accuracy_from_composed_cells, epsilon_from_composed_cells
from privlab.dp.certainty.certainty import greatest_chance_above
from privlab.dp.certainty.certainty_bounds import LEAST_DELTA
from privlab.dp.noise.mechanisms import CELLS, NOISES, Mechanism, log_noise_tail, mechanism_from_bound
from privlab.dp.promise.statements import CERTAIN, statement_from_units
from privlab.limits import (
    MAX_EPSILON,
    MAX_TARGET_DELTA,
    MAX_THRESHOLD,
    MAX_TRIPS_PER_USER,
    MAX_WEEKS,
    MIN_EPSILON,
    MIN_TARGET_DELTA,
)

if TYPE_CHECKING:
    from privlab.dp.gaussian.gaussian_parameters import GaussianParameters


@dataclass(frozen=True, slots=True, kw_only=True)
class GuaranteeParameters:
    """What a guarantee is computed for.

    `epsilon` is promised to a user's whole week where `max_trips_per_user` is a number, else to one
    trip. `weeks` is how many weekly releases one user may be in. `cells` says whether noise goes to a
    "public" set of cells or only to those "discovered" in the data (then `threshold` must be at least
    1). `target_delta` is the δ that the privacy loss distribution may spend. `counted` is the word for
    what is bounded, "trips" or "visits".
    """

    epsilon: float
    max_trips_per_user: int | None = None
    weeks: int = 1
    threshold: int = USUAL_THRESHOLD
    cells: str = "public"
    noise: str = "integer"
    target_delta: float = USUAL_DELTA
    counted: str = "trips"

    def __post_init__(self) -> None:
        """Check every field."""
        require_between("epsilon", self.epsilon, MIN_EPSILON, MAX_EPSILON)
        if self.max_trips_per_user is not None:
            require_whole("max_trips_per_user", self.max_trips_per_user, 1, MAX_TRIPS_PER_USER)
        require_whole("weeks", self.weeks, 1, MAX_WEEKS)
        require_whole("threshold", self.threshold, 0, MAX_THRESHOLD)
        require_choice("cells", self.cells, CELLS)
        require_choice("noise", self.noise, NOISES)
        require_between("target_delta", self.target_delta, MIN_TARGET_DELTA, MAX_TARGET_DELTA)
        if self.cells == "discovered" and self.threshold < 1:
            raise ParameterError(
                f"threshold must be at least 1 where only discovered cells are published, got {self.threshold}."
            )

    @property
    def mechanism(self) -> Mechanism:
        """The noise that keeps the promise."""
        return mechanism_from_bound(self.noise, self.epsilon, self.max_trips_per_user)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitGuarantee:
    """What a release promises one privacy unit: "trip", "user-week" or "user" (over all weeks).

    `n_cells` counts the unit can change by one each; `epsilon` by basic composition, with `delta`
    (0.0 exactly for public cells, else never 0) and its logarithm `log10_delta`. `epsilon_by_losses`
    holds with `delta` + the target δ. `optimal_accuracy` is the best attack on the worst-placed unit,
    `proven_accuracy` what (ε, δ) alone allows; a guess is right with ½. `certain_share` is the greatest chance that
    an attacker with prior ½ ends more than CERTAIN sure of a unit that is in, all of whose cells are published.
    With Gaussian noise each of `n_cells` counts changes by one at most, and `epsilon_by_losses` holds with `delta`.
    """

    unit: str
    n_cells: int
    epsilon: float
    delta: float
    log10_delta: float | None
    epsilon_by_losses: float
    optimal_accuracy: float
    proven_accuracy: float
    certain_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """The promise to a trip, and to a person's week and weeks: None where the release promises none."""

    parameters: "GuaranteeParameters | GaussianParameters"
    trip: UnitGuarantee
    user_week: UnitGuarantee | None
    user: UnitGuarantee | None
    statement: str

    def as_dict(self) -> dict[str, Any]:
        """Return the units by name, for tables and JSON."""
        return {"trip": self.trip, "user-week": self.user_week, "user": self.user}


def guarantee_from_parameters(parameters: GuaranteeParameters) -> Guarantee:
    """Return what a release with these parameters promises, whatever the data.

    >>> bounded = guarantee_from_parameters(GuaranteeParameters(epsilon=0.66, max_trips_per_user=10))
    >>> round(bounded.user_week.epsilon, 6), round(bounded.trip.epsilon, 6)
    (0.66, 0.066)
    """
    bound = parameters.max_trips_per_user
    trip = _unit_guarantee("trip", parameters, 1)
    week = None if bound is None else _unit_guarantee("user-week", parameters, bound)
    user = None
    if week is not None:  # of one week it is the same promise
        several = parameters.weeks > 1
        user = (
            _unit_guarantee("user", parameters, week.n_cells * parameters.weeks)
            if several
            else replace(week, unit="user")
        )
    return Guarantee(
        parameters=parameters,
        trip=trip,
        user_week=week,
        user=user,
        statement=statement_from_units(parameters, trip, week, user),
    )


def log10_discovery_delta(parameters: GuaranteeParameters, n_cells: int) -> float | None:
    """Return log₁₀ of the δ of publishing discovered cells, at most 0; None for public cells.

    A cell that only the target fills shows with probability a^{τ−1}/(1+a), a = e^{−ε/L} for integer
    noise, ½a^{τ−1} for real noise; a union bound adds up the target's cells.
    After docs/science.md, section 2.6.
    """
    if parameters.cells == "public":
        return None
    passes = log_noise_tail(parameters.noise, parameters.mechanism.scale, parameters.threshold - 1)
    natural = math.log(n_cells) + passes
    return min(natural / math.log(10), 0.0)


def _unit_guarantee(unit: str, parameters: GuaranteeParameters, n_cells: int) -> UnitGuarantee:
    loss = parameters.mechanism.epsilon_per_cell
    epsilon = loss * n_cells
    log10_delta = log10_discovery_delta(parameters, n_cells)
    delta = 0.0 if log10_delta is None else max(10**log10_delta, LEAST_DELTA)
    # The cells of others, seen through noise, and the target's own, seen or not: distances add up.
    proven = min(accuracy_from_promise(epsilon, delta), 1.0)
    optimal = min(accuracy_from_composed_cells(parameters.noise, loss, n_cells) + delta / 2, proven)
    return UnitGuarantee(
        unit=unit,
        n_cells=n_cells,
        epsilon=epsilon,
        delta=delta,
        log10_delta=log10_delta,
        epsilon_by_losses=epsilon_from_composed_cells(
            parameters.noise, loss, n_cells, parameters.target_delta
        ),
        optimal_accuracy=optimal,
        proven_accuracy=proven,
        # Whoever is seen in a cell of nobody else is in for certain; not to be seen makes nobody more certain.
        certain_share=min(greatest_chance_above(parameters.noise, loss, n_cells, CERTAIN) + delta, 1.0),
    )
