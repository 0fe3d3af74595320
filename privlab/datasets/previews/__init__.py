"""The first look at a file: its first rows, how much it holds, what its columns could be.

Uses files, layouts, folders, columns.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.datasets.previews.column_fit import (
        fitting_roles,
    )
    from privlab.datasets.previews.previews import (
        FilePreview,
        mapping_from_header,
        preview_from_path,
        source_of_path,
    )
    from privlab.datasets.previews.quick_counts import (
        Outlook,
        outlook_from_path,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "FilePreview",
    "Outlook",
    "fitting_roles",
    "mapping_from_header",
    "outlook_from_path",
    "preview_from_path",
    "source_of_path",
]
