"""Files, folders and samples -> rows in zones, and the trips, traces and fingerprints in them.

Uses datasets, the three flows and kept. Where no zones are named, the room proposing proposes some.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.lab.loading.load import (
        ORDER_SEED,
        DataSource,
        Making,
        Rows,
        dataset_from_source,
        dataset_on_spark_from_location,
        fingerprints_from_rows,
        kept_of_sample,
        made_of_sample_rows,
        prepared_trips_from_rows,
        profiled_dataset,
        sample_work,
        traces_from_rows,
        trip_source_from_rows,
        trips_from_rows,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "ORDER_SEED",
    "DataSource",
    "Making",
    "Rows",
    "dataset_from_source",
    "dataset_on_spark_from_location",
    "fingerprints_from_rows",
    "kept_of_sample",
    "made_of_sample_rows",
    "prepared_trips_from_rows",
    "profiled_dataset",
    "sample_work",
    "traces_from_rows",
    "trip_source_from_rows",
    "trips_from_rows",
]
