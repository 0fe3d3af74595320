"""A mechanism -> what it guarantees a trip, a user's week and a user, in numbers and in words.

Uses attack.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.dp.promise.accounting import (
        claimed_bound,
        composed_epsilon,
        least_mean_trips,
        threshold_delta,
        user_level_bounds,
    )
    from privlab.dp.promise.composition import (
        accuracy_from_composed_cells,
    )
    from privlab.dp.promise.concentrated import (
        Concentrated,
        concentrated_from_parameters,
        concentrated_from_promise,
        epsilon_from_concentrated,
    )
    from privlab.dp.promise.gaussian_certainty import (
        GaussianQuestion,
        posterior_law_from_gaussian_question,
    )
    from privlab.dp.promise.gaussian_guarantee import (
        TOTAL_SHARE,
        GaussianParameters,
        accuracies_from_gaussian_parameters,
        chance_beyond_promise,
        contribution_of_trips,
        guarantee_from_gaussian_parameters,
    )
    from privlab.dp.promise.guarantees import (
        CELLS,
        Guarantee,
        GuaranteeParameters,
        UnitGuarantee,
        guarantee_from_parameters,
        log10_discovery_delta,
    )
    from privlab.dp.promise.least_threshold import (
        least_threshold_for_delta,
    )
    from privlab.dp.promise.parts_of_a_week import (
        A_DAY,
    )
    from privlab.dp.promise.published_practice import (
        PUBLISHED_PRACTICE,
        PublishedPractice,
    )
    from privlab.dp.promise.spending import (
        KnownPromise,
        Spending,
        WeekPromise,
        part_of_promise,
        spending_from_promises,
    )
    from privlab.dp.promise.statements import (
        certain_words,
        delta_words,
        earlier_statement,
        power_of_ten,
        statement_in_words_of_today,
    )
    from privlab.dp.promise.year_ahead import (
        WeeklyNoise,
        weekly_noises,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "A_DAY",
    "CELLS",
    "PUBLISHED_PRACTICE",
    "TOTAL_SHARE",
    "Concentrated",
    "GaussianParameters",
    "GaussianQuestion",
    "Guarantee",
    "GuaranteeParameters",
    "KnownPromise",
    "PublishedPractice",
    "Spending",
    "UnitGuarantee",
    "WeekPromise",
    "WeeklyNoise",
    "accuracies_from_gaussian_parameters",
    "accuracy_from_composed_cells",
    "certain_words",
    "chance_beyond_promise",
    "claimed_bound",
    "composed_epsilon",
    "concentrated_from_parameters",
    "concentrated_from_promise",
    "contribution_of_trips",
    "delta_words",
    "earlier_statement",
    "epsilon_from_concentrated",
    "guarantee_from_gaussian_parameters",
    "guarantee_from_parameters",
    "least_mean_trips",
    "least_threshold_for_delta",
    "log10_discovery_delta",
    "part_of_promise",
    "posterior_law_from_gaussian_question",
    "power_of_ten",
    "spending_from_promises",
    "statement_in_words_of_today",
    "threshold_delta",
    "user_level_bounds",
    "weekly_noises",
]
