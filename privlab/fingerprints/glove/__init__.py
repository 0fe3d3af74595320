"""Fingerprints -> groups of at least k users who share one, the table that is published, and its proof.

Uses search.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.fingerprints.glove.boxes import (
        GRID_M,
    )
    from privlab.fingerprints.glove.glove_result import (
        Accuracy,
        GloveParameters,
        HiddenGroups,
        accuracy_from_hidden_groups,
    )
    from privlab.fingerprints.glove.hiding import (
        hidden_groups_from_fingerprints,
    )
    from privlab.fingerprints.glove.published import (
        Verification,
        verified_table_from_hidden_groups,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "GRID_M",
    "Accuracy",
    "GloveParameters",
    "HiddenGroups",
    "Verification",
    "accuracy_from_hidden_groups",
    "hidden_groups_from_fingerprints",
    "verified_table_from_hidden_groups",
]
