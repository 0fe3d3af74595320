"""The data page: where data comes from, what its columns mean, how it is cut into zones, what was read.

Uses shell, work.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.ui.data import (
        data_page,
        data_report,
        load_watch,
        own_file,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "data_page",
    "data_report",
    "load_watch",
    "own_file",
]
