"""Parameters of a release with discrete Gaussian noise → σ, and what it promises a trip, a user's week and a user.

Knows how trips are weighted and the law of the noise; no data. Formulas: docs/science.md, section 5.1.
"""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.checks import ParameterError, require_between, require_choice, require_whole
from privlab.defaults import USUAL_THRESHOLD
from privlab.dp.gaussian.discovered_cells import Contributions, contributions_alone, log_unseen
from privlab.dp.gaussian.discrete_gaussian import (
    TOTAL_CAP,
    UNITS,
    accuracy_of_contribution,
    delta_of_contribution,
    sigma_from_contributions,
    sigma_from_promise,
    units_of_total,
    weight_of_trips,
)
from privlab.dp.gaussian.level_weights import (
    contribution_in_one_place,
    contributions_with_levels,
    require_levels,
)
from privlab.dp.noise.mechanisms import CELLS
from privlab.limits import (
    MAX_EPSILON,
    MAX_TARGET_DELTA,
    MAX_THRESHOLD,
    MAX_TOTAL_SHARE,
    MAX_TRIPS_PER_USER,
    MAX_WEEKS,
    MIN_EPSILON,
    MIN_TARGET_DELTA,
)

Ints = npt.NDArray[np.int64]

CLIPS = ("keep", "l2")
TOTAL_SHARE = (
    0.03  # of the squared norm that an unbiased release spends on its total: all noise is 1.5% wider
)
# Unique trips of a user and week that an L2 clip counts; further ones are left out at random, so that the promise,
# worked out for every number of trips up to here, covers everyone. A week has 168 hours.
MOST_TRIPS = MAX_TRIPS_PER_USER
_SPARE = 1e-9  # share of δ by which sums may be off
_LATTICES = 2 ** np.arange(11)  # steps, in units, on which weeks of different weights may add up


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianParameters:
    """What is promised with discrete Gaussian noise: (`epsilon`, `delta`) to a user's whole week.

    `clip` is "keep" (of each user `max_trips_per_user` L trips, chosen at random, count 1 each) or "l2" (all trips
    count, each with the weight ⌊1024·√(L/T)⌋/1024 for T > L). `weeks` is how many weekly releases one user may be in.
    `total_share`, with an L2 clip, is the share of the squared norm L that goes to a noisy total of each week. `levels`, with
    an L2 clip, is how many levels above zones have noisy sums of their own: a trip then weighs less, so that the squares
    of a user over cells and levels add up to L. `counted` is the word for what is bounded, "trips" or "visits".
    With `cells` "discovered" noise goes to the cells found in the data alone, and `delta` is that of the noise: someone who is alone in
    a cell may show by its being published, which `delta_of_week` has too.
    """

    epsilon: float
    delta: float
    max_trips_per_user: int
    clip: str = "l2"
    weeks: int = 1
    threshold: int = USUAL_THRESHOLD
    total_share: float = 0.0
    counted: str = "trips"
    levels: int = 0
    cells: str = "public"

    def __post_init__(self) -> None:
        """Check every field."""
        require_between("epsilon", self.epsilon, MIN_EPSILON, MAX_EPSILON)
        require_between("delta", self.delta, MIN_TARGET_DELTA, MAX_TARGET_DELTA)
        require_whole("max_trips_per_user", self.max_trips_per_user, 1, MAX_TRIPS_PER_USER)
        require_choice("clip", self.clip, CLIPS)
        require_whole("weeks", self.weeks, 1, MAX_WEEKS)
        require_whole("threshold", self.threshold, 0, MAX_THRESHOLD)
        require_between("total_share", self.total_share, 0, MAX_TOTAL_SHARE)
        if self.total_share and self.clip != "l2":
            raise ParameterError(
                "total_share must be 0 with clip keep: a total counts trips that the limit leaves out, and the promise is "
                f"worked out for weighted trips only, got {self.total_share:g}. Take clip l2."
            )
        if require_levels(self.levels) and self.clip != "l2":
            raise ParameterError(
                f"levels must be 0 with clip keep: the promise is worked out for weighted trips only, got {self.levels}. "
                "Take clip l2."
            )
        require_choice("cells", self.cells, CELLS)
        if self.cells == "discovered" and self.threshold < 1:
            raise ParameterError(
                f"threshold must be at least 1 where only discovered cells are published, got {self.threshold}."
            )
        if self.cells == "discovered" and (self.total_share or self.levels):
            raise ParameterError(
                "cells must be public with a total or levels: what both promise is worked out for public cells alone, got "
                "'discovered'. Take no total and no levels."
            )

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
        """σ of the noise on each cell and on a total, in units of 1/1024 of a trip."""
        if self.levels:
            return sigma_from_contributions(self.epsilon, self.delta, *contributions_of_week(self))
        return sigma_from_promise(
            self.epsilon,
            self.delta,
            self.max_trips_per_user,
            most_trips=self.most_trips,
            total=(self.total_units, TOTAL_CAP) if self.total_units else None,
        )

    @property
    def drawn_sigma(self) -> float:
        """σ of the noise of a release for good: the next number of 20 bits from `sigma` on, with which OpenDP draws an eighth faster.

        At most 1 + 2⁻¹⁸ times `sigma`, by which promises are stated. Of discovered cells it is `sigma` itself: wider noise shows
        whoever is alone in a cell more often.

        >>> promise = GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=10)
        >>> round(promise.sigma, 3), promise.drawn_sigma
        (13680.238, 13680.25)
        """
        if self.cells == "discovered":
            return self.sigma
        sigma = _of_few_bits(self.sigma)
        while not self.is_kept_by(sigma):  # on a lattice δ need not fall at each step
            sigma = _of_few_bits(math.nextafter(sigma, math.inf))
        return sigma

    def is_kept_by(self, sigma: float) -> bool:
        """Whether noise of this σ, in units, keeps (ε, δ) for everyone's week, but for rounding in the last places.

        Of discovered cells this is the promise of the noise alone.
        """
        found = delta_of_contribution(self.epsilon, sigma, *contributions_of_week(self))
        return bool((found <= self.delta * (1 + 1e-9)).all())

    @property
    def total_units(self) -> int:
        """Units that each of a user's first TOTAL_CAP trips adds to the noisy total; 0 without one."""
        return units_of_total(self.total_share, self.max_trips_per_user)

    @property
    def norm(self) -> float:
        """The greatest L2 norm of what a user adds in a week, in units: 1024·√L without a total, rounded up."""
        if not self.total_units:
            return math.nextafter(UNITS * math.sqrt(self.max_trips_per_user), math.inf)
        return math.nextafter(math.sqrt(self.greatest_square), math.inf)

    @property
    def greatest_square(self) -> int:
        """What the sum of the squares that a user adds in a week never exceeds, in squared units."""
        return UNITS**2 * self.max_trips_per_user + (self.total_units * TOTAL_CAP) ** 2


def _of_few_bits(number: float) -> float:
    """Return the least number of 20 bits that is not below this one."""
    bit = 2.0 ** (math.frexp(number)[1] - 20)
    return math.ceil(number / bit) * bit


def contributions_of_week(parameters: GaussianParameters) -> tuple[Ints, Ints]:
    """Return Σa² and the divisor of the a for every number of trips that can be the worst placed."""
    if parameters.levels:
        total = (parameters.total_units * TOTAL_CAP) ** 2
        return contributions_with_levels(parameters.max_trips_per_user, parameters.levels, total)
    square, divisor = contribution_of_trips(parameters, np.arange(1, parameters.most_trips + 1))
    near = square >= square.max() * 0.9  # the loss grows with the norm, but for the lattice's step
    return square[near], divisor[near]


def contribution_of_trips(parameters: GaussianParameters, trips: Ints) -> tuple[Ints, Ints]:
    """Return Σa² and the greatest common divisor of the a of people with T ≥ 1 counted trips in a week, shape as `trips`.

    A person adds the weight of T to each of T cells, and so many units a trip to the total where there is one. With levels it is
    that of people whose trips all go from one district to one other, which is the most that T trips can add.
    """
    in_total = parameters.total_units * np.minimum(trips, TOTAL_CAP)
    if parameters.levels:
        square, divisor = contribution_in_one_place(trips, parameters.levels, parameters.max_trips_per_user)
        return square + in_total**2, np.gcd(divisor, in_total)
    weights = weight_of_trips(trips, parameters.max_trips_per_user)
    return trips * weights**2 + in_total**2, np.gcd(weights, in_total)


def contributions_of_all_weeks(parameters: GaussianParameters) -> tuple[Ints, Ints]:
    """Return the same over all weeks.

    Weeks may differ in the number of trips, and then add up on a finer lattice: besides the same number in each
    week, the greatest norm is taken on lattices of every power of two.
    """
    square, divisor = contributions_of_week(parameters)
    if parameters.weeks > 1 and parameters.clip == "l2":
        whole = parameters.greatest_square
        square = np.append(square, np.full(_LATTICES.size, whole))
        divisor = np.append(divisor, _LATTICES)
    return square * parameters.weeks, divisor


def contributions_at_most(parameters: GaussianParameters, *, sigma: float | None = None) -> Contributions:
    """Return what anyone may add in all weeks together, as far as it can be the worst.

    Of discovered cells up to L trips, alone in some of their cells and with others in the rest, exactly. Of more trips, which weigh
    less each, exactly where none is alone, else as an upper bound: all are alone, and all but one with others. Over several weeks
    what is alone is counted as with others, too.
    """
    sigma = parameters.sigma if sigma is None else sigma
    if parameters.cells == "public" or parameters.weeks > 1:
        return _of_weeks(parameters, sigma)
    bound = parameters.max_trips_per_user
    trips = np.arange(bound + 1, parameters.most_trips + 1)  # none where all that count weigh one
    weights = weight_of_trips(trips, bound)
    alone = log_unseen(trips, weights, sigma, parameters.threshold)
    weighted = Contributions(
        square=np.append(trips, trips - 1) * np.tile(weights**2, 2),
        divisor=np.tile(weights, 2),
        log_unseen=np.append(np.zeros(trips.size), alone),
    )
    return contributions_alone(bound, UNITS, sigma, parameters.threshold).and_those(weighted)


def contributions_of_one_week(parameters: GaussianParameters) -> Contributions:
    """Return what anyone may add in one week; of discovered cells the same upper bound as of several weeks, which is sooner gone through."""
    return _of_weeks(replace(parameters, weeks=1), parameters.sigma)


def least_threshold(parameters: GaussianParameters, *, sigma: float | None = None) -> int | None:
    """Return the least threshold with which discovered cells cost a user's week no δ beyond that of the noise.

    None if no threshold that is allowed does. The given threshold is not looked at.

    >>> least_threshold(GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=10, cells="discovered"))
    90
    """
    sigma = parameters.sigma if sigma is None else sigma

    def keeps(threshold: int) -> bool:
        tried = replace(parameters, threshold=threshold, cells="discovered")
        return delta_of_week(tried, sigma=sigma) <= parameters.delta * (1 + _SPARE)

    # Someone alone in one cell shows with δ or less from about here on: no lower threshold can do, and few higher ones must be tried.
    low = max(int(1 - scipy.special.ndtri(parameters.delta) * sigma / UNITS) - 2, 0)
    high = low + 1
    while high <= MAX_THRESHOLD and not keeps(high):
        low, high = high, high + max(1, math.ceil(sigma / UNITS / 4))
    if high > MAX_THRESHOLD:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if keeps(middle) else (middle, high)
    return high


def _of_weeks(parameters: GaussianParameters, sigma: float) -> Contributions:
    square, divisor = contributions_of_all_weeks(parameters)
    unseen = 0.0
    if parameters.cells == "discovered":
        trips = np.arange(1, parameters.most_trips + 1)
        weights = weight_of_trips(trips, parameters.max_trips_per_user)
        unseen = parameters.weeks * float(log_unseen(trips, weights, sigma, parameters.threshold).min())
    return Contributions(square=square, divisor=divisor, log_unseen=np.full(square.shape, unseen))


def delta_of_week(parameters: GaussianParameters, *, sigma: float | None = None) -> float:
    """Return the least δ that stands beside ε for a user's week: that of the noise, more where cells are discovered.

    >>> delta_of_week(GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=10))
    1e-06
    >>> found = GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=10, threshold=60, cells="discovered")
    >>> delta_of_week(found) > 1e-4, delta_of_week(replace(found, threshold=120)) < 1.1e-6
    (True, True)
    """
    if parameters.cells == "public":
        return parameters.delta
    sigma = parameters.sigma if sigma is None else sigma
    one = replace(parameters, weeks=1)
    found = contributions_at_most(one, sigma=sigma).deltas(parameters.epsilon, sigma)
    return max(float(found.max()), parameters.delta)


def accuracies_from_gaussian_parameters(parameters: GaussianParameters, most: int) -> npt.NDArray[np.float64]:
    """Return how often the best test is right about someone with k = 0..most unique trips in one week, shape (most + 1,).

    Prior ½; all of the person's flows are published. Trips beyond those that are counted add nothing.
    """
    trips = np.minimum(np.arange(1, most + 1), parameters.most_trips)
    sigma = parameters.sigma
    square, divisor = contribution_of_trips(parameters, trips)
    found = [
        accuracy_of_contribution(sigma, *one) for one in zip(square.tolist(), divisor.tolist(), strict=True)
    ]
    return np.array([0.5, *found])


@lru_cache(maxsize=2**14)
def accuracy_at_most(parameters: GaussianParameters, *, sigma: float | None = None) -> float:
    """Return how often at most the best test is right about anyone, in all weeks together; prior ½, all flows published.

    `sigma` is that of the parameters, where it is known: to find it takes longer than all else.

    >>> round(accuracy_at_most(GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=10)), 3)
    0.547
    """
    sigma = parameters.sigma if sigma is None else sigma
    return 0.5 + float(contributions_at_most(parameters, sigma=sigma).deltas(0.0, sigma).max()) / 2


def chance_above_at_most(
    parameters: GaussianParameters, above: float, *, sigma: float | None = None
) -> float:
    """Return how often, at most, an attacker ends more than `above` certain that someone who is in is in, after all weeks.

    Parameters as of `accuracy_at_most`; `above` lies between ½ and 1.
    """
    if require_between("above", above, 0.5, 1) == 1:
        return 0.0
    sigma = parameters.sigma if sigma is None else sigma
    loss = math.log(above / (1 - above))
    return float(contributions_at_most(parameters, sigma=sigma).chances_of_loss(loss, sigma).max())
