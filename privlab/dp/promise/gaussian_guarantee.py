"""What a release with discrete Gaussian noise promises a trip, a user's week and a user, and how often a loss goes beyond.

Knows no data. Formulas: docs/science.md, section 5.1.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from privlab.dp.attack.any_number_of_entries import accuracy_from_promise
from privlab.dp.gaussian.discovered_cells import Contributions, contributions_alone
from privlab.dp.gaussian.discrete_gaussian import UNITS, least_epsilon
from privlab.dp.gaussian.gaussian_parameters import (
    GaussianParameters,
    contribution_of_trips,
    contributions_at_most,
    delta_of_week,
)
from privlab.dp.promise.guarantees import Guarantee, UnitGuarantee
from privlab.dp.promise.statements import CERTAIN, statement_from_units


def guarantee_from_gaussian_parameters(parameters: GaussianParameters) -> Guarantee:
    """Return what a release with these parameters promises, whatever the data.

    >>> found = guarantee_from_gaussian_parameters(GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=10))
    >>> found.user_week.epsilon, found.user_week.delta, round(found.trip.epsilon_by_losses, 2)
    (1, 1e-06, 0.29)
    """
    sigma = parameters.sigma
    of_week = _Promised(parameters, sigma, delta_of_week(parameters, sigma=sigma))
    one_week = replace(parameters, weeks=1)
    trip = of_week.to("trip", _of_one_trip(parameters, sigma), 1)
    week = of_week.to("user-week", contributions_at_most(one_week, sigma=sigma), parameters.most_trips)
    n_cells = parameters.most_trips * parameters.weeks
    user = of_week.to("user", contributions_at_most(parameters, sigma=sigma), n_cells, parameters.weeks)
    return Guarantee(
        parameters=parameters,
        trip=trip,
        user_week=week,
        user=user,
        statement=statement_from_units(parameters, trip, week, user),
    )


def chance_beyond_promise(parameters: GaussianParameters) -> float:
    """Return the greatest chance that the loss of someone who is in is above the ε of all weeks together.

    It is more than δ, in which a loss counts the less, the nearer it is to that ε.
    """
    epsilon, sigma = parameters.epsilon * parameters.weeks, parameters.sigma
    return float(contributions_at_most(parameters, sigma=sigma).chances_of_loss(epsilon, sigma).max())


def _of_one_trip(parameters: GaussianParameters, sigma: float) -> Contributions:
    if parameters.cells == "discovered":
        return contributions_alone(1, UNITS, sigma, parameters.threshold)
    square, divisor = contribution_of_trips(parameters, np.array([1]))
    return Contributions(square=square, divisor=divisor, log_unseen=np.zeros(1))


@dataclass(frozen=True, slots=True)
class _Promised:
    """Parameters, their σ, and the δ of a user's week."""

    parameters: GaussianParameters
    sigma: float
    delta_of_week: float

    def to(self, unit: str, added: Contributions, n_cells: int, weeks: int = 1) -> UnitGuarantee:
        """Return the promise to a unit that adds so much in so many weeks."""
        epsilon, delta = self.parameters.epsilon * weeks, min(self.delta_of_week * weeks, 1.0)
        by_losses = least_epsilon(lambda one: added.deltas(one, self.sigma), delta, most=epsilon)
        if unit == "trip":  # promised is what a trip of its own loses, less than the week's ε
            epsilon = by_losses
        proven = min(accuracy_from_promise(epsilon, delta), 1.0)
        best = 0.5 + float(added.deltas(0.0, self.sigma).max()) / 2
        certain = math.log(CERTAIN / (1 - CERTAIN))
        return UnitGuarantee(
            unit=unit,
            n_cells=n_cells,
            epsilon=epsilon,
            delta=delta,
            log10_delta=math.log10(delta),
            epsilon_by_losses=by_losses,
            optimal_accuracy=min(best, proven),
            proven_accuracy=proven,
            certain_share=float(added.chances_of_loss(certain, self.sigma).max()),
        )
