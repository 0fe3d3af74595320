"""Columns of a file -> what each of them means: user, time, place, count.

Uses the ground floor only.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.columns.column_names import (
        PLACE_NAMES,
    )
    from privlab.datasets.columns.ids import (
        ID_KINDS,
        id_order,
    )
    from privlab.datasets.columns.mapping import (
        FILE_NAME,
        FOLDER_NAME,
        ColumnMapping,
        mapping_from_columns,
        mapping_with_choices,
    )
    from privlab.datasets.columns.projected_systems import (
        USUAL_SYSTEMS,
        crs_from_text,
        name_of_crs,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "FILE_NAME",
    "FOLDER_NAME",
    "ID_KINDS",
    "PLACE_NAMES",
    "USUAL_SYSTEMS",
    "ColumnMapping",
    "crs_from_text",
    "id_order",
    "mapping_from_columns",
    "mapping_with_choices",
    "name_of_crs",
]
