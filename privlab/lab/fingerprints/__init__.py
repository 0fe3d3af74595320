"""Fingerprints -> how far people are from the nearest others, who is linked again, and how to hide them.

Uses the fingerprints below.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.lab.fingerprints.hide import (
        HiddenPeople,
        hidden_people_from_fingerprints,
    )
    from privlab.lab.fingerprints.study import (
        compile_measures,
        kgap_studies_from_fingerprints,
        kgap_study_from_fingerprints,
        linked_halves_from_fingerprints,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "HiddenPeople",
    "compile_measures",
    "hidden_people_from_fingerprints",
    "kgap_studies_from_fingerprints",
    "kgap_study_from_fingerprints",
    "linked_halves_from_fingerprints",
]
