"""Nearest others -> k-gaps, what they are made of, unicity, and what would hide one person.

Uses search.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.fingerprints.measures.dispersion import (
        MEASURES,
        Dispersion,
        dispersion_from_neighbours,
        summary_from_dispersion,
    )
    from privlab.fingerprints.measures.kgap import (
        DEFAULT_KS,
        KGaps,
        kgap_from_neighbours,
        ks_from_numbers,
        share_equal_length_pairs,
        summary_from_kgaps,
    )
    from privlab.fingerprints.measures.one_person import (
        WhatIf,
        what_if_from_fingerprints,
    )
    from privlab.fingerprints.measures.study import (
        LevelStudy,
        StudyParameters,
        level_studies_from_fingerprints,
        level_study_from_fingerprints,
        positions_of_query_users,
    )
    from privlab.fingerprints.measures.unicity import (
        Unicity,
        UnicityByLevel,
        points_from_text,
        unicity_by_level_from_fingerprints,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "DEFAULT_KS",
    "MEASURES",
    "Dispersion",
    "KGaps",
    "LevelStudy",
    "StudyParameters",
    "Unicity",
    "UnicityByLevel",
    "WhatIf",
    "dispersion_from_neighbours",
    "kgap_from_neighbours",
    "ks_from_numbers",
    "level_studies_from_fingerprints",
    "level_study_from_fingerprints",
    "points_from_text",
    "positions_of_query_users",
    "share_equal_length_pairs",
    "summary_from_dispersion",
    "summary_from_kgaps",
    "unicity_by_level_from_fingerprints",
    "what_if_from_fingerprints",
]
