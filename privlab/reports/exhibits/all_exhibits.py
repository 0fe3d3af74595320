"""Every exhibit there is, and the document and pictures of a whole report."""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import replace

from privlab.figures.drawing import marked_name
from privlab.progress import Progress
from privlab.reports.documents.browser_export import png_from_html
from privlab.reports.documents.document import Judgement, ReportPart, html_from_parts
from privlab.reports.exhibits import (
    exhibits_aggregates,
    exhibits_analyses,
    exhibits_od,
    exhibits_people,
    exhibits_pipeline,
    exhibits_release,
    exhibits_trails,
    exhibits_whole,
)
from privlab.reports.exhibits.exhibits import mixed_plans, registry
from privlab.reports.report_plan import ReportPlan
from privlab.safe_text import file_word

_WIDTH = 1040  # CSS pixels of a picture
_STILL = "<style>.on-screen { display: none; }</style>"  # nothing in a picture can be pressed
EXHIBITS = registry(
    exhibits_od.EXHIBITS,
    exhibits_pipeline.EXHIBITS,
    exhibits_people.EXHIBITS,
    exhibits_aggregates.EXHIBITS,
    exhibits_trails.EXHIBITS,
    exhibits_release.EXHIBITS,
    exhibits_analyses.EXHIBITS,
    exhibits_whole.EXHIBITS,
)


def html_from_report_parts(
    plan: ReportPlan, parts: Sequence[ReportPart], summary: Sequence[Judgement] = ()
) -> str:
    """Return parts that were worked out from a plan as its document, with a summary on page one where there is one."""
    warning = mixed_plans(plan, EXHIBITS)
    return html_from_parts(
        parts,
        title=plan.title,
        kind=plan.kind,
        note=plan.note,
        warning=warning,
        summary=summary,
        author=plan.author,
        date=plan.date,
    )


def pictures_from_parts(parts: Sequence[ReportPart], *, kind: str, progress: Progress) -> bytes:
    """Return a ZIP archive with a picture of every figure: title, parameters and mark on it, two pixels for one.

    Raises DataError without a browser.
    """
    packed, drawn = io.BytesIO(), [part for part in parts if part.figure is not None]
    with zipfile.ZipFile(packed, "w") as archive:
        for number, part in enumerate(drawn, start=1):
            progress.tell(number / (len(drawn) + 1), f"Picture {number} of {len(drawn)}")
            alone = replace(part, rows=(), note="")
            html = html_from_parts([alone], title=part.title, kind=kind) + _STILL
            picture = png_from_html(html, width=_WIDTH)
            name = marked_name(f"{number:02d}_{file_word(part.title)}.png", true_data=part.discloses)
            archive.writestr(name, picture)
    return packed.getvalue()
