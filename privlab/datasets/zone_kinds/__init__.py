"""Places -> zones, by kind of zone: grids, boxes, hexagons, polygons, or ids that a file brings along.

Uses zones, zone_files.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.zone_kinds.boxed_zones import BoxedGridZoning, box_in_spec
    from privlab.datasets.zone_kinds.joined_zones import (
        MOST_JOINED,
        JoinedZoning,
        box_around_positions,
        csv_of_joined_ids,
    )
    from privlab.datasets.zone_kinds.proposed_box import (
        box_around_people,
        some_places,
    )
    from privlab.datasets.zone_kinds.zoning import (
        SPEC_HINT,
        dataset_in_zones,
        joined_from_spec,
        median_place,
        spec_in_box,
        zoning_from_spec,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "MOST_JOINED",
    "SPEC_HINT",
    "BoxedGridZoning",
    "JoinedZoning",
    "box_around_people",
    "box_around_positions",
    "box_in_spec",
    "csv_of_joined_ids",
    "dataset_in_zones",
    "joined_from_spec",
    "median_place",
    "some_places",
    "spec_in_box",
    "zoning_from_spec",
]
