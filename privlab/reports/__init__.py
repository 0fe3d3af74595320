"""Results -> a report: its plan, its exhibits, one document that opens offline.

Uses figures and everything below.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.reports.all_exhibits import (
        EXHIBITS,
        html_from_report_parts,
        pictures_from_parts,
    )
    from privlab.reports.browser_export import (
        HINT,
        installed_browser,
        pdf_from_html,
    )
    from privlab.reports.document import (
        Judgement,
        ReportPart,
    )
    from privlab.reports.exhibits import (
        Exhibit,
        mixed_plans,
        no_release_at_hand,
        parts_from_report_plan,
        plan_words,
        reason_against_exhibit,
    )
    from privlab.reports.exhibits_release import visit_series_of_release
    from privlab.reports.exhibits_whole import (
        Limits,
    )
    from privlab.reports.glossary_file import (
        glossary,
    )
    from privlab.reports.handout import (
        handout_html,
    )
    from privlab.reports.paste_files import (
        drawn_figures,
        markdown_from_parts,
        word_from_parts,
    )
    from privlab.reports.products import (
        risks_of_release,
        slot_on_map,
        visit_series_of_counted,
        visits_on_map,
    )
    from privlab.reports.report_plan import (
        KINDS,
        DataReference,
        Option,
        ReleaseReference,
        ReportItem,
        ReportPlan,
        View,
        json_from_report_plan,
        report_plan_from_json,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "EXHIBITS",
    "HINT",
    "KINDS",
    "DataReference",
    "Exhibit",
    "Judgement",
    "Limits",
    "Option",
    "ReleaseReference",
    "ReportItem",
    "ReportPart",
    "ReportPlan",
    "View",
    "drawn_figures",
    "glossary",
    "handout_html",
    "html_from_report_parts",
    "installed_browser",
    "json_from_report_plan",
    "markdown_from_parts",
    "mixed_plans",
    "no_release_at_hand",
    "parts_from_report_plan",
    "pdf_from_html",
    "pictures_from_parts",
    "plan_words",
    "reason_against_exhibit",
    "report_plan_from_json",
    "risks_of_release",
    "slot_on_map",
    "visit_series_of_counted",
    "visit_series_of_release",
    "visits_on_map",
    "word_from_parts",
]
