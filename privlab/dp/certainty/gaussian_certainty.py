"""A release with discrete Gaussian noise → what the best attack makes of a person with so many trips, as of the other kinds of noise.

All of the person's flows are published. The law of the loss is exact: docs/science.md, section 5.1. No simulation here.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy.special

from privlab.checks import require_between, require_whole
from privlab.dp.certainty.certainty import LossLaw, PosteriorLaw, posterior_law_from_losses
from privlab.dp.gaussian.discrete_gaussian import chance_of_loss, log_tail
from privlab.dp.gaussian.gaussian_parameters import GaussianParameters, contribution_of_trips
from privlab.limits import MAX_CELLS_ATTACKED, MAX_PRIOR, MIN_PRIOR

_FAR = 40.0  # standard deviations of the loss


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianQuestion:
    """Someone with `trips` unique trips in the week of a release, a prior, and the certainty e^ε/(1 + e^ε) of its ε."""

    release: GaussianParameters
    trips: int
    prior: float = 0.5

    def __post_init__(self) -> None:
        """Check every field."""
        require_whole("trips", self.trips, 0, MAX_CELLS_ATTACKED)
        require_between("prior", self.prior, MIN_PRIOR, MAX_PRIOR)

    @property
    def asked(self) -> float:
        """The certainty asked about."""
        return float(scipy.special.expit(self.release.epsilon))


def posterior_law_from_gaussian_question(question: GaussianQuestion) -> PosteriorLaw:
    """Return where the attacker's certainty ends; no loss is the largest, so that certainty has no end.

    >>> release = GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=1)
    >>> law = posterior_law_from_gaussian_question(GaussianQuestion(release=release, trips=1))
    >>> round(law.certainty.accuracy, 3), law.certainty.largest
    (0.547, 1.0)
    """
    law: LossLaw = _NoLoss(0.0)
    if question.trips:
        trips = np.array([min(question.trips, question.release.most_trips)])
        square, divisor = (int(one[0]) for one in contribution_of_trips(question.release, trips))
        law = _GaussianLoss(question.release.sigma, square, divisor)
    largest = math.inf if question.trips else 0.0
    return posterior_law_from_losses(law, question, question.release.epsilon, largest)


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
