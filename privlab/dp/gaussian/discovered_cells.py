"""Discrete Gaussian noise on cells found in the data: what someone loses who is alone in some of them.

A cell that one person alone fills is not there without them. Where its noisy count reaches the threshold, it tells for certain
that the person is in; where it does not, nothing is to be seen of it in either world. The cells of others stay, seen through
noise. Both together: docs/science.md, section 5.1.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.dp.gaussian.discrete_gaussian import UNITS, chance_of_loss, delta_at, log_tail

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_SURE = -700.0  # ln of a chance of staying unseen that is none


def log_chances_seen(sigma: float, threshold: int, weight: npt.ArrayLike) -> Floats:
    """Return ln of the chance that a cell is published of which one person is all there is, elementwise.

    Published is the nearest whole number of trips, halves upwards, if it reaches the threshold. `sigma` and `weight` are in units
    of 1/1024 of a trip; the weight is what the person adds to the cell.

    >>> float(np.exp(log_chances_seen(1024.0, 1, 1024)).round(4))  # noise of −½ trip or more: as the continuous law, Φ(½)
    0.6916
    """
    return log_tail(sigma, UNITS * threshold - UNITS // 2 - np.asarray(weight, dtype=np.float64))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contributions:
    """What people may add: numbers a to cells that others fill too, and to cells that nobody else fills. Each shape (n,).

    `square` and `divisor` are Σa² and the greatest common divisor over the cells of others, 0 and 1 for whoever is in none;
    `log_unseen` is ln of the chance that none of the person's own cells is published, 0 for whoever has none. Of public cells all are
    there without the person.
    """

    square: Ints
    divisor: Ints
    log_unseen: Floats

    def deltas(self, epsilon: float, sigma: float) -> Floats:
        """Return the least δ at ε ≥ 0 for each, shape (n,): of being added and of being taken out, whichever is more.

        With q the chance to stay unseen and δ′ that of the cells of others, of either sign of ε: with the person
        1 − q + q·δ′(ε − ln q), without δ′(ε + ln q).
        """
        if not self.log_unseen.any():  # nobody is alone anywhere: both are the same
            return self._of_others(np.full(self.square.shape, float(epsilon)), sigma)
        more, less = epsilon - self.log_unseen, epsilon + self.log_unseen
        seen = -np.expm1(self.log_unseen)
        with_person = seen + np.exp(self.log_unseen) * self._of_others(more, sigma)
        return np.asarray(np.maximum(with_person, self._of_others(less, sigma)), dtype=np.float64)

    def chances_of_loss(self, least: float, sigma: float) -> Floats:
        """Return how often, with the person in, the loss is at least `least` > 0, shape (n,)."""
        in_others = np.zeros(self.square.shape)
        some = self.square > 0
        beyond = least - self.log_unseen[some]
        in_others[some] = chance_of_loss(beyond, sigma, self.square[some], self.divisor[some])
        return np.asarray(-np.expm1(self.log_unseen) + np.exp(self.log_unseen) * in_others)

    @property
    def most_seen(self) -> float:
        """The greatest chance of any of them that a cell of their own is published."""
        return float(-np.expm1(self.log_unseen.min()))

    def and_those(self, others: "Contributions") -> "Contributions":
        """Return these people and others."""
        return Contributions(
            square=np.append(self.square, others.square),
            divisor=np.append(self.divisor, others.divisor),
            log_unseen=np.append(self.log_unseen, others.log_unseen),
        )

    def _of_others(self, epsilon: Floats, sigma: float) -> Floats:
        found = -np.expm1(np.minimum(epsilon, 0.0))  # of whoever is in no cell of others: both worlds are one
        some = self.square > 0
        found[some] = delta_at(epsilon[some], sigma, self.square[some], self.divisor[some])
        return found


def contributions_alone(trips: int, weight: int, sigma: float, threshold: int) -> Contributions:
    """Return what someone adds who makes so many trips of one weight, alone in 0, 1, … all of their cells and with others in the rest."""
    n_own = np.arange(trips + 1)
    n_others = trips - n_own
    return Contributions(
        square=n_others * weight**2,
        divisor=np.where(n_others > 0, weight, 1),
        log_unseen=log_unseen(n_own, np.full(n_own.shape, weight), sigma, threshold),
    )


def log_unseen(trips: Ints, weights: Ints, sigma: float, threshold: int) -> Floats:
    """Return ln of the chance that none of so many cells of one person alone is published, elementwise; at least −700."""
    seen = log_chances_seen(sigma, threshold, weights)
    with np.errstate(divide="ignore"):
        # ln(1 − e^x), exact for chances near 0 and near 1
        each = np.where(seen > -math.log(2), np.log(-np.expm1(seen)), np.log1p(-np.exp(seen)))
    return np.asarray(np.maximum(trips * np.maximum(each, _SURE), _SURE))
