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
    )
    from privlab.lab.publishing.publish import form_with_ids, publish_release, release_parameters_from_wishes
    from privlab.lab.publishing.publish_on_cluster import (
        form_from_location,
        require_for_cluster,
    )
    from privlab.lab.publishing.publisher_words import PublisherWords
    from privlab.lab.publishing.release_data import (
        ReleaseData,
        people_of_release_data,
        release_data_of_sample,
        trips_of_release,
    )
    from privlab.lab.publishing.settled_plan import release_plan_from_release_data
else:
    __getattr__ = door(__name__)

__all__ = [
    "PublisherWords",
    "ReleaseData",
    "form_from_location",
    "form_with_ids",
    "levels_from_zone_map",
    "levels_from_zoning",
    "people_of_release_data",
    "positions_from_zone_map",
    "publish_release",
    "release_data_of_sample",
    "release_parameters_from_wishes",
    "release_plan_from_release_data",
    "require_for_cluster",
    "trips_of_release",
]
