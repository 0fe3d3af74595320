"""What can stand in a report: every exhibit by name, worked out from its data.

Uses documents, figures and everything below.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.reports.exhibits.all_exhibits import EXHIBITS, html_from_report_parts, pictures_from_parts
    from privlab.reports.exhibits.exhibits import (
        Exhibit,
        mixed_plans,
        no_release_at_hand,
        parts_from_report_plan,
        plan_words,
        reason_against_exhibit,
        reason_against_plan,
        without_wishes,
    )
    from privlab.reports.exhibits.exhibits_release import visit_series_of_release
    from privlab.reports.exhibits.exhibits_whole import Limits, accepted_in_words
    from privlab.reports.exhibits.products import (
        risks_of_release,
        slot_on_map,
        visit_series_of_counted,
        visits_on_map,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "EXHIBITS",
    "Exhibit",
    "Limits",
    "accepted_in_words",
    "html_from_report_parts",
    "mixed_plans",
    "no_release_at_hand",
    "parts_from_report_plan",
    "pictures_from_parts",
    "plan_words",
    "reason_against_exhibit",
    "reason_against_plan",
    "risks_of_release",
    "slot_on_map",
    "visit_series_of_counted",
    "visit_series_of_release",
    "visits_on_map",
    "without_wishes",
]
