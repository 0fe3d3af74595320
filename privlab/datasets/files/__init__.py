"""Folders, archives and files of any kind -> tables as they are written.

Uses engines. What a column means is not known here.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.files.added_rows import (
        AddedRow,
        write_with_added_rows,
    )
    from privlab.datasets.files.column_fit import (
        fitting_roles,
    )
    from privlab.datasets.files.extents import (
        Outlook,
        outlook_from_path,
    )
    from privlab.datasets.files.file_form import (
        ISO,
        FileForm,
    )
    from privlab.datasets.files.known_layouts import (
        AUTO,
        FORMATS,
        HEADERLESS,
        KNOWN,
        TABLE,
    )
    from privlab.datasets.files.previews import (
        FilePreview,
        mapping_from_header,
        preview_from_path,
        source_of_path,
    )
    from privlab.datasets.files.server_folders import (
        allowed_folders,
        entries_of_folder,
        path_in_folder,
    )
    from privlab.datasets.files.sources import (
        source_from_path,
    )
    from privlab.datasets.files.timelines import (
        timeline_export_from_bytes,
        timeline_from_path,
    )
    from privlab.datasets.files.uploads import (
        SessionFolder,
        require_room_for_upload,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "AUTO",
    "FORMATS",
    "HEADERLESS",
    "ISO",
    "KNOWN",
    "TABLE",
    "AddedRow",
    "FileForm",
    "FilePreview",
    "Outlook",
    "SessionFolder",
    "allowed_folders",
    "entries_of_folder",
    "fitting_roles",
    "mapping_from_header",
    "outlook_from_path",
    "path_in_folder",
    "preview_from_path",
    "require_room_for_upload",
    "source_from_path",
    "source_of_path",
    "timeline_export_from_bytes",
    "timeline_from_path",
    "write_with_added_rows",
]
