"""A report as a file: one document that opens offline, PDF, Markdown, Word; the handout; the glossary.

Uses the plan of a report and its rule.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.reports.documents.browser_export import (
        HINT,
        installed_browser,
        pdf_from_html,
    )
    from privlab.reports.documents.document import (
        Judgement,
        ReportPart,
    )
    from privlab.reports.documents.glossary_file import (
        glossary,
    )
    from privlab.reports.documents.handout import (
        handout_html,
    )
    from privlab.reports.documents.word_and_markdown import (
        drawn_figures,
        markdown_from_parts,
        word_from_parts,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "HINT",
    "Judgement",
    "ReportPart",
    "drawn_figures",
    "glossary",
    "handout_html",
    "installed_browser",
    "markdown_from_parts",
    "pdf_from_html",
    "word_from_parts",
]
