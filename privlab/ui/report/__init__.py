"""The report page: what a session collects, and the document made of it.

Uses shell, work.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.ui.report import (
        part_settings,
        report_buttons,
        report_downloads,
        report_page,
        report_state,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "part_settings",
    "report_buttons",
    "report_downloads",
    "report_page",
    "report_state",
]
