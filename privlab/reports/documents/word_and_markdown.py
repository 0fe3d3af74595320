"""A report → Markdown and Word, for those who must paste: headings, sentences, tables and pictures in the same order.

Both hold what the HTML holds, from the same parts. Pictures come from an installed browser; without one, a line says so.
"""

import io
import zipfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from privlab import __version__
from privlab.figures.drawing import Figure, html_from_figure
from privlab.figures.wording import plain
from privlab.progress import Progress
from privlab.reports.documents.browser_export import installed_browser, png_from_html
from privlab.reports.documents.document import (
    MARKS,
    Judgement,
    ReportPart,
    picture_names,
    require_document_allowed,
)
from privlab.reports.own_plotly import plotly_script
from privlab.reports.report_plan import ReportPlan
from privlab.safe_text import visible

NO_PICTURE = "(The figure is in the HTML report: no browser was found that draws it as a picture.)"
_TEXT_MM = 168  # as wide as words and pictures are on a page of Word
_TEXT_CHARACTERS = 84  # in a line of that width, about
_LONGEST_WORD, _LONGEST_CELL = 24, 44  # characters; what is longer is broken: digests, and sentences
_MARGINS = 4  # characters that the edges of a cell take, and wide letters
_PICTURE_PX = 760  # of which 12, the least type of a figure, are 7.5 points high on a page of Word
_LONGEST_PROPERTY = 255  # characters of a title or an author that Word takes of a file
_LANGUAGE = "en-GB"
_BAR = "\\|"  # within a cell, in the type of code too
_COLOURS = {"green": "00704F", "amber": "FFD27A", "red": "B3261E"}


def drawn_figures(parts: Sequence[ReportPart], progress: Progress) -> dict[int, bytes]:
    """Return each figure as PNG by the place of its part, two pixels for one; none without a browser."""
    if installed_browser() is None:
        return {}
    drawn = [(number, part) for number, part in enumerate(parts) if part.figure is not None]
    found = {}
    for done, (number, part) in enumerate(drawn):
        progress.tell(done / len(drawn), f"Picture {done + 1} of {len(drawn)}")
        assert part.figure is not None
        found[number] = _picture(part.figure, part)
    return found


def _picture(figure: Figure, part: ReportPart) -> bytes:
    alone = html_from_figure(
        figure,
        name="figure",
        title=part.title,
        parameters=part.parameters,
        true_data=part.discloses,
        still=True,
        width=_PICTURE_PX,
    )
    html = (
        "<!doctype html><meta charset='utf-8'><style>body{margin:0}.modebar-container{display:none!important}</style>"
        f"<script>{plotly_script()}</script>{alone}"
    )
    return png_from_html(html, width=_PICTURE_PX)


def markdown_from_parts(
    plan: ReportPlan,
    parts: Sequence[ReportPart],
    summary: Sequence[Judgement],
    pictures: dict[int, bytes],
    warning: str = "",
) -> bytes:
    """Return a ZIP archive with report.md and its pictures; a `warning` stands at the top.

    Raises BoundViolation if an external report were given anything that shows true data.
    """
    require_document_allowed(plan.kind, parts, summary)
    names = picture_names(parts)
    lines = [f"# {_md(plan.title)}", f"**{_md(MARKS[plan.kind])}**"]
    lines += [f"**{_md(warning)}**" if warning else "", _md(_signed(plan)), _md(plan.note)]
    if summary:
        lines.append("## In short")
        rows = [{"": one.about, "colour": one.colour, "why": one.sentence} for one in summary]
        lines.append(_md_table(rows))
    for number, part in enumerate(parts):
        lines += [f"## {_md(part.title)}", _md(_plan_of(part)), _md(part.sentence), _md(part.note)]
        lines.append("*True data: for internal eyes, not for publication.*" if part.discloses else "")
        if part.figure is not None:
            known = number in pictures
            lines.append(f"![{_md(part.title)}](pictures/{names[number]})" if known else NO_PICTURE)
        lines += [_md_table(part.rows) if part.rows else "", f"*{_md(part.caption)}*"]
    lines += ["## Date and author", _md(_signed(plan) or "Not dated. The author is not named.")]
    lines.append(f"Made with privlab {__version__}.")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("report.md", "\n\n".join(line for line in lines if line) + "\n")
        for number, picture in pictures.items():
            archive.writestr(f"pictures/{names[number]}", picture)
    return packed.getvalue()


def _md(text: str) -> str:
    """Return text that Markdown shows as it is; an address, which would be a link however it is written, in the type of code."""
    return "  \n".join(map(plain, text.splitlines()))


def _md_table(rows: Sequence[dict[str, Any]]) -> str:
    """Return a table; a line's end in a cell would end its row."""

    def line(cells: Iterable[object]) -> str:
        return f"| {' | '.join(plain(str(one)).replace('|', _BAR) for one in cells)} |"

    return "\n".join([line(rows[0]), f"|{'---|' * len(rows[0])}", *(line(row.values()) for row in rows)])


def _signed(plan: ReportPlan) -> str:
    return ", ".join(one for one in (plan.author, plan.date) if one)


def _plan_of(part: ReportPart) -> str:
    return f"Plan: {part.plan}." if part.plan else ""


def word_from_parts(
    plan: ReportPlan,
    parts: Sequence[ReportPart],
    summary: Sequence[Judgement],
    pictures: dict[int, bytes],
    warning: str = "",
) -> bytes:
    """Return the report as a Word document (.docx) on A4; a `warning` stands at the top.

    Raises BoundViolation if an external report were given anything that shows true data.
    """
    require_document_allowed(plan.kind, parts, summary)
    import docx
    from docx.shared import Mm, Pt

    document = docx.Document()
    section = document.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    for side in ("left_margin", "right_margin", "top_margin", "bottom_margin"):
        setattr(section, side, Mm(20))
    document.styles["Normal"].font.size = Pt(10.5)
    document.core_properties.title = visible(plan.title)[:_LONGEST_PROPERTY]
    document.core_properties.comments = f"Made with privlab {__version__}."
    document.core_properties.author = visible(plan.author)[:_LONGEST_PROPERTY] or "privlab"
    with suppress(ValueError):  # without a date that of python-docx stays
        made = datetime.fromisoformat(plan.date)
        document.core_properties.created = document.core_properties.modified = made
    _word_footer(section, MARKS[plan.kind])
    _word_language(document)
    document.add_heading(visible(plan.title), level=0)
    for mark in (MARKS[plan.kind], warning):
        if mark:
            document.add_paragraph().add_run(visible(mark)).bold = True
    for text in (_signed(plan), plan.note):
        if text:
            document.add_paragraph(
                visible(text) if "\n" not in text else "\n".join(map(visible, text.splitlines()))
            )
    if summary:
        _word_summary(document, summary)
    for number, part in enumerate(parts):
        _word_part(document, part, pictures.get(number))
    document.add_heading("Date and author", level=1)
    document.add_paragraph(visible(_signed(plan) or "Not dated. The author is not named."))
    document.add_paragraph(f"Made with privlab {__version__}.")
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()


def _word_footer(section: Any, mark: str) -> None:
    """Write below each page the mark, and on the right its number of how many, which Word counts."""
    from docx.enum.text import WD_TAB_ALIGNMENT
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn
    from docx.shared import Mm

    line = section.footer.paragraphs[0]
    stops = line.paragraph_format.tab_stops
    for inherited in section.footer.paragraphs[0].style.paragraph_format.tab_stops:
        stops.add_tab_stop(inherited.position, WD_TAB_ALIGNMENT.CLEAR)
    stops.add_tab_stop(Mm(_TEXT_MM + 2), WD_TAB_ALIGNMENT.RIGHT)
    line.add_run(f"{mark}\t")
    for before, field in (("", "PAGE"), (" / ", "NUMPAGES")):
        line.add_run(before)
        counted = OxmlElement("w:fldSimple")
        counted.set(qn("w:instr"), field)
        line._p.append(counted)


def _word_language(document: Any) -> None:
    """Say that it is English as the lab writes it: read out so, and no word marked as wrong that is not."""
    from docx.oxml.ns import qn

    document.core_properties.language = _LANGUAGE
    for told in document.styles.element.iter(qn("w:lang")):
        told.set(qn("w:val"), _LANGUAGE)


def _word_part(document: Any, part: ReportPart, picture: bytes | None) -> None:
    from docx.shared import Mm

    document.add_heading(visible(part.title), level=1)
    for text in (_plan_of(part), part.sentence, *part.note.splitlines()):
        if text:
            document.add_paragraph(visible(text))
    if part.discloses:
        document.add_paragraph().add_run("True data: for internal eyes, not for publication.").italic = True
    if part.figure is not None and picture is None:
        document.add_paragraph(NO_PICTURE)
    if picture is not None:
        drawn = document.add_picture(io.BytesIO(picture), width=Mm(_TEXT_MM))
        # What is read out where the picture is not seen.
        drawn._inline.docPr.set("descr", visible(part.alt))
    if part.rows:
        _word_table(document, part.rows)
    document.add_paragraph(visible(part.caption), style="Caption")


def _word_table(document: Any, rows: Sequence[dict[str, Any]]) -> None:
    """Add a table whose names of columns stand on each page that it goes on to, and are heard as such; no row is torn apart."""
    from docx.oxml import OxmlElement

    table = document.add_table(rows=1, cols=len(rows[0]), style="Light Grid Accent 1")
    for cell, name in zip(table.rows[0].cells, rows[0], strict=True):
        cell.text = visible(name)
    for row in rows:
        for cell, value in zip(table.add_row().cells, row.values(), strict=True):
            cell.text = visible(value)
    _set_widths(table, _widths_mm([list(rows[0]), *(list(row.values()) for row in rows)]))
    for row in table.rows:
        row._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))
    table.rows[0]._tr.trPr.append(OxmlElement("w:tblHeader"))


def _widths_mm(rows: Sequence[Sequence[Any]]) -> list[float]:
    """Return how wide columns are that no word of them is torn in two, as far as there is room, and long cells have what is left.

    >>> [round(one) for one in _widths_mm([["limit", "meaning"], ["Noise", "Each count has noise, and so has each sum."]])]
    [18, 150]
    """
    cells = [[visible(one) for one in column] for column in zip(*rows, strict=True)]
    words = [
        min(max(len(word) for one in column for word in [*one.split(), ""]), _LONGEST_WORD) + _MARGINS
        for column in cells
    ]
    longer = [
        max(min(max(map(len, column)), _LONGEST_CELL) + _MARGINS - word, 0)
        for column, word in zip(cells, words, strict=True)
    ]
    spare = max(_TEXT_CHARACTERS - sum(words), 0) / max(sum(longer), 1)
    characters = [word + more * spare for word, more in zip(words, longer, strict=True)]
    return [_TEXT_MM * one / sum(characters) for one in characters]


def _set_widths(table: Any, widths_mm: Sequence[float]) -> None:
    """Make columns so wide: cells, which Word reads, and the table's grid, which LibreOffice reads."""
    from docx.shared import Mm

    for column, width in zip(table.columns, widths_mm, strict=True):
        column.width = Mm(width)
    for row in table.rows:
        for cell, width in zip(row.cells, widths_mm, strict=True):
            cell.width = Mm(width)


def _word_summary(document: Any, summary: Sequence[Judgement]) -> None:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn
    from docx.shared import RGBColor

    document.add_heading("In short", level=1)
    table = document.add_table(rows=0, cols=2, style="Table Grid")
    for one in summary:
        about, why = table.add_row().cells
        about.text, why.text = "", visible(one.sentence)
        run = about.paragraphs[0].add_run(f"{visible(one.about)}\n{one.colour}")
        run.bold = True
        if one.colour != "amber":
            run.font.color.rgb = RGBColor(0xFF, 0xFF, 0xFF)
        shade = OxmlElement("w:shd")
        for name, value in (("val", "clear"), ("color", "auto"), ("fill", _COLOURS[one.colour])):
            shade.set(qn(f"w:{name}"), value)
        about._tc.get_or_add_tcPr().append(shade)
    _set_widths(table, (32, 136))
    document.add_paragraph()
