"""A release with discrete Gaussian noise → what the best attack makes of a person with so many trips, as of the other kinds of noise.

Without a threshold all of the person's flows are published, and the attacker sees noisy counts before they are rounded to whole trips, which
tells a little more than what is published. With one the attacker sees what is published. docs/science.md, section 5.1. No simulation here.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy.special

from privlab.checks import ParameterError, require_between, require_whole
from privlab.dp.certainty.certainty import (
    LossLaw,
    PosteriorLaw,
    claim_from_prior,
    posterior_law_from_losses,
    require_threshold_and_counts,
)
from privlab.dp.certainty.gaussian_suppressed import (
    SuppressedGaussianLoss,
    outcomes_of_cells,
    outcomes_of_total,
)
from privlab.dp.gaussian.discrete_gaussian import TOTAL_CAP, chance_of_loss, log_tail, weight_of_trips
from privlab.dp.gaussian.gaussian_parameters import GaussianParameters, contribution_of_trips
from privlab.limits import MAX_CELLS_ATTACKED, MAX_PRIOR, MAX_WEEKS, MIN_PRIOR

_FAR = 40.0  # standard deviations of the loss


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianQuestion:
    """Someone with `trips` unique trips in each of `weeks` releases, a prior, and a question about certainty.

    `trips`, and so their weight, are the same in every week, of which a clip counts at most `release.most_trips`. With a `threshold`,
    `counts` are what the others add to each of the person's flows, in whole trips as they are weighted, the same in every week, and `trips` is
    their number; the threshold of `release` is not looked at. `above` is the certainty asked about; None for what its ε claims from that prior.
    """

    release: GaussianParameters
    trips: int
    prior: float = 0.5
    weeks: int = 1
    threshold: int | None = None
    counts: tuple[int, ...] | None = None
    above: float | None = None

    def __post_init__(self) -> None:
        """Check every field, and that they fit one another."""
        require_whole("trips", self.trips, 0, MAX_CELLS_ATTACKED)
        require_between("prior", self.prior, MIN_PRIOR, MAX_PRIOR)
        require_whole("weeks", self.weeks, 1, MAX_WEEKS)
        if self.above is not None:
            require_between("above", self.above, 0, 1)
        require_threshold_and_counts(self.threshold, self.counts, self.trips, self.release.most_trips)
        if self.counts is not None and (self.release.levels or self.release.cells != "public"):
            raise ParameterError(
                "counts must be left out with levels or discovered cells: what a threshold hides is worked out for public flows alone."
            )

    @property
    def epsilon(self) -> float:
        """What the release promises a person's week."""
        return self.release.epsilon

    @property
    def asked(self) -> float:
        """The certainty asked about."""
        return claim_from_prior(self.release.epsilon, self.prior) if self.above is None else self.above


def posterior_law_from_gaussian_question(question: GaussianQuestion) -> PosteriorLaw:
    """Return where the attacker's certainty ends; no loss is the largest, so that certainty has no end.

    Without a threshold exact. With one, every outcome's loss is at most a few steps of a lattice of a million points off, its mean is kept.

    >>> release = GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=1)
    >>> law = posterior_law_from_gaussian_question(GaussianQuestion(release=release, trips=1))
    >>> round(law.certainty.accuracy, 3), law.certainty.largest
    (0.547, 1.0)
    >>> hidden = GaussianQuestion(release=release, trips=1, threshold=90, counts=(86,))
    >>> round(posterior_law_from_gaussian_question(hidden).certainty.accuracy, 3)
    0.537
    """
    largest = math.inf if question.trips else 0.0
    odds = float(scipy.special.logit(question.prior))
    sure = (
        question.release.epsilon + odds
        if question.above is None
        else float(scipy.special.logit(question.above))
    )
    return posterior_law_from_losses(_law_from_question(question), question, sure, largest)


def _law_from_question(question: GaussianQuestion) -> LossLaw:
    release, weeks = question.release, question.weeks
    if not question.trips:
        return _NoLoss(0.0)
    counted = min(question.trips, release.most_trips)
    # From 0 on everything is published, counts below 0 too.
    if not question.threshold or question.counts is None:
        square, divisor = (int(one[0]) for one in contribution_of_trips(release, np.array([counted])))
        return _GaussianLoss(release.sigma, square * weeks, divisor)
    sigma, weight = release.sigma, int(weight_of_trips(counted, release.max_trips_per_user))
    gaps, times = np.unique(
        question.threshold - np.asarray(question.counts, dtype=np.int64), return_counts=True
    )
    seen = outcomes_of_cells(sigma, weight, gaps, times * weeks)
    if release.total_units:
        in_total = release.total_units * min(counted, TOTAL_CAP)
        seen.append(outcomes_of_total(sigma, release.total_units, in_total, weeks))
    return SuppressedGaussianLoss(seen)


class _GaussianLoss(LossLaw):
    """The loss of someone who adds whole numbers of these Σa² and greatest common divisor."""

    def __init__(self, sigma: float, square: int, divisor: int) -> None:
        super().__init__(square / (2 * sigma**2) + _FAR * math.sqrt(square) / sigma)
        self._sigma, self._square, self._divisor = sigma, square, divisor

    def _above_in(self, loss: float) -> float:
        return float(chance_of_loss(loss, self._sigma, self._square, self._divisor))

    def _above_out(self, loss: float) -> float:
        first = math.ceil((self._square / 2 + loss * self._sigma**2) / self._divisor)
        return float(np.exp(log_tail(self._sigma * math.sqrt(self._square) / self._divisor, first)))


class _NoLoss(LossLaw):
    """Someone who adds nothing is not seen."""

    def _above_in(self, loss: float) -> float:
        return float(loss < 0)

    _above_out = _above_in
