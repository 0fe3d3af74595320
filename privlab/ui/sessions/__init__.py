"""Whose session it is: access, its end, its uploads and downloads, and what is logged of it.

Uses lab.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.ui.sessions.sessions import (
        tidy,
    )
    from privlab.ui.sessions.upload_limit import (
        UploadRoom,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "UploadRoom",
    "tidy",
]
