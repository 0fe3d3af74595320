"""Nearest others -> k-gaps, what they are made of, unicity, and what would hide one person.

Uses search.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.fingerprints.measures.dispersion import (
        MEASURES,
        Dispersion,
        summary_from_dispersion,
    )
    from privlab.fingerprints.measures.kgap import (
        DEFAULT_KS,
        KGaps,
        ks_from_numbers,
        summary_from_kgaps,
    )
    from privlab.fingerprints.measures.linkage import (
        Linkage,
        LinkParameters,
        linkages_from_fingerprints,
    )
    from privlab.fingerprints.measures.most_visited_places import (
        PlacesUnicity,
        places_unicity_from_fingerprints,
    )
    from privlab.fingerprints.measures.one_person import (
        LevelGap,
        WhatIf,
        what_if_from_fingerprints,
    )
    from privlab.fingerprints.measures.pooled_parts import (
        PARTS,
        PooledParts,
        pooled_parts_from_fingerprints,
    )
    from privlab.fingerprints.measures.resolution_law import (
        ResolutionLaw,
        resolution_laws_from_unicity,
    )
    from privlab.fingerprints.measures.study import (
        LevelStudy,
        StudyParameters,
        fingerprints_of_study,
        level_studies_from_fingerprints,
        level_study_from_fingerprints,
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
    "PARTS",
    "Dispersion",
    "KGaps",
    "LevelGap",
    "LevelStudy",
    "LinkParameters",
    "Linkage",
    "PlacesUnicity",
    "PooledParts",
    "ResolutionLaw",
    "StudyParameters",
    "Unicity",
    "UnicityByLevel",
    "WhatIf",
    "fingerprints_of_study",
    "ks_from_numbers",
    "level_studies_from_fingerprints",
    "level_study_from_fingerprints",
    "linkages_from_fingerprints",
    "places_unicity_from_fingerprints",
    "points_from_text",
    "pooled_parts_from_fingerprints",
    "resolution_laws_from_unicity",
    "summary_from_dispersion",
    "summary_from_kgaps",
    "unicity_by_level_from_fingerprints",
    "what_if_from_fingerprints",
]
