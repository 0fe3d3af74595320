"""Many weekly releases, of whatever noise → what all of them together cost one person: ε at one δ, and ρ.

Knows promises to a user's week and how often each was made; no ledger and no data. Each week's trade-off curve is
exact; it is laid on one lattice so that the lattice's law promises less (connect the dots), and the laws are
composed by dp-accounting. The whys: docs/science.md, section 5.2.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_between
from privlab.dp.attack.composition import deltas_from_composed_cells
from privlab.dp.certainty.certainty_bounds import LEAST_DELTA
from privlab.dp.composing.parts_of_a_week import (
    PartPromise,
    contributions_of_part,
    deltas_of_part,
    greatest_loss,
    log_unseen_of_part,
)
from privlab.dp.gaussian.discrete_gaussian import (
    UNITS,
    deltas_of_contributions,
    epsilon_of_contribution,
    zcdp_of_contribution,
)
from privlab.dp.gaussian.gaussian_parameters import (
    GaussianParameters,
    contributions_of_one_week,
    contributions_of_week,
    delta_of_week,
)
from privlab.dp.promise.guarantees import GuaranteeParameters, log10_discovery_delta
from privlab.limits import MAX_TARGET_DELTA

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

Floats = npt.NDArray[np.float64]

_STEPS = 64  # lattice points per standard deviation of the narrowest loss
_MOST_POINTS = 2**18  # lattice points of all losses together
_REACH = 9.0  # standard deviations of a loss that the lattice holds; what lies beyond counts as lost
_LEAST_TARGET = 1e-9  # far above what sums over a lattice leave out
_FAR = 3.0  # times the ε of a week, which no part of it costs
_ROUNDING = 1e-6  # share of δ kept back for the rounding of sums


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPromise:
    """(ε, δ) to a person and nothing more, as of a release whose noise is not known any more."""

    epsilon: float
    delta: float


WeekPromise = GuaranteeParameters | GaussianParameters | KnownPromise | PartPromise
"""To a user's week, or to a part of it."""


def part_of_promise(
    promise: GuaranteeParameters | GaussianParameters | KnownPromise, n: int | None
) -> WeekPromise:
    """Return what a promise to a user's week is to n trips or visits of it, or to any number of them.

    Of a promise of which no more than (ε, δ) is known: all the user's trips out, and those that stay in again.
    """
    if isinstance(promise, KnownPromise):
        return KnownPromise(
            epsilon=2 * promise.epsilon, delta=min(promise.delta * (1 + math.exp(promise.epsilon)), 1.0)
        )
    return PartPromise(promise=promise, n=n)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What one privacy unit has lost in all: (`epsilon`, `delta`), and (`added_epsilon`, `added_delta`) added up.

    Both pairs hold. `rho` is that of zero-concentrated differential privacy, None where a part of the spending has
    none, as a δ for discovered cells.
    """

    epsilon: float
    delta: float
    rho: float | None
    added_epsilon: float
    added_delta: float


def spending_from_promises(promises: Iterable[WeekPromise], target_delta: float) -> Spending:
    """Return what somebody loses whom all of these promises were made to, one for each week of each release.

    Parameters
    ----------
    promises : iterable
        To a user's week each, or to a part of it; a `KnownPromise` may be to more. `weeks` of the parameters is not looked at.
    target_delta : float
        δ that the privacy loss distribution may spend. What is lost whatever ε is (discovered cells, the δ of a
        KnownPromise) comes on top: `Spending.delta` is both together.

    Returns
    -------
    Spending
        Never too small: the lattice rounds upwards, and the sum is taken where it is less.

    Raises
    ------
    ParameterError
        If a promise without a bound is among them: it is none to a person.

    >>> week = GuaranteeParameters(epsilon=2 / 52, max_trips_per_user=20)
    >>> found = spending_from_promises([week] * 52, 1e-6)
    >>> round(found.epsilon, 2), round(found.added_epsilon, 6)
    (0.24, 2.0)
    """
    counted = Counter(promises)
    target_delta = require_between("target_delta", target_delta, _LEAST_TARGET, MAX_TARGET_DELTA)
    return _spending(tuple(sorted(counted.items(), key=repr)), target_delta)


@lru_cache(maxsize=256)
def _spending(counted: tuple[tuple[WeekPromise, int], ...], target_delta: float) -> Spending:
    costs = [(_cost(one), times) for one, times in counted]
    lost = math.fsum(cost.lost * times for cost, times in costs)
    added_epsilon = math.fsum(cost.epsilon * times for cost, times in costs)
    added_delta = math.fsum(cost.delta * times for cost, times in costs)
    rho = [None if cost.rho is None else cost.rho * times for cost, times in costs]
    delta = target_delta + lost
    if delta >= 1:
        epsilon, delta = 0.0, 1.0
    else:
        epsilon = _composed_epsilon(costs, delta * (1 - _ROUNDING)) if costs else 0.0
    return Spending(
        epsilon=min(epsilon, added_epsilon) if added_delta <= delta else epsilon,
        delta=delta if costs else 0.0,
        rho=None if None in rho else math.fsum(one for one in rho if one is not None),
        added_epsilon=added_epsilon,
        added_delta=min(added_delta, 1.0),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cost:
    """A promise as numbers: (ε, δ), the part of δ that is lost at any ε, ρ, and mean and spread of the loss.

    `unseen` is a loss that comes on top for whoever is not seen in cells of their own, 0 where there are none or the curve has it already.
    """

    promise: WeekPromise
    epsilon: float
    delta: float
    lost: float
    rho: float | None
    mean: float
    spread: float
    unseen: float = 0.0

    @property
    def reach(self) -> float:
        """The greatest loss that a lattice must hold."""
        far = self.unseen + self.mean + _REACH * self.spread
        return far if _is_gaussian(self.promise) else min(far, self.epsilon)


def _is_gaussian(promise: WeekPromise) -> bool:
    return isinstance(promise.promise if isinstance(promise, PartPromise) else promise, GaussianParameters)


def _cost_of_part(part: PartPromise) -> _Cost:
    """Return the cost of the greatest changes, whoever is in the data; a mixture of smaller ones costs no more."""
    promise = part.promise
    if isinstance(promise, GaussianParameters):
        if part.is_weighted:
            square, divisor = contributions_of_part(promise, part.n)
        else:
            square, divisor = np.array([part.most_changes * UNITS**2]), np.array([UNITS])
        rho = zcdp_of_contribution(promise.sigma, int(square.max()))
        epsilon = epsilon_of_contribution(
            promise.delta, promise.sigma, square, divisor, most=_FAR * promise.epsilon
        )
        unseen = log_unseen_of_part(part)
        lost = -math.expm1(unseen)
        return _Cost(
            promise=part,
            epsilon=epsilon - unseen,
            delta=promise.delta + lost,
            lost=lost,
            rho=rho if promise.cells == "public" else None,
            mean=rho,
            spread=math.sqrt(2 * rho),
            unseen=-unseen,
        )
    changes, per_cell = part.most_changes, promise.mechanism.epsilon_per_cell
    log10_delta = log10_discovery_delta(promise, changes)
    lost = 0.0 if log10_delta is None else max(float(10**log10_delta), LEAST_DELTA)
    return _Cost(
        promise=part,
        epsilon=greatest_loss(part, per_cell),
        delta=lost,
        lost=lost,
        rho=changes * per_cell**2 / 2 if log10_delta is None else None,
        mean=changes * per_cell * math.tanh(per_cell / 2),
        spread=per_cell * math.sqrt(changes),
    )


def _cost(promise: WeekPromise) -> _Cost:
    if isinstance(promise, PartPromise):
        return _cost_of_part(promise)
    epsilon = promise.epsilon
    if isinstance(promise, KnownPromise):
        rho = epsilon**2 / 2 if promise.delta == 0 else None
        delta = lost = promise.delta
        mean, spread = epsilon, epsilon
    elif isinstance(promise, GaussianParameters):
        mean = zcdp_of_contribution(promise.sigma, int(contributions_of_week(promise)[0].max()))
        spread, is_public = math.sqrt(2 * mean), promise.cells == "public"
        rho = mean if is_public else None
        delta, lost = delta_of_week(promise), contributions_of_one_week(promise).most_seen
    else:
        n_cells = _bound(promise)
        log10_delta = log10_discovery_delta(promise, n_cells)
        delta = lost = 0.0 if log10_delta is None else max(float(10**log10_delta), LEAST_DELTA)
        per_cell = promise.mechanism.epsilon_per_cell
        rho = n_cells * per_cell**2 / 2 if log10_delta is None else None
        mean = n_cells * per_cell * math.tanh(per_cell / 2)
        spread = per_cell * math.sqrt(n_cells)
    return _Cost(promise=promise, epsilon=epsilon, delta=delta, lost=lost, rho=rho, mean=mean, spread=spread)


def _bound(promise: GuaranteeParameters) -> int:
    if promise.max_trips_per_user is None:
        raise ParameterError("max_trips_per_user must be given for a promise to a person, got none.")
    return promise.max_trips_per_user


def _composed_epsilon(costs: list[tuple[_Cost, int]], delta: float) -> float:
    """Return the least ε of the composed lattice laws at δ, which is above all that is lost whatever ε is."""
    whole = math.fsum(2 * cost.reach * times for cost, times in costs)
    width = max(min(cost.spread for cost, _ in costs) / _STEPS, whole / _MOST_POINTS)
    composed: PrivacyLossDistribution | None = None
    for cost, times in costs:
        law = _lattice_law(cost, width).self_compose(times)
        composed = law if composed is None else composed.compose(law)
    if composed is None:
        return 0.0
    return max(float(composed.get_epsilon_for_delta(delta)), 0.0)


def _lattice_law(cost: _Cost, width: float) -> "PrivacyLossDistribution":
    """Return a law on the multiples of a width that promises less than the promise, and hardly less.

    The curve δ(e^ε) is convex; the lattice's law has its corners on it, and so lies above it between them. A curve
    that is the greatest of several covers each of them. Every promise here is the same with and without the person:
    δ(−ε) = 1 − e^{−ε}·(1 − δ(ε)). Up to what is lost by not being seen the curve is one chord.
    """
    from dp_accounting.pld import pld_pmf, privacy_loss_distribution

    last = math.ceil(cost.reach / width)
    point = np.arange(last + 1)
    if cost.unseen:
        point = np.append(0, point[max(int(cost.unseen / width), 1) :])
    grid = np.asarray(width * point, dtype=np.float64)
    curve = _curve(cost, grid)
    if cost.unseen:  # a curve cut off at 1 bends the wrong way; the steepest chord from there lies below it, and above what is promised
        steepest = 1 + int(np.argmin((curve[1:] - curve[0]) / np.expm1(grid[1:])))
        kept = np.append(0, np.arange(steepest, grid.size))
        point, grid, curve = point[kept], grid[kept], curve[kept]
    below = 1 - np.exp(-grid[:0:-1]) * (1 - curve[:0:-1])
    deltas = np.minimum.accumulate(np.clip(np.concatenate((below, curve)), 0.0, 1.0))
    law = pld_pmf.create_pmf_pessimistic_connect_dots(width, np.append(-point[:0:-1], point), deltas)
    return privacy_loss_distribution.PrivacyLossDistribution(law)


def _curve(cost: _Cost, epsilon: Floats) -> Floats:
    """Return δ(ε) of one promise at every ε ≥ 0."""
    promise = cost.promise
    if isinstance(promise, PartPromise):
        return np.minimum(deltas_of_part(promise, epsilon) + cost.lost, 1.0)
    if isinstance(promise, KnownPromise):  # the worst mechanism that keeps it: a coin, and all is told with δ
        gap = -np.expm1(np.minimum(epsilon - promise.epsilon, 0.0)) / (1 + math.exp(-promise.epsilon))
        return np.asarray(promise.delta + (1 - promise.delta) * gap)
    if isinstance(promise, GaussianParameters):
        added, sigma = contributions_of_one_week(promise), promise.sigma
        if not added.log_unseen.any():
            return deltas_of_contributions(epsilon, sigma, added.square, added.divisor)
        return np.array([added.deltas(one, sigma).max() for one in epsilon.tolist()])
    per_cell = promise.mechanism.epsilon_per_cell
    return np.minimum(
        deltas_from_composed_cells(promise.noise, per_cell, _bound(promise), epsilon) + cost.lost, 1.0
    )
