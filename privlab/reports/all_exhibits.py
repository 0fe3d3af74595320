"""Every exhibit there is, and a whole report from its plan."""

from collections.abc import Callable

from privlab.reports import exhibits_od, exhibits_people
from privlab.reports.document import html_from_parts
from privlab.reports.exhibits import Material, parts_from_report_plan, registry
from privlab.reports.report_plan import DataReference, ReportPlan

EXHIBITS = registry(exhibits_od.EXHIBITS, exhibits_people.EXHIBITS)


def report_from_plan(
    plan: ReportPlan,
    material: Callable[[DataReference], Material],
    report: Callable[[float, str], None] = lambda share, words: None,
) -> str:
    """Return the report as one HTML document, every part worked out anew.

    Raises ParameterError or DataError, one sentence, for a plan that cannot be followed.
    """
    parts = parts_from_report_plan(plan, EXHIBITS, material, report)
    report(0.98, "Putting the report together")
    return html_from_parts(parts, title=plan.title, kind=plan.kind, note=plan.note)
