"""A promise to a user's week → what it is to a part of it: some trips more or less, or any number, while all else stays as it is.

A limit makes it more than the part's own counts: with a trip less another may be chosen in its place, or all others weigh more.
docs/science.md, section 5.11.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_whole
from privlab.dp.attack.composition import deltas_from_composed_cells
from privlab.dp.gaussian.discovered_cells import log_unseen
from privlab.dp.gaussian.discrete_gaussian import (
    TOTAL_CAP,
    UNITS,
    deltas_of_contributions,
    weight_of_trips,
)
from privlab.dp.gaussian.gaussian_parameters import MOST_TRIPS, GaussianParameters, contributions_of_one_week
from privlab.dp.gaussian.level_weights import LEVEL_SHIFTS
from privlab.dp.promise.guarantees import GuaranteeParameters

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST_PARTS = 24
_ENDLESS = 500.0  # an ε beyond which e^ε is not worked out
_LATTICES = 2 ** np.arange(11)  # steps, in units, on which what changes may lie


@dataclass(frozen=True, slots=True, kw_only=True)
class PartPromise:
    """What a promise to a user's week is to a part of it: `n` trips, or visits, of the user more or less; None: any number of them."""

    promise: GuaranteeParameters | GaussianParameters
    n: int | None

    def __post_init__(self) -> None:
        """Check the number, and that the promise is one to a person."""
        if self.n is not None:
            require_whole("n", self.n, 1, MOST_PARTS)
        if self.promise.max_trips_per_user is None:
            raise ParameterError("max_trips_per_user must be given for a promise to a person, got none.")

    @property
    def bound(self) -> int:
        """The bound L of the promise."""
        return self.promise.max_trips_per_user or 0

    @property
    def is_weighted(self) -> bool:
        """Whether all trips count, weighted; else L at random."""
        return isinstance(self.promise, GaussianParameters) and self.promise.clip == "l2"

    @property
    def most_changes(self) -> int:
        """Counts that change by one at most, where L trips are chosen at random."""
        return 2 * (self.bound if self.n is None else min(self.n, self.bound))

    @property
    def chances(self) -> Floats:
        """How likely 0, 1, 2 … counts change, a row for 0 … L trips that stay; of any number taken out all L may be others."""
        if self.n is not None:
            return chances_of_changes(self.bound, self.n)
        found = np.zeros((self.bound + 1, self.most_changes + 1))
        others = np.arange(self.bound + 1)
        found[others, self.bound + others] = 1.0
        return found


def chances_of_changes(bound: int, n: int) -> Floats:
    """Return how likely 0, 1, 2 … counts change by one when n trips of a user are taken out, shape (L + 1, 2·min(n, L) + 1).

    A row for 0 … L other trips of the user, of whom L at random count before and after. The first L in one random order are such a
    choice in both worlds: j of the n are among them, and others take as many places as are free. More other trips, or fewer taken
    out, change fewer counts.

    >>> chances_of_changes(1, 1).tolist()  # alone it changes one count; beside one other it counts in half of the cases, and changes two
    [[0.0, 1.0, 0.0], [0.5, 0.0, 0.5]]
    """
    import scipy.stats

    found = np.zeros((bound + 1, 2 * min(n, bound) + 1))
    for others in range(bound + 1):
        counted = min(bound, others + n)
        j = np.arange(max(0, counted - others), min(n, counted) + 1)
        changes = 2 * j + min(bound, others) - counted
        np.add.at(found[others], changes, scipy.stats.hypergeom.pmf(j, others + n, n, counted))
    return found


def contributions_of_part(promise: GaussianParameters, n: int | None) -> tuple[Ints, Ints]:
    """Return Σa² and the divisor of the a by which up to n trips of a user, or any number, move the weighted numbers, of the worst placed.

    a are the changes in units. Any number moves them by no more than the user's week out and what stays in again: neither is longer
    than the limit allows, and no number is below 0, so that the two are at a right angle at the most. Without levels for every number
    of trips of the user, before and after; with levels by a bound: weights that keep a norm are a projection on a ball, which brings no
    two closer apart than they were, but for the rounding.
    """
    in_total = promise.total_units * (TOTAL_CAP if n is None else min(n, TOTAL_CAP))
    if n is None:
        apart = 2 * promise.max_trips_per_user * UNITS**2 + in_total**2
        return np.full(_LATTICES.size, apart, dtype=np.int64), _LATTICES.astype(np.int64)
    if promise.levels:
        return _part_with_levels(promise, n, in_total)
    weight = weight_of_trips(np.arange(MOST_TRIPS + 1), promise.max_trips_per_user)
    after, taken = (
        one.ravel() for one in np.meshgrid(np.arange(MOST_TRIPS), np.arange(1, n + 1), indexing="ij")
    )
    fits = after + taken <= MOST_TRIPS
    after, taken = after[fits], taken[fits]
    own = weight[after + taken]
    more = np.where(after > 0, weight[after] - own, 0)
    total = promise.total_units * (np.minimum(after + taken, TOTAL_CAP) - np.minimum(after, TOTAL_CAP))
    square = taken * own**2 + after * more**2 + total**2
    divisor = np.gcd(np.gcd(own, more), total)
    # Of whoever has more trips than are weighted, some are chosen at random: each taken out lets another in.
    low, high = int(weight[MOST_TRIPS]), int(weight[MOST_TRIPS - n])
    beyond = 2 * n * high**2 + MOST_TRIPS * (high - low) ** 2 + in_total**2
    square = np.append(square, np.full(_LATTICES.size, beyond))
    divisor = np.append(divisor, _LATTICES)
    return _greatest_by_divisor(square, divisor)


def _part_with_levels(promise: GaussianParameters, n: int, in_total: int) -> tuple[Ints, Ints]:
    shifts = LEVEL_SHIFTS[: promise.levels]
    apart = n + sum(n**2 / 4**shift for shift in shifts)
    longest = MOST_TRIPS + sum(MOST_TRIPS**2 / 4**shift for shift in shifts)
    whole = UNITS * math.sqrt(promise.max_trips_per_user)
    rounded = min((1 << shifts[-1]) * math.sqrt(longest), whole)
    norm = min(UNITS * math.sqrt(apart) + rounded, math.sqrt(2) * whole)
    square = math.ceil(norm**2) + in_total**2
    return np.full(_LATTICES.size, square, dtype=np.int64), _LATTICES.astype(np.int64)


def _greatest_by_divisor(square: Ints, divisor: Ints) -> tuple[Ints, Ints]:
    """Return the greatest sum of squares for each step of a lattice, where it is near the greatest of all."""
    near = square >= square.max() * 0.9
    steps, place = np.unique(divisor[near], return_inverse=True)
    greatest = np.zeros(steps.size, dtype=np.int64)
    np.maximum.at(greatest, place, square[near])
    return greatest, steps.astype(np.int64)


def deltas_of_part(part: PartPromise, epsilon: Floats) -> Floats:
    """Return the least δ at every ε ≥ 0 that covers the part, whoever is in the data, cells that show by being there apart; shape (G,)."""
    promise, n, unseen = part.promise, part.n, log_unseen_of_part(part)
    if unseen < 0:
        # With P = seen + q·p and Q = seen + q·p′, P(S) − e^ε·Q(S) is at most 1 − q and what the rest tells at ε + ln q; 1 − q is apart.
        beyond = np.maximum(-np.expm1(epsilon + unseen), 0.0)
        public = replace(part, promise=replace(promise, cells="public"))
        return deltas_of_part(public, np.maximum(epsilon + unseen, 0.0)) + beyond
    if isinstance(promise, GaussianParameters) and part.is_weighted:
        square, divisor = contributions_of_part(promise, n)
        return deltas_of_contributions(epsilon, promise.sigma, square, divisor)
    if n is None:  # all L of the choice may be others: 2L counts change for certain, and fewer tell less
        return np.asarray(_deltas_of_changes(promise, [part.most_changes], epsilon)[0], dtype=np.float64)
    chances, every = part.chances, range(1, part.most_changes + 1)
    # A choice at random is a mixture, and δ at one ε never exceeds the mean of its parts (joint convexity).
    fewer = chances[:-1, 1:] @ _deltas_of_changes(promise, every, epsilon)
    # With L others or more it may change nothing, and is then the other world itself: δ(ε′) of the whole is that of the rest at a larger ε,
    # e^ε′ = 1 + q(e^ε − 1), q the chance of any change (Balle, Barthe, Gaboardi, NeurIPS 2018, theorem 2).
    q = 1 - chances[-1, 0]
    amplified = np.log1p(np.expm1(np.minimum(epsilon, _ENDLESS)) / q)
    enough = chances[-1, 1:] @ _deltas_of_changes(promise, every, amplified)
    return np.asarray(np.maximum(fewer.max(axis=0), enough), dtype=np.float64)


def log_unseen_of_part(part: PartPromise) -> float:
    """Return ln of the least chance that no cell tells by being published which of the two worlds is the true one; 0 for public cells.

    With Gaussian noise, of which trips kept by choice, or let in by it, may be as many again as those taken out.
    """
    promise = part.promise
    if not isinstance(promise, GaussianParameters) or promise.cells == "public":
        return 0.0
    if part.is_weighted and part.n is None:  # the week out, and what stays in again
        return 2 * float(contributions_of_one_week(promise).log_unseen.min())
    changes = 2 * part.n if part.is_weighted and part.n is not None else part.most_changes
    return float(log_unseen(np.array([changes]), np.array([UNITS]), promise.sigma, promise.threshold)[0])


def greatest_loss(part: PartPromise, per_cell: float) -> float:
    """Return the ε that integer noise promises a part for certain, from the loss of one count."""
    if part.most_changes * per_cell > _ENDLESS:
        return part.most_changes * per_cell
    q = 1 - float(part.chances[-1, 0])
    enough = math.log1p(q * math.expm1(part.most_changes * per_cell))
    return max(enough, (part.most_changes - 1) * per_cell)


def _deltas_of_changes(
    promise: GuaranteeParameters | GaussianParameters, changes: Sequence[int], epsilon: Floats
) -> Floats:
    """Return δ at every ε where so many counts change by one, each at least 1, shape (C, G)."""
    if isinstance(promise, GaussianParameters):
        sigma = promise.sigma
        return np.stack([deltas_of_contributions(epsilon, sigma, one * UNITS**2, UNITS) for one in changes])
    per_cell = promise.mechanism.epsilon_per_cell
    return np.stack([deltas_from_composed_cells(promise.noise, per_cell, one, epsilon) for one in changes])
