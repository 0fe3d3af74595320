"""How sure an attacker becomes that someone is in a release, and by how much at most.

Uses noise, attack and gaussian.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.dp.certainty.certainty import (
        Certainty,
        CertaintyParameters,
        PosteriorLaw,
        certainty_from_parameters,
        first_trips_above_claim,
        greatest_chance_above,
        posterior_law_from_parameters,
    )
    from privlab.dp.certainty.certainty_bounds import (
        claimed_bound,
        composed_epsilon,
        least_mean_trips,
        threshold_delta,
        user_level_bounds,
    )
    from privlab.dp.certainty.gaussian_certainty import GaussianQuestion, posterior_law_from_gaussian_question
else:
    __getattr__ = door(__name__)

__all__ = [
    "Certainty",
    "CertaintyParameters",
    "GaussianQuestion",
    "PosteriorLaw",
    "certainty_from_parameters",
    "claimed_bound",
    "composed_epsilon",
    "first_trips_above_claim",
    "greatest_chance_above",
    "least_mean_trips",
    "posterior_law_from_gaussian_question",
    "posterior_law_from_parameters",
    "threshold_delta",
    "user_level_bounds",
]
