"""What surrounds every page: its top, the list of pages, looks, small parts that many pages show.

Uses sessions, figures.
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
else:
    __getattr__ = door(__name__)

__all__ = [
    "loading",
    "page_list",
    "palette",
    "parts",
]
