"""The folder a release is made in, and the copy kept beside the ledger.

Uses ledger and kept.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.releases.folders.kept_releases import (
        clear_partial_copies,
        export_release,
        kept_release,
        releases_not_on_record,
    )
    from privlab.releases.folders.release_folders import (
        CERTIFICATE,
        CSV,
        ESTIMATES,
        LEVELS,
        PARQUET,
        clear_left_overs,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "CERTIFICATE",
    "CSV",
    "ESTIMATES",
    "LEVELS",
    "PARQUET",
    "clear_left_overs",
    "clear_partial_copies",
    "export_release",
    "kept_release",
    "releases_not_on_record",
]
