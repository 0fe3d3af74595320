"""Controls: data without one of their properties; what is still found there is not due to that property.

Defined once for traces and fingerprints, pure and drawn from a seed. Uses the ground floor.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.controls.changes import (
        visits_under_controls,
    )
    from privlab.controls.control_words import (
        control_sentence,
    )
    from privlab.controls.specs import (
        controls_from_specs,
        require_controls_fit,
    )
    from privlab.controls.visits import (
        Visits,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "Visits",
    "control_sentence",
    "controls_from_specs",
    "require_controls_fit",
    "visits_under_controls",
]
