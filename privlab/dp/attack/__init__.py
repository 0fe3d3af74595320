"""What the best attack on noisy counts reaches, exactly, on one cell or on all of a person's.

Uses noise.
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
    from privlab.dp.attack.composition import (
        accuracy_from_composed_cells,
        delta_from_composed_cells,
        deltas_and_epsilon_from_composed_cells,
    )
    from privlab.dp.attack.exact_accuracy import ACCURACY_FROM_EPSILON
    from privlab.dp.attack.suppressed_cells import (
        accuracies_from_suppressed_cells,
        accuracy_from_cells,
        accuracy_from_one_cell,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "ACCURACY_FROM_EPSILON",
    "LaplaceTests",
    "accuracies_from_suppressed_cells",
    "accuracy_from_cells",
    "accuracy_from_composed_cells",
    "accuracy_from_one_cell",
    "accuracy_from_promise",
    "auc_from_promise",
    "delta_from_composed_cells",
    "deltas_and_epsilon_from_composed_cells",
    "gaussian_accuracies",
    "promise_of_replacement",
]
