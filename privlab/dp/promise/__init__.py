"""What a release promises: guarantees in numbers, the sentence to publish, what others have promised.

Uses noise, attack, gaussian and certainty.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.dp.promise.gaussian_guarantee import (
        chance_beyond_promise,
        guarantee_from_gaussian_parameters,
    )
    from privlab.dp.promise.guarantees import (
        Guarantee,
        GuaranteeParameters,
        UnitGuarantee,
        guarantee_from_parameters,
        log10_discovery_delta,
    )
    from privlab.dp.promise.least_threshold import least_threshold_for_delta
    from privlab.dp.promise.published_practice import PUBLISHED_PRACTICE, STATED_PRACTICE, PublishedPractice
    from privlab.dp.promise.statements import (
        LEAST_SAID,
        certain_words,
        delta_words,
        earlier_statement,
        power_of_ten,
        statement_in_words_of_today,
        statement_of_before,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "LEAST_SAID",
    "PUBLISHED_PRACTICE",
    "STATED_PRACTICE",
    "Guarantee",
    "GuaranteeParameters",
    "PublishedPractice",
    "UnitGuarantee",
    "certain_words",
    "chance_beyond_promise",
    "delta_words",
    "earlier_statement",
    "guarantee_from_gaussian_parameters",
    "guarantee_from_parameters",
    "least_threshold_for_delta",
    "log10_discovery_delta",
    "power_of_ten",
    "statement_in_words_of_today",
    "statement_of_before",
]
