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
else:
    __getattr__ = door(__name__)

__all__ = [
    "FILE_NAME",
    "FOLDER_NAME",
    "ID_KINDS",
    "PLACE_NAMES",
    "ColumnMapping",
    "id_order",
    "mapping_from_columns",
    "mapping_with_choices",
]
