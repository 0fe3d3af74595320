"""Numbers -> the plain sentences that open pages and documents.

Uses od and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.figures.wording import (
        findings,
        words,
    )
    from privlab.figures.wording.option_words import (
        CLASSIFIER_NAMES,
        PRIOR_NAMES,
        noise_name,
        options_in_words,
    )
    from privlab.figures.wording.outlook_words import (
        both_in_words,
        bound_offer_in_words,
        gaussian_noise_in_words,
        levels_offer_in_words,
        nothing_published,
        outlook_in_words,
        total_offer_in_words,
    )
    from privlab.figures.wording.reading_words import (
        outlook_sentence,
    )
    from privlab.figures.wording.tour_words import (
        STEPS_IN_WORDS,
    )
    from privlab.figures.wording.words import (
        people,
        period,
        plain,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "CLASSIFIER_NAMES",
    "PRIOR_NAMES",
    "STEPS_IN_WORDS",
    "both_in_words",
    "bound_offer_in_words",
    "findings",
    "gaussian_noise_in_words",
    "levels_offer_in_words",
    "noise_name",
    "nothing_published",
    "options_in_words",
    "outlook_in_words",
    "outlook_sentence",
    "people",
    "period",
    "plain",
    "total_offer_in_words",
    "words",
]
