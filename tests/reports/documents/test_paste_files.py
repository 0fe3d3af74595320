"""Word and Markdown against the parts they are made of: the same texts in the same order, nothing in them run."""

import io
import re
import zipfile
from dataclasses import replace

import docx
import plotly.graph_objects as go
import pytest
from docx.enum.text import WD_TAB_ALIGNMENT
from docx.shared import Mm
from markdown_it import MarkdownIt

from privlab.checks import BoundViolation
from privlab.progress import UNHEARD
from privlab.reports.documents.browser_export import BROWSER_VARIABLE
from privlab.reports.documents.document import Judgement, ReportPart, html_from_parts
from privlab.reports.documents.word_and_markdown import (
    NO_PICTURE,
    drawn_figures,
    markdown_from_parts,
    word_from_parts,
)
from privlab.reports.exhibits import all_exhibits
from privlab.reports.report_plan import ReportPlan

PLAN = ReportPlan(
    title="Title <b>*x*", note="First\nsecond", author="A. Steward", date="2026-03-02", summary=True
)
PARTS = [
    ReportPart(
        title="One",
        sentence="Sentence of one.",
        caption="c1",
        discloses=True,
        plan="ε = 1, threshold 20",
        figure=go.Figure(go.Bar(y=[1, 2])),
    ),
    ReportPart(
        title="Two", sentence="a | b", caption="c2", discloses=False, rows=[{"name": "x|y", "at": "7"}]
    ),
]
SUMMARY = [Judgement(about="Promise", colour="red", sentence="It is weak.", discloses=False)]
PNG = b"\x89PNG\r\n\x1a\n"


def words_of(document: bytes) -> list[str]:
    """Every text of a Word document, in order: headings, paragraphs, and the cells of its tables."""
    found = []
    for block in docx.Document(io.BytesIO(document)).iter_inner_content():
        rows = getattr(block, "rows", None)
        found += [block.text] if rows is None else [cell.text for row in rows for cell in row.cells]
    return [text for text in found if text]


@pytest.mark.parametrize(
    ("date", "year"), [("2026-03-02", 2026), ("next spring", 2013)]
)  # 2013: as python-docx has it
def test_word_is_dated_as_the_report_is(date: str, year: int) -> None:
    properties = docx.Document(
        io.BytesIO(word_from_parts(replace(PLAN, date=date), PARTS, SUMMARY, {}))
    ).core_properties
    assert (properties.created.year, properties.modified.year) == (year, year)


def test_a_longer_title_and_author_than_word_takes_of_a_file_are_whole_in_its_text() -> None:
    title, author = "A title. " * 40, "An author. " * 40
    document = word_from_parts(replace(PLAN, title=title, author=author), PARTS, SUMMARY, {})
    properties = docx.Document(io.BytesIO(document)).core_properties
    assert (properties.title, properties.author) == (title[:255], author[:255])
    assert title.strip() in " ".join(words_of(document))


def test_names_of_columns_stand_on_each_page_of_a_table_of_word_and_no_row_is_torn() -> None:
    """By the standard of such files (ECMA-376, 17.4.78 and 17.4.6), read as any other program reads it."""
    rows = [{"name": str(n), "at": "7"} for n in range(3)]
    document = docx.Document(io.BytesIO(word_from_parts(PLAN, [replace(PARTS[1], rows=rows)], (), {})))
    (table,) = document.tables
    assert [bool(row._tr.xpath("w:trPr/w:tblHeader")) for row in table.rows] == [True, False, False, False]
    assert all(row._tr.xpath("w:trPr/w:cantSplit") for row in table.rows)


def test_columns_of_word_are_as_wide_as_their_words_in_the_grid_that_other_programs_read() -> None:
    """By hand: bold letters of 10 points are 1.94 mm wide on average, the edges of a cell 3.8 mm; seven columns of 168 mm alike are 24 mm."""
    names = ["release", "noise", "ε", "trips", "threshold", "right", "useful"]
    rows = [dict.fromkeys(names, "1") | {"release": "recommended", "noise": "integer noise"}]
    document = docx.Document(io.BytesIO(word_from_parts(PLAN, [replace(PARTS[1], rows=rows)], SUMMARY, {})))
    short, table = document.tables
    widths = [column.width.mm for column in table.columns]
    assert sum(widths) == pytest.approx(168, abs=0.1)
    assert widths[0] >= 1.94 * len("recommended") + 3.8
    assert min(widths) >= 1.94 + 3.8
    assert [cell.width.mm for cell in table.rows[1].cells] == pytest.approx(widths)
    about, why = (column.width.mm for column in short.columns)
    assert about < why / 3  # a word and a colour, and a sentence


def test_pages_of_word_have_their_mark_and_number_within_the_margins_and_its_language_is_said() -> None:
    document = docx.Document(io.BytesIO(word_from_parts(PLAN, PARTS, (), {})))
    (section,) = document.sections
    (line,) = section.footer.paragraphs
    assert line.text.startswith("Internal: shows true data.")
    assert re.findall(r'w:instr="(\w+)"', line._p.xml) == ["PAGE", "NUMPAGES"]
    right = max(
        stop.position for stop in line.paragraph_format.tab_stops if stop.alignment == WD_TAB_ALIGNMENT.RIGHT
    )
    assert right <= section.page_width - section.left_margin - section.right_margin + Mm(0.1)
    assert document.core_properties.language == "en-GB"
    assert set(re.findall(r'<w:lang w:val="([^"]*)"', document.styles.element.xml)) == {"en-GB"}


def test_word_holds_the_same_in_the_same_order_without_a_browser() -> None:
    said = words_of(word_from_parts(PLAN, PARTS, SUMMARY, {}))
    assert said[:3] == [
        "Title <b>*x*",
        "Internal: shows true data. Not for publication.",
        "A. Steward, 2026-03-02",
    ]
    rest = [
        "In short",
        "Promise\nred",
        "It is weak.",
        "One",
        "Plan: ε = 1, threshold 20.",
        "Sentence of one.",
        NO_PICTURE,
        "c1",
        "Two",
        "a | b",
    ]
    places = [said.index(text) for text in [*rest, "x|y", "7", "c2", "Date and author"]]
    assert places == sorted(places)


def test_markdown_holds_the_same_and_runs_nothing() -> None:
    with zipfile.ZipFile(io.BytesIO(markdown_from_parts(PLAN, PARTS, SUMMARY, {}))) as archive:
        text = archive.read("report.md").decode()
    assert text.startswith("# Title \\<b\\>\\*x\\*\n")
    assert "| x\\|y | 7 |" in text
    places = [
        text.index(one)
        for one in (
            "## In short",
            "It is weak.",
            "## One",
            "Plan: ε = 1, threshold 20.",
            NO_PICTURE,
            "## Two",
            "## Date and",
        )
    ]
    assert places == sorted(places)


def test_an_address_in_names_and_notes_is_no_link_wherever_markdown_is_shown() -> None:
    """As markdown-it reads it: what GitHub and others would make a link of stands in the type of code alone, and is whole."""
    addresses = ["http://a.example/x_y|z", "ftp://b.example", "www.c.example", "d@e.example"]
    plan = replace(
        PLAN,
        title=f"On {addresses[0]}",
        author=f"[me]({addresses[2]})",
        note=f"See {addresses[1]}\n| {addresses[3]} |",
    )
    part = replace(
        PARTS[1],
        sentence=f"{addresses[2]}. 5 * 3 * 2 &lt;",
        caption=addresses[3],
        rows=[{addresses[1]: one} for one in addresses],
    )
    with zipfile.ZipFile(io.BytesIO(markdown_from_parts(plan, [part], SUMMARY, {}))) as archive:
        text = archive.read("report.md").decode()
    leaves = [
        leaf for one in MarkdownIt("commonmark").enable("table").parse(text) for leaf in one.children or ()
    ]
    assert {leaf.type for leaf in leaves} <= {
        "text",
        "code_inline",
        "softbreak",
        "hardbreak",
        "em_open",
        "em_close",
        "strong_open",
        "strong_close",
    }
    shown = "".join(leaf.content for leaf in leaves if leaf.type == "text")
    assert not [mark for mark in ("://", "www.", "@") if mark in shown]
    said = [leaf.content for leaf in leaves if leaf.type == "code_inline"]
    # In the title, the author (twice), the note, the sentence, the caption, a heading of the table and four cells.
    assert sorted(said) == sorted(
        [
            *addresses,
            addresses[0],
            addresses[2],
            addresses[2],
            addresses[2],
            addresses[1],
            addresses[1],
            *[addresses[3]] * 2,
        ]
    )
    assert "5 * 3 * 2 &lt;" in shown


def test_pictures_are_those_of_the_figures() -> None:
    pictures = drawn_figures(PARTS, UNHEARD)
    assert list(pictures) == [0]
    assert pictures[0].startswith(PNG)
    with zipfile.ZipFile(io.BytesIO(markdown_from_parts(PLAN, PARTS, SUMMARY, pictures))) as archive:
        assert archive.read("pictures/INTERNAL_01_One.png") == pictures[0]
        assert "![One](pictures/INTERNAL_01_One.png)" in archive.read("report.md").decode()
    (drawn,) = docx.Document(io.BytesIO(word_from_parts(PLAN, PARTS, SUMMARY, pictures))).inline_shapes
    assert drawn._inline.docPr.get("descr") == "Sentence of one."
    said = [replace(PARTS[0], drawn="Two bars.")]
    (drawn,) = docx.Document(io.BytesIO(word_from_parts(PLAN, said, SUMMARY, pictures))).inline_shapes
    assert drawn._inline.docPr.get("descr") == "Two bars."
    assert '<figure aria-label="Two bars.">' in html_from_parts(said, title="T", kind="internal")


def test_a_picture_has_one_name_beside_markdown_and_among_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand: counted without the part that has no figure, named by their titles, and marked where they show true data."""
    parts = [
        PARTS[1],
        replace(PARTS[0], title="A curve", discloses=False),
        replace(PARTS[0], title="True flows (map)"),
    ]
    monkeypatch.setattr(all_exhibits, "png_from_html", lambda html, width: PNG)
    archives = (
        markdown_from_parts(PLAN, parts, [], dict.fromkeys((1, 2), PNG)),
        all_exhibits.pictures_from_parts(parts, kind="internal", progress=UNHEARD),
    )
    names = []
    for archive in archives:
        with zipfile.ZipFile(io.BytesIO(archive)) as found:
            names.append(
                [name.removeprefix("pictures/") for name in found.namelist() if name.endswith(".png")]
            )
    assert names == [["01_A_curve.png", "INTERNAL_02_True_flows_map.png"]] * 2


def test_without_a_browser_there_are_no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BROWSER_VARIABLE, "no such browser")
    assert drawn_figures(PARTS, UNHEARD) == {}


@pytest.mark.parametrize("made", [word_from_parts, markdown_from_parts])
def test_an_external_document_holds_no_true_data(made) -> None:  # type: ignore[no-untyped-def]
    external = ReportPlan(title="T", kind="external")
    with pytest.raises(BoundViolation, match="shows true data"):
        made(external, PARTS, [], {})
    assert made(external, PARTS[1:], SUMMARY, {})


def test_a_warning_stands_below_the_mark_in_both() -> None:
    said = words_of(word_from_parts(PLAN, PARTS, SUMMARY, {}, warning="Two plans * are mixed."))
    assert said[2] == "Two plans * are mixed."
    with zipfile.ZipFile(
        io.BytesIO(markdown_from_parts(PLAN, PARTS, SUMMARY, {}, warning="Two * mixed."))
    ) as archive:
        lines = archive.read("report.md").decode().split("\n\n")
    assert lines[2] == "**Two \\* mixed.**"
