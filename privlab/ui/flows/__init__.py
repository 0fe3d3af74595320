"""The pages of flow A: attack, release, guarantee, plan.

Uses shell, work.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.ui.flows import (
        attack_page,
        audit_view,
        certainty_view,
        exposure_view,
        gaussian_attack_view,
        guarantee_page,
        home_page,
        mechanism_choice,
        mechanisms_view,
        own_week_view,
        people_view,
        pipeline_view,
        plan_page,
        plan_wishes,
        practice_view,
        release_page,
        zone_sizes_view,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "attack_page",
    "audit_view",
    "certainty_view",
    "exposure_view",
    "gaussian_attack_view",
    "guarantee_page",
    "home_page",
    "mechanism_choice",
    "mechanisms_view",
    "own_week_view",
    "people_view",
    "pipeline_view",
    "plan_page",
    "plan_wishes",
    "practice_view",
    "release_page",
    "zone_sizes_view",
]
