"""A promise → the exact trade-off curve of the mechanism that keeps it: how often a test may be right at how many false alarms.

Knows parameters; no runs and no data. Formulas: docs/science.md, section 5.8.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.dp.attack.composition import deltas_from_composed_cells
from privlab.dp.gaussian.gaussian_parameters import GaussianParameters, contributions_of_one_week
from privlab.dp.promise.guarantees import GuaranteeParameters, guarantee_from_parameters

Floats = npt.NDArray[np.float64]

_STEPS = 400  # losses of the Gaussian at which the curve is worked out
_POINTS = 4_000  # false positive rates at which the area below the curve is worked out
_NOTHING = 1e-9  # a δ below which larger losses need not be looked at


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TradeOff:
    """The most that any test of a mechanism reaches, whoever is in it.

    `epsilon` (G,) are losses of either sign in rising order, `delta` (G,) the least δ at each, of noise on cells that
    are there with and without the person. `shown` is the chance that a cell of the person's own shows by being there.
    """

    epsilon: Floats
    delta: Floats
    shown: float = 0.0

    def most_true_positives(self, false_positives: npt.ArrayLike) -> Floats:
        """Return the largest true positive rate of a test with so many false positives at most, elementwise.

        It is the least of e^ε·α + δ(ε) over all ε (Dong, Roth, Su 2022, proposition 2.13), plus `shown`. With integer noise it is
        exact where `shown` is 0. With Gaussian noise it is an upper bound: on public cells less than 10⁻⁴ above the exact curve.
        """
        alpha = np.asarray(false_positives, dtype=np.float64)
        lines = np.exp(self.epsilon) * alpha[..., None] + self.delta
        return np.asarray(np.minimum(lines.min(axis=-1) + self.shown, 1.0))

    @property
    def most_accuracy(self) -> float:
        """The largest share of right answers that any test can have, prior ½: ½(1 + δ(0)), plus half of `shown`."""
        at_0 = float(self.delta[np.searchsorted(self.epsilon, 0.0)])
        return min(0.5 + at_0 / 2 + self.shown / 2, 1.0)

    @property
    def most_pairs(self) -> float:
        """How often it can be said of two releases, one with the person and one without, which is which: ∫ f(α) dα at most.

        The curve bends downwards, so that its value in the middle of a step is never below its mean there.
        """
        return float(self.most_true_positives((np.arange(_POINTS) + 0.5) / _POINTS).mean())


def trade_off_from_promise(promise: GuaranteeParameters | GaussianParameters) -> TradeOff:
    """Return the trade-off curve of one week's release, of the worst placed user."""
    if isinstance(promise, GaussianParameters):
        return _both_ways(*_gaussian_losses(promise), shown=0.0)
    bound = promise.max_trips_per_user or 1
    each = promise.mechanism.epsilon_per_cell
    # The losses that L cells can add up to: (2j − L)·ε/L. The curve bends at these alone.
    losses: Floats = np.asarray(np.arange(bound % 2, bound + 1, 2) * each, dtype=np.float64)
    losses = losses if losses[0] == 0 else np.append(0.0, losses)
    deltas = deltas_from_composed_cells("integer", each, bound, losses)
    shown = 0.0
    if promise.cells == "discovered":
        week = guarantee_from_parameters(promise).user_week
        assert week is not None
        shown = week.delta
    return _both_ways(losses, deltas, shown=shown)


def _gaussian_losses(promise: GaussianParameters) -> tuple[Floats, Floats]:
    added, sigma, most = contributions_of_one_week(promise), promise.sigma, promise.epsilon
    seen = added.most_seen
    while most < 100 * promise.epsilon and added.deltas(most, sigma).max() - seen > _NOTHING:
        most *= 1.5
    losses = np.asarray(np.linspace(0.0, most, _STEPS), dtype=np.float64)
    return losses, np.array([added.deltas(one, sigma).max() for one in losses.tolist()])


def _both_ways(losses: Floats, deltas: Floats, *, shown: float) -> TradeOff:
    """Return the curve with the losses below 0 too: δ(−ε) = 1 − e^{−ε}(1 − δ(ε)), as the worlds may change places."""
    above = losses > 0
    below, of_below = -losses[above][::-1], 1 - np.exp(-losses[above]) * (1 - deltas[above])
    return TradeOff(epsilon=np.append(below, losses), delta=np.append(of_below[::-1], deltas), shown=shown)
