"""Zones as they are: their map, the zone of every row, and the districts they form.

Uses engines.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.zones.divisions import (
        blocks_from_positions,
        division_from_spec,
    )
    from privlab.datasets.zones.zone_centres import (
        located_dataset,
    )
    from privlab.datasets.zones.zone_maps import (
        ZoneMap,
        Zoning,
    )
    from privlab.datasets.zones.zoned_rows import (
        TRIP_PLACES,
        all_zones,
        zoned_rows_from_dataset,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "TRIP_PLACES",
    "ZoneMap",
    "Zoning",
    "all_zones",
    "blocks_from_positions",
    "division_from_spec",
    "located_dataset",
    "zoned_rows_from_dataset",
]
