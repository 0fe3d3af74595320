"""Results -> a report: its plan, and what one that leaves the house may hold.

Rooms: exhibits (what stands in it), documents (the files it becomes). Uses figures and everything below.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.reports.own_plotly import (
        plotly_script,
    )
    from privlab.reports.report_plan import (
        KINDS,
        DataReference,
        Option,
        ReleaseReference,
        ReleasesTogether,
        ReportItem,
        ReportPlan,
        View,
        json_from_report_plan,
        report_plan_from_json,
        together_from_report_plan,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "KINDS",
    "DataReference",
    "Option",
    "ReleaseReference",
    "ReleasesTogether",
    "ReportItem",
    "ReportPlan",
    "View",
    "json_from_report_plan",
    "plotly_script",
    "report_plan_from_json",
    "together_from_report_plan",
]
