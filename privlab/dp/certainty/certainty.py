"""How certain an attacker becomes that someone is in a release: the law of the posterior, exactly.

Mean accuracy says how often the best guess is right over all outputs; this module says how sure the attacker is
after each. Knows cells, noise and thresholds; nothing of users beyond how many of their trips are counted.
Formulas and reference numbers: docs/science.md, section 2.5. No simulation here.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.checks import ParameterError, require_between, require_choice, require_whole
from privlab.dp.attack.exact_accuracy import require_counts
from privlab.dp.certainty.loss_tails import Ints, exposed_tail, outcomes_below_threshold
from privlab.dp.noise.mechanisms import NOISES, mechanism_from_bound
from privlab.limits import (
    MAX_CELLS_ATTACKED,
    MAX_CELLS_COMPOSED,
    MAX_EPSILON,
    MAX_PRIOR,
    MAX_THRESHOLD,
    MAX_TRIPS_PER_USER,
    MAX_WEEKS,
    MIN_EPSILON,
    MIN_PRIOR,
)
from privlab.stats import binomial_upper_tail

FALSE_POSITIVE_RATES = (0.01, 0.001)
_TIE = 1e-9  # losses this close are one value
_HALVINGS = 60  # of the range in which a test's threshold is sought
_BAR = 0.02  # width of a bar of the law of the posterior


@dataclass(frozen=True, slots=True, kw_only=True)
class CertaintyParameters:
    """A person with so many trips, a plan for a release, and a question about certainty.

    `epsilon` is promised to a trip, or with a bound to a person's week; noise then has scale
    `max_trips_per_user`/epsilon. `trips` are the person's unique trips in each of `weeks` released weeks, of which
    a bound counts at most so many. With a `threshold`, `counts` are the others in each of the person's flows, the
    same in every week, and `trips` is their number. `above` is the certainty asked about; None for what the
    claim comes to from that prior, σ(ε + logit(prior)): e^ε/(1 + e^ε) from ½.
    """

    epsilon: float
    trips: int
    noise: str = "laplace"
    max_trips_per_user: int | None = None
    weeks: int = 1
    threshold: int | None = None
    counts: tuple[int, ...] | None = None
    prior: float = 0.5
    above: float | None = None

    def __post_init__(self) -> None:
        """Check every field, and that they fit one another."""
        require_between("epsilon", self.epsilon, MIN_EPSILON, MAX_EPSILON)
        require_whole("trips", self.trips, 0, MAX_CELLS_ATTACKED)
        require_choice("noise", self.noise, NOISES)
        if self.max_trips_per_user is not None:
            require_whole("max_trips_per_user", self.max_trips_per_user, 1, MAX_TRIPS_PER_USER)
        require_whole("weeks", self.weeks, 1, MAX_WEEKS)
        require_between("prior", self.prior, MIN_PRIOR, MAX_PRIOR)
        if self.above is not None:
            require_between("above", self.above, 0, 1)
        if self.n_cells > MAX_CELLS_COMPOSED:
            raise ParameterError(
                f"trips counted over all weeks must be at most {MAX_CELLS_COMPOSED:,}, got {self.n_cells:,}."
            )
        require_threshold_and_counts(self.threshold, self.counts, self.trips, self.max_trips_per_user)

    @property
    def epsilon_per_cell(self) -> float:
        """Privacy loss of one cell."""
        return mechanism_from_bound(self.noise, self.epsilon, self.max_trips_per_user).epsilon_per_cell

    @property
    def n_cells(self) -> int:
        """Cells that the person is counted in, over all weeks."""
        return min(self.trips, self.max_trips_per_user or self.trips) * self.weeks

    @property
    def asked(self) -> float:
        """The certainty asked about."""
        return claim_from_prior(self.epsilon, self.prior) if self.above is None else self.above


def claim_from_prior(epsilon: float, prior: float) -> float:
    """Return how certain an attacker with a prior may end at most by what ε claims.

    >>> round(claim_from_prior(0.66, 0.5), 6), round(claim_from_prior(0.66, 0.99), 6)
    (0.65926, 0.994806)
    """
    return float(scipy.special.expit(epsilon + scipy.special.logit(prior)))


def require_threshold_and_counts(
    threshold: int | None, counts: tuple[int, ...] | None, trips: int, most: int | None
) -> None:
    """Raise ParameterError unless both are given or neither, with one count for each trip, of which at most so many are counted."""
    if (threshold is None) != (counts is None):
        given = "threshold" if counts is None else "counts"
        raise ParameterError(f"threshold and counts must be given together, got {given} alone.")
    if threshold is None or counts is None:
        return
    require_whole("threshold", threshold, 0, MAX_THRESHOLD)
    require_counts(counts)
    if len(counts) != trips:
        raise ParameterError(f"counts must be as many as trips ({trips:,}), got {len(counts):,}.")
    if most is not None and len(counts) > most:
        raise ParameterError(
            f"counts must be at most max_trips_per_user ({most:,}), the trips that are counted, got {len(counts):,}."
        )


class CertaintyQuestion(Protocol):
    """Whom certainty is asked about, and which."""

    @property
    def epsilon(self) -> float:
        """What is promised, to a trip or to a person's week."""
        ...

    @property
    def trips(self) -> int:
        """The person's unique trips in a week."""
        ...

    @property
    def prior(self) -> float:
        """How likely the attacker held it beforehand that the person is in."""
        ...

    @property
    def asked(self) -> float:
        """The certainty asked about."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Certainty:
    """How certain an attacker becomes, over the noise.

    `accuracy` is how often the best guess is right. `in_above` and `out_above` are the chances that the attacker
    ends more certain than `parameters.asked` that the person is in, for someone who is and for someone who is
    not; `either_way` the chance, prior included, to end more certain than that of one of the two answers.
    `largest` is the greatest posterior there is. `tpr_at` gives, for shares of people who are not in that a
    test may accuse, the share of those who are in that the best such test finds.
    """

    parameters: CertaintyQuestion
    accuracy: float
    in_above: float
    out_above: float
    either_way: float
    largest: float
    tpr_at: dict[float, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PosteriorLaw:
    """Where the attacker's certainty that the person is in ends, over the noise.

    `edges` (B + 1,) are posteriors from 0 to 1, one of them the certainty asked about; `in_share` and `out_share`
    (B,) the chance to end above an edge and not above the next, for someone who is in and for someone who is not.
    """

    certainty: Certainty
    edges: npt.NDArray[np.float64]
    in_share: npt.NDArray[np.float64]
    out_share: npt.NDArray[np.float64]


def certainty_from_parameters(parameters: CertaintyParameters) -> Certainty:
    """Return how certain the best attacker becomes of a person under a plan; within 1e-6 of the truth.

    >>> found = certainty_from_parameters(CertaintyParameters(epsilon=0.66, trips=2))
    >>> round(found.in_above, 6), round(found.out_above, 6)
    (0.401496, 0.123549)
    """
    return _certainty_from_law(
        _law_from_parameters(parameters), parameters, _sure_loss(parameters), _largest_loss(parameters)
    )


def posterior_law_from_parameters(parameters: CertaintyParameters) -> PosteriorLaw:
    """Return the law of the posterior in bars, with the certainty that it amounts to.

    >>> law = posterior_law_from_parameters(CertaintyParameters(epsilon=0.66, trips=2))
    >>> round(float(law.in_share[law.edges[:-1] >= law.certainty.parameters.asked].sum()), 6)
    0.401496
    """
    law = _law_from_parameters(parameters)
    return posterior_law_from_losses(law, parameters, _sure_loss(parameters), _largest_loss(parameters))


def posterior_law_from_losses(
    law: "LossLaw", question: CertaintyQuestion, sure: float, largest: float
) -> PosteriorLaw:
    """Return the law of the posterior in bars; `sure` are the log odds of what is asked, `largest` is the greatest loss there is."""
    asked, odds = question.asked, float(scipy.special.logit(question.prior))
    up, down = np.arange(asked, 1, _BAR)[1:], np.arange(asked, 0, -_BAR)[:0:-1]
    inner = np.concatenate([down, [asked], up])
    losses = scipy.special.logit(inner) - odds
    losses[down.size] = sure - odds
    above = np.array([(1.0, 1.0), *(law.above(float(loss)) for loss in losses), (0.0, 0.0)])
    shares = np.clip(-np.diff(above, axis=0), 0, 1)
    return PosteriorLaw(
        certainty=_certainty_from_law(law, question, sure, largest),
        edges=np.concatenate([[0.0], inner, [1.0]]),
        in_share=shares[:, 0],
        out_share=shares[:, 1],
    )


def first_trips_above_claim(
    epsilon: float, noise: str = "laplace", *, bound: int | None = None
) -> int | None:
    """Return the least number of trips with which an attacker can end more certain than e^ε/(1 + e^ε); None if none.

    >>> first_trips_above_claim(0.66), first_trips_above_claim(0.66, bound=10)
    (2, None)
    """
    for trips in range(1, (bound or 2) + 1):
        parameters = CertaintyParameters(epsilon=epsilon, trips=trips, noise=noise, max_trips_per_user=bound)
        # No loss is greater than that of all cells together; it is reached where all noise falls one way.
        if parameters.n_cells * parameters.epsilon_per_cell > epsilon + _TIE:
            return trips
    return None


def greatest_chance_above(noise: str, epsilon_per_cell: float, n_cells: int, above: float) -> float:
    """Return how often, at most, an attacker ends more than `above` certain that someone who is in is in.

    Of people counted in at most `n_cells` cells, all of them published; `above` is at least ½, and so is the prior.
    Of two people whose numbers of cells are both even or both odd, the one with more is worse placed; so the worst
    has all cells or one less. Proven for integer noise, computed for real noise: docs/science.md, section 2.5.

    >>> round(greatest_chance_above("integer", 0.066, 520, 0.95), 6)
    0.118846
    """
    require_choice("noise", noise, NOISES)
    require_between("above", above, 0.5, 1)
    most = require_whole("n_cells", n_cells, 0, MAX_CELLS_COMPOSED)
    loss = float(scipy.special.logit(above)) + _TIE
    numbers = [n for n in (most - 1, most) if n * epsilon_per_cell > loss]
    if noise == "integer":
        truth = float(scipy.special.expit(epsilon_per_cell))
        least = [math.floor((n + loss / epsilon_per_cell) / 2) + 1 for n in numbers]
        chances = binomial_upper_tail(least, numbers, truth)
    else:
        at = np.array([loss])
        chances = np.array([exposed_tail(noise, epsilon_per_cell, n)(at)[0] for n in numbers])
    return min(max(float(np.max(chances, initial=0.0)), 0.0), 1.0)


def _sure_loss(parameters: CertaintyParameters) -> float:
    """Return the log odds of the certainty asked about.

    Those of the claim are ε itself more than those held beforehand: those of a rounded chance near 1 would miss the atom there.
    """
    if parameters.above is not None:
        return float(scipy.special.logit(parameters.above))
    return parameters.epsilon + float(scipy.special.logit(parameters.prior))


def _largest_loss(parameters: CertaintyParameters) -> float:
    return parameters.n_cells * parameters.epsilon_per_cell


def _certainty_from_law(
    law: "LossLaw", question: CertaintyQuestion, sure: float, largest: float
) -> Certainty:
    prior, asked = question.prior, question.asked
    odds = float(scipy.special.logit(prior))
    in_above, out_above = law.above(sure - odds)
    in_surely_out, out_surely_out = law.below(-sure - odds)
    one_way = prior * (in_above + in_surely_out) + (1 - prior) * (out_above + out_surely_out)
    guessed_in, guessed_wrongly = law.above(-odds)
    return Certainty(
        parameters=question,
        accuracy=max(prior * guessed_in + (1 - prior) * (1 - guessed_wrongly), prior, 1 - prior),
        in_above=in_above,
        out_above=out_above,
        either_way=min(one_way, 1.0) if asked >= 0.5 else 1.0,
        largest=float(scipy.special.expit(largest + odds)),
        tpr_at={rate: law.found_at(rate) for rate in FALSE_POSITIVE_RATES},
    )


class LossLaw:
    """The loss of all that is seen of a person, under IN and under OUT; `reach` is what hardly any loss lies beyond."""

    def __init__(self, reach: float) -> None:
        self._reach = reach

    def above(self, loss: float) -> tuple[float, float]:
        """Return P(ℓ > loss) under IN and under OUT; a loss within a rounding error counts as equal."""
        return self._above_in(loss + _TIE), self._above_out(loss + _TIE)

    def below(self, loss: float) -> tuple[float, float]:
        """Return P(ℓ < loss) under IN and under OUT."""
        return 1 - self._above_in(loss - _TIE), 1 - self._above_out(loss - _TIE)

    def found_at(self, rate: float) -> float:
        """Return the share found by the best test that accuses at most a share `rate` under OUT.

        By Neyman and Pearson: at the least t with P(ℓ > t, OUT) ≤ rate it is P(ℓ > t, IN) and e^t times what
        is left of the rate, which is spent at an atom.
        """
        low, high = -self._reach - 1, -math.log(rate)  # P(ℓ > t, OUT) ≤ e^{−t}
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._above_out(middle) > rate else (low, middle)
        left = math.exp(high) * (rate - self._above_out(high))
        return min(self._above_in(high) + left, 1.0)

    def _above_in(self, loss: float) -> float:
        raise NotImplementedError

    def _above_out(self, loss: float) -> float:
        raise NotImplementedError


class _Law(LossLaw):
    """The loss of all cells of a person: outcomes of cells below the threshold, and exposed cells. None lies beyond its reach."""

    def __init__(self, noise: str, epsilon: float, n_exposed: int, gaps: Ints, times: Ints) -> None:
        super().__init__(epsilon * (n_exposed + int(times.sum())))
        self._tail = exposed_tail(noise, epsilon, n_exposed)
        self._outcomes = outcomes_below_threshold(noise, epsilon, gaps, times)

    def _above_in(self, loss: float) -> float:
        if abs(loss) > self._reach:
            return float(loss < 0)
        known, chance, _ = self._outcomes
        return min(max(float(chance @ self._tail(loss - known)), 0.0), 1.0)

    def _above_out(self, loss: float) -> float:
        if abs(loss) > self._reach:
            return float(loss < 0)
        known, _, chance = self._outcomes
        # The two worlds of exposed cells mirror each other.
        return min(max(float(chance @ (1 - self._tail(known - loss))), 0.0), 1.0)


def _law_from_parameters(parameters: CertaintyParameters) -> _Law:
    noise, epsilon, weeks = parameters.noise, parameters.epsilon_per_cell, parameters.weeks
    none = np.zeros(0, dtype=np.int64)
    if parameters.threshold is None or parameters.counts is None:
        return _Law(noise, epsilon, parameters.n_cells, none, none)
    gap = parameters.threshold - np.asarray(parameters.counts, dtype=np.int64)
    gaps, times = np.unique(gap[gap >= 1], return_counts=True)
    return _Law(noise, epsilon, int(np.count_nonzero(gap < 1)) * weeks, gaps, times * weeks)
