"""What surrounds every page: access, sessions, downloads, looks, small parts that many pages show.

Uses figures.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.ui.shell import (
        loading,
        page_list,
        parts,
    )
    from privlab.ui.shell.parts import (
        palette,
    )
    from privlab.ui.shell.sessions import (
        tidy,
    )
    from privlab.ui.shell.upload_room import (
        UploadRoom,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "UploadRoom",
    "loading",
    "page_list",
    "palette",
    "parts",
    "tidy",
]
