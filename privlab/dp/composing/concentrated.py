"""Promises → ρ of zero-concentrated differential privacy, which adds up more slowly than ε, and back to ε at a δ.

Knows no data, weeks by name or ledger. Formulas and sources: docs/science.md, section 5.3.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy.optimize

from privlab.checks import ParameterError, require_between
from privlab.dp.gaussian.gaussian_parameters import GaussianParameters, contributions_of_one_week
from privlab.dp.promise.guarantees import GuaranteeParameters, guarantee_from_parameters
from privlab.limits import MAX_BUDGET


@dataclass(frozen=True, slots=True, kw_only=True)
class Concentrated:
    """`delta`-approximate `rho`-zCDP of one person: both add up from release to release, whatever was chosen before."""

    rho: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        """Check both."""
        require_between("rho", self.rho, 0, MAX_BUDGET**2)
        require_between("delta", self.delta, 0, math.inf)

    def __add__(self, other: "Concentrated") -> "Concentrated":
        """Return both losses together."""
        return Concentrated(rho=self.rho + other.rho, delta=self.delta + other.delta)


def concentrated_from_promise(epsilon: float, delta: float) -> Concentrated:
    """Return what an (ε, δ) promise of an unknown mechanism is worth: δ-approximate ε²/2 (Bun and Steinke 2016).

    >>> concentrated_from_promise(2.0, 1e-6)
    Concentrated(rho=2.0, delta=1e-06)
    """
    epsilon = require_between("epsilon", epsilon, 0, MAX_BUDGET)
    return Concentrated(rho=epsilon**2 / 2, delta=delta)


def concentrated_from_parameters(parameters: GuaranteeParameters | GaussianParameters) -> Concentrated:
    """Return ρ of a user in all of a release's weeks.

    Integer noise on public cells: the L cells of a week have ε/L each, so ρ = ε²/(2L) a week. Gaussian noise:
    Σa²/(2σ²) a week, of discovered cells with the chance that one of the user's own is published as δ. Discovered cells
    with integer noise: only their (ε, δ) is known to hold, a week at a time.

    Raises ParameterError without a bound: a user's week then has no promise.

    >>> from privlab.dp.promise.guarantees import GuaranteeParameters
    >>> concentrated_from_parameters(GuaranteeParameters(epsilon=2, max_trips_per_user=20, weeks=3))
    Concentrated(rho=0.3, delta=0.0)
    """
    weeks = parameters.weeks
    if isinstance(parameters, GaussianParameters):
        added = contributions_of_one_week(parameters)
        rho = float(added.square.max()) / (2 * parameters.sigma**2)
        return Concentrated(rho=weeks * rho, delta=weeks * added.most_seen)
    bound = require_between("max_trips_per_user", parameters.max_trips_per_user or 0, 1, math.inf)
    if parameters.cells != "public":
        week = guarantee_from_parameters(parameters).user_week
        if week is None:
            raise ParameterError(
                "max_trips_per_user must be given: without it a week has no promise, got none."
            )
        one = concentrated_from_promise(week.epsilon, week.delta)
        return Concentrated(rho=weeks * one.rho, delta=weeks * one.delta)
    return Concentrated(rho=weeks * parameters.epsilon**2 / (2 * bound))


def epsilon_from_concentrated(spent: Concentrated, delta: float) -> float:
    """Return an ε with which all of it is (ε, δ)-differentially private; inf where δ does not exceed its own δ.

    The conversion of Canonne, Kamath and Steinke (2020), proposition 12: every order α > 1 proves one ε, the
    smallest found is returned.

    >>> round(epsilon_from_concentrated(Concentrated(rho=0.1), 1e-6), 4)
    2.1419
    """
    delta = require_between("delta", delta, 0, 1)
    spare = delta - spent.delta
    if spare <= 0:
        return 0.0 if spent.rho == 0 and spare == 0 else math.inf
    if spent.rho == 0:
        return 0.0

    def proven(log_order: float) -> float:
        above = math.exp(log_order)  # α − 1
        order = 1 + above
        return order * spent.rho + math.log1p(-1 / order) - (math.log(spare) + math.log(order)) / above

    grid = np.linspace(math.log(1e-6), math.log(1e9), 400)
    best = int(np.argmin([proven(one) for one in grid]))
    around = (grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)])
    found = scipy.optimize.minimize_scalar(proven, bounds=around, method="bounded")
    return max(min(float(found.fun), proven(float(grid[best]))), 0.0)
