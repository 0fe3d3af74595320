"""Gaussian noise -> what it guarantees, how certain it leaves an attacker, and its concentrated cost.

Uses attack and promise.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.dp.gaussian.concentrated import (
        Concentrated,
        concentrated_from_parameters,
        concentrated_from_promise,
        epsilon_from_concentrated,
    )
    from privlab.dp.gaussian.gaussian_certainty import (
        GaussianQuestion,
        posterior_law_from_gaussian_question,
    )
    from privlab.dp.gaussian.gaussian_guarantee import (
        TOTAL_SHARE,
        GaussianParameters,
        accuracies_from_gaussian_parameters,
        accuracy_at_most,
        chance_above_at_most,
        chance_beyond_promise,
        contribution_of_trips,
        guarantee_from_gaussian_parameters,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "TOTAL_SHARE",
    "Concentrated",
    "GaussianParameters",
    "GaussianQuestion",
    "accuracies_from_gaussian_parameters",
    "accuracy_at_most",
    "chance_above_at_most",
    "chance_beyond_promise",
    "concentrated_from_parameters",
    "concentrated_from_promise",
    "contribution_of_trips",
    "epsilon_from_concentrated",
    "guarantee_from_gaussian_parameters",
    "posterior_law_from_gaussian_question",
]
