"""The plan and outlook of a release -> how far its promise reaches, and what it is refused for.

Uses od, dp and figures.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.lab.judging.refusals import (
        DELTA,
        MADE_UP,
        MAX_DELTA,
        WANTED_DELTA,
        Accepted,
        Refusal,
        ReleaseRefused,
        refusals_of_release,
        refused_in_words,
    )
    from privlab.lab.judging.verdict import (
        AMBER,
        GREEN,
        RED,
        Verdict,
        colour_of_use,
        verdict_from_promise,
        verdict_from_release,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "AMBER",
    "DELTA",
    "GREEN",
    "MADE_UP",
    "MAX_DELTA",
    "RED",
    "WANTED_DELTA",
    "Accepted",
    "Refusal",
    "ReleaseRefused",
    "Verdict",
    "colour_of_use",
    "refusals_of_release",
    "refused_in_words",
    "verdict_from_promise",
    "verdict_from_release",
]
