"""Places -> zones: grids, boxes, hexagons, polygons, or ids that a file brings along.

Uses files, engines.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.zones.box_of_places import (
        box_around_people,
        some_places,
    )
    from privlab.datasets.zones.divisions import (
        blocks_from_positions,
        division_from_spec,
    )
    from privlab.datasets.zones.geography import (
        Geography,
        geography_of_kind,
    )
    from privlab.datasets.zones.locating import (
        located_dataset,
    )
    from privlab.datasets.zones.zone_maps import (
        ZoneMap,
        Zoning,
    )
    from privlab.datasets.zones.zone_process import (
        geography_from_process,
    )
    from privlab.datasets.zones.zone_readers import (
        geography_from_path,
        is_table_of_positions,
    )
    from privlab.datasets.zones.zoned_rows import (
        TRIP_PLACES,
        all_zones,
        zoned_rows_from_dataset,
    )
    from privlab.datasets.zones.zoning import (
        SPEC_HINT,
        dataset_in_zones,
        median_place,
        spec_in_box,
        zoning_from_spec,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "SPEC_HINT",
    "TRIP_PLACES",
    "Geography",
    "ZoneMap",
    "Zoning",
    "all_zones",
    "blocks_from_positions",
    "box_around_people",
    "dataset_in_zones",
    "division_from_spec",
    "geography_from_path",
    "geography_from_process",
    "geography_of_kind",
    "is_table_of_positions",
    "located_dataset",
    "median_place",
    "some_places",
    "spec_in_box",
    "zoned_rows_from_dataset",
    "zoning_from_spec",
]
