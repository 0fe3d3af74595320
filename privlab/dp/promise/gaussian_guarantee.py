"""What a release with discrete Gaussian noise promises a trip, a user's week and a user, and how often a loss goes beyond.

Knows no data. Formulas: docs/science.md, section 5.1.
"""

import math

import numpy as np

from privlab.dp.attack.any_number_of_entries import accuracy_from_promise
from privlab.dp.gaussian.discrete_gaussian import (
    chance_of_loss,
    delta_of_contribution,
    epsilon_of_contribution,
)
from privlab.dp.gaussian.gaussian_parameters import (
    GaussianParameters,
    Ints,
    contribution_of_trips,
    contributions_of_all_weeks,
    contributions_of_week,
)
from privlab.dp.promise.guarantees import Guarantee, UnitGuarantee
from privlab.dp.promise.statements import CERTAIN, statement_from_units


def guarantee_from_gaussian_parameters(parameters: GaussianParameters) -> Guarantee:
    """Return what a release with these parameters promises, whatever the data.

    >>> found = guarantee_from_gaussian_parameters(GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=10))
    >>> found.user_week.epsilon, found.user_week.delta, round(found.trip.epsilon_by_losses, 2)
    (1, 1e-06, 0.29)
    """
    trip = _unit("trip", parameters, *contribution_of_trips(parameters, np.array([1])), 1)
    square, divisor = contributions_of_week(parameters)
    week = _unit("user-week", parameters, square, divisor, parameters.most_trips)
    n_cells = parameters.most_trips * parameters.weeks
    user = _unit("user", parameters, *contributions_of_all_weeks(parameters), n_cells, parameters.weeks)
    return Guarantee(
        parameters=parameters,
        trip=trip,
        user_week=week,
        user=user,
        statement=statement_from_units(parameters, trip, week, user),
    )


def chance_beyond_promise(parameters: GaussianParameters) -> float:
    """Return how often at most the loss of someone who is in exceeds the ε of all weeks together.

    More often than with δ, which weighs how far it goes beyond.
    """
    epsilon = parameters.epsilon * parameters.weeks
    found = chance_of_loss(epsilon, parameters.sigma, *contributions_of_all_weeks(parameters))
    return float(found.max())


def _unit(
    unit: str,
    parameters: GaussianParameters,
    square: Ints,
    divisor: Ints,
    n_cells: int,
    weeks: int = 1,
) -> UnitGuarantee:
    sigma, epsilon, delta = parameters.sigma, parameters.epsilon * weeks, min(parameters.delta * weeks, 1.0)
    by_losses = epsilon_of_contribution(delta, sigma, square, divisor, most=epsilon)
    proven = min(accuracy_from_promise(epsilon, delta), 1.0)
    best = 0.5 + float(delta_of_contribution(0.0, sigma, square, divisor).max()) / 2
    certain = math.log(CERTAIN / (1 - CERTAIN))
    return UnitGuarantee(
        unit=unit,
        n_cells=n_cells,
        epsilon=by_losses if unit == "trip" else epsilon,
        delta=delta,
        log10_delta=math.log10(delta),
        epsilon_by_losses=by_losses,
        optimal_accuracy=min(best, proven),
        proven_accuracy=proven,
        certain_share=float(chance_of_loss(certain, sigma, square, divisor).max()),
    )
