"""The membership attack on origin-destination counts: exact, simulated, and beside its bounds.

The attacker knows all other records and the target's unique trips, and decides from the noisy
counts of those flows whether the target is in the data (Houssiau, Rocher, de Montjoye 2022).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.checks import require_between, require_choice, require_whole
from privlab.defaults import MOST_TRIPS
from privlab.dp.attack import ACCURACY_FROM_EPSILON, accuracy_from_promise
from privlab.dp.certainty import claimed_bound, user_level_bounds
from privlab.dp.gaussian import GaussianParameters, accuracies_from_gaussian_parameters
from privlab.dp.noise import NOISES, Mechanism, noise_from_uniform
from privlab.limits import MAX_EPSILON, MAX_REPETITIONS, MAX_TRIPS, MIN_EPSILON
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.stats import clopper_pearson, require_within_bound

Floats = npt.NDArray[np.float64]

_TIE = 1e-9  # losses nearer to zero than this are a tie, decided by a coin
_BLOCK = 4_000_000  # draws held in memory at once


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackParameters:
    """What an attack curve is computed for.

    `epsilon` is the privacy loss per flow, `max_trips` the largest number K of unique trips, `noise`
    the law that ran, `repetitions` the simulated games (0: none).
    """

    epsilon: float
    max_trips: int = MOST_TRIPS
    noise: str = "laplace"
    repetitions: int = 0

    def __post_init__(self) -> None:
        """Check every field."""
        require_between("epsilon", self.epsilon, MIN_EPSILON, MAX_EPSILON)
        require_whole("max_trips", self.max_trips, 0, MAX_TRIPS)
        require_choice("noise", self.noise, NOISES)
        require_whole("repetitions", self.repetitions, 0, MAX_REPETITIONS)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AttackCurve:
    """Success rate against k = 0..K unique trips; every array has shape (K + 1,).

    `simulated`, `low`, `high` (95% Clopper–Pearson) are None without repetitions.
    `first_trips_above_claim` is the least k whose optimal accuracy exceeds the claimed bound, or None.
    """

    parameters: AttackParameters
    n_trips: npt.NDArray[np.int64]
    optimal: Floats
    user_level_bound: Floats
    claimed_bound: float
    first_trips_above_claim: int | None
    simulated: Floats | None
    low: Floats | None
    high: Floats | None


def attack_curve_from_parameters(
    parameters: AttackParameters, rng: np.random.Generator | None = None
) -> AttackCurve:
    """Return the exact attack curve, with simulated games beside it where repetitions are asked for.

    Raises BoundViolation if the games are won more often than the exact optimum allows.
    """
    optimal = ACCURACY_FROM_EPSILON[parameters.noise](parameters.epsilon, parameters.max_trips)
    claim = claimed_bound(parameters.epsilon)
    above = np.flatnonzero(optimal > claim + 1e-12)
    simulated = low = high = None
    if parameters.repetitions:
        if rng is None:
            raise TypeError("simulated games need a generator: pass rng.")
        wins = wins_from_games(parameters, rng)
        require_within_bound(wins, parameters.repetitions, optimal, "simulated attack")
        simulated = wins / parameters.repetitions
        low, high = clopper_pearson(wins, parameters.repetitions)
    return AttackCurve(
        parameters=parameters,
        n_trips=np.arange(parameters.max_trips + 1),
        optimal=optimal,
        user_level_bound=user_level_bounds(parameters.epsilon, parameters.max_trips),
        claimed_bound=claim,
        first_trips_above_claim=int(above[0]) if above.size else None,
        simulated=simulated,
        low=low,
        high=high,
    )


def wins_from_games(parameters: AttackParameters, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return how many of the games the likelihood-ratio test wins for k = 0..K, shape (K + 1,).

    One game tosses a coin for IN or OUT, draws noise for K flows once, and is played on every
    prefix of them, so that the curve is nested.
    """
    wins = np.zeros(parameters.max_trips + 1, dtype=np.int64)
    block = max(1, _BLOCK // max(parameters.max_trips, 1))
    mechanism = Mechanism(noise=parameters.noise, epsilon=parameters.epsilon, l1_sensitivity=1)
    for start in range(0, parameters.repetitions, block):
        games = min(block, parameters.repetitions - start)
        present = rng.random(games) < 0.5
        noise = noise_from_uniform(mechanism, rng.random((games, parameters.max_trips)))
        # The loss of one flow in units of ε, at u = noisy count − known others. Clipping makes ±1
        # exact, where |u| − |u − 1| in floats would let rounding decide the ties.
        loss = np.clip(2 * (noise + present[:, None]) - 1, -1.0, 1.0)
        score = np.zeros((games, parameters.max_trips + 1))
        np.cumsum(loss, axis=1, out=score[:, 1:])
        tie = np.abs(score) < _TIE
        coin = rng.random(games) < 0.5
        guess = np.where(tie, coin[:, None], score > 0)
        wins += np.count_nonzero(guess == present[:, None], axis=0)
    return wins


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoundedAttack:
    """The best attack on a release with a contribution bound, for k = 0..K unique trips, shape (K + 1,).

    A user with more than `max_trips_per_user` L unique trips adds only L of them, each with a loss of
    ε/L: both curves are flat from there, and `proven_bound` ends at e^ε/(1+e^ε).
    """

    max_trips_per_user: int
    optimal: Floats
    proven_bound: Floats


def bounded_attack_from_release_parameters(
    release: ReleaseParameters, max_trips: int
) -> BoundedAttack | None:
    """Return the best attack on everybody's whole week under the release's bound, or None without one."""
    bound = release.max_trips_per_user
    if bound is None:
        return None
    counted = np.minimum(np.arange(require_whole("max_trips", max_trips, 0, MAX_TRIPS) + 1), bound)
    per_cell = release.mechanism.epsilon_per_cell
    curve = ACCURACY_FROM_EPSILON[release.noise](per_cell, int(counted[-1]))
    return BoundedAttack(
        max_trips_per_user=bound,
        optimal=curve[counted],
        proven_bound=np.asarray(scipy.special.expit(per_cell * counted)),
    )


def bounded_attack_from_gaussian_parameters(parameters: GaussianParameters, max_trips: int) -> BoundedAttack:
    """Return the best attack on everybody's whole week with Gaussian noise, where all flows are published.

    `proven_bound` is what (ε, δ) leaves any test, (e^ε + δ)/(1 + e^ε), from one trip on.
    """
    n_trips = require_whole("max_trips", max_trips, 0, MAX_TRIPS)
    proven = np.full(n_trips + 1, accuracy_from_promise(parameters.epsilon, parameters.delta))
    proven[0] = 0.5
    return BoundedAttack(
        max_trips_per_user=parameters.max_trips_per_user,
        optimal=accuracies_from_gaussian_parameters(parameters, n_trips),
        proven_bound=proven,
    )


def share_above_claim(n_unique_trips: npt.ArrayLike, curve: AttackCurve) -> float:
    """Return the share of people with so many unique trips that the attack beats the claimed bound.

    NaN where there is nobody, and where the curve ends below someone's trips before it beats the claim.
    """
    trips = np.asarray(n_unique_trips)
    first = curve.first_trips_above_claim
    if not trips.size or (first is None and trips.max() > curve.n_trips[-1]):
        return float("nan")
    return 0.0 if first is None else float(np.mean(trips >= first))
