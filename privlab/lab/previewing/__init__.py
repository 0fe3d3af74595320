"""The plan of a release -> what it would hold before it is made, and when other noise is offered.

Uses publishing and judging, od and figures.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.lab.previewing.noise_offer import (
        BOTH,
        BOUND,
        GAUSSIAN,
        LEVELS,
        TOTAL,
        better_releases,
    )
    from privlab.lab.previewing.preview import (
        offer_in_words,
        preview_from_release_data,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "BOTH",
    "BOUND",
    "GAUSSIAN",
    "LEVELS",
    "TOTAL",
    "better_releases",
    "offer_in_words",
    "preview_from_release_data",
]
