"""A file of one's own -> its rows, and the zones and the plan that the lab proposes for them.

Uses planning, comparing, loading, od and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.lab.proposing.first_looks import (
        columns_from_path,
        first_look,
        second_file_from_paths,
    )
    from privlab.lab.proposing.own_data import (
        OwnData,
        kept_source_from_source,
        made_from_source,
        own_data_from_source,
        rows_of_source,
    )
    from privlab.lab.proposing.proposals import (
        PROPOSED,
        PlanProposal,
        ZonePreview,
        proposed_request,
        rows_in_chosen_zones,
        zone_preview_from_rows,
    )
    from privlab.lab.proposing.zone_sizes import (
        ZoneSize,
        can_be_resized,
        proposed_zones_from_positions,
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
    "can_be_resized",
    "columns_from_path",
    "first_look",
    "kept_source_from_source",
    "made_from_source",
    "own_data_from_source",
    "proposed_request",
    "proposed_zones_from_positions",
    "rows_in_chosen_zones",
    "rows_of_source",
    "second_file_from_paths",
    "zone_preview_from_rows",
    "zone_sizes_from_rows",
]
