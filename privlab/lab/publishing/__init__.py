"""A file, read in a settled form -> a secure release, its districts, and its people in the ledger.

Uses loading and judging, od and releases.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.lab.publishing.levels import (
        levels_from_zone_map,
        levels_from_zoning,
        positions_from_zone_map,
        positions_from_zoning,
    )
    from privlab.lab.publishing.publish import form_with_ids, publish_release, release_parameters_from_wishes
    from privlab.lab.publishing.publish_on_cluster import (
        form_from_location,
        require_for_cluster,
    )
    from privlab.lab.publishing.release_data import (
        ReleaseData,
        people_of_release_data,
        release_data_of_sample,
        settled_zoning,
        trips_of_release,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "ReleaseData",
    "form_from_location",
    "form_with_ids",
    "levels_from_zone_map",
    "levels_from_zoning",
    "people_of_release_data",
    "positions_from_zone_map",
    "positions_from_zoning",
    "publish_release",
    "release_data_of_sample",
    "release_parameters_from_wishes",
    "require_for_cluster",
    "settled_zoning",
    "trips_of_release",
]
