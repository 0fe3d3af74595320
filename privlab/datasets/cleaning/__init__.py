"""A dataset -> the same without what a steward takes out of it; what a careful colleague would ask about it.

Uses rows, engines.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.cleaning.cleaning_choices import (
        Cleaning,
        box_from_text,
    )
    from privlab.datasets.cleaning.cleaning_steps import (
        cleaned_dataset,
    )
    from privlab.datasets.cleaning.data_questions import (
        asked_of_renewed_ids,
        profiled,
        question_of_renewed_ids,
    )
    from privlab.datasets.cleaning.earth import EARTH_RADIUS_M
    from privlab.datasets.cleaning.rhythm import (
        Rhythm,
        rhythm_from_rows,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "EARTH_RADIUS_M",
    "Cleaning",
    "Rhythm",
    "asked_of_renewed_ids",
    "box_from_text",
    "cleaned_dataset",
    "profiled",
    "question_of_renewed_ids",
    "rhythm_from_rows",
]
