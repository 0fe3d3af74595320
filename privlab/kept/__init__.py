"""What lasts on disk between two starts: databases checked to be ours, runs of the game, prepared samples.

Uses datasets and the three flows.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.kept.databases import (
        DatabaseKind,
        data_folder,
        database_is_there,
        opened_database,
        path_from_setting,
        private_folder_made,
        put_in_place,
        synchronise,
        tighten_file,
    )
    from privlab.kept.databases_to_read import (
        copy_database,
        database_can_be_written,
    )
    from privlab.kept.kept_places import (
        cache_folder,
        places_without_use,
        runs_path_from_environment,
    )
    from privlab.kept.runs import (
        Run,
        Runs,
    )
    from privlab.kept.samples import (
        bytes_of_cache,
        kept_sample,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "DatabaseKind",
    "Run",
    "Runs",
    "bytes_of_cache",
    "cache_folder",
    "copy_database",
    "data_folder",
    "database_can_be_written",
    "database_is_there",
    "kept_sample",
    "opened_database",
    "path_from_setting",
    "places_without_use",
    "private_folder_made",
    "put_in_place",
    "runs_path_from_environment",
    "synchronise",
    "tighten_file",
]
