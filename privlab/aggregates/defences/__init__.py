"""True aggregates -> what is published of them, what that promises a user, and what it allows the best attack.

Uses dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.aggregates.defences.defence import (
        Defence,
        DefenceFacts,
    )
    from privlab.aggregates.defences.named_defences import (
        PAPER_DEFENCES,
        require_defence,
        sentence_from_defence,
        settings_from_defence,
        takes_epsilon,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "PAPER_DEFENCES",
    "Defence",
    "DefenceFacts",
    "require_defence",
    "sentence_from_defence",
    "settings_from_defence",
    "takes_epsilon",
]
