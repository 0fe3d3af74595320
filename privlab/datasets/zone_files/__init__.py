"""Files that say where zones lie: polygons, or tables of positions.

Uses files, processes.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.zone_files.geography import (
        Geography,
        geography_of_kind,
        odd_ids,
    )
    from privlab.datasets.zone_files.map_files import (
        is_map_file,
        map_file_and_layer,
    )
    from privlab.datasets.zone_files.zone_process import (
        geography_from_process,
        layers_from_process,
    )
    from privlab.datasets.zone_files.zone_readers import (
        geography_from_path,
        is_table_of_positions,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "Geography",
    "geography_from_path",
    "geography_from_process",
    "geography_of_kind",
    "is_map_file",
    "is_table_of_positions",
    "layers_from_process",
    "map_file_and_layer",
    "odd_ids",
]
