"""How hard people are to hide: k-gap and what it is made of, for all people or for one.

Uses search and fingerprints.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.fingerprints.measures.dispersion import MEASURES, Dispersion, summary_from_dispersion
    from privlab.fingerprints.measures.kgap import KGaps, ks_from_numbers, summary_from_kgaps
    from privlab.fingerprints.measures.one_person import LevelGap, WhatIf, what_if_from_fingerprints
    from privlab.fingerprints.measures.pooled_parts import (
        PARTS,
        PooledParts,
        places_beside,
        pooled_parts_from_fingerprints,
    )
    from privlab.fingerprints.measures.study import (
        LevelStudy,
        StudyParameters,
        fingerprints_of_study,
        level_studies_from_fingerprints,
        level_study_from_fingerprints,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "MEASURES",
    "PARTS",
    "Dispersion",
    "KGaps",
    "LevelGap",
    "LevelStudy",
    "PooledParts",
    "StudyParameters",
    "WhatIf",
    "fingerprints_of_study",
    "ks_from_numbers",
    "level_studies_from_fingerprints",
    "level_study_from_fingerprints",
    "places_beside",
    "pooled_parts_from_fingerprints",
    "summary_from_dispersion",
    "summary_from_kgaps",
    "what_if_from_fingerprints",
]
