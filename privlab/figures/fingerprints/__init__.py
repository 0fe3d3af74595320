"""k-gaps, one person among the nearest others, and remedies -> figures and sentences.

Uses drawing, wording and the fingerprints below.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.figures.fingerprints import (
        anonymizability,
        anonymizability_words,
        unicity_words,
    )
    from privlab.figures.fingerprints.ground import Ground
    from privlab.figures.fingerprints.person import (
        LAWS_MEAN,
        giveaway_figure,
        laws_figure,
        laws_finding,
        laws_rows,
        parts_figure,
        space_time_figure,
    )
    from privlab.figures.fingerprints.remedies import (
        accuracy_figure,
        before_and_after_figure,
    )
    from privlab.figures.fingerprints.trails import (
        days_at_first,
        home_of,
        km_from_home,
        n_days_of,
        trails_figure,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "LAWS_MEAN",
    "Ground",
    "accuracy_figure",
    "anonymizability",
    "anonymizability_words",
    "before_and_after_figure",
    "days_at_first",
    "giveaway_figure",
    "home_of",
    "km_from_home",
    "laws_figure",
    "laws_finding",
    "laws_rows",
    "n_days_of",
    "parts_figure",
    "space_time_figure",
    "trails_figure",
    "unicity_words",
]
