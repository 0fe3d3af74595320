"""Columns of a file -> what each of them means: user, time, place, count.

Uses the ground floor only.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.columns.column_names import (
        PLACE_NAMES,
    )
    from privlab.datasets.columns.guessed_mapping import mapping_from_columns, of_whom_in_words
    from privlab.datasets.columns.ids import (
        ID_KINDS,
        id_order,
    )
    from privlab.datasets.columns.mapping import (
        FILE_NAME,
        FOLDER_NAME,
        NO_COLUMNS,
        STEP_M_RANGE,
        ColumnMapping,
        mapping_with_choices,
        with_fitting_units,
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
    "NO_COLUMNS",
    "PLACE_NAMES",
    "STEP_M_RANGE",
    "USUAL_SYSTEMS",
    "ColumnMapping",
    "crs_from_text",
    "id_order",
    "mapping_from_columns",
    "mapping_with_choices",
    "name_of_crs",
    "of_whom_in_words",
    "with_fitting_units",
]
