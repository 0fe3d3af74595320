"""The page Guarantee: what is promised, the people at risk, audits.

Uses lab, figures and, of ui, shell, work, data, report and publish.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.ui.guarantee import audit_view, exposure_view, guarantee_page, pipeline_view
else:
    __getattr__ = door(__name__)

__all__ = [
    "audit_view",
    "exposure_view",
    "guarantee_page",
    "pipeline_view",
]
