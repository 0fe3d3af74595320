"""The tour: the three papers' arguments on the samples, step by step.

Uses shell and the other rooms' figures.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.ui.tour.tour_page import (
        place,
        shown,
    )
    from privlab.ui.tour.tour_steps import (
        STEPS,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "STEPS",
    "place",
    "shown",
]
