"""The pages Plan and Release: what could be published, and what it would hold.

Uses lab, figures and, of ui, shell, sessions, work, data, report, flowmap and attack.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.ui.planning import (
        mechanism_choice,
        mechanisms_view,
        plan_offer,
        plan_page,
        plan_wishes,
        release_page,
        year_view,
        zone_sizes_view,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "mechanism_choice",
    "mechanisms_view",
    "plan_offer",
    "plan_page",
    "plan_wishes",
    "release_page",
    "year_view",
    "zone_sizes_view",
]
