"""Trips and what a steward accepts -> zones and a plan that can be published, and why.

Uses loading, od and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.lab.planning.plan import (
        advice_from_plan_points,
        bounds_of_year,
        busiest_week,
        noises_of_year,
        plan_points_from_trips,
        reason_against_plan,
        use_of_year,
    )
    from privlab.lab.planning.proposals import (
        PlanProposal,
        ZonePreview,
        ZoneSize,
        plan_proposal_from_trips,
        proposed_request,
        proposed_zones_from_rows,
        zone_preview_from_rows,
        zone_sizes_from_rows,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "PlanProposal",
    "ZonePreview",
    "ZoneSize",
    "advice_from_plan_points",
    "bounds_of_year",
    "busiest_week",
    "noises_of_year",
    "plan_points_from_trips",
    "plan_proposal_from_trips",
    "proposed_request",
    "proposed_zones_from_rows",
    "reason_against_plan",
    "use_of_year",
    "zone_preview_from_rows",
    "zone_sizes_from_rows",
]
