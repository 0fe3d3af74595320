"""How much Gaussian noise a promise (ε, δ) needs: exactly as much as the promise says, no more.

Knows sensitivities, nothing of counts. The classical formula √(2 ln(1.25/δ))/ε is no promise for ε > 1.
"""

import math

import scipy.special

from privlab.checks import require_between
from privlab.limits import MAX_BUDGET, MAX_TARGET_DELTA, MIN_EPSILON, MIN_TARGET_DELTA


def gaussian_delta(epsilon: float, sigma: float) -> float:
    """Return the least δ for which N(0, σ²) noise of that σ per unit of L2 sensitivity promises (ε, δ).

    >>> round(gaussian_delta(1.0, 1.0), 6)
    0.126937
    """
    # Balle & Wang (2018), Theorem 8: Φ(1/2σ − εσ) − e^ε·Φ(−1/2σ − εσ); the difference by logarithms.
    first = float(scipy.special.log_ndtr(1 / (2 * sigma) - epsilon * sigma))
    second = epsilon + float(scipy.special.log_ndtr(-1 / (2 * sigma) - epsilon * sigma))
    return math.exp(first) * -math.expm1(min(second - first, 0.0))


def gaussian_sigma(epsilon: float, delta: float, l2_sensitivity: float) -> float:
    """Return the least σ with which N(0, σ²) on every entry promises (ε, δ); never too small a one.

    ε may be that of all weeks together, and so up to MAX_BUDGET.

    >>> round(gaussian_sigma(1.0, 1e-5, 1.0), 4)
    3.7306
    """
    epsilon = require_between("epsilon", epsilon, MIN_EPSILON / 10, MAX_BUDGET)
    delta = require_between("delta", delta, MIN_TARGET_DELTA, MAX_TARGET_DELTA)
    l2_sensitivity = require_between("l2_sensitivity", l2_sensitivity, 1e-12, 1e12)

    def excess(log_sigma: float) -> float:
        found = gaussian_delta(epsilon, math.exp(log_sigma))
        return math.log(max(found, 1e-300)) - math.log(delta)

    # δ falls with σ. It is above ½ at σ = 0.01, or for ε above 1,250 at ½/√(2ε), and nothing at 2,000/ε.
    import scipy.optimize

    least = min(0.01, 0.5 / math.sqrt(2 * epsilon))
    root = scipy.optimize.brentq(excess, math.log(least), math.log(2000 / epsilon), xtol=1e-13)
    return math.exp(root) * (1 + 1e-9) * l2_sensitivity
