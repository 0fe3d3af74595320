"""Several cells, weeks and releases -> what they guarantee together.

Uses attack, gaussian and promise.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.dp.composing.accounting import (
        claimed_bound,
        composed_epsilon,
        least_mean_trips,
        threshold_delta,
        user_level_bounds,
    )
    from privlab.dp.composing.composition import (
        accuracy_from_composed_cells,
        delta_from_composed_cells,
        epsilon_from_composed_cells,
    )
    from privlab.dp.composing.parts_of_a_week import (
        A_DAY,
    )
    from privlab.dp.composing.spending import (
        KnownPromise,
        Spending,
        WeekPromise,
        part_of_promise,
        spending_from_promises,
    )
    from privlab.dp.composing.year_ahead import (
        WeeklyNoise,
        weekly_noises,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "A_DAY",
    "KnownPromise",
    "Spending",
    "WeekPromise",
    "WeeklyNoise",
    "accuracy_from_composed_cells",
    "claimed_bound",
    "composed_epsilon",
    "delta_from_composed_cells",
    "epsilon_from_composed_cells",
    "least_mean_trips",
    "part_of_promise",
    "spending_from_promises",
    "threshold_delta",
    "user_level_bounds",
    "weekly_noises",
]
