"""A mechanism and what a person moves -> what the best attack reaches, exactly: accuracy, certainty, AUC.

Uses dp's mechanisms.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.dp.attack.any_number_of_entries import (
        LaplaceTests,
        accuracy_from_promise,
        auc_from_promise,
        gaussian_accuracies,
        promise_of_replacement,
    )
    from privlab.dp.attack.certainty import (
        Certainty,
        CertaintyParameters,
        PosteriorLaw,
        certainty_from_parameters,
        first_trips_above_claim,
        greatest_chance_above,
        posterior_law_from_parameters,
    )
    from privlab.dp.attack.privacy_loss import (
        ACCURACY_FROM_EPSILON,
    )
    from privlab.dp.attack.suppressed_cells import (
        accuracies_from_suppressed_cells,
        accuracy_from_cells,
        accuracy_from_one_cell,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "ACCURACY_FROM_EPSILON",
    "Certainty",
    "CertaintyParameters",
    "LaplaceTests",
    "PosteriorLaw",
    "accuracies_from_suppressed_cells",
    "accuracy_from_cells",
    "accuracy_from_one_cell",
    "accuracy_from_promise",
    "auc_from_promise",
    "certainty_from_parameters",
    "first_trips_above_claim",
    "gaussian_accuracies",
    "greatest_chance_above",
    "posterior_law_from_parameters",
    "promise_of_replacement",
]
