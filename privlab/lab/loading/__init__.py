"""Files, folders and samples -> rows in zones, and the trips, traces and fingerprints in them.

Uses datasets, the three flows and kept; planning proposes zones where none are named.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.lab.loading.load import (
        PROPOSED,
        DataSource,
        Making,
        Rows,
        dataset_from_source,
        dataset_on_spark_from_location,
        fingerprints_from_rows,
        kept_of_sample,
        made_from_sample,
        prepared_trips_from_rows,
        profiled_dataset,
        rows_in_zones,
        traces_from_rows,
        trip_source_from_rows,
        trips_from_rows,
    )
    from privlab.lab.loading.own_data import (
        OwnData,
        kept_source_from_source,
        own_data_from_source,
        rows_of_source,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "PROPOSED",
    "DataSource",
    "Making",
    "OwnData",
    "Rows",
    "dataset_from_source",
    "dataset_on_spark_from_location",
    "fingerprints_from_rows",
    "kept_of_sample",
    "kept_source_from_source",
    "made_from_sample",
    "own_data_from_source",
    "prepared_trips_from_rows",
    "profiled_dataset",
    "rows_in_zones",
    "rows_of_source",
    "traces_from_rows",
    "trip_source_from_rows",
    "trips_from_rows",
]
