"""Flow C: records -> fingerprints, at any coarseness.

Rooms: search (nearest others, exactly), measures (k-gap, what it is made of), singling_out (unicity, people linked again), glove
(the remedy). Uses datasets and controls.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.fingerprints.by_hand import (
        HAND_LEVELS,
        HandTable,
        table_by_hand,
    )
    from privlab.fingerprints.fingerprints import (
        Fingerprints,
        fingerprints_at_level,
        fingerprints_from_dataset,
        fingerprints_from_samples,
        folded_fingerprints,
    )
    from privlab.fingerprints.levels import (
        DEFAULT_LEVELS,
        Level,
        fold_days_from_text,
        levels_from_text,
    )
    from privlab.fingerprints.placed_samples import metres_from_degrees
else:
    __getattr__ = door(__name__)

__all__ = [
    "DEFAULT_LEVELS",
    "HAND_LEVELS",
    "Fingerprints",
    "HandTable",
    "Level",
    "fingerprints_at_level",
    "fingerprints_from_dataset",
    "fingerprints_from_samples",
    "fold_days_from_text",
    "folded_fingerprints",
    "levels_from_text",
    "metres_from_degrees",
    "table_by_hand",
]
