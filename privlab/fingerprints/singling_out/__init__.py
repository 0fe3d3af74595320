"""Who is found by a few samples or places: unicity, and people linked again by the places they visit.

Uses fingerprints.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.fingerprints.singling_out.linkage import (
        Linkage,
        LinkParameters,
        least_days_from_fingerprints,
        linkages_from_fingerprints,
    )
    from privlab.fingerprints.singling_out.most_visited_places import (
        MOST_PLACES,
        PlacesUnicity,
        places_unicity_from_fingerprints,
    )
    from privlab.fingerprints.singling_out.resolution_law import ResolutionLaw, resolution_laws_from_unicity
    from privlab.fingerprints.singling_out.unicity import (
        Unicity,
        UnicityByLevel,
        points_from_text,
        unicity_by_level_from_fingerprints,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "MOST_PLACES",
    "LinkParameters",
    "Linkage",
    "PlacesUnicity",
    "ResolutionLaw",
    "Unicity",
    "UnicityByLevel",
    "least_days_from_fingerprints",
    "linkages_from_fingerprints",
    "places_unicity_from_fingerprints",
    "points_from_text",
    "resolution_laws_from_unicity",
    "unicity_by_level_from_fingerprints",
]
