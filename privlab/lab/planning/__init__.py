"""Trips and what a steward accepts -> zones and a plan that can be published, and why.

Uses loading, od and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.lab.planning.own_data import (
        OwnData,
        kept_source_from_source,
        made_from_source,
        own_data_from_source,
        rows_of_source,
    )
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
        PROPOSED,
        PlanProposal,
        ZonePreview,
        ZoneSize,
        proposed_request,
        rows_in_chosen_zones,
        zone_preview_from_rows,
        zone_sizes_from_rows,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "PROPOSED",
    "OwnData",
    "PlanProposal",
    "ZonePreview",
    "ZoneSize",
    "advice_from_plan_points",
    "bounds_of_year",
    "busiest_week",
    "kept_source_from_source",
    "made_from_source",
    "noises_of_year",
    "own_data_from_source",
    "plan_points_from_trips",
    "proposed_request",
    "reason_against_plan",
    "rows_in_chosen_zones",
    "rows_of_source",
    "use_of_year",
    "zone_preview_from_rows",
    "zone_sizes_from_rows",
]
