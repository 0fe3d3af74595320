"""Fingerprints -> the nearest others of every user, exactly, as compiled code.

Uses fingerprints.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.fingerprints.search.index import (
        SearchRoom,
    )
    from privlab.fingerprints.search.stretch import (
        StretchParameters,
    )
    from privlab.fingerprints.search.workers import (
        workers_or_all,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "SearchRoom",
    "StretchParameters",
    "workers_or_all",
]
