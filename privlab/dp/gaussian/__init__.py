"""Discrete Gaussian noise on sums of weighted trips: its law, the weights, the parameters of a release.

Uses noise and attack.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.dp.gaussian.discrete_gaussian import (
        TOTAL_CAP,
        UNITS,
        accuracy_of_contribution,
        log_tail,
        rounded_normal,
        sigma_from_promise,
        units_of_total,
        weight_of_trips,
        whole_trips_from_units,
    )
    from privlab.dp.gaussian.gaussian_parameters import (
        TOTAL_SHARE,
        GaussianParameters,
        accuracies_from_gaussian_parameters,
        accuracy_at_most,
        chance_above_at_most,
        contribution_of_trips,
        least_threshold,
    )
    from privlab.dp.gaussian.level_weights import LEVEL_SHIFTS, weight_with_levels
else:
    __getattr__ = door(__name__)

__all__ = [
    "LEVEL_SHIFTS",
    "TOTAL_CAP",
    "TOTAL_SHARE",
    "UNITS",
    "GaussianParameters",
    "accuracies_from_gaussian_parameters",
    "accuracy_at_most",
    "accuracy_of_contribution",
    "chance_above_at_most",
    "contribution_of_trips",
    "least_threshold",
    "log_tail",
    "rounded_normal",
    "sigma_from_promise",
    "units_of_total",
    "weight_of_trips",
    "weight_with_levels",
    "whole_trips_from_units",
]
