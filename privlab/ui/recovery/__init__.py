"""The recovery page: its controls, what was put together, one trail beside the true one.

Uses shell, work.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.ui.recovery import (
        recovery_page,
        recovery_views,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "recovery_page",
    "recovery_views",
]
