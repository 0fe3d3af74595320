"""Files of any kind -> one normalised table of records, and places -> zones.

Rooms: folders (where files lie), files (bytes), layouts and previews (how a file is written, and a first look at it),
columns and times (what they mean), rows (what can be used), cleaning, zones, zone_kinds, zone_files, engines (what it
runs on), processes (where), synthetic (the samples). Knows nothing of privacy. Uses the ground floor only.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.catalog import (
        FOLDER,
        SAMPLES,
        sample_dataset,
        sample_decoration,
        sample_digest,
        sample_geography,
    )
    from privlab.datasets.people import (
        N_DIGESTS,
        PeopleDigests,
    )
    from privlab.datasets.people_query import (
        people_digests_from_dataset,
    )
    from privlab.datasets.read import (
        content_digest_from_path,
        read_dataset,
    )
    from privlab.datasets.records import (
        DataProfile,
        DataReport,
        Dataset,
        Offender,
        RowPosition,
    )
    from privlab.datasets.timeline_rows import (
        dataset_from_timeline_export,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "FOLDER",
    "N_DIGESTS",
    "SAMPLES",
    "DataProfile",
    "DataReport",
    "Dataset",
    "Offender",
    "PeopleDigests",
    "RowPosition",
    "content_digest_from_path",
    "dataset_from_timeline_export",
    "people_digests_from_dataset",
    "read_dataset",
    "sample_dataset",
    "sample_decoration",
    "sample_digest",
    "sample_geography",
]
