"""Folders on this machine: private ones that go with their owner, uploads, and those an operator names.

Uses files.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.folders.private_folders import (
        PrivateFolder,
        private_folders_there,
        remove_left_behind,
        remove_own_folders,
        system_figures_mb,
    )
    from privlab.datasets.folders.server_folders import (
        allowed_folders,
        entries_of_folder,
        folders_not_there,
        path_in_folder,
    )
    from privlab.datasets.folders.uploads import (
        SessionFolder,
        require_room_for_upload,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "PrivateFolder",
    "SessionFolder",
    "allowed_folders",
    "entries_of_folder",
    "folders_not_there",
    "path_in_folder",
    "private_folders_there",
    "remove_left_behind",
    "remove_own_folders",
    "require_room_for_upload",
    "system_figures_mb",
]
