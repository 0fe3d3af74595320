"""The anonymizability page: k-gaps, unicity, one person, the remedy.

Uses shell, work.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.ui.fingerprints import (
        anonymizability_page,
        anonymizability_views,
        by_hand_view,
        link_view,
        person_view,
        remedy_view,
        unicity_view,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "anonymizability_page",
    "anonymizability_views",
    "by_hand_view",
    "link_view",
    "person_view",
    "remedy_view",
    "unicity_view",
]
