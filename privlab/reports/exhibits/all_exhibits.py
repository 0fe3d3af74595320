"""Every exhibit there is, and the document and pictures of a whole report."""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import replace

from privlab.progress import Progress
from privlab.reports.documents.browser_export import png_from_html
from privlab.reports.documents.document import Judgement, ReportPart, html_from_parts, picture_names
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
    plan: ReportPlan, parts: Sequence[ReportPart], summary: Sequence[Judgement] = (), *, paper: bool = False
) -> str:
    """Return parts that were worked out from a plan as its document, with a summary on page one where there is one.

    For `paper` where it is to be printed.
    """
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
        paper=paper,
    )


def pictures_from_parts(parts: Sequence[ReportPart], *, kind: str, progress: Progress) -> bytes:
    """Return a ZIP archive with a picture of every figure: title, parameters and mark on it, two pixels for one.

    Raises DataError without a browser.
    """
    packed, names = io.BytesIO(), picture_names(parts)
    with zipfile.ZipFile(packed, "w") as archive:
        for at, (number, name) in enumerate(names.items(), start=1):
            progress.tell(at / (len(names) + 1), f"Picture {at} of {len(names)}")
            alone = replace(parts[number], rows=(), note="")
            html = html_from_parts([alone], title=alone.title, kind=kind, still=True) + _STILL
            archive.writestr(name, png_from_html(html, width=_WIDTH))
    return packed.getvalue()
