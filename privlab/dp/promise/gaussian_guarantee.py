"""Parameters of a release with discrete Gaussian noise → σ, and what it promises a trip, a user's week and a user.

Knows how trips are weighted and the law of the noise; no data. Formulas: docs/science.md, section 5.1.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.checks import require_between, require_choice, require_whole
from privlab.dp.attack.any_number_of_entries import accuracy_from_promise
from privlab.dp.discrete_gaussian import (
    UNITS,
    accuracy_of_contribution,
    chance_of_loss,
    delta_of_contribution,
    epsilon_of_contribution,
    sigma_from_promise,
    weight_of_trips,
)
from privlab.dp.promise.guarantees import Guarantee, UnitGuarantee
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

Ints = npt.NDArray[np.int64]

CLIPS = ("keep", "l2")
# Unique trips of a user and week that an L2 clip counts; further ones are left out at random, so that the promise,
# worked out for every number of trips up to here, covers everyone. A week has 168 hours.
MOST_TRIPS = MAX_TRIPS_PER_USER
_LATTICES = 2 ** np.arange(11)  # steps, in units, on which weeks of different weights may add up


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianParameters:
    """What is promised with discrete Gaussian noise on public cells: (`epsilon`, `delta`) to a user's whole week.

    `clip` is "keep" (of each user `max_trips_per_user` L trips, chosen at random, count 1 each) or "l2" (all trips
    count, each with the weight ⌊1024·√(L/T)⌋/1024 for T > L). `weeks` is how many weekly releases one user may be in.
    """

    epsilon: float
    delta: float
    max_trips_per_user: int
    clip: str = "l2"
    weeks: int = 1
    threshold: int = 100

    def __post_init__(self) -> None:
        """Check every field."""
        require_between("epsilon", self.epsilon, MIN_EPSILON, MAX_EPSILON)
        require_between("delta", self.delta, MIN_TARGET_DELTA, MAX_TARGET_DELTA)
        require_whole("max_trips_per_user", self.max_trips_per_user, 1, MAX_TRIPS_PER_USER)
        require_choice("clip", self.clip, CLIPS)
        require_whole("weeks", self.weeks, 1, MAX_WEEKS)
        require_whole("threshold", self.threshold, 0, MAX_THRESHOLD)

    @property
    def cells(self) -> str:
        """Noise goes to every public cell."""
        return "public"

    @property
    def target_delta(self) -> float:
        """The δ that the privacy loss distribution may spend."""
        return self.delta

    @property
    def most_trips(self) -> int:
        """Trips of a user and week that are counted at most."""
        return MOST_TRIPS if self.clip == "l2" else self.max_trips_per_user

    @property
    def sigma(self) -> float:
        """σ of the noise on each cell, in units of 1/1024 of a trip."""
        return sigma_from_promise(
            self.epsilon, self.delta, self.max_trips_per_user, most_trips=self.most_trips
        )

    @property
    def norm(self) -> float:
        """The greatest L2 norm of what a user adds in a week, in units: 1024·√L, rounded up."""
        return math.nextafter(UNITS * math.sqrt(self.max_trips_per_user), math.inf)


def guarantee_from_gaussian_parameters(parameters: GaussianParameters) -> Guarantee:
    """Return what a release with these parameters promises, whatever the data.

    >>> found = guarantee_from_gaussian_parameters(GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=10))
    >>> found.user_week.epsilon, found.user_week.delta, round(found.trip.epsilon_by_losses, 2)
    (1, 1e-06, 0.29)
    """
    trip = _unit("trip", parameters, np.array([UNITS**2]), np.array([UNITS]), 1)
    square, divisor = contributions_of_week(parameters)
    week = _unit("user-week", parameters, square, divisor, parameters.most_trips)
    n_cells = parameters.most_trips * parameters.weeks
    user = _unit("user", parameters, *contributions_of_all_weeks(parameters), n_cells, parameters.weeks)
    return Guarantee(
        parameters=parameters,
        trip=trip,
        user_week=week,
        user=user,
        statement=statement_from_units(parameters, trip, week, user),
    )


def contributions_of_week(parameters: GaussianParameters) -> tuple[Ints, Ints]:
    """Return Σa² and the divisor of the a for every number of trips that can be the worst placed."""
    trips = np.arange(1, parameters.most_trips + 1)
    weights = weight_of_trips(trips, parameters.max_trips_per_user)
    square = trips * weights**2
    near = square >= square.max() * 0.9  # the loss grows with the norm, but for the lattice's step
    return square[near], weights[near]


def contributions_of_all_weeks(parameters: GaussianParameters) -> tuple[Ints, Ints]:
    """Return the same over all weeks.

    Weeks may differ in the number of trips, and then add up on a finer lattice: besides the same number in each
    week, the greatest norm is taken on lattices of every power of two.
    """
    square, divisor = contributions_of_week(parameters)
    if parameters.weeks > 1 and parameters.clip == "l2":
        whole = UNITS**2 * parameters.max_trips_per_user
        square = np.append(square, np.full(_LATTICES.size, whole))
        divisor = np.append(divisor, _LATTICES)
    return square * parameters.weeks, divisor


def accuracies_from_gaussian_parameters(parameters: GaussianParameters, most: int) -> npt.NDArray[np.float64]:
    """Return how often the best test is right about someone with k = 0..most unique trips in one week, shape (most + 1,).

    Prior ½; all of the person's flows are published. Trips beyond those that are counted add nothing.
    """
    trips = np.minimum(np.arange(1, most + 1), parameters.most_trips)
    weights = weight_of_trips(trips, parameters.max_trips_per_user)
    sigma = parameters.sigma
    found = [
        accuracy_of_contribution(sigma, n * weight**2, weight)
        for n, weight in zip(trips.tolist(), weights.tolist(), strict=True)
    ]
    return np.array([0.5, *found])


def chance_beyond_promise(parameters: GaussianParameters) -> float:
    """Return how often at most the loss of someone who is in exceeds the ε of all weeks together.

    More often than with δ, which weighs how far it goes beyond.
    """
    epsilon = parameters.epsilon * parameters.weeks
    found = chance_of_loss(epsilon, parameters.sigma, *contributions_of_all_weeks(parameters))
    return float(found.max())


def _unit(
    unit: str,
    parameters: GaussianParameters,
    square: Ints,
    divisor: Ints,
    n_cells: int,
    weeks: int = 1,
) -> UnitGuarantee:
    sigma, epsilon, delta = parameters.sigma, parameters.epsilon * weeks, min(parameters.delta * weeks, 1.0)
    by_losses = epsilon_of_contribution(delta, sigma, square, divisor, most=epsilon)
    proven = min(accuracy_from_promise(epsilon, delta), 1.0)
    best = 0.5 + float(delta_of_contribution(0.0, sigma, square, divisor).max()) / 2
    certain = math.log(CERTAIN / (1 - CERTAIN))
    return UnitGuarantee(
        unit=unit,
        n_cells=n_cells,
        epsilon=by_losses if unit == "trip" else epsilon,
        delta=delta,
        log10_delta=math.log10(delta),
        epsilon_by_losses=by_losses,
        optimal_accuracy=min(best, proven),
        proven_accuracy=proven,
        certain_share=float(chance_of_loss(certain, sigma, square, divisor).max()),
    )
